"""Go records from drawings, and drawings of Go records.

A drawing is rows of 'X' (Black), 'O' (White) and '.'; any other letter is an empty point with a name::

    text = '''
        . X O .
        X a X O
        . X O .
        . . . .'''
    b = board(text, to_play="O")
    play(b, points(text)["a"])
"""

import numpy as np

import playout.games.go.rules  # noqa: F401  # tells `play` how to play Go
from playout.games.api import play
from playout.games.go.state import BLACK, PASS, STATE, STRIDE, WHITE, reset

COLORS = {"X": BLACK, "O": WHITE}
LETTERS = ".XO"


def to_point(row: int, column: int) -> int:
    """The record's number for a row and column counted from 0 at the top left."""
    return (row + 1) * STRIDE + column + 1


def to_place(point: int) -> tuple[int, int] | None:
    """Row and column counted from 0 at the top left; None for pass."""
    return None if point == PASS else (point // STRIDE - 1, point % STRIDE - 1)


def grid(text: str) -> list[list[str]]:
    """A drawing as rows of letters."""
    return [line.split() for line in text.split("\n") if line.strip()]


def tidy(text: str) -> str:
    """A drawing without indentation and names, to compare with `show`."""
    return "\n".join(" ".join(letter if letter in COLORS else "." for letter in row) for row in grid(text))


def empty_board(side: int, suicide: bool = False) -> np.record:
    """An empty board that no realistic number of moves ends."""
    state = np.zeros(1, STATE)[0]
    reset(state, side)
    state.limit = 60_000
    state.suicide = suicide
    return state


def board(text: str, to_play: str = "X", suicide: bool = False) -> np.record:
    """The position of a drawing, as if no move had been made yet.

    Stones go down in reading order. No chain is taken on the way: a chain without liberties among some of
    the stones of a position would be one among all of them.
    """
    rows = grid(text)
    state = empty_board(len(rows), suicide)
    for row, letters in enumerate(rows):
        for column, letter in enumerate(letters):
            if letter in COLORS:
                state.to_play = COLORS[letter]
                play(state, to_point(row, column))
    state.ko = state.last = state.moves = 0
    state.to_play = COLORS[to_play]
    assert show(state) == tidy(text), "a drawing with a chain that has no liberties"
    return state


def points(text: str) -> dict[str, int]:
    """The points of a drawing that have names."""
    return {
        letter: to_point(row, column)
        for row, letters in enumerate(grid(text))
        for column, letter in enumerate(letters)
        if letter not in LETTERS
    }


def show(state: np.record) -> str:
    """A record as a drawing."""
    side = int(state.side)
    return "\n".join(
        " ".join(LETTERS[state.color[to_point(row, column)]] for column in range(side)) for row in range(side)
    )
