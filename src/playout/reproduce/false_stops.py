"""How often does a rollout drop the best candidate? Simulated decisions, whose true means are known.

A decision has candidates whose trials end in −3, −2, −1, 1, 2 or 3 points, as games of backgammon do, with
chances that are known. Trials of one number share their dice: the outcome of each candidate is where a normal
number of its own, mixed with one that all share, falls among its chances (a Gaussian copula). Two rules look
at the same trials again and again:

- ours (`search.pruning`), which promises a rate;
- GNU Backgammon's: a candidate is out when the leader is better by a number of joint standard deviations,
  √(s₁² + s₂²), as if the candidates had no dice in common and nobody had looked before.

A *false stop* drops the truly best candidate (by more than the margin: ours may drop what is within it).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from playout.arena.match import wilson
from playout.search.pruning import Pruning, Race
from playout.search.rollout import FEWEST, GROWTH, UNIT
from playout.settings import setting

POINTS = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
JSD = 2.5  # joint standard deviations, of GNU Backgammon's rule
JSD_FIRST = 144  # trials before its first look


@dataclass(frozen=True, kw_only=True)
class FalseStops:
    """The decisions that are simulated."""

    decisions: int = setting(2000, "simulated decisions", low=1, high=10_000_000)
    fewest: int = setting(2, "candidates of a decision at least", low=2, high=1000)
    most: int = setting(20, "candidates of a decision at most", low=2, high=1000)
    gap: float = setting(0.02, "mean gap of two neighbours, in points", low=0, high=1)
    shared: float = setting(0.8, "share of luck that candidates have in common, at most", low=0, high=1)
    rarest: float = setting(0.35, "chance to win of the best candidate at least", low=0.01, high=0.99)
    surest: float = setting(0.75, "chance to win of the best candidate at most", low=0.01, high=0.99)
    trials: int = setting(5000, "trials of a candidate at most", low=UNIT, high=1_000_000)
    confidence: float = setting(0.95, "what our rule promises", low=0.5, high=0.999999)
    margin: float = setting(0.0, "candidates within it are equivalent", low=0, high=1)
    seed: int = setting(1, "makes it repeatable", low=0)


# What is published: decisions as they are, and the hardest of each kind.
KINDS: dict[str, dict[str, Any]] = {
    "2–20 candidates, common dice": {},
    "2–20 candidates, own dice": {"shared": 0.0},
    "2–20 close ones, own dice": {"shared": 0.0, "gap": 0.002},
    "2 close ones, own dice": {"shared": 0.0, "gap": 0.002, "most": 2},
    "2 close ones, nearly won": {"gap": 0.01, "most": 2, "rarest": 0.95, "surest": 0.98},
    "2–20 candidates, margin 0.01": {"margin": 0.01},
}


@dataclass(frozen=True)
class Rate:
    """What a rule has done. trials: for a decision, of all its candidates together."""

    rule: str
    decisions: int
    false_stops: int
    decided: int
    trials: float

    @property
    def rate(self) -> float:
        """False stops in a decision."""
        return self.false_stops / self.decisions

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval."""
        return wilson(self.false_stops, self.decisions)

    def facts(self) -> dict[str, Any]:
        """The same for machines."""
        return {**asdict(self), "rate": self.rate, "interval": list(self.interval)}


def chances_of(settings: FalseStops, rng: np.random.Generator) -> np.ndarray:
    """The chances of the POINTS of each candidate of a decision, the best first.

    A candidate that is worse by a gap wins less often, and as many of its wins are gammons.
    """
    count = int(rng.integers(settings.fewest, settings.most + 1))
    behind = np.append(0.0, np.cumsum(rng.exponential(settings.gap, count - 1)))
    wins = rng.uniform(settings.rarest, settings.surest)
    gammons, backgammons = rng.uniform(0.1, 0.4, 2), rng.uniform(0.0, 0.1)
    kinds = np.stack([1 - gammons, gammons * (1 - backgammons), gammons * backgammons], axis=1)
    worth = kinds @ [1.0, 2.0, 3.0]  # of a lost game, and of a won one
    shares = np.clip(wins - behind / worth.sum(), 0.01, 0.99)[:, None]
    return np.hstack([(1 - shares) * kinds[0, ::-1], shares * kinds[1]])


