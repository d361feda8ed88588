"""J, B₂ and B∞ of policies on positions: samples against sums over all moves."""

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.api import play
from playout.games.go.learn.position_maker import make
from playout.games.go.learn.positions import Recipe
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.store import Weights
from playout.games.go.policy import Mogo, Uniform
from playout.games.go.policy.shape_policy import PAPER
from playout.games.go.policy.softmax import softmax_policy
from playout.games.go.state import BLACK, POINTS
from playout.kernel import clone, kernel
from playout.learn.measures import imbalance, strength
from playout.player.valuer import Valuer
from playout.policy.softmax import probability, room_for
from playout.reproduce.move_errors import move_errors
from playout.reproduce.value_errors import Judge

SHAPES = Shapes(side=3, sizes=PAPER)


@pytest.fixture(scope="module")
def data():
    valuer = Valuer("uct:policy=uniform")
    try:
        return make(Recipe(size=3, komi=0.5, sims=20, leaf_sims=10), 12, valuer)
    finally:
        valuer.close()


@kernel
def _chances(policies, states, actions, found):
    return probability(policies[0], states[0], actions, found)


def chances(policy, state):
    """π by point."""
    actions, chances = room_for(state)
    number = _chances(policy, state, actions, chances)
    found = np.zeros(POINTS)
    found[actions[:number]] = chances[:number]
    return found


def sums(weights, data):
    """J and B₂ from the definitions: every move and every answer, with its probability."""
    policy = softmax_policy(weights)
    ones, twos = [], []
    for k in range(len(data)):
        rows = slice(data.leaves.starts[k], data.leaves.starts[k + 1])
        leaves = list(
            zip(data.leaves.first[rows], data.leaves.second[rows], data.leaves.value[rows], strict=True)
        )
        first = chances(policy, data.roots[k : k + 1])
        best = min if data.roots["to_play"][k] == BLACK else max
        for a in {int(a) for a, _, _ in leaves}:
            state = clone(data.roots[k : k + 1])
            play(state[0], a)
            second = chances(policy, state)
            answers = {int(b): v for one, b, v in leaves if one == a}
            ones.append((k, best(answers.values()), first[a]))
            twos += [(k, v, first[a] * second[b]) for b, v in answers.items()]

    def by(measure, rows):
        state, after, probability = (np.array(column) for column in zip(*rows, strict=True))
        return measure(data.searched, after, state=state, probability=probability)

    return by(strength, ones), by(imbalance, twos)


@pytest.mark.parametrize("wildness", [0, 1.5])
def test_samples_agree_with_sums_over_all_moves(data, wildness):
    unique = features_of(SHAPES).unique
    weights = Weights(SHAPES, np.linspace(-wildness, wildness, unique, dtype=np.float32))
    found, error = move_errors(weights, data, simulations=4000)
    strength, two_step = sums(weights, data)
    assert found.strength == pytest.approx(strength, abs=0.006)
    assert found.two_step == pytest.approx(two_step, abs=0.006)
    assert strength > two_step
    assert 0 < error.strength < found.strength
    judge = Judge(data, simulations=4000)
    assert found.full == pytest.approx(judge.errors_of(weights)["imbalance"], abs=0.01)


def test_any_policy_and_the_same_numbers_again(data):
    assert move_errors(Uniform(), data, 2, 50) == move_errors(Uniform(), data, 2, 50)
    assert move_errors(Uniform(), data, 2, 50) != move_errors(Uniform(), data, 3, 50)
    assert move_errors(Mogo(), data, 2, 50) != move_errors(Uniform(), data, 2, 50)


def test_wrong_input_is_refused(data):
    with pytest.raises(InputError, match="simulations: 1"):
        move_errors(Uniform(), data, simulations=1)
    for few in (data.where(np.array([1])), make(Recipe(size=3, komi=0.5, sims=0, exact_nodes=500), 3)):
        with pytest.raises(InputError, match="two moves later"):
            move_errors(Uniform(), few)
