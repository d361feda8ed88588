"""The first players: a policy played directly, and simple Monte-Carlo search over it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.games.api import counts_points, is_over, outcome, play, tally
from playout.games.position import Position
from playout.kernel import below, kernel, new_rng, spawn
from playout.player.api import RESIGN, VALUED, Analysis, MoveInfo, Player
from playout.player.clock import Clock
from playout.player.ending import ending_of
from playout.player.timing import UNBOUNDED, deadline
from playout.policy.api import Copies, begin, estimate, has_estimate, sample
from playout.search.flat import NO_LEADS, rollouts
from playout.search.rollout import seen_by_other
from playout.search.simulation import evaluate
from playout.settings import setting

ROUND = 10  # simulations a move between two looks at the clock
SEEN = 100  # simulations that tell an onlooker who owns the board


@kernel
def _ask(roots, policies, rng):
    """One move from a policy."""
    begin(policies[0], roots[0])
    return sample(policies[0], roots[0], rng[0])


@kernel
def _expect(roots, work, policies, actions, values, chances):
    """What a policy expects after each action: the outcome for player 1, and the chances of kinds of ends."""
    for k in range(actions.size):
        work[0] = roots[0]
        play(work[0], actions[k])
        if is_over(work[0]):
            values[k] = outcome(work[0])
            tally(work[0], chances[k])
        else:
            values[k] = estimate(policies[0], work[0], chances[k])


@dataclass(frozen=True, kw_only=True)
class PolicySettings:
    """Settings of a policy that is played directly."""

    seed: int | None = setting(None, "random seed; none takes a new one each time", low=0)


@dataclass(frozen=True, kw_only=True)
class AnyPolicySettings(PolicySettings):
    """Settings of any policy that is played directly."""

    policy: str = setting("random", "simulation policy")


class PolicyPlayer(Player):
    """Plays what a simulation policy suggests."""

    def __init__(self, name: str, settings: PolicySettings, policy: Any) -> None:
        self.name, self.settings, self.clock = name, settings, Clock()
        self.policy, self._policies = policy, Copies(policy)
        self._rng = new_rng(settings.seed)

    def choose_action(self, position: Position) -> int:
        action = self._choice(position)
        if self.onlooker is not None:
            self.onlooker.tell(next(self.analyse(position)).putting_first(action))
        return action

    def _choice(self, position: Position) -> int:
        policies = self._policies.at(position.record)[0]
        for _ in range(10):
            action = int(_ask(position.simulation_root(), policies, self._rng))
            if position.is_legal(action):
                return action
        # The policy does not know all rules of the position and likes a forbidden move.
        silent = position.game.silent
        moves = [move for move in position.candidates() if move != silent] or [silent]
        return moves[below(self._rng[0], len(moves))]

    def warm_up(self, position: Position) -> None:
        _ask(position.simulation_root(), self._policies.at(position.record)[0], new_rng(0))

    def analyse(self, position: Position) -> Iterator[Analysis]:
        policies = self._policies.at(position.record)[0]
        if has_estimate(policies[0]):
            return iter([_expected(position, policies)])
        return _analyse(position, policies, new_rng(self.settings.seed))

    def value(self, position: Position) -> float:
        """Player 1's share when the policy plays on from here for both sides."""
        policies = self._policies.at(position.record)[0]
        if position.game.ownership is not None:
            return position.game.ownership(position, policies, VALUED, self._rng).winrate
        work = np.empty(1, position.record.dtype)
        total, _ = evaluate(position.simulation_root(), work, policies, VALUED, self._rng)
        return _share(position, total / VALUED)


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
    policy: str = setting("random", "simulation policy")
    threads: int = setting(1, "threads that share the simulations", low=1, high=256)
    resign: float = setting(0.0, "resign when no move wins more than this share", low=0, high=1)
    seed: int | None = setting(None, "random seed; none takes a new one each time", low=0)


