"""Any legal move, all equally likely: the default policy of a game that has no other."""

from dataclasses import dataclass

import numpy as np

from playout.games.api import legal_moves
from playout.kernel import below, implements, record_type
from playout.policy import api

MAX_MOVES = 512
RANDOM = record_type([("choices", "u2", (MAX_MOVES,))])


@dataclass(frozen=True, kw_only=True)
class Random:
    """Settings of random play: none. At most 512 legal moves."""

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
