"""The random walk (Sutton 1988; Sutton & Barto 2018, examples 6.2 and 7.1): states in a row, left or right.

The walk starts in the middle. It ends beyond the last state on either side, and pays 1 on the right and −1 on
the left. Random steps make state k of n, counted from 1, worth 2 k / (n + 1) − 1. Who chooses his steps goes
right: m steps from the end that is worth γ^(m − 1).
"""

from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.game import Game, state_type
from playout.settings import setting

LEFT, RIGHT = 0, 1
RANDOM_WALK = state_type([("here", "i4"), ("states", "i4"), ("gamma", "f8")])


@dataclass(frozen=True, kw_only=True)
class Options:
    """The row of states, and what later pay is worth."""

    states: int = setting(19, "states between the ends, an odd number", low=1, high=49)
    discount: float = setting(1.0, "γ: what a pay that comes a step later counts", low=0.0, high=1.0)


def start(states: int = 19, discount: float = 1.0) -> np.ndarray:
    """The middle of the row, as an array of one record."""
    if states % 2 == 0:
        raise InputError(f"random-walk: states={states} has no middle; an odd number has")
    state = np.zeros(1, RANDOM_WALK)
    state["here"], state["states"], state["gamma"] = (states + 1) // 2, states, discount
    return state


def play(state, action):
    state.here += 1 if action == RIGHT else -1


def legal_moves(state, moves):
    moves[0] = LEFT
    moves[1] = RIGHT
    return 2


def is_over(state):
    return state.here == 0 or state.here == state.states + 1


def reward(state):
    return 1.0 if state.here == state.states + 1 else -1.0 if state.here == 0 else 0.0


def discount(state):
    return state.gamma


def position_key(state):
    return np.uint64(state.here)


def spell(state, action):
    return ("left", "right")[action]


def draw(state):
    row = ["-", *"." * int(state.states), "+"]
    row[state.here] = "X"
    return " ".join(row)


GAME = Game(
    name="random-walk",
    summary="a row of states with pay at both ends",
    state=RANDOM_WALK,
    options=Options,
    start=start,
    play=play,
    legal_moves=legal_moves,
    is_over=is_over,
    reward=reward,
    discount=discount,
    position_key=position_key,
    spell=spell,
    draw=draw,
    players=1,
    actions=2,
    moves=20_000,  # where walks are cut off; of 49 states fewer than one in 10^16 is as long
    low=-1.0,
    high=1.0,
)
