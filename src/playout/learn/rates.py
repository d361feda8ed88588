"""Numbers that learners are given, and their ranges.

cooling: beyond the papers. α falls to 0 in a straight line towards the last update, so that the weights come
to rest at an optimum and do not hover around it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from playout.errors import InputError, near

MOST_SIMULATIONS = 1_000_000
LARGEST_ALPHA = 1000.0
BASELINES = ("none", "mean")
# What settings of several learners say of themselves.
ALPHA: dict[str, Any] = {"help": "step size α", "low": 0, "high": LARGEST_ALPHA}
COOLING: dict[str, Any] = {"help": "let α fall to 0 towards the last update"}
BASELINE: dict[str, Any] = {
    "help": "what is taken from outcomes to cut the gradient's noise",
    "choices": BASELINES,
}
COUNT: dict[str, Any] = {"low": 1, "high": MOST_SIMULATIONS}


def check_alpha(alpha: float) -> None:
    """A step size."""
    if not (math.isfinite(alpha) and 0 < alpha <= LARGEST_ALPHA):
        raise InputError(f"alpha: {alpha:g} is not a step size above 0 and up to {LARGEST_ALPHA:,.0f}")


def check_cooling(cooling: bool, last: int | None) -> None:
    """Whether it is known when α is to be 0."""
    if cooling and last is None:
        raise InputError("cooling: the number of the last update is needed")


def step_size(alpha: float, cooling: bool, update: int, last: int | None) -> float:
    """α of an update; last: the number of the last one.

    >>> step_size(0.5, True, 75, 100), step_size(0.5, False, 75, 100)
    (0.125, 0.5)
    """
    return alpha * max(0.0, 1.0 - update / last) if cooling and last is not None else alpha


def check_count(name: str, count: int, most: int = MOST_SIMULATIONS) -> None:
    """A number of simulations."""
    if not 1 <= count <= most:
        raise InputError(f"{name}: {count} is not a number from 1 to {most:,}")


def check_baseline(name: str) -> None:
    """A baseline by name."""
    if name not in BASELINES:
        raise InputError(f"baseline: {name!r} is not one of them{near(str(name), BASELINES)}")


_ORDERS: dict[tuple[int, int, int], np.ndarray] = {}


def in_turn(update: int, count: int, seed: int) -> int:
    """Which of so many examples an update takes: a new order of chance each time that all were taken.

    >>> sorted(in_turn(k, 5, seed=1) for k in range(5, 10))
    [0, 1, 2, 3, 4]
    """
    key = (update // count, count, seed)
    if key not in _ORDERS:
        _ORDERS.clear()
        _ORDERS[key] = np.random.default_rng([seed, key[0]]).permutation(count)
    return int(_ORDERS[key][update % count])
