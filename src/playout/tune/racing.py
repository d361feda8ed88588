"""Racing: a sample that will hardly reach the elite plays no more (Chaslot et al. 2008, section 5).

Full evaluation gives each of N samples a batch of games and takes those with the k best scores. A race
gives all of them some games, then some more to those of whom it is not clear yet whether they belong to the
k best *of the full evaluation*: that is what is predicted, not who is best in truth. Of two samples with
equal scores either one may be in the elite, as equation (3) has it.

How a batch will end is predicted from what has been played. The chances p of the samples come from a beta
distribution, fitted to all of them; what a sample has shown makes its own posterior, and the games that it
lacks are beta-binomial. From these distributions of final scores W,

    risk of dropping i   = P(fewer than k others have W ≥ W_i),
    risk of accepting i  = P(k others or more have W > W_i),

both exact sums of independent chances (Poisson-binomial). A sample is dropped or accepted when its risk is
under its share of what may go wrong; all risks that were taken in a generation add up to 1 − confidence at
most, which bounds the chance that its elite is another one.
"""

from __future__ import annotations

import math

import numpy as np

from playout.errors import InputError
from playout.tune.cross_entropy import best

FIRST = 0.1  # share of the batch that all samples play at first
FEWEST = 4  # games of it
ROUND = 0.06  # share of the batch between two looks
SHARE = 2.0  # risk of one decision, in equal shares of what may go wrong
KEPT_BACK = 0.3  # of what may go wrong, for errors of the fitted distribution
CONCENTRATIONS = np.geomspace(2.0, 2000.0, 25)  # of the beta distribution: what is tried
FITS = 2  # times that its mean is improved
CERTAIN = 1e-9


def _log_gamma(x: np.ndarray) -> np.ndarray:
    """log Γ(x) for x > 0, to ten digits: Stirling's series at x + 6."""
    z = x + 6
    shift = np.log(x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5))
    series = 1 / (12 * z) - 1 / (360 * z**3) + 1 / (1260 * z**5)
    return np.asarray((z - 0.5) * np.log(z) - z + 0.5 * math.log(2 * math.pi) + series - shift)


class Race:
    """The games of one generation: who plays on, and who is elite.

    >>> race = Race(samples=3, elite=1, batch=4)
    >>> race.round()
    [4, 4, 4]
    >>> race.add(np.array([1.0, 3.0, 2.5]), np.array([4, 4, 4]))
    >>> race.round(), race.elite().tolist()
    ([0, 0, 0], [1])
    """

    share, kept_back = SHARE, KEPT_BACK

    def __init__(self, samples: int, elite: int, batch: int, confidence: float | None = None) -> None:
        if not 0 < elite < samples:
            raise InputError(f"an elite of {elite} is not some of {samples} samples")
        self.wanted, self.batch, self.confidence = elite, batch, confidence
        self.points = np.zeros(samples)
        self.games = np.zeros(samples, np.int64)
        self.accepted, self.dropped = np.zeros(samples, bool), np.zeros(samples, bool)
        self.risk = 0.0  # taken so far: bounds the chance that the elite is another one
        self._prior = 0.5, 10.0  # mean and concentration

    @property
    def undecided(self) -> np.ndarray:
        """Who still plays."""
        return ~(self.accepted | self.dropped) & (self.games < self.batch)

    def round(self) -> list[int]:
        """How many more games each sample plays now; nobody does when the race is over."""
        share = 1.0 if self.confidence is None else ROUND if self.games.any() else FIRST
        count = even(max(FEWEST, share * self.batch))
        return np.where(self.undecided, np.minimum(count, self.batch - self.games), 0).tolist()

    def add(self, points: np.ndarray, games: np.ndarray) -> None:
        """The points that a round has brought, and in how many games; then it is seen who plays on."""
        self.points += points
        self.games += games
        if self.confidence is not None and self.undecided.any():
            self._decide()

    def elite(self) -> np.ndarray:
        """The numbers of the elite, in order."""
        scores = np.where(self.accepted, 2.0, np.where(self.dropped, -1.0, self.points / self.batch))
        return best(scores, self.wanted)

    def scores(self) -> np.ndarray:
        """The share of points of each sample in the games that it has played."""
        return self.points / np.maximum(1, self.games)

    def _decide(self) -> None:
        assert self.confidence is not None
        chances = self._final_scores()
        dropping, accepting = _risks(chances, self.wanted)
        may = (1 - self.confidence) * (1 - self.kept_back)
        most = self.share * may / len(self.points)
        undecided = self.undecided
        decisions = [(dropping[i], i, self.dropped) for i in np.flatnonzero(undecided)]
        decisions += [(accepting[i], i, self.accepted) for i in np.flatnonzero(undecided)]
        for risk, i, group in sorted(decisions, key=lambda decision: (decision[0], decision[1])):
            if risk > most or self.risk + risk > may:
                break
            if undecided[i]:
                group[i], undecided[i] = True, False
                self.risk += risk
        if self.accepted.sum() >= self.wanted:
            self.dropped |= ~self.accepted
        elif (~self.dropped).sum() <= self.wanted:
            self.accepted |= ~self.dropped

    def _posteriors(self) -> tuple[np.ndarray, np.ndarray]:
        """The beta distributions of the samples' chances, after what they have shown."""
        mean, concentration = self._prior = fitted(self.points, self.games, self._prior[0])
        lost = self.games - self.points
        return mean * concentration + self.points, (1 - mean) * concentration + lost

    def _final_scores(self) -> np.ndarray:
        """P(W = v / 2) of each sample at the end of the batch, a row each, over half points v."""
        a, b = self._posteriors()
        left = self.batch - self.games
        found = np.zeros((a.size, 2 * self.batch + 1))
        rows = np.arange(a.size)[:, None]
        wins = np.arange(self.batch + 1)[None, :]
        at = np.rint(2 * self.points).astype(int)[:, None] + 2 * wins
        there = wins <= left[:, None]
        logs = _beta_binomial_logs(a, b, left, self.batch)
        found[np.broadcast_to(rows, at.shape)[there], at[there]] = np.exp(logs[there])
        return found / found.sum(axis=1, keepdims=True)


