"""A race with a die: walk some squares for sure, or throw and go as far as the die shows; a six goes again.

Whoever is first at the goal wins. What is best depends on both: near the goal a walk is enough, and who is
behind must throw. Every turn goes on, so the value of each state follows from those after it.
"""

from dataclasses import dataclass

import numpy as np

from playout.games.game import Game, state_type
from playout.kernel import below, inner
from playout.settings import setting

WALK, THROW = 0, 1
SIDES = 6
LONGEST = 100  # race
DICE_RACE = state_type(
    [
        ("left", "u1", (2,)),  # squares to the goal, of each player
        ("walk", "u1"),
        ("turn", "u1"),
        ("thrown", "u1"),  # whether the die is in the air
    ]
)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The way, and how far one walks on it."""

    squares: int = setting(20, "squares to the goal", low=1, high=LONGEST)
    walk: int = setting(4, "squares that one may walk without the die", low=1, high=12)


def start(squares: int = 20, walk: int = 4) -> np.ndarray:
    """Both players at the start, as an array of one record."""
    state = np.zeros(1, DICE_RACE)
    state["left"], state["walk"], state["turn"] = squares, walk, 1
    return state


@inner
def go(state, squares):
    """The player to move goes on, at most to the goal."""
    mover = state.turn - 1
    state.left[mover] -= min(squares, state.left[mover])


def play(state, action):
    if action == THROW:
        state.thrown = 1
    else:
        go(state, state.walk)
        state.turn = 3 - state.turn


@inner
def land(state, event):
    """The die shows event + 1."""
    state.thrown = 0
    go(state, event + 1)
    if event + 1 < SIDES:
        state.turn = 3 - state.turn


def is_chance(state):
    return state.thrown == 1


def chances(state, probabilities):
    for event in range(SIDES):
        probabilities[event] = 1 / SIDES
    return SIDES


def happen(state, event):
    land(state, event)


def roll(state, rng):
    event = below(rng, SIDES)
    land(state, event)
    return event


def legal_moves(state, moves):
    moves[0] = WALK
    moves[1] = THROW
    return 2


def to_play(state):
    return state.turn


def is_over(state):
    return state.left[0] == 0 or state.left[1] == 0


def outcome(state):
    return 1.0 if state.left[0] == 0 else 0.0


def position_key(state):
    key = np.uint64(state.left[0]) * np.uint64(256) + np.uint64(state.left[1])
    return (key * np.uint64(4) + np.uint64(state.turn)) * np.uint64(2) + np.uint64(state.thrown)


def spell(state, action):
    return ("walk", "throw")[action]


def spell_event(state, event):
    return str(event + 1)


def draw(state):
    longest = int(max(state.left))
    lines = zip("XO", state.left, strict=True)
    return "\n".join(f"{player + '.' * int(squares):>{longest + 1}}|" for player, squares in lines)


GAME = Game(
    name="dice-race",
    summary="walk, or throw the die: who is first at the goal",
    state=DICE_RACE,
    options=Options,
    start=start,
    play=play,
    legal_moves=legal_moves,
    to_play=to_play,
    is_over=is_over,
    outcome=outcome,
    is_chance=is_chance,
    chances=chances,
    happen=happen,
    roll=roll,
    position_key=position_key,
    spell=spell,
    spell_event=spell_event,
    draw=draw,
    amaf=False,  # where one stands decides what an action is worth
    actions=2,
    events=SIDES,
    moves=4 * LONGEST,
)
