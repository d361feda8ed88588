"""The artificial game: nothing but errors."""

import numpy as np
import pytest

from playout.errors import InputError
from playout.games import api
from playout.games.toy.erring import Erring
from playout.games.toy.errors import ERRORS, UNIT, start
from playout.kernel import new_rng
from playout.policy.api import sample
from playout.search.simulation import evaluate


@pytest.mark.small
def test_errors_of_player_1_cost_him_and_those_of_player_2_help_him():
    state = start(moves=3, value=2.0)
    seen = []
    for error in (0.5, 0.25, 1.0):
        assert not api.is_over(state[0])
        seen.append((int(api.to_play(state[0])), float(state["minimax"][0])))
        api.play(state[0], int(error / UNIT))
    assert seen == [(1, 2.0), (2, 1.5), (1, 1.75)]
    assert api.is_over(state[0])
    assert api.outcome(state[0]) == 0.75


def test_the_search_evaluates_it():
    """The package's own simulations play it: E[z] = T/2 (1/λ₂ − 1/λ₁), Var[z] = T/2 (1/λ₁² + 1/λ₂²)."""
    simulations, moves = 20_000, 100
    policy = Erring(first=10, second=5)
    total, made = evaluate(start(moves), np.empty(1, ERRORS), policy.record(), simulations, new_rng(1))
    assert made == simulations * moves
    deviation = (50 * (1 / 100 + 1 / 25) / simulations) ** 0.5
    assert abs(total / simulations - 5.0) < 5 * deviation


def test_errors_are_exponential():
    policy, state, rng = Erring(first=2, second=4).record(), start(10**6), new_rng(3)
    errors = np.array([sample(policy[0], state[0], rng[0]) for _ in range(4000)]) * UNIT
    assert errors.min() >= 0
    assert errors.mean() == pytest.approx(0.5, rel=0.1)
    assert errors.std() == pytest.approx(0.5, rel=0.15)
    assert (errors > 0.5).mean() == pytest.approx(np.exp(-1), abs=0.04)


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf")])
def test_rates_out_of_range(rate):
    with pytest.raises(InputError, match="rate"):
        Erring(first=rate)
