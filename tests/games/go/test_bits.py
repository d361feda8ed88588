"""Small positions as words of bits, against the slow rules."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import solve as naive
from naive.go import BLACK, EMPTY, Go

from playout.games.go import bits
from playout.kernel import kernel

pytestmark = pytest.mark.small

positions = st.tuples(st.integers(2, 7), st.integers(0, 2**32), st.integers(0, 120))


@kernel
def after(own, other, bit, board, out):
    """What `put` and `ko_after` say."""
    out[0], out[1], out[2], legal = bits.put(own, other, bit, board)
    out[3] = bits.ko_after(out[0], out[1], bit, out[2], board)
    return legal


@kernel
def counted(own, other, board, out):
    """Area, alive stones, and what is secure."""
    out[0] = bits.alive_chains(own, other, board)
    score, out[1], out[2] = bits.secure(own, other, board)
    return bits.area(own, other, board), score, bits.count(own | other)


@kernel
def pictures(b, side, out):
    """A set under the eight symmetries."""
    for symmetry in range(8):
        out[symmetry] = bits.turned(b, symmetry, side)
        if bits.turned_back(out[symmetry], symmetry, side) != b:
            return False
    return True


def word(points):
    return np.uint64(sum(1 << (8 * row + column) for row, column in points))


def points_of(b):
    return {(k // 8, k % 8) for k in range(64) if int(b) >> k & 1}


def random_position(side, seed, length):
    dice = random.Random(seed)
    game = Go(side)
    for _ in range(length):
        points = game.legal_points()
        game.play(dice.choice(points) if points else None)
    return game


def words(game):
    """Own and other stones of the side to play."""
    own = [p for p, color in game.board.items() if color == game.to_play]
    other = [p for p, color in game.board.items() if color not in (EMPTY, game.to_play)]
    return word(own), word(other)


def test_full_boards():
    assert [bin(bits.full(side)).count("1") for side in range(2, 8)] == [4, 9, 16, 25, 36, 49]


@given(positions)
@settings(max_examples=60, deadline=None)
def test_moves(position):
    game = random_position(*position)
    board = bits.full(game.side)
    own, other = words(game)
    out = np.zeros(4, np.uint64)
    for point, color in game.board.items():
        if color != EMPTY:
            continue
        legal = after(own, other, word([point]), board, out)
        _, taken, lost = game.result(point)
        assert bool(legal) == (not lost)
        if legal:
            then = game.copy()
            then.play(point)
            assert points_of(out[2]) == taken
            assert tuple(out[:2]) == words(then)[::-1]
            assert points_of(out[3]) == (set() if then.ko is None else {then.ko})


@given(positions)
@settings(max_examples=60, deadline=None)
def test_counting(position):
    game = random_position(*position)
    own, other = words(game)
    out = np.zeros(3, np.uint64)
    area, score, stones = counted(own, other, bits.full(game.side), out)
    sign = 1 if game.to_play == BLACK else -1
    assert area == sign * game.area_score()
    assert stones == sum(color != EMPTY for color in game.board.values())
    assert points_of(out[0]) == naive.unconditionally_alive(game, game.to_play)
    # The alive stones are held, and what is held is at least two points each.
    assert out[1] == out[0]
    assert points_of(out[0]) <= points_of(out[2])
    assert score >= 2 * len(points_of(out[2])) - game.side**2


@given(st.integers(2, 7), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_symmetries(side, seed):
    dice = random.Random(seed)
    chosen = {(row, column) for row in range(side) for column in range(side) if dice.random() < 0.5}
    out = np.zeros(8, np.uint64)
    assert pictures(word(chosen), side, out)
    last = side - 1
    expected = []
    for symmetry in range(8):
        found = {(c, r) for r, c in chosen} if symmetry & 4 else set(chosen)
        found = {(last - r, c) for r, c in found} if symmetry & 1 else found
        expected.append({(r, last - c) for r, c in found} if symmetry & 2 else found)
    assert [points_of(b) for b in out] == expected


EYES = """
    . X . X O
    X X X X O
    O O O O O
    . . . . .
    . . . . ."""
TWO_CHAINS = """
    . X O . .
    X . X O .
    X X X O .
    O O O O .
    . . . . ."""


@pytest.mark.parametrize(("drawing", "alive", "held"), [(EYES, 6, 8), (TWO_CHAINS, 6, 8)])
def test_two_eyes_live(drawing, alive, held):
    game = Go.drawn(drawing)
    out = np.zeros(3, np.uint64)
    own, other = words(game)
    counted(own, other, bits.full(5), out)
    assert len(points_of(out[0])) == alive
    assert len(points_of(out[2])) == held
