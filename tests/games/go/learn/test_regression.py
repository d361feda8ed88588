"""Softmax regression: its step, and that it comes to the maximum of the likelihood."""

import numpy as np
import pytest
from learners import RULE, SIZES, positions, shape_policy
from naive import softmax as naive
from naive.go import Go
from naive_names import by_number

from playout.errors import InputError
from playout.games.go.memory.shapes import Shapes
from playout.games.go.policy.shape_policy import ShapePolicy
from playout.kernel import kernel, new_rng
from playout.learn.bradley_terry import BradleyTerry, BradleyTerryLearner
from playout.learn.regression import Regression, RegressionLearner
from playout.policy.api import begin, sample


@kernel
def choose(roots, policies, actions, rng):
    for k in range(roots.size):
        begin(policies[0], roots[k])
        actions[k] = sample(policies[0], roots[k], rng[0])


def example(count=2000, scale=0.4, side=5):
    """Positions, and moves that a policy with known weights has chosen there."""
    expert, _ = shape_policy(side, scale)
    roots = positions(side, count)
    actions = np.zeros(count, np.uint16)
    choose(roots, expert.policies[0], actions, new_rng(2))
    return expert, roots, actions


@pytest.mark.small
def test_one_step_is_alpha_times_psi():
    policy, by_name = shape_policy(3, 0.5)
    roots = positions(3, 1)
    before = policy.theta.copy()
    RegressionLearner(policy, Regression(alpha=0.01), roots, np.array([21])).learn(1)
    expected = by_number(naive.psi(Go(3), (0, 0), by_name, SIZES, RULE), policy.features)
    assert policy.theta - before == pytest.approx(0.01 * expected, abs=1e-9)
    assert np.abs(expected).max() > 0.1


def test_regression_and_minorization_reach_the_same_likelihood():
    """They maximise one concave function."""
    expert, roots, actions = example()
    regression = RegressionLearner(
        ShapePolicy(expert.features.shapes), Regression(alpha=0.1, cooling=True), roots, actions, last=200_000
    )
    regression.learn(200_000)
    minorization = BradleyTerryLearner(
        ShapePolicy(expert.features.shapes), BradleyTerry(ties=0.0), roots, actions
    )
    even = minorization.likelihood()
    minorization.learn(200)
    best = minorization.likelihood()
    assert regression.likelihood() == pytest.approx(best, rel=1e-4)
    assert best > 0.9 * even  # both are negative: more likely than even choice by a tenth
    truth = RegressionLearner(expert, Regression(), roots, actions).likelihood()
    assert best > truth > 1.02 * best


def test_moves_that_no_policy_makes_are_passed_over():
    policy, _ = shape_policy(5, 0.5)
    before = policy.theta.copy()
    learner = RegressionLearner(policy, Regression(), positions(5, 4), np.zeros(4))
    learner.learn(4)
    assert np.array_equal(policy.theta, before)
    with pytest.raises(InputError, match="no position of the data"):
        BradleyTerryLearner(policy, BradleyTerry(), positions(5, 4), np.zeros(4))


def test_the_same_examples_give_the_same_bits():
    _, roots, actions = example(50)
    found = []
    for parts in ((120,), (50, 70)):
        policy = ShapePolicy(Shapes(side=5, sizes=(1, 2)))
        learner = RegressionLearner(policy, Regression(), roots, actions)
        for part in parts:
            learner.learn(part)
        found.append(policy.theta)
    assert np.array_equal(*found)


@pytest.mark.small
def test_wrong_settings():
    with pytest.raises(InputError, match="alpha: -1 is not a step size"):
        Regression(alpha=-1.0)
    with pytest.raises(InputError, match="ties: -1 is not a number from 0"):
        BradleyTerry(ties=-1.0)
    with pytest.raises(InputError, match="cooling"):
        RegressionLearner(*[None], Regression(cooling=True), None, np.zeros(1))
