"""Connect Four: stones fall to the bottom of a column; four in a row, a column or a diagonal win.

A set of cells is one whole number, a bit a cell (John Tromp's layout)::

     6 13 20 27 34 41 48      always empty: keeps columns apart
     5 12 19 26 33 40 47
     …
     0  7 14 21 28 35 42

A cell has its right neighbour `rows + 1` bits up and its diagonal ones one bit more or less. So a set that is
shifted onto itself shows all its rows at once, and a stone falls by an addition: 1 in the lowest bit of a
column is carried to the first empty cell.
"""

from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.api import Names
from playout.games.game import Game, state_type
from playout.kernel import inner
from playout.settings import setting

BITS = 64  # of a set
CONNECT_FOUR = state_type(
    [
        ("stones", "i8"),  # all of them
        ("own", "i8"),  # those of the player to move
        ("columns", "i8"),
        ("height", "i8"),  # of a column in bits: one more than its rows
        ("line", "i8"),
        ("moves", "i8"),
        ("won", "i8"),  # whether the last stone has made a line
    ]
)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The board, and what wins on it."""

    columns: int = setting(7, "columns of the board", low=2, high=9)
    rows: int = setting(6, "rows of the board", low=2, high=8)
    line: int = setting(4, "stones in a row that win", low=2, high=6)


def start(columns: int = 7, rows: int = 6, line: int = 4) -> np.ndarray:
    """The empty board, as an array of one record."""
    if columns * (rows + 1) > BITS:
        raise InputError(f"connect-four: {columns} columns of {rows} are too many; 9×6, 8×7 and 7×8 are most")
    state = np.zeros(1, CONNECT_FOUR)
    state["columns"], state["height"], state["line"] = columns, rows + 1, line
    return state


@inner
def has_line(stones, line, shift):
    """Whether so many stones of a set lie one after the other, each this many bits from the last."""
    length = 1
    while 2 * length <= line:  # what is left begins a line of twice the length
        stones &= stones >> (length * shift)
        length *= 2
    return stones & (stones >> ((line - length) * shift)) != 0


def play(state, column):
    before = state.stones
    state.stones = before | (before + (1 << (column * state.height)))
    mine = state.own | (state.stones ^ before)
    state.own = before ^ state.own
    state.moves += 1
    state.won = (
        has_line(mine, state.line, 1)
        or has_line(mine, state.line, state.height)
        or has_line(mine, state.line, state.height - 1)
        or has_line(mine, state.line, state.height + 1)
    )


def legal_moves(state, moves):
    n = 0
    top = 1 << (state.height - 2)
    for column in range(state.columns):
        if state.stones & (top << (column * state.height)) == 0:
            moves[n] = column
            n += 1
    return n


def is_legal(state, column):
    return column < state.columns and state.stones >> (column * state.height + state.height - 2) & 1 == 0


def to_play(state):
    return 1 + state.moves % 2


def is_over(state):
    return state.won or state.moves == state.columns * (state.height - 1)


def outcome(state):
    return 0.5 if not state.won else float(state.moves % 2)  # player 1 makes the odd moves


def position_key(state):
    # Mixed, because tables look at the low bits only: those are the left columns.
    key = np.uint64(state.stones + state.own) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(32))


def spell(state, column):
    return "abcdefghi"[column]


def lines(root: np.ndarray) -> Names:
    """The cells that a line may lie in, each as two bits: whether a stone is there, and whose."""
    columns, height, line = (int(root[name][0]) for name in ("columns", "height", "line"))
    found = []
    for column, row in np.ndindex(columns, height - 1):
        for across, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
            cells = [(column + k * across, row + k * up) for k in range(line)]
            if all(c < columns and 0 <= r < height - 1 for c, r in cells):
                bits = [c * height + r for c, r in cells]
                found.append(tuple(f"{name}<{bit}>" for bit in bits for name in ("stones", "own")))
    return tuple(found)


def draw(state):
    first = state.own if state.moves % 2 == 0 else state.stones ^ state.own
    rows = []
    for row in reversed(range(state.height - 1)):
        bits = [column * int(state.height) + row for column in range(state.columns)]
        rows.append(" ".join("." if not state.stones >> b & 1 else "OX"[first >> b & 1] for b in bits))
    return "\n".join([*rows, " ".join("abcdefghi"[: state.columns])])


GAME = Game(
    name="connect-four",
    summary="four in a row with stones that fall down",
    state=CONNECT_FOUR,
    options=Options,
    start=start,
    play=play,
    is_legal=is_legal,
    legal_moves=legal_moves,
    to_play=to_play,
    is_over=is_over,
    outcome=outcome,
    position_key=position_key,
    spell=spell,
    draw=draw,
    groups=lines,
    actions=9,
    moves=56,
)
