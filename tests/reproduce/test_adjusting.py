"""Figure 1 of Araki et al.: a tiny one, stopped and gone on with; and the command that trains."""

import json

import numpy as np
import pytest

from playout.cli import main
from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.problem_set import shipped
from playout.player.registry import make_player
from playout.reproduce.adjusting import Examiner, Experiment, Figure, Learning, chosen

TINY = {"train": 4, "test": 2, "splits": 2, "loops": 1, "sims": 2, "sequences": 1}


def test_a_figure_goes_on_where_it_stopped(tmp_path, capsys):
    words = [f"--{key}={value}" for key, value in TINY.items()]
    command = ["reproduce", "adjusting", "--output", str(tmp_path / "f"), *words, "--json"]
    assert main([*command, "--learners", "adjust,mm,uniform"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert {"adjust", "mm", "uniform", "differences"} <= set(facts)
    assert (tmp_path / "f" / "adjusting.png").read_bytes().startswith(b"\x89PNG")
    player = make_player(f"flat:policy={tmp_path / 'f' / 'weights' / 'mm-2.npz'},sims=2,seed=1")
    assert player.choose(Board(4))
    how = json.loads((tmp_path / "f" / "weights" / "mm-2.json").read_text())["how"]
    said = " ".join(words).replace("=", " ")
    assert how["command"] == f"playout reproduce adjusting {said} --learners mm"
    assert (how["split"], len(how["learnt_from"])) == (2, 4)
    before = (tmp_path / "f" / "adjust-1.json").read_text()
    rows = json.loads(before)
    (tmp_path / "f" / "adjust-1.json").write_text(json.dumps(rows[:1], indent=0) + "\n")
    assert main([*command, "--learners", "adjust"]) == 0
    assert (tmp_path / "f" / "adjust-1.json").read_text() == before
    assert main([*command, "--learners", "adjust", "--loops", "2"]) == 2
    assert "is an experiment with loops=1 and not 2" in capsys.readouterr().err
    (tmp_path / "f" / "experiment.json").write_text("[1]")
    assert main([*command, "--learners", "adjust"]) == 2
    assert "experiment.json is not what we have written" in capsys.readouterr().err


def test_the_problems_of_a_split_are_apart(tmp_path):
    figure = Figure(tmp_path / "f", Experiment(train=200, test=100))
    train, test = figure.split(0)
    assert (len(train), len(test)) == (200, 100)
    assert not set(train.names) & set(test.names)
    assert set(figure.split(1)[1].names) != set(test.names)
    with pytest.raises(InputError, match="problems; 400 are needed"):
        Figure(tmp_path / "g", Experiment(train=300, test=100))
    assert not (tmp_path / "g").exists()
    with pytest.raises(InputError, match="did you mean uniform"):
        chosen("unifrom")


def test_examiners_tell_who_finds_the_moves():
    problems = shipped(4).part(range(10))
    experiment = Experiment(**{**TINY, "train": 10})
    learnt, nothing = (Learning(experiment, name, 0, problems) for name in ("regression", "uniform"))
    found = [Examiner(problems, 50, 1).test(learning.playing(), 4)[0] for learning in (nothing, learnt)]
    again = Examiner(problems, 50, 1).test(nothing.playing(), 4)[0]
    assert found[0] == again
    assert 0 < found[0] < 1
    assert np.abs(learnt.policy.theta).max() > 0.1


def test_training_and_a_player_that_plays_by_it(tmp_path, capsys):
    run = tmp_path / "run"
    words = ["train", "adjust", "--output", str(run), "--loops", "1", "--m", "2", "--n", "2", "--batch", "40"]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["how"]["updates"] == 8
    assert main([*words, "--json"]) == 0
    capsys.readouterr()
    assert main(["show", "curves", str(run)]) == 0
    player = make_player(f"flat:policy={run / 'weights.npz'},sims=5,seed=1")
    assert player.choose(Board(4))
    assert player.choose(Board(5))  # features of moves belong to no size
    assert main([*words[:2], "--output", str(tmp_path / "x"), "--problems", str(tmp_path / "none.sgf")]) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert main([*words[:2], "--output", str(tmp_path / "x"), "--size", "5"]) == 2
    assert "the problems are of 4×4 boards, not 5×5" in capsys.readouterr().err
    assert main([*words[:2], "--output", str(tmp_path / "x"), "--step-sizes", "rot"]) == 2
    assert "did you mean root" in capsys.readouterr().err
    assert main([*words[:2], "--output", str(tmp_path / "x"), "--objective", "margins"]) == 2
    assert "did you mean margin" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_a_suite_of_problems_by_its_word(capsys):
    assert main(["suite", "problems-5", "flat:sims=3,policy=uniform", "--seed", "1", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["flat:sims=3,policy=uniform"]
    assert facts["positions"] == 60
    assert 5 < facts["solved"] < 60


def test_the_shipped_policy_is_of_4x4():
    player = make_player("flat:policy=adjusted,sims=2,seed=1")
    assert player.choose(Board(4))
    with pytest.raises(InputError, match="no adjusted weights come with playout for 9×9 boards"):
        player.choose(Board(9))


def test_right_moves_of_problems_are_learnt_and_then_adjusted(tmp_path, capsys):
    learnt, adjusted = tmp_path / "mm", tmp_path / "adjusted"
    words = ["--problems", "problems-4", "--size", "4", "--output"]
    assert main(["train", "mm", *words, str(learnt), "--features", "moves", "--updates", "2"]) == 0
    more = ["--from", str(learnt / "weights.npz"), "--loops", "1", "--m", "1", "--n", "1", "--batch", "80"]
    assert main(["train", "adjust", *words, str(adjusted), *more, "--objective", "margin"]) == 0
    assert main(["train", "mm", *words, str(tmp_path / "x"), "--games", "none.sgf"]) == 2
    assert "moves to learn are needed" in capsys.readouterr().err
