"""Heuristic priors against their naive twins, in the nodes of real trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from looks import priors
from naive import prior as naive
from naive.go import Go

from playout.games.go.board import Board
from playout.games.go.prior.handcrafted import Handcrafted
from playout.search.prior import Even


def test_the_even_game():
    assert set(priors(Board(5), Even()).values()) == {0.5}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(5, 9), st.integers(0, 45))
def test_handcrafted_is_its_description(seed, side, moves):
    dice = np.random.default_rng(seed)
    board, game, last = Board(side, superko="simple"), Go(side), None
    for _ in range(min(moves, side * side)):
        legal = game.legal_points()
        if not legal:
            break
        last = legal[int(dice.integers(len(legal)))]
        game.play(last)
        board.play((last[0] + 1) * 20 + last[1] + 1)
    for place, value in priors(board, Handcrafted()).items():
        assert value == pytest.approx(naive.judge(game, place, last)), (place, str(game))
    for place, value in priors(board, Handcrafted(graded=False)).items():
        assert value == naive.as_printed(game, place, last), (place, str(game))
