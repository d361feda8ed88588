"""The tactical prior: H from features and weights, in the nodes of real trees."""

import math

import numpy as np
import pytest
from looks import priors, seen

from playout.games.go.board import Board
from playout.games.go.prior.features import NAMES
from playout.games.go.prior.tactical import TacticalPrior, shipped

MOVES = ["E5", "C3", "G6", "D3", "E3", "D4", "E4", "D5", "D6", "C5"]


@pytest.mark.parametrize("count", range(len(MOVES) + 1))
@pytest.mark.parametrize("scale", [0.15, 2.0])
def test_h_is_the_softmax_of_the_weights(count, scale):
    board = Board(9)
    for move in MOVES[:count]:
        board.play(move)
    weights = shipped()
    z = {
        place: weights["pattern"] * number + sum(weights[name] for name in found)
        for place, (found, number) in seen(board).items()
    }
    even = math.log(sum(map(math.exp, z.values())) / len(z))
    found = priors(board, TacticalPrior(scale=scale, lowest=0.1))
    assert set(found) == set(z)
    for place, value in found.items():
        assert value == pytest.approx(min(1.0, max(0.1, 0.5 + scale * (z[place] - even))), abs=1e-5), place


def test_there_is_a_weight_for_every_feature():
    assert set(shipped()) == set(NAMES)
    assert np.all(np.isfinite(list(shipped().values())))


def test_it_knows_good_from_bad():
    board = Board(9)
    for move in ["E5", "E6", "D6", "F5", "F6"]:
        board.play(move)
    found = priors(board, TacticalPrior())
    escape, corner = found[2, 4], found[8, 8]  # the stone at E6 is in atari; nothing is at J1
    assert escape > 0.6
    assert corner < 0.3
    assert escape == max(found.values())
