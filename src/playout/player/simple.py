"""The first players: a policy played directly, and simple Monte-Carlo search over it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.games.go.board import Board
from playout.games.go.ownership import ownership
from playout.games.go.policy import POLICY_WORDS
from playout.games.go.rules import fills_eye
from playout.games.go.state import BLACK, PASS, STATE
from playout.kernel import below, kernel, new_rng, spawn
from playout.player.api import RESIGN, VALUED, Analysis, MoveInfo, Player
from playout.player.clock import Clock
from playout.player.timing import UNBOUNDED, deadline
from playout.policy.api import Copies, begin, sample
from playout.search.flat import rollouts
from playout.settings import setting

ROUND = 10  # simulations a move between two looks at the clock


@kernel
def _ask(roots, policies, rng):
    """One move from a policy."""
    begin(policies[0], roots[0])
    return sample(policies[0], roots[0], rng[0])


def candidates(board: Board) -> list[int]:
    """The legal moves that fill no eye of one's own, and PASS."""
    record = board.record[0]
    return [p for p in board.legal_moves() if p == PASS or not fills_eye(record, p)]


@dataclass(frozen=True, kw_only=True)
class PolicySettings:
    """Settings of a policy that is played directly."""

    seed: int | None = setting(None, "random seed; none takes a new one each time", low=0)


@dataclass(frozen=True, kw_only=True)
class AnyPolicySettings(PolicySettings):
    """Settings of any policy that is played directly."""

    policy: str = setting("uniform", "simulation policy, or a file of softmax weights", choices=POLICY_WORDS)


class PolicyPlayer(Player):
    """Plays what a simulation policy suggests."""

    def __init__(self, name: str, settings: PolicySettings, policy: Any) -> None:
        self.name, self.settings, self.clock = name, settings, Clock()
        self._policies = Copies(policy)
        self._rng = new_rng(settings.seed)

    def choose(self, board: Board) -> int:
        policies = self._policies.at(board.record)[0]
        for _ in range(10):
            p = int(_ask(board.simulation_root(), policies, self._rng))
            if board.is_legal(p):
                return p
        # The policy does not know superko and likes a forbidden move.
        moves = candidates(board)[:-1] or [PASS]
        return moves[below(self._rng[0], len(moves))]

    def warm_up(self, size: int = 9) -> None:
        board = Board(size)
        _ask(board.simulation_root(), self._policies.at(board.record)[0], new_rng(0))

    def analyse(self, board: Board) -> Iterator[Analysis]:
        return _analyse(board, self._policies.at(board.record)[0], self._rng)

    def value(self, board: Board) -> float:
        """Black's share of the wins when the policy plays on from here for both sides."""
        return ownership(board, self._policies.at(board.record)[0], VALUED, self._rng).winrate


@dataclass(frozen=True, kw_only=True)
class FlatSettings:
    """Settings of simple Monte-Carlo search."""

    sims: int | None = setting(
        100,
        "simulations for every legal move at most; none, as with seconds: only time ends a search",
        low=1,
        high=10_000_000,
    )
    seconds: float | None = setting(
        None, "seconds a move at most; a clock may allow less", low=0.001, high=1_000_000
    )
    policy: str = setting("uniform", "simulation policy, or a file of softmax weights", choices=POLICY_WORDS)
    threads: int = setting(1, "threads that share the simulations", low=1, high=256)
    resign: float = setting(0.0, "resign when no move wins more than this share", low=0, high=1)
    seed: int | None = setting(None, "random seed; none takes a new one each time", low=0)


