"""The handcrafted heuristic (Silver 2009, section 8.6): MoGo's simulation rules as a prior.

The thesis gives a good move 1, a bad one 0 and all others a half, such that greedy play by the heuristic,
ties broken at random, is MoGo's simulation policy: ``graded=false``. The default is ours: grades in between,
for moves anywhere on the board and not only in answer to the last one.
"""

from dataclasses import dataclass

import numpy as np

from playout.games.go.policy.mogo import MOGO, Mogo, list_ataris, suggestions
from playout.games.go.state import EDGE, EMPTY, PASS, STRIDE, in_atari
from playout.games.go.tactics import has_room, is_lonely
from playout.games.go.view import is_eye, neighbour
from playout.kernel import implements, inner, record_type
from playout.search.nodes import heuristic
from playout.settings import setting

HANDCRAFTED = record_type([("rules", MOGO, (1,)), ("graded", "u1")])

GOOD, OTHER, BAD = 1.0, 0.5, 0.0  # what the thesis gives a move

# What the graded heuristic thinks of a move.
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
    """What MoGo's simulation rules suggest is good; self-atari, empty edges or own eyes are bad."""

    graded: bool = setting(True, "grades of our own; false: only 1, 0 and a half, as in the thesis (8.6)")

    def record(self) -> np.ndarray:
        """The prior as an array of one record."""
        prior = np.zeros(1, HANDCRAFTED)
        prior["rules"][:, 0] = Mogo().record()
        prior["graded"] = self.graded
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
        if prior.rules[0].pattern[board.around[p]] >> me & 1:
            value += PATTERN + (NEAR if is_near else 0.0)
    return min(value, 1.0)


@implements(heuristic, HANDCRAFTED)
def handcrafted(prior, board, nodes, first, count, selection, grandparent):
    if prior.graded == 0:
        _as_printed(prior.rules[0], board, nodes, first, count)
        return
    for k in range(count):
        node = nodes[first + np.uint32(k)]
        p = np.uint32(node.action)
        node.prior = PASSING if p == PASS else _judge(prior, board, p, board.to_play)


@inner
def _as_printed(rules, board, nodes, first, count):
    """1 for the moves of the first of MoGo's rules that has any, 0 for those it never plays, else a half."""
    list_ataris(rules, board)
    found = suggestions(rules, board)
    for k in range(count):
        node = nodes[first + np.uint32(k)]
        p = np.uint32(node.action)
        node.prior = BAD if p == PASS or is_eye(board.around[p], board.to_play) else OTHER
        for j in range(found):
            if rules.found[np.uint32(j)] == p:
                node.prior = GOOD
