"""The sum of two memories: what was learnt for long, and what a search adds to it (Silver 2009, section 7.2).

    V̄(s) = σ(φ(s)·θ + φ̄(s)·θ̄)                                                           (7.2, 7.3)

φ and θ are the long-term memory's, φ̄ and θ̄ the short-term memory's. It stands behind the same seam as a
single memory (`memory.api`, and `memory.pairs` for action values), and the two may have any features. Who
learns with it learns into the short-term half: only φ̄ is active, so its number of features divides the step
(7.4). The long-term half is part of every value (`fixed_value`), and nothing that is learnt here changes it.

Both halves lie in one array of weights, the short-term one first. `Both.long_term_parts` is a view of the
other half: what real experience changes there counts in the sum at once.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from playout.errors import InputError
from playout.games.api import facts_of
from playout.kernel import implements, inner, is_implemented, record_type
from playout.memory import after, api, pairs
from playout.memory.api import Memory, Parts


@inner
def look_long(memory, index, weights, state):
    """φ·θ of the long-term memory."""
    own, theta = index[memory.short_index :], weights[memory.short_weights :]
    api.look(memory.long_term, own, theta, state)
    memory.long_active = api.active(memory.long_term, own, state, memory.long_features)
    memory.long_value = api.total(theta, memory.long_features, memory.long_active)


def begin_history(memory, index, weights, state):
    own, theta = index[memory.short_index :], weights[memory.short_weights :]
    api.begin_history(memory.long_term, own, theta, state)
    own, theta = index[: memory.short_index], weights[: memory.short_weights]
    api.begin_history(memory.short_term, own, theta, state)


def add_action(memory, index, weights, state, action):
    own, theta = index[memory.short_index :], weights[memory.short_weights :]
    api.add_action(memory.long_term, own, theta, state, action)
    own, theta = index[: memory.short_index], weights[: memory.short_weights]
    api.add_action(memory.short_term, own, theta, state, action)


def look(memory, index, weights, state):
    look_long(memory, index, weights, state)
    api.look(memory.short_term, index[: memory.short_index], weights[: memory.short_weights], state)


def fixed_value(memory):
    return memory.long_value


def refresh(memory, index, weights):
    api.refresh(memory.long_term, index[memory.short_index :], weights[memory.short_weights :])
    api.refresh(memory.short_term, index[: memory.short_index], weights[: memory.short_weights])


def active(memory, index, state, features):
    return api.active(memory.short_term, index[: memory.short_index], state, features)


def choices(memory, state, actions):
    return api.choices(memory.short_term, state, actions)


def worth(memory, index, weights, state, action):
    own, theta = index[memory.short_index :], weights[memory.short_weights :]
    long = after.worth(memory.long_term, own, theta, state, action)
    own, theta = index[: memory.short_index], weights[: memory.short_weights]
    return long + after.worth(memory.short_term, own, theta, state, action)  # (7.2)


def after_values_by_playing(memory, index, weights, state, actions, count, values):
    after.values_by_playing(memory, index, weights, state, actions, count, values)


def after_values(memory, index, weights, state, actions, count, values):
    long = memory.long_after
    theta = weights[memory.short_weights :]
    api.after_values(memory.long_term, index[memory.short_index :], theta, state, actions, count, long)
    theta = weights[: memory.short_weights]
    api.after_values(memory.short_term, index[: memory.short_index], theta, state, actions, count, values)
    for k in range(count):
        if abs(values[k]) < api.DECIDED / 2:  # else the game is over, and both say so
            values[k] += long[k]  # (7.2)


def look_and_log(memory, index, weights, state, log, logged, t, features):
    look_long(memory, index, weights, state)
    own, theta = index[: memory.short_index], weights[: memory.short_weights]
    return api.look_and_log(memory.short_term, own, theta, state, log, logged, t, features)


def end_log(memory, log, logged, t):
    return api.end_log(memory.short_term, log, logged, t)


def value_now(memory, weights, features, count):
    theta = weights[: memory.short_weights]
    return memory.long_value + api.value_now(memory.short_term, theta, features, count)  # (7.2)


def learnt_size(memory, weights):
    return memory.short_weights


def fixed_pair_value(memory, weights, state, action):
    theta = weights[memory.short_weights :]
    features, count = memory.long_features, memory.long_active
    return pairs.pair_value(memory.long_term, theta, state, features, count, action)


SEAM = (
    begin_history,
    add_action,
    look,
    fixed_value,
    refresh,
    active,
    choices,
    look_and_log,
    end_log,
    value_now,
)


@cache
def both_type(
    state: np.dtype, long_term: np.dtype, short_term: np.dtype, features: int, choices: int
) -> np.dtype:
    """The record of a sum of two memories of the states of a game.

    features: how many the long-term memory has at once. choices: how many actions a state may have.
    """
    by_playing = all(is_implemented(after.worth, kind) for kind in (long_term, short_term))
    dtype = record_type(
        [
            *(after.room_fields(state) if by_playing else ()),
            ("short_term", short_term),
            ("long_term", long_term),
            ("long_features", "u4", (features,)),
            ("long_after", "f4", (choices,)),  # φ·θ after each action
            ("long_value", "f8"),  # φ·θ of the state looked at last
            ("long_active", "i8"),  # and how many features it has
            ("short_index", "i8"),  # how much of the index is the short-term memory's
            ("short_weights", "i8"),  # and of the weights
        ]
    )
    for function in SEAM:
        implements(getattr(api, function.__name__), dtype)(function)
    if by_playing:
        implements(after.worth, dtype)(worth)
    implements(api.after_values, dtype)(after_values_by_playing if by_playing else after_values)
    implements(pairs.learnt_size, dtype)(learnt_size)
    implements(pairs.fixed_pair_value, dtype)(fixed_pair_value)
    return dtype


class Both:
    """Two memories as one: settings objects that make their `Parts`, as a search takes them.

    `parts_for` begins a new game: the short-term half is as it was at first. The long-term half is made once
    and kept.

    >>> from playout.games.go.board import Board
    >>> from playout.games.go.memory.short_term import ShortTerm
    >>> both = Both(ShortTerm(long_term="shipped"), ShortTerm())
    >>> parts = both.parts_for(Board(5).record)
    >>> parts.weights.size == 2 * both.long_term_parts.weights.size
    True
    """

    def __init__(self, long_term: Memory, short_term: Memory) -> None:
        self.long_term, self.short_term = long_term, short_term
        self._dtype: np.dtype | None = None
        self._short_weights = 0
        self._parts: Parts | None = None
        self._long: Parts | None = None

    @property
    def long_term_parts(self) -> Parts:
        """The long-term memory alone, its weights a view of the sum's."""
        if self._long is None:
            raise InputError("the two memories are made for a game: ask for its parts first")
        return self._long

    def parts_for(self, root: np.ndarray) -> Parts:
        """The sum for games from a state, with a new short-term memory."""
        short = self.short_term.parts_for(root)
        if self._parts is None or self._dtype != root.dtype or short.weights.size != self._short_weights:
            self._join(root, self.long_term.parts_for(root), short)
            self._dtype, self._short_weights = root.dtype, short.weights.size
        assert self._parts is not None
        self._parts.memory["short_term"] = short.memory
        self._parts.index[: short.index.size] = short.index
        self._parts.weights[: short.weights.size] = short.weights
        return self._parts

    def _join(self, root: np.ndarray, long: Parts, short: Parts) -> None:
        choices = facts_of(root.dtype).most_choices
        dtype = both_type(root.dtype, long.memory.dtype, short.memory.dtype, long.max_active + 2, choices)
        memory = np.zeros(1, dtype)
        memory["long_term"] = long.memory
        memory["short_index"], memory["short_weights"] = short.index.size, short.weights.size
        index = np.concatenate([short.index, long.index])
        weights = np.concatenate([short.weights, long.weights])
        self._parts = Parts(memory, index, weights, short.max_active)
        self._long = Parts(
            long.memory, index[short.index.size :], weights[short.weights.size :], long.max_active
        )
