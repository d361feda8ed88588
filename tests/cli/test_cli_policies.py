"""The commands that train policies."""

import json

import numpy as np
import pytest

from playout.cli import main
from playout.games.go.learn.policy_training import PolicyPlan, PolicyRun
from playout.games.go.learn.position_maker import make
from playout.games.go.learn.positions import Recipe
from playout.games.go.memory.shapes import Shapes
from playout.games.go.memory.store import load
from playout.player.registry import make_player


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Eight positions of 3×3, solved."""
    path = tmp_path_factory.mktemp("data") / "p3.npz"
    make(Recipe(size=3, komi=0.5, sims=0, exact_nodes=20_000, test=0.25), 8).save(path)
    return path


def test_balance_with_exact_values(data, tmp_path, capsys):
    run = tmp_path / "run"
    words = ["train", "balance", "--size", "3", "--data", str(data), "--values", "exact", "--m", "10"]
    words += ["--n", "10", "--output", str(run), "--updates"]
    assert main([*words, "4", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["how"]["updates"] == 4
    assert facts["how"]["command"] == (
        "playout train balance --size 3 --updates 4 --m 10 --n 10 --data p3.npz --values exact --seed 1"
    )
    assert main([*words, "6"]) == 0
    assert "6 updates" in capsys.readouterr().out
    assert main([*words, "5"]) == 2
    assert "has 6 updates already" in capsys.readouterr().err
    assert np.any(load(run / "weights.npz").theta != 0)


def test_the_curves_of_every_learner(data, tmp_path, capsys):
    assert (
        main(
            [
                "data",
                "positions",
                *["--size", "3", "--count", "8", "--sims", "20", "--leaf-sims", "5", "--output"],
                str(tmp_path / "p.npz"),
            ]
        )
        == 0
    )
    given = ["--data", str(tmp_path / "p.npz")]
    for learner, words in {
        "regression": given,
        "mm": given,
        "reinforce": [],
        "balance": [*given, "--m", "5", "--n", "5"],
        "two-step": given,
    }.items():
        run = tmp_path / learner
        assert main(["train", learner, "--size", "3", *words, "--updates", "12", "--output", str(run)]) == 0
        capsys.readouterr()
        assert main(["show", "curves", str(run)]) == 0
        assert capsys.readouterr().out == f"{run / 'curves.png'}\n"
        assert (run / "curves.png").read_bytes().startswith(b"\x89PNG")
        assert main(["show", "curves", str(run), "--json"]) == 0
        columns = json.loads(capsys.readouterr().out)
        assert columns["updates"] == ([0, 10, 12] if learner == "mm" else [0, 12])
        assert columns["largest_weight"][-1] == pytest.approx(abs(load(run / "weights.npz").theta).max())


def test_a_run_without_updates_has_no_curves(tmp_path, capsys):
    run = PolicyRun(tmp_path / "run", PolicyPlan(learner="reinforce", shapes=Shapes(side=3, sizes=(1, 2))))
    run.save()
    assert main(["show", "curves", str(tmp_path / "run")]) == 2
    assert "has no updates yet: there is nothing to draw" in capsys.readouterr().err


def test_reinforce_and_play_by_it(tmp_path, capsys):
    run = tmp_path / "run"
    words = ["train", "reinforce", "--size", "3", "--komi", "0.5", "--output", str(run), "--updates", "200"]
    assert main([*words, "--baseline", "mean", "--alpha", "0.5"]) == 0
    how = load(run / "weights.npz").how
    assert how["command"] == (
        "playout train reinforce --size 3 --updates 200 --alpha 0.5 --baseline mean --komi 0.5 --seed 1"
    )
    assert make_player(f"flat:policy=softmax,policy.weights={run / 'weights.npz'},sims=2")
    again = ["train", "reinforce", "--size", "3", "--output", str(tmp_path / "b"), "--updates", "10"]
    assert main([*again, "--from", str(run / "weights.npz")]) == 0
    assert "--from weights.npz" in load(tmp_path / "b" / "weights.npz").how["command"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["balance", "--data", "DATA", "--m", "0"], "M: 0 is not a number from 1 to 1,000,000"),
        (["balance", "--data", "DATA", "--n", "-1"], "N: -1 is not a number from 1 to 1,000,000"),
        (
            ["balance", "--data", "DATA", "--alpha", "0"],
            "alpha: 0 is not a step size above 0",
        ),
        (
            ["balance", "--data", "DATA", "--values", "deep"],
            "values: 'deep' is not one of",
        ),
        (["balance", "--data", "DATA"], "the data set has no searched values"),
        (["balance", "--data", "DATA", "--size", "5"], "3×3 boards; 5×5 ones are wanted"),
        (["balance", "--data", "nothing.npz"], "there is no data set nothing.npz"),
        (["two-step", "--data", "DATA", "--values", "exact"], "two-step needs values two moves later"),
        (["two-step", "--data", "DATA", "--alpha", "-2"], "alpha: -2"),
        (["reinforce", "--alpha", "nan"], "alpha: nan"),
        (["reinforce", "--baseline", "critic"], "baseline: 'critic' is not one of them"),
        (["reinforce", "--updates", "0"], "updates: 0 is not a number from 1"),
        (["reinforce", "--from", "nothing.npz"], "there is no weight file nothing.npz"),
        (["mm", "--data", "DATA", "--ties", "-1"], "ties: -1 is not a number from 0"),
        (["reinforce", "--sharing", "none"], "a softmax policy needs weights"),
    ],
)
def test_wrong_words_write_nothing(words, message, data, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    size = [] if "--size" in words else ["--size", "3"]
    named = [str(data) if word == "DATA" else word for word in words]
    assert main(["train", *named, *size, "--output", "run"]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert [line for line in said.err.splitlines() if not line.startswith("compiling")] == [
        said.err.splitlines()[-1]
    ]
    assert list(tmp_path.iterdir()) == []


def test_moves_of_games_are_learnt_and_adjusted_to(tmp_path, capsys):
    games = tmp_path / "games.sgf"
    games.write_text("(;SZ[4]KM[0]RE[B+R];B[bb];W[cc];B[cb];W[bc];B[db])" * 2)
    run = tmp_path / "mm"
    given = ["--games", str(games), "--size", "4", "--features", "moves", "--skip", "2"]
    assert main(["train", "mm", *given, "--updates", "3", "--output", str(run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["how"]["command"] == (
        "playout train mm --size 4 --updates 3 --features moves "
        "--games games.sgf --whose winner --each 20 --skip 2 --seed 1"
    )
    words = ["train", "adjust", *given, "--loops", "2", "--m", "2", "--n", "2", "--from"]
    adjusted = tmp_path / "adjusted"
    assert main([*words, str(run / "weights.npz"), "--output", str(adjusted), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["how"]["updates"] == 8
    assert facts["how"]["first"] is not None
    assert make_player(f"flat:policy={adjusted / 'weights.npz'},sims=1") is not None


@pytest.mark.parametrize(
    "given", [[], ["--data", "p.npz", "--games", "g.sgf"], ["--data", "p.npz", "--problems", "problems-5"]]
)
def test_moves_come_from_one_source(given, tmp_path, capsys):
    assert main(["train", "regression", *given, "--output", str(tmp_path / "run")]) == 2
    assert "(of `playout data positions`), --games SGF or --problems SGF" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
