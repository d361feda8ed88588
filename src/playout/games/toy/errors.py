"""The artificial game of Figure 1 in Silver & Tesauro (2009): nothing but errors.

Best play keeps the minimax value as it is. A move is the error that its player makes: the value falls by it
if he is player 1, and rises by it if he is player 2. After so many moves the game is over, and its outcome is
the value that it has then.

Actions are whole numbers: an error in units of `UNIT`. Every number is legal; 0 is the best move.
"""

import numpy as np

from playout.games import api
from playout.kernel import implements, record_type

UNIT = 2.0**-20
ERRORS = record_type([("minimax", "f8"), ("moves_left", "u4"), ("erring", "u1")])


def start(moves: int = 100, value: float = 0.0) -> np.ndarray:
    """A game of so many moves from a state of this minimax value, as an array of one record.

    >>> state = start(moves=2)
    >>> play(state[0], int(0.25 / UNIT))
    >>> play(state[0], int(1.0 / UNIT))
    >>> outcome(state[0])
    np.float64(0.75)
    """
    state = np.zeros(1, ERRORS)
    state["minimax"], state["moves_left"], state["erring"] = value, moves, 1
    return state


@implements(api.play, ERRORS)
def play(state, action):
    error = action * UNIT
    state.minimax += -error if state.erring == 1 else error
    state.erring = np.uint8(3 - state.erring)
    state.moves_left -= np.uint32(1)


@implements(api.is_legal, ERRORS)
def is_legal(state, action):
    return True


@implements(api.to_play, ERRORS)
def to_play(state):
    return state.erring


@implements(api.is_over, ERRORS)
def is_over(state):
    return state.moves_left == 0


@implements(api.outcome, ERRORS)
def outcome(state):
    return state.minimax
