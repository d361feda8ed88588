"""Learners against the equations: on a chain whose values are known, and on small boards of Go."""

import numpy as np
import pytest
from draw import empty_board
from naive import td as naive
from naive.rng import splitmix64
from naive_names import naive_phi

from playout.errors import InputError
from playout.games import api as game
from playout.games.api import play, tree_moves
from playout.games.game import Game, state_type
from playout.games.go.memory.codes import shapes_record
from playout.games.go.memory.shapes import Shapes, features_of
from playout.kernel import implements, kernel, new_rng, record_type
from playout.learn.td import GREEDY_TO_THE_END, train
from playout.memory import api as memory_api
from playout.memory.td import EXPERIENCE, Learner, draw_towards
from playout.search.self_play import Episode

CHAIN = record_type([("chain_at", "u2"), ("chain_length", "u2"), ("chain_steps", "u2")])
TABLE = record_type([("table_memory", "u1")])
LONGEST = 4000


@implements(game.play, CHAIN)
def play_chain(state, action):
    state.chain_at = state.chain_at + 1 if action == 1 else state.chain_at - 1
    state.chain_steps += np.uint16(1)


@implements(game.is_over, CHAIN)
def over_chain(state):
    return state.chain_at in (0, state.chain_length + 1)


@implements(game.outcome, CHAIN)
def outcome_chain(state):
    return 1.0 if state.chain_at > 0 else 0.0


@implements(game.to_play, CHAIN)
def to_play_chain(state):
    return 1 + state.chain_steps % 2


@implements(memory_api.active, TABLE)
def active_table(memory, index, state, features):
    features[0] = 2 * state.chain_at
    return 1


@implements(memory_api.choices, TABLE)
def choices_table(memory, state, actions):
    actions[0] = 0
    actions[1] = 1
    return 2


@implements(memory_api.after_values, TABLE)
def after_values_table(memory, index, weights, state, actions, count, values):
    for k in range(count):
        values[k] = weights[2 * state.chain_at + (2 if actions[k] == 1 else -2)]


class Dice:
    """The numbers that a kernel with this seed draws."""

    def __init__(self, seed):
        self._numbers = splitmix64(int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]))

    def next(self):
        return next(self._numbers)

    def below(self, n):
        return (self.next() >> 32) * n >> 32


def episode_of(learner, weights, max_active):
    return Episode.of(learner, weights, max_active, LONGEST).arrays()


def walk(learner, games, length=5, seed=1, weights=None, learnt=None):
    """Weights of the places of a chain after some games, as pairs."""
    start = np.zeros(1, CHAIN)
    start["chain_at"], start["chain_length"] = (length + 1) // 2, length
    weights = np.zeros(2 * (length + 2), np.float32) if weights is None else weights
    train(
        start,
        start.copy(),
        np.zeros(1, TABLE),
        np.zeros(1, np.uint32),
        weights,
        weights if learnt is None else learnt,
        learner.record(),
        GREEDY_TO_THE_END,
        episode_of(learner, weights, 1),
        np.zeros(1, EXPERIENCE),
        new_rng(seed),
        games,
    )
    return weights if learnt is None else learnt


def value(learner, pairs):
    x = pairs[2:-2:2].astype(float)
    return 0.5 + x if learner.rule == "linear" else 1 / (1 + np.exp(-x))


ALL = [
    Learner(rule="logistic", epsilon=1),
    Learner(rule="nonlinear", epsilon=1),
    Learner(rule="linear", epsilon=1),
    Learner(rule="monte-carlo", epsilon=1),
    Learner(rule="logistic", epsilon=1, plies=1),
    Learner(rule="linear", epsilon=1, plies=1, lam=0.7),
    Learner(rule="nonlinear", epsilon=1, plies=1, lam=0.5, traces="replacing"),
    Learner(rule="logistic", epsilon=1, lam=0.9),
    Learner(rule="logistic", epsilon=1, lam=0.6, traces="replacing"),
    Learner(rule="logistic", epsilon=1, lam=1.0),
]


