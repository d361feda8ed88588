"""Boards as text and as pictures."""

import random
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playout.errors import InputError
from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.draw import parse_text

pytestmark = pytest.mark.small
SIDES = range(2, 20)


def scattered(side: int, seed: int = 1) -> Board:
    """A board with stones here and there, the last of them played."""
    rng = random.Random(seed)
    points = rng.sample(coords.board_points(side), max(2, side * side // 3))
    colors = [points[::3], points[1::3]]
    while True:
        try:
            board = Board(side).set_up(*colors)
            break
        except InputError:  # no liberty: take a stone away
            max(colors, key=len).pop()
    moves = [p for p in board.legal_moves() if p]
    return board.play(rng.choice(moves)) if moves else board


def one_sentence(error: Exception) -> None:
    message = str(error)
    assert message
    assert "\n" not in message
    assert len(message) < 200


# -- text ---------------------------------------------------------------------------------------------


def test_what_a_board_looks_like():
    board = Board(9).play("E5").play("C3").play("pass").play("J9")
    assert str(board) == "\n".join(
        [
            "   A B C D E F G H J",
            " 9 . . . . . . . .(O)9",
            " 8 . . . . . . . . . 8",
            " 7 . . + . + . + . . 7",
            " 6 . . . . . . . . . 6",
            " 5 . . + . X . + . . 5",
            " 4 . . . . . . . . . 4",
            " 3 . . O . + . + . . 3",
            " 2 . . . . . . . . . 2",
            " 1 . . . . . . . . . 1",
            "   A B C D E F G H J",
        ]
    )


def test_the_last_move_stands_in_brackets():
    board = Board(2)
    assert "(" not in str(board)
    assert " 2(X). 2" in str(board.play("A2"))
    assert " 1 .(O)1" in str(board.play("B1"))
    assert "(" not in str(board.play("pass"))
    assert " 1 .(O)1" in str(board.undo())


@pytest.mark.parametrize("side", SIDES)
def test_print_and_read_back(side):
    for seed in range(3):
        board = scattered(side, seed)
        again = Board.from_text(str(board))
        assert again.size == side
        for color in "BW":
            assert again.stones(color) == board.stones(color)


@pytest.mark.parametrize(
    "drawing",
    [
        ". X O\nX . O\n. . .",
        "\n\n    . X O\n\n    X . O   \n    . . .\n",
        ".XO\nX.O\n...",
        "+ x o\r\nb , w\r\n. + .",
        "  A B C\n3 . X O 3\n2 X .(O)2\n1 . . . 1\n  A B C",
        "   a b c\n 3 . # O\n 2 # . O\n 1 . . .\n",
        "\tABC\n3\t.XO\n2\tX.O\n1\t...",
    ],
)
def test_ways_to_draw(drawing):
    board = Board.from_text(drawing, to_play="W")
    assert board.size == 3
    assert board.stones("B") == [coords.point(0, 1), coords.point(1, 0)]
    assert board.stones("W") == [coords.point(0, 2), coords.point(1, 2)]
    assert board.to_play == 2


def test_rules_go_with_a_drawing():
    board = Board.from_text(". .\n. .", komi=0.5, superko="simple", suicide=True)
    assert (board.komi, board.superko, board.suicide) == (0.5, "simple", True)


@pytest.mark.parametrize(
    ("drawing", "why"),
    [
        ("", "0 rows"),
        ("   \n\n", "0 rows"),
        (".", "1 rows"),
        (". .\n. . .", "2 rows of 2/3 points"),
        (". . .\n. . .", "2 rows of 3 points"),
        ("\n".join([". " * 20] * 20), "20 rows"),
        (". ?\n. .", r"'\?' in the drawing"),
        ("..\n.é", "in the drawing"),
        (". XO\n. .", "'XO' in the drawing"),
        ("A B\nX X\nX X", "no liberty"),
        ("hello world", "in the drawing"),
        ("x" * 10_000, "points"),
        ("\0\0\n\0\0", "in the drawing"),
    ],
)
def test_wrong_drawings(drawing, why):
    with pytest.raises(InputError, match=why) as caught:
        Board.from_text(drawing)
    one_sentence(caught.value)


@given(st.text(".XO+()123AB \n\t\x00é", max_size=60))
def test_any_text_is_a_board_or_refused(drawing):
    try:
        black, white, side = parse_text(drawing)
    except InputError as error:
        one_sentence(error)
    else:
        assert 2 <= side <= 19
        assert not set(black) & set(white)
        assert set(black) | set(white) <= set(coords.board_points(side))


# -- pictures -----------------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"
CELL, MARGIN = 28, 35


def circles(board: Board) -> list[dict[str, str]]:
    return [circle.attrib for circle in ET.fromstring(board._repr_svg_()).iter(f"{SVG}circle")]


def stones(board: Board, fill: str) -> list[int]:
    """The points where a picture has stones of a colour."""
    found = []
    for circle in circles(board):
        if circle["fill"] == fill:
            row, column = ((int(circle[axis]) - MARGIN) // CELL for axis in ("cy", "cx"))
            found.append(coords.point(row, column))
    return found


@pytest.mark.parametrize("side", SIDES)
def test_a_picture_shows_every_stone_in_its_place(side):
    board = scattered(side)
    assert stones(board, "#111") == board.stones("B")
    assert stones(board, "#fafafa") == board.stones("W")
    played = bool(board.moves)
    count = len(board.stones("B")) + len(board.stones("W")) + len(coords.star_points(side)) + played
    assert len(circles(board)) == count


@pytest.mark.parametrize("side", SIDES)
def test_a_picture_is_complete(side):
    root = ET.fromstring(Board(side)._repr_svg_())
    assert root.tag == f"{SVG}svg"
    assert len(root.findall(f"{SVG}path")) == side
    labels = [text.text for text in root.iter(f"{SVG}text")]
    assert sorted(labels) == sorted(
        [*coords.COLUMNS[:side], *map(str, range(1, side + 1))] * 2,
    )
    width = float(root.attrib["width"])
    for text in root.iter(f"{SVG}text"):
        x, y = (float(text.attrib[axis]) for axis in "xy")
        clear = MARGIN - 0.47 * CELL - 0.2 * CELL  # a stone's radius and half a letter's height
        assert min(x, width - x, y, width - y) > 0
        assert min(x, width - x, y, width - y) < clear


def test_the_last_move_is_marked():
    board = Board(9).play("E5")
    marks = [circle for circle in circles(board) if circle["fill"] == "none"]
    assert [(mark["cx"], mark["cy"]) for mark in marks] == [(str(MARGIN + 4 * CELL),) * 2]
    assert not [circle for circle in circles(board.play("pass")) if circle["fill"] == "none"]
