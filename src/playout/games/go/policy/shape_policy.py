"""The softmax policy over local shapes, as learners see it (`policy.softmax`).

Its credit is by slot and player (`memory.corners`), and becomes a gradient by weight once an update.
"""

from __future__ import annotations

import numpy as np

from playout.games.go.memory.corners import corners_of, weigh_slots, weights_of_slots
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.store import Weights
from playout.games.go.policy import psi
from playout.games.go.policy import softmax as own
from playout.games.go.policy.softmax import SOFTMAX, softmax_record
from playout.games.go.state import PASS, STRIDE
from playout.kernel import implements, inner
from playout.policy import api, softmax

PAPER = (1, 2)  # sizes of shapes: 107 weights on 5×5, 155 on 6×6


@implements(softmax.weigh, SOFTMAX)
def weigh(policy, index, theta):
    weigh_slots(index, theta, 1.0, policy.factor)


@implements(softmax.probability, SOFTMAX)
def probability(policy, board, actions, chances):
    api.begin(policy, board)
    return listed(policy, board, actions, chances)


@inner
def listed(policy, board, actions, chances):
    """The moves that the policy chooses among, and π of each; it has begun or sampled up to here."""
    whole = own.prepare(policy, board)
    if whole == 0.0:
        actions[0] = PASS
        chances[0] = 1.0
        return 1
    player = np.uint32(board.to_play - 1)
    number = 0
    for row in range(board.side):
        for column in range(board.side):
            p = np.uint32((row + 1) * STRIDE + column + 1)
            if policy.preference[p, player] > 0.0:
                actions[number] = p
                chances[number] = policy.preference[p, player] / whole
                number += 1
    return number


@implements(softmax.credit, SOFTMAX)
def credit(policy, board, action, amount):
    p = np.uint32(action)
    if p != PASS:
        psi.credit_move(policy, board, p, amount)


@implements(softmax.forget, SOFTMAX)
def forget(policy):
    psi.forget(policy)


@implements(softmax.settle, SOFTMAX)
def settle(policy):
    own.settle(policy)


@implements(softmax.collect, SOFTMAX)
def collect(policy, outcome, part, sums):
    for k in range(policy.slots):
        for player in range(2):
            sums[2 * k + player] += outcome * (part * policy.credit[np.uint32(k), player])


@implements(softmax.gradient, SOFTMAX)
def gradient(policy, index, sums, found):
    weights_of_slots(index, sums, found)


class ShapePolicy(softmax.SoftmaxPolicy):
    """A softmax policy over local shapes that is learnt (`policy.softmax`).

    theta: the weights to start from, all 0 if none are given. records: how many play at a time.
    """

    def __init__(self, shapes: Shapes, theta: np.ndarray | None = None, records: int = 1) -> None:
        self.features = features_of(shapes)
        corners = corners_of(self.features)
        first = softmax.first_weights(theta, self.features.unique)
        super().__init__(softmax_record(corners), corners.terms, first, 2 * corners.slots, records)

    @classmethod
    def of(cls, weights: Weights, records: int = 1) -> ShapePolicy:
        """A policy that begins with learnt weights."""
        return cls(weights.shapes, weights.theta, records)

    def weights(self, **how: object) -> Weights:
        """The weights for files and players."""
        return Weights(self.features.shapes, self.theta.astype(np.float32), how)
