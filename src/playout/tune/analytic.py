"""Fitness that is known: games that are won with a chance that depends on the parameters by a formula.

The rating of a point falls from its top with the square of the distance from the optimum in each component,
on the tuner's scale: Elo = top − Σ weight_j ((x_j − x*_j) / half_j)². A parameter with the weight 0 is
useless.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from playout.tune.space import Space
from playout.tune.store import Result
from playout.tune.tuner import Wanted


@dataclass(frozen=True)
class Hill:
    """A landscape with one top. optimum: x*; weights: Elo lost half a range away from it; top: Elo there."""

    space: Space
    optimum: np.ndarray
    weights: np.ndarray
    top: float
    seed: int = 0

    def chance(self, x: np.ndarray) -> float:
        """The chance to win a game."""
        rounded = self.space.point(self.space.values(x))  # rounding is part of the fitness (section 3.3)
        half = (self.space.high - self.space.low) / 2
        elo = self.top - float((self.weights * ((rounded - self.optimum) / half) ** 2).sum())
        return 1 / (1 + 10 ** (-elo / 400))

    def play(self, games: list[Wanted]) -> Iterator[list[Result]]:
        """Bernoulli games; each depends on the seed, the generation, the sample and its number alone."""
        longest = max(game.number for game in games)
        wins: dict[tuple[int, int], list[float]] = {}
        for game in games:
            key = game.generation, game.sample
            if key not in wins:
                sequence = np.random.SeedSequence(self.seed, spawn_key=(5, *key))
                draws = np.random.default_rng(sequence).random(longest)
                wins[key] = (draws < self.chance(game.point)).astype(float).tolist()
        yield [
            (
                game.generation,
                game.sample,
                game.number,
                wins[game.generation, game.sample][game.number - 1],
            )
            for game in games
        ]
