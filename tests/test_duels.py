"""Games between weights, and ratings from results."""

import numpy as np
import pytest

from playout.memory.shapes import Shapes, features_of
from playout.memory.shipped import shipped
from playout.memory.store import Weights
from playout.reproduce.duels import ELO, rate, round_robin


def test_the_stronger_weights_win():
    strong = shipped(5)
    weak = Weights(strong.shapes, np.zeros_like(strong.theta))
    wins = round_robin([strong, weak, strong], 10)
    assert wins[0, 1] > 15
    assert wins[0, 1] + wins[1, 0] == 20
    assert wins[2, 0] == 10  # against oneself every opening is won once and lost once
    assert np.all(np.diag(wins) == 0)


def test_features_may_differ():
    one = shipped(5)
    shapes = Shapes(side=5, sizes=(1,), sharing="none")
    other = Weights(shapes, np.zeros(features_of(shapes).unique, np.float32))
    assert round_robin([one, other], 5)[0, 1] > 5


def test_the_same_seed_gives_the_same_results():
    weights = shipped(5)
    other = Weights(weights.shapes, weights.theta * 0.3 + 0.01)
    first, again = (round_robin([weights, other], 5, seed=3) for _ in range(2))
    assert np.array_equal(first, again)


@pytest.mark.small
def test_ratings_explain_the_results():
    true = np.array([0.0, 100.0, 300.0, -200.0]) / ELO
    expected = 1 / (1 + np.exp(true[None, :] - true[:, None]))
    wins = 100_000 * expected * (1 - np.eye(4))
    found = rate(wins, anchor=0)
    assert found.elo == pytest.approx([0, 100, 300, -200], abs=1)
    assert found.error[0] == 0
    assert np.all(found.error[1:] < 2)


@pytest.mark.small
def test_a_player_without_a_win_has_a_rating():
    found = rate(np.array([[0.0, 10.0], [0.0, 0.0]]))
    assert np.all(np.isfinite(found.elo))
    assert found.elo[1] < -300
    assert found.error[1] > 100
