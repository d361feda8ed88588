"""Simulation balancing: its two estimates against all games gone through, and what it does to a policy."""

import numpy as np
import pytest
from learners import RULE, SIZES, gradient_of, positions, shape_policy, tiny
from naive.games import mean_outcome
from naive_names import by_number

from playout.errors import InputError
from playout.learn.balance import Balance, BalanceLearner, in_turn

LIMIT = 7


@pytest.fixture(scope="module")
def exact():
    """E[z], E[z Σψ] and E[z/T Σψ] of games on 2×2."""
    _, by_name = shape_policy(2, 0.5)
    _, game = tiny(LIMIT)
    return mean_outcome(game, by_name, SIZES, RULE, 0.5, LIMIT)


@pytest.mark.parametrize(
    ("per_move", "baseline"), [(False, "none"), (True, "none"), (False, "mean"), (True, "mean")]
)
def test_the_policy_gradient_is_the_exact_one(exact, per_move, baseline):
    policy, _ = shape_policy(2, 0.5)
    root, _ = tiny(LIMIT)
    settings = Balance(m=200_000, n=200_000, per_move=per_move, baseline=baseline)
    value, credit = BalanceLearner(policy, settings, root, np.zeros(1)).estimate(root)
    assert value == pytest.approx(exact[0], abs=0.005)
    expected = by_number(exact[2 if per_move else 1], policy.features)
    found = gradient_of(policy, credit)
    assert np.abs(expected).max() > (0.01 if per_move else 0.05)
    if per_move and baseline == "mean":  # E[Σψ / T] is not quite 0
        assert found == pytest.approx(expected, abs=0.03)
    else:
        assert found == pytest.approx(expected, abs=0.002 if per_move else 0.008)


def test_the_exact_gradient_is_the_slope_of_the_mean():
    """So that the test above compares with what it should."""
    _, by_name = shape_policy(2, 0.5)
    _, game = tiny(3)
    slope = mean_outcome(game, by_name, SIZES, RULE, 0.5, 3)[1]
    for name in list(by_name)[::4]:
        ends = []
        for step in (1e-4, -1e-4):
            moved = {**by_name, name: by_name[name] + step}
            ends.append(mean_outcome(game, moved, SIZES, RULE, 0.5, 3)[0])
        assert (ends[0] - ends[1]) / 2e-4 == pytest.approx(slope.get(name, 0.0), abs=1e-6)


def test_a_baseline_takes_noise_away():
    """The spread of g over many estimates from a few simulations each."""
    spread = {}
    for baseline in ("none", "mean"):
        policy, _ = shape_policy(5, 0.2)
        roots = positions(5, 14)
        learner = BalanceLearner(policy, Balance(m=50, n=20, baseline=baseline), roots, np.zeros(14))
        found = np.array(
            [gradient_of(policy, learner.estimate(roots[k % 14 : k % 14 + 1])[1]) for k in range(280)]
        )
        spread[baseline] = found.reshape(20, 14, -1).var(axis=0).sum()
    assert spread["mean"] < 0.7 * spread["none"]


def test_the_mean_outcome_comes_to_the_value():
    """One position: Black is to win more, then less."""
    roots = positions(5, 4)[3:4]
    for value in (0.9, 0.3):
        policy, _ = shape_policy(5, 0.0)
        learner = BalanceLearner(policy, Balance(alpha=20.0, baseline="mean"), roots, np.array([value]))
        before = learner.estimate(roots)[0]
        learner.learn(150)
        after = np.mean([learner.estimate(roots)[0] for _ in range(10)])
        assert abs(after - value) < 0.5 * abs(before - value)


def test_cooling_lets_the_weights_come_to_rest():
    roots, ends = positions(5, 3), []
    for cooling, begun in ((False, 5), (True, 5), (True, 10)):
        policy, _ = shape_policy(5, 0.2)
        before = policy.theta.copy()
        learner = BalanceLearner(policy, Balance(m=5, n=5, cooling=cooling), roots, np.ones(3), last=10)
        learner.updates = begun
        learner.learn(1)
        ends.append(policy.theta - before)
    assert ends[1] == pytest.approx(ends[0] / 2)
    assert np.any(ends[0] != 0)
    assert np.all(ends[2] == 0)
    with pytest.raises(InputError, match="last update is needed"):
        BalanceLearner(policy, Balance(cooling=True), roots, np.ones(3))


def test_two_threads_give_the_same_bits():
    found = []
    for threads in (1, 2):
        policy, _ = shape_policy(5, 0.2)
        roots = positions(5, 10)
        BalanceLearner(policy, Balance(m=11, n=7), roots, np.linspace(0, 1, 10), threads=threads).learn(12)
        found.append(policy.theta)
    assert np.array_equal(*found)


@pytest.mark.small
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"m": 0}, "M: 0 is not a number from 1 to 1,000,000"),
        ({"n": -3}, "N: -3 is not a number from 1"),
        ({"n": 10_000_000}, "N: 10000000 is not"),
        ({"alpha": 0.0}, "alpha: 0 is not a step size above 0"),
        ({"alpha": float("nan")}, "alpha: nan"),
        ({"alpha": 1e9}, r"alpha: 1e\+09 is not a step size above 0 and up to 1,000"),
        ({"baseline": "meen"}, "baseline: 'meen' is not one of them; did you mean mean"),
    ],
)
def test_wrong_settings(wrong, words):
    with pytest.raises(InputError, match=words):
        Balance(**wrong)


@pytest.mark.small
def test_every_position_comes_once_before_any_comes_again():
    order = [in_turn(k, 7, 3) for k in range(21)]
    assert [sorted(order[k : k + 7]) for k in (0, 7, 14)] == [list(range(7))] * 3
    assert order[:7] != order[7:14]
    assert order == [in_turn(k, 7, 3) for k in range(21)]
