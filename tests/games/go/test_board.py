"""The friendly board: moves, the end, undo, copies."""

import copy
import pickle
import random

import pytest
from boards import SENDING_TWO, everything, names, picture, play, refused, tidy

from playout.errors import InputError
from playout.games.go import coords
from playout.games.go.board import MAX_KOMI, SUPERKO, Board, IllegalMove, Move
from playout.games.go.state import BLACK, PASS, WHITE

small = pytest.mark.small


@small
def test_a_new_board():
    board = Board()
    assert (board.size, board.komi, board.superko, board.suicide) == (9, 7.5, "positional", False)
    assert board.to_play == BLACK
    assert board.legal_moves() == [*coords.board_points(9), PASS]
    assert not board.moves
    assert not board.is_over
    assert board.score() == -7.5
    assert repr(board) == "Board(9, moves=0, to_play='B')"


@small
@pytest.mark.parametrize("size", range(2, 20))
def test_every_size(size):
    board = Board(size).play("B2")
    assert board.stones("B") == [coords.parse_vertex("B2", size)]
    assert board.area() == size * size


@small
def test_a_few_moves():
    board = Board(9)
    assert board.play("E5").play("c3").play(" pass ").play(coords.parse_vertex("D4", 9)) is board
    assert [coords.vertex(p, 9) for _, p in board.moves] == ["E5", "C3", "pass", "D4"]
    assert [color for color, _ in board.moves] == [BLACK, WHITE, BLACK, WHITE]
    assert (board["E5"], board["C3"], board["A1"], board[coords.parse_vertex("D4", 9)]) == (
        "X",
        "O",
        ".",
        "O",
    )
    assert names(board, board.stones("W")) == "D4 C3"
    assert names(board, board.stones(BLACK)) == "E5"


@small
def test_captures_chains_and_liberties():
    board = Board.from_text("""
        . X X .
        X O O X
        . X O X
        . . . .""")
    assert names(board, board.chain("B3")) == "B3 C3 C2"
    assert names(board, board.liberties("C2")) == "C1"
    assert names(board, board.liberties("B4")) == "A4 D4"
    board.play("C1")
    assert picture(board) == tidy("""
        . X X .
        X . . X
        . X . X
        . . X .""")
    assert (board.captures("B"), board.captures("W")) == (3, 0)
    assert names(board, board.chain("C1")) == "C1"
    refused(InputError, "no stone at B3", board.chain, "B3")
    refused(InputError, "no stone at pass", board.liberties, "pass")


@small
def test_either_colour_may_be_told_to_play():
    board = Board(9).play("E5", "W").play("E6", "white").play("E7", WHITE)
    assert board.moves == [Move(WHITE, p) for p in sorted(board.stones("W"), reverse=True)]
    assert board.to_play == BLACK
    board.to_play = "W"
    assert board.play("A1")["A1"] == "O"


@small
@pytest.mark.parametrize("at", ["E5", "K5", "E10", "", "resing", -1, 10_000, 20, 40])
def test_moves_that_are_refused_leave_the_board_alone(at):
    board = Board(9).play("E5")
    before = everything(board)
    refused(InputError, None, board.play, at)
    refused(InputError, None, board.play, "D5", "green")
    assert everything(board) == before


@small
def test_reasons_against_a_move():
    board = Board.from_text("""
        . X O .
        X O . O
        . X O .
        X . . .""")
    refused(IllegalMove, "Black may not play B4: there is a stone already", board.play, "B4")
    refused(IllegalMove, "White may not play A2: it would be suicide", board.play, "A2", "W")
    board.play("C3")
    refused(IllegalMove, "White may not play B3: it would retake a ko", board.play, "B3")
    assert not board.is_legal("B3")
    assert board.is_legal("B3", "B")
    assert board.is_legal("pass")


@small
def test_a_ko_binds_only_the_side_that_may_retake_it():
    board = Board.from_text("""
        . X O .
        X O . O
        . X O .
        . . . .""")
    board.play("C3")
    assert coords.parse_vertex("B3", 4) not in board.legal_moves("W")
    assert coords.parse_vertex("B3", 4) in board.legal_moves("B")
    board.play("B3", "B")
    assert board["B3"] == "X"


