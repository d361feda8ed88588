"""Softmax over the features of moves: each feature and each probability against the naive twin."""

import math

import numba
import numpy as np
import pytest
from draw import empty_board, to_place, to_point
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import move_features as naive
from naive import tactics
from naive.go import Go

from playout.games.api import play
from playout.games.go.board import Board
from playout.games.go.memory.move_weights import MoveWeights
from playout.games.go.policy.feature_policy import FeaturePolicy, listed
from playout.games.go.policy.feature_softmax import COUNT, feature_policy
from playout.games.go.policy.move_features import simulation_names
from playout.games.go.state import POINTS, STATE
from playout.kernel import kernel, new_rng
from playout.policy.api import begin, sample
from playout.policy.softmax import collect, credit, forget
from playout.search.simulation import evaluate

NAMES = simulation_names()
PATTERNS = {name.removeprefix("pattern ") for name in NAMES if name.startswith("pattern ")}


@kernel
def begun(policies, state):
    begin(policies[0], state)


@kernel
def told(policies, state, actions, chances, table):
    """The moves, π of each and its features; the policy goes on from where it was."""
    number = listed(policies[0], state, actions, chances)
    for k in range(number):
        forget(policies[0])
        credit(policies[0], state, actions[k], 1.0)
        collect(policies[0], 1.0, 1.0, table[k])
    return number


@kernel
def draw_many(policies, state, counts, times, rng):
    for _ in range(times):
        counts[sample(policies[0], state, rng[0])] += 1


@kernel
def asked(policies, state, rng):
    return sample(policies[0], state, rng[0])


def look(policy, state):
    """By move: π and the names of its features."""
    actions, chances, table = np.zeros(400, np.uint16), np.zeros(400), np.zeros((400, COUNT))
    number = told(policy, state, actions, chances, table)
    return {
        to_place(int(actions[k])): (chances[k], {NAMES[j] for j in np.flatnonzero(table[k])})
        for k in range(number)
    }


def wild(seed, scale=0.7):
    return np.random.default_rng(seed).normal(size=COUNT) * scale


def expected(game, last, before, theta):
    """π of every move, slowly."""
    found = {}
    for move in game.policy_moves():
        names = set() if move is None else naive.features(game, move, last, before, PATTERNS)
        found[move] = math.exp(sum(theta[name] for name in names)), names
    whole = sum(weight for weight, _ in found.values())
    return {move: (weight / whole, names) for move, (weight, names) in found.items()}


THETA = wild(1)
BY_NAME = dict(zip(NAMES, THETA.astype(np.float32).astype(float), strict=True))


@pytest.mark.small
@settings(max_examples=1 if numba.config.DISABLE_JIT else 12, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 7))
def test_features_and_probabilities_are_the_naive_ones_after_every_move(seed, side):
    policy = feature_policy(MoveWeights(THETA.astype(np.float32)), side)
    dice = np.random.default_rng(seed)
    game, state = Go(side), empty_board(side)
    last = before = None
    begun(policy, state)
    for _ in range(3 * side * side):
        if game.is_over():
            break
        found = look(policy, state)
        answers = tactics.either_way(lambda: expected(game, last, before, BY_NAME))  # noqa: B023
        assert set(found) == set(answers[0])
        for move in found:
            assert found[move][1] in [answer[move][1] for answer in answers], (move, str(game))
        if answers[0] == answers[1]:
            for move in found:
                assert found[move][0] == pytest.approx(answers[0][move][0], rel=1e-5, abs=1e-12)
        move = list(found)[dice.integers(len(found))]
        game.play(move)
        play(state, 0 if move is None else to_point(*move))
        last, before = move, last


@pytest.mark.parametrize("self_atari", [-2.0, 1.5])
def test_moves_come_as_often_as_they_should(self_atari):
    """Whether self-ataris and illegal moves are known before the draw or asked after it."""
    theta = wild(3)
    for name in ("self_atari", "big_self_atari"):
        theta[NAMES.index(name)] = self_atari
    dice = np.random.default_rng(5)
    asked_for = 0
    for length in (8, 14, 19, 24):
        policy = FeaturePolicy(5, theta).records[:1]
        state, rng = empty_board(5), new_rng(2)
        begun(policy, state)
        for _ in range(length):
            found = look(policy, state)
            play(state, 0 if None in found else to_point(*list(found)[dice.integers(len(found))]))
        found = look(policy, state)
        for learning in (0, 1):
            policy["learning"] = learning
            counts = np.zeros(POINTS, np.int64)
            draw_many(policy, state, counts, 60_000, rng)
            share = {to_place(int(p)): counts[p] / 60_000 for p in np.flatnonzero(counts)}
            for move, (chance, names) in found.items():
                assert share.get(move, 0.0) == pytest.approx(chance, abs=0.01), (move, names)
                asked_for += bool(names & {"self_atari", "big_self_atari"})
            assert set(share) <= set(found)
    assert asked_for > 5


def test_psi_of_a_game_is_that_of_its_moves():
    """Σ ψ that a game collects, against φ(s, a) − Σ π φ(s, b) from the features of every move."""
    policy = FeaturePolicy(5, wild(2)).records[:1]
    for seed in range(3):
        state, rng = empty_board(5), new_rng(seed)
        total = np.zeros(COUNT)
        begun(policy, state)
        forget(policy[0])
        twin = policy.copy()
        begun(twin, state)
        while state.passes < 2 and state.moves < 40:
            for chance, names in look(twin, state).values():
                for name in names:
                    total[NAMES.index(name)] -= chance
            p = int(asked(policy, state, rng))
            total += [name in look(twin, state)[to_place(p)][1] for name in NAMES]
            play(state, p)
        assert policy["credits"][0] == pytest.approx(total, abs=1e-9)
        assert np.abs(total).max() > 0.5


def test_games_end_and_are_the_same_again():
    for side in (2, 3, 9, 19):
        root = Board(side).simulation_root()
        policy = feature_policy(MoveWeights(wild(4, 0.3)), side)
        first = evaluate(root, np.empty(1, STATE), policy, 30, new_rng(1))
        again = evaluate(
            root, np.empty(1, STATE), feature_policy(MoveWeights(wild(4, 0.3)), side), 30, new_rng(1)
        )
        assert first == again
        assert 0 <= first[0] <= 30
