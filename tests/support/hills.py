"""Landscapes with a known optimum, for tests of the tuner: some parameters useless, some logarithmic."""

import numpy as np

from playout.tune.analytic import Hill
from playout.tune.space import Parameter, Space


def space_of(dimensions: int) -> Space:
    """Parameters in turn: linear, logarithmic, whole."""
    kinds = [
        {"low": -3.0, "high": 5.0, "default": -1.0},
        {"low": 0.1, "high": 100.0, "default": 1.0, "scale": "log"},
        {"low": 2, "high": 60, "default": 5, "scale": "log", "kind": "integer"},
    ]
    return Space(tuple(Parameter(name=f"p{j}", **kinds[j % 3]) for j in range(dimensions)))


def hill(dimensions: int, seed: int, height: float = 150.0) -> Hill:
    """A hill whose top is away from the middle; every third parameter is useless from the third on."""
    space, rng = space_of(dimensions), np.random.default_rng(seed)
    half = (space.high - space.low) / 2
    optimum = (space.low + space.high) / 2 + half * rng.choice([-1, 1], dimensions) * rng.uniform(
        0.3, 0.7, dimensions
    )
    useful = np.array([j % 3 != 2 or dimensions == 2 for j in range(dimensions)])
    # The same Elo from the middle to the top in every number of dimensions.
    weights = useful * height / (useful.sum() * ((optimum - (space.low + space.high) / 2) / half) ** 2)
    return Hill(space, optimum, weights, 60.0, seed)


def flat(dimensions: int, seed: int) -> Hill:
    """Where nothing matters."""
    space = space_of(dimensions)
    return Hill(space, space.default, np.zeros(dimensions), 0.0, seed)