class Dice:
    """Trials of candidates, who share a part of their luck."""

    def __init__(self, chances: np.ndarray, shared: float, rng: np.random.Generator) -> None:
        from statistics import NormalDist

        quantile = np.vectorize(NormalDist().inv_cdf)
        self._edges = quantile(np.clip(np.cumsum(chances, axis=1)[:, :-1], 1e-12, 1 - 1e-12))
        self._shared, self._rng = shared, rng

    def roll(self, count: int) -> np.ndarray:
        """So many trials more: a row for each candidate."""
        own = self._rng.standard_normal((len(self._edges), count), np.float32)
        luck = (
            sqrt(self._shared) * self._rng.standard_normal(count, np.float32) + sqrt(1 - self._shared) * own
        )
        return np.stack(
            [POINTS[np.searchsorted(edges, row)] for edges, row in zip(self._edges, luck, strict=True)]
        )


class JointDeviations:
    """GNU Backgammon's rule, for as many trials of all candidates as there are."""

    def __init__(self, candidates: int) -> None:
        self.trials, self.made = 0, 0  # of each candidate; of those that were not out
        self.active = np.arange(candidates)
        self._sums, self._squares = np.zeros(candidates), np.zeros(candidates)

    def add(self, values: np.ndarray) -> None:
        """More trials; values: of all candidates."""
        self.trials += values.shape[1]
        self.made += values.shape[1] * self.active.size
        self._sums += values.sum(axis=1)
        self._squares += (values * values).sum(axis=1)
        if self.trials < JSD_FIRST:
            return
        means = self._sums / self.trials
        errors = (self._squares / self.trials - means**2) / (self.trials - 1)  # s² of each mean
        leader = self.active[means[self.active].argmax()]
        out = means[leader] - means > JSD * np.sqrt(errors[leader] + errors)
        self.active = self.active[~out[self.active]]


def measure(settings: FalseStops, progress: Callable[[], None] | None = None) -> tuple[Rate, Rate]:
    """Both rules over all decisions: ours, and GNU Backgammon's.

    >>> ours, theirs = measure(FalseStops(decisions=10, trials=500))
    >>> ours.decisions, theirs.rule
    (10, 'GNU Backgammon')
    """
    ours, theirs = Rate("playout", 0, 0, 0, 0.0), Rate("GNU Backgammon", 0, 0, 0, 0.0)
    sequence = np.random.SeedSequence(settings.seed)
    for seed in sequence.spawn(settings.decisions):
        mine, others = _decide(settings, np.random.default_rng(seed))
        ours, theirs = _added(ours, *mine), _added(theirs, *others)
        if progress is not None:
            progress()
    return ours, theirs


def _added(rate: Rate, false: bool, decided: bool, trials: int) -> Rate:
    n = rate.decisions + 1
    return replace(
        rate,
        decisions=n,
        false_stops=rate.false_stops + false,
        decided=rate.decided + decided,
        trials=rate.trials + (trials - rate.trials) / n,
    )


def _decide(settings: FalseStops, rng: np.random.Generator) -> tuple[tuple[bool, bool, int], ...]:
    """One decision by both rules: whether that was a false stop, whether one was left, and the trials."""
    chances = chances_of(settings, rng)
    means = chances @ POINTS
    dice = Dice(chances, rng.uniform(0, settings.shared), rng)
    count = len(chances)
    ours = Race(count, Pruning(confidence=settings.confidence, margin=settings.margin))
    theirs, made = JointDeviations(count), 0
    look = 0  # the next of ours, as a rollout has them
    pending: list[np.ndarray] = []
    while made < settings.trials and (ours.active.size > 1 or theirs.active.size > 1):
        values = dice.roll(min(UNIT, settings.trials - made))
        made += values.shape[1]
        if theirs.active.size > 1:
            theirs.add(values)
        pending.append(values)
        if made >= look + max(FEWEST * UNIT, look // GROWTH // UNIT * UNIT) or made == settings.trials:
            look = made
            if ours.active.size > 1:
                ours.add(np.concatenate(pending, axis=1)[ours.active])
                ours.prune()
            pending = []
    mine = ours.trials * ours.active.size + sum(each.trials for each in ours.dropped.values())
    lost = means[0] - means[ours.leader]
    return (
        (0 in ours.dropped and bool(lost > settings.margin), ours.active.size == 1, mine),
        (0 not in theirs.active, theirs.active.size == 1, theirs.made),
    )
