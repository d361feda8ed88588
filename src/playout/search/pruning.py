"""Which candidate is best, told while trials come in (Tesauro & Galperin 1996, section 1.1).

Trial t gives every candidate k a value X_k(t); all candidates of one trial may share their dice. A candidate
is compared with the leader by the differences D(t) = X_k(t) − X_leader(t): what both owe to the same dice
goes out.

**A bound that stays valid however often one looks.** Let S(t) be the sum of t differences less their mean,
and V = σ²t its variance. For each λ, exp(λS − λ²V/2) is a martingale, about, and so is its mean over half a
normal distribution of λ with variance 1/(σ²m) (Robbins 1970):

    M = 2 √(m/(t + m)) Φ(x) exp(x²/2),   x = S / (σ √(t + m)),   where  2 Φ(x) exp(x²/2) ≥ 2 exp(x²/2) − 1.

M is 1 in the mean and reaches 1/δ at *any* time with a probability of δ at most (Ville 1939). So, whenever
one looks, the true mean difference is below

    mean + σ √(2 (t + m) log(½ + √((t + m)/m) / (2δ))) / t    (bound)

σ is estimated, as in the asymptotic confidence sequences of Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas
(2021). While there are few trials, rare values may still be missing from it; so Bernstein's term for the
range R of the values seen is added: R log(1/δ) / (3t).

**Whom it drops.** Let U be the bound of a candidate's mean less the leader's. *Worse*: U < 0. *Equivalent*:
the candidate is better by no more than the margin: U ≤ margin. One that others were dropped for as equivalent
owes what they may have been better by, so a chain of them loses no more than one margin.

**The promise.** With at least the given confidence, the last one left is the best, or within the margin of
it. Without a margin it breaks only if a bound between the best candidate and one of the others fails: each of
those K − 1 has δ = (1 − confidence)/(K − 1). With a margin the best may have gone for another one as
equivalent, and then that one's bounds matter, too. So half of the doubt goes to candidates that owe nothing,
K − 1 bounds as before, and half to those that do: they may go by a bound with δ = (1 − confidence)/2K(K − 1)
only.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from playout.settings import setting

TIGHTEST = 1000  # trials at which the bound is as tight as it can be
WORSE, EQUIVALENT = "worse", "equivalent"
SURE = 1.959964  # standard errors of a 95 % interval


@dataclass(frozen=True, kw_only=True)
class Pruning:
    """Which candidates are dropped before all trials are made."""

    confidence: float | None = setting(
        0.95, "how sure it must be that a candidate is worse; none: nobody is dropped", low=0.5, high=0.999999
    )
    margin: float = setting(
        0.0, "a candidate that is better by no more than this is dropped as equivalent", low=0, high=1000
    )


@dataclass(frozen=True)
class Dropped:
    """When and why a candidate was dropped. leader: the candidate that it was compared with."""

    trials: int
    reason: str
    leader: int


@dataclass(frozen=True)
class Standing:
    """What the trials of a candidate say. variance: of one trial; None where there are too few to tell."""

    mean: float
    variance: float | None
    trials: int

    @property
    def error(self) -> float | None:
        """The standard error of the mean."""
        return None if self.variance is None else sqrt(self.variance / self.trials)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean, at this number of trials."""
        if self.error is None:
            return None
        return self.mean - SURE * self.error, self.mean + SURE * self.error


def bound(trials: float, failure: float) -> float:
    """How far above the mean of so many differences the true one may be, in standard deviations (bound).

    failure: δ, the chance that the bound fails at any time.

    >>> bound(1000, 0.05) > 1.645 / 1000**0.5  # more than at a number of trials that is chosen beforehand
    True
    """
    doubt = 2 * log(1 / failure)
    m = TIGHTEST / (doubt + log(1 + doubt))  # near the one for which the bound is least at TIGHTEST trials
    return sqrt(2 * (trials + m) * log(0.5 + sqrt((trials + m) / m) / (2 * failure))) / trials


