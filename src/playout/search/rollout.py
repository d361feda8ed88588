"""Rollouts: every candidate action of a state simulated with a base policy for all players, and the best of
them an improvement of that policy, on-line (Tesauro & Galperin 1996): P′(x) = argmax_a V_P(x, a).

Trials are numbered, and each has random numbers of its own (`trials`). They are made in rounds, and a round
in pieces by whoever is there: this thread, threads, or the workers of a cluster. After a round, at numbers of
trials that are always the same, the values are added in order of trials, and candidates are dropped
(`pruning`). So the result is the same whoever makes the trials, to the last bit.
"""

from __future__ import annotations

import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Protocol

import numpy as np

from playout.errors import InputError
from playout.games import api
from playout.games.api import UNLIMITED
from playout.games.game import Game
from playout.games.registry import find_game
from playout.kernel import clone, is_implemented, new_rng
from playout.policy.api import Copies, has_estimate
from playout.search.chance import has_events
from playout.search.pruning import SURE, Dropped, Pruning, Race, Standing
from playout.search.trials import PLAN, make_trials
from playout.search.workers import apart
from playout.settings import setting

UNIT = 36  # trials; rounds are of whole units. Where first rolls are dealt, as many as there are parts
FEWEST = 2  # units before the first look
GROWTH = 8  # a round has a share of one in so many of the trials so far
MOST_STRATA = 216
SOME_STRATA = 32  # where no number of parts makes events happen exactly in proportion
SECONDS_A_PIECE = 0.05
TRIES = 3  # of a piece on workers that die
KEPT = 8  # rollouts under way in one process


@dataclass(frozen=True, kw_only=True)
class RolloutSettings(Pruning):
    """How candidates are rolled out."""

    trials: int | None = setting(
        1296, "trials of each candidate at most; none: only time ends a rollout", low=1, high=1_000_000_000
    )
    precision: float | None = setting(
        None,
        "end when the 95 % interval of the leader is no wider than ± this; none: only other things end it",
        low=0.000001,
        high=1000,
    )
    steps: int | None = setting(
        None,
        "decisions after which a trial is cut off and counts what the base policy expects; none: at the end",
        low=1,
        high=1_000_000_000,
    )
    dice: str = setting(
        "common",
        "whether candidates have the same dice and random numbers in each trial",
        choices=("common", "own"),
    )
    stratified: bool = setting(True, "deal the first rolls in proportion, where events have numbers")
    variance_reduction: bool = setting(
        False, "take off the luck of each roll, by what the base policy expects of all of them"
    )


# -- who makes trials -----------------------------------------------------------------------------------


