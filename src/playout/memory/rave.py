"""RAVE features: an action anywhere below a state of the tree (Silver 2009, section 8.11.2).

A history is h_t = s_0 a_0 … s_t a_t. For every state S of a tree, which grows by one state a simulation, and
every action A there is a feature of the history:

    Ĩ^{S,A}(h) = 1 if a_t = A and s_i = S for some i, else 0                                         (8.49)

So what an action was worth in all simulations through S is one weight, wherever below S it was made. V of a
state is that of the history which ends with the action that has led to it; the root, to which none has led,
has no feature. An action is who makes it and its number. The tree's states are told apart as in
`memory.table`.

MoGo's RAVE takes the subtree nearest to an action alone, and learns each mean by itself; here all subtrees
that the history has passed through share the credit, as section 8.11.2 says.

>>> from playout.games.toy import tictactoe
>>> Rave().parts_for(tictactoe.start()).max_active  # there are at most 9 states on the way
10
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from playout.games.api import facts_of, to_play
from playout.kernel import implements, inner, record_type
from playout.kernel.raw import RUNS_FIELDS, write_runs
from playout.kernel.rng import STEP, mix
from playout.memory import after, api
from playout.memory.hashed import MOST, claim, find, new_table
from playout.memory.table import Table, state_key
from playout.settings import check_values, setting

DEEPEST = 64  # states of the tree that a history remembers: the first ones


@dataclass(frozen=True, kw_only=True)
class Rave:
    """Settings of RAVE features."""

    capacity: int = setting(
        1 << 18, "features, and states of the tree, that there is room for", low=1, high=MOST
    )

    def __post_init__(self) -> None:
        check_values(type(self), vars(self))

    def parts_for(self, root: np.ndarray) -> api.Parts:
        """The memory for games from a state, with an empty table."""
        deepest = min(DEEPEST, facts_of(root.dtype).moves + 1)
        made = np.zeros(1, _rave_type(root.dtype, deepest))
        write_runs(made, root.dtype)
        return api.Parts(made, *new_table(self.capacity), deepest)

    def facts(self, root: np.ndarray) -> dict[str, Any]:
        """What the features depend on, as plain values, for files."""
        return Table().facts(root)


@inner
def feature_key(subtree, player, action):
    """The key of Ĩ^{S,A}. subtree: the key of S."""
    return mix(subtree + (np.uint64(action) * np.uint64(4) + np.uint64(player)) * STEP)


@inner
def remember(memory, subtree):
    """Put a state of the tree among those that the history has passed through, if it is not there yet."""
    for k in range(memory.passed):
        if memory.subtrees[k] == subtree:
            return
    if memory.passed < memory.subtrees.size:
        memory.subtrees[memory.passed] = subtree
        memory.passed += np.uint32(1)


@cache
def _rave_type(dtype: np.dtype, deepest: int) -> np.dtype:
    """The record type for a game, with room for so many states of a history."""
    made = record_type(
        [
            *after.room_fields(dtype),
            ("subtrees", "u8", (deepest,)),  # states of the tree in the history, by their keys
            ("passed", "u4"),  # how many
            ("subtree_grown", "u1"),  # whether this simulation has added one
            ("has_acted", "u1"),  # whether there is an action yet
            ("acted", "u2"),  # a_t
            ("actor", "u1"),  # who made it
            ("here", "u8"),  # the key of the state that was looked at
            ("here_player", "u1"),
            *RUNS_FIELDS,
        ]
    )

    @implements(api.begin_history, made)
    def begin_history(memory, index, weights, state):
        memory.passed = 0
        memory.subtree_grown = 0
        memory.has_acted = 0

    @implements(api.add_action, made)
    def add_action(memory, index, weights, state, action):
        subtree = state_key(memory, state)
        place = find(index, subtree)
        if place == 0 and not memory.subtree_grown:
            place = claim(index, subtree)
            memory.subtree_grown = 1
        if place != 0:
            remember(memory, subtree)
        memory.has_acted = 1
        memory.acted = action
        memory.actor = to_play(state)

    @implements(api.look, made)
    def look(memory, index, weights, state):
        memory.here = state_key(memory, state)
        memory.here_player = to_play(state)

    @implements(api.active, made)
    def active(memory, index, state, features):
        n = 0
        if memory.has_acted:
            for k in range(memory.passed):
                place = claim(index, feature_key(memory.subtrees[k], memory.actor, memory.acted))  # (8.49)
                if place != 0:
                    features[n] = place
                    n += 1
        return n

    @implements(after.worth, made)
    def worth(memory, index, weights, state, action):
        x = np.float32(0.0)
        known = find(index, memory.here) != 0
        for k in range(memory.passed):
            x += weights[find(index, feature_key(memory.subtrees[k], memory.here_player, action))]
            known = known and memory.subtrees[k] != memory.here
        if known and memory.passed < memory.subtrees.size:
            x += weights[find(index, feature_key(memory.here, memory.here_player, action))]
        return np.float64(x)

    @implements(api.after_values, made)
    def after_values(memory, index, weights, state, actions, count, values):
        after.values_by_playing(memory, index, weights, state, actions, count, values)

    return made
