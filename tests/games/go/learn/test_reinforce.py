"""Policy-gradient reinforcement learning: the direction of its steps, and that play becomes stronger."""

import numpy as np
import pytest
from learners import RULE, SIZES, shape_policy, tiny
from naive import softmax as naive
from naive.go import BLACK
from naive_names import by_number

from playout.errors import Diverged, InputError
from playout.games.api import is_over, outcome, play
from playout.games.go.board import Board
from playout.games.go.memory.shapes import Shapes
from playout.games.go.policy.shape_policy import ShapePolicy
from playout.games.go.policy.uniform import UNIFORM
from playout.kernel import new_rng
from playout.learn.reinforce import Reinforce, ReinforceLearner
from playout.player.simple import _ask

LIMIT = 7


def expected_step(game, by_name, komi):
    """E[1/T Σ_t z_t ψ_t], z_t being 1, 0 or −1 for who moved at t."""
    total = {}

    def follow(position, chance, scores, length):
        if position.is_over() or length == LIMIT:
            lead = position.area_score() - komi
            z = 0.0 if not position.is_over() or lead == 0 else (1.0 if lead > 0 else -1.0)
            for name, x in scores.items():
                total[name] = total.get(name, 0.0) + chance * z * x / length
            return
        sign = 1 if position.to_play == BLACK else -1
        for move, p in naive.probabilities(position, by_name, SIZES, RULE).items():
            found = dict(scores)
            for name, x in naive.psi(position, move, by_name, SIZES, RULE).items():
                found[name] = found.get(name, 0.0) + sign * x
            after = position.copy()
            after.play(move)
            follow(after, chance * p, found, length + 1)

    follow(game, 1.0, {}, 0)
    return total


def test_the_mean_step_is_the_exact_one():
    """With steps too small to matter, many games add up to the mean."""
    policy, by_name = shape_policy(2, 0.5)
    root, game = tiny(LIMIT)
    before = policy.theta.copy()
    games, alpha = 200_000, 1e-9
    ReinforceLearner(policy, Reinforce(alpha=alpha), root).learn(games)
    found = (policy.theta - before) / (games * alpha)
    expected = by_number(expected_step(game, by_name, 0.5), policy.features)
    assert np.abs(expected).max() > 0.02
    assert found == pytest.approx(expected, abs=0.004)


@pytest.mark.parametrize("baseline", ["none", "mean"])
def test_play_becomes_stronger(baseline):
    policy = ShapePolicy(Shapes(side=5, sizes=(1, 2)))
    learner = ReinforceLearner(policy, Reinforce(alpha=1.0, baseline=baseline), Board(5).simulation_root())
    learner.learn(4000)
    policy = policy.policies[0]
    policy["learning"] = 0
    assert strength(policy) > 0.75


def strength(policy):
    """The share of games that a policy wins against uniform play, both colours alike."""
    won = 0.0
    games = 200
    rng, uniform = new_rng(3), np.zeros(1, UNIFORM)
    for g in range(games):
        state = Board(5, 0.5).simulation_root()
        while not is_over(state[0]):
            mine = (state["to_play"][0] == 1) == (g % 2 == 0)
            play(state[0], int(_ask(state.copy(), policy if mine else uniform, rng)))
        won += outcome(state[0]) if g % 2 == 0 else 1.0 - outcome(state[0])
    return won / games


def test_the_same_seed_gives_the_same_bits():
    found = []
    for parts in ((300,), (100, 200)):
        policy = ShapePolicy(Shapes(side=4, sizes=(1, 2)))
        learner = ReinforceLearner(policy, Reinforce(baseline="mean"), Board(5).simulation_root(), seed=5)
        for part in parts:
            learner.learn(part)
        found.append(policy.theta)
    assert np.array_equal(*found)


def test_weights_that_diverge_are_noticed():
    policy = ShapePolicy(Shapes(side=4, sizes=(1, 2)))
    with pytest.raises(Diverged, match="a smaller alpha is needed"):
        ReinforceLearner(policy, Reinforce(alpha=1000.0), Board(5).simulation_root()).learn(2000)


@pytest.mark.small
@pytest.mark.parametrize("wrong", [{"alpha": -1.0}, {"alpha": 0.0}, {"baseline": "x"}])
def test_wrong_settings(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        Reinforce(**wrong)
