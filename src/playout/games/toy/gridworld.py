"""Mazes: every step costs a little, the goal pays 1, a pit costs 1, and the floor may be slippery.

``corner`` is the 4 × 3 world of Russell & Norvig (Artificial Intelligence, chapter 17), ``dyna`` the maze of
Sutton & Barto (2018, figure 8.2). On a slippery floor one goes, with a probability that is given, to the left
or to the right of where one wanted to go. A step into a wall leaves one where one is.

Both are small enough for dynamic programming.
"""

from dataclasses import dataclass

import numpy as np

from playout.games.game import Game, state_type
from playout.kernel import inner
from playout.settings import setting

MAZES = {
    "corner": """
        ######
        #...+#
        #.#.-#
        #S...#
        ######""",
    "dyna": """
        ###########
        #.......#+#
        #..#....#.#
        #S.#....#.#
        #..#......#
        #.....#...#
        #.........#
        ###########""",
}
COST = 0.04  # of a step
WALL, GOAL, PIT = 1, 2, 3
STRIDE, CELLS = 11, 88  # of the largest maze, its walls included
NORTH, EAST, SOUTH, WEST = range(4)
STEPS = np.array([-STRIDE, 1, STRIDE, -1])
TO_THE_LEFT, AHEAD, TO_THE_RIGHT = range(3)  # what may happen on a slippery floor
GRIDWORLD = state_type(
    [
        ("cells", "u1", (CELLS,)),
        ("here", "u1"),
        ("heading", "u1"),  # where one wants to go
        ("sliding", "u1"),  # whether it is not yet known where that leads
        ("slip", "f8"),
        ("gamma", "f8"),
    ]
)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The maze, its floor, and what later pay is worth."""

    maze: str = setting("corner", "the maze", choices=tuple(MAZES))
    slip: float = setting(0.2, "probability that a step goes to one side", low=0.0, high=1.0)
    discount: float = setting(1.0, "γ: what a pay that comes a step later counts", low=0.0, high=1.0)


def start(maze: str = "corner", slip: float = 0.2, discount: float = 1.0) -> np.ndarray:
    """The start of a maze, as an array of one record."""
    state = np.zeros(1, GRIDWORLD)
    state["slip"], state["gamma"] = slip, discount
    for row, line in enumerate(MAZES[maze].split()):
        for column, letter in enumerate(line):
            at = row * STRIDE + column
            state["cells"][0, at] = {"#": WALL, "+": GOAL, "-": PIT}.get(letter, 0)
            if letter == "S":
                state["here"] = at
    return state


@inner
def step(state, heading):
    """Go to the next cell, if that is no wall."""
    there = state.here + STEPS[heading]
    if state.cells[there] != WALL:
        state.here = there


def play(state, heading):
    if state.slip > 0:
        state.heading = heading
        state.sliding = 1
    else:
        step(state, heading)


def is_chance(state):
    return state.sliding == 1


def chances(state, probabilities):
    probabilities[TO_THE_LEFT] = probabilities[TO_THE_RIGHT] = state.slip / 2
    probabilities[AHEAD] = 1 - state.slip
    return 3


def happen(state, event):
    heading = (state.heading + event + 3) % 4  # AHEAD is a whole turn
    state.sliding = state.heading = 0  # how one came is forgotten
    step(state, heading)


def legal_moves(state, moves):
    for heading in range(4):
        moves[heading] = heading
    return 4


def is_over(state):
    return state.cells[state.here] >= GOAL


def reward(state):
    if state.sliding:
        return 0.0
    found = state.cells[state.here]
    return (1.0 if found == GOAL else -1.0 if found == PIT else 0.0) - COST


def discount(state):
    return 1.0 if state.sliding else state.gamma  # a step and its slip are one


def position_key(state):
    return np.uint64(state.here) * np.uint64(8) + np.uint64(state.sliding * 4 + state.heading)


def spell(state, heading):
    return ("north", "east", "south", "west")[heading]


def spell_event(state, event):
    return ("left", "ahead", "right")[event]


def draw(state):
    letters = [".#+-"[cell] for cell in state.cells]
    letters[state.here] = "X"
    rows = ["".join(letters[at : at + STRIDE]).rstrip(".") for at in range(0, CELLS, STRIDE)]
    return "\n".join(row for row in rows if row)


GAME = Game(
    name="gridworld",
    summary="a maze with a slippery floor",
    state=GRIDWORLD,
    options=Options,
    start=start,
    play=play,
    legal_moves=legal_moves,
    is_over=is_over,
    reward=reward,
    discount=discount,
    is_chance=is_chance,
    chances=chances,
    happen=happen,
    position_key=position_key,
    spell=spell,
    spell_event=spell_event,
    draw=draw,
    groups=(("here",),),
    players=1,
    amaf=False,  # a step means something else in another place
    actions=4,
    events=3,
    moves=100,  # where one is stopped, slips counted too
    low=-1.0 - 100 * COST,
    high=1.0,
)
