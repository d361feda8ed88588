"""A Go position is one NumPy record, the same for every board size from 2×2 to 19×19.

Points lie on a padded board whose row stride is a constant, so a neighbour is ``p ± 1`` or
``p ± STRIDE`` on every size and the edge needs no test. Row 1 is the top row. Point 0 is off every
board and stands for pass.

What makes it fast:

- ``around[p]`` holds the colours of the eight neighbours of p, two bits each. "Has an empty neighbour",
  "is an eye" and "which 3×3 pattern" are one load.
- ``liberties[head]`` packs three sums over a chain's pseudo-liberties (one for every pair of a stone
  and an empty neighbour) into 64 bits: how many, the sum of their points, the sum of the squares. One
  addition keeps all three. A chain is in atari when the points have no variance.
- Neighbours are updated without asking what they are: an empty or edge point is the head of a chain of
  its own whose sums nobody reads.
"""

import numpy as np

from playout.kernel import inner, kernel, record_type

MIN_SIDE, MAX_SIDE = 2, 19
STRIDE = MAX_SIDE + 1
POINTS = (MAX_SIDE + 2) * STRIDE + 2
AREA = MAX_SIDE * MAX_SIDE
EMPTY, BLACK, WHITE, EDGE = 0, 1, 2, 3
PASS = 0

STATE = record_type(
    [
        ("liberties", "u8", (POINTS,)),  # by head of chain: packed sums over its pseudo-liberties
        ("zobrist", "u8"),  # hash of the stones
        ("komi", "f8"),
        ("around", "u2", (POINTS,)),  # colours of the eight neighbours, two bits each
        ("chain", "u2", (POINTS,)),  # head of the chain of the stone here; the point itself if none
        ("following", "u2", (POINTS,)),  # next stone of the chain, in a circle
        ("stones", "u2", (POINTS,)),  # by head of chain: how many stones
        ("place", "u2", (POINTS,)),  # by empty point: where it stands in `empty`
        ("empty", "u2", (AREA,)),  # the empty points, in any order
        ("color", "u1", (POINTS,)),
        ("n_empty", "u2"),
        ("side", "u2"),
        ("ko", "u2"),  # point that may not be played now, or 0
        ("last", "u2"),  # last move, or 0 for a pass or none
        ("moves", "u2"),  # moves made, passes included
        ("limit", "u2"),  # at so many moves the game is a draw
        ("margin", "i2"),  # black stones less white stones on the board
        ("passes", "u1"),  # passes in a row
        ("to_play", "u1"),
        ("suicide", "u1"),  # whether suicide is legal
    ]
)

# Where a stone stands, seen from its neighbours: bit position in `around` (orthogonal ones low).
FROM_NORTH, FROM_SOUTH, FROM_WEST, FROM_EAST = 0, 2, 4, 6
FROM_NW, FROM_NE, FROM_SW, FROM_SE = 8, 10, 12, 14

COUNT_BITS, SUM_BITS = 11, 20
COUNT_MASK = np.uint64((1 << COUNT_BITS) - 1)
SUM_MASK = np.uint64((1 << SUM_BITS) - 1)
SUM_SHIFT = np.uint64(COUNT_BITS)
SQUARE_SHIFT = np.uint64(COUNT_BITS + SUM_BITS)

ZOBRIST = np.random.default_rng(20090901).integers(0, 1 << 64, (3, POINTS), np.uint64)
ZOBRIST[EMPTY] = 0


@inner
def weight(p):
    """What one pseudo-liberty at p adds to the packed sums of a chain."""
    x = np.uint64(p)
    return np.uint64(1) + (x << SUM_SHIFT) + ((x * x) << SQUARE_SHIFT)


@inner
def in_atari(board, head):
    """Whether all liberties of a chain are one point: count × squares = sum × sum."""
    packed = board.liberties[head]
    total = (packed >> SUM_SHIFT) & SUM_MASK
    return (packed & COUNT_MASK) * (packed >> SQUARE_SHIFT) == total * total


@inner
def only_liberty(board, head):
    """The one liberty of a chain in atari."""
    packed = board.liberties[head]
    return np.uint32(((packed >> SUM_SHIFT) & SUM_MASK) // (packed & COUNT_MASK))


@inner
def toggle(board, p, color):
    """Put a stone into the neighbours' view of p, or take it out again."""
    c = np.uint16(color)
    board.around[p + np.uint32(STRIDE)] ^= c << np.uint16(FROM_NORTH)
    board.around[p - np.uint32(STRIDE)] ^= c << np.uint16(FROM_SOUTH)
    board.around[p + np.uint32(1)] ^= c << np.uint16(FROM_WEST)
    board.around[p - np.uint32(1)] ^= c << np.uint16(FROM_EAST)
    board.around[p + np.uint32(STRIDE + 1)] ^= c << np.uint16(FROM_NW)
    board.around[p + np.uint32(STRIDE - 1)] ^= c << np.uint16(FROM_NE)
    board.around[p - np.uint32(STRIDE - 1)] ^= c << np.uint16(FROM_SW)
    board.around[p - np.uint32(STRIDE + 1)] ^= c << np.uint16(FROM_SE)


@inner
def look_around(board, p):
    """The colours of the eight neighbours of p, read from the board."""
    return np.uint16(
        (board.color[p - np.uint32(STRIDE)] << FROM_NORTH)
        | (board.color[p + np.uint32(STRIDE)] << FROM_SOUTH)
        | (board.color[p - np.uint32(1)] << FROM_WEST)
        | (board.color[p + np.uint32(1)] << FROM_EAST)
        | (np.uint32(board.color[p - np.uint32(STRIDE + 1)]) << FROM_NW)
        | (np.uint32(board.color[p - np.uint32(STRIDE - 1)]) << FROM_NE)
        | (np.uint32(board.color[p + np.uint32(STRIDE - 1)]) << FROM_SW)
        | (np.uint32(board.color[p + np.uint32(STRIDE + 1)]) << FROM_SE)
    )


@kernel
def reset(board, side):
    """An empty board with Black to play; komi, limit and suicide stay as they are."""
    for i in range(POINTS):
        p = np.uint32(i)
        board.color[p] = EDGE
        board.around[p] = 0
        board.chain[p] = p
        board.following[p] = p
        board.stones[p] = 0
        board.liberties[p] = 0
        board.place[p] = 0
    n = 0
    for row in range(1, side + 1):
        for column in range(1, side + 1):
            p = np.uint32(row * STRIDE + column)
            board.color[p] = EMPTY
            board.empty[n] = p
            board.place[p] = n
            n += 1
    for k in range(n):
        p = np.uint32(board.empty[k])
        board.around[p] = look_around(board, p)
    board.side = side
    board.n_empty = n
    board.zobrist = 0
    board.ko = 0
    board.last = 0
    board.moves = 0
    board.margin = 0
    board.passes = 0
    board.to_play = BLACK
