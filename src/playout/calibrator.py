"""The unit of the benchmarks: light playouts of Go in plain Numba, apart from everything else in the package.

A machine's speed drifts, so `playout bench` measures in turns with this and gives ratios. **It is frozen.**
It imports nothing of ours, shares no code with our boards, and is never made faster: whoever edits it makes
another unit, and no figure that was published can be compared any more. A test holds its text.

A playout: both sides play uniformly random legal moves that fill no eye of their own, and pass when there is
none; two passes end it, or three moves a point (60 at least). A chain counts its *contacts*, the pairs of a
stone and an empty point beside it. A move takes one contact from each chain for each side on which it
touches it: it is legal if then a chain of its own still has one, or an enemy's has none.

Any file with these three names can stand in its place (`playout bench --reference FILE`): `BOARD`, a dtype
with a field `side`; `reset(board)`; `run(roots, work, rng, count)`, which plays so many times from roots[0],
on work[0], with the random number rng[0], and returns how often Black won and the moves of all.
"""

import numpy as np
from numba import njit

ROW = 21  # points of a row, with one of the edge at each end; the largest board is 19×19
POINTS = ROW * ROW
EMPTY, BLACK, WHITE, EDGE = 0, 1, 2, 3
PASS = 0  # a point of the edge
KOMI = 7.5

BOARD = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("colour", "u1", (POINTS,)),
                ("chain", "u2", (POINTS,)),  # of a stone: the stone that speaks for its chain
                ("after", "u2", (POINTS,)),  # of a stone: the next of its chain, in a ring
                ("contacts", "u2", (POINTS,)),  # of a chain
                ("stones", "u2", (POINTS,)),  # of a chain
                ("free", "u2", (POINTS,)),  # the empty points
                ("where", "u2", (POINTS,)),  # of an empty point: its place among them
                ("side", "u4"),
                ("n_free", "u4"),
                ("ko", "u4"),
                ("turn", "u1"),
            ],
            align=True,
        ),
    )
)


@njit(nogil=True, cache=True)
def reset(board):
    """Empty the board of the size that `side` says."""
    n = 0
    for p in range(POINTS):
        row, column = p // ROW, p % ROW
        inside = 1 <= row <= board.side and 1 <= column <= board.side
        board.colour[p] = EMPTY if inside else EDGE
        if inside:
            board.free[n] = p
            board.where[p] = n
            n += 1
    board.n_free = n
    board.ko = PASS
    board.turn = BLACK


@njit(nogil=True)
def beside(p, k):
    """The neighbour of a point on one of its four sides."""
    if k == 0:
        return np.uint32(p - np.uint32(ROW))
    if k == 1:
        return np.uint32(p - np.uint32(1))
    if k == 2:
        return np.uint32(p + np.uint32(1))
    return np.uint32(p + np.uint32(ROW))


@njit(nogil=True)
def has_safe_corners(board, p, me):
    """Whether of a point's diagonals at most one is the enemy's, and none at the edge of the board.

    An empty point with such corners and no other neighbours than one's own stones is an eye.
    """
    wrong = 0
    at_edge = 0
    for q in (
        np.uint32(p - np.uint32(ROW + 1)),
        np.uint32(p - np.uint32(ROW - 1)),
        np.uint32(p + np.uint32(ROW - 1)),
        np.uint32(p + np.uint32(ROW + 1)),
    ):
        colour = board.colour[q]
        if colour == EDGE:
            at_edge = 1
        elif colour == 3 - me:
            wrong += 1
    return wrong + at_edge < 2


@njit(nogil=True)
def touch(board, p, change):
    """Give each chain beside a point a contact more or less, for each side on which it lies there."""
    for k in range(4):
        q = beside(p, k)
        if board.colour[q] == BLACK or board.colour[q] == WHITE:
            board.contacts[board.chain[q]] += np.uint16(change)


@njit(nogil=True)
def may_play(board, p, me):
    """Whether a move at an empty point is legal and fills no eye."""
    enemies = 0
    for k in range(4):
        colour = board.colour[beside(p, k)]
        if colour == EMPTY:
            return True
        enemies += colour == 3 - me
    if p == board.ko or (enemies == 0 and has_safe_corners(board, p, me)):
        return False
    touch(board, p, -1)
    legal = False
    for k in range(4):
        q = beside(p, k)
        colour = board.colour[q]
        if colour != EDGE:
            legal |= (board.contacts[board.chain[q]] == 0) != (colour == me)
    touch(board, p, 1)
    return legal


