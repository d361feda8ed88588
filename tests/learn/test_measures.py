"""Strength and balance: against the sums of the definitions, and where they are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.errors import InputError
from playout.learn.measures import imbalance, mean_squared_error, measures, strength

numbers = st.floats(-10, 10)


@st.composite
def policies(draw):
    """By state: its value, the values after its moves, and their probabilities."""
    found = []
    for _ in range(draw(st.integers(1, 5))):
        moves = draw(st.lists(st.tuples(numbers, st.floats(0.01, 1)), min_size=1, max_size=6))
        found.append((draw(numbers), moves))
    return found


def flat(policy):
    before = [value for value, _ in policy]
    rows = [(k, after, p) for k, (_, moves) in enumerate(policy) for after, p in moves]
    state, after, probability = (list(column) for column in zip(*rows, strict=True))
    return before, after, {"state": state, "probability": probability}


@given(policies())
@settings(deadline=None)
def test_exact_measures_are_the_definitions(policy):
    squared_errors, squared_biases = [], []
    for value, moves in policy:
        total = sum(p for _, p in moves)
        squared_errors.append(sum(p / total * (after - value) ** 2 for after, p in moves))
        squared_biases.append((sum(p / total * (after - value) for after, p in moves)) ** 2)
    before, after, how = flat(policy)
    assert strength(before, after, **how) == pytest.approx(np.mean(squared_errors), abs=1e-9)
    assert imbalance(before, after, **how) == pytest.approx(np.mean(squared_biases), abs=1e-9)


def test_rows_and_indices_are_the_same():
    after = np.arange(6.0).reshape(2, 3)
    how = {"state": [0, 0, 0, 1, 1, 1]}
    assert strength([1, 2], after) == strength([1, 2], after.ravel(), **how)
    assert imbalance([1, 2], after) == imbalance([1, 2], after.ravel(), **how)


def test_best_play_is_perfect_and_balanced_play_need_not_be_strong():
    assert strength([3], [[3, 3]]) == imbalance([3], [[3, 3]]) == 0
    assert (strength([3], [[2, 4]]), imbalance([3], [[2, 4]])) == (1, 0)


def test_unbiased_on_average():
    """Five samples of variance 4 about a bias of 1: B is 1, and 4/5 more if nothing is taken off."""
    dice = np.random.default_rng(1)
    samples = dice.normal(1, 2, (40_000, 5))
    zero = np.zeros(len(samples))
    assert imbalance(zero, samples) == pytest.approx(1.8, abs=0.05)
    assert imbalance(zero, samples, unbiased=True) == pytest.approx(1.0, abs=0.05)


def test_all_three():
    found = measures([0.0], [[1.0, -1.0]], [[2.0, 2.0]], [[3.0, 3.0]])
    assert (found.strength, found.two_step, found.full) == (1, 4, 9)


def test_mean_squared_error():
    assert mean_squared_error([0, 1], [0.5, 1]) == 0.125


@pytest.mark.parametrize(
    ("before", "after", "how", "message"),
    [
        ([], [[1]], {}, "of one state or more"),
        ([1, 2], [[1]], {}, "2 rows"),
        ([1], [1, 2], {"state": [0]}, "index of the state"),
        ([1], [1], {"state": [1]}, "not one of 0 to 0"),
        ([1, 2], [1], {"state": [0]}, "state 1 has no move"),
        ([1], [[1]], {"probability": [-1]}, "at least 0"),
        ([1], [[1, 2]], {"probability": [1]}, "for every value"),
        ([1], [[float("nan")]], {}, "finite"),
    ],
)
def test_wrong_arrays(before, after, how, message):
    for measure in (strength, imbalance):
        with pytest.raises(InputError, match=message):
            measure(before, after, **how)


def test_what_unbiased_needs():
    with pytest.raises(InputError, match="two samples"):
        imbalance([1], [[1]], unbiased=True)
    with pytest.raises(InputError, match="no probabilities"):
        imbalance([1], [[1, 2]], probability=[[1, 1]], unbiased=True)
    with pytest.raises(InputError, match="do not go together"):
        mean_squared_error([1], [1, 2])
