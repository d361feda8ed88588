"""Handicaps, stones set up, and the score of the end."""

import pytest
from boards import everything, names, picture, play, refused, tidy

from playout.errors import InputError
from playout.games.go import coords
from playout.games.go.board import Board, format_score
from playout.games.go.state import WHITE

small = pytest.mark.small


# ---------------------------------------------------------------------------------------------------
# Setting up.


@small
@pytest.mark.parametrize("stones", range(2, 10))
def test_fixed_handicaps(stones):
    board = Board(19).place_handicap(stones)
    assert board.stones("B") == sorted(coords.fixed_handicap(19, stones))
    assert (board.handicap, board.to_play, board.moves) == (stones, WHITE, [])
    assert board.initial_stones == (board.stones("B"), [])


@small
def test_free_handicaps():
    board = Board(9).place_handicap(["A1", "B1", coords.parse_vertex("J9", 9)])
    assert names(board, board.stones("B")) == "J9 A1 B1"
    assert (board.handicap, board.to_play) == (3, WHITE)
    board = Board(2).place_handicap(["A1", "A2", "B1"])
    assert board.stones("W") == []


@small
@pytest.mark.parametrize(
    "stones", [0, 1, 10, -1, [], ["A1"], ["A1", "A1"], ["A1", "pass"], ["A1", "K1"], ["A1", 7], "A1"]
)
def test_wrong_handicaps(stones):
    board = Board(9)
    before = everything(board)
    refused(InputError, None, board.place_handicap, stones)
    assert everything(board) == before


@small
def test_a_handicap_needs_room():
    refused(InputError, "no fixed handicap", Board(5).place_handicap, 2)
    refused(InputError, "free point", Board(2).place_handicap, ["A1", "A2", "B1", "B2"])
    refused(InputError, "empty board", Board(9).play("E5").place_handicap, 2)
    refused(InputError, "empty board", Board(9).play("pass").place_handicap, 2)
    refused(InputError, "empty board", Board(9).set_up(["A1"]).place_handicap, 2)
    refused(InputError, "empty board", Board(9).place_handicap(2).place_handicap, 2)


@small
def test_setting_up():
    board = play(Board(5, 0.5), "A1 B1 C1")
    board.set_up(black=["E5", "B1"], white=["D5"], to_play="W", empty=["A1"])
    assert picture(board) == tidy("""
        . . . O X
        . . . . .
        . . . . .
        . . . . .
        . X X . .""")
    assert (board.to_play, board.moves, board.komi, board.captures("B")) == (WHITE, [], 0.5, 0)
    assert board.initial_stones == (board.stones("B"), board.stones("W"))
    refused(InputError, "no move", board.undo)
    board.play("E4")
    assert (board["E5"], board.captures("W")) == (".", 1)
    assert len(board.initial_stones[0]) == 3


@small
def test_setting_up_on_a_finished_game_starts_it_anew():
    assert not Board(9).play("resign").set_up(["A1"]).is_over
    assert not Board(9).play("pass").play("pass").set_up().is_over


@small
@pytest.mark.parametrize(
    ("stones", "why"),
    [
        ({"black": ["A5"], "white": ["A4", "B5"]}, "A5 would have no liberty"),
        ({"white": ["A5"], "black": ["A4", "B5"]}, "A5 would have no liberty"),
        ({"black": [coords.parse_vertex(f"{c}{r}", 5) for c in "ABCDE" for r in range(1, 6)]}, "no liberty"),
        ({"black": ["F1"]}, "F1"),
        ({"black": ["pass"]}, "pass"),
        ({"empty": ["Z9"]}, "Z9"),
        ({"white": [3]}, "3 is not a point"),
        ({"to_play": "nobody"}, "neither"),
    ],
)
def test_wrong_setups_change_nothing(stones, why):
    board = play(Board(5), "C3 C2")
    before = everything(board)
    refused(InputError, why, board.set_up, **stones)
    assert everything(board) == before


@small
def test_a_drawn_position_without_liberties():
    refused(InputError, "A3 would have no liberty", Board.from_text, "X O .\nO . .\n. . .")


# ---------------------------------------------------------------------------------------------------
# Scoring.

END = """
    . X O . .
    X X O O X
    . X O . O
    X X O O .
    . X O O O"""


@small
@pytest.mark.parametrize(
    ("dead", "area"),
    [
        ([], 8 + 3 - 10 - 2),  # the two points at the top reach both colours
        (["E4"], 7 + 3 - 10 - 5),
        (["A4"], 1 - 10 - 10 - 2),  # with one stone its whole chain goes
        (["A4", "B1", "E4"], -25),
    ],
)
def test_scoring(dead, area):
    board = Board.from_text(END, komi=0.5)
    before = everything(board)
    assert board.area(dead) == area
    assert board.area([coords.parse_vertex(name, 5) for name in dead]) == area
    assert board.score(dead) == area - 0.5
    assert board.result(dead) == f"W+{0.5 - area}"
    assert everything(board) == before


@small
def test_a_draw_and_a_win():
    board = Board.from_text(END, komi=-5)
    assert board.result(["E4"]) == "0"
    assert board.result() == "B+4"


@small
def test_dead_stones_must_be_stones():
    board = Board.from_text(END)
    refused(InputError, "no stone at A5", board.score, ["A5"])
    refused(InputError, "no stone at pass", board.area, ["pass"])
    refused(InputError, "Z1", board.result, ["Z1"])


@small
@pytest.mark.parametrize(
    ("score", "text"),
    [(0, "0"), (-0.0, "0"), (0.5, "B+0.5"), (-7.5, "W+7.5"), (3.0, "B+3"), (-361.25, "W+361.25")],
)
def test_scores_as_text(score, text):
    assert format_score(score) == text


@small
def test_an_empty_board_belongs_to_nobody():
    assert Board(5, 0).result() == "0"
    assert Board(5, 0).play("A1").result() == "B+25"
    assert Board(5, 0).play("A1").play("E5").result() == "0"
