"""A small position as two 64-bit words: the points of one colour and those of the other.

Bit ``8 * row + column`` is a point, row 0 at the top, so a board up to 7×7 leaves the last column and the
last row of an 8×8 square free: a step in any direction is a shift, and what leaves the board is masked away.
The eight symmetries of the square are byte swaps and transpositions, some ten instructions each.
"""

import numpy as np

from playout.kernel import inner

MAX_SIDE = 7
ONE, EIGHT, NONE = np.uint64(1), np.uint64(8), np.uint64(0)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def full(side: int) -> np.uint64:
    """All points of a board.

    >>> bin(full(2))
    '0b1100000011'
    """
    return np.uint64(sum(1 << (8 * row + column) for row in range(side) for column in range(side)))


@inner
def count(b):
    """How many bits are set."""
    b = b - ((b >> ONE) & np.uint64(0x5555555555555555))
    b = (b & np.uint64(0x3333333333333333)) + ((b >> np.uint64(2)) & np.uint64(0x3333333333333333))
    b = (b + (b >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    b = b + (b >> EIGHT)
    b = b + (b >> np.uint64(16))
    b = b + (b >> np.uint64(32))
    return np.int64(b & np.uint64(127))


@inner
def lowest(b):
    """The lowest bit of a set that is not empty."""
    return b & (~b + ONE)


@inner
def number(bit):
    """The number of a single bit."""
    return count(bit - ONE)


@inner
def beside(b, board):
    """The points next to a set of points, some of the set among them."""
    return ((b << ONE) | (b >> ONE) | (b << EIGHT) | (b >> EIGHT)) & board


@inner
def connected(seed, through, board):
    """What can be reached from a seed by steps through a set that contains the seed."""
    while True:
        more = (seed | beside(seed, board)) & through
        if more == seed:
            return seed
        seed = more


@inner
def put(own, other, bit, board):
    """Put a stone of the first colour: (own, other, captured, legal); suicide is not legal."""
    own |= bit
    captured = NONE
    left = beside(bit, board) & other
    while left:
        chain = connected(lowest(left), other, board)
        left &= ~chain
        if beside(chain, board) & ~own & ~other == NONE:
            captured |= chain
    other &= ~captured
    legal = True
    if captured == NONE and beside(bit, board) & ~own & ~other == NONE:
        legal = beside(connected(bit, own, board), board) & ~own & ~other != NONE
    return own, other, captured, legal


@inner
def ko_after(own, other, bit, captured, board):
    """The point where the other colour may not retake a ko now, or nothing."""
    if captured & (captured - ONE) == NONE and captured != NONE:
        near = beside(bit, board)
        if near & own == NONE and near & ~other == captured:
            return captured
    return NONE


@inner
def area(own, other, board):
    """The area of the first colour less that of the other: stones, and empty points that reach one only."""
    mine = connected(own, board & ~other, board)
    theirs = connected(other, board & ~own, board)
    return count(mine & ~theirs) - count(theirs & ~mine)


@inner
def alive_chains(own, other, board):
    """The stones that no number of enemy moves takes while their owner only passes (Benson 1976).

    They are chains with two vital regions each. A region is what the owner's stones enclose, enemy stones
    included; it is vital to a chain if every empty point of it is a liberty of that chain, and only chains
    that are alive themselves may enclose it.
    """
    chains = own
    regions = board & ~own
    while True:
        kept = NONE
        left = chains
        while left:
            chain = connected(lowest(left), own, board)
            left &= ~chain
            around = beside(chain, board)
            vital = 0
            rest = regions & around
            while rest and vital < 2:
                region = connected(lowest(rest), board & ~own, board)
                rest &= ~region
                if region & ~other & ~around == NONE:
                    vital += 1
            if vital >= 2:
                kept |= chain
        if kept == chains:
            return chains
        # A region beside a chain that is not kept may be broken into.
        broken = beside(chains & ~kept, board) & regions
        regions &= ~connected(broken, board & ~own, board)
        chains = kept


@inner
def secure(own, other, board):
    """The least that the first colour scores from now on: (score, alive stones, points it will hold).

    It holds its alive stones, single points that only they surround (to play there would be suicide), and
    regions that one alive chain alone encloses and touches at every point: it takes enemy stones there by
    filling their liberties, and passes when there are none. A stone so put joins the chain, which keeps an
    eye in every such region, since the last empty point is filled only to capture; so such stones are never
    lost. (The game does not end before: that would take a pass of the first colour.)

    Of another region that only alive chains enclose, the enemy cannot fill the last point; where every empty
    point is beside an alive chain, that last one is nobody's. All else is taken to be the enemy's.
    """
    points = count(board)
    left = board & ~own
    if own == NONE or connected(lowest(left), left, board) == left:
        return -points, NONE, NONE
    safe = alive_chains(own, other, board)
    if safe == NONE:
        return -points, NONE, NONE
    held = safe
    nobodys = 0
    while left:
        region = connected(lowest(left), board & ~own, board)
        left &= ~region
        walls = beside(region, board) & own
        if walls & ~safe:
            continue
        chain = connected(lowest(walls), own, board)
        if region & (region - ONE) == NONE or (
            walls & ~chain == NONE and region & ~beside(chain, board) == NONE
        ):
            held |= region
        elif region & ~other & ~beside(safe, board) == NONE:
            nobodys += 1
    return 2 * count(held) + nobodys - points, safe, held


@inner
def mirrored_rows(b, side):
    """Top and bottom exchanged."""
    b = ((b >> EIGHT) & np.uint64(0x00FF00FF00FF00FF)) | ((b & np.uint64(0x00FF00FF00FF00FF)) << EIGHT)
    b = ((b >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)) | (
        (b & np.uint64(0x0000FFFF0000FFFF)) << np.uint64(16)
    )
    b = (b >> np.uint64(32)) | (b << np.uint64(32))
    return b >> np.uint64(8 * (8 - side))


@inner
def mirrored_columns(b, side):
    """Left and right exchanged."""
    b = ((b >> ONE) & np.uint64(0x5555555555555555)) | ((b & np.uint64(0x5555555555555555)) << ONE)
    b = ((b >> np.uint64(2)) & np.uint64(0x3333333333333333)) | (
        (b & np.uint64(0x3333333333333333)) << np.uint64(2)
    )
    b = ((b >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)) | (
        (b & np.uint64(0x0F0F0F0F0F0F0F0F)) << np.uint64(4)
    )
    return b >> np.uint64(8 - side)


@inner
def transposed(b):
    """Rows and columns exchanged."""
    t = (b ^ (b >> np.uint64(7))) & np.uint64(0x00AA00AA00AA00AA)
    b = b ^ t ^ (t << np.uint64(7))
    t = (b ^ (b >> np.uint64(14))) & np.uint64(0x0000CCCC0000CCCC)
    b = b ^ t ^ (t << np.uint64(14))
    t = (b ^ (b >> np.uint64(28))) & np.uint64(0x00000000F0F0F0F0)
    return b ^ t ^ (t << np.uint64(28))


@inner
def turned(b, symmetry, side):
    """One of the eight symmetries: bit 2 transposes, then bit 0 mirrors rows and bit 1 columns."""
    if symmetry & 4:
        b = transposed(b)
    if symmetry & 1:
        b = mirrored_rows(b, side)
    if symmetry & 2:
        b = mirrored_columns(b, side)
    return b


@inner
def turned_back(b, symmetry, side):
    """The inverse of `turned`."""
    if symmetry & 2:
        b = mirrored_columns(b, side)
    if symmetry & 1:
        b = mirrored_rows(b, side)
    if symmetry & 4:
        b = transposed(b)
    return b