@small
def test_the_end():
    board = play(Board(9), "E5 pass C3")
    assert not board.is_over
    assert not board.play("pass").is_over
    assert board.play("pass").is_over
    assert not board.play("A1").is_over  # a game may be taken up again
    assert play(board, "pass " * 257).is_over
    board = Board(9).play("resign")
    assert board.is_over
    assert board.resigned == BLACK
    assert board.result() == "W+R"
    assert board.undo().resigned is None
    assert not board.is_over
    assert Board(9).play("Resign", "W").result() == "B+R"


# ---------------------------------------------------------------------------------------------------
# Undo and copies.


@small
@pytest.mark.parametrize("superko", SUPERKO)
def test_undo_restores_everything(superko):
    rng = random.Random(1)
    board = Board(4, superko=superko)
    board.set_up(["B2"], ["C3"], "W")
    stages = []
    for _ in range(30):
        stages.append(everything(board))
        board.play(rng.choice(board.legal_moves(board.to_play)))
    for stage in reversed(stages):
        assert everything(board.undo()) == stage
    refused(InputError, "no move to take back", board.undo)
    assert everything(board) == stages[0]


@small
def test_undo_restores_whose_turn_it_was():
    board = Board(9).play("E5", "W").play("D5", "W")
    assert board.undo().to_play == BLACK
    assert board.undo().to_play == BLACK


@small
def test_undo_keeps_komi():
    board = play(Board(9, 6.5), "E5 D5")
    board.komi = 0.5
    assert board.undo().undo().komi == 0.5


@small
def test_undo_after_a_handicap_keeps_the_stones():
    board = Board(9).place_handicap(2).play("E5")
    assert names(board, board.undo().stones("B")) == "G7 C3"
    refused(InputError, "no move", board.undo)


@small
@pytest.mark.parametrize("take", [Board.copy, copy.deepcopy, lambda board: pickle.loads(pickle.dumps(board))])
def test_copies_are_independent(take):
    board = Board.from_text(SENDING_TWO, to_play="W")
    play(board, "A5 C5")
    before = everything(board)
    twin = take(board)
    assert everything(twin) == before

    twin.play("E1").play("E2")
    twin.komi = 0.5
    twin.handicap = 3
    twin.play("resign")
    assert everything(board) == before

    twin = take(board)
    play(twin.undo().undo(), "E5 D1 E1")
    twin.komi = -1
    assert everything(board) == before
    assert everything(play(board.undo().undo(), "A5 C5")) == before

    twin = take(board)
    twin.set_up(["E1"], ["D1"])
    twin.clear()
    assert everything(board) == before
    board.play("E1")
    assert everything(take(board).undo()) == before


# ---------------------------------------------------------------------------------------------------
# Rules.


@small
@pytest.mark.parametrize("komi", [0, -5, 7.5, 0.25, MAX_KOMI, -MAX_KOMI])
def test_komi(komi):
    board = Board(9, komi)
    assert board.komi == komi
    assert board.score() == -komi


@small
@pytest.mark.parametrize("komi", [float("nan"), float("inf"), -float("inf"), MAX_KOMI + 1, 1e300])
def test_wrong_komi(komi):
    refused(InputError, "komi", Board, 9, komi)
    board = Board(9)
    with pytest.raises(InputError, match="komi"):
        board.komi = komi
    assert board.komi == 7.5


@small
@pytest.mark.parametrize("size", [0, 1, 20, -3, "abc", None, 9.5])
def test_wrong_sizes(size):
    refused(InputError, r"board size|size=.* is not a whole number", Board, size)


@small
def test_wrong_superko():
    refused(InputError, "not one of positional, situational, simple", Board, 9, superko="natural")


@small
def test_clearing_keeps_the_rules():
    board = Board(5, 3.5, superko="situational", suicide=True).place_handicap(["A1", "B2"])
    board.play("C3").play("resign")
    board.clear()
    assert everything(board) == everything(Board(5, 3.5, superko="situational", suicide=True))
    assert (board.superko, board.suicide) == ("situational", True)


@small
def test_the_record_is_a_root_for_simulations():
    board = Board(9).play("E5")
    root = board.simulation_root()
    assert root["moves"][0] == 0
    assert root["limit"][0] == 3 * 81
    assert Board(2).simulation_root()["limit"][0] == 60
    assert board.simulation_root(limit=7)["limit"][0] == 7
    root["to_play"] = BLACK
    root["color"] = 0
    assert board.to_play == WHITE
    assert board["E5"] == "X"
