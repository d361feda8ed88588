"""The command data."""

import json

import pytest

from playout.cli import main
from playout.games.go.learn.positions import load


def test_positions(tmp_path, capsys):
    path = tmp_path / "set.npz"
    words = ["data", "positions", "--size", "3", "--count", "20", "--sims", "0", "--exact", "1000"]
    words += ["--komi", "0.5", "--output", str(path)]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "20 positions" in out
    assert "solved" in out
    assert len(load(path, size=3)) == 20
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["positions"] == 20
    assert facts["recipe"]["exact_nodes"] == 1000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--output"),
        (["--output", "FOLDER/x.txt"], "ends in .npz"),
        (["--output", "FOLDER/no/x.npz"], "there is no folder"),
        (["--output", "FOLDER/x.npz", "--size", "30"], "board size"),
        (["--output", "FOLDER/x.npz", "--size", "9", "--exact", "100"], "too large to be solved"),
        (["--output", "FOLDER/x.npz", "--sims", "0"], "takes values from"),
        (["--output", "FOLDER/x.npz", "--search", "uniform"], "searches no tree"),
        (["--output", "FOLDER/x.npz", "--search", "mgo"], "mgo"),
        (["--output", "FOLDER/x.npz", "--test", "2"], "test: 2"),
        (["--output", "FOLDER/x.npz", "--count", "0"], "--count"),
    ],
)
def test_wrong_input(words, message, tmp_path, capsys):
    assert main(["data", "positions", *(word.replace("FOLDER", str(tmp_path)) for word in words)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert len(captured.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_measure(tmp_path, capsys):
    path = tmp_path / "set.npz"
    words = ["data", "positions", "--size", "3", "--count", "20", "--sims", "20", "--exact", "1000"]
    words += ["--komi", "0.5", "--search", "uct:policy=uniform", "--output", str(path)]
    assert main([*words, "--leaf-sims", "5"]) == 0
    capsys.readouterr()
    measure = ["data", "measure", str(path), "--simulations", "10"]
    assert main(measure) == 0
    out = capsys.readouterr().out
    assert "uniform" in out
    assert "B₂" in out
    assert out.split().count("ratio") == 1
    assert [out.split().count(word) for word in ("search", "exact")] == [2, 2]
    assert main([*measure, "--policy", "mogo:captures=false", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["test_positions"] == load(path).is_test.sum()
    row = told["policies"]["mogo:captures=false"]
    assert 0 < row["imbalance"] < row["mse"] < 1
    assert 0 < row["strength"] < 1
    assert "ratio" not in row  # it is the first, and what others are compared with
    assert main([*measure, "--policy", "uniform", "--policy", "mogo", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["policies"].values()
    assert second["ratio"] == pytest.approx(second["mse"] / first["mse"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing.npz"], "nothing.npz"),
        (["nothing.npz", "--policy", "mogoo"], "did you mean mogo"),
        (["nothing.npz", "--policy", "mogo:capture=1"], "did you mean captures"),
        (["FILE", "--simulations", "1"], "simulations: 1"),
        (["FILE", "--policy", "softmax:weights=balanced"], "no balanced weights come with playout for 2×2"),
    ],
)
def test_wrong_measures(words, message, tmp_path, capsys):
    path = tmp_path / "set.npz"
    words = [str(path) if word == "FILE" else word for word in words]
    if words[0] == str(path):
        made = ["--size", "2", "--count", "2", "--sims", "0", "--exact", "100", "--output", str(path)]
        assert main(["data", "positions", *made]) == 0
        capsys.readouterr()
    assert main(["data", "measure", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1
