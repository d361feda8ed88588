"""Table look-up: a feature for each state, one more state with every simulation (Silver 2009, section 6.7).

I^S(s) is 1 if s = S. In each simulation the first state that is not in the table yet is added to it, so it
grows as the tree of Monte-Carlo tree search does. A state that is not in it has no feature and V = 1/2, the
middle of what is possible. (The thesis has a feature for a state and an action (6.1); that of the state after
it is the same where chance does not move.)

States are told apart by their `position_key`, where a game has one, else by what their record holds; and by
who is to move.

>>> from playout.games.toy import tictactoe
>>> Table().parts_for(tictactoe.start()).max_active
1
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from playout.games.api import position_key, to_play
from playout.kernel import constant, implements, inner, is_implemented, record_type
from playout.kernel.raw import RUNS_FIELDS, bytes_key, write_runs
from playout.kernel.rng import STEP, mix
from playout.memory import after, api, step_sizes
from playout.memory.hashed import MOST, claim, find, new_table
from playout.settings import check_values, setting


@dataclass(frozen=True, kw_only=True)
class Table:
    """Settings of table look-up. grows: by how many states a simulation; 0: by all that it visits."""

    grows: int = setting(1, "states that a simulation adds; 0: all that it visits", low=0, high=1_000_000)
    capacity: int = setting(1 << 18, "states that there is room for", low=1, high=MOST)

    def __post_init__(self) -> None:
        check_values(type(self), vars(self))

    def parts_for(self, root: np.ndarray) -> api.Parts:
        """The memory for games from a state, with an empty table."""
        made = np.zeros(1, _table_type(root.dtype))
        write_runs(made, root.dtype)
        made["grows"] = self.grows
        return api.Parts(made, *new_table(self.capacity), 1)

    def facts(self, root: np.ndarray) -> dict[str, Any]:
        """What the features depend on, as plain values, for files."""
        return {"key": "position_key" if is_implemented(position_key, root.dtype) else "bytes"}


@constant
def has_key(dtype):
    """Whether a game says what its states' values depend on."""
    return is_implemented(position_key, dtype)


@inner
def state_key(memory, state):
    """64 bits that stand for a state and for who is to move in it. memory: has RUNS_FIELDS."""
    player = np.uint64(to_play(state))
    if has_key(state):
        return mix((position_key(state) ^ (player * STEP)) + STEP)
    return bytes_key(memory, state, player)


@cache
def _table_type(dtype: np.dtype) -> np.dtype:
    """The record type for a game."""
    made = record_type(
        [
            *after.room_fields(dtype),
            ("grows", "u4"),
            ("grown", "u4"),  # states that this simulation has added
            *RUNS_FIELDS,
        ]
    )

    @implements(api.begin_history, made)
    def begin_history(memory, index, weights, state):
        memory.grown = 0

    @implements(api.active, made)
    def active(memory, index, state, features):
        key = state_key(memory, state)
        place = find(index, key)
        if place == 0 and (memory.grows == 0 or memory.grown < memory.grows):
            place = claim(index, key)
            memory.grown += np.uint32(1)
        features[0] = place
        return 1 if place != 0 else 0

    @implements(after.worth, made)
    def worth(memory, index, weights, state, action):
        return np.float64(weights[find(index, state_key(memory, state))])

    @implements(after.times_seen, made)
    def times_seen(memory, index, known, state):
        place = find(index, state_key(memory, state))
        return np.float64(known[step_sizes.COUNTS, place >> np.uint32(1)])

    @implements(api.virtual_count, made)
    def virtual_count(memory, index, known, state, action):
        return after.count_by_playing(memory, index, known, state, action)

    @implements(api.after_values, made)
    def after_values(memory, index, weights, state, actions, count, values):
        after.values_by_playing(memory, index, weights, state, actions, count, values)

    return made
