"""Heuristic priors H(s, a) for new nodes (Silver 2009, section 8.6): 1 good, 0 bad, 0.5 unknown.

A prior is a frozen dataclass, whose fields are its settings (``prior.KEY`` in a player's spec), with a
``record()``; `heuristic` is implemented for that record's type. `PRIORS` has them by name.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.games.go.state import EDGE, EMPTY, PASS, STRIDE, in_atari
from playout.games.go.tactics import has_room, is_lonely
from playout.games.go.view import neighbour
from playout.kernel import implements, inner, record_type
from playout.policy import patterns
from playout.search.shape_prior import ShapePrior
from playout.search.tactical import TacticalPrior
from playout.search.tree import NO_NODE, heuristic
from playout.search.urgency import Urgency

EVEN = record_type([("even_game", "u1")])
GRANDFATHER = record_type([("grandfather", "u1")])
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


# A prior's settings: a frozen dataclass that makes the record its `heuristic` reads, with all it has learnt,
# as an array of one record. It has either a method `record()` or, where that depends on the board size,
# `record_for(root)` (see `policy.api.Copies`).
Prior = Any


@dataclass(frozen=True, kw_only=True)
class Even:
    """The even game: every move is worth a half."""

    def record(self) -> np.ndarray:
        """The prior as an array of one record."""
        return np.zeros(1, EVEN)


@implements(heuristic, EVEN)
def even(prior, state, nodes, first, count, selection, grandparent):
    """New nodes have a prior of a half already."""


@dataclass(frozen=True, kw_only=True)
class Grandfather:
    """What the tree thought of the same move when the player was last to move; else a half."""

    def record(self) -> np.ndarray:
        """The prior as an array of one record."""
        return np.zeros(1, GRANDFATHER)


@implements(heuristic, GRANDFATHER)
def grandfather(prior, state, nodes, first, count, selection, grandparent):
    """Q_grand(s_t, a) = Q(s_{t-2}, a) (8.6): the Monte-Carlo value, not the AMAF value Q̃ or the mix Q⊕.

    The prior of the grandfather is part of it, and all of it where there was no simulation (8.42).
    """
    if grandparent == NO_NODE:
        return
    old = np.uint32(nodes[grandparent].first)
    olds = np.uint32(nodes[grandparent].children)
    j = np.uint32(0)
    for k in range(count):
        new = nodes[first + np.uint32(k)]
        for _ in range(olds):  # from where the last one was found: most often the next is its neighbour
            same = nodes[old + j]
            j = j + np.uint32(1) if j + np.uint32(1) < olds else np.uint32(0)
            if same.action == new.action:
                n = same.visits + selection.experience
                new.prior = (same.wins + selection.experience * same.prior) / n if n > 0.0 else same.prior
                break


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


PRIORS: dict[str, type] = {
    "even": Even,
    "grandfather": Grandfather,
    "handcrafted": Handcrafted,
    "shapes": ShapePrior,
    "tactical": TacticalPrior,
    "urgency": Urgency,  # for progressive bias and widening
}
