"""A small MDP for tests: a walk along a line of places, where the ground is slippery.

An action is a step to the left or to the right, or a jump of two to the right that costs something. With
some probability one slips and moves the other way. Both ends end the walk. Its values by dynamic programming
stand in `optimal` (2.6, 2.7) and `soft` (for a policy that is random now and then).
"""

import numpy as np

from playout.games import api as game
from playout.games.api import Facts, declare
from playout.kernel import implements, record_type

CHAIN = record_type([("place", "i2"), ("steps", "i2"), ("gain", "f8")])
LEFT, RIGHT, JUMP = 0, 1, 2
STEPS = (-1, 1, 2)
LAST = 6  # places are 0 … LAST, with an end on either side
SLIP = 0.2
GAMMA = 0.9
LEFT_END, RIGHT_END, COST = 2.0, 10.0, -0.5
declare(CHAIN, Facts(actions=3, events=2, moves=1000, players=1, low=-10.0, high=10.0))


@implements(game.play, CHAIN)
def play_chain(state, action):
    state.steps = STEPS[action]
    state.gain = COST if action == JUMP else 0.0


@implements(game.legal_moves, CHAIN)
def legal_chain(state, moves):
    count = 0
    for action in range(3):
        if action != JUMP or state.place > 2:  # there is no room to jump at the beginning
            moves[count] = action
            count += 1
    return count


@implements(game.is_chance, CHAIN)
def chance_chain(state):
    return state.steps != 0


@implements(game.chances, CHAIN)
def chances_chain(state, probabilities):
    probabilities[0], probabilities[1] = 1.0 - SLIP, SLIP
    return 2


@implements(game.happen, CHAIN)
def happen_chain(state, event):
    state.place += state.steps if event == 0 else -state.steps
    state.steps = 0
    state.gain = LEFT_END if state.place < 0 else RIGHT_END if state.place > LAST else 0.0


@implements(game.is_over, CHAIN)
def over_chain(state):
    return state.place < 0 or state.place > LAST


@implements(game.reward, CHAIN)
def reward_chain(state):
    return state.gain


@implements(game.discount, CHAIN)
def discount_chain(state):
    return 1.0 if state.steps != 0 else GAMMA  # slipping takes no time of its own


@implements(game.position_key, CHAIN)
def key_chain(state):
    return np.uint64(state.place)


def start(place=3):
    state = np.zeros(1, CHAIN)
    state["place"] = place
    return state


def actions(place):
    return [LEFT, RIGHT, JUMP] if place > 2 else [LEFT, RIGHT]


def backup(value, place, action):
    """Σ P (R + γ V) of an action."""
    total = COST if action == JUMP else 0.0
    for p, step in ((1 - SLIP, STEPS[action]), (SLIP, -STEPS[action])):
        then = place + step
        total += p * (LEFT_END if then < 0 else RIGHT_END if then > LAST else GAMMA * value[then])
    return total


def iterate(improve, rounds):
    """Action values by so many rounds of value iteration; improve: V(s) from the values of its actions."""
    value = np.zeros(LAST + 1)
    for _ in range(rounds):
        table = [[backup(value, place, action) for action in actions(place)] for place in range(LAST + 1)]
        value = np.array([improve(row) for row in table])
    return table


def optimal(rounds=500):
    """Q*, or that of so many steps before the end."""
    return iterate(max, rounds)


def soft(epsilon):
    """Q of the best of the policies that act at random with probability ε."""
    return iterate(lambda row: (1 - epsilon) * max(row) + epsilon * np.mean(row), 500)
