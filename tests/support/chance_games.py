"""Games for tests only: chance without numbers, chance that decides who moves, rewards of all kinds."""

import numpy as np

from playout.games.game import Game, state_type
from playout.kernel import below, inner

# -- pig: who is to move, and what he may do, depends on the die; nobody has numbered what it shows -------

PIG = state_type([("bank", "i4", (2,)), ("pot", "i4"), ("goal", "i4"), ("turn", "i4"), ("thrown", "i4")])
HOLD, THROW = 0, 1


def start_pig(goal=12):
    state = np.zeros(1, PIG)
    state["goal"], state["turn"] = goal, 1
    return state


def play_pig(state, action):
    if action == THROW:
        state.thrown = 1
    else:
        state.bank[state.turn - 1] += state.pot
        state.pot = 0
        state.turn = 3 - state.turn


def roll_pig(state, rng):
    face = 1 + int(below(rng, 6))
    state.thrown = 0
    if face == 1:
        state.pot = 0
        state.turn = 3 - state.turn
    else:
        state.pot += face
    return -1


def pig_moves(state, moves):
    moves[0] = THROW
    moves[1] = HOLD
    return 1 if state.pot == 0 else 2


PIG_GAME = Game(
    name="pig",
    state=PIG,
    start=start_pig,
    play=play_pig,
    legal_moves=pig_moves,
    to_play=lambda state: state.turn,
    is_over=lambda state: state.bank[0] >= state.goal or state.bank[1] >= state.goal,
    outcome=lambda state: 1.0 if state.bank[0] >= state.goal else 0.0,
    is_chance=lambda state: state.thrown == 1,
    roll=roll_pig,
    actions=2,
)

# -- a fair: every step pays, actions take 0, 1 or 2 spins of a wheel, and the wheel says who is next -----
# All numbers are sums of powers of two, so that returns are exact however they are added up.

FIELDS = [
    ("turns_left", "i4"),
    ("turn", "i4"),
    ("spins", "i4"),
    ("shown", "i4"),  # by the wheel; that action is not legal now
    ("paid", "f8"),
    ("gamma", "f8"),
]
NUMBERED, OPEN = state_type(FIELDS), state_type(FIELDS)
WHEEL = 4


def start_fair(dtype, turns=8):
    state = np.zeros(1, dtype)
    state["turns_left"], state["turn"], state["shown"] = turns, 1, 3
    return state


def play_fair(state, action):
    state.paid = (action - 1.0) * (0.25 if state.turn == 1 else -0.5)
    state.gamma = 0.5
    state.turns_left -= 1
    state.spins = action
    if action == 0:
        state.turn = 3 - state.turn


@inner
def show(state, event):
    state.shown = event
    state.paid = (event - 1.0) * 0.125
    state.gamma = 0.75
    state.spins -= 1
    if state.spins == 0:
        state.turn = 1 + event % 2


def chances_fair(state, probabilities):
    probabilities[:4] = (0.25, 0.125, 0.5, 0.125)
    return WHEEL


def happen_fair(state, event):
    show(state, event)


def roll_fair(state, rng):
    show(state, int(below(rng, WHEEL)))
    return 1_000_000


def fair_moves(state, moves):
    n = 0
    for action in range(2, -1, -1):
        if action != state.shown:
            moves[n] = action
            n += 1
    return n


def fair(name, dtype, **chance):
    """The fair, with a wheel whose numbers can be seen or cannot."""
    return Game(
        name=name,
        state=dtype,
        start=lambda: start_fair(dtype),
        play=play_fair,
        legal_moves=fair_moves,
        to_play=lambda state: state.turn,
        is_over=lambda state: state.turns_left == 0 and state.spins == 0,
        outcome=lambda state: 0.5 if state.turn == 1 else -0.5,
        is_chance=lambda state: state.spins > 0,
        reward=lambda state: state.paid,
        discount=lambda state: state.gamma,
        actions=3,
        moves=11,  # a whole number of turns in some games only
        low=-4.0,
        high=4.0,
        **chance,
    )


NUMBERED_FAIR = fair("numbered fair", NUMBERED, chances=chances_fair, happen=happen_fair, events=WHEEL)
OPEN_FAIR = fair("open fair", OPEN, roll=roll_fair)
