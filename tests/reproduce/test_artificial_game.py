"""Figure 1: strong and out of balance against weak and in balance."""

import json

import numpy as np
import pytest

from playout.cli import main
from playout.errors import InputError
from playout.reproduce.artificial_game import STRONG, WEAK, simulate


def test_the_weak_balanced_players_have_the_better_value():
    strong, weak = simulate(simulations=5000, seed=1)
    assert (strong.policy, weak.policy) == (STRONG, WEAK)
    # J = (1/λ₁² + 1/λ₂²), half of twice each; B∞ = (50 (1/λ₂ − 1/λ₁))²
    assert strong.measures.strength == pytest.approx(1 / 100 + 1 / 25, rel=0.1)
    assert weak.measures.strength == pytest.approx(1 / 2, rel=0.1)
    assert strong.measures.two_step == pytest.approx(0.01, rel=0.3)
    assert strong.measures.full == pytest.approx(25, rel=0.05)
    assert weak.measures.full == pytest.approx(0, abs=0.1)
    assert abs(weak.monte_carlo_value) < 0.5 < abs(strong.monte_carlo_value)


def test_thirty_simulations_of_a_hundred_steps_repeat():
    first, again = simulate(seed=7)[0], simulate(seed=7)[0]
    assert first.values.shape == (30, 101)
    assert np.array_equal(first.values, again.values)
    assert (first.values[:, 0] == 0).all()
    steps = np.diff(first.values, axis=1)
    assert (steps[:, ::2] <= 0).all()
    assert (steps[:, 1::2] >= 0).all()


def test_the_command_draws_the_figure(tmp_path, capsys):
    picture = tmp_path / "figure.png"
    assert main(["reproduce", "artificial-game", "--output", str(picture), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert [row["expected_value"] for row in facts["experiments"]] == [pytest.approx(5.0), 0.0]
    assert main(["reproduce", "artificial-game", "--output", str(picture)]) == 0
    assert "B∞" in capsys.readouterr().out


def test_too_much_and_too_little():
    with pytest.raises(InputError, match="two simulations"):
        simulate(simulations=1)
    with pytest.raises(InputError, match="more than"):
        simulate(simulations=10_000_000)
