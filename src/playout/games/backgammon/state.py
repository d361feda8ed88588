"""What a position of backgammon is, as one record.

Each player counts the points as they lie on his own way: 1 to 24, where 1 to 6 are his home board, 25 is his
bar and 0 where he bears off. Point i of one player is point 25 − i of the other.

Beside the checkers stand two sets of points for each player (`bits`): where he has any, and where he has two
or more. They say which points are blocked, and moves are found from them without a look at the checkers.

The dice lie with the larger one first; (0, 0) says that they are to be rolled.

Where the cube is in use, `doubling` says what is to be decided: after a play the other player chooses whether
to roll or to double (MAY_DOUBLE), and a double is taken or passed (OFFERED). `turn` is who rolls or moves
next, also while the other one answers a double.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from playout.errors import InputError, shown
from playout.games.game import state_type

OFF, BAR = 0, 25
CHECKERS = 15
HOME = 6  # points of the home board
CENTRED = 0  # the cube's owner, while it is in the middle
MOST_CUBE = 12  # the largest power of two on the cube: 4,096
TOP_CUBE = 6  # and where players who double stop: 64
MOST_LENGTH = 99  # points of a match
# What is to be decided about the cube. UNUSED: nothing, ever; NOTHING: not now; DROPPED: a double was passed.
UNUSED, NOTHING, MAY_DOUBLE, OFFERED, DROPPED = 0, 1, 2, 3, 4
START = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, *10 * (0,), 2, 0)  # by point, from 0 on

STATE = state_type(
    [
        ("points", "u1", (2, 26)),  # checkers: by player, and point as that player counts
        ("held", "u4", (2,)),  # the set of points (and the bar) with checkers
        ("made", "u4", (2,)),  # with two or more
        ("dice", "u1", (2,)),
        ("turn", "u1"),  # who rolls or moves: 1 or 2
        ("opening", "u1"),  # whether the first roll is still to come: it is no double
        ("cube", "u1"),  # what it shows, as a power of two
        ("owner", "u1"),  # who may double: CENTRED is both
        ("length", "u1"),  # of the match, in points; 0: for money
        ("score", "u2", (2,)),
        ("crawford", "u1"),  # whether this is the Crawford game
        ("jacoby", "u1"),  # whether gammons count only after a double
        ("doubling", "u1"),  # what is to be decided about the cube
    ]
)


def start(length: int = 0, jacoby: bool = False, cube: bool = False, match: bool = False) -> np.ndarray:
    """The position that games begin with, before the first roll, as an array of one record.

    match: whether more games follow, of which a state knows nothing.
    """
    state = np.zeros(1, STATE)
    place(state, START, START)
    state["turn"] = state["opening"] = 1
    state["length"], state["jacoby"] = length, jacoby
    state["doubling"] = NOTHING if cube else UNUSED
    return state


def place(state: np.ndarray, first: Sequence[int], second: Sequence[int]) -> None:
    """Put the checkers on the board; each player's by his own points, from 0 (off) to 25 (the bar).

    Impossible ones are refused.
    """
    for player, counts in ((1, first), (2, second)):
        if len(counts) != BAR + 1 or any(not 0 <= n <= CHECKERS for n in counts) or sum(counts) != CHECKERS:
            raise InputError(
                f"player {player} has {sum(counts)} checkers, and not {CHECKERS} on points, bar and off"
            )
    for point in range(1, BAR):
        if first[point] and second[BAR - point]:
            raise InputError(f"point {point} cannot belong to both players")
    if first[OFF] == CHECKERS and second[OFF] == CHECKERS:
        raise InputError("both players cannot have borne off all their checkers")
    for player, counts in ((0, first), (1, second)):
        state["points"][0, player] = counts
        state["held"][0, player] = sum(1 << i for i in range(1, BAR + 1) if counts[i] > 0)
        state["made"][0, player] = sum(1 << i for i in range(1, BAR + 1) if counts[i] > 1)


def power_of(cube: object) -> int:
    """What the cube shows, as a power of two; what is none is refused.

    >>> power_of(4)
    2
    """
    shows = [1 << power for power in range(MOST_CUBE + 1)]
    if isinstance(cube, bool) or cube not in shows:
        raise InputError(f"a cube of {shown(cube)} is no power of two from 1 to {shows[-1]:,}")
    return shows.index(cube)


def check_dice(dice: object) -> tuple[int, int]:
    """Two dice, the larger one first; what no dice can show is refused.

    >>> check_dice([1, 3])
    (3, 1)
    """
    if not isinstance(dice, list | tuple) or len(dice) != 2:
        raise InputError(f"{shown(dice)} is not two dice, as in 31")
    for die in dice:
        if isinstance(die, bool) or not isinstance(die, int) or not 1 <= die <= 6:
            raise InputError(f"a die shows 1 to 6, and not {shown(die)}")
    return max(dice), min(dice)


def pips(state: Any, player: int) -> int:
    """How many pips a player has to go."""
    return int(sum(i * int(n) for i, n in enumerate(state.points[player - 1])))