class FlatPlayer(Player):
    """Tries every legal move with the same number of simulations and plays the one with most wins."""

    def __init__(self, name: str, settings: FlatSettings, policy: Any) -> None:
        self.name, self.settings, self.clock = name, settings, Clock()
        self._policies = Copies(policy, settings.threads)
        self._rngs = spawn(settings.seed, settings.threads)
        self.moves_made = 0  # in all simulations so far
        self._stopped = threading.Event()

    def values(self, board: Board) -> tuple[list[int], np.ndarray]:
        """The candidate moves and each one's mean outcome for the side to move."""
        s = self.settings
        until = deadline(self.name, s.sims, s.seconds, self.clock, board)
        self._stopped.clear()
        moves = candidates(board)
        root = board.simulation_root()
        totals = np.zeros(len(moves))
        most, each = s.sims or UNBOUNDED, ROUND if until is None else 1
        done = 0
        while done == 0 or (
            done < most and not self._stopped.is_set() and (until is None or time.monotonic() < until)
        ):
            count = min(each, most - done)
            self._round(root, np.array(moves, np.uint16), count, totals)
            done += count
        means = totals / done
        return moves, means if board.to_play == BLACK else 1.0 - means

    def _round(self, root: np.ndarray, moves: np.ndarray, count: int, totals: np.ndarray) -> None:
        """Simulations for every move, the moves dealt to the threads."""
        parts = self.settings.threads
        policies = self._policies.at(root)

        def work(part: int) -> int:
            mine = np.ascontiguousarray(moves[part::parts])
            sums = np.zeros(mine.size)
            made = rollouts(root, np.empty(1, STATE), policies[part], mine, count, self._rngs[part], sums)
            totals[part::parts] += sums
            return int(made)

        if parts == 1:
            self.moves_made += work(0)
            return
        with ThreadPoolExecutor(parts) as pool:
            self.moves_made += sum(pool.map(work, range(parts)))

    def choose(self, board: Board) -> int:
        moves, values = self.values(board)
        best = float(values.max())
        if best <= self.settings.resign and self.settings.resign > 0:
            return RESIGN
        tied = [p for p, value in zip(moves, values, strict=True) if value == best]
        lead = board.score() if board.to_play == BLACK else -board.score()
        if PASS in tied and (lead > 0 or len(tied) == 1):
            return PASS
        tied = [p for p in tied if p != PASS]
        return tied[below(self._rngs[0][0], len(tied))]

    def value(self, board: Board) -> float:
        best = float(self.values(board)[1].max())
        return best if board.to_play == BLACK else 1.0 - best

    def stop(self) -> None:
        self._stopped.set()

    def warm_up(self, size: int = 9) -> None:
        board = Board(size)
        candidates(board)
        self._round(board.simulation_root(), np.array([PASS], np.uint16), 0, np.zeros(1))

    def analyse(self, board: Board) -> Iterator[Analysis]:
        return _analyse(board, self._policies.at(board.record)[0], self._rngs[0])


def lower_bound(rate: np.ndarray, visits: int | np.ndarray) -> np.ndarray:
    """The lower end of a winning rate's 95 % interval, honest at no and at all wins (Agresti–Coull)."""
    center = (rate * visits + 2) / (visits + 4)
    return np.clip(center - 1.96 * np.sqrt(center * (1 - center) / (visits + 4)), 0.0, 1.0)


def _analyse(board: Board, policies: np.ndarray, rng: np.ndarray) -> Iterator[Analysis]:
    """Simple Monte-Carlo search without end: ever more simulations for every move."""
    moves = candidates(board)
    root = board.simulation_root()
    work = np.empty(1, STATE)
    totals = np.zeros(len(moves))
    points = np.array(moves, np.uint16)
    owners = np.zeros((board.size, board.size))
    lead = 0.0
    rounds = 0
    while True:
        rollouts(root, work, policies, points, ROUND, rng, totals)
        ends = ownership(board, policies, ROUND * 2, rng)
        owners += ends.owners
        lead += ends.lead
        rounds += 1
        visits = rounds * ROUND
        black = totals / visits
        mine = black if board.to_play == BLACK else 1.0 - black
        lcb = lower_bound(mine, visits)
        order = np.argsort(-mine, kind="stable")
        yield Analysis(
            to_play=board.to_play,
            moves=tuple(
                MoveInfo(moves[k], visits, float(mine[k]), float(lcb[k]), 1 / len(moves), (moves[k],))
                for k in order
            ),
            ownership=owners / rounds,
            score_lead=lead / rounds * (1 if board.to_play == BLACK else -1),
        )
