"""The cross-entropy method for Gaussian distributions (Chaslot et al. 2008, Table 1).

A generation draws N samples from independent Gaussians, takes the best ρ N of them as the elite, and moves
the distribution towards the one nearest to the elite: its componentwise means and variances. A parameter that
is one of several words has a chance for each in place of a Gaussian; the nearest distribution then has the
elite's frequencies, by the same argument (de Boer et al. 2005).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from playout.errors import InputError
from playout.settings import setting
from playout.tune.space import Space

DRAWS = 100_000  # of a sample, before a distribution is called impossible


@dataclass(frozen=True, kw_only=True)
class CrossEntropySettings:
    """N, ρ, α and T; the defaults are the paper's where it tells them."""

    samples: int = setting(100, "N: samples of a generation", low=2, high=100_000)
    ratio: float = setting(0.1, "ρ: share of the samples that are elite", low=0.001, high=0.999)
    alpha: float = setting(0.7, "α: step towards the distribution of the elite", low=0.001, high=1)
    generations: int = setting(20, "T: generations at most", low=1, high=1_000_000)

    @property
    def elite(self) -> int:
        """ρ N, as a whole number of samples."""
        return max(1, round(self.ratio * self.samples))

    def __post_init__(self) -> None:
        if self.elite >= self.samples:
            raise InputError(f"ratio: {self.ratio:g} of {self.samples} samples leaves none out")


@dataclass(frozen=True)
class Distribution:
    """g: a Gaussian for each number, and the chances of each choice."""

    mean: np.ndarray  # μ_j
    variance: np.ndarray  # σ²_j
    chances: tuple[np.ndarray, ...] = field(default=())  # one for each place; empty for numbers

    @classmethod
    def first(cls, space: Space) -> Distribution:
        """In the middle of the ranges, half their width as deviation (section 4.1); all choices alike."""
        half = (space.high - space.low) / 2
        chances = tuple(np.full(n, 1 / n) if n else np.zeros(0) for n in space.choices)
        return cls((space.low + space.high) / 2, half * half, chances)

    @property
    def deviation(self) -> np.ndarray:
        """σ_j."""
        return np.sqrt(self.variance)

    def point(self) -> np.ndarray:
        """What is returned in the end: the means, and the most frequent choices."""
        return np.array(
            [c.argmax() if c.size else mean for mean, c in zip(self.mean, self.chances, strict=True)]
        )

    def draw(self, space: Space, rng: np.random.Generator) -> np.ndarray:
        """A sample from Gauss^m(μ, σ²); out of range is thrown away (section 3.3).

        The components are independent, so each is drawn again by itself.
        """
        x = np.empty(self.mean.size)
        for j in range(x.size):
            if self.chances[j].size:
                x[j] = rng.choice(self.chances[j].size, p=self.chances[j])
                continue
            for _ in range(DRAWS):
                x[j] = rng.normal(self.mean[j], self.deviation[j])
                if space.low[j] <= x[j] <= space.high[j]:
                    break
            else:
                raise AssertionError(f"{self.mean[j]} ± {self.deviation[j]} is never in range")
        return x

    def towards(self, other: Distribution, alpha: float) -> Distribution:
        """The update with step size α, the last two lines of Table 1."""
        return Distribution(
            alpha * other.mean + (1 - alpha) * self.mean,  # μ_{t+1,j}
            alpha * other.variance + (1 - alpha) * self.variance,  # σ²_{t+1,j}
            tuple(alpha * b + (1 - alpha) * a for a, b in zip(self.chances, other.chances, strict=True)),
        )


def nearest(elite: np.ndarray, space: Space) -> Distribution:
    """The distribution with the least cross-entropy distance from the elite, a row each (equation 4)."""
    mean = elite.mean(axis=0)  # μ'_j
    variance = ((elite - mean) ** 2).mean(axis=0)  # σ'²_j
    chances = tuple(
        np.bincount(elite[:, j].astype(int), minlength=n) / len(elite) if n else np.zeros(0)
        for j, n in enumerate(space.choices)
    )
    return Distribution(mean, variance, chances)


def best(scores: np.ndarray, count: int) -> np.ndarray:
    """E: the numbers of the best samples, in order; of equals those drawn first, so that there are ρ N."""
    return np.sort(np.argsort(-scores, kind="stable")[:count])


class CrossEntropy:
    """The main loop of Table 1 from outside: `ask` draws the samples of iteration t, `tell` ends it."""

    def __init__(self, space: Space, settings: CrossEntropySettings, seed: int) -> None:
        self.space, self.settings, self._seed = space, settings, seed
        self.distribution = Distribution.first(space)  # μ_0, σ²_0
        self.t = 0

    @property
    def elite(self) -> int:
        """How many samples of a generation matter; which they are is all that `tell` needs."""
        return self.settings.elite

    @property
    def is_finished(self) -> bool:
        """Whether t has come to T."""
        return self.t >= self.settings.generations

    def ask(self) -> np.ndarray:
        """Draw N samples, a row each."""
        rng = np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=(3, self.t)))
        return np.array([self.distribution.draw(self.space, rng) for _ in range(self.settings.samples)])

    def tell(self, samples: np.ndarray, scores: np.ndarray, elite: np.ndarray) -> None:
        """Move towards the elite E_{t+1}, the numbers of the best ρ N samples."""
        target = nearest(samples[elite], self.space)
        self.distribution = self.distribution.towards(target, self.settings.alpha)
        self.t += 1

    def best(self) -> np.ndarray:
        """The distribution's mean: never the luckiest sample."""
        return self.distribution.point()
