"""Players that search a tree: what they play, when they pass, and what they refuse."""

import itertools

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.coords import vertex
from playout.games.go.state import BLACK, PASS
from playout.player.api import RESIGN
from playout.player.registry import make_player

PLAYERS = ["uct", "rave", "mogo", "mango"]


def plays(board, spec):
    return vertex(make_player(spec).choose(board), board.size)


@pytest.mark.parametrize("name", PLAYERS)
def test_takes_the_chain_that_decides_the_game(name):
    board = Board.from_text(
        """
        . . . . . . .
        . X X X X . .
        X O O O O X .
        X O O O O X .
        X X X X . X X
        O O O O . O O
        . O . O O O .""",
        to_play="X",
        komi=10.5,
    )
    assert plays(board, f"{name}:sims=2000,seed=1") == "E3"


@pytest.mark.parametrize("name", PLAYERS)
def test_passes_when_ahead_and_all_is_settled(name):
    board = Board.from_text(
        """
        . X . X O
        X X X X O
        X X X X O
        X X X O O
        . X X O .""",
        to_play="X",
        komi=0.5,
    )
    assert plays(board, f"{name}:sims=300,seed=1") == "pass"


@pytest.mark.parametrize("name", PLAYERS)
def test_answers_a_pass_with_a_pass_when_ahead(name):
    board = Board.from_text(
        """
        . X . O .
        X X X O O
        X X X O O
        X X X O .
        . X X O O""",
        to_play="O",
        komi=0.5,
    ).play("pass")
    assert plays(board, f"{name}:sims=300,seed=1") == "pass"


@pytest.mark.parametrize("name", PLAYERS)
def test_does_not_pass_while_behind(name):
    board = Board.from_text(
        """
        . X O . .
        X X O . .
        . X O . .
        X X O . .
        . X O . .""",
        to_play="X",
        komi=0.5,
    ).play("pass", "W")
    assert plays(board, f"{name}:sims=300,seed=1") != "pass"


def test_a_finished_game_is_answered_with_pass():
    board = Board(5).play("pass").play("pass")
    assert make_player("mogo:sims=100").choose(board) == PASS


@pytest.mark.parametrize("name", PLAYERS)
def test_same_seed_same_moves(name):
    def game():
        board, player = Board(5), make_player(f"{name}:sims=200,seed=5")
        for _ in range(8):
            board.play(player.choose(board))
        return board.moves

    assert game() == game()


def test_superko_holds_at_the_root():
    board = Board(3, komi=0.5)
    player = make_player("uct:sims=50,seed=3,policy=uniform,early_stop=false")
    for _ in range(60):
        if board.is_over:
            break
        p = player.choose(board)
        assert board.is_legal(p)
        board.play(p)


def test_resigns_when_told_to():
    board = Board.from_text(
        """
        . O . O .
        O O O O O
        O O O O .
        O O O O O
        X . . X .""",
        to_play="X",
        komi=7.5,
    )
    assert make_player("mogo:sims=300,seed=1,resign=0.2").choose(board) == RESIGN


@pytest.mark.parametrize("name", PLAYERS)
def test_analysis_grows_and_has_a_line_for_every_move(name):
    board = Board(5).play("C3")
    few, many = itertools.islice(make_player(f"{name}:seed=1").analyse(board), 2)
    assert few.visits < many.visits
    assert all(info.pv[0] == info.point for info in many.moves)
    assert {info.point for info in many.moves} <= set(board.legal_moves())
    assert all(0 <= info.lcb <= info.winrate <= 1 for info in many.moves if info.visits > 20)
    assert many.ownership.shape == (5, 5)
    assert np.all(np.abs(many.ownership) <= 1)
    assert many.to_play != BLACK


def test_the_tree_is_kept_between_moves():
    board, player = Board(5), make_player("rave:sims=500,seed=1,early_stop=false")
    board.play(player.choose(board))
    search = player.prepare(board)
    assert search.visits > 50
    player.new_game()
    assert player.prepare(board).visits == 0


def test_a_tree_of_another_game_is_not_taken_over():
    player = make_player("rave:sims=500,seed=1,early_stop=false")
    player.choose(Board(5))
    other = Board(5).set_up(black=["A1"], white=["E5"]).play("C3")
    assert player.prepare(other).visits == 0
    player.choose(Board(5))
    assert player.prepare(Board(5, komi=0.5).play("C3")).visits == 0


def test_a_tree_is_not_taken_over_when_a_colour_moves_twice():
    player = make_player("rave:sims=500,seed=1,early_stop=false")
    board = Board(5)
    board.play(player.choose(board))
    board.to_play = BLACK
    assert player.prepare(board).visits == 0


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("uct:exploration=-1", "exploration='-1' is not a number from 0 to 100"),
        ("mogo:memory=0", "memory='0' is not a whole number from 1 to 1,000,000"),
        ("mogo:prior=magic", "prior='magic' is not a name; one of: even, handcrafted, urgency"),
        ("rave:rave=mes", "rave='mes' is not a name; did you mean mse?"),
        ("mogo:bais=0.1", "player mogo has no setting 'bais'; did you mean bias?"),
    ],
)
def test_impossible_settings_are_refused_by_name(spec, sentence):
    with pytest.raises(InputError) as refused:
        make_player(spec)
    assert str(refused.value) == sentence
