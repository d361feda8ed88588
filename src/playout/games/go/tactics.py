"""Small tactical questions about a move, answered from the packed liberties without walking chains."""

import numpy as np

from playout.games.go.rules import fills
from playout.games.go.state import COUNT_MASK, EDGE, EMPTY, SQUARE_SHIFT, SUM_MASK, SUM_SHIFT, weight
from playout.games.go.view import neighbour
from playout.kernel import inner


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
