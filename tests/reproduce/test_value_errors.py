"""Errors of the values that simulations give."""

from dataclasses import replace

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.go.learn.position_maker import make
from playout.games.go.learn.positions import Recipe
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.store import Weights
from playout.games.go.policy import Softmax, Uniform
from playout.games.go.policy.shape_policy import PAPER
from playout.games.go.state import STATE
from playout.kernel import spawn
from playout.learn.measures import imbalance, mean_squared_error
from playout.reproduce.value_errors import LANES, Judge
from playout.search.simulation import evaluate


@pytest.fixture(scope="module")
def data():
    """Twenty positions of 3×3, some decided, with made-up values of deep search."""
    made = make(Recipe(size=3, komi=0.5, sims=0, exact_nodes=2000), 20)
    return replace(made, searched=np.linspace(0, 1, 20, dtype=np.float32))


def test_values_are_means_of_simulations(data):
    judge = Judge(data, seed=3, simulations=10)
    rngs = spawn(3, LANES)
    expected = [
        evaluate(data.roots[k : k + 1], np.empty(1, STATE), Uniform().record(), 10, rngs[k % LANES])[0] / 10
        for k in range(20)
    ]
    assert judge.values_of(Uniform()).tolist() == expected
    assert Judge(data, seed=3, simulations=10, threads=2).values_of(Uniform()).tolist() == expected
    assert Judge(data, seed=4, simulations=10).values_of(Uniform()).tolist() != expected


def test_errors_against_searched_and_exact_values(data, monkeypatch):
    judge = Judge(data, simulations=4)
    outcomes = np.random.default_rng(1).integers(0, 2, (20, 4)).astype(float)
    monkeypatch.setattr(judge, "values_of", lambda policy: outcomes.mean(axis=1))
    found, solved = judge.errors_of(None), data.decided
    assert 0 < solved.sum() < 20
    assert found["mse"] == pytest.approx(mean_squared_error(data.searched, outcomes.mean(axis=1)))
    assert found["imbalance"] == pytest.approx(imbalance(data.searched, outcomes, unbiased=True))
    exact = data.winner[solved]
    assert found["exact_mse"] == pytest.approx(mean_squared_error(exact, outcomes[solved].mean(axis=1)))
    assert found["exact_imbalance"] == pytest.approx(imbalance(exact, outcomes[solved], unbiased=True))
    squares = (outcomes.mean(axis=1) - data.searched) ** 2
    assert found["standard_error"] == pytest.approx(squares.std() / np.sqrt(20))
    assert judge.facts()["test_decided"] == solved.sum()


def test_ratios_are_those_of_the_same_positions(data):
    judge = Judge(data, simulations=4)
    rng = np.random.default_rng(2)
    others = rng.random(20)
    halved = data.searched + (others - data.searched) / 2  # half of the distance: a quarter of the squares
    found = judge.ratios(halved, others)
    assert found["ratio"] == pytest.approx(0.25)
    assert found["ratio_standard_error"] == pytest.approx(0, abs=1e-6)
    mine = rng.random(20)
    found = judge.ratios(mine, others)
    for prefix, values in (("", data.searched), ("exact_", data.winner)):
        known = np.isfinite(values)
        squares = [(x[known] - values[known].astype(float)) ** 2 for x in (mine, others)]
        drawn = rng.integers(0, known.sum(), (20_000, known.sum()))  # the bootstrap
        ratios = squares[0][drawn].mean(axis=1) / squares[1][drawn].mean(axis=1)
        assert found[f"{prefix}ratio"] == pytest.approx(squares[0].mean() / squares[1].mean())
        assert found[f"{prefix}ratio_standard_error"] == pytest.approx(ratios.std(), rel=0.25)
    assert "ratio" not in judge.ratios(mine, data.searched.astype(float))


def test_weights_of_0_are_uniform_play_and_others_are_not(data):
    shapes = Shapes(side=3, sizes=PAPER)
    even = Weights(shapes, np.zeros(features_of(shapes).unique, np.float32))
    wild = Weights(shapes, np.linspace(-3, 3, even.theta.size, dtype=np.float32))
    judge = Judge(data, simulations=2000)
    uniform = judge.values_of(Uniform())
    assert np.abs(judge.values_of(even) - uniform).max() < 0.08
    assert np.abs(judge.values_of(wild) - uniform).max() > 0.15
    assert judge.word(even) != judge.word(wild)


def test_the_balanced_policy_of_the_package_is_nearer_to_exact_values():
    """On positions that it was not learnt from: less than 0.8 of the errors of uniform play."""
    made = make(Recipe(size=5, sims=0, exact_nodes=3000, seed=77), 150)
    judge = Judge(made.where(made.decided))
    balanced, uniform = (judge.errors_of(policy)["exact_mse"] for policy in (Softmax(), Uniform()))
    assert balanced < 0.8 * uniform


def test_unsolved_positions_have_no_exact_errors(data):
    judge = Judge(data.where(~data.decided), simulations=2)
    assert set(judge.errors_of(Uniform())) == {"mse", "standard_error", "imbalance"}
    assert judge.digest != Judge(data, simulations=2).digest


def test_wrong_input_is_refused(data):
    with pytest.raises(InputError, match="no positions for testing"):
        Judge(data.where(np.zeros(20, bool)))
    with pytest.raises(InputError, match="simulations: 1"):
        Judge(data, simulations=1)
