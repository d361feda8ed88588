"""A base policy for the dice race, for rollouts."""

import numpy as np

from playout.games.registry import find_game
from playout.kernel import below, implements, record_type
from playout.policy import api

RACER = record_type([("mistakes_of_four", "i4")])
RACE = find_game("dice-race")


@implements(api.sample, RACER)
def sample(policy, state, rng):
    mover = state.turn - 1
    right = 1 if state.left[mover] > state.walk else 0
    return 1 - right if below(rng, 4) < policy.mistakes_of_four else right


@implements(api.estimate, RACER)
def estimate(policy, state, chances):
    return 0.5 + 0.03125 * (float(state.left[1]) - float(state.left[0]))


class Racer:
    """Walks when that is enough, throws else, and errs now and then; here and for the naive twin."""

    def record(self):
        return np.array([(1,)], RACER)

    def sample(self, position, choices):
        state = position.record[0]
        right = 1 if state.left[position.to_play - 1] > state.walk else 0
        return 1 - right if choices.below(4) < 1 else right

    def estimate(self, position):
        left = position.record[0].left
        return 0.5 + (int(left[1]) - int(left[0])) / 32, np.zeros(0)
