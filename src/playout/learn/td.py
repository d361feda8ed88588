"""Temporal-difference learning of a value function from self-play (Silver 2009, Algorithm 3).

After each move of a game against oneself the value of an earlier position is drawn towards the value now,
with n = 2 plies from one move of a player to his next, or n = 1. Beyond the end of a game V is its
outcome. The game is `search.self_play`, the update `memory.td`: temporal-difference search calls the
same.
"""

from __future__ import annotations

import numpy as np

from playout.kernel import kernel
from playout.search.self_play import NEVER, NO_POLICY, self_play

GREEDY_TO_THE_END = np.zeros(1, NO_POLICY)


@kernel
def train(
    roots, work, memories, index, weights, learnt, learners, policies, episode, experiences, rng, games
):
    """Games of self-play from one state.

    policies: `GREEDY_TO_THE_END`, which is never asked. episode: the arrays of a `search.self_play.Episode`.
    """
    for _ in range(games):
        work[0] = roots[0]
        self_play(
            memories[0],
            index,
            weights,
            learnt,
            work[0],
            learners[0],
            policies[0],
            NEVER,
            episode,
            experiences[0],
            rng[0],
        )
