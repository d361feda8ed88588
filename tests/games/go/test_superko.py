"""Suicide, ko and superko, against the naive engine."""

import random
from collections import Counter

import pytest
from boards import SENDING_TWO, everything, picture, play, refused, tidy
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.go import Go, opponent

from playout.games.go import coords
from playout.games.go.board import SUPERKO, Board, IllegalMove
from playout.games.go.state import BLACK, PASS

small = pytest.mark.small


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
