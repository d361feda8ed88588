"""What a memory is: features φ(s) that are 0 or 1, and a weight for each.

A memory is a record that looks at states. Beside it go two plain arrays, because their lengths vary:
`index`, which belongs to the features, and `weights` θ. Weights lie in pairs, ``weights[2 j]`` = θ_j and
``weights[2 j + 1]`` = -θ_j, so that a feature with a negative weight is one look-up like any other. The
first pair is 0 and stays so.

The number φ·θ is player 1's; what squashes it into a probability is the learner's affair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from playout.games.api import tree_moves
from playout.kernel import below, defaulted, generic, inner

DECIDED = 1e4  # in place of φ·θ where the game is over and won: more than any position is worth


@dataclass(frozen=True)
class Parts:
    """A memory that learns: its record, an array of one, its index, its weights in pairs, and its room."""

    memory: np.ndarray
    index: np.ndarray
    weights: np.ndarray
    max_active: int  # features at once


def under_rule(parts: Parts, linear: bool) -> Parts:
    """Say how V is made of φ·θ, to a memory that must know it: one that values actions by playing them."""
    if "linear" in (parts.memory.dtype.names or ()):
        parts.memory["linear"] = linear
    return parts


class Memory(Protocol):
    """What a search learns into."""

    def parts_for(self, root: np.ndarray) -> Parts:
        """The memory for games from a state, with the weights that a new game begins with."""


@defaulted
def look(memory, index, weights, state):
    """Bring the memory up to date with a state, any state: at the cost of what has changed."""
    return


@defaulted
def refresh(memory, index, weights):
    """Forget what was computed from weights that have changed since."""
    return


@generic
def active(memory, index, state, features):
    """Write the places of the active features' weights into an array; return how many there are.

    The memory has looked at the state.
    """


@defaulted
def choices(memory, state, actions):
    """Write the actions that a greedy player chooses among; return how many there are, at least one."""
    return tree_moves(state, actions)


@defaulted
def any_choice(memory, state, actions, rng):
    """One of the choices, all equally likely. actions: room for them."""
    return np.uint32(actions[below(rng, choices(memory, state, actions))])


@generic
def after_values(memory, index, weights, state, actions, count, values):
    """Write φ·θ of the state after each action, or about ±DECIDED if that ends the game.

    The memory has looked at the state.
    """


@defaulted
def has_values(memory):
    """Whether `after_values` says what states are worth. Where it does not, only the end of a game does."""
    return True


@defaulted
def fixed_value(memory):
    """What is added to φ·θ of the state looked at last, and is not learnt: 0 but for a sum of memories."""
    return 0.0


@defaulted
def virtual_count(memory, index, known, state, action):
    """How often the features that an action brings have been seen, on average (10.3.2).

    known: the counts of weights, in the first row. The memory has looked at the state. Where it cannot tell,
    all actions are alike.
    """
    return 0.0


@inner
def total(weights, features, count):
    """φ·θ from the active features."""
    x = np.float32(0.0)
    for k in range(count):
        x += weights[features[np.uint32(k)]]
    return np.float64(x)


@inner
def add(weights, features, count, step):
    """θ ← θ + step φ: a weight that several features share moves several times."""
    s = np.float32(step)
    for k in range(count):
        move_pair(weights, np.uint32(features[np.uint32(k)]), s)


@inner
def move_pair(weights, place, step):
    """Add to a weight and put its negative beside it. Threads that meet here may part the two; the next that
    comes joins them again."""
    x = weights[place] + step
    weights[place] = x
    weights[place ^ np.uint32(1)] = np.float32(0.0) - x


# -- features of a history, and memories that grow -----------------------------------------------------------
#
# A simulation says where it begins and which actions it makes. Features of states alone need neither.


@defaulted
def begin_history(memory, index, weights, state):
    """A history begins in this state, s_0: what happened before it is forgotten."""
    return


@defaulted
def add_action(memory, index, weights, state, action):
    """The history goes on: in this state, s_t, the player to move makes this action, a_t."""
    return


# -- updates after a whole simulation ------------------------------------------------------------------------
#
# A feature is active from one position to another. A log has an entry for each time: the place of its weight,
# the position from which on and the one up to which it was active. With it all updates of a simulation are
# one addition an entry (`memory.td.sweep`).


@defaulted
def look_and_log(memory, index, weights, state, log, logged, t, features):
    """Look at position t of a simulation, after all before it, and log its active features.

    features: room for them. Returns the entries of the log and how many features are active.
    """
    if t == 0:
        refresh(memory, index, weights)
    look(memory, index, weights, state)
    return log_all(memory, index, state, log, logged, t, features)


@inner
def log_all(memory, index, state, log, logged, t, features):
    """An entry for each feature of one position."""
    count = active(memory, index, state, features)
    for k in range(count):
        log[logged + k, 0] = features[k]
        log[logged + k, 1] = t
        log[logged + k, 2] = t + 1
    return logged + count, count


@defaulted
def end_log(memory, log, logged, t):
    """Log what was active up to t, the end of the simulation; return the entries of the log."""
    return logged


@defaulted
def value_now(memory, weights, features, count):
    """φ·θ of the position that was logged last."""
    return total(weights, features, count)
