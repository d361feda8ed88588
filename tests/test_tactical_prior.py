"""The tactical prior against its naive twin, in the nodes of real trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import tactical as naive
from naive import tactics
from naive.go import Go
from test_prior import priors

from playout.games.go.board import Board
from playout.search.tactical import TacticalPrior


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(4, 9), st.integers(0, 60))
def test_the_prior_is_its_description(seed, side, moves):
    dice = np.random.default_rng(seed)
    board, game, last = Board(side, superko="simple"), Go(side), None
    for _ in range(min(moves, side * side)):
        legal = [point for point in game.legal_points() if not game.is_eye(point, game.to_play)]
        if not legal:
            break
        last = legal[int(dice.integers(len(legal)))]
        game.play(last)
        board.play((last[0] + 1) * 20 + last[1] + 1)
    for place, value in priors(board, TacticalPrior()).items():
        answers = tactics.either_way(lambda: naive.judge(game, place, last))  # noqa: B023
        assert any(value == pytest.approx(answer) for answer in answers), (place, value, answers, str(game))


def test_opinions_are_settings():
    values = priors(Board(5).play("C3"), TacticalPrior(passing=0.3, near=0.0, pattern=0.0))
    assert values[None] == pytest.approx(0.3)
    assert values[1, 2] == pytest.approx(0.5)
