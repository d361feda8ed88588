"""The local shape prior in the nodes of real trees."""

import numpy as np
import pytest
from draw import to_place
from looks import priors

from playout.games.go.board import Board
from playout.games.go.prior.shapes import ShapePrior
from playout.player.registry import make_player

MOVES = ["E5", "C3", "G6", "D3", "E3", "D4", "E4", "D5", "D6", "C5"]


@pytest.mark.parametrize("count", [0, 1, 6, 10])
def test_h_is_the_value_after_the_move(count):
    board = Board(9)
    for move in MOVES[:count]:
        board.play(move)
    moves, x = make_player("shapes").values(board)
    found = priors(board, ShapePrior())
    for move, value in zip(moves, x, strict=True):
        assert found[to_place(move)] == pytest.approx(1 / (1 + np.exp(-float(value))), abs=1e-5)
    flat = priors(board, ShapePrior(sharpness=0.0))
    assert set(flat.values()) == {0.5}


def test_a_search_follows_the_board_size():
    player = make_player("mogo:prior=shapes,policy=uniform,sims=50,memory=5")
    for side in (5, 9, 6):
        player.new_game()
        board = Board(side)
        assert board.is_legal(player.choose(board))
    player.close()


def test_a_pass_that_ends_the_game_has_its_outcome():
    board = Board(5, komi=0.5)
    board.play("C3").play("pass")
    found = priors(board, ShapePrior())
    assert found[None] > 0.99  # Black has the whole board
