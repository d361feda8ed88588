"""Mountain car (Moore 1990; Sutton & Barto 2018, example 10.1): a car too weak for its hill rocks itself up.

The state is continuous: a position from −1.2 to 0.6 and a velocity. A decision is to push back, to coast or
to push ahead, and holds for some steps: 1 is the classic problem, in which random play all but never comes
up. Each decision costs 1 until the car is at 0.5. `tiles` are the features that Sutton & Barto learn with.
"""

import math
from dataclasses import dataclass

import numpy as np

from playout.games.game import Game, state_type
from playout.kernel import inner
from playout.settings import setting

BACK, COAST, AHEAD = 0, 1, 2
LEFTMOST, GOAL = -1.2, 0.5
FASTEST = 0.07
POWER, GRAVITY = 0.001, 0.0025
MOUNTAIN_CAR = state_type([("position", "f8"), ("velocity", "f8"), ("hold", "i8")])


@dataclass(frozen=True, kw_only=True)
class Options:
    """Where the car stands at first, and how long a decision holds."""

    position: float = setting(-0.5, "where the car stands at first", low=LEFTMOST, high=0.4)
    hold: int = setting(5, "steps that a decision holds for", low=1, high=20)


def start(position: float = -0.5, hold: int = 5) -> np.ndarray:
    """The car at rest, as an array of one record."""
    state = np.zeros(1, MOUNTAIN_CAR)
    state["position"], state["hold"] = position, hold
    return state


def play(state, action):
    for _ in range(state.hold):
        if state.position < GOAL:
            velocity = state.velocity + POWER * (action - 1.0) - GRAVITY * math.cos(3 * state.position)
            state.velocity = min(max(velocity, -FASTEST), FASTEST)
            state.position += state.velocity
            if state.position <= LEFTMOST:
                state.position = LEFTMOST
                state.velocity = 0.0


def legal_moves(state, moves):
    for action in range(3):
        moves[action] = action
    return 3


def is_over(state):
    return state.position >= GOAL


def reward(state):
    return -1.0


TILINGS, SIDE = 8, 8
TILES = TILINGS * (SIDE + 1) ** 2


@inner
def tiles(state, active):
    """Write the number of the tile that a state lies in, of each tiling, into an array.

    Tilings are shifted against each other by 1 and 3 eighths of a tile (Sutton & Barto 2018, section 9.5.4).
    """
    across = SIDE * (state.position - LEFTMOST) / (GOAL - LEFTMOST)
    up = SIDE * (state.velocity + FASTEST) / (2 * FASTEST)
    for k in range(TILINGS):
        column = int(across + k / TILINGS)
        row = int(up + 3 * k % TILINGS / TILINGS)
        active[k] = (k * (SIDE + 1) + min(row, SIDE)) * (SIDE + 1) + min(column, SIDE)


def spell(state, action):
    return ("back", "coast", "ahead")[action]


def draw(state):
    return f"position {state.position:.3f}, velocity {state.velocity:+.4f}"


GAME = Game(
    name="mountain-car",
    summary="a weak car rocks itself up a hill",
    state=MOUNTAIN_CAR,
    options=Options,
    start=start,
    play=play,
    legal_moves=legal_moves,
    is_over=is_over,
    reward=reward,
    spell=spell,
    draw=draw,
    groups=(("position", "velocity"),),
    widths={"position": (GOAL - LEFTMOST) / SIDE, "velocity": 2 * FASTEST / SIDE},
    players=1,
    amaf=False,
    actions=3,
    moves=200,  # decisions, after which one gives up
    low=-200.0,
    high=0.0,
)
