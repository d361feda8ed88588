"""The friendly board: history, undo, exact superko, setting up, scoring."""

import copy
import pickle
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.go import Go, opponent

from playout.errors import InputError
from playout.games.go import coords
from playout.games.go.board import MAX_KOMI, SUPERKO, Board, IllegalMove, Move, format_score
from playout.games.go.state import BLACK, PASS, WHITE

small = pytest.mark.small


@pytest.fixture(autouse=True)
def wrapping_arithmetic():
    """Uncompiled, NumPy warns of the wrap-around that packed sums and hashes rely on."""
    with np.errstate(all="ignore"):
        yield


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
# Suicide.

EYE = """
    . X .
    X . .
    . . O"""


@small
def test_suicide_is_an_option():
    refused(IllegalMove, "suicide", Board.from_text(EYE).play, "A3", "W")
    board = Board.from_text(EYE, suicide=True, superko="simple")
    assert board.play("A3", "W").captures("B") == 1
    assert board["A3"] == "."
    assert board.to_play == BLACK


TWO_POINTS = """
    . . X
    X X .
    . . O"""


@small
def test_suicide_of_two_stones():
    board = Board.from_text(TWO_POINTS, suicide=True, superko="simple").play("A3", "W")
    assert not Board.from_text(TWO_POINTS).play("A3", "W").is_legal("B3", "W")
    board.play("B3", "W")
    assert board.captures("B") == 2
    assert picture(board) == tidy(TWO_POINTS)


@small
def test_suicide_of_one_stone_repeats_the_position():
    refused(IllegalMove, "positional superko", Board.from_text(EYE, suicide=True).play, "A3", "W")
    board = Board.from_text(EYE, suicide=True, superko="situational", to_play="W").play("A3")
    assert board.to_play == BLACK
    assert board.captures("B") == 1


# ---------------------------------------------------------------------------------------------------
# Superko.

SENDING_TWO = """
    . O . O .
    X X O . .
    . . . . .
    . . . . .
    . . . . ."""


@small
def test_sending_two_returning_one():
    """Three moves bring the position back with the other side to move."""
    for superko, legal in (("positional", False), ("situational", True), ("simple", True)):
        board = Board.from_text(SENDING_TWO, to_play="W", superko=superko)
        play(board, "A5 C5")
        assert board.captures("B") == 2
        assert board.is_legal("B5") == legal
        assert (coords.parse_vertex("B5", 5) in board.legal_moves()) == legal
        if not legal:
            refused(IllegalMove, "repeat an earlier position .positional superko", board.play, "B5")
            continue
        assert picture(board.play("B5")) == tidy(SENDING_TWO)
        board.play("pass")
        assert board.is_legal("A5") == (superko == "simple")


TRIPLE_KO = """
    . X O . . . . . .
    X O . O . . . . .
    . X O . . . . . .
    . X O . . . . . .
    X . X O . . . . .
    . X O . . . . . .
    . X O . . . . . .
    X O . O . . . . .
    . X O . . . . . ."""


@small
def test_triple_ko():
    """Six moves bring back the position with the same side to move."""
    for superko, legal in (("positional", False), ("situational", False), ("simple", True)):
        board = Board.from_text(TRIPLE_KO, superko=superko)
        play(board, "C8 B5 C2 B8 C5")
        assert board.is_legal("B2") == legal
        assert (coords.parse_vertex("B2", 9) in board.legal_moves()) == legal
        if legal:
            assert picture(board.play("B2")) == tidy(TRIPLE_KO)
        else:
            refused(IllegalMove, f"{superko} superko", board.play, "B2")
            assert play(board, "H5 H6 B2")["B2"] == "O"  # a threat elsewhere makes it a new position


@small
def test_the_empty_board_may_not_come_back_either():
    for superko, legal in (("positional", False), ("situational", True), ("simple", True)):
        board = Board(2, suicide=True, superko=superko)
        play(board, "A1 pass A2 pass B1 pass")
        assert board.is_legal("B2") == legal
        if legal:
            assert picture(board.play("B2")) == ". .\n. ."
            assert board.captures("W") == 4


