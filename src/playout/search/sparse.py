"""Sparse lookahead: full width in actions, a few samples of what comes of each (Silver 2009, section 3.3.2;
Kearns, Mansour & Ng 2002).

From a state each action is made C times (the width). Every successor is looked into in the same way, depth
first, until D actions have been made (the depth), and valued by a sample max backup:

    V(s) ← max over a of 1/C Σ_i V(child(s, a, i))                                       (3.1)

With rewards on the way a child counts what its step pays and γ times its own value. All values are player
1's: he maximises, player 2 minimises. A leaf at the full depth has a fixed value.

The cost, (actions × C)^D samples, does not depend on how many states there are: the estimates are near the
optimum with enough depth and width, however large the problem is.

>>> from playout.games.toy import tictactoe
>>> state = tictactoe.start()
>>> for cell in (0, 3, 1, 4):  # both have two in a row
...     tictactoe.GAME.play(state[0], cell)
>>> SparseLookahead(depth=2, width=1).values(state, [2, 5, 6])  # win, prevent a loss, or neither
array([1. , 0.5, 0. ])
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np

from playout.errors import InputError
from playout.games.api import (
    GameError,
    facts_of,
    has_chance,
    is_chance,
    is_over,
    outcome,
    to_play,
    tree_moves,
)
from playout.kernel import inner, kernel, new_rng, record_type
from playout.memory.blank import unknown_value
from playout.search.simulation import take_turn

MAX_DEPTH = 64
MAX_WIDTH = 1_000_000


@cache
def level_type(choices: int) -> np.dtype:
    """A state on the way down, in a game with so many actions in a state."""
    return record_type(
        [
            ("options", "u2", (choices,)),
            ("n_options", "u2"),
            ("option", "u2"),  # the action that is sampled now
            ("samples", "u4"),  # of it so far
            ("total", "f8"),  # of their returns
            ("best", "f8"),  # mean of the actions before
            ("paid", "f8"),  # what the last sample's step paid
            ("fade", "f8"),  # γ of that step
        ],
        tag=f"sparse lookahead of {choices} choices",
    )


@inner
def expand(level, state):
    """Begin with a state's actions."""
    count = tree_moves(state, level.options)
    if count < 1 or count > level.options.size:
        raise GameError("legal_moves or tree_moves gives no action, or more than the game declares (choices)")
    level.n_options = count
    level.option = 0
    level.samples = 0
    level.total = 0.0
    level.best = -np.inf if to_play(state) == 1 else np.inf


@inner
def add_sample(level, value):
    """Count a child of the present action with its value."""
    level.total += level.paid + level.fade * value
    level.samples += np.uint32(1)


@inner
def next_option(level, state, width):
    """Keep the mean of an action that is done if it is the best, and go on to the next (3.1)."""
    mean = level.total / width
    level.best = max(level.best, mean) if to_play(state) == 1 else min(level.best, mean)
    level.option += np.uint16(1)
    level.samples = 0
    level.total = 0.0


@kernel
def look_ahead(states, levels, action, depth, width, leaf_value, rng):
    """Player 1's value of an action in states[0], from its samples.

    states, levels: one for each ply, and a state more. rng: an array of one record.
    """
    levels[0].options[0] = action
    levels[0].n_options = 1
    levels[0].option = 0
    levels[0].samples = 0
    levels[0].total = 0.0
    ply = np.uint32(0)
    while ply > 0 or levels[0].samples < width:
        level = levels[ply]
        if level.samples == width:
            next_option(level, states[ply], width)
        if level.option == level.n_options:
            ply -= np.uint32(1)
            add_sample(levels[ply], level.best)
            continue
        child = np.uint32(ply + 1)
        states[child] = states[ply]
        action = level.options[np.uint32(level.option)]
        level.paid, level.fade, _ = take_turn(states[child], action, rng[0], 0)
        if is_over(states[child]):
            add_sample(level, float(outcome(states[child])))
        elif child == depth:
            add_sample(level, leaf_value)
        else:
            expand(levels[child], states[child])
            ply = child
    return levels[0].total / width


class SparseLookahead:
    """Values of actions by sparse lookahead.

    depth: D, the actions made on a way down. width: C, the samples of each; one is enough in a game without
    chance. leaf_value: what a state at the full depth is worth to player 1; without one, nothing more to come
    in a problem with rewards, and the middle of the bounds in a game of outcomes.
    """

    def __init__(
        self, depth: int, width: int, seed: int | None = None, leaf_value: float | None = None
    ) -> None:
        if not 1 <= depth <= MAX_DEPTH:
            raise InputError(f"depth: {depth} is not a number from 1 to {MAX_DEPTH}")
        if not 1 <= width <= MAX_WIDTH:
            raise InputError(f"width: {width} is not a number from 1 to {MAX_WIDTH:,}")
        self.depth, self.width, self.leaf_value = depth, width, leaf_value
        self._rng = new_rng(seed)

    def values(self, root: np.ndarray, actions: Iterable[int]) -> np.ndarray:
        """Player 1's value of each action in a state, which is an array of one record."""
        chance = has_chance(root[0])
        if is_over(root[0]) or (chance and is_chance(root[0])):
            raise InputError("sparse lookahead starts where a player is to move")
        states = np.zeros(self.depth + 1, root.dtype)
        states[:1] = root
        levels = np.zeros(self.depth, level_type(facts_of(root.dtype).most_choices))
        leaf = unknown_value(root) if self.leaf_value is None else self.leaf_value
        width = self.width if chance else 1  # all samples are the same
        return np.array(
            [
                look_ahead(states, levels, int(action), self.depth, width, float(leaf), self._rng)
                for action in actions
            ]
        )
