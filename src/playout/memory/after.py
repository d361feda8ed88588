"""What actions lead to, valued by playing them: `after_values` for memories that know nothing of a game.

The state is copied, the action played, and what comes of it valued as TD search learns it: V is a share, 0 to
1, of what lies between the game's bounds.

- The end of a game without rewards is worth ±DECIDED, or between as its outcome is.
- Where steps pay, an action is worth r + γ V(s'), and γ times the outcome at the end (`memory.td.backed_up`).
- Where chance moves next and its events have numbers, an action is worth the mean over them. An event after
  which chance moves once more is valued as the state stands there, and so is a state where what chance does
  has no numbers: before the roll.

A memory of this kind has a record type for each game, with room in it for two states (`room_fields`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from playout.games.api import (
    GameError,
    bounds,
    chances,
    discount,
    facts_of,
    happen,
    has_chance,
    has_rewards,
    is_chance,
    is_over,
    most_events,
    outcome,
    play,
    reward,
    share,
)
from playout.kernel import generic, inner, only_where
from playout.memory.api import DECIDED

SUREST = 1e-12  # how near to 0 and 1 a share comes before it is made a φ·θ


def room_fields(dtype: np.dtype) -> list[tuple[Any, ...]]:
    """The fields of such a memory for the states of a game; they come first, which aligns the states.

    linear: whether V is 1/2 + φ·θ (2.28), and not σ(φ·θ); a learner of the rule `linear` sets it.
    """
    return [("rooms", dtype, (2,)), ("likely", "f8", (max(1, facts_of(dtype).events),)), ("linear", "u1")]


@generic
def worth(memory, index, weights, state, action):
    """φ·θ of the state that an action leads to from the one that was looked at; nothing is changed."""


@generic
def times_seen(memory, index, known, state):
    """How often the features of a state have been seen, on average. known: the counts, in the first row."""


@inner
def count_by_playing(memory, index, known, state, action):
    """The same of the state that an action leads to: before chance has moved."""
    memory.rooms[0] = state
    play(memory.rooms[0], action)
    return times_seen(memory, index, known, memory.rooms[0])


@inner
def to_share(memory, x):
    """V from φ·θ, as a share."""
    return 0.5 + x if memory.linear else 1.0 / (1.0 + math.exp(-x))


@inner
def from_share(memory, value):
    """φ·θ from V."""
    if memory.linear:
        return value - 0.5
    v = min(max(value, SUREST), 1.0 - SUREST)
    return math.log(v / (1.0 - v))


@inner
def state_value(memory, index, weights, state, action):
    """V of a state, as a share; of an ended game its outcome."""
    if is_over(state):
        return share(state, outcome(state))
    return to_share(memory, worth(memory, index, weights, state, action))


@inner
def with_pay(state, value):
    """r + γ V, as a share, for the step that has led to a state."""
    if has_rewards(state):
        low, high = bounds(state)
        gamma = float(discount(state))
        return (float(reward(state)) + (gamma - 1.0) * low) / (high - low) + gamma * value
    return value


def _without_chance(memory, index, weights, state, action):
    return state_value(memory, index, weights, state, action)


@only_where(has_chance, otherwise=_without_chance, at=3)
def mean_value(memory, index, weights, state, action):
    """V of a state, the mean over what may happen where chance is to move."""
    if most_events(state) == 0 or is_over(state) or not is_chance(state):
        return state_value(memory, index, weights, state, action)
    count = chances(state, memory.likely)
    if count < 1 or count > memory.likely.size:
        raise GameError("chances gives no event, or more than the game declares (events)")
    total = 0.0
    for event in range(count):
        if memory.likely[event] > 0.0:
            memory.rooms[1] = state
            happen(memory.rooms[1], event)
            value = state_value(memory, index, weights, memory.rooms[1], action)
            total += memory.likely[event] * with_pay(memory.rooms[1], value)
    return total


@inner
def end_value(state):
    """What an ended game is worth: between the bounds as the outcome is, from -DECIDED to DECIDED."""
    z = outcome(state)
    low, high = bounds(state)
    if not low <= z <= high:
        raise GameError("an outcome is not between the bounds that the game declares (low, high)")
    return np.float32((2.0 * share(state, z) - 1.0) * DECIDED)


@inner
def values_by_playing(memory, index, weights, state, actions, count, values):
    """φ·θ after each action; see above."""
    for k in range(count):
        j = np.uint32(k)
        memory.rooms[0] = state
        play(memory.rooms[0], actions[j])
        after = memory.rooms[0]
        if has_rewards(state):
            value = mean_value(memory, index, weights, after, actions[j])
            values[j] = from_share(memory, with_pay(after, value))
        elif is_over(after):
            values[j] = end_value(after)
        elif has_chance(state) and is_chance(after):
            values[j] = from_share(memory, mean_value(memory, index, weights, after, actions[j]))
        else:
            values[j] = worth(memory, index, weights, after, actions[j])
