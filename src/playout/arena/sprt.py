"""Sequential test: is A better than B by elo1, or only by elo0? It stops a match as soon as that is clear.

The generalised sequential probability ratio test on game pairs (Van den Bergh, as fishtest uses it). A pair
is two games with the same opening and colours exchanged; its score has one of five values, and nothing is
assumed of their frequencies: openings that decide both games, and draws, are accounted for. The ratio is
between the most likely distribution over the five values with the mean that elo1 says, and the most likely
one with the mean that elo0 says. With weights p over values a, the most likely distribution with mean s is

    p_i / (1 + x (a_i − s)),   x such that its mean is s.

Where a value has not come yet, as most have not at n–0, it counts as seen a little: the ratio is finite and
goes its way at a steady pace, so a one-sided match stops too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from playout.errors import InputError
from playout.settings import checked

VALUES = (0.0, 0.5, 1.0, 1.5, 2.0)  # points of A in a pair
UNSEEN = 1e-3  # pairs that each value counts as seen before the first


class Sprt:
    """A sequential test of A against B.

    elo0, elo1: the two differences between which to decide. alpha: the probability to accept elo1 where elo0
    is true; beta: to reject it where it is true.

    >>> test = Sprt(0, 50)
    >>> test.verdict([1, 2, 1, 0])
    'go on'
    >>> test.verdict([2] * 40), test.verdict([0] * 40)
    ('accept', 'reject')
    """

    @checked
    def __init__(self, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> None:
        if not (math.isfinite(elo0) and math.isfinite(elo1) and elo0 < elo1):
            raise InputError(
                f"the bounds of a sequential test rise, as in 0 and 50; not {elo0:g} and {elo1:g}"
            )
        for name, value in (("alpha", alpha), ("beta", beta)):
            if not 0 < value < 0.5:
                raise InputError(f"{name} {value:g} of a sequential test is not a probability under 0.5")
        self.elo0, self.elo1, self.alpha, self.beta = elo0, elo1, alpha, beta

    def __repr__(self) -> str:
        return f"Sprt({self.elo0:g}, {self.elo1:g}, alpha={self.alpha:g}, beta={self.beta:g})"

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which elo1 is rejected and accepted (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pair_scores: Sequence[float]) -> float:
        """The log-likelihood ratio of elo1 to elo0.

        pair_scores: the points of A in each pair: 0, 0.5, 1, 1.5 or 2.
        """
        counts = Counter(pair_scores)
        if wrong := [score for score in counts if score not in VALUES]:
            raise InputError(f"a pair of games cannot give {wrong[0]} points, only 0, 0.5, 1, 1.5 or 2")
        seen = [counts[value] + UNSEEN for value in VALUES]
        return _log_likelihood(seen, expected_score(self.elo1)) - _log_likelihood(
            seen, expected_score(self.elo0)
        )

    def verdict(self, pair_scores: Sequence[float]) -> str:
        """'accept' (elo1), 'reject' (elo1, and so take elo0), or 'go on'. To be asked after every pair."""
        lower, upper = self.bounds
        ratio = self.llr(pair_scores)
        return "accept" if ratio >= upper else "reject" if ratio <= lower else "go on"


def expected_score(elo: float) -> float:
    """The mean score of a player that is so much better.

    >>> round(expected_score(100), 2)
    0.64
    """
    return 1 / (1 + 10 ** (-elo / 400))


def _log_likelihood(seen: list[float], mean: float) -> float:
    """The logarithm of the largest likelihood with a mean score, up to what does not depend on the mean."""
    away = [value / 2 - mean for value in VALUES]

    def too_high(x: float) -> bool:
        return sum(n * a / (1 + x * a) for n, a in zip(seen, away, strict=True)) > 0

    # The mean falls with x, and every weight is positive between these.
    low, high = -1 / away[-1], -1 / away[0]
    for _ in range(100):
        x = (low + high) / 2
        if x in (low, high):
            break
        low, high = (x, high) if too_high(x) else (low, x)
    return -sum(n * math.log1p(x * a) for n, a in zip(seen, away, strict=True))
