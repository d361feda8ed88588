"""What a point sees: its eight neighbours' colours, two bits each (`around` in the state).

The four orthogonal neighbours are the low byte, the diagonals the high one. Each question about them is
a few operations on that word or one look into a table.
"""

import numpy as np

from playout.games.go.state import (
    BLACK,
    EDGE,
    SQUARE_SHIFT,
    STRIDE,
    SUM_SHIFT,
    WHITE,
)
from playout.kernel import inner

# All four orthogonal neighbours are one's own stones or edge, by player: EDGE = BLACK | WHITE.
FULL = np.array([0, 0x55, 0xAA], np.uint16)


def _steps() -> np.ndarray:
    """By the bits of `friends`: the way to the first of them."""
    steps = np.zeros(256, np.int32)
    for bits in range(1, 256):
        first = (bits & -bits).bit_length() - 1
        steps[bits] = {0: -STRIDE, 2: STRIDE, 4: -1, 6: 1}.get(first, 0)
    return steps


STEP = _steps()


def _first_empty() -> np.ndarray:
    """By the bits of `empties`: the way to the first of them, as `neighbour` counts."""
    ways = ((1, -STRIDE), (16, -1), (64, 1), (4, STRIDE))
    return np.array([next((way for bit, way in ways if free & bit), 0) for free in range(256)], np.int32)


FIRST_EMPTY = _first_empty()


def _free_sums() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By the bits of `empties`: how the packed liberties of a lone stone at p follow from weight(p)."""
    count, constant, slope = (np.zeros(256, np.uint64) for _ in range(3))
    for bits in range(256):
        steps = [int(STEP[1 << k]) for k in (0, 2, 4, 6) if bits >> k & 1]
        total, squares = sum(steps), sum(step * step for step in steps)
        count[bits] = len(steps)
        constant[bits] = ((total << int(SUM_SHIFT)) + (squares << int(SQUARE_SHIFT))) % (1 << 64)
        slope[bits] = (2 * total << int(SQUARE_SHIFT)) % (1 << 64)
    return count, constant, slope


FREE_COUNT, FREE_CONSTANT, FREE_SLOPE = _free_sums()


def _eye_diagonals() -> np.ndarray:
    """By the colours of the four diagonals: bit c is set if a point c surrounds there is a real eye.

    The enemy may hold one diagonal in the middle of the board and none at the edge.
    """
    table = np.zeros(256, np.uint8)
    for code in range(256):
        colors = [(code >> shift) & 3 for shift in (0, 2, 4, 6)]
        for me in (BLACK, WHITE):
            if colors.count(3 - me) + (EDGE in colors) < 2:
                table[code] |= 1 << me
    return table


EYE_DIAGONALS = _eye_diagonals()


@inner
def neighbour(p, i):
    """The four orthogonal neighbours of p, by i = 0 … 3."""
    if i == 0:
        return p - np.uint32(STRIDE)
    if i == 1:
        return p - np.uint32(1)
    if i == 2:
        return p + np.uint32(1)
    return p + np.uint32(STRIDE)


@inner
def friends(around, me):
    """From the view of a point: one bit for each of the four neighbours that is a stone of `me`.

    BLACK is 01, WHITE 10, EDGE 11.
    """
    high = around >> np.uint16(1)
    return (around & ~high if me == BLACK else high & ~around) & np.uint16(0x55)


@inner
def empties(around):
    """From the view of a point: one bit for each of the four neighbours that is empty."""
    return ~(around | (around >> np.uint16(1))) & np.uint16(0x55)


@inner
def has_empty_neighbour(around):
    """From the view of a point: whether one of its four neighbours is empty."""
    return empties(around) != np.uint16(0)


@inner
def is_eye(around, me):
    """From the view of an empty point: whether it is a single-point eye of `me`."""
    full = FULL[me]
    return (around & full) == full and (EYE_DIAGONALS[around >> np.uint16(8)] >> me) & np.uint8(1) != 0


@inner
def owner(around):
    """From the view of an empty point: 1 if its stones are all Black's, -1 if White's, else 0."""
    return np.int64(friends(around, BLACK) != 0) - np.int64(friends(around, WHITE) != 0)
