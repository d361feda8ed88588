"""Races on the games of full batches: what they save, and one that knows the chances."""

import json

import numpy as np
import pytest

from playout.cli import main
from playout.reproduce.races import KINDS, Races, Told, is_other, measure, run
from playout.tune.racing import Race


def test_of_equals_either_is_the_same_elite():
    full = np.array([5, 7, 6, 6, 2])
    assert not is_other(np.array([1, 2]), full)
    assert not is_other(np.array([1, 3]), full)
    assert is_other(np.array([2, 3]), full)
    assert is_other(np.array([0, 1]), full)


def test_a_race_plays_the_games_that_were_played():
    games = np.array([[1, 1, 1, 1], [0, 1, 0, 0], [0, 0, 1, 1]], bool)
    race = run(Race(3, 1, 4), games)
    assert race.points.tolist() == [4, 1, 2]
    assert race.elite().tolist() == [0]


def test_who_knows_the_chances_predicts_binomial_ends():
    race = Told(np.array([0.2, 0.7]), 1, 4, 0.95)
    race.points, race.games = np.array([1.0, 0.0]), np.array([1, 2])
    found = race._final_scores()
    assert found[0, 2::2] == pytest.approx([0.512, 0.384, 0.096, 0.008], abs=1e-6)
    assert found[1, :6:2] == pytest.approx([0.09, 0.42, 0.49], abs=1e-6)
    assert found.sum(axis=1) == pytest.approx([1, 1])


def test_who_knows_the_chances_is_as_sure_as_is_asked_and_needs_fewer_games():
    found = measure(Races(batch=60, samples=40, generations=10, repeats=3))["kinds"]
    told, ours = found["all chances known, 0.95"], found["racing at 0.95"]
    assert told["other_interval"][0] <= 0.05
    assert ours["other_interval"][0] <= 0.05
    assert told["games"] < ours["games"] < 1
    assert found["racing at 0.5"]["games"] < ours["games"]
    low, high = ours["gain_interval"]
    assert low <= 0 <= high


def test_the_command_draws_and_says_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    words = ["--batch", "20", "--samples", "20", "--generations", "2", "--repeats", "2"]
    path = tmp_path / "races.png"
    assert main(["reproduce", "races", *words, "--output", str(path), "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["kinds"]) == set(KINDS)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert main(["reproduce", "races", *words]) == 0
    assert "all chances known" in capsys.readouterr().out
