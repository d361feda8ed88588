"""Heuristic priors H(s, a) for new nodes (Silver 2009, section 8.6): 1 good, 0 bad, 0.5 unknown.

A prior is a frozen dataclass, whose fields are its settings (``prior.KEY`` in a player's spec), with a
``record()``; `heuristic` is implemented for that record's type. `PRIORS` has them by name.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.kernel import implements, record_type
from playout.search.nodes import NO_NODE, heuristic

EVEN = record_type([("even_game", "u1")])
GRANDFATHER = record_type([("grandfather", "u1")])


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


# By name; a game adds its own.
PRIORS: dict[str, type] = {"even": Even, "grandfather": Grandfather}
