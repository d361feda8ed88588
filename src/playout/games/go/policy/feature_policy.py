"""The softmax policy over the features of moves, as learners see it (`policy.softmax`): a slot each."""

from __future__ import annotations

import numpy as np

from playout.games.go.memory.move_weights import MoveWeights
from playout.games.go.policy.feature_softmax import (
    COUNT,
    FEATURE_SOFTMAX,
    credit_move,
    feature_record,
    preference_now,
    prepare,
    set_weights,
)
from playout.games.go.state import PASS, STRIDE
from playout.kernel import implements, inner
from playout.policy import api, softmax


class FeaturePolicy(softmax.SoftmaxPolicy):
    """A softmax policy over the features of moves that is learnt (`policy.softmax`).

    side: the board size. theta: the weights to start from, all 0 if none are given. records: how many play at
    a time.
    """

    def __init__(self, side: int, theta: np.ndarray | None = None, records: int = 1) -> None:
        first = softmax.first_weights(theta, COUNT)
        self.side = side
        super().__init__(feature_record(side), np.zeros(0, np.uint32), first, COUNT, records)

    def weights(self, **how: object) -> MoveWeights:
        """The weights for files and players."""
        return MoveWeights(self.theta.astype(np.float32), dict(how))


@implements(softmax.weigh, FEATURE_SOFTMAX)
def weigh(policy, index, theta):
    set_weights(policy, theta)


@implements(softmax.probability, FEATURE_SOFTMAX)
def probability(policy, board, actions, chances):
    api.begin(policy, board)
    return listed(policy, board, actions, chances)


@inner
def listed(policy, board, actions, chances):
    """The moves that the policy chooses among, and π of each; it has begun or sampled up to here."""
    whole = prepare(policy, board)
    if whole == 0.0:
        actions[0] = PASS
        chances[0] = 1.0
        return 1
    number = 0
    for row in range(1, board.side + 1):
        for column in range(1, board.side + 1):
            p = np.uint32(row * STRIDE + column)
            preference = preference_now(policy, p, np.uint32(board.to_play - 1))
            if preference > 0.0:
                actions[number] = p
                chances[number] = preference / whole
                number += 1
    return number


@implements(softmax.credit, FEATURE_SOFTMAX)
def credit(policy, board, action, amount):
    if action != PASS:
        credit_move(policy, board, np.uint32(action), amount)


@implements(softmax.forget, FEATURE_SOFTMAX)
def forget(policy):
    for k in range(COUNT):
        policy.credits[k] = 0.0


@implements(softmax.settle, FEATURE_SOFTMAX)
def settle(policy):
    return


@implements(softmax.collect, FEATURE_SOFTMAX)
def collect(policy, outcome, part, sums):
    for k in range(COUNT):
        sums[k] += outcome * (part * policy.credits[k])


@implements(softmax.gradient, FEATURE_SOFTMAX)
def gradient(policy, index, sums, found):
    for k in range(COUNT):
        found[k] += sums[k]