def name(learner):
    return f"{learner.rule}-{learner.plies}-{learner.lam:g}-{learner.traces}"


@pytest.mark.parametrize("learner", ALL, ids=name)
def test_a_random_walk_has_its_known_values(learner):
    # From place k of 5 the right end comes first with probability k / 6 (Sutton 1988).
    weights = np.zeros(14, np.float32)
    for alpha, games in ((0.2, 3000), (0.02, 6000), (0.004, 20_000)):
        fine = Learner(**{**learner.facts(), "alpha": alpha * (4 if learner.rule == "nonlinear" else 1)})
        weights = walk(fine, games, seed=games, weights=weights)
    assert value(learner, weights) == pytest.approx(np.arange(1, 6) / 6, abs=0.035)


@pytest.mark.small
@pytest.mark.parametrize("learner", ALL, ids=name)
def test_a_walk_is_learnt_as_the_equations_say(learner):
    found = walk(learner, 4, length=4, seed=3)
    rng = Dice(3)
    theta = np.zeros(6)
    for _ in range(4):
        at, visited = 2, []
        while 0 < at < 5:
            visited.append((np.eye(6)[at], 1))
            rng.next()  # whether to explore: always
            at += 1 if rng.below(2) else -1
        theta = naive.learn(
            theta,
            visited,
            float(at > 0),
            rule=learner.rule,
            alpha=learner.alpha,
            lam=learner.lam,
            traces=learner.traces,
            plies=learner.plies,
        )
    assert found[0::2] == pytest.approx(theta, abs=1e-5)
    assert found[1::2] == pytest.approx(-theta, abs=1e-5)
    assert np.any(theta != 0)


@pytest.mark.small
@pytest.mark.parametrize("plies", [1, 2])
def test_with_lambda_1_td_is_logistic_monte_carlo(plies):
    before = np.zeros(14, np.float32)
    before[2:-2:2] = [0.5, -0.3, 0.1, 0.4, 0.2]
    before[3:-2:2] = -before[2:-2:2]
    for seed in range(5):
        one = walk(
            Learner(lam=1.0, epsilon=1, plies=plies), 1, seed=seed, weights=before, learnt=before.copy()
        )
        two = walk(
            Learner(rule="monte-carlo", epsilon=1, plies=plies),
            1,
            seed=seed,
            weights=before,
            learnt=before.copy(),
        )
        assert one == pytest.approx(two, abs=1e-5)
        assert np.any(one != before)


# -- Go -----------------------------------------------------------------------------------------------


def go_game(learner, seed, side=3, sizes=(1, 2), sharing="both", theta=None):
    """The weights after one random game; and the game: φ and the active features of every position."""
    features = features_of(Shapes(side=side, sizes=sizes, sharing=sharing))
    root = np.array([empty_board(side)])
    root["limit"], root["komi"] = 200, 0.5
    weights = features.pairs(np.zeros(features.unique) if theta is None else theta)
    learnt = weights.copy()
    train(
        root,
        root.copy(),
        shapes_record(features),
        features.index,
        weights,
        learnt,
        learner.record(),
        GREEDY_TO_THE_END,
        episode_of(learner, weights, features.max_active),
        np.zeros(1, EXPERIENCE),
        new_rng(seed),
        1,
    )
    return features, features.theta(learnt), *replayed(features, root, sharing, seed)


def replayed(features, root, sharing, seed):
    """The same random game once more, its features read by the naive twin."""
    phi_of = naive_phi(features, sharing)
    state, rng, positions = root[0].copy(), Dice(seed), []
    moves = np.zeros(512, np.uint16)
    while not game.is_over(state):
        positions.append(phi_of(state))
        n = tree_moves(state, moves)
        n = n - 1 if n > 1 else n
        rng.next()
        play(state, int(moves[rng.below(n)]))
    return positions, float(game.outcome(state))


