"""Sequence features: actions made one after the other, anywhere in the history (Silver 2009, section 10.1.3).

    I^{A_1 … A_τ}(s_1 a_1 … s_t a_t) = 1 if a_{i+1} = A_1, …, a_{i+τ} = A_τ for some i, else 0        (10.1)

A feature is a sequence of τ actions, for τ from 1 to a greatest length. It comes on when its last action is
made, and stays on to the end of the simulation. Each simulation adds one new sequence of every length: the
first that is not there yet. Whose actions they are is part of a sequence. The history begins at the root of
the search.

The empty sequence (τ = 0) is a feature too, which is always on: it learns what the root is worth. Without it
an action that is not known yet seems to bring back an even game, and who is behind plays nothing else.

>>> from playout.games.toy import tictactoe
>>> Sequences(length=3).parts_for(tictactoe.start()).max_active  # 3 lengths, 9 actions, and none
28
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from playout.games.api import facts_of, to_play
from playout.kernel import implements, inner, record_type
from playout.kernel.rng import STEP, mix
from playout.memory import after, api
from playout.memory.hashed import MOST, claim, find, new_table
from playout.settings import check_values, setting

LONGEST = 8  # that the thesis tried
MOST_ON = 512  # sequences of a history: the first ones


@dataclass(frozen=True, kw_only=True)
class Sequences:
    """Settings of sequence features."""

    length: int = setting(4, "longest sequence of actions, τ", low=1, high=LONGEST)
    capacity: int = setting(1 << 18, "sequences that there is room for", low=1, high=MOST)

    def __post_init__(self) -> None:
        check_values(type(self), vars(self))

    def parts_for(self, root: np.ndarray) -> api.Parts:
        """The memory for games from a state, with an empty table."""
        most = min(MOST_ON, self.length * facts_of(root.dtype).moves + 1)
        made = np.zeros(1, _sequences_type(root.dtype, most))
        made["length"] = self.length
        return api.Parts(made, *new_table(self.capacity), most)

    def facts(self, root: np.ndarray) -> dict[str, Any]:
        """What the features depend on, as plain values, for files."""
        return {"length": self.length}


@inner
def step_key(player, action):
    """An action and who makes it, never 0."""
    return np.uint64(action) * np.uint64(4) + np.uint64(player)


@inner
def longer(key, step):
    """The key of a sequence with one more action before it."""
    return mix((key ^ step) + STEP)


@inner
def is_on(memory, place):
    """Whether a sequence has already occurred."""
    found = False
    for k in range(memory.n_on):
        found |= memory.on[k] == place
    return found


@cache
def _sequences_type(dtype: np.dtype, most: int) -> np.dtype:
    """The record type for a game, with room for so many sequences of a history."""
    made = record_type(
        [
            *after.room_fields(dtype),
            ("length", "u4"),
            ("made", "u4"),  # actions so far
            ("recent", "u8", (LONGEST,)),  # the last ones, the latest first
            ("added", "u1", (LONGEST,)),  # of each length: whether this simulation has added one
            ("on", "u4", (most,)),  # the places of the sequences that have occurred
            ("n_on", "u4"),
            ("logged_on", "u4"),  # how many of them are in the log
            ("on_worth", "f4"),  # φ·θ of the position that was logged last
            ("since", "u4", (most,)),  # from which position on each is on
            ("mover", "u1"),  # who is to move in the state that was looked at
        ]
    )

    @implements(api.begin_history, made)
    def begin_history(memory, index, weights, state):
        memory.made = 0
        for k in range(LONGEST):
            memory.added[k] = 0
        memory.on[0] = claim(index, longer(np.uint64(0), np.uint64(0)))  # the empty sequence
        memory.since[0] = 0
        memory.n_on = 1 if memory.on[0] != 0 else 0

    @implements(api.add_action, made)
    def add_action(memory, index, weights, state, action):
        for k in range(LONGEST - 1, 0, -1):
            memory.recent[k] = memory.recent[k - 1]
        memory.recent[0] = step_key(to_play(state), action)
        memory.made += np.uint32(1)
        key = np.uint64(0)
        for k in range(min(memory.length, memory.made)):
            key = longer(key, memory.recent[k])
            place = find(index, key)
            if place == 0 and not memory.added[k]:
                place = claim(index, key)
                memory.added[k] = 1
            if place != 0 and memory.n_on < memory.on.size and not is_on(memory, place):  # (10.1)
                memory.on[memory.n_on] = place
                memory.since[memory.n_on] = memory.made
                memory.n_on += np.uint32(1)

    @implements(api.look, made)
    def look(memory, index, weights, state):
        memory.mover = to_play(state)

    @implements(api.active, made)
    def active(memory, index, state, features):
        for k in range(memory.n_on):
            features[k] = memory.on[k]
        return np.int64(memory.n_on)

    @implements(after.worth, made)
    def worth(memory, index, weights, state, action):
        x = np.float32(0.0)
        for k in range(memory.n_on):
            x += weights[memory.on[k]]
        key = longer(np.uint64(0), step_key(memory.mover, action))
        for k in range(min(memory.length, memory.made + np.uint32(1))):
            if k > 0:
                key = longer(key, memory.recent[k - 1])
            place = find(index, key)
            if place != 0 and not is_on(memory, place):
                x += weights[place]
        return np.float64(x)

    @implements(api.after_values, made)
    def after_values(memory, index, weights, state, actions, count, values):
        after.values_by_playing(memory, index, weights, state, actions, count, values)

    # A sequence that is on stays on: one entry of the log is enough for it.

    @implements(api.look_and_log, made)
    def look_and_log(memory, index, weights, state, log, logged, t, features):
        memory.mover = to_play(state)
        if t == 0:
            memory.logged_on = 0
            memory.on_worth = 0.0
        for k in range(memory.logged_on, memory.n_on):
            memory.on_worth += weights[memory.on[k]]
        memory.logged_on = memory.n_on
        return logged, np.int64(memory.n_on)

    @implements(api.end_log, made)
    def end_log(memory, log, logged, t):
        for k in range(memory.logged_on):
            log[logged, 0] = memory.on[k]
            log[logged, 1] = memory.since[k]
            log[logged, 2] = t
            logged += 1
        return logged

    @implements(api.value_now, made)
    def value_now(memory, weights, features, count):
        return np.float64(memory.on_worth)

    return made
