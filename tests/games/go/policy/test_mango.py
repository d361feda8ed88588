"""MANGO's urgencies: the compiled policy against its naive twin, point by point and draw by draw."""

import numpy as np
import pytest
from draw import board, empty_board, points, to_place, to_point
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import mango as naive
from naive.go import Go

from playout.games.api import play
from playout.games.go.policy import Mango
from playout.games.go.policy.mango import urgencies
from playout.games.go.state import POINTS
from playout.kernel import kernel, new_rng
from playout.policy.api import begin, sample

SETTINGS = [
    {},
    {"capture_value": 7509.0, "escape_value": 911.0, "pattern_exponent": 0.7, "proximity_factor": 85.0},
    {"diagonals": True},
    {"capture_value": 0.0, "escape_value": 0.0, "proximity_factor": 1.0},
    {"pattern_exponent": 4.0},
    {"pattern_exponent": 0.0, "escape_value": 3.0},
]


def compiled(policy, state):
    """U by place, of the moves that have any."""
    found = np.zeros(POINTS)
    urgencies(policy[0], state, found)
    return {to_place(int(p)): float(found[p]) for p in np.flatnonzero(found)}


def near(expected, policy):
    """Urgencies up to the unit that pattern values are rounded to."""
    unit = float(policy["proximity"][0] / policy["units"][0])
    return pytest.approx(expected, rel=1e-6, abs=unit)


def started(state, **changes):
    """A policy that has been told where the simulation starts."""
    policy = Mango(**changes).record()
    begin(policy[0], state)
    return policy


@kernel
def tally(policies, state, samples, rng, counts):
    """How often each point is drawn."""
    for _ in range(samples):
        counts[sample(policies[0], state, rng[0])] += 1


def draws(policy, state, samples, seed=1):
    counts = np.zeros(POINTS, np.int64)
    tally(policy, state, samples, new_rng(seed), counts)
    return {to_place(int(p)): int(counts[p]) for p in np.flatnonzero(counts)}


def assert_drawn_by(urgency, counts):
    """Whether draws fit the urgencies: chi-square over the moves that are expected often enough."""
    samples, total = sum(counts.values()), sum(urgency.values())
    assert set(counts) <= set(urgency)
    expected = {place: samples * value / total for place, value in urgency.items()}
    often = [place for place in expected if expected[place] >= 8]
    rare = samples - sum(counts.get(place, 0) for place in often)
    chi_square = sum((counts.get(place, 0) - expected[place]) ** 2 / expected[place] for place in often)
    freedom = max(1, len(often))
    assert chi_square <= freedom + 5 * np.sqrt(2 * freedom) + 5
    rest = samples - sum(expected[place] for place in often)
    assert abs(rare - rest) <= 6 * np.sqrt(rest + 1) + 1


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 9), st.sampled_from(SETTINGS), st.sampled_from([0.0, 0.3, 1.0]))
def test_urgencies_are_the_naive_ones_after_every_move(seed, side, changes, wild):
    """Games of the policy with random legal moves in between, which capture more."""
    rng, dice = new_rng(seed), np.random.default_rng(seed)
    state, game, last = empty_board(side), Go(side), None
    policy = started(state, **changes)
    for _ in range(2 * side * side):
        if game.is_over():
            break
        expected = naive.urgencies(game, last, **changes)
        move = int(sample(policy[0], state, rng[0]))
        assert to_place(move) in expected or (move == 0 and not expected)
        if dice.random() < 0.3:
            found = compiled(policy, state)
            assert found == near(expected, policy), str(game)
            assert compiled(started(state, **changes), state) == near(expected, policy)
        if dice.random() < wild and game.legal_points():
            legal = game.legal_points()
            move = to_point(*legal[int(dice.integers(len(legal)))])
        last = to_place(move)
        play(state, move)
        game.play(last)