@pytest.mark.parametrize("learner", [*ALL[:4], ALL[7]], ids=name)
@pytest.mark.parametrize("sharing", ["both", "dependent", "none"])
def test_a_game_of_go_is_learnt_as_the_equations_say(learner, sharing):
    theta = np.random.default_rng(2).normal(
        size=features_of(Shapes(side=3, sizes=(1, 2), sharing=sharing)).unique
    )
    _, found, positions, outcome = go_game(learner, 5, sharing=sharing, theta=theta * 0.3)
    expected = naive.learn(
        theta * 0.3,
        positions,
        outcome,
        rule=learner.rule,
        alpha=learner.alpha,
        lam=learner.lam,
        plies=learner.plies,
        offline=True,
    )
    assert len(positions) > 8
    assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_of_logistic_monte_carlo(seed):
    learner = Learner(rule="monte-carlo", epsilon=1, alpha=1.0)
    theta = np.random.default_rng(seed).normal(size=features_of(Shapes(side=3, sizes=(1, 2))).unique) * 0.3
    _, found, positions, outcome = go_game(learner, seed, theta=theta)
    slope = []
    for k in range(theta.size):
        step = np.zeros_like(theta)
        step[k] = 1e-5
        slope.append(
            naive.log_likelihood(theta + step, positions, outcome)
            - naive.log_likelihood(theta - step, positions, outcome)
        )
    assert found - theta == pytest.approx(np.array(slope) / 2e-5, abs=1e-4)


@kernel
def _one_step(learnt, learners, features, count, value, target, trace, marks):
    return draw_towards(learnt, learners[0], features, count, value, target, trace, marks, 0, 1.0)


@pytest.mark.small
def test_one_update_by_hand():
    # Two weights are active, one of them in two features: Δθ = 0.3 (0.9 - 0.5) φ / 3.
    learnt = np.zeros(8, np.float32)
    features = np.array([2, 4, 4, 0], np.uint32)
    none = np.zeros((1, 2))
    _one_step(learnt, Learner(alpha=0.3).record(), features, 3, 0.5, 0.9, none, np.zeros(1, np.uint32))
    assert learnt == pytest.approx([0, 0, 0.04, -0.04, 0.08, -0.08, 0, 0])
    # With the negative sign, and the slope of the logistic function (A.11).
    learnt[:] = 0
    features[:3] = [3, 4, 6]
    learner = Learner(alpha=0.3, rule="nonlinear").record()
    _one_step(learnt, learner, features, 3, 0.25, 0.75, none, np.zeros(1, np.uint32))
    step = 0.3 * 0.5 * 0.25 * 0.75 / 3
    assert learnt == pytest.approx([0, 0, -step, step, step, -step, step, -step])


@pytest.mark.small
def test_an_empty_board_teaches_nothing():
    learnt = np.zeros(4, np.float32)
    _one_step(
        learnt,
        Learner().record(),
        np.zeros(2, np.uint32),
        0,
        0.5,
        1.0,
        np.zeros((1, 2)),
        np.zeros(1, np.uint32),
    )
    assert not learnt.any()


def test_greedy_play_takes_the_better_end():
    # Once the values are known and nothing is random, both players' choices of a chain pull their own way.
    weights = np.zeros(14, np.float32)
    weights[2:-2:2] = [-2, -1, 0, 1, 2]
    weights[3:-2:2] = -weights[2:-2:2]
    learner = Learner(epsilon=0.2, alpha=0.05)
    assert np.isfinite(walk(learner, 50, weights=weights)).all()


@pytest.mark.small
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"alpha": 0}, "alpha: 0 is not a step size above 0"),
        ({"alpha": -0.1}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"lam": 1.1}, "lambda: 1.1 is not between 0 and 1"),
        ({"lam": -0.1}, "lambda"),
        ({"lam": 0.5, "rule": "monte-carlo"}, "monte-carlo has no traces"),
        ({"epsilon": 2}, "epsilon"),
        ({"plies": 3}, "plies: 3 is not 1 or 2"),
        ({"rule": "logstic"}, "did you mean logistic"),
        ({"traces": "dutch"}, "traces: 'dutch'"),
    ],
)
def test_wrong_settings_are_refused_by_name(wrong, message):
    with pytest.raises(InputError, match=message):
        Learner(**wrong)


