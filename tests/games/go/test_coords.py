"""Names of points, colours and sizes, and the handicap points."""

import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playout.errors import InputError
from playout.games.go import coords
from playout.games.go.state import BLACK, PASS, WHITE

pytestmark = pytest.mark.small
SIDES = range(2, 20)


def names(points: list[int], side: int) -> str:
    return " ".join(coords.vertex(p, side) for p in points)


def one_sentence(error: Exception) -> None:
    message = str(error)
    assert message
    assert "\n" not in message
    assert len(message) < 150
    assert message.isprintable()


# -- points -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "side", "row", "column"),
    [
        ("A1", 9, 8, 0),
        ("J9", 9, 0, 8),
        ("E5", 9, 4, 4),
        ("T19", 19, 0, 18),
        ("H8", 19, 11, 7),
        ("J8", 19, 11, 8),
    ],
)
def test_points_by_name(name, side, row, column):
    assert coords.parse_vertex(name, side) == coords.point(row, column)
    assert coords.row_column(coords.point(row, column)) == (row, column)


@pytest.mark.parametrize("side", SIDES)
def test_every_point_has_a_name_of_its_own(side):
    points = coords.board_points(side)
    assert points == sorted(set(points))
    assert len(points) == side * side
    assert PASS not in points
    written = [coords.vertex(p, side) for p in points]
    assert len(set(written)) == side * side
    assert not any("I" in name for name in written)
    assert [coords.parse_vertex(name, side) for name in written] == points
    assert [coords.parse_vertex(f" {name.lower()}\t", side) for name in written] == points
    assert coords.vertex(points[0], side) == f"A{side}"
    assert coords.vertex(points[-1], side) == f"{coords.COLUMNS[side - 1]}1"


def test_pass():
    assert coords.parse_vertex("pass", 9) == coords.parse_vertex(" PASS ", 2) == PASS
    assert coords.vertex(PASS, 9) == "pass"


OFF_BOARD = "E 5 I5 i5 E0 E10 K5 E-1 EE 5E E5x E500 resign Å5 E٥ E５"


@pytest.mark.parametrize("name", [*OFF_BOARD.split(), "", "E 5", "\0", "x" * 10_000, "E5\nE6"])
def test_points_that_are_not_there(name):
    with pytest.raises(InputError, match="9×9") as caught:
        coords.parse_vertex(name, 9)
    one_sentence(caught.value)


@given(st.text(max_size=8), st.integers(2, 19))
def test_any_text_is_a_point_or_refused(text, side):
    try:
        p = coords.parse_vertex(text, side)
    except InputError as error:
        one_sentence(error)
    else:
        assert coords.parse_vertex(coords.vertex(p, side), side) == p


# -- colours, sizes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["b", "B", "black", "Black", " BLACK ", "x", "X", BLACK, np.uint8(BLACK)])
def test_black(text):
    assert coords.parse_color(text) == BLACK
    assert type(coords.parse_color(text)) is int


@pytest.mark.parametrize("text", ["w", "W", "white", "White", " WHITE ", "o", "O", WHITE, np.int64(WHITE)])
def test_white(text):
    assert coords.parse_color(text) == WHITE
    assert type(coords.parse_color(text)) is int


@pytest.mark.parametrize("text", ["", "blue", "bw", "0", "1", 0, 3, -1, 1.5, None, "b" * 10_000, "\0", [1]])
def test_no_colour(text):
    with pytest.raises(InputError, match="neither black nor white") as caught:
        coords.parse_color(text)
    one_sentence(caught.value)


def test_names_of_colours():
    assert [coords.color_name(color) for color in (BLACK, WHITE)] == ["Black", "White"]


@pytest.mark.parametrize("side", SIDES)
def test_sizes(side):
    assert (
        coords.parse_side(side) == coords.parse_side(f" {side} ") == coords.parse_side(np.int16(side)) == side
    )


@pytest.mark.parametrize(
    "text",
    ["", "0", "1", "20", "-3", "abc", "9.0", "9x9", "1e1", "²", "٩", "+9", "9" * 10_000, None, 9.5, "\0"],
)
def test_no_sizes(text):
    with pytest.raises(InputError, match="board size") as caught:
        coords.parse_side(text)
    one_sentence(caught.value)


def test_quoted_input_is_short_and_printable():
    assert coords.shown("E5") == "'E5'"
    assert coords.shown("a\x1b[2J\n") == r"'a\x1b[2J\n'"
    assert coords.shown("李").isascii()
    assert len(coords.shown(string.printable * 1000)) < 50


# -- handicap -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "stones", "points"),
    [
        (19, 2, "D4 Q16"),
        (19, 3, "D4 Q16 D16"),
        (19, 4, "D4 Q16 D16 Q4"),
        (19, 5, "D4 Q16 D16 Q4 K10"),
        (19, 6, "D4 Q16 D16 Q4 D10 Q10"),
        (19, 7, "D4 Q16 D16 Q4 D10 Q10 K10"),
        (19, 8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
        (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        (13, 9, "D4 K10 D10 K4 D7 K7 G4 G10 G7"),
        (12, 4, "D4 J9 D9 J4"),  # the fourth line begins above 11×11
        (11, 5, "C3 J9 C9 J3 F6"),
        (9, 5, "C3 G7 C7 G3 E5"),
        (8, 4, "C3 F6 C6 F3"),
        (7, 3, "C3 E5 C5"),
    ],
)
def test_fixed_handicap_as_gtp_and_gnu_go_have_it(side, stones, points):
    assert names(coords.fixed_handicap(side, stones), side) == points


@pytest.mark.parametrize("side", SIDES)
def test_handicap_points_are_symmetric_and_on_the_board(side):
    stars = coords.star_points(side)
    assert len(stars) == (0 if side < 7 else 9 if side % 2 and side > 7 else 4)
    places = {coords.row_column(p) for p in stars}
    assert len(places) == len(stars)
    assert places <= {coords.row_column(p) for p in coords.board_points(side)}
    assert places == {(column, row) for row, column in places} == {(side - 1 - r, c) for r, c in places}


@pytest.mark.parametrize("side", SIDES)
def test_wrong_fixed_handicaps(side):
    for stones in (-1, 0, 1, len(coords.star_points(side)) + 1, 10, 10**9):
        with pytest.raises(InputError, match=f"{side}×{side}") as caught:
            coords.fixed_handicap(side, stones)
        one_sentence(caught.value)