class Race:
    """Candidates by number, from 0 on, of which the one with the greatest mean is looked for.

    strata: of how many kinds trials are, in equal shares, where they are dealt (a stratified first roll);
    what differs between kinds is then no error of the means.

    >>> race = Race(2, Pruning())
    >>> race.add(np.array([[1.0, 1.0, 0.0, 1.0] * 50, [-1.0, 0.0, -1.0, 0.0] * 50]))
    >>> race.prune()
    [1]
    >>> race.dropped[1]
    Dropped(trials=200, reason='worse', leader=0)
    """

    def __init__(self, candidates: int, pruning: Pruning, strata: int = 1) -> None:
        self.pruning = pruning
        self.trials = 0  # of every candidate that is still in
        self.active = np.arange(candidates)
        self.dropped: dict[int, Dropped] = {}
        self._last: dict[int, Standing] = {}  # of the dropped ones
        self._sums = np.zeros((candidates, strata))
        self._products = np.zeros((candidates, candidates))
        self._dealt = np.zeros(strata)  # trials of each kind
        self._range = np.inf, -np.inf  # of the values seen
        self._owed = np.zeros(candidates)

    def add(self, values: np.ndarray, strata: np.ndarray | None = None) -> None:
        """More trials. values: of the active candidates, a row each; strata: the kind of each trial."""
        if values.shape[1] == 0:
            return
        self.trials += values.shape[1]
        if strata is None:
            self._dealt[0] += values.shape[1]
            self._sums[self.active, 0] += values.sum(axis=1)
        else:
            np.add.at(self._dealt, strata, 1)
            for row, k in enumerate(self.active):
                np.add.at(self._sums[k], strata, values[row])
        self._products[np.ix_(self.active, self.active)] += values @ values.T
        self._range = min(self._range[0], values.min()), max(self._range[1], values.max())

    def _means(self) -> np.ndarray:
        """Of the active candidates."""
        return self._sums[self.active].sum(axis=1) / max(1, self.trials)

    def _covariances(self) -> np.ndarray | None:
        """Of the active candidates' values in a trial, within the kinds of trials; None: too few to tell."""
        dealt = self._dealt[self._dealt > 0]
        free = self.trials - dealt.size
        sums = self._sums[self.active][:, self._dealt > 0]
        if free < 1:  # one trial of each kind: what differs between them counts as error, too
            sums, dealt, free = sums.sum(axis=1, keepdims=True), np.array([self.trials]), self.trials - 1
        if free < 1:
            return None
        return (self._products[np.ix_(self.active, self.active)] - (sums / dealt) @ sums.T) / free

    def prune(self) -> list[int]:
        """Look at the trials so far, and drop whom they say to drop; who that is."""
        covariances = self._covariances()
        if self.pruning.confidence is None or self.active.size < 2 or covariances is None:
            return []
        means, count = self._means(), self._owed.size
        leading = int(means.argmax())
        leader, margin = int(self.active[leading]), self.pruning.margin
        doubt = (1 - self.pruning.confidence) * (0.5 if margin else 1.0)
        widths, rare = [], []
        for failure in (doubt / (count - 1), doubt / (count * (count - 1))):
            widths.append(bound(self.trials, failure))
            rare.append((self._range[1] - self._range[0]) * log(1 / failure) / (3 * self.trials))
        for row, k in enumerate(self.active.tolist()):
            if row == leading:
                continue
            variance = covariances[row, row] + covariances[leading, leading] - 2 * covariances[row, leading]
            owes = int(self._owed[k] > 0)
            upper = means[row] - means[leading] + widths[owes] * sqrt(max(0.0, variance)) + rare[owes]
            if upper < 0 or (margin and upper + self._owed[k] <= margin):
                self._owed[leader] = max(self._owed[leader], upper + self._owed[k])
                self._last[k] = self._standing(row, means, covariances)
                self.dropped[k] = Dropped(self.trials, WORSE if upper < 0 else EQUIVALENT, leader)
        gone = [k for k in self.active.tolist() if k in self.dropped]
        self.active = np.setdiff1d(self.active, gone)
        return gone

    def _standing(self, row: int, means: np.ndarray, covariances: np.ndarray | None) -> Standing:
        variance = None if covariances is None else max(0.0, float(covariances[row, row]))
        return Standing(float(means[row]), variance, self.trials)

    def standings(self) -> list[Standing]:
        """Of all candidates, in order; of the dropped ones, when they were."""
        means, covariances = self._means(), self._covariances()
        now = {k: self._standing(row, means, covariances) for row, k in enumerate(self.active.tolist())}
        return [now[k] if k in now else self._last[k] for k in range(self._owed.size)]

    @property
    def leader(self) -> int:
        """Who has the greatest mean of those that are left."""
        return int(self.active[self._means().argmax()])

    @property
    def is_decided(self) -> bool:
        """Whether there were others and only one is left."""
        return self._owed.size > 1 and self.active.size == 1
