"""Softmax play over local shapes, and ψ beside it, against a twin that describes every position anew."""

import math

import numpy as np
import pytest
from draw import board as drawn
from draw import empty_board, to_place, to_point
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import softmax as naive
from naive.go import Go
from naive_names import by_number, known

from playout.errors import InputError
from playout.games.api import is_over, play
from playout.games.go.board import Board
from playout.games.go.memory.corners import corners_of
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.store import Weights
from playout.games.go.policy.psi import MOST_LISTED, ROOM
from playout.games.go.policy.shape_policy import listed
from playout.games.go.policy.softmax import Softmax, softmax_policy
from playout.games.go.state import POINTS, STATE
from playout.kernel import kernel, new_rng
from playout.player.registry import make_player
from playout.policy.api import begin, sample
from playout.policy.softmax import collect, forget, settle
from playout.policy.softmax import gradient as by_weight
from playout.search.simulation import evaluate

RULES = ["both", "dependent", "independent"]


@kernel
def begun(policies, state):
    begin(policies[0], state)


@kernel
def asked(policies, state, rng):
    return sample(policies[0], state, rng[0])


@kernel
def settled(policies):
    settle(policies[0])


@kernel
def list_moves(policies, state, actions, chances):
    return listed(policies[0], state, actions, chances)


@kernel
def to_weights(policies, terms, sums, found):
    collect(policies[0], 1.0, 1.0, sums)
    by_weight(policies[0], terms, sums, found)


@kernel
def draw_many(policies, state, counts, times, rng):
    for _ in range(times):
        counts[sample(policies[0], state, rng[0])] += 1


def policy_of(features, theta, learning=False):
    policy = softmax_policy(Weights(features.shapes, theta.astype(np.float32)))
    policy["learning"] = learning
    return policy


def shares(policy, state):
    """π by naive move."""
    actions, chances = np.zeros(POINTS, np.uint16), np.zeros(POINTS)
    number = list_moves(policy, state, actions, chances)
    return {to_place(p): x for p, x in zip(actions[:number].tolist(), chances[:number], strict=True)}


def gradient(policy, features):
    """Σ ψ by weight, from the credit of the slots."""
    corners = corners_of(features)
    found = np.zeros(features.unique)
    to_weights(policy, corners.terms, np.zeros(2 * corners.slots), found)
    return found


@pytest.mark.small
def test_the_papers_numbers_of_weights():
    assert [features_of(Shapes(side=side, sizes=(1, 2))).unique for side in (5, 6)] == [107, 155]


@pytest.mark.small
@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 5), st.sampled_from([(1,), (2,), (1, 2)]))
def test_preferences_are_the_naive_ones_after_every_move(rule, seed, side, sizes):
    """Small boards, where stones are captured all the time; moves are drawn evenly, so that all come up."""
    features, theta, by_name = known(side, sizes, rule)
    policy = policy_of(features, theta)
    dice = np.random.default_rng(seed)
    game, state = Go(side), empty_board(side)
    begun(policy, state)
    for _ in range(4 * side * side):
        if game.is_over():
            break
        expected = naive.probabilities(game, by_name, sizes, rule)
        found = shares(policy, state)
        assert set(found) == set(expected)
        for move, chance in expected.items():
            assert found[move] == pytest.approx(chance, rel=1e-5, abs=1e-12)
        move = list(expected)[dice.integers(len(expected))]
        game.play(move)
        play(state, 0 if move is None else to_point(*move))


def test_large_boards_too():
    features, theta, by_name = known(9)
    policy = policy_of(features, theta)
    dice = np.random.default_rng(3)
    game, state = Go(9), empty_board(9)
    begun(policy, state)
    for turn in range(150):
        if game.is_over():
            break
        moves = game.policy_moves()
        if turn % 5 == 0:
            expected = naive.probabilities(game, by_name, (1, 2), "both")
            found = shares(policy, state)
            assert set(found) == set(moves)
            assert [found[m] for m in moves] == pytest.approx([expected[m] for m in moves], rel=1e-5)
        else:
            shares(policy, state)
        move = moves[dice.integers(len(moves))]
        game.play(move)
        play(state, 0 if move is None else to_point(*move))


