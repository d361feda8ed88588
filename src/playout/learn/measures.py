"""Strength and balance of a simulation policy (Silver & Tesauro 2009, section 2), from values.

With V* the minimax value and δ = V*(s') − V*(s) the error of a move:

- ``strength``: J = E[δ²], the mean squared error of a move (eq. 2);
- ``imbalance``: B_k = E[(E[V*(s_{t+k})] − V*(s_t))²], the mean squared bias that k moves have together (3):
  B₂ where the values are those two plies later, B∞ (4) where they are the outcomes of whole games.

The inner expectation is over what the policy does, the outer one over states. Either the policy's moves are
all given, with their probabilities, and the result is exact; or they are samples.

>>> before = [0.5, 0.5]
>>> after = [[0.0, 1.0], [1.0, 1.0]]            # two moves in each of two states
>>> strength(before, after), imbalance(before, after)
(0.25, 0.125)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from playout.errors import InputError


@dataclass(frozen=True)
class Measures:
    """J, B₂ and B∞ of a policy."""

    strength: float
    two_step: float
    full: float


def strength(
    before: ArrayLike,
    after: ArrayLike,
    *,
    state: ArrayLike | None = None,
    probability: ArrayLike | None = None,
) -> float:
    """J: the mean squared error of a move, the smaller the stronger.

    before: V* by state. after: V* after moves, a row a state; or in one row, with `state` the index of each
    one's state. probability: of each, by default all moves of a state alike; taken relative to their sum.
    """
    values, moved, index, weight = _arranged(before, after, state, probability)
    squares = np.bincount(index, weight * (moved - values[index]) ** 2, values.size)
    return float(squares.mean())


def imbalance(
    before: ArrayLike,
    after: ArrayLike,
    *,
    state: ArrayLike | None = None,
    probability: ArrayLike | None = None,
    unbiased: bool = False,
) -> float:
    """B_k: the mean squared bias after k moves, from the values then (outcomes for B∞).

    Arguments as for `strength`. unbiased: where `after` are independent samples, take off what their number
    adds, which is their variance over their number; then it may come out below 0.
    """
    values, moved, index, weight = _arranged(before, after, state, probability)
    means = np.bincount(index, weight * moved, values.size)
    squares = (means - values) ** 2
    if unbiased:
        if probability is not None:
            raise InputError("samples have no probabilities: imbalance is unbiased without them")
        counts = np.bincount(index, minlength=values.size)
        if counts.min() < 2:
            raise InputError("an unbiased imbalance takes two samples of every state or more")
        spread = np.bincount(index, (moved - means[index]) ** 2, values.size) / (counts - 1)
        squares = squares - spread / counts
    return float(squares.mean())


def mean_squared_error(values: ArrayLike, estimates: ArrayLike) -> float:
    """The mean squared error of estimated values, as in Figure 4: bias and variance together."""
    one, other = np.asarray(values, float), np.asarray(estimates, float)
    if one.shape != other.shape or one.size == 0:
        raise InputError(f"values and estimates of shapes {one.shape} and {other.shape} do not go together")
    return float(((one - other) ** 2).mean())


def measures(value: ArrayLike, after_one: ArrayLike, after_two: ArrayLike, outcomes: ArrayLike) -> Measures:
    """All three from samples: a row a state, with V* one ply and two plies later and outcomes in columns."""
    return Measures(
        strength=strength(value, after_one),
        two_step=imbalance(value, after_two, unbiased=True),
        full=imbalance(value, outcomes, unbiased=True),
    )


def _arranged(
    before: ArrayLike, after: ArrayLike, state: ArrayLike | None, probability: ArrayLike | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Values by state; values after moves, the index of their state and their weight, each in one row."""
    values, moved = np.asarray(before, float), np.asarray(after, float)
    if values.ndim != 1 or values.size == 0:
        raise InputError("values before the moves are one number a state, of one state or more")
    if state is None:
        if moved.ndim != 2 or moved.shape[0] != values.size or moved.size == 0:
            raise InputError(f"values after the moves are {values.size} rows, one a state, of one or more")
        index = np.repeat(np.arange(values.size), moved.shape[1])
    else:
        index = np.asarray(state)
        if index.shape != moved.shape or moved.ndim != 1 or index.dtype.kind not in "iu":
            raise InputError("values after the moves in one row take the index of the state of each")
        if index.size and (index.min() < 0 or index.max() >= values.size):
            raise InputError(f"the index of a state is not one of 0 to {values.size - 1}")
    moved = moved.ravel()
    weight = np.ones(moved.size) if probability is None else np.asarray(probability, float).ravel()
    if weight.size != moved.size or not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise InputError("probabilities are one number of at least 0 for every value after a move")
    if not (np.isfinite(values).all() and np.isfinite(moved).all()):
        raise InputError("values are finite numbers")
    sums = np.bincount(index, weight, values.size)
    if (sums <= 0).any():
        raise InputError(f"state {int(np.argmin(sums))} has no move after it")
    return values, moved, index, weight / sums[index]
