"""How lucky a roll was, by what a policy expects after it and after all others."""

from __future__ import annotations

import numpy as np

from playout.games import api
from playout.games.api import facts_of
from playout.kernel import kernel
from playout.search.trials import foresee


@kernel
def _foresee(works, policies, rng, probabilities, values, ends, replies):
    return foresee(policies[0], works, rng[0], probabilities, values, ends, replies)


def luck_of(state: np.ndarray, event: int, policies: np.ndarray, rng: np.ndarray) -> float:
    """The luck of an event for player 1: what is expected after it, less the mean over all events.

    state: before it, an array of one record; policies: a policy with an estimate, which also replies.
    """
    facts = facts_of(state.dtype)
    probabilities, values = np.zeros(facts.events), np.zeros(facts.events)
    ends, replies = np.zeros((facts.events, len(facts.tallies))), np.zeros(facts.events, np.int64)
    count = _foresee(np.repeat(state, 2), policies, rng, probabilities, values, ends, replies)
    assert int(api.chances(state[0], probabilities)) == count
    return float(values[event] - probabilities[:count] @ values[:count])
