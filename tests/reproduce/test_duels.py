"""Games between weights in compiled code."""

import numpy as np

from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.shipped import shipped
from playout.games.go.memory.store import Weights
from playout.reproduce.duels import round_robin


def points(results, name):
    """What a player has scored."""
    return sum(z if black == name else 1 - z for black, white, z in results if name in (black, white))


def test_the_stronger_weights_win():
    strong = shipped(5)
    weak = Weights(strong.shapes, np.zeros_like(strong.theta))
    results = round_robin({"strong": strong, "weak": weak}, 10)
    assert len(results) == 20
    assert [black for black, _, _ in results[:4]] == ["weak", "strong", "weak", "strong"]
    assert points(results, "strong") > 15
    assert points(results, "strong") + points(results, "weak") == 20


def test_against_oneself_every_opening_is_won_once():
    weights = shipped(5)
    results = round_robin({"a": weights, "b": weights}, 10)
    assert points(results, "a") == 10
    assert all(results[k][2] == results[k + 1][2] for k in range(0, 20, 2))


def test_features_may_differ():
    shapes = Shapes(side=5, sizes=(1,), sharing="none")
    other = Weights(shapes, np.zeros(features_of(shapes).unique, np.float32))
    assert points(round_robin({"one": shipped(5), "other": other}, 5), "one") > 5


def test_the_same_seed_gives_the_same_results():
    weights = shipped(5)
    players = {"a": weights, "b": Weights(weights.shapes, weights.theta * 0.3 + 0.01)}
    assert round_robin(players, 5, seed=3) == round_robin(players, 5, seed=3)


def test_the_results_are_those_of_older_versions():
    weights = shipped(5)
    players = {"a": weights, "b": Weights(weights.shapes, weights.theta * 0.3 + 0.01)}
    found = "".join(f"{z:g}" for *_, z in round_robin(players, 16, seed=3))
    assert found == "01110011110110000111111111110111"
