"""A memory of nothing: for searches of games of which nothing has been learnt.

It knows which actions there are and values none of them. A search over it believes in ends of games alone.

>>> from playout.games.toy import tictactoe
>>> from playout.search.alphabeta import AlphaBeta
>>> search = AlphaBeta(*Blank().parts())
>>> search.start(tictactoe.start(), range(9))
>>> search.deepen(9).value  # nobody can be beaten
0.0
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from playout.games.api import facts_of, has_rewards
from playout.kernel import implements, record_type
from playout.memory import after, api
from playout.memory.api import Parts

BLANK = record_type([("blank", "u1")])


@dataclass(frozen=True, kw_only=True)
class Blank:
    """Settings of a memory of nothing: none."""

    def parts_for(self, root: np.ndarray) -> Parts:
        """The same as a search takes a memory."""
        return Parts(*self.parts(), 0)

    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The memory, its index and its weights."""
        return np.zeros(1, BLANK), np.zeros(1, np.uint32), np.zeros(2, np.float32)


@implements(api.has_values, BLANK)
def has_values(memory):
    return False


@implements(after.worth, BLANK)
def worth(memory, index, weights, state, action):
    return 0.0


@implements(api.active, BLANK)
def active(memory, index, state, features):
    return 0  # φ = ∅


@implements(api.after_values, BLANK)
def after_values(memory, index, weights, state, actions, count, values):
    for k in range(count):
        values[k] = 0.0


def unknown_value(root: np.ndarray) -> float:
    """Player 1's return from a state of which nothing is known: none to come, or as much as the other's.

    root: an array of one record.

    >>> from playout.games.toy import tictactoe
    >>> unknown_value(tictactoe.start())
    0.5
    """
    facts = facts_of(root.dtype)
    return 0.0 if has_rewards(root[0]) else (facts.low + facts.high) / 2