# -- rewards and chance -----------------------------------------------------------------------------------

LOW, HIGH, GAMMA = -4.0, 8.0, 0.9
TOLL = state_type([("toll_at", "i4"), ("toll_paid", "f8"), ("toll_drifts", "u1"), ("toll_moving", "u1")])
PLACES = record_type([("places_memory", "u1")])


def pay_toll(state, action):
    if state.toll_drifts:
        state.toll_moving = 1
        state.toll_paid = 0.0
    else:
        state.toll_at += 1
        state.toll_paid = state.toll_at - 3.0


def drift(state, event):
    state.toll_at += 1 if event == 1 else -1
    state.toll_paid = 5.0 if state.toll_at == 6 else -1.0
    state.toll_moving = 0


def even_chances(state, probabilities):
    probabilities[0] = probabilities[1] = 0.5
    return 2


TOLLS = Game(
    name="tolls",
    state=TOLL,
    start=lambda: np.zeros(1, TOLL),
    play=pay_toll,
    legal_moves=lambda state, moves: 1,
    is_over=lambda state: state.toll_at == 6 or state.toll_at < 0,
    reward=lambda state: state.toll_paid,
    discount=lambda state: GAMMA if state.toll_moving == 0 else 1.0,
    is_chance=lambda state: state.toll_moving == 1,
    chances=even_chances,
    happen=drift,
    players=1,
    events=2,
    low=LOW,
    high=HIGH,
)


@implements(memory_api.active, PLACES)
def active_places(memory, index, state, features):
    features[0] = 2 * (state.toll_at + 1)
    return 1


@implements(memory_api.choices, PLACES)
def choices_places(memory, state, actions):
    actions[0] = 0
    return 1


@implements(memory_api.after_values, PLACES)
def after_values_places(memory, index, weights, state, actions, count, values):
    values[0] = 0.0


def tolls(learner, games, drifts, start=0):
    """Weights of the places after some games."""
    root = np.zeros(1, TOLL)
    root["toll_at"], root["toll_drifts"] = start, drifts
    weights = np.zeros(16, np.float32)
    experience, rng = np.zeros(1, EXPERIENCE), new_rng(1)
    memory, index = np.zeros(1, PLACES), np.zeros(1, np.uint32)
    parts = (memory, index, weights, weights, learner.record(), GREEDY_TO_THE_END)
    train(root, root.copy(), *parts, episode_of(learner, weights, 1), experience, rng, games)
    return weights[::2].astype(float)


@pytest.mark.parametrize("learner", ALL, ids=name)
def test_rewards_are_learnt_as_the_equations_say(learner):
    places = [(np.eye(8)[place + 1], 1) for place in range(6)]
    turns = [(place + 1 - 3.0, GAMMA) for place in range(6)]
    theta = np.zeros(8)
    for _ in range(3):
        facts = {key: value for key, value in learner.facts().items() if key != "epsilon"}
        theta = naive.learn(theta, places, -LOW / (HIGH - LOW), turns=turns, low=LOW, high=HIGH, **facts)
    assert tolls(learner, 3, drifts=False) == pytest.approx(theta, abs=1e-5)


def test_what_chance_pays_is_learnt():
    """A walk that chance makes: the values of the places, by the equations of Bellman."""
    matrix, right = np.eye(6), np.zeros(6)
    for place in range(6):
        for to in (place - 1, place + 1):
            right[place] += 0.5 * (5.0 if to == 6 else -1.0)
            if 0 <= to < 6:
                matrix[place, to] -= 0.5 * GAMMA
    values = np.linalg.solve(matrix, right)
    weights = tolls(Learner(rule="linear", plies=1, alpha=0.02), 60_000, drifts=True, start=3)
    found = LOW + (0.5 + weights[1:7]) * (HIGH - LOW)
    assert found == pytest.approx(values, abs=0.35)
