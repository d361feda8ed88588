"""The tuner's learning curves on a known fitness: gone on with, and drawn; and options that are settings."""

import json

import pytest

from playout.cli import main
from playout.errors import InputError
from playout.reproduce.tuner import MANGO, TunerFigures, kinds, landscape, level, reached, run

TINY = TunerFigures(samples=20, generations=2, repeats=1, largest=50, peer_games=1000)
WORDS = ["--samples", "20", "--generations", "2", "--repeats", "1", "--largest", "50", "--peer-games", "1000"]


def test_the_landscape_is_the_papers():
    hill = landscape(1)
    assert list(hill.space.values(hill.space.default).values()) == [row[2] for row in MANGO.values()]
    low, high, wanted = level(TunerFigures())
    assert 0.3 < low < 0.36
    assert 0.65 < high < 0.66
    assert low < wanted < high


def test_when_a_curve_is_there():
    curve = {"games": [100.0, 200.0, 300.0], "samples": [0.3, 0.5, 0.7], "returned": []}
    assert reached(curve, 0.6) == pytest.approx(250)
    assert reached(curve, 0.2) == 100
    assert reached(curve, 0.8) is None


def test_tunings_that_are_there_are_not_made_again(tmp_path, capsys, monkeypatch):
    pytest.importorskip("optuna")
    folder = tmp_path / "figures"
    assert main(["reproduce", "tuner", "--output", str(folder), *WORDS, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["kinds"]) == {kind.name for kind in kinds(TINY)}
    assert {path.name for path in folder.iterdir()} >= {"tuner.json", "figure-3.png", "figure-4.png"}
    monkeypatch.setattr("playout.reproduce.tuner._curve", None)
    assert run(folder, TINY) == told
    with pytest.raises(InputError, match="other settings: seed was 1 and is 2"):
        run(folder, TunerFigures(**{**vars(TINY), "seed": 2}))


def test_options_are_the_settings(capsys):
    assert main(["reproduce", "tuner", "--help"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "--peer-games" in words
    assert "a whole number from 10 to 10,000" in words
    assert "[default: 20000]" in words
    assert main(["reproduce", "tuner", "--output", "x", "--samples", "5"]) == 2
    assert "samples='5' is not a whole number from 10 to 10,000" in capsys.readouterr().err
    assert main(["reproduce", "tuner", "--output", "x", "--sample", "5"]) == 2
    assert main(["reproduce", "tuner", "--output", "x", "--samples", "many"]) == 2
    assert "valid integer" in capsys.readouterr().err
