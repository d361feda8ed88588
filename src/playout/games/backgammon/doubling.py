"""What a player does with the cube, as numbers above those of all plays: roll, double, take or pass."""

from math import comb

import numpy as np

from playout.games.backgammon.state import (
    BAR,
    DROPPED,
    NOTHING,
    OFFERED,
    TOP_CUBE,
)
from playout.kernel import inner, kernel

WAYS = BAR + 1  # a die is played from a point, the bar, or not at all
PLAYS = comb(WAYS + 3, 4)  # plays of doubles; those of two different dice are fewer
ROLL, DOUBLE, TAKE, PASS = PLAYS, PLAYS + 1, PLAYS + 2, PLAYS + 3


@kernel
def may_double(state):
    """Whether who rolls next may double: he has the cube, and a higher one is of use to him.

    The cube goes up to what a real one shows, 64; files may have more.
    """
    if state.crawford or state.cube >= TOP_CUBE or state.owner == 3 - state.turn:
        return False
    unit = np.int64(1) << np.int64(state.cube)
    score = np.int64(state.score[np.uint32(state.turn - 1)])
    return state.length == 0 or score + unit < np.int64(state.length)


@inner
def handle_cube(state, action):
    """Roll, double, take or pass. To roll changes nothing where the cube is not used: rollouts begin so."""
    if action == ROLL:
        state.doubling = min(state.doubling, NOTHING)
    elif action == DOUBLE:
        state.doubling = OFFERED
    elif action == TAKE:
        state.doubling = NOTHING
        state.cube += 1
        state.owner = 3 - state.turn
    else:
        state.doubling = DROPPED