def _beta_binomial_logs(a: np.ndarray, b: np.ndarray, left: np.ndarray, most: int) -> np.ndarray:
    """log P(x of `left` games are won), up to a constant of each row; a row a sample, x = 0 … most.

    By P(x + 1) / P(x) = (left − x)(a + x) / ((x + 1)(b + left − x − 1)).
    """
    x = np.arange(most)[None, :]
    lacking = np.maximum(left[:, None] - x, 1e-300)
    after = np.maximum(b[:, None] + left[:, None] - x - 1, 1e-300)
    steps = np.log(lacking) + np.log(a[:, None] + x) - np.log(x + 1.0) - np.log(after)
    logs = np.concatenate(
        [np.zeros((a.size, 1)), np.cumsum(np.where(x < left[:, None], steps, 0.0), axis=1)], 1
    )
    return logs - logs.max(axis=1, keepdims=True)


def fitted(points: np.ndarray, games: np.ndarray, mean: float) -> tuple[float, float]:
    """Mean and concentration of the beta distribution that the samples' chances come from.

    The concentration is the most likely one of a row; the mean, that of the posterior means. Who was dropped
    has fewer games, and counts by them: dropping depends on what was seen alone, so the likelihood holds.
    """
    concentration = float(CONCENTRATIONS[0])
    for _ in range(FITS):
        a, b = mean * CONCENTRATIONS[:, None], (1 - mean) * CONCENTRATIONS[:, None]
        lost = games - points
        likelihood = (
            _log_gamma(a + points)
            + _log_gamma(b + lost)
            - _log_gamma(a + b + games)
            - _log_gamma(a)
            - _log_gamma(b)
            + _log_gamma(a + b)
        )
        concentration = float(CONCENTRATIONS[likelihood.sum(axis=1).argmax()])
        mean = float(((mean * concentration + points) / (concentration + games)).mean())
        mean = min(max(mean, 0.001), 0.999)
    return mean, concentration


def _risks(chances: np.ndarray, wanted: int) -> tuple[np.ndarray, np.ndarray]:
    """The risks of dropping and of accepting each sample, from the chances of its final scores."""
    at_least = chances[:, ::-1].cumsum(axis=1)[:, ::-1].clip(0, 1)  # P(W ≥ v)
    above = np.concatenate([at_least[:, 1:], np.zeros((len(chances), 1))], axis=1)  # P(W > v)
    expected = at_least.sum(axis=0)
    # Where nearly nobody gets to, or far more than the elite, the answer is plain.
    window = np.flatnonzero((expected > CERTAIN) & (expected < 2 * wanted + 20))
    if window.size == 0:
        return np.zeros(len(chances)), np.zeros(len(chances))
    here = chances[:, window]
    few = _fewer_than(at_least[:, window], wanted)
    dropping = (here * few).sum(axis=1) + chances[:, window[-1] + 1 :].sum(axis=1)
    many = 1 - _fewer_than(above[:, window], wanted)
    accepting = (here * many).sum(axis=1) + chances[:, : window[0]].sum(axis=1)
    return dropping.clip(0, 1), accepting.clip(0, 1)


def _fewer_than(chances: np.ndarray, wanted: int) -> np.ndarray:
    """P(fewer than `wanted` of all others are there), for each row; a column a question.

    The counts of those before and of those after each row, put together: nothing is divided out again.
    """
    rows, columns = chances.shape
    before = np.zeros((rows + 1, columns, wanted))
    after = np.zeros((rows + 1, columns, wanted))
    before[0, :, 0] = after[rows, :, 0] = 1.0
    for j in range(rows):
        before[j + 1] = _with(before[j], chances[j])
    for j in range(rows - 1, -1, -1):
        after[j] = _with(after[j + 1], chances[j])
    at_most = after[1:].cumsum(axis=2)[:, :, ::-1]  # at most wanted − 1 − n of those after
    return np.asarray((before[:-1] * at_most).sum(axis=2))


def _with(counts: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """The chances of counts 0, 1, … with one more who is there with a chance."""
    p = chance[:, None]
    found = counts * (1 - p)
    found[:, 1:] += counts[:, :-1] * p
    return found


def even(games: float) -> int:
    """Whole pairs of games."""
    return max(2, 2 * math.floor(games / 2 + 0.5))