@pytest.mark.small
def test_nothing_is_near_a_pass():
    """Not the corner either, whose number is that of a step aside."""
    text = """
        a O X . .
        O O X . .
        X X . . .
        . . . . .
        . . . . ."""
    assert urgency_at(text, "a", "X", diagonals=True) == pytest.approx(15_000, rel=1e-3)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(3, 9), st.integers(0, 60), st.sampled_from(SETTINGS))
def test_moves_are_drawn_by_their_urgency(seed, side, moves, changes):
    dice = np.random.default_rng(seed)
    state, game, last = empty_board(side), Go(side), None
    for _ in range(min(moves, side * side)):
        legal = [point for point in game.policy_moves() if point is not None]
        if not legal:
            break
        last = legal[int(dice.integers(len(legal)))]
        play(state, to_point(*last))
        game.play(last)
    expected = naive.urgencies(game, last, **changes)
    counts = draws(started(state, **changes), state, 4000, seed)
    if expected:
        assert_drawn_by(expected, counts)
    else:
        assert counts == {None: 4000}


def urgency_at(text, point, to_play="X", **changes):
    """The urgency of a named point on a drawn board, less that of its pattern."""
    state, game = board(text, to_play), Go.drawn(text, to_play)
    here = points(text)[point]
    exponent = changes.get("pattern_exponent", 1.0)
    pattern = naive.pattern_value(game, to_place(here)) ** exponent
    return compiled(started(state, **changes), state).get(to_place(here), 0.0) - pattern


@pytest.mark.small
def test_captures_count_by_the_stone():
    text = """
        X X O . .
        a O . . .
        X O . . .
        O . . . .
        . . . . ."""
    # White takes all three, in two chains.
    assert urgency_at(text, "a", "O") == pytest.approx(15_000, rel=1e-3)


@pytest.mark.small
def test_escapes_count_where_the_stones_get_room():
    text = """
        . X O b .
        X O a . .
        . X O . .
        . . . . .
        . . . . ."""
    assert urgency_at(text, "a", "O", escape_value=1000.0) == pytest.approx(1000, rel=1e-3)
    hopeless = """
        O a X . .
        X X . . .
        . . . . .
        . . . . .
        . . . . ."""
    assert compiled(started(board(hopeless, "O")), board(hopeless, "O")).get((0, 1)) is None


@pytest.mark.small
def test_the_point_of_a_ko_has_no_urgency():
    text = """
        X X O O
        X O a O
        X X O O
        . X . O"""
    state, game = board(text, "X"), Go.drawn(text, "X")
    policy = started(state)
    play(state, points(text)["a"])
    game.play((1, 2))
    assert (1, 1) not in compiled(policy, state)
    assert compiled(policy, state) == near(naive.urgencies(game, (1, 2)), policy)


@pytest.mark.small
def test_only_eyes_are_left_to_pass():
    text = """
        . X X X
        X X X X
        X X . X
        X X X X"""
    for to_play in "XO":
        state = board(text, to_play)
        assert draws(started(state), state, 50) == {None: 50}


@pytest.mark.small
def test_a_policy_goes_from_board_to_board():
    """What it knows of a large board does not come up on a small one."""
    policy = Mango().record()
    for side in (9, 5, 3, 7):
        state, game = empty_board(side), Go(side)
        begin(policy[0], state)
        for place in ((1, 1), (side - 1, side - 1), (0, 1)):
            play(state, to_point(*place))
            game.play(place)
            sample(policy[0], state, new_rng(1)[0])
            assert compiled(policy, state) == near(naive.urgencies(game, place), policy)


@pytest.mark.parametrize("side", [2, 3, 9, 19])
def test_whole_playouts_end(side):
    from playout.games.go.board import Board
    from playout.search.simulation import evaluate

    root = Board(side).simulation_root()
    total, moves = evaluate(root, np.zeros_like(root), Mango().record(), 200, new_rng(1))
    assert 0 <= total <= 200
    assert moves >= 200
