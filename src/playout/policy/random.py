"""Any legal move, all equally likely: the default policy of a game that has no other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from playout.games.api import GameError, facts_of, legal_moves
from playout.kernel import below, implements, record_type
from playout.policy import api


@cache
def _record(choices: int) -> np.ndarray:
    """The policy for games with so many actions in a state, with room for them in its record."""
    dtype = record_type([("choices", "u2", (choices,))])

    @implements(api.sample, dtype)
    def sample(policy, state, rng):
        n = legal_moves(state, policy.choices)
        if n < 1 or n > policy.choices.size:
            raise GameError("legal_moves gives no action, or more than the game declares (choices)")
        return np.uint32(policy.choices[below(rng, n)])

    return np.zeros(1, dtype)


@dataclass(frozen=True, kw_only=True)
class Random:
    """Settings of random play: none."""

    def record_for(self, root: np.ndarray) -> np.ndarray:
        """The policy for a game, as an array of one record."""
        return _record(facts_of(root.dtype).most_choices)
