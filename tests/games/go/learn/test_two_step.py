"""Two-step balancing: V and g₂ by brute force, and what an update does."""

import numpy as np
import pytest
from draw import board
from learners import RULE, SIZES, gradient_of, leaves_of, point, shape_policy
from naive import softmax as naive
from naive.go import Go
from naive_names import by_number

from playout.errors import InputError
from playout.games.go.state import STATE
from playout.learn.two_step import Leaves, TwoStep, TwoStepLearner

# Both can capture, and after some moves only a pass is left for one of them.
POSITIONS = [
    (
        """
        . X O
        X O .
        . . O""",
        "X",
    ),
    (
        """
        . X O
        X . .
        . O .""",
        "O",
    ),
    (
        """
        . . X .
        . X O O
        X O . O
        . X O .""",
        "X",
    ),
    (
        """
        . X .
        X X X
        X X X""",
        "O",
    ),
]


def brute_force(game, by_name, rows):
    """Algorithm 2, word for word."""
    value = {(a, b): v for a, b, v in rows}
    mean, g2 = 0.0, {}
    for a, first in naive.probabilities(game, by_name, SIZES, RULE).items():
        after = game.copy()
        after.play(a)
        for b, second in naive.probabilities(after, by_name, SIZES, RULE).items():
            p = first * second
            v = value[point(a), point(b)]
            mean += p * v
            for psi in (
                naive.psi(game, a, by_name, SIZES, RULE),
                naive.psi(after, b, by_name, SIZES, RULE),
            ):
                for name, x in psi.items():
                    g2[name] = g2.get(name, 0.0) + p * v * x
    return mean, g2


def learner_of(text, to_play, scale=0.5, drop=0):
    game = Go.drawn(text, to_play)
    rows = leaves_of(game, np.random.default_rng(4))
    policy, by_name = shape_policy(game.side, scale)
    root = np.zeros(1, STATE)
    root[0] = board(text, to_play)
    first, second, value = (np.array(column) for column in zip(*rows[drop:], strict=True))
    leaves = Leaves(np.array([0, len(value)]), first.astype(np.uint16), second.astype(np.uint16), value)
    learner = TwoStepLearner(policy, TwoStep(alpha=5.0), root, np.array([0.9]), leaves)
    return learner, game, by_name, rows


@pytest.mark.parametrize(("text", "to_play"), POSITIONS)
def test_v_and_g2_are_those_of_brute_force(text, to_play):
    learner, game, by_name, rows = learner_of(text, to_play)
    mean, g2 = brute_force(game, by_name, rows)
    value, credit = learner.two_steps(0)
    assert value == pytest.approx(mean)
    expected = by_number(g2, learner.policy.features)
    assert gradient_of(learner.policy, credit) == pytest.approx(expected, abs=1e-9)
    assert np.abs(expected).max() > 0.001 or len(rows) == 1


def test_an_update_brings_v_nearer_to_the_value():
    learner, *_ = learner_of(*POSITIONS[1])
    before = learner.two_steps(0)[0]
    learner.learn(40)
    after = learner.two_steps(0)[0]
    assert abs(0.9 - after) < 0.8 * abs(0.9 - before)


def test_missing_values_are_noticed():
    learner, *_ = learner_of(*POSITIONS[1], drop=1)
    with pytest.raises(InputError, match="position 0 has no values for pairs of moves"):
        learner.learn(1)


@pytest.mark.small
def test_wrong_settings():
    with pytest.raises(InputError, match="alpha"):
        TwoStep(alpha=0.0)