def learn_a_game(policy, features, by_name, seed, limit, crowded=False):
    """Let a policy play with itself and collect Σ ψ; the same by describing every move of every position.

    crowded: there is no room for more slots of captures, move after move.
    """
    side = features.shapes.side
    game, state = Go(side), empty_board(side)
    state.limit = limit
    rng = new_rng(seed)
    begun(policy, state)
    expected = np.zeros(features.unique)
    while not is_over(state):
        p = int(asked(policy, state, rng))
        if crowded:
            policy["n_listed"] = np.maximum(policy["n_listed"], ROOM - MOST_LISTED + 1)
        expected += by_number(naive.psi(game, to_place(p), by_name, (1, 2), "both"), features)
        game.play(to_place(p))
        play(state, p)
    settled(policy)
    return gradient(policy, features), expected


@pytest.mark.small
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 4), st.booleans())
def test_psi_of_a_game_is_the_naive_one(seed, side, crowded):
    features, theta, by_name = known(side)
    policy = policy_of(features, theta, learning=True)
    found, expected = learn_a_game(policy, features, by_name, seed, 30, crowded)
    assert found == pytest.approx(expected, abs=1e-4)
    forget(policy[0])
    assert not policy["credit"].any()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(3, 5), st.integers(1, 8))
def test_psi_is_exact_however_large_the_weights(seed, side, scale):
    """Where one move is worth more than another by more digits than a number has, nothing may get lost."""
    features, theta, by_name = known(side)
    policy = policy_of(features, theta * scale, learning=True)
    by_name = {name: float(np.float32(x * scale)) for name, x in by_name.items()}
    found, expected = learn_a_game(policy, features, by_name, seed, 40)
    assert found == pytest.approx(expected, abs=1e-3)


# White can take one stone or three; Black one or two; a ko may not be taken back.
CAPTURES = """
    a X O . .
    X O . O X
    O . O X c
    . X X O X
    X . X b O"""


def score(policy, features, state, seed):
    """A sampled move and its ψ."""
    begun(policy, state)
    forget(policy[0])
    p = int(asked(policy, state, new_rng(seed)))
    settled(policy)
    return p, gradient(policy, features)


@pytest.mark.parametrize("to_play", ["X", "O"])
def test_psi_is_the_slope_of_log_pi(to_play):
    features, theta, _ = known(5)
    theta = 0.3 * theta
    policy = policy_of(features, theta, learning=True)
    state = drawn(CAPTURES, to_play)
    seen = set()
    for seed in range(20):
        p, psi = score(policy, features, state, seed)
        if p in seen:
            continue
        seen.add(p)
        step = 1e-2
        for k in np.flatnonzero(np.abs(psi) > 1e-3)[:: 2 + len(seen)]:
            sides = []
            for sign in (1, -1):
                moved = theta.copy()
                moved[k] += sign * step
                other = policy_of(features, moved)
                begun(other, state)
                sides.append(math.log(shares(other, state)[to_place(p)]))
            assert psi[k] == pytest.approx((sides[0] - sides[1]) / (2 * step), abs=2e-3)
    assert len(seen) > 5


@pytest.mark.parametrize("to_play", ["X", "O"])
def test_the_mean_of_psi_is_nothing(to_play):
    """E[ψ] = 0, by enumeration: each move's ψ times its probability."""
    features, theta, _ = known(5)
    policy = policy_of(features, theta * 0.3, learning=True)
    state = drawn(CAPTURES, to_play)
    begun(policy, state)
    chances = shares(policy, state)
    found = {}
    for seed in range(4000):
        if len(found) == len(chances):
            break
        p, psi = score(policy, features, state, seed)
        found[to_place(p)] = psi
    assert set(found) == set(chances)
    mean = sum(chances[move] * psi for move, psi in found.items())
    assert mean == pytest.approx(np.zeros(features.unique), abs=1e-9)
    assert any(np.abs(psi).max() > 0.3 for psi in found.values())


@pytest.mark.parametrize("to_play", ["X", "O"])
def test_moves_come_as_often_as_they_should(to_play):
    features, theta, _ = known(5)
    policy = policy_of(features, theta)
    state = drawn(CAPTURES, to_play)
    begun(policy, state)
    chances = shares(policy, state)
    counts = np.zeros(POINTS, np.int64)
    draw_many(policy, state, counts, 100_000, new_rng(1))
    for p in np.flatnonzero(counts):
        assert to_place(p) in chances
    for move, chance in chances.items():
        assert counts[to_point(*move)] / 100_000 == pytest.approx(chance, abs=0.006)


