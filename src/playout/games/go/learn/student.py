"""A softmax policy that is being learnt: its weights θ, and the records that play by them.

Learners collect credit by slot (`policy.psi`), which becomes a gradient by weight once an update.
"""

from __future__ import annotations

import numpy as np

from playout.errors import Diverged, InputError
from playout.games.go.memory.corners import corners_of, weigh_slots, weights_of_slots
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.store import Weights
from playout.games.go.policy.softmax import softmax_record
from playout.kernel import inner, kernel

PAPER = (1, 2)  # sizes of shapes: 107 weights on 5×5, 155 on 6×6
DIVERGED = 1e3  # a weight beyond this has lost all meaning


@inner
def renew(theta, pairs, terms, factor):
    """Let a policy play by other weights."""
    for k in range(theta.size):
        pairs[2 * k + 2] = theta[k]
        pairs[2 * k + 3] = -theta[k]
    weigh_slots(terms, pairs, 1.0, factor)


@inner
def ascend(theta, terms, credit, step, gradient):
    """θ ← θ + step × gradient, from credit by slot."""
    for k in range(theta.size):
        gradient[k] = 0.0
    weights_of_slots(terms, credit, gradient)
    for k in range(theta.size):
        theta[k] += step * gradient[k]


@kernel
def renewed(theta, pairs, terms, factor):
    """Let a policy play by other weights."""
    renew(theta, pairs, terms, factor)


class Student:
    """A policy in training.

    theta: the weights to start from, all 0 if none are given. records: how many play at a time.
    """

    def __init__(self, shapes: Shapes, theta: np.ndarray | None = None, records: int = 1) -> None:
        self.features = features_of(shapes)
        self.corners = corners_of(self.features)
        self.terms = self.corners.terms
        self.theta = np.zeros(self.features.unique) if theta is None else np.array(theta, np.float64)
        if self.theta.shape != (self.features.unique,):
            raise InputError(
                f"the first weights are {self.theta.size:,}; these features have {self.features.unique:,}"
            )
        self.pairs = np.zeros(2 * (self.features.unique + 1))
        self.gradient = np.zeros(self.features.unique)
        self.records = np.repeat(softmax_record(self.corners), records)
        self.records["learning"] = 1
        self.policies = [self.records[k : k + 1] for k in range(records)]  # views
        self.renew()

    @classmethod
    def of(cls, weights: Weights, records: int = 1) -> Student:
        """A policy that begins with learnt weights."""
        return cls(weights.shapes, weights.theta, records)

    def renew(self) -> None:
        """Let all records play by the weights as they are now."""
        first = self.policies[0]["factor"][0]
        renewed(self.theta, self.pairs, self.terms, first)
        for policy in self.policies[1:]:
            policy["factor"][0, : self.corners.slots] = first[: self.corners.slots]

    def step(self, credit: np.ndarray, step: float) -> None:
        """θ ← θ + step × gradient, from credit by slot."""
        self.gradient[:] = 0.0
        weights_of_slots(self.terms, credit, self.gradient)
        self.theta += step * self.gradient
        self.renew()

    def credit(self) -> np.ndarray:
        """Room for credit by slot and player."""
        return np.zeros((self.corners.slots, 2))

    def weights(self, **how: object) -> Weights:
        """The weights for files and players."""
        return Weights(self.features.shapes, self.theta.astype(np.float32), how)

    def check(self, updates: int) -> None:
        """Refuse to go on with weights that have lost all meaning."""
        largest = float(np.max(np.abs(self.theta)))
        if not largest < DIVERGED:
            raise Diverged(
                f"the weights have diverged after {updates:,} updates (the largest is {largest:g}): "
                "a smaller alpha is needed"
            )
