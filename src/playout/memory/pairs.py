"""Features of a state and an action, φ(s, a), from any memory of states (Silver 2009, sections 2.3.5–2.3.8).

A feature of the pair is a feature of the state together with the action: there is a block of weights for each
action, and φ(s, a)·θ is that of φ(s) in the block of a. A table of states becomes the table I^{S,A} (6.1),
tiles become those that Sutton & Barto learn the mountain car with.

No model of the game is asked for: what an action leads to is learnt with its value.

>>> from playout.games.toy import tictactoe
>>> from playout.memory.table import Table
>>> states = Table().parts_for(tictactoe.start())
>>> pairs = Pairs(Table()).parts_for(tictactoe.start())
>>> pairs.weights.size // states.weights.size
9
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.api import facts_of, most_actions
from playout.kernel import defaulted, inner
from playout.memory.api import Memory, Parts

MOST_WEIGHTS = 1 << 31  # places are numbers of four bytes


@dataclass(frozen=True)
class Pairs:
    """A memory of pairs; memory: that of states."""

    memory: Memory

    def parts_for(self, root: np.ndarray) -> Parts:
        """The memory for games from a state: the same with a block of weights for each action."""
        states, actions = self.memory.parts_for(root), facts_of(root.dtype).actions
        if states.weights.size * actions > MOST_WEIGHTS:
            raise InputError(
                f"{states.weights.size:,} weights for each of {actions:,} actions are more than "
                f"{MOST_WEIGHTS:,}: take a smaller memory"
            )
        return Parts(states.memory, states.index, np.tile(states.weights, actions), states.max_active)


@defaulted
def learnt_size(memory, weights):
    """How many of the weights are those that learn; they come first."""
    return weights.size


@defaulted
def fixed_pair_value(memory, weights, state, action):
    """What is added to φ(s, a)·θ of the state looked at last, and is not learnt (see `api.fixed_value`)."""
    return 0.0


@inner
def block_of(memory, weights, state, action):
    """Where the weights of an action begin."""
    return np.uint32(learnt_size(memory, weights) // most_actions(state) * action)


@inner
def pair_value(memory, weights, state, features, count, action):
    """φ(s, a)·θ. features: those of the state, which was looked at."""
    first = block_of(memory, weights, state, action)
    x = np.float32(0.0)
    for k in range(count):
        x += weights[np.uint32(features[k]) + first]
    return fixed_pair_value(memory, weights, state, action) + np.float64(x)


@inner
def to_pair(memory, weights, state, features, count, action):
    """Make the features of a state those of the state and an action."""
    first = block_of(memory, weights, state, action)
    for k in range(count):
        features[k] += first
