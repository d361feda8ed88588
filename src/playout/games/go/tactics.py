"""Small tactical questions about a move, answered from the packed liberties without walking chains."""

import numpy as np

from playout.games.go.rules import fills, is_playable, put_stone
from playout.games.go.state import (
    BLACK,
    COUNT_MASK,
    EDGE,
    EMPTY,
    SQUARE_SHIFT,
    STRIDE,
    SUM_MASK,
    SUM_SHIFT,
    WHITE,
    in_atari,
    only_liberty,
    weight,
)
from playout.games.go.view import FIRST_EMPTY, empties, friends, has_empty_neighbour, neighbour
from playout.kernel import inner

LONGEST_LADDER = 60
LARGEST_EYE_SPACE = 6
EACH = np.uint64(sum(1 << 9 * k for k in range(7)))  # a one for each of seven points of nine bits
EMPTY_AT = np.array([1, 16, 64, 4], np.uint16)  # by the number of a neighbour: its bit of `empties`


@inner
def stones_in_atari(board, p, color):
    """How many stones of a colour, in chains next to the empty point p, have p for their only liberty."""
    found = np.uint16(0)
    first = second = third = np.uint32(0)  # heads of chains that are counted already
    for i in range(4):
        q = neighbour(p, i)
        if board.color[q] == color:
            head = np.uint32(board.chain[q])
            if head not in (first, second, third) and fills(board, p, head):
                found += board.stones[head]
            first, second, third = head, first, second
    return found