class FlatPlayer(Player):
    """Tries every legal move with the same number of simulations and plays the one with most wins."""

    def __init__(self, name: str, settings: FlatSettings, policy: Any) -> None:
        self.name, self.settings, self.clock = name, settings, Clock()
        self.policy, self._policies = policy, Copies(policy, settings.threads)
        self._rngs = spawn(settings.seed, settings.threads)
        self.moves_made = 0  # in all simulations so far
        self._stopped = threading.Event()

    def values(self, position: Position) -> tuple[list[int], np.ndarray]:
        """The candidate moves and each one's mean outcome for the side to move, as a share."""
        tried = self._try(position)
        return tried.moves, tried.values()

    def _try(self, position: Position) -> _Tried:
        """Simulations for every candidate move."""
        s = self.settings
        until = deadline(self.name, s.sims, s.seconds, self.clock, position)
        self._stopped.clear()
        moves = position.candidates()
        if not moves:
            raise InputError("there is no move to choose: the game is over, or chance moves now")
        root = position.simulation_root()
        tried = _Tried(position, moves, leads=self.onlooker is not None)
        most, each = s.sims or UNBOUNDED, ROUND if until is None else 1
        while tried.each == 0 or (
            tried.each < most and not self._stopped.is_set() and (until is None or time.monotonic() < until)
        ):
            self._round(root, tried, min(each, most - tried.each))
            if self.onlooker is not None:
                self.onlooker.glance(lambda: self._look(tried))
        return tried

    def _look(self, tried: _Tried) -> Analysis:
        """What an onlooker is told."""
        owners = None
        if self.onlooker is not None and self.onlooker.ownership:
            policies = self._policies.at(tried.position.record)[0]
            owners = Outlook(tried.position, policies, new_rng(self.settings.seed)).look(SEEN)
        return tried.analysis(owners)

    def _round(self, root: np.ndarray, tried: _Tried, count: int) -> None:
        """Simulations for every move, the moves dealt to the threads."""
        parts = self.settings.threads
        policies = self._policies.at(root)

        def work(part: int) -> int:
            mine = np.ascontiguousarray(tried.actions[part::parts])
            sums, leads = np.zeros(mine.size), np.zeros(tried.leads[part::parts].size)
            state = np.empty(1, root.dtype)
            made = rollouts(root, state, policies[part], mine, count, self._rngs[part], sums, leads)
            tried.totals[part::parts] += sums
            tried.leads[part::parts] += leads
            return int(made)

        tried.each += count
        if parts == 1:
            self.moves_made += work(0)
            return
        with ThreadPoolExecutor(parts) as pool:
            self.moves_made += sum(pool.map(work, range(parts)))

    def choose_action(self, position: Position) -> int:
        tried = self._try(position)
        action = self._choice(position, tried)
        if self.onlooker is not None:
            self.onlooker.tell(self._look(tried).putting_first(action))
        return action

    def _choice(self, position: Position, tried: _Tried) -> int:
        values = tried.values()
        best = float(values.max())
        if best <= self.settings.resign and self.settings.resign > 0:
            return RESIGN
        tied = [p for p, value in zip(tried.moves, values, strict=True) if value == best]
        if (action := ending_of(position).pick(tied)) is not None:
            return action
        tied = [p for p in tied if p != position.game.silent] or tied
        return tied[below(self._rngs[0][0], len(tied))]

    def value(self, position: Position) -> float:
        best = float(self.values(position)[1].max())
        return best if position.to_play == 1 else 1.0 - best

    def stop(self) -> None:
        self._stopped.set()

    def warm_up(self, position: Position) -> None:
        self._round(position.simulation_root(), _Tried(position, position.candidates()[-1:], leads=False), 0)

    def analyse(self, position: Position) -> Iterator[Analysis]:
        return _analyse(position, self._policies.at(position.record)[0], new_rng(self.settings.seed))

    def _effort(self, analysis: Analysis) -> int:
        return analysis.moves[0].visits  # every move has as many


def _share(position: Position, values: Any) -> Any:
    """Player 1's values as shares of what lies between the game's lowest and highest."""
    facts = position.game.facts
    return (values - facts.low) / (facts.high - facts.low)


