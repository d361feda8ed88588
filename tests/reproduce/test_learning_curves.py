"""The thesis's experiments: which runs, made, resumed and rated."""

import json
from pathlib import Path

import pytest

from playout.cli import main
from playout.errors import InputError
from playout.games.go.learn import training
from playout.games.go.memory.shapes import Shapes
from playout.reproduce import learning_curves
from playout.reproduce.learning_curves import (
    DEFAULT,
    FIGURES,
    RUNS,
    TITLES,
    LearningCurves,
    chosen,
    entrants,
    make_runs,
    rate_runs,
)


def test_every_figure_compares_runs_that_there_are():
    assert set(TITLES) == set(FIGURES)
    for curves in FIGURES.values():
        assert set(curves.values()) <= set(RUNS)
        assert DEFAULT in curves.values()
    assert {name for curves in FIGURES.values() for name in curves.values()} == set(RUNS)
    plans = [json.dumps(plan.facts()) for plan in RUNS.values()]
    assert len(set(plans)) == len(plans)


def test_wrong_figures_are_refused():
    assert chosen(None) == list(RUNS)
    with pytest.raises(InputError, match="did you mean sizes"):
        chosen("size")


@pytest.fixture
def small(monkeypatch):
    """The runs on a tiny board."""
    tiny = Shapes(side=4, sizes=(1, 2))
    runs = {
        name: training.Plan(shapes=tiny, learner=plan.learner)
        for name, plan in RUNS.items()
        if name in (DEFAULT, "one-ply")
    }
    monkeypatch.setattr(learning_curves, "RUNS", runs)
    return runs


def test_runs_are_made_once_and_rated(tmp_path, small):
    words = dict(make_runs(tmp_path, list(small), LearningCurves(games=200, default_games=500)))
    assert list(words) == list(small)
    assert words[DEFAULT].startswith("500 games")
    before = (tmp_path / DEFAULT / "checkpoint.npz").read_bytes()
    assert (
        dict(make_runs(tmp_path, list(small), LearningCurves(games=200, default_games=500))).keys()
        == words.keys()
    )
    assert (tmp_path / DEFAULT / "checkpoint.npz").read_bytes() == before
    assert [(e.run, e.games) for e in entrants(tmp_path, list(small), (100, 500))] == [
        (DEFAULT, 100),
        (DEFAULT, 500),
        ("one-ply", 100),
    ]
    rows = rate_runs(tmp_path, pairs=3, at=(100, 200, 500))
    assert {(row["run"], row["games"]) for row in rows} == {
        (DEFAULT, 100), (DEFAULT, 200), (DEFAULT, 500), ("one-ply", 100), ("one-ply", 200)
    }  # fmt: skip
    assert next(row["elo"] for row in rows if (row["run"], row["games"]) == (DEFAULT, 500)) == 0
    assert json.loads((tmp_path / "ratings.json").read_text())["scale"]["player"] == "default@500"
    assert main(["rate", str(tmp_path / "duels.csv")]) == 0
    assert (tmp_path / "plies.png").read_bytes().startswith(b"\x89PNG")


def test_runs_are_rated_together_with_events(tmp_path, small):
    assert dict(make_runs(tmp_path, list(small), LearningCurves(games=100, default_games=200)))
    event = tmp_path / "event.toml"
    shipped = next(e.spec for e in entrants(tmp_path, [DEFAULT], (100,)))
    event.write_text(
        f"""
        size = 4
        rounds = 4
        seed = 1
        opening = 1
        [players]
        "default@100" = {json.dumps(shipped)}
        chance = "uniform"
        [anchors]
        chance = 300
        """
    )
    assert main(["tournament", str(event)]) == 0
    folder = [
        "reproduce",
        "learning-curves",
        "--output",
        str(tmp_path),
        "--event",
        str(tmp_path / "event.db"),
    ]
    assert main([*folder, "--rate", "--pairs", "2"]) == 0
    facts = json.loads((tmp_path / "ratings.json").read_text())
    assert facts["others"]["chance"]["elo"] == pytest.approx(300, abs=0.2)
    low, high = facts["scale"]["interval"]
    assert low < facts["scale"]["elo"] < high
    assert next(row for row in facts["ratings"] if row["games"] == 100)["elo"] == facts["scale"]["elo"]
    assert {(row["run"], row["games"]) for row in facts["ratings"]} >= {(DEFAULT, 100), ("one-ply", 100)}
    assert main(folder) == 2
    event.with_suffix(".csv").write_text("black,white,score\nAnn,Bob,1\n")
    with pytest.raises(InputError, match="the events have no player of these runs"):
        rate_runs(tmp_path, pairs=1, events=[event.with_suffix(".csv")])


def test_a_run_that_diverges_is_told_of_and_left(tmp_path, small, monkeypatch):
    monkeypatch.setattr(training, "DIVERGED", 1e-6)
    words = dict(make_runs(tmp_path, [DEFAULT], LearningCurves(default_games=100)))
    assert "diverged after" in words[DEFAULT]
    assert dict(make_runs(tmp_path, [DEFAULT], LearningCurves(default_games=100))) == words


def test_nothing_to_rate(tmp_path):
    with pytest.raises(InputError, match="has no runs to rate"):
        rate_runs(tmp_path, pairs=1)


def test_the_command(tmp_path, capsys):
    assert main(["reproduce", "learning-curves", "--output", str(tmp_path), "--figure", "nothing"]) == 2
    assert "there is no figure 'nothing'" in capsys.readouterr().err
    assert main(["reproduce", "learning-curves", "--output", str(tmp_path), "--list"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert list(Path(tmp_path).iterdir()) == []
