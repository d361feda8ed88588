"""Policies that are played directly."""

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.go.board import Board
from playout.learn.student import PAPER
from playout.memory.shapes import Shapes, features_of
from playout.memory.store import Weights
from playout.player.registry import make_player


def moves(spec, count=12):
    """The first moves of a player against itself."""
    player, board = make_player(spec), Board(5)
    for _ in range(count):
        board.play(player.choose(board))
    return board.moves


def test_any_policy_can_be_a_player():
    assert moves("policy:seed=3") == moves("uniform:seed=3")
    assert moves("policy:policy=mogo,seed=3") == moves("mogo-policy:seed=3")
    assert moves("policy:policy=mogo,seed=3") != moves("policy:policy=mogo,seed=4")


def test_learnt_weights_are_a_setting(tmp_path):
    shapes = Shapes(side=5, sizes=PAPER)
    theta = np.zeros(features_of(shapes).unique, np.float32)
    Weights(shapes, theta).save(tmp_path / "even.npz")
    theta[:] = np.linspace(-4, 4, theta.size)
    Weights(shapes, theta).save(tmp_path / "wild.npz")
    even, wild = (
        f"policy:policy=softmax,seed=1,policy.weights={tmp_path / name}.npz" for name in ("even", "wild")
    )
    assert moves(even) == moves(even)
    assert moves(even) != moves(wild)
    with pytest.raises(InputError, match="no setting"):
        make_player("policy:policy=uniform,policy.weights=x")
