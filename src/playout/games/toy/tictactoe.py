"""Tic-tac-toe: the smallest game that is one, to try algorithms on and to copy for a game of your own."""

import numpy as np

from playout.games import api
from playout.kernel import implements, inner, record_type

TICTACTOE = record_type([("cells", "u1", (9,)), ("moves", "u1"), ("to_play", "u1")])
LINES = np.array(
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]], np.uint8
)


def start() -> np.ndarray:
    """The empty board, as an array of one record."""
    state = np.zeros(1, TICTACTOE)
    state["to_play"] = 1
    return state


@inner
def _has_won(state, player):
    for k in range(8):
        won = True
        for i in range(3):
            won &= state.cells[LINES[k, i]] == player
        if won:
            return True
    return False


@implements(api.play, TICTACTOE)
def play(state, action):
    state.cells[np.uint32(action)] = state.to_play
    state.to_play = np.uint8(3 - state.to_play)
    state.moves += np.uint8(1)


@implements(api.is_legal, TICTACTOE)
def is_legal(state, action):
    return state.cells[np.uint32(action)] == 0


@implements(api.legal_moves, TICTACTOE)
def legal_moves(state, moves):
    n = 0
    for cell in range(9):
        if state.cells[np.uint32(cell)] == 0:
            moves[n] = cell
            n += 1
    return n


@implements(api.tree_moves, TICTACTOE)
def tree_moves(state, moves):
    return api.legal_moves(state, moves)


@implements(api.to_play, TICTACTOE)
def to_play(state):
    return state.to_play


@implements(api.is_over, TICTACTOE)
def is_over(state):
    return state.moves == 9 or _has_won(state, 3 - state.to_play)


@implements(api.outcome, TICTACTOE)
def outcome(state):
    return 1.0 if _has_won(state, 1) else 0.0 if _has_won(state, 2) else 0.5
