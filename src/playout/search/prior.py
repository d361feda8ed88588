"""Heuristic priors H(s, a) for new nodes (Silver 2009, section 8.6): 1 good, 0 bad, 0.5 unknown."""

from dataclasses import dataclass

import numpy as np

from playout.games.go.state import EDGE, EMPTY, PASS, STRIDE, in_atari
from playout.games.go.tactics import has_room
from playout.games.go.view import neighbour
from playout.kernel import implements, inner, record_type
from playout.policy import patterns
from playout.search.tree import heuristic
from playout.search.urgency import Urgency

EVEN = record_type([("even_game", "u1")])
HANDCRAFTED = record_type([("known_pattern", "u1", (1 << 16,))])

# What the handcrafted heuristic thinks of a move.
UNKNOWN = 0.5
PASSING = 0.1
SELF_ATARI = 0.2
CAPTURE = 0.9
ESCAPE = 0.85  # extends a chain in atari to two liberties or more
PATTERN = 0.1  # is added where one of MoGo's patterns matches
NEAR = 0.05  # is added within NEAR_STEPS of the last move, once more to a pattern
NEAR_STEPS = 3
# Of a point with no stone within two lines: by its line from the edge.
LONELY_FIRST_LINE, LONELY_SECOND_LINE, LONELY_THIRD_LINE = 0.1, 0.35, 0.55


@dataclass(frozen=True, kw_only=True)
class Even:
    """The even game: every move is worth a half."""

    def record(self) -> np.ndarray:
        """The prior as an array of one record."""
        return np.zeros(1, EVEN)


@implements(heuristic, EVEN)
def even(prior, state, nodes, first, count):
    """New nodes have a prior of a half already."""


@dataclass(frozen=True, kw_only=True)
class Handcrafted:
    """What MoGo's simulation rules suggest is good, self-atari and empty edges are bad."""

    def record(self) -> np.ndarray:
        """The prior as an array of one record."""
        prior = np.zeros(1, HANDCRAFTED)
        prior["known_pattern"] = patterns.table()
        return prior


@inner
def _is_lonely(board, row, column):
    """Whether no stone stands within two lines of a point."""
    for r in range(max(1, row - 2), min(board.side, row + 2) + 1):
        for c in range(max(1, column - 2), min(board.side, column + 2) + 1):
            if board.color[np.uint32(r * STRIDE + c)] != EMPTY:
                return False
    return True


@inner
def _judge(prior, board, p, me):
    """H(s, a) of a point."""
    row = np.int64(p) // STRIDE
    column = np.int64(p) % STRIDE
    if _is_lonely(board, row, column):
        line = min(row, column, board.side + 1 - row, board.side + 1 - column)
        if line == 1:
            return LONELY_FIRST_LINE
        if line == 2:
            return LONELY_SECOND_LINE
        return LONELY_THIRD_LINE if line == 3 else UNKNOWN
    room = has_room(board, p, me)
    value = UNKNOWN if room else SELF_ATARI
    for i in range(4):
        q = neighbour(p, i)
        color = board.color[q]
        if color not in (EMPTY, EDGE) and in_atari(board, np.uint32(board.chain[q])):
            if color != me:
                value = max(value, CAPTURE)
            elif room:
                value = max(value, ESCAPE)
    if room:
        last = np.int64(board.last)
        steps = abs(row - last // STRIDE) + abs(column - last % STRIDE)
        is_near = last != PASS and steps <= NEAR_STEPS
        if is_near:
            value += NEAR
        if prior.known_pattern[board.around[p]] >> me & 1:
            value += PATTERN + (NEAR if is_near else 0.0)
    return min(value, 1.0)


@implements(heuristic, HANDCRAFTED)
def handcrafted(prior, board, nodes, first, count):
    for k in range(count):
        node = nodes[first + np.uint32(k)]
        p = np.uint32(node.action)
        node.prior = PASSING if p == PASS else _judge(prior, board, p, board.to_play)


PRIORS: dict[str, type[Even] | type[Handcrafted] | type[Urgency]] = {
    "even": Even,
    "handcrafted": Handcrafted,
    "urgency": Urgency,  # for progressive bias and widening
}
