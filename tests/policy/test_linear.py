"""Softmax over any features of moves: a user's game with features of its own, learnt by all six learners."""

import math

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.api import Facts, declare, is_over, legal_moves, outcome, play, to_play
from playout.kernel import implements, record_type
from playout.learn.adjust import Adjust, AdjustLearner
from playout.learn.balance import Balance, BalanceLearner
from playout.learn.bradley_terry import BradleyTerry, BradleyTerryLearner
from playout.learn.regression import Regression, RegressionLearner, likelihood
from playout.learn.reinforce import Reinforce, ReinforceLearner
from playout.learn.two_step import Leaves, TwoStep, TwoStepLearner
from playout.policy.linear import describe, linear_policy, look_round
from playout.policy.softmax import probability, room_for

# Take one to three stones; whoever takes the last one wins. The right move leaves a multiple of four.
TAKE = record_type([("left", "u1"), ("took_turns", "u1")], tag="take away")
declare(TAKE, Facts(actions=4, choices=3, moves=20))
LEAVES = record_type([("leaves", "u1")])


@implements(play, TAKE)
def _play(state, action):
    state.left -= action
    state.took_turns += 1


@implements(legal_moves, TAKE)
def _legal_moves(state, moves):
    n = min(3, state.left)
    for k in range(n):
        moves[k] = k + 1
    return n


@implements(to_play, TAKE)
def _to_play(state):
    return 1 + state.took_turns % 2


@implements(is_over, TAKE)
def _is_over(state):
    return state.left == 0


@implements(outcome, TAKE)
def _outcome(state):
    return float(state.took_turns % 2)


@implements(look_round, LEAVES)
def _look(features, state):
    features.leaves = state.left


@implements(describe, LEAVES)
def _describe(features, state, action, found):
    """What is left, modulo four; and whether three were taken."""
    found[0] = (features.leaves - action) % 4
    if action == 3:
        found[1] = 4
        return 2
    return 1


def states(*left, turn=0):
    found = np.zeros(len(left), TAKE)
    found["left"], found["took_turns"] = left, turn
    return found


def policy(theta=None, records=2):
    theta = None if theta is None else np.array(theta, float)
    return linear_policy(np.zeros(1, LEAVES), states(8), count=5, most=2, theta=theta, records=records)


def shares(made, left):
    actions, chances = room_for(states(left))
    number = probability(made.records[0], states(left)[0], actions, chances)
    return dict(zip(actions[:number].tolist(), chances[:number].tolist(), strict=True))


def value(left, theta):
    """Exact: the mover's chance to win if both draw their moves, and its gradient by θ."""
    if left == 0:
        return 0.0, np.zeros(5)
    moves = range(1, min(3, left) + 1)
    phi = {a: np.array([float((left - a) % 4 == k) for k in range(4)] + [float(a == 3)]) for a in moves}
    weights = {a: math.exp(phi[a] @ theta) for a in moves}
    chances = {a: w / sum(weights.values()) for a, w in weights.items()}
    mean_phi = sum(chances[a] * phi[a] for a in moves)
    total, slope = 0.0, np.zeros(5)
    for a in moves:
        after, after_slope = value(left - a, theta)
        total += chances[a] * (1 - after)
        slope += chances[a] * (1 - after) * (phi[a] - mean_phi) - chances[a] * after_slope
    return total, slope


THETA = [0.3, -0.2, 0.5, 0.1, 0.7]
LEFT = (5, 6, 7, 9, 10, 11)
RIGHT = [left % 4 for left in LEFT]


@pytest.mark.small
def test_probabilities_are_the_softmax_of_what_a_move_has():
    found = shares(policy(THETA), 7)
    z = {1: THETA[2], 2: THETA[1], 3: THETA[0] + THETA[4]}
    total = sum(map(math.exp, z.values()))
    assert found == pytest.approx({a: math.exp(x) / total for a, x in z.items()})


def test_the_gradient_of_simulations_is_the_exact_one():
    made = policy(THETA)
    learner = BalanceLearner(made, Balance(m=40_000, n=40_000, per_move=False), states(6), np.zeros(1))
    mean, g = learner.estimate(states(6))
    expected, slope = value(6, np.array(THETA))
    assert mean == pytest.approx(expected, abs=0.01)
    assert made.by_weight(g) == pytest.approx(slope, abs=0.015)
    assert np.abs(slope).max() > 0.05


@pytest.mark.parametrize("baseline", ["none", "mean"])
@pytest.mark.parametrize("turn", [0, 1])
def test_the_gradient_of_adjusting_is_the_exact_one(baseline, turn):
    """(V_max − V*) ∇(V_max − V*), every game gone through; the side to move may be the second player."""
    made = policy(THETA)
    roots = states(7, turn=turn)
    learner = AdjustLearner(made, Adjust(m=60_000, n=60_000, baseline=baseline), roots, [[1]])
    after = {a: value(7 - a, np.array(THETA)) for a in (1, 2, 3)}
    star, best = 1, min(after, key=lambda a: after[a][0])
    assert best != star
    error = after[star][0] - after[best][0]  # V = 1 − the opponent's chance
    expected = error * (after[star][1] - after[best][1])
    found = learner._samplers[0]
    found.descend(roots, learner.right[0], learner.settings)
    assert made.by_weight(found.sums) == pytest.approx(expected, abs=0.01)
    assert np.abs(expected).max() > 0.02


