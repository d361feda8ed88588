"""Any legal move, all equally likely: the default policy of a game that has no other."""

from dataclasses import dataclass

import numpy as np

from playout.games.api import MAX_ACTIONS, legal_moves
from playout.kernel import below, implements, record_type
from playout.policy import api

RANDOM = record_type([("choices", "u2", (MAX_ACTIONS,))])


@dataclass(frozen=True, kw_only=True)
class Random:
    """Settings of random play: none."""

    def record(self) -> np.ndarray:
        """The policy as an array of one record."""
        return np.zeros(1, RANDOM)


@implements(api.begin, RANDOM)
def begin(policy, state):
    pass


@implements(api.sample, RANDOM)
def sample(policy, state, rng):
    n = legal_moves(state, policy.choices)
    return np.uint32(policy.choices[below(rng, n)])
