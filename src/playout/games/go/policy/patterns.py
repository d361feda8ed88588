"""MoGo's 3×3 patterns (Gelly, Wang, Munos & Teytaud 2006): hane, cut, and play along the edge.

A pattern is drawn around the move, which is its centre. ``X`` and ``O`` are the two colours, ``.`` is
empty, ``#`` the edge, ``x`` and ``o`` anything but that colour, ``?`` anything. It holds turned,
mirrored, and for either side to play; where only one side may play it, that side is ``X``.
"""

from functools import cache

import numpy as np

from playout.games.go.state import (
    BLACK,
    FROM_EAST,
    FROM_NE,
    FROM_NORTH,
    FROM_NW,
    FROM_SE,
    FROM_SOUTH,
    FROM_SW,
    FROM_WEST,
    WHITE,
)

EITHER = (
    # hane: around the head of a stone
    "XOX ... ???",
    "XO. ... ?.?",
    "XO? X.. x.?",
    # cut: between two stones, and the point that keeps two stones apart
    "XO? O.o ?o?",
    "?X? O.O ooo",
    # on the first line
    "X.? O.? ###",
    "?X? x.O ###",
    "?XO x.x ###",
    "?OX X.O ###",
)
OWN = ("XOO ... ?.?",)

SHIFTS = (
    (FROM_NW, FROM_NORTH, FROM_NE),
    (FROM_WEST, None, FROM_EAST),
    (FROM_SW, FROM_SOUTH, FROM_SE),
)


def _allowed(symbol: str, x_is: int) -> int:
    """The colours that a symbol admits, as a set of bits."""
    x, o = 1 << x_is, 1 << (3 - x_is)
    return {".": 1, "#": 8, "?": 15, "X": x, "O": o, "x": 15 ^ x, "o": 15 ^ o}[symbol]


@cache
def table() -> np.ndarray:
    """By the view of a point: bit c is set where a pattern tells colour c to play."""
    codes = np.arange(1 << 16)
    colors = {shift: (codes >> shift) & 3 for row in SHIFTS for shift in row if shift is not None}
    found = np.zeros(1 << 16, np.uint8)
    for pattern in (*EITHER, *OWN):
        drawn = np.array([list(row) for row in pattern.split()])
        for turn in range(8):
            turned = np.rot90(drawn if turn < 4 else drawn.T, turn)
            for x_is in (BLACK, WHITE):
                matches = np.ones(1 << 16, bool)
                for (row, column), symbol in np.ndenumerate(turned):
                    shift = SHIFTS[row][column]
                    if shift is not None:
                        matches &= (_allowed(symbol, x_is) >> colors[shift]) & 1 == 1
                found[matches] |= (1 << x_is) if pattern in OWN else (1 << BLACK | 1 << WHITE)
    return found
