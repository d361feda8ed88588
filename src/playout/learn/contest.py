"""Games with weights that stay: against a simulation policy, to see how well they play, and for the clock."""

import numpy as np

from playout.games.api import for_player, is_over, most_choices, outcome, share, to_play
from playout.kernel import below, inner, kernel, uniform
from playout.memory.api import after_values, choices, look
from playout.memory.td import argbest
from playout.policy.api import begin, sample
from playout.search.simulation import make_chance_moves, take_turn


@inner
def best_action(memory, index, weights, state, actions, values):
    """The action of highest value for the mover; of equals the last."""
    look(memory, index, weights, state)
    count = choices(memory, state, actions)
    after_values(memory, index, weights, state, actions, count, values)
    return actions[argbest(values, count, to_play(state) == 1)]


@kernel
def contest(roots, work, memories, index, weights, policies, games, rng):
    """The games that the greedy player wins, colours in turns; a draw is half of one."""
    actions = np.zeros(most_choices(roots[0]), np.uint16)
    values = np.zeros(most_choices(roots[0]), np.float32)
    won = 0.0
    for game in range(games):
        work[0] = roots[0]
        mine = 1 + game % 2
        make_chance_moves(work[0], rng[0], 0)
        begin(policies[0], work[0])
        while not is_over(work[0]):
            if to_play(work[0]) == mine:
                action = best_action(memories[0], index, weights, work[0], actions, values)
            else:
                action = sample(policies[0], work[0], rng[0])
            take_turn(work[0], action, rng[0], 0)
        won += for_player(share(work[0], outcome(work[0])), mine)
    return won


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
