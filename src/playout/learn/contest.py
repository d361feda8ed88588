"""Games with weights that stay, for the clock."""

import numpy as np

from playout.games.api import is_over, most_choices, to_play
from playout.kernel import below, kernel, uniform
from playout.memory.api import after_values, choices, look
from playout.memory.td import argbest
from playout.search.simulation import take_turn


@kernel
def watch(roots, work, memories, index, weights, epsilon, evaluations, rng):
    """Play ε-greedy games until so many after-states have been evaluated; how many were, and the moves."""
    actions = np.zeros(most_choices(roots[0]), np.uint16)
    values = np.zeros(most_choices(roots[0]), np.float32)
    done = 0
    moves = 0
    work[0] = roots[0]
    while done < evaluations:
        if is_over(work[0]):
            work[0] = roots[0]
        look(memories[0], index, weights, work[0])
        count = choices(memories[0], work[0], actions)
        best = below(rng[0], count)
        if uniform(rng[0]) >= epsilon:
            after_values(memories[0], index, weights, work[0], actions, count, values)
            best = argbest(values, count, to_play(work[0]) == 1)
            done += count
        take_turn(work[0], actions[best], rng[0], 0)
        moves += 1
    return done, moves
