"""Weights by the word of a setting: those of values are no policy, and those of a policy no values."""

import numpy as np
import pytest

from playout.cli import main
from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.store import Weights
from playout.player.registry import make_player

TAKE_VALUES = [
    "shapes:weights={}",
    "rlgo1:weights={}",
    "uct:prior=shapes,prior.weights={}",
    "policy:policy=shapes,policy.weights={}",
    "flat:policy=shapes,policy.weights={}",
]
TAKE_A_POLICY = [
    "flat:policy=softmax,policy.weights={}",
    "policy:policy=softmax,policy.weights={}",
    "flat:policy={}",
]


@pytest.mark.parametrize("spec", TAKE_VALUES)
def test_weights_of_a_policy_are_no_values(spec, tmp_path):
    path = learnt(tmp_path, learner="reinforce")
    with pytest.raises(InputError, match=r"holds weights of a policy \('reinforce'\); weights of values are"):
        make_player(spec.format(path)).choose(Board(3))


@pytest.mark.parametrize("spec", TAKE_A_POLICY)
def test_weights_of_values_are_no_policy(spec, tmp_path):
    path = learnt(tmp_path, learner={"rule": "logistic"})
    with pytest.raises(
        InputError, match="holds weights of values, as playout train td makes them; a policy's"
    ):
        make_player(spec.format(path)).choose(Board(3))


def test_training_of_a_policy_begins_with_a_policy(tmp_path, capsys):
    path = learnt(tmp_path, learner={"rule": "logistic"})
    words = ["train", "reinforce", "--size", "3", "--updates", "1", "--output", str(tmp_path / "run")]
    assert main([*words, "--from", str(path)]) == 2
    assert "holds weights of values" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def learnt(folder, learner):
    """A file of weights that says who has learnt them."""
    shapes = Shapes(side=3, sizes=(1, 2))
    weights = Weights(shapes, np.zeros(features_of(shapes).unique, np.float32), {"learner": learner})
    weights.save(folder / "w.npz")
    return folder / "w.npz"
