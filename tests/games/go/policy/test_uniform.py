"""The uniform policy draws evenly from the naive engine's list of moves, and from nothing else."""

import numpy as np
import pytest
from draw import board, empty_board, points, to_place
from naive.go import Go

from playout.games.api import play
from playout.games.go.policy.uniform import UNIFORM
from playout.games.go.state import POINTS
from playout.kernel import kernel, new_rng
from playout.policy.api import sample


@kernel
def tally(state, policy, samples, rng):
    """How often each point is drawn."""
    counts = np.zeros(POINTS, np.int64)
    for _ in range(samples):
        counts[sample(policy, state, rng)] += 1
    return counts


def drawn_moves(state, samples: int) -> dict[tuple[int, int] | None, int]:
    """How often each move is drawn, by row and column; None is pass."""
    counts = tally(state, np.zeros(1, UNIFORM)[0], samples, new_rng(7)[0])
    return {to_place(int(p)): int(counts[p]) for p in np.flatnonzero(counts)}


OPENING = """
    . . . . .
    . X . . .
    . . . O .
    . . . . .
    . . . . ."""

EYES_AND_SUICIDE = """
    . X O . O
    X X O O .
    X . X O O
    . X X X O
    X . X O ."""

LAST_MOVE = """
    . X X O
    X X O O
    X X O .
    X . O O"""

ONLY_EYES = """
    . X X X
    X X X X
    X X . X
    X X X X"""


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("to_play", ["X", "O"])
@pytest.mark.parametrize("text", [OPENING, EYES_AND_SUICIDE, LAST_MOVE], ids=["opening", "eyes", "last"])
def test_every_move_is_equally_likely(text, to_play, suicide):
    moves = Go.drawn(text, to_play, suicide).policy_moves()
    expected = 10_000
    counts = drawn_moves(board(text, to_play, suicide), expected * len(moves))
    assert set(counts) == set(moves)
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    freedom = len(moves) - 1  # chi-square has this mean and twice this variance
    assert chi_square <= freedom + 4 * np.sqrt(2 * freedom)


def test_the_point_of_a_ko_is_not_drawn():
    text = """
        X X O O
        X O a O
        X X O O
        . X . O"""
    state, game = board(text, "X"), Go.drawn(text, "X")
    play(state, points(text)["a"])
    game.play(to_place(points(text)["a"]))
    assert (1, 1) not in game.policy_moves()
    assert set(drawn_moves(state, 1000)) == set(game.policy_moves())


@pytest.mark.small
@pytest.mark.parametrize("to_play", ["X", "O"])
def test_pass_when_there_is_nothing_else(to_play):
    """Black would fill an eye, White would commit suicide."""
    assert Go.drawn(ONLY_EYES, to_play).policy_moves() == [None]
    assert set(drawn_moves(board(ONLY_EYES, to_play), 100)) == {None}


@pytest.mark.small
def test_no_pass_on_an_empty_board():
    assert set(drawn_moves(empty_board(2), 200)) == {(0, 0), (0, 1), (1, 0), (1, 1)}


@pytest.mark.small
def test_the_same_seed_draws_the_same_moves():
    assert drawn_moves(board(OPENING), 100) == drawn_moves(board(OPENING), 100)


@pytest.mark.small
def test_drawing_does_not_change_the_position():
    state = board(EYES_AND_SUICIDE, "X")
    before = state.copy()
    drawn_moves(state, 50)
    for field in ("color", "around", "chain", "liberties", "zobrist", "ko", "to_play", "margin", "n_empty"):
        assert np.array_equal(state[field], before[field])
    empty = state["empty"][: state["n_empty"]]
    assert sorted(empty) == sorted(before["empty"][: before["n_empty"]])
    assert np.array_equal(state["empty"][state["place"][empty]], empty)
