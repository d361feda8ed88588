"""A policy for the artificial game `games.toy.errors`: errors that are exponentially distributed."""

import math
from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.toy.errors import UNIT
from playout.kernel import implements, record_type, uniform
from playout.policy import api

ERRING = record_type([("rate_1", "f8"), ("rate_2", "f8")])
LARGEST = (1 << 32) - 1  # action


@dataclass(frozen=True, kw_only=True)
class Erring:
    """λ of both players: the mean error of a move is 1 / λ."""

    first: float = 1.0
    second: float = 1.0

    def __post_init__(self) -> None:
        for rate in (self.first, self.second):
            if not 0.01 <= rate <= 1e6:
                raise InputError(f"the rate {rate} of a player's errors is not between 0.01 and 1,000,000")

    def record(self) -> np.ndarray:
        """The policy as an array of one record."""
        return np.array([(self.first, self.second)], ERRING)


@implements(api.begin, ERRING)
def begin(policy, state):
    pass


@implements(api.sample, ERRING)
def sample(policy, state, rng):
    rate = policy.rate_1 if state.erring == 1 else policy.rate_2
    error = -math.log(1.0 - uniform(rng)) / rate
    return min(np.int64(error / UNIT + 0.5), np.int64(LARGEST))
