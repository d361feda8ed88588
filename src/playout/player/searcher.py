"""Players that search a tree, in any game: UCT and MC–RAVE, with the progressive strategies of MANGO."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from playout.games.position import Move, Position
from playout.kernel import new_rng
from playout.player.api import RESIGN, Analysis, MoveInfo, Player
from playout.player.clock import Clock
from playout.player.ending import QUICK, Ending, Resignation, checks_until, ending_of
from playout.player.pondering import GoOn, Pondering
from playout.player.simple import Outlook, lower_bound
from playout.player.timing import UNBOUNDED, Limit, deadline
from playout.policy.api import Copies
from playout.search.mcts import SCHEDULES, Selection, TreeSearch
from playout.search.nodes import NODE
from playout.search.prior import Prior
from playout.settings import retuned, setting

ROUND = 256  # simulations between two analyses
MOVING = 50e-9  # seconds to take a node over into the tree of the next move
EARLY_STOPS = ("timed", "always", "never")
TELLING = 100  # visits below which a winning rate is no reason to resign


@dataclass(frozen=True, kw_only=True)
class TreeSettings:
    """Settings of a tree search; the defaults are plain UCT."""

    sims: int | None = setting(
        3000,
        "simulations a move at most; none, as with seconds: only time ends a search",
        low=1,
        high=1_000_000_000,
    )
    seconds: float | None = setting(
        None, "seconds a move at most; a clock may allow less", low=0.001, high=1_000_000
    )
    policy: str = setting("random", "simulation policy")
    exploration: float = setting(
        0.5, "c: how much UCB1 explores (Silver 2009, 3.5 and 8.12)", low=0, high=100
    )
    urgency: float = setting(
        1e6, "value of a move without experience (first-play urgency)", low=-1e6, high=1e6
    )
    rave: str = setting("none", "schedule of the AMAF values", choices=tuple(SCHEDULES))
    bias: float = setting(0.05, "b̃: RAVE's bias in the minimum-MSE schedule (8.41)", low=0, high=10)
    equivalence: float = setting(1000.0, "k of the heuristic schedule (8.13)", low=0, high=1e9)
    prior: str = setting("even", "heuristic for new nodes")
    experience: float = setting(0.0, "M: simulations that the prior is worth (8.43)", low=0, high=1e6)
    amaf_experience: float = setting(
        0.0, "M̃: AMAF simulations that the prior is worth (8.45)", low=0, high=1e6
    )
    first_only: bool = setting(False, "AMAF only for the first of both players at a point")
    expand: int = setting(1, "visits at which a leaf gets children", low=0, high=1_000_000)
    threads: int = setting(1, "threads that share the tree", low=1, high=256)
    virtual_loss: int = setting(0, "losses counted while a simulation is under way", low=0, high=1000)
    memory: int = setting(400, "megabytes for the tree, and for that of an analysis", low=1, high=1_000_000)
    reuse: bool = setting(True, "keep the part of the tree that the game goes to")
    early_stop: str = setting(
        "timed",
        "stop when no other move can catch up; timed: where that saves time on a clock or of the seconds",
        choices=EARLY_STOPS,
    )
    ponder: bool = setting(False, "think on while the opponent does (in GTP and in the terminal; with reuse)")
    resign: float = setting(0.0, "resign when the best move wins less than this", low=0, high=1)
    resign_turns: int = setting(3, "on so many turns in a row before it resigns", low=1, high=1000)
    seed: int | None = setting(None, "random seed; none takes a new one each time", low=0)


# A little exploration: in small games AMAF values are often certain and wrong.
RaveSettings = retuned(TreeSettings, "RaveSettings", rave="mse", exploration=0.2, experience=5.0)


class TreePlayer(Player):
    """Searches a tree and plays the most visited move."""

    def __init__(self, name: str, settings: TreeSettings, policy: Any, prior: Prior) -> None:
        self.name, self.settings, self.clock = name, settings, Clock()
        self.policy, self._prior = policy, prior
        self._search: TreeSearch | None = None
        self._root: tuple[object, list[Move], int] | None = None  # its origin, moves and side to play
        self._stopped = threading.Event()
        self._pondering = Pondering()
        self._resignation = Resignation(settings.resign, settings.resign_turns)
        self._analyst: TreePlayer | None = None  # has a tree of its own: looking on changes no move

    def _selection(self, silent: int) -> Selection:
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
            silent=silent,
        )

    def _new_search(self, silent: int) -> TreeSearch:
        """A search; silent: the action without an AMAF value, as the game says."""
        s = self.settings
        nodes = min(s.memory * 1_000_000 // NODE.itemsize, 1_000_000_000)
        return TreeSearch(
            self._selection(silent), self.policy, self._prior, nodes=nodes, threads=s.threads, seed=s.seed
        )

    def new_game(self) -> None:
        self._pondering.end()
        self._root = None
        self._resignation.new_game()
        if self._analyst is not None:
            self._analyst.new_game()

    def close(self) -> None:
        self._pondering.end()
        if self._search is not None:
            self._search.close()
        if self._analyst is not None:
            self._analyst.close()

    def prepare(self, position: Position, until: float | None = None) -> TreeSearch:
        """The search with its root at the position; what it knows of it already is kept.

        until: the end of the search; a tree that takes long to take over is left behind.
        """
        if self._search is None:
            self._search = self._new_search(position.game.silent)
        search = self._search
        actions = position.candidates()
        since = self._moves_since(position) if self.settings.reuse else None
        if until is not None and search.used * MOVING > (until - time.monotonic()) / 2:
            since = None
        self._root = (position.origin, list(position.moves), position.to_play)
        root = position.simulation_root()
        if (
            since is None
            or not search.follow(root, since)
            or set(search.children()["action"].tolist()) != set(actions)
        ):
            search.start(root, actions)
        return search

    def _moves_since(self, position: Position) -> list[int] | None:
        """What has been played in turn since the last search; None if this is another game or line."""
        if self._root is None:
            return None
        origin, moves, turn = self._root
        if origin != position.origin or moves != position.moves[: len(moves)]:
            return None
        return position.line_from(len(moves), turn)

    def choose_action(self, position: Position) -> int:
        s = self.settings
        until = deadline(self.name, s.sims, s.seconds, self.clock, position)
        self._pondering.end()
        self._stopped.clear()
        ending = ending_of(position, self.policy, checks_until(until))
        if (action := ending.at_once()) is not None:
            return action
        search = self.prepare(position, until)
        stops_early = s.early_stop == "always" or (s.early_stop == "timed" and until is not None)
        visits = (lambda: search.children()["visits"]) if stops_early else None
        limit = Limit(s.sims, until, self._stopped, visits)
        onlooker = self.onlooker
        search.keep_leads(onlooker is not None)
        if onlooker is None:
            search.run(s.sims or UNBOUNDED, limit)
            return self._decide(position, search.children(), ending)
        look = self._looking(position, search, onlooker.ownership)

        def go_on(done: int) -> bool:
            onlooker.glance(look)
            return limit(done)

        search.run(s.sims or UNBOUNDED, go_on)
        action = self._decide(position, search.children(), ending)
        onlooker.tell(look().putting_first(action))
        return action

    def value(self, position: Position) -> float:
        s = self.settings
        until = deadline(self.name, s.sims, s.seconds, self.clock, position)
        self._pondering.end()
        self._stopped.clear()
        search = self.prepare(position, until)
        search.run(s.sims or UNBOUNDED, Limit(s.sims, until, self._stopped))
        children = search.children()
        best = _winrate(children[np.argmax(children["visits"])])
        return best if position.to_play == 1 else 1.0 - best

    def _decide(self, position: Position, children: np.ndarray, ending: Ending) -> int:
        """The most visited move, unless nothing is left to win or the end of the game asks for another."""
        order = np.argsort(-children["visits"].astype(np.int64), kind="stable")
        best = children[order[0]]
        telling = min(TELLING, (self.settings.sims or UNBOUNDED) // 10)
        if best["visits"] >= telling and self._resignation.is_due(position, _winrate(best)):
            return RESIGN
        visits = int(children["visits"].sum())
        value = None
        if visits >= telling:
            value = max(_winrate(best), float(children["wins"].sum()) / visits)
        ranked = [(int(children[k]["action"]), _winrate(children[k])) for k in order[:2]]
        return ending.decide(ranked, value)

    def stop(self) -> None:
        self._stopped.set()
        self._pondering.end()

    def ponder(self, position: Position) -> None:
        self._pondering.end()
        if not (self.settings.ponder and self.settings.reuse) or self._root is None:
            return

        def think(position: Position, go_on: GoOn) -> None:
            search = self.prepare(position)
            search.run(UNBOUNDED, lambda done: go_on(done) and not search.full)

        self._pondering.begin(position, think)

    def warm_up(self, position: Position) -> None:
        small = replace(self.settings, memory=1, sims=64, seconds=None)
        twin = type(self)(self.name, small, self.policy, self._prior)
        rng = new_rng(0)
        position = position.copy().settle(rng)
        for _ in range(2):  # the second takes the tree over
            if position.is_over:
                break
            search = twin.prepare(position)
            search.run(64)
            children = search.children()
            position.play(int(children["action"][np.argmax(children["visits"])])).settle(rng)
        ending_of(position, self.policy, QUICK).warm_up()
        twin.close()

    def analyse(self, position: Position) -> Iterator[Analysis]:
        self._pondering.end()
        if self._analyst is None:
            self._analyst = type(self)(self.name, self.settings, self.policy, self._prior)
        search = self._analyst.prepare(position)
        search.keep_leads(True)
        look = self._looking(position, search, ownership=True)
        while True:
            search.run(ROUND)
            yield look()

    def _looking(self, position: Position, search: TreeSearch, ownership: bool) -> Callable[[], Analysis]:
        """What tells, whenever it is asked, what a search has found so far."""
        outlook = None
        if ownership:
            policies, rng = Copies(self.policy).at(position.record)[0], new_rng(self.settings.seed)
            outlook = Outlook(position, policies, rng)

        def look() -> Analysis:
            return _found(position, search, None if outlook is None else outlook.look(32))

        return look


def _found(position: Position, search: TreeSearch, ownership: np.ndarray | None) -> Analysis:
    """What a search has found: its moves, the most visited first."""
    children = search.children()
    visits = children["visits"].astype(np.int64)
    rate = np.where(visits > 0, children["wins"] / np.maximum(1, visits), children["prior"])
    bound = lower_bound(rate, visits)
    amaf = children["amaf_wins"] / np.maximum(1, children["amaf_visits"])
    prior = children["prior"] / children["prior"].sum()
    leads = _leads(position, search, children.size)
    order = np.argsort(-visits, kind="stable")
    best = leads[order[0]]
    return Analysis(
        to_play=position.to_play,
        moves=tuple(
            MoveInfo(
                action,
                int(visits[k]),
                float(rate[k]),
                float(bound[k]),
                float(prior[k]),
                search.line(action),
                float(amaf[k]) if children["amaf_visits"][k] > 0 else None,
                None if np.isnan(leads[k]) else float(leads[k]),
            )
            for k in order
            for action in [int(children["action"][k])]
        ),
        ownership=ownership,
        score_lead=None if np.isnan(best) else float(best),
    )


def _leads(position: Position, search: TreeSearch, count: int) -> np.ndarray:
    """Each move's mean lead in points for the side to move; nan where it is not known."""
    leads = search.leads()
    if leads is None:
        return np.full(count, np.nan)
    return leads if position.to_play == 1 else -leads


def _winrate(child: np.void) -> float:
    """The share of a node's simulations that its move won."""
    return float(child["wins"]) / max(1, int(child["visits"]))