@pytest.mark.small
def test_captures_are_part_of_the_position_after_the_move():
    """With a weight for stones only, a move is worth e^θ more for each stone that it takes."""
    features = features_of(Shapes(side=5, sizes=(1,), sharing="independent"))
    policy = policy_of(features, np.ones(1))
    state = drawn(
        """
        X X . . .
        O O . . .
        . . . . .
        . . . . .
        . . . . .""",
        "O",
    )
    begun(policy, state)
    found = shares(policy, state)
    assert found[0, 2] / found[4, 4] == pytest.approx(math.e**2)


@pytest.mark.small
def test_a_large_preference_leaves_nothing_behind_when_it_goes():
    features = features_of(Shapes(side=5, sizes=(1, 2)))
    theta = np.zeros(features.unique)
    theta[:] = np.random.default_rng(2).normal(size=features.unique) * 8
    policy = policy_of(features, theta)
    state = empty_board(5)
    state.limit = 60
    begun(policy, state)
    rng = new_rng(1)
    while not is_over(state):
        fresh = policy_of(features, theta)
        begun(fresh, state)
        assert shares(policy, state) == shares(fresh, state)
        play(state, int(asked(policy, state, rng)))


@pytest.mark.parametrize("side", [2, 3, 5, 9, 19])
def test_games_end(side):
    features = features_of(Shapes(side=side, sizes=(1, 2)))
    theta = np.random.default_rng(1).normal(size=features.unique) * 0.3
    root = Board(side).simulation_root()
    policy = policy_of(features, theta)
    total, moves = evaluate(root, np.empty(1, STATE), policy, 50, new_rng(1))
    assert 0 <= total <= 50
    again, also = evaluate(root, np.empty(1, STATE), policy_of(features, theta), 50, new_rng(1))
    assert (total, moves) == (again, also)


def test_learning_does_not_change_the_games():
    features, theta, _ = known(5)
    root = Board(5).simulation_root()
    one, two = (
        evaluate(root, np.empty(1, STATE), policy_of(features, theta, learning), 200, new_rng(4))
        for learning in (False, True)
    )
    assert one == two


def test_without_weights_it_is_uniform():
    features = features_of(Shapes(side=5, sizes=(1, 2)))
    policy = policy_of(features, np.zeros(features.unique))
    state = drawn(CAPTURES, "X")
    begun(policy, state)
    found = shares(policy, state)
    assert set(found) == set(Go.drawn(CAPTURES, "X").policy_moves())
    assert len({round(chance, 12) for chance in found.values()}) == 1


def test_a_temperature_divides_the_weights(tmp_path):
    features, theta, _ = known(5)
    Weights(features.shapes, theta.astype(np.float32)).save(tmp_path / "w.npz")
    root = Board(5).simulation_root()
    root[0] = drawn(CAPTURES, "X")
    cool = Softmax(weights=str(tmp_path / "w.npz"), temperature=2.0).record_for(root)
    half = policy_of(features, theta / 2)
    begun(cool, root[0])
    begun(half, root[0])
    assert shares(cool, root[0]) == pytest.approx(shares(half, root[0]))


@pytest.mark.parametrize(
    "spec",
    ["flat:sims=4", "flat:sims=4,threads=2", "uct:sims=30", "rave:sims=30", "mogo:sims=30,threads=2"],
)
def test_it_plays_in_every_search(spec, tmp_path):
    features, theta, _ = known(5)
    path = tmp_path / "w.npz"
    Weights(features.shapes, theta.astype(np.float32)).save(path)
    player = make_player(f"{spec},policy=softmax,policy.weights={path},seed=1")
    player.warm_up(Board(5))
    board = Board(5)
    for _ in range(4):
        board.play(player.choose(board))
    player.close()
    with pytest.raises(InputError, match="for 5×5 boards"):
        make_player(f"{spec},policy=softmax,policy.weights={path}").choose(Board(6))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"sizes": (1, 2, 3)}, "sizes 1, 2, 3"),
        ({"sizes": (1, 2), "sharing": "none"}, "sharing none"),
        ({"sizes": (1, 2), "colour": "own"}, "colour own"),
        ({"sizes": (1, 2), "stage": 8}, "stage 8"),
    ],
)
def test_other_weights_are_refused(wrong, words, tmp_path):
    features = features_of(Shapes(side=5, **wrong))
    Weights(features.shapes, np.zeros(features.unique, np.float32)).save(tmp_path / "w.npz")
    with pytest.raises(InputError, match=words):
        Softmax(weights=str(tmp_path / "w.npz")).record_for(Board(5).record)


def test_sizes_that_nothing_is_shipped_for():
    with pytest.raises(InputError, match="no balanced weights come with playout for 17×17 boards"):
        Softmax().record_for(Board(17).record)
