"""What a simulation policy is: a record that chooses actions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from playout.kernel import clone, constant, defaulted, generic, is_implemented


class Copies:
    """The record of a policy or a prior, a copy for each thread.

    Most parts need only their settings for it: ``part.record()``. One that has learnt something else for each
    board size has a method ``record_for(root)`` instead, which looks at the state that games begin from and
    gives the same array again while that is still right.
    """

    def __init__(self, part: Any, count: int = 1, copy: Callable[[np.ndarray], np.ndarray] = clone) -> None:
        self._part, self._count, self._copy = part, count, copy
        self._made: np.ndarray | None = None
        self.records: list[np.ndarray] = []
        if not hasattr(part, "record_for"):
            self._take(part.record())

    def _take(self, made: np.ndarray) -> None:
        self._made = made
        self.records = [self._copy(made) for _ in range(self._count)]

    def at(self, root: np.ndarray) -> list[np.ndarray]:
        """The copies for games that begin at a state."""
        if hasattr(self._part, "record_for"):
            made = self._part.record_for(root)
            if made is not self._made:
                self._take(made)
        return self.records


@defaulted
def begin(policy, state):
    """Prepare for a simulation that starts in this state; called once before its first sample."""
    return


@constant
def looks_first(dtype):
    """Whether a policy prepares for a simulation, and then is asked for all its moves in order."""
    return is_implemented(begin, dtype)


@generic
def sample(policy, state, rng):
    """Choose an action for the player to move. Called once for every move of a simulation, in order."""


@generic
def estimate(policy, state, chances):
    """What the policy expects of a state: the outcome for player 1, in the game's own units.

    chances: of each kind of end that the game counts (`Facts.tallies`), written here.
    """


@constant
def has_estimate(dtype):
    """Whether a policy can say what a state is worth, without playing on."""
    return is_implemented(estimate, dtype)
