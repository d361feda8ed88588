"""What tests of boards ask for."""

import pytest

from playout.errors import InputError
from playout.games.go import coords
from playout.games.go.board import Board

SENDING_TWO = """
    . O . O .
    X X O . .
    . . . . .
    . . . . .
    . . . . ."""


def names(board: Board, points: list[int]) -> str:
    return " ".join(coords.vertex(p, board.size) for p in points)


def play(board: Board, moves: str) -> Board:
    """Play moves in turn."""
    for name in moves.split():
        board.play(name)
    return board


def picture(board: Board) -> str:
    """The stones alone."""
    return "\n".join(
        " ".join(".XO"[board.color_at(coords.point(row, column))] for column in range(board.size))
        for row in range(board.size)
    )


def tidy(drawing: str) -> str:
    return "\n".join(line.strip() for line in drawing.strip().splitlines())


def everything(board: Board) -> tuple[object, ...]:
    """What a player can learn of a board."""
    return (
        str(board),
        board.moves[:],
        board.to_play,
        board.resigned,
        board.komi,
        board.handicap,
        board.is_over,
        board.captures("B"),
        board.captures("W"),
        board.legal_moves("B"),
        board.legal_moves("W"),
        board.area(),
        board.initial_stones,
        int(board.record["zobrist"][0]),
        int(board.record["ko"][0]),
    )


def refused(error: type[InputError], why: str | None, call, *args, **kwargs) -> None:
    """A call is refused in one sentence."""
    with pytest.raises(error, match=why) as caught:
        call(*args, **kwargs)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 150


# ---------------------------------------------------------------------------------------------------
# A game.