class Helpers(Protocol):
    """Whoever makes trials elsewhere (`arena.pool` has threads and clusters)."""

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Let somebody do a piece of work."""

    def slots(self) -> int:
        """How many pieces it takes at once."""

    def is_lost(self, error: BaseException) -> bool:
        """Whether work failed only because whoever did it is gone."""


class Made(NamedTuple):
    """Trials that were made: see `make_trials`."""

    values: np.ndarray
    ends: np.ndarray
    strata: np.ndarray
    seconds: float


@dataclass(frozen=True, eq=False)
class Job:
    """All that trials depend on, for any process. root: the state, an array of one record."""

    game: Game
    root: np.ndarray
    base: Any
    plan: np.ndarray
    key: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __reduce__(self) -> tuple[Any, ...]:
        words = self.game.spec, self.root.tobytes(), self.base, self.plan.tobytes(), self.key
        return _job, words

    @cached_property
    def _copies(self) -> SimpleQueue[np.ndarray]:
        """Records of the base policy that nobody uses now: it may write in its record."""
        return SimpleQueue()

    def make(self, actions: np.ndarray, first: int, count: int) -> Made:
        """Trials from number `first` on."""
        try:
            policies = self._copies.get_nowait()
        except Empty:
            policies = apart(Copies(self.base).at(self.root)[0])
        works, rngs = apart(np.repeat(self.root, 2)), np.repeat(new_rng(0), 2)
        values, strata = np.empty((actions.size, count)), np.empty(count, np.int64)
        ends = np.zeros((actions.size, count, len(self.game.tallies)))
        began = time.thread_time()
        make_trials(self.root, works, policies, actions, self.plan, first, rngs, values, ends, strata)
        took = time.thread_time() - began
        self._copies.put(policies)
        return Made(values, ends, strata, took)


_jobs: OrderedDict[str, Job] = OrderedDict()  # that came from other processes


def _job(spec: str, root: bytes, base: Any, plan: bytes, key: str) -> Job:
    """A job that has come from another process: the same object for all its pieces."""
    if key not in _jobs:
        game = find_game(spec)
        state = np.frombuffer(root, game.state).copy()
        _jobs[key] = Job(game, state, base, np.frombuffer(plan, PLAN).copy(), key)
        while len(_jobs) > KEPT:
            _jobs.popitem(last=False)
    return _jobs[key]


def make_piece(job: Job, actions: np.ndarray, first: int, count: int) -> Made:
    """A piece of work."""
    return job.make(actions, first, count)


# -- a rollout ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Candidate:
    """What a rollout knows of an action, for the player to move.

    equity: the mean of its trials, in the game's units. chances: of each kind of end (`Facts.tallies`).
    dropped: when and why no more trials were made of it; there, the leader is an action.
    """

    action: int
    standing: Standing
    chances: tuple[float, ...]
    dropped: Dropped | None

    @property
    def equity(self) -> float:
        """The mean of its trials."""
        return self.standing.mean

    @property
    def trials(self) -> int:
        """How many trials it has."""
        return self.standing.trials


class Rollout:
    """Candidate actions of a state under trials.

    root: the state, an array of one record; base: settings of the base policy; seed: a word of 64 bits.

    >>> from playout.games.toy.dice_race import GAME
    >>> from playout.policy.random import Random
    >>> rollout = Rollout(GAME, GAME.started(), [0, 1], Random(), RolloutSettings(trials=500), seed=1)
    >>> rollout.run()
    >>> [candidate.trials for candidate in rollout.candidates()]
    [500, 500]
    """

    def __init__(
        self,
        game: Game,
        root: np.ndarray,
        actions: Sequence[int],
        base: Any,
        settings: RolloutSettings,
        seed: int,
        helpers: Helpers | None = None,
    ) -> None:
        if not len(actions):
            raise InputError("there is nothing to roll out: the game is over, or chance moves now")
        self.game, self.settings, self._helpers = game, settings, helpers
        self._actions = np.array(actions, np.uint32)
        strata = strata_of(game, root, self._actions) if settings.stratified else 1
        self._unit = strata if strata > 1 else UNIT
        check_base(game, root, base, settings)
        steps = UNLIMITED if settings.steps is None else settings.steps
        plan = np.array([(seed, steps, strata, settings.dice == "common", settings.variance_reduction)], PLAN)
        self._job = Job(game, root, base, plan)
        self._race = Race(len(actions), settings, strata)
        self._ends = np.zeros((len(actions), len(game.tallies)))
        self._player = int(api.to_play(root[0])) if is_implemented(api.to_play, root.dtype) else 1
        self._each = 0.0  # seconds of a trial of one candidate; 0: not known yet

    @property
    def trials(self) -> int:
        """Of every candidate that is left."""
        return self._race.trials

    @property
    def is_finished(self) -> bool:
        """Whether only one candidate is left, or the others have as many trials as they may or need."""
        most, precision = self.settings.trials, self.settings.precision
        if self._race.is_decided or (most is not None and self.trials >= most):
            return True
        if precision is None or self.trials < FEWEST * self._unit:
            return False
        error = self._race.standings()[self._race.leader].error
        return error is not None and SURE * error <= precision

    def run(
        self, go_on: Callable[[], bool] | None = None, progress: Callable[[], None] | None = None
    ) -> None:
        """Make trials until it is finished, or until `go_on`, asked again and again, says no.

        progress: called after each round.
        """
        while not self.is_finished and self.step(go_on):
            if progress is not None:
                progress()

    def step(self, go_on: Callable[[], bool] | None = None) -> bool:
        """One round, and a look at it; False if it was broken off: then it has what was made so far."""
        count = self._round()
        made = list(self._make(count, go_on))
        if not made:
            return False
        values = np.concatenate([piece.values for piece in made], axis=1)
        ends = np.concatenate([piece.ends for piece in made], axis=1)
        facts = self.game.facts
        mine = values if self._player == 1 else facts.low + facts.high - values
        self._ends[self._race.active] += ends.sum(axis=1)
        self._race.add(mine, np.concatenate([piece.strata for piece in made]))
        self._race.prune()
        return values.shape[1] == count

    def _round(self) -> int:
        """How many trials the next round has."""
        done, unit = self.trials, self._unit
        count = max(FEWEST * unit, done // GROWTH // unit * unit)
        most = self.settings.trials
        return count if most is None or done >= most else min(count, most - done)

    def _make(self, count: int, go_on: Callable[[], bool] | None) -> Iterator[Made]:
        """The pieces of a round, in order of their trials, as far as they were made."""
        actions, first = self._actions[self._race.active], self.trials
        if self._helpers is not None:
            yield from self._share(self._helpers, actions, first, count, go_on)
            return
        done = 0
        while done < count and (done == self.trials == 0 or go_on is None or go_on()):
            piece = self._job.make(actions, first + done, min(count - done, self._piece(actions.size)))
            self._learn_speed(piece)
            done += piece.strata.size
            yield piece

    def _piece(self, candidates: int) -> int:
        """How many trials of so many candidates are soon enough over to be stopped."""
        return max(1, int(SECONDS_A_PIECE / (candidates * self._each))) if self._each else 1

    def _learn_speed(self, piece: Made) -> None:
        now = piece.seconds / piece.values.size
        self._each = now if not self._each else min(now, 2 * self._each)

    def _share(
        self,
        helpers: Helpers,
        actions: np.ndarray,
        first: int,
        count: int,
        go_on: Callable[[], bool] | None,
    ) -> Iterator[Made]:
        """The same by others. What was not begun when it was stopped is left."""
        slots = max(1, helpers.slots())
        length = min(self._piece(actions.size), -(-count // (2 * slots)))
        work = [
            (actions, start, min(length, first + count - start))
            for start in range(first, first + count, length)
        ]
        pieces = [helpers.submit(make_piece, self._job, *what) for what in work]
        tries = 1
        try:
            for number, what in enumerate(work):
                while True:
                    while go_on is not None and not pieces[number].done():
                        wait([pieces[number]], timeout=SECONDS_A_PIECE)
                        if not go_on():
                            for piece in pieces[
                                max(number, int(first == 0)) :
                            ]:  # there is something to choose by
                                piece.cancel()
                            go_on = None
                    if pieces[number].cancelled():
                        return
                    try:
                        piece = pieces[number].result()
                        break
                    except Exception as error:
                        if not helpers.is_lost(error) or tries >= TRIES:
                            raise
                        tries += 1
                        pieces[number] = helpers.submit(make_piece, self._job, *what)
                self._learn_speed(piece)
                yield piece
        finally:
            for piece in pieces:
                piece.cancel()

    def candidates(self) -> list[Candidate]:
        """What is known of every action: those that are left first, the best first."""
        standings, dropped = self._race.standings(), self._race.dropped
        found = []
        for k, standing in enumerate(standings):
            left = dropped.get(k)
            if left is not None:
                left = Dropped(left.trials, left.reason, int(self._actions[left.leader]))
            ends = self._ends[k] / max(1, standing.trials)
            chances = ends if self._player == 1 else seen_by_other(self.game.tallies, ends)
            found.append(Candidate(int(self._actions[k]), standing, tuple(map(float, chances)), left))
        return sorted(found, key=lambda each: (each.dropped is not None, -each.equity))

    @property
    def best(self) -> int:
        """The action with the greatest mean of those that are left."""
        return int(self._actions[self._race.leader])


def check_base(game: Game, root: np.ndarray, base: Any, settings: RolloutSettings) -> None:
    """Refuse settings that need what the base policy or the game has not."""
    for key, wanted in (
        ("steps", settings.steps is not None),
        ("variance_reduction", settings.variance_reduction),
    ):
        if wanted and not has_estimate(Copies(base).at(root)[0][0]):
            raise InputError(
                f"{key}: the base policy {type(base).__name__} has no estimate of a state: "
                "its trials go to the end"
            )
    if settings.variance_reduction and not has_events(root[0]):
        raise InputError(f"variance_reduction: what chance does has no numbers in {game.name}")


def strata_of(game: Game, root: np.ndarray, actions: np.ndarray) -> int:
    """Into how many parts first rolls are dealt; 1: there is no chance, or it has no numbers.

    >>> from playout.games.toy.dice_race import GAME
    >>> strata_of(GAME, GAME.started(), np.array([1]))
    6
    """
    if not has_events(root[0]):
        return 1
    for action in actions:
        after = clone(root)
        api.play(after[0], action)
        if not api.is_over(after[0]) and api.is_chance(after[0]):
            probabilities = np.zeros(game.events)
            count = int(api.chances(after[0], probabilities))
            for parts in range(2, MOST_STRATA + 1):
                shares = parts * probabilities[:count]
                if np.allclose(shares, np.round(shares), rtol=0, atol=1e-9):
                    return parts
            break
    return SOME_STRATA


def seen_by_other(names: Sequence[str], chances: np.ndarray) -> np.ndarray:
    """The chances of ends, named from player 1's side, as player 2 has them: who wins is who does not lose.

    >>> seen_by_other(("win", "win gammon", "lose gammon"), np.array([0.75, 0.25, 0.125]))
    array([0.25 , 0.125, 0.25 ])
    """
    turned = {"win": "lose", "lose": "win"}
    found = np.array(chances, float)
    for k, name in enumerate(names):
        how, _, what = name.partition(" ")
        other = f"{turned.get(how, how)} {what}".strip()
        if other in names:
            found[k] = chances[list(names).index(other)]
        elif how in turned:
            found[k] = 1 - chances[k]
    return found