def lower_bound(rate: np.ndarray, visits: int | np.ndarray) -> np.ndarray:
    """The lower end of a winning rate's 95 % interval, honest at no and at all wins (Agresti–Coull)."""
    center = np.clip((rate * visits + 2) / (visits + 4), 0.0, 1.0)  # a return may lie beyond its bounds
    return np.clip(center - 1.96 * np.sqrt(center * (1 - center) / (visits + 4)), 0.0, 1.0)


class Outlook:
    """Who owns the board in the ends of simulations, where a game has such a thing: the more, the surer."""

    def __init__(self, position: Position, policies: np.ndarray, rng: np.ndarray) -> None:
        self._position, self._policies, self._rng = position, policies, rng
        self._owners: Any = 0.0
        self._rounds = 0

    def look(self, simulations: int) -> np.ndarray | None:
        """What an `Analysis` says of it, after so many simulations more."""
        if self._position.game.ownership is None:
            return None
        ends = self._position.game.ownership(self._position, self._policies, simulations, self._rng)
        self._owners = self._owners + ends.owners
        self._rounds += 1
        return self._owners / self._rounds


class _Tried:
    """What simulations of every candidate move have come to.

    each: simulations of each move so far. leads: whether to keep how many points they end with, too.
    """

    def __init__(self, position: Position, moves: list[int], *, leads: bool) -> None:
        self.position, self.moves = position, moves
        self.actions = np.array(moves, np.uint16)
        self.totals = np.zeros(len(moves))
        counted = leads and counts_points(position.record[0])
        self.leads = np.zeros(len(moves)) if counted else NO_LEADS
        self.each = 0

    def values(self) -> np.ndarray:
        """Each move's mean outcome for the side to move, as a share."""
        means = _share(self.position, self.totals / self.each)
        return means if self.position.to_play == 1 else 1.0 - means

    def analysis(self, owners: np.ndarray | None) -> Analysis:
        """The moves, best first."""
        values = self.values()
        lcb = lower_bound(values, self.each)
        sign = 1 if self.position.to_play == 1 else -1
        leads: list[float | None] = [None] * len(self.moves)
        if self.leads.size:
            leads = [sign * float(total) / self.each for total in self.leads]
        order = np.argsort(-values, kind="stable")
        prior = 1 / len(self.moves)
        return Analysis(
            to_play=self.position.to_play,
            moves=tuple(
                MoveInfo(p, self.each, float(values[k]), float(lcb[k]), prior, (p,), None, leads[k])
                for k in order
                for p in [self.moves[k]]
            ),
            ownership=owners,
            score_lead=leads[order[0]],
        )


def _expected(position: Position, policies: np.ndarray) -> Analysis:
    """What a policy expects of every move, the best first; no simulation is needed for it."""
    moves, root, kinds = position.candidates(), position.simulation_root(), position.game.facts.tallies
    values, chances = np.zeros(len(moves)), np.zeros((len(moves), len(kinds)))
    actions = np.array(moves, np.uint16)
    _expect(root, np.empty(1, root.dtype), policies, actions, values, chances)
    shares = np.clip(_share(position, values), 0.0, 1.0)
    if position.to_play == 2:
        shares, chances = 1.0 - shares, np.array([seen_by_other(kinds, each) for each in chances])
    order = np.argsort(-shares, kind="stable")
    return Analysis(
        position.to_play,
        tuple(
            MoveInfo(
                moves[k],
                1,
                float(shares[k]),
                float(shares[k]),
                1 / len(moves),
                (moves[k],),
                chances=tuple(map(float, chances[k])),
            )
            for k in order
        ),
    )


def _analyse(position: Position, policies: np.ndarray, rng: np.ndarray) -> Iterator[Analysis]:
    """Simple Monte-Carlo search without end: ever more simulations for every move."""
    tried = _Tried(position, position.candidates(), leads=True)
    root = position.simulation_root()
    work = np.empty(1, root.dtype)
    outlook = Outlook(position, policies, rng)
    while True:
        rollouts(root, work, policies, tried.actions, ROUND, rng, tried.totals, tried.leads)
        tried.each += ROUND
        yield tried.analysis(outlook.look(ROUND * 2))