@small
def test_a_long_memory():
    """A position of long ago counts, also after passes in between."""
    board = Board.from_text(SENDING_TWO, to_play="W")
    play(board, "pass pass A5 pass pass C5 pass pass")
    assert not board.is_legal("B5", "W")
    board = Board.from_text(SENDING_TWO, to_play="W", superko="situational")
    play(board, "pass pass A5 C5")
    assert not board.is_legal("B5", "W")  # the first pass has left the same position to Black


@small
def test_undo_forgets_positions():
    board = Board.from_text(SENDING_TWO, to_play="W")
    play(board, "A5 C5")
    before = everything(board)
    board.superko = "simple"
    play(board, "B5")
    board.undo()
    board.superko = "positional"
    assert everything(board) == before
    board.undo()
    board.undo()
    assert play(board, "A5 E2 E1 C5").is_legal("B5")  # now it makes a new position


@small
def test_clearing_and_setting_up_forget_positions():
    board = Board.from_text(SENDING_TWO, to_play="W")
    play(board, "A5 C5")
    board.set_up(to_play="W")
    assert board.is_legal("B5")
    assert board.moves == []
    assert play(board.clear(), "A1 B1").captures("W") == 0


def naive_legal(game: Go, player: str) -> set[int]:
    """What the naive engine lets a player do; a ko binds only the side to move."""
    turn, ko = game.to_play, game.ko
    if player != turn:
        game.to_play, game.ko = player, None
    legal = {coords.point(*place) for place in game.legal_points()} | {PASS}
    game.to_play, game.ko = turn, ko
    return legal


def superko_game(
    size: int, superko: str, suicide: bool, passes: float, rng: random.Random, length: int
) -> Counter:
    """A random game beside the naive engine; counts the moves that only superko forbids."""
    board = Board(size, superko=superko, suicide=suicide)
    game = Go(size, suicide, superko)
    simple = Board(size, superko="simple", suicide=suicide)
    events: Counter[str] = Counter()
    for _ in range(length):
        mover = "XO"[board.to_play - 1]
        assert mover == game.to_play
        legal = board.legal_moves()
        assert set(legal) == naive_legal(game, mover)
        assert len(set(legal)) == len(legal)
        assert set(board.legal_moves(opponent(mover))) == naive_legal(game, opponent(mover))
        assert [p for p in [*coords.board_points(size), PASS] if board.is_legal(p)] == legal
        events["forbidden"] += len(simple.legal_moves()) - len(legal)
        p = PASS if rng.random() < passes else rng.choice(legal)
        board.play(p)
        simple.play(p)
        game.play(coords.row_column(p) if p else None)
        assert picture(board) == str(game)
        assert board.captures("B") == game.captured["X"]
        assert board.captures("W") == game.captured["O"]
        if rng.random() < 0.1:  # there and back
            before = everything(board)
            steps = rng.randint(1, len(board.moves))
            back = board.moves[-steps:]
            for _ in range(steps):
                board.undo()
            for move in back:
                board.play(move.point)
            assert everything(board) == before
        events["moves"] += 1
    return events


@pytest.mark.parametrize("superko", SUPERKO)
@pytest.mark.parametrize("size", [2, 3, 4])
def test_superko_against_the_naive_engine(size, superko):
    events: Counter[str] = Counter()

    @settings(max_examples=60, deadline=None)
    @given(seed=st.integers(0, 2**32 - 1), suicide=st.booleans(), passes=st.sampled_from([0.0, 0.1, 0.3]))
    def several_games(seed, suicide, passes):
        rng = random.Random(seed)
        for _ in range(2):
            events.update(superko_game(size, superko, suicide, passes, rng, 20 * size))

    several_games()
    assert events["moves"] > 1000
    # Without moves that only superko forbids the games would tell nothing.
    assert (events["forbidden"] > 20) == (superko != "simple")


@small
@pytest.mark.parametrize("superko", SUPERKO)
@pytest.mark.parametrize("suicide", [False, True])
def test_a_superko_game_against_the_naive_engine(superko, suicide):
    superko_game(2, superko, suicide, 0.1, random.Random(2), 25)
    superko_game(3, superko, suicide, 0.0, random.Random(3), 25)


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
    refused(InputError, "board size", Board, size)


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
