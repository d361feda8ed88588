"""Learning where a search will look: the objective, its gradient, and what is found on made-up data."""

import json

import numpy as np
import pytest

from playout.games.go.learn.moves import Position, cross_entropy, fit, main
from playout.games.go.prior.features import NAMES


def made_up(weights, positions, seed, noise=0.0):
    """Positions whose shares are the softmax of the weights."""
    dice = np.random.default_rng(seed)
    found = []
    for _ in range(positions):
        features = (dice.random((int(dice.integers(2, 30)), weights.size)) < 0.3).astype(np.float32)
        z = features @ weights + noise * dice.standard_normal(len(features))
        found.append(Position(features, np.exp(z) / np.exp(z).sum()))
    return found


def test_the_gradient_is_that_of_finite_differences():
    dice = np.random.default_rng(3)
    positions = made_up(dice.standard_normal(6), 20, 4)
    weights = dice.standard_normal(6)
    _, gradient = cross_entropy(weights, positions)
    for k in range(6):
        step = np.zeros(6)
        step[k] = 1e-5
        slope = (
            cross_entropy(weights + step, positions)[0] - cross_entropy(weights - step, positions)[0]
        ) / 2e-5
        assert gradient[k] == pytest.approx(slope, abs=1e-6)


def test_finds_the_weights_that_made_the_shares():
    weights = np.array([2.0, -1.0, 0.5, 0.0, -3.0])
    assert fit(made_up(weights, 300, 1)) == pytest.approx(weights, abs=0.05)


def test_noise_does_not_mislead_it_much():
    weights = np.array([2.0, -1.0, 0.5, 0.0])
    assert fit(made_up(weights, 600, 2, noise=0.5)) == pytest.approx(weights, abs=0.3)


def test_equal_moves_have_the_entropy_of_their_number():
    positions = [Position(np.zeros((8, 3), np.float32), np.full(8, 1 / 8))]
    assert cross_entropy(np.zeros(3), positions)[0] == pytest.approx(np.log(8))


def test_the_command_plays_learns_and_writes(tmp_path, capsys):
    file = tmp_path / "weights.json"
    main(["--games", "3", "--sims", "30", "--size", "5", "--output", str(file)])
    found = json.loads(file.read_text("utf-8"))
    assert set(found["weights"]) == set(NAMES)
    assert found["how"]["games"] == 3
    assert "--games 3 --sims 30 --prior tactical --size 5 --seed 1" in found["how"]["command"]
    again = tmp_path / "again.json"
    main(["--games", "3", "--sims", "30", "--size", "5", "--output", str(again)])
    assert again.read_text("utf-8") == file.read_text("utf-8")
