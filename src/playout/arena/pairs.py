"""What the pairs of a match tell: two games with the same opening, colours exchanged.

The two games of a pair depend on each other: an opening that is won for Black gives both players a point. So
it is the scores of pairs, not of games, that vary from one trial to the next. They have five values (the
pentanomial), and draws are in them.

Normalised Elo (Van den Bergh, as fishtest has it) measures how soon games show a difference, Elo the
difference itself. With the mean m and the variance v of the share of a pair's points,

    nElo = (m − ½) / σ · 800 / ln 10,   σ² = 2 v,

where σ is the standard deviation of a game: that of a pair's share is smaller by √2 if its games are
independent. Without draws, between near equals, σ = ½ and both Elos are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.arena.elo import Z95
from playout.arena.intervals import mean_interval
from playout.arena.sprt import VALUES

NORMALISED = 800 / math.log(10)  # normalised Elo of a difference of σ


@dataclass(frozen=True)
class Opening:
    """The pairs that began alike."""

    moves: str
    pairs: int
    a_twice: int  # pairs in which a won both games
    b_twice: int

    @property
    def split(self) -> int:
        """Pairs that nobody won twice."""
        return self.pairs - self.a_twice - self.b_twice


def points_a_game(payoffs: Sequence[float]) -> tuple[float | None, tuple[float, float] | None]:
    """The mean points a game and its 95 % interval, from a player's points in both games of each pair.

    The games of a pair have the same dice, seats exchanged, so it is pairs that are independent. One pair
    says nothing of the interval.

    >>> mean, (low, high) = points_a_game([3.0, -1.0, 2.0, 0.0])
    >>> mean, round(low, 2), round(high, 2)
    (0.5, -0.95, 1.95)
    """
    if not payoffs:
        return None, None
    each = np.array(payoffs) / 2
    interval = mean_interval(each, math.inf, -math.inf) if len(payoffs) > 1 else None
    return float(each.mean()), interval


@dataclass(frozen=True)
class Pairs:
    """The pairs of a match whose games both count, from the side of player a.

    >>> pairs = Pairs.of([("E5", 2.0), ("C3", 1.0), ("C3", 2.0), ("D4", 1.0)])
    >>> pairs.counts, pairs.total, pairs.a_twice
    ((0, 0, 2, 0, 2), 4, 2)
    >>> round(pairs.normalised_elo)
    246
    """

    counts: tuple[int, ...] = (0,) * len(VALUES)  # pairs with 0, ½, 1, 1½ and 2 points of a
    openings: tuple[Opening, ...] = ()

    @classmethod
    def of(cls, scores: Iterable[tuple[str, float]]) -> Pairs:
        """From the opening and a's points of each pair."""
        counts, openings = [0] * len(VALUES), dict[str, list[float]]()
        for opening, points in scores:
            counts[VALUES.index(points)] += 1
            openings.setdefault(opening, []).append(points)
        return cls(
            tuple(counts),
            tuple(
                Opening(moves, len(points), points.count(VALUES[-1]), points.count(VALUES[0]))
                for moves, points in openings.items()
            ),
        )

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(self.counts)

    @property
    def a_twice(self) -> int:
        """Pairs in which a won both games."""
        return self.counts[-1]

    @property
    def b_twice(self) -> int:
        """Pairs in which b won both games."""
        return self.counts[0]

    @property
    def normalised_elo(self) -> float | None:
        """(m − ½) / σ · 800 / ln 10; None where all pairs ended alike, so that nothing is known of σ."""
        ratio = self._ratio()
        return None if ratio is None else NORMALISED / math.sqrt(2) * ratio[0]

    @property
    def normalised_margin(self) -> float | None:
        """Half the 95 % interval of it."""
        ratio = self._ratio()
        return None if ratio is None else Z95 * NORMALISED / math.sqrt(2) * ratio[1]

    def _ratio(self) -> tuple[float, float] | None:
        """t = (m − ½) / √v, and its standard error by the delta method: v is an estimate too.

        With the skewness s and the kurtosis k of the pairs, n var(t) = 1 − t s + t² (k − 1) / 4.
        """
        n = self.total
        if sum(count > 0 for count in self.counts) < 2:
            return None
        mean = sum(count * value / 2 for count, value in zip(self.counts, VALUES, strict=True)) / n
        variance, third, fourth = (
            sum(count * (value / 2 - mean) ** power for count, value in zip(self.counts, VALUES, strict=True))
            / n
            for power in (2, 3, 4)
        )
        t = (mean - 0.5) / math.sqrt(variance)
        skewness, kurtosis = third / variance**1.5, fourth / variance**2
        return t, math.sqrt(max(0.0, 1 - t * skewness + t * t * (kurtosis - 1) / 4) / n)

    def facts(self) -> dict[str, Any]:
        """All of it as plain numbers, for machines."""
        return {
            "pairs": self.total,
            "pentanomial": list(self.counts),
            "a_twice": self.a_twice,
            "b_twice": self.b_twice,
            "split": self.total - self.a_twice - self.b_twice,
            "normalised_elo": self.normalised_elo,
            "normalised_elo_margin": self.normalised_margin,
            "openings": [
                {
                    "opening": opening.moves,
                    "pairs": opening.pairs,
                    "a_twice": opening.a_twice,
                    "b_twice": opening.b_twice,
                    "split": opening.split,
                }
                for opening in self.openings
            ],
        }
