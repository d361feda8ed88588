"""Players that search a tree: UCT, MC–RAVE and heuristic MC–RAVE (MoGo)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.games.go.board import Board, Move
from playout.games.go.state import BLACK, PASS
from playout.kernel import new_rng
from playout.player.api import RESIGN, Analysis, MoveInfo, Player
from playout.player.clock import Clock
from playout.player.settings import retuned, setting
from playout.player.simple import candidates, lower_bound
from playout.policy import POLICIES
from playout.search.mcts import SCHEDULES, Selection, TreeSearch
from playout.search.ownership import dead_stones, ownership
from playout.search.prior import PRIORS
from playout.search.tree import NODE

CHUNK = 256  # simulations between two looks at the clock
SURE = 0.98  # share of simulations that must be won after a pass that is offered early


@dataclass(frozen=True, kw_only=True)
class TreeSettings:
    """Settings of a tree search; the defaults are plain UCT."""

    sims: int = setting(3000, "simulations a move", low=1, high=1_000_000_000)
    policy: str = setting("mogo", "simulation policy", choices=tuple(POLICIES))
    exploration: float = setting(
        0.2, "c: how much UCB1 explores (Silver 2009, 3.5 and 8.12)", low=0, high=100
    )
    urgency: float = setting(
        1.1, "value of a move without experience (first-play urgency)", low=-1e6, high=1e6
    )
    rave: str = setting("none", "schedule of the AMAF values", choices=tuple(SCHEDULES))
    bias: float = setting(0.05, "b̃: RAVE's bias in the minimum-MSE schedule (8.41)", low=0, high=10)
    equivalence: float = setting(1000.0, "k of the heuristic schedule (8.13)", low=0, high=1e9)
    prior: str = setting("even", "heuristic for new nodes", choices=tuple(PRIORS))
    experience: float = setting(0.0, "M: simulations that the prior is worth (8.43)", low=0, high=1e6)
    amaf_experience: float = setting(
        0.0, "M̃: AMAF simulations that the prior is worth (8.45)", low=0, high=1e6
    )
    first_only: bool = setting(False, "AMAF only for the first of both players at a point")
    expand: int = setting(2, "visits at which a leaf gets children", low=0, high=1_000_000)
    threads: int = setting(1, "threads that share the tree", low=1, high=256)
    virtual_loss: int = setting(0, "losses counted while a simulation is under way", low=0, high=1000)
    memory: int = setting(400, "megabytes for the tree", low=1, high=1_000_000)
    reuse: bool = setting(True, "keep the part of the tree that the game goes to")
    early_stop: bool = setting(True, "stop when no other move can catch up")
    resign: float = setting(0.0, "resign when the best move wins less than this", low=0, high=1)
    seed: int | None = setting(None, "random seed; none takes a new one each time", low=0)


RaveSettings = retuned(TreeSettings, "RaveSettings", rave="mse", exploration=0.0, experience=5.0, expand=4)
MogoSettings = retuned(
    RaveSettings, "MogoSettings", prior="handcrafted", amaf_experience=10.0, first_only=True
)


class TreePlayer(Player):
    """Searches a tree and plays the most visited move."""

    def __init__(self, name: str, settings: TreeSettings, policy: Any) -> None:
        self.name, self.settings, self.clock = name, settings, Clock()
        self._policy = policy
        self._search: TreeSearch | None = None
        self._root: tuple[object, list[Move], int] | None = None  # its game, moves and side to play

    def _selection(self) -> Selection:
        """How the tree is walked, from the settings."""
        s = self.settings
        return Selection(
            exploration=s.exploration,
            urgency=s.urgency,
            rave=s.rave,
            bias=s.bias,
            equivalence=s.equivalence,
            experience=s.experience,
            amaf_experience=s.amaf_experience,
            first_only=s.first_only,
            expand_at=s.expand,
            virtual_loss=s.virtual_loss,
            silent=PASS,
        )

    def _new_prior(self) -> Any:
        return PRIORS[self.settings.prior]()

    def _new_search(self) -> TreeSearch:
        s = self.settings
        nodes = min(s.memory * 1_000_000 // NODE.itemsize, 1_000_000_000)
        return TreeSearch(
            self._selection(), self._policy, self._new_prior(), nodes=nodes, threads=s.threads, seed=s.seed
        )

    def new_game(self) -> None:
        self._root = None

    def prepare(self, board: Board) -> TreeSearch:
        """The search with its root at the board's position; what it knows of it already is kept."""
        if self._search is None:
            self._search = self._new_search()
        search = self._search
        actions = candidates(board)
        game = (board.size, board.komi, board.initial_stones)
        since = self._moves_since(game, board) if self.settings.reuse else None
        self._root = (game, list(board.moves), board.to_play)
        root = board.simulation_root()
        if (
            since is None
            or not search.follow(root, since)
            or set(search.children()["action"].tolist()) != set(actions)
        ):
            search.start(root, actions)
        return search

    def _moves_since(self, game: object, board: Board) -> list[int] | None:
        """What has been played in turn since the last search; None if this is another game or line."""
        if self._root is None:
            return None
        before, moves, turn = self._root
        later = board.moves[len(moves) :]
        in_turn = all(move.color == (turn if k % 2 == 0 else 3 - turn) for k, move in enumerate(later))
        to_play = turn if len(later) % 2 == 0 else 3 - turn
        same = before == game and moves == board.moves[: len(moves)]
        return [move.point for move in later] if same and in_turn and to_play == board.to_play else None

    def choose(self, board: Board) -> int:
        if board.is_over:
            return PASS
        if self._may_end(board):
            return PASS
        search = self.prepare(board)
        self._think(search, board)
        children = search.children()
        order = np.argsort(-children["visits"].astype(np.int64), kind="stable")
        best = children[order[0]]
        if best["action"] == PASS and len(order) > 1 and not self._is_ahead(board):
            best = children[order[1]]  # a pass that loses by the count
        share = float(best["wins"]) / max(1, int(best["visits"]))
        if share < self.settings.resign:
            return RESIGN
        return int(best["action"])

    def _think(self, search: TreeSearch, board: Board) -> None:
        """Simulate until the simulations or the time are used up, or the choice is clear."""
        s = self.settings
        budget = self.clock.budget(board)
        deadline = None if budget is None else time.monotonic() + budget
        done = 0
        while done < s.sims:
            count = min(CHUNK * s.threads, s.sims - done)
            search.run(count)
            done += count
            if deadline is not None and time.monotonic() >= deadline:
                break
            if s.early_stop and done < s.sims:
                visits = np.sort(search.children()["visits"])[::-1]
                if visits.size == 1 or int(visits[0]) - int(visits[1]) > s.sims - done:
                    break

    def _is_ahead(self, board: Board) -> bool:
        """Whether the side to move would win if the game ended now, whoever's stones are called dead."""
        sign = 1 if board.to_play == BLACK else -1
        return sign * board.score() > 0 and sign * board.score(dead_stones(board, 200)) > 0

    def _may_end(self, board: Board) -> bool:
        """Whether to pass without a search: ahead by both counts, and nothing to fear.

        After the opponent's pass ours ends the game; otherwise nearly all simulations after our pass
        must be won.
        """
        if not self._is_ahead(board):
            return False
        if board.moves and board.moves[-1].point == PASS:
            return True
        ends = ownership(board.copy().play("pass"), self._policy.record(), 200, new_rng(1))
        return (ends.winrate if board.to_play == BLACK else 1 - ends.winrate) >= SURE

    def analyse(self, board: Board) -> Iterator[Analysis]:
        search = self.prepare(board)
        policies, rng = self._policy.record(), new_rng(self.settings.seed)
        owners, lead, rounds = np.zeros((board.size, board.size)), 0.0, 0
        while True:
            search.run(CHUNK)
            ends = ownership(board, policies, 32, rng)
            owners, lead, rounds = owners + ends.owners, lead + ends.lead, rounds + 1
            children = search.children()
            visits = children["visits"].astype(np.int64)
            rate = np.where(visits > 0, children["wins"] / np.maximum(1, visits), children["prior"])
            bound = lower_bound(rate, visits)
            prior = children["prior"] / children["prior"].sum()
            yield Analysis(
                to_play=board.to_play,
                moves=tuple(
                    MoveInfo(
                        action,
                        int(visits[k]),
                        float(rate[k]),
                        float(bound[k]),
                        float(prior[k]),
                        search.line(action),
                    )
                    for k in np.argsort(-visits, kind="stable")
                    for action in [int(children["action"][k])]
                ),
                ownership=owners / rounds,
                score_lead=lead / rounds * (1 if board.to_play == BLACK else -1),
            )
