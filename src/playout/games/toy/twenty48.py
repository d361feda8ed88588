"""2048 (Gabriele Cirulli 2014): slide the tiles; two that are equal become one, and pay what they make.

After every slide a tile appears in an empty cell: a 2, or once in ten times a 4. At first there are two. The
game ends when nothing can be slid, or with the tile that is the goal.

The declared bounds are points of a whole game to 2048: 20,480 for that tile from 2s, and nearly as many for
all the others that may stand beside it. Searches see points as shares of that, so 0.01 of exploration are 400
points.
"""

from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.game import Game, state_type
from playout.kernel import inner
from playout.settings import setting

UP, RIGHT, DOWN, LEFT = range(4)
# By direction and line: the cells of a line, the one that tiles slide to first.
LINES = np.array(
    [
        [[column + 4 * k for k in range(4)] for column in range(4)],
        [[4 * row + 3 - k for k in range(4)] for row in range(4)],
        [[column + 12 - 4 * k for k in range(4)] for column in range(4)],
        [[4 * row + k for k in range(4)] for row in range(4)],
    ]
)
FOURS = 0.1  # share of new tiles
TWENTY48 = state_type(
    [
        ("tiles", "u1", (16,)),  # the power of two; 0: empty
        ("coming", "u1"),  # tiles that appear before the player moves
        ("goal", "u1"),  # the power of two
        ("points", "u4"),  # that the last slide paid
    ]
)


@dataclass(frozen=True, kw_only=True)
class Options:
    """What there is to be made."""

    goal: int = setting(2048, "the tile that ends the game, a power of two", low=8, high=2048)


def start(goal: int = 2048) -> np.ndarray:
    """The empty board, to which chance adds the first two tiles, as an array of one record."""
    if goal & (goal - 1):
        raise InputError(f"2048: goal={goal} is no power of two, as 512 is")
    state = np.zeros(1, TWENTY48)
    state["coming"], state["goal"] = 2, goal.bit_length() - 1
    return state


@inner
def can_slide(state, direction):
    """Whether a tile would move, or two become one."""
    for line in LINES[direction]:
        for k in range(3):
            front, back = state.tiles[line[k]], state.tiles[line[k + 1]]
            if back != 0 and (front == 0 or front == back):
                return True
    return False


def play(state, direction):
    state.points = 0
    for line in LINES[direction]:
        free = 0  # how many tiles have been put down
        single = False  # whether the last of them may still become one with another
        for k in range(4):
            tile = state.tiles[line[k]]
            if tile == 0:
                continue
            state.tiles[line[k]] = 0
            if single and state.tiles[line[free - 1]] == tile:
                state.tiles[line[free - 1]] = tile + 1
                state.points += 2 << int(tile)
                single = False
            else:
                state.tiles[line[free]] = tile
                free += 1
                single = True
    state.coming = 1


def is_chance(state):
    return state.coming > 0


# An event is 2 × cell for a 2, and one more for a 4.
def chances(state, probabilities):
    empty = 0
    for cell in range(16):
        empty += state.tiles[cell] == 0
    for cell in range(16):
        share = 1 / empty if state.tiles[cell] == 0 else 0.0
        probabilities[2 * cell] = (1 - FOURS) * share
        probabilities[2 * cell + 1] = FOURS * share
    return 32


def happen(state, event):
    state.tiles[event // 2] = 1 + event % 2
    state.points = 0
    state.coming -= 1


def legal_moves(state, moves):
    n = 0
    for direction in range(4):
        if can_slide(state, direction):
            moves[n] = direction
            n += 1
    return n


def is_over(state):
    for cell in range(16):
        if state.tiles[cell] == state.goal:
            return True
    stuck = state.coming == 0
    for direction in range(4):
        stuck = stuck and not can_slide(state, direction)
    return stuck


def reward(state):
    return float(state.points)


def spell(state, direction):
    return ("up", "right", "down", "left")[direction]


def spell_event(state, event):
    return f"{'abcd'[event // 2 % 4]}{4 - event // 8}:{2 << event % 2}"


def draw(state):
    cells = [str(1 << int(tile)) if tile else "." for tile in state.tiles]
    return "\n".join(" ".join(f"{cell:>4}" for cell in cells[row : row + 4]) for row in range(0, 16, 4))


# Rows, columns and squares of four tiles.
GROUPS = tuple(
    tuple(f"tiles[{cell}]" for cell in cells)
    for cells in [
        *LINES[UP].tolist(),
        *LINES[LEFT].tolist(),
        *([at, at + 1, at + 4, at + 5] for at in range(11) if at % 4 < 3),
    ]
)

GAME = Game(
    name="2048",
    summary="slide tiles until two make 2048",
    state=TWENTY48,
    options=Options,
    start=start,
    play=play,
    legal_moves=legal_moves,
    is_over=is_over,
    reward=reward,
    is_chance=is_chance,
    chances=chances,
    happen=happen,
    spell=spell,
    spell_event=spell_event,
    draw=draw,
    groups=GROUPS,
    players=1,
    amaf=False,
    actions=4,
    events=32,
    moves=20_000,  # each new tile adds 2 or more, and sixteen below 2048 have 16,384 at most
    low=0.0,
    high=40_000.0,
)