@inner
def has_room(board, p, me):
    """Whether the chain of a stone of `me` put at p would have two liberties or more.

    Two points are told apart at once: empty neighbours of p, a stone captured at p, and the liberties
    that the joined chains have besides p (one point, or several if their sums have variance). A capture
    of two stones or more counts as room.
    """
    here = weight(p)
    first = np.uint32(0)
    for i in range(4):
        q = neighbour(p, i)
        c = board.color[q]
        found = np.uint32(0)
        if c == EMPTY:
            found = q
        elif c == me:
            head = board.chain[q]
            rest = board.liberties[head]
            for j in range(4):
                if board.chain[neighbour(p, j)] == head:
                    rest -= here
            count = rest & COUNT_MASK
            if count != np.uint64(0):
                total = (rest >> SUM_SHIFT) & SUM_MASK
                if count * (rest >> SQUARE_SHIFT) != total * total:
                    return True
                found = np.uint32(total // count)
        elif c != EDGE and fills(board, p, np.uint32(board.chain[q])):
            if board.stones[board.chain[q]] > 1:
                return True
            found = q
        if found != 0:
            if first != 0 and found != first:
                return True
            first = found
    return False


NOTHING = (0, np.uint32(0), np.uint32(0), np.uint32(0))  # a set of points as `_add` makes them


@inner
def _add(found, p):
    """A set of up to three points, as (how many, first, second, third), with one more."""
    n, a, b, c = found
    if n >= 3 or p in (a, b, c):
        return found
    if n == 0:
        return 1, p, b, c
    if n == 1:
        return 2, a, p, c
    return 3, a, b, p


@inner
def _add_liberties(board, head, found, but, nor):
    """Add a chain's liberties, except two points, until there are three."""
    if (board.liberties[head] & COUNT_MASK) > 0:
        stone = head
        while True:
            if has_empty_neighbour(board.around[stone]):
                for i in range(4):
                    q = np.uint32(neighbour(stone, i))
                    if board.color[q] == EMPTY and q != but and q != nor:
                        found = _add(found, q)
            stone = np.uint32(board.following[stone])
            if stone == head or found[0] >= 3:
                break
    return found


@inner
def few_liberties(board, head):
    """A chain's liberties as (how many, first, second); three stands for three or more, and has no second.

    The first is found along the chain. Taken out of the packed sums it leaves none, one point, whose sums
    have no variance, or several.
    """
    packed = board.liberties[head]
    if packed & COUNT_MASK == np.uint64(0):
        return 0, np.uint32(0), np.uint32(0)
    stone = head
    while not has_empty_neighbour(board.around[stone]):
        stone = np.uint32(board.following[stone])
    p = np.uint32(np.int64(stone) + FIRST_EMPTY[empties(board.around[stone])])
    here = weight(p)
    for i in range(4):
        if board.chain[neighbour(p, i)] == head:
            packed -= here
    count = packed & COUNT_MASK
    if count == np.uint64(0):
        return 1, p, np.uint32(0)
    total = (packed >> SUM_SHIFT) & SUM_MASK
    if count * (packed >> SQUARE_SHIFT) != total * total:
        return 3, p, np.uint32(0)
    return 2, p, np.uint32(total // count)


@inner
def liberties_after(board, p, me, but):
    """The liberties that a stone of `me` at p would have, joined to its neighbours, `but` not counted.

    As (how many, first, second, third); three stands for three or more. Of a captured chain the stone
    next to p and one more count.
    """
    found = NOTHING
    for i in range(4):
        q = np.uint32(neighbour(p, i))
        c = board.color[q]
        if c == EMPTY:
            if q != but:
                found = _add(found, q)
        elif c != EDGE:
            head = np.uint32(board.chain[q])
            if c == me:
                found = _add_liberties(board, head, found, p, but)
            elif fills(board, p, head):
                found = _add(found, q)
                if board.stones[head] > 1:
                    found = _add(found, np.uint32(board.following[q]))
    return found


@inner
def can_capture_neighbour(board, head, me):
    """Whether a chain of `me` touches an enemy's chain that may be taken off the board now."""
    stone = head
    while True:
        for i in range(4):
            q = np.uint32(neighbour(stone, i))
            if board.color[q] == 3 - me:
                enemy = np.uint32(board.chain[q])
                if in_atari(board, enemy) and only_liberty(board, enemy) != board.ko:
                    return True
        stone = np.uint32(board.following[stone])
        if stone == head:
            return False


@inner
def runs_free(board, stone):
    """Read a ladder: whether the chain of a stone in atari gets away if it moves now. Changes the board.

    The hunter always plays the liberty from which the prey would grow most; a prey that can capture one
    of the hunter's chains counts as free. No branches are read, so now and then a reading is wrong.
    """
    prey = board.color[stone]
    for _ in range(LONGEST_LADDER):
        head = np.uint32(board.chain[stone])
        if can_capture_neighbour(board, head, prey):
            return True
        p = only_liberty(board, head)
        if not is_playable(board, p, prey):
            return False
        put_stone(board, p, prey)
        n, a, b = few_liberties(board, np.uint32(board.chain[stone]))
        if n != 2:
            return n > 2
        if not hunt(board, a, b, prey):
            return True
    return True


@inner
def hunt(board, a, b, prey):
    """Put a chain of `prey` with the liberties a and b into atari; False if neither way can hold it.

    The hunter takes the liberty where the prey would grow more.
    """
    if liberties_after(board, b, prey, a)[0] < liberties_after(board, a, prey, b)[0]:
        a, b = b, a
    if liberties_after(board, a, prey, b)[0] > 2 or not is_playable(board, b, np.uint8(3 - prey)):
        return False
    put_stone(board, b, np.uint8(3 - prey))
    return True


@inner
def stones_after(board, p, me):
    """How many stones the chain of a stone of `me` at p would have."""
    count = np.int64(1)
    for i in range(4):
        q = np.uint32(neighbour(p, i))
        if board.color[q] == me:
            head = board.chain[q]
            again = False
            for j in range(i):
                again |= board.color[neighbour(p, j)] == me and board.chain[neighbour(p, j)] == head
            if not again:
                count += board.stones[head]
    return count


@inner
def _neighbours_in(region, n, p):
    """How many of the four neighbours of p are among the first n points of a region."""
    count = 0
    for k in range(n):
        q = np.int64(region[np.uint32(k)])
        step = abs(q - np.int64(p))
        count += step in (1, STRIDE)
    return count


@inner
def _is_among(packed, p):
    """Whether a point is in a set of up to seven, each in nine bits of a word: whether taking it from each
    leaves a zero somewhere."""
    left = packed ^ (np.uint64(p) * EACH)
    return (left - EACH) & ~left & (EACH << np.uint64(8)) != np.uint64(0)


@inner
def _eye_space(board, start, region):
    """Collect the empty region of a point: how many of its points were found, they as a set, and whether it
    is small and touched by one colour only; where it is not, some of its points are not looked for."""
    region[0] = start
    known = np.uint64(start)
    n = 1
    k = 0
    black = white = np.uint16(0)
    while k < n:
        p = np.uint32(region[np.uint32(k)])
        k += 1
        around = board.around[p]
        black |= friends(around, BLACK)
        white |= friends(around, WHITE)
        if black != 0 and white != 0:
            return n, known, False
        free = empties(around)
        for i in range(4):
            if free & EMPTY_AT[i]:
                q = np.uint32(neighbour(p, i))
                if not _is_among(known, q):
                    if n == LARGEST_EYE_SPACE:
                        return n, known, False
                    region[np.uint32(n)] = q
                    n += 1
                    known = known << np.uint64(9) | np.uint64(q)
    return n, known, True


@inner
def _has_vital_point(n, most, links):
    """Whether an eye space of n points falls to whoever first plays at the point with `most` neighbours.

    links: how many pairs of its points are neighbours.
    """
    if n == 4:
        return most == 3  # the T; the row of four lives, the square is dead
    if n == 5:
        return most == 4 or links == 5  # the cross, the bulky five
    if n == 6:
        return most == 4 and links == 6  # the rabbity six
    return n == 3


@inner
def vital_point_of(board, start, region):
    """The vital point of the small eye space that an empty point lies in, 0 if there is none; and the points
    of its region that were found, as a set.

    An eye space is a region of three to six empty points that touch stones of one colour only. Its vital
    point is the one with most neighbours inside, where whoever plays there first decides: the middle of
    three, the centre of the T of four, of the cross and the bulky five, and of the rabbity six.

    region: an array to work with.
    """
    n, known, is_small = _eye_space(board, start, region)
    if n < 3 or not is_small:
        return np.uint32(0), known
    most = np.int64(0)
    links = 0
    vital = start
    for k in range(n):
        p = np.uint32(region[np.uint32(k)])
        inside = _neighbours_in(region, n, p)
        links += inside
        if inside > most:
            most = inside
            vital = p
    return vital if _has_vital_point(n, most, links // 2) else np.uint32(0), known


@inner
def vital_point(board, last, region):
    """The vital point of a small eye space next to a move: 0 if there is none."""
    known = np.uint64(0)
    free = empties(board.around[last])
    for i in range(4):
        start = np.uint32(neighbour(last, i))
        if free & EMPTY_AT[i] and not _is_among(known, start):
            vital, known = vital_point_of(board, start, region)
            if vital != 0:
                return vital
    return np.uint32(0)


@inner
def is_lonely(board, row, column):
    """Whether no stone stands within two lines of a point."""
    for r in range(max(1, row - 2), min(board.side, row + 2) + 1):
        for c in range(max(1, column - 2), min(board.side, column + 2) + 1):
            if board.color[np.uint32(r * STRIDE + c)] != EMPTY:
                return False
    return True
