"""The handcrafted heuristic (Silver 2009, section 8.6): MoGo's simulation rules as a prior."""

from dataclasses import dataclass

import numpy as np

from playout.games.go.policy import patterns
from playout.games.go.state import EDGE, EMPTY, PASS, STRIDE, in_atari
from playout.games.go.tactics import has_room, is_lonely
from playout.games.go.view import neighbour
from playout.kernel import implements, inner, record_type
from playout.search.nodes import heuristic

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
class Handcrafted:
    """What MoGo's simulation rules suggest is good, self-atari and empty edges are bad."""

    def record(self) -> np.ndarray:
        """The prior as an array of one record."""
        prior = np.zeros(1, HANDCRAFTED)
        prior["known_pattern"] = patterns.table()
        return prior


@inner
def _judge(prior, board, p, me):
    """H(s, a) of a point."""
    row = np.int64(p) // STRIDE
    column = np.int64(p) % STRIDE
    if is_lonely(board, row, column):
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
def handcrafted(prior, board, nodes, first, count, selection, grandparent):
    for k in range(count):
        node = nodes[first + np.uint32(k)]
        p = np.uint32(node.action)
        node.prior = PASSING if p == PASS else _judge(prior, board, p, board.to_play)
