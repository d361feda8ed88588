"""What a move looks like: the compiled features against their naive twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from looks import seen
from naive import tactical as naive
from naive import tactics
from naive.go import Go

from playout.games.go.board import Board
from playout.games.go.policy import pattern_values


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32), st.integers(4, 9), st.integers(0, 60))
def test_features_are_the_naive_ones(seed, side, moves):
    dice = np.random.default_rng(seed)
    board, game, last = Board(side, superko="simple"), Go(side), None
    for _ in range(min(moves, side * side)):
        legal = [point for point in game.legal_points() if not game.is_eye(point, game.to_play)]
        if not legal:
            break
        last = legal[int(dice.integers(len(legal)))]
        game.play(last)
        board.play((last[0] + 1) * 20 + last[1] + 1)
    for place, (found, _) in seen(board).items():
        answers = tactics.either_way(lambda: naive.features(game, place, last))  # noqa: B023
        assert found in answers, (place, found ^ answers[0], str(game))


def test_the_pattern_is_its_learnt_value():
    board = Board(9).play("E5").play("E6").play("D6")
    values = np.log(pattern_values.table(pattern_values.shipped()))
    record = board.simulation_root()[0]
    for place, (_, number) in seen(board).items():
        if place is not None:
            p = (place[0] + 1) * 20 + place[1] + 1
            expected = values[record.around[p], board.to_play - 1] - values.mean()
            assert number == pytest.approx(expected, abs=1e-5)