def leaves_of(roots):
    """Values two moves later, by best play."""
    rows, starts = [], [0]
    for left in roots["left"]:
        for a in range(1, min(3, left) + 1):
            if left == a:
                rows.append((a, 0, 1.0))
            for b in range(1, min(3, left - a) + 1):
                rows.append((a, b, float((left - a - b) % 4 != 0)))
        starts.append(len(rows))
    first, second, worth = (np.array(column) for column in zip(*rows, strict=True))
    return Leaves(np.array(starts), first.astype(np.uint16), second.astype(np.uint16), worth)


def learners(made):
    """A learner of each kind, how many updates it takes, and what has to fall."""
    roots, right = states(*LEFT), np.array(RIGHT)
    two_step = TwoStepLearner(made, TwoStep(alpha=1.0), roots, np.ones(6), leaves_of(roots))
    balance = BalanceLearner(made, Balance(alpha=10.0, baseline="mean"), roots, np.ones(6))
    worst = [[1 + right % 3] for right in RIGHT]  # a move that leaves the other one something to take
    adjust = AdjustLearner(made, Adjust(alpha=8.0), roots, worst)

    def unlikely():
        return 1 - shares(made, 23)[3]  # a position that none has seen

    def bias():
        return np.mean([(1 - balance.estimate(roots[k : k + 1])[0]) ** 2 for k in range(6)])

    def two_step_bias():
        return np.mean([(1 - two_step.two_steps(k)[0]) ** 2 for k in range(6)])

    def objective():
        return np.mean([(found.highest - found.right) ** 2 for found in adjust.look(2000)])

    return {
        "regression": (RegressionLearner(made, Regression(alpha=0.1), roots, right), 600, unlikely),
        "mm": (BradleyTerryLearner(made, BradleyTerry(), roots, right), 30, unlikely),
        "reinforce": (ReinforceLearner(made, Reinforce(alpha=0.2), states(11)), 3000, unlikely),
        "balance": (balance, 150, bias),
        "two-step": (two_step, 300, two_step_bias),
        "adjust": (adjust, 300, objective),
    }


@pytest.mark.parametrize("name", ["regression", "mm", "reinforce", "balance", "two-step", "adjust"])
def test_every_learner_learns_a_game_of_ones_own(name):
    made = policy()
    learner, updates, measure = learners(made)[name]
    before = measure()
    learner.learn(updates)
    assert measure() < 0.8 * before, (before, made.theta)
    assert np.abs(made.theta).max() > 0.05


def test_regression_and_minorization_agree():
    one, other = policy(), policy()
    dice = np.random.default_rng(1)
    roots = states(*dice.integers(4, 20, 200))
    choices = np.where(dice.random(200) < 0.4, np.maximum(1, roots["left"] % 4), dice.integers(1, 4, 200))
    RegressionLearner(one, Regression(alpha=0.2, cooling=True), roots, choices, last=40_000).learn(40_000)
    BradleyTerryLearner(other, BradleyTerry(ties=0.0), roots, choices).learn(100)
    assert likelihood(one, roots, choices) == pytest.approx(likelihood(other, roots, choices), rel=1e-3)


def test_two_threads_give_the_same_bits_and_batches_the_same_positions():
    found = []
    for threads, parts in ((1, (7,)), (2, (3, 4))):
        made = policy()
        learner = AdjustLearner(
            made, Adjust(m=9, n=7, batch=4), states(*LEFT), [[m] for m in RIGHT], threads=threads
        )
        for part in parts:
            learner.learn(part)
        found.append(made.theta)
    assert np.array_equal(*found)
    assert np.any(found[0] != 0)
    assert learner.steps == 2


@pytest.mark.small
def test_the_papers_step_sizes():
    for iteration in (0, 7, 149):
        paper = 1.0 / (10 * math.log(iteration * 2.0 + 3.0))
        assert Adjust().alpha_of(iteration) == pytest.approx(paper)
    assert Adjust(alpha=0.5, step_sizes="constant").alpha_of(9) == 0.5


@pytest.mark.small
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"m": 0}, "M: 0 is not a number from 1"),
        ({"batch": 0}, "batch: 0 is not"),
        ({"alpha": -1.0}, "alpha: -1 is not a step size"),
        ({"step_sizes": "rot"}, "did you mean root"),
        ({"objective": "margins"}, "did you mean margin"),
        ({"temperature": 0.0}, "temperature: 0 is not from 0.001 to 1000"),
        ({"temperature": math.nan}, "temperature: nan is not"),
    ],
)
def test_wrong_settings(wrong, words):
    with pytest.raises(InputError, match=words):
        Adjust(**wrong)


def test_learners_say_how_many_must_play():
    alone, roots = policy(records=1), states(*LEFT)
    for make in (
        lambda: AdjustLearner(alone, Adjust(), roots, [[m] for m in RIGHT]),
        lambda: BalanceLearner(alone, Balance(), roots, np.ones(6)),
        lambda: TwoStepLearner(alone, TwoStep(), roots, np.ones(6), leaves_of(roots)),
    ):
        with pytest.raises(InputError, match="it has 1: make it with records=2"):
            make()


def test_right_moves_must_be_there_and_legal():
    for right, words in (
        ([[7]], "right move 7 of position 1 is not legal"),
        ([[]], "no right move"),
        ([], "0 do"),
    ):
        with pytest.raises(InputError, match=words):
            AdjustLearner(policy(), Adjust(), states(5), right)


@pytest.mark.small
def test_features_that_cannot_be_are_refused():
    with pytest.raises(InputError, match="features of which a move has up to"):
        linear_policy(np.zeros(1, LEAVES), states(8), count=1, most=2)
