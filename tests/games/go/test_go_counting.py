"""The number of legal positions, counted with the engine (Tromp & Farnebäck 2006; oeis.org/A094777)."""

from itertools import product

import numpy as np
import pytest
from draw import empty_board, to_point
from naive.go import Go

from playout.games.api import play
from playout.games.go.state import EMPTY, STATE, WHITE
from playout.kernel import kernel

LEGAL_POSITIONS = {2: 57, 3: 12_675, 4: 24_318_165}


@kernel
def count_legal(boards, points):
    """Colour the points in order, depth first, and count the colourings in which every chain has a liberty.

    boards: one record a depth, the first empty; boards[d] has points[:d] coloured. A stone that takes
    stones, or itself, makes or completes a chain without liberties among the points coloured so far, and
    no later stone gives it one.
    """
    color_to_try = np.zeros(points.size + 1, np.uint8)
    total = 0
    depth = 0
    while depth >= 0:
        color = color_to_try[depth]
        if depth == points.size or color > WHITE:
            total += depth == points.size
            color_to_try[depth] = EMPTY
            depth -= 1
            continue
        color_to_try[depth] += 1
        boards[depth + 1] = boards[depth]
        if color != EMPTY:
            boards[depth + 1].to_play = color
            play(boards[depth + 1], points[depth])
            if boards[depth + 1].n_empty != boards[depth].n_empty - 1:
                continue
        depth += 1
    return total


@pytest.mark.parametrize("side", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_number_of_legal_positions(side):
    boards = np.zeros(side * side + 1, STATE)
    boards[0] = empty_board(side)
    in_order = np.array([to_point(row, column) for row in range(side) for column in range(side)], np.uint32)
    assert count_legal(boards, in_order) == LEGAL_POSITIONS[side]


@pytest.mark.parametrize("side", [2, 3])
def test_number_of_legal_positions_by_the_naive_engine(side):
    game = Go(side)
    legal = 0
    for colors in product("X.O", repeat=side * side):
        game.board = dict(zip(game.board, colors, strict=True))
        legal += all(liberties for _, liberties in game.chains())
    assert legal == LEGAL_POSITIONS[side]