@njit(nogil=True)
def below(rng, n):
    """A number from 0 to n - 1: a linear congruential generator (Knuth's MMIX), its high bits."""
    rng[0] = rng[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return np.uint32(((rng[0] >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit(nogil=True)
def draw(board, rng):
    """A move, each that may be played equally likely: empty points are drawn until one may; else a pass."""
    n = board.n_free
    while n > 0:
        k = below(rng, n)
        p = np.uint32(board.free[k])
        if may_play(board, p, board.turn):
            return p
        n -= np.uint32(1)  # out of the draw: behind those that are left
        other = board.free[n]
        board.free[k] = other
        board.where[other] = k
        board.free[n] = p
        board.where[p] = n
    return np.uint32(PASS)


@njit(nogil=True)
def join(board, a, b):
    """Make two chains one; the smaller takes the larger one's name, which is returned."""
    if board.stones[a] < board.stones[b]:
        a, b = b, a
    board.contacts[a] += board.contacts[b]
    board.stones[a] += board.stones[b]
    p = b
    while True:
        board.chain[p] = a
        p = np.uint32(board.after[p])
        if p == b:
            break
    board.after[a], board.after[b] = board.after[b], board.after[a]
    return a


@njit(nogil=True)
def take(board, first):
    """Take a chain off the board."""
    p = first
    while True:
        board.colour[p] = EMPTY
        board.free[board.n_free] = p
        board.where[p] = board.n_free
        board.n_free += np.uint32(1)
        touch(board, p, 1)
        p = np.uint32(board.after[p])
        if p == first:
            break


@njit(nogil=True)
def play(board, p):
    """Make a legal move, or pass, and hand the turn on."""
    me = board.turn
    board.turn = np.uint8(3 - me)
    board.ko = PASS
    if p == PASS:
        return
    board.n_free -= np.uint32(1)  # the last empty point takes its place
    last = board.free[board.n_free]
    board.free[board.where[p]] = last
    board.where[last] = board.where[p]
    board.colour[p] = me
    board.chain[p] = p
    board.after[p] = p
    board.stones[p] = 1
    board.contacts[p] = 0
    mine = p
    for k in range(4):
        q = beside(p, k)
        colour = board.colour[q]
        if colour == EMPTY:
            board.contacts[mine] += np.uint16(1)
        elif colour != EDGE:
            other = np.uint32(board.chain[q])
            board.contacts[other] -= np.uint16(1)
            if colour == me and other != mine:
                mine = np.uint32(join(board, mine, other))
    taken = 0
    there = np.uint32(PASS)
    for k in range(4):
        q = beside(p, k)
        if board.colour[q] == 3 - me and board.contacts[board.chain[q]] == 0:
            taken += board.stones[board.chain[q]]
            there = q
            take(board, np.uint32(board.chain[q]))
    if taken == 1 and board.stones[mine] == 1 and board.contacts[mine] == 1:
        board.ko = there


@njit(nogil=True)
def lead(board):
    """Black's stones and eyes less White's. At the end of a playout every empty point stands alone."""
    total = 0
    for row in range(1, board.side + 1):
        for column in range(1, board.side + 1):
            p = np.uint32(row * ROW + column)
            black = board.colour[p] == BLACK
            white = board.colour[p] == WHITE
            if not black and not white:
                for k in range(4):
                    black |= board.colour[beside(p, k)] == BLACK
                    white |= board.colour[beside(p, k)] == WHITE
            total += black - white
    return total


@njit(nogil=True)
def playout(board, rng):
    """Play to the end; Black's lead and the number of moves."""
    moves = 0
    passes = 0
    longest = max(60, 3 * board.side * board.side)
    while passes < 2 and moves < longest:
        p = draw(board, rng)
        play(board, p)
        passes = passes + 1 if p == PASS else 0
        moves += 1
    return lead(board), moves


@njit(nogil=True, cache=True)
def run(roots, work, rng, count):
    """So many playouts from roots[0]: how often Black won, and the moves of all."""
    wins = 0
    moves = 0
    for _ in range(count):
        work[0] = roots[0]
        score, length = playout(work[0], rng)
        wins += score > KOMI
        moves += length
    return wins, moves
