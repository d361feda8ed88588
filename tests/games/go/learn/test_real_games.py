"""Learning on from games that were really played."""

import json

import numpy as np
import pytest
from naive import td as naive
from naive_names import naive_phi

from playout.cli import main
from playout.errors import InputError
from playout.games.go.learn.real_games import learn_from_games, positions, read_games
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.store import Weights, load
from playout.games.go.sgf import read
from playout.memory.td import Learner

GAME = "(;SZ[3]KM[0.5]RE[%s];B[bb];W[ab];B[ba];W[bc];B[ca];W[aa];B[cb];W[cc])"
SHAPES = Shapes(side=3, sizes=(1, 2))


def random_weights():
    features = features_of(SHAPES)
    theta = 0.3 * np.random.default_rng(1).normal(size=features.unique)
    return Weights(SHAPES, theta.astype(np.float32), {"learner": {}})


@pytest.mark.parametrize(("result", "z"), [("B+R", 1.0), ("W+3.5", 0.0), ("0", 0.5)])
@pytest.mark.parametrize(
    "learner",
    [
        Learner(alpha=0.5),
        Learner(alpha=0.5, plies=1),
        Learner(alpha=0.3, lam=0.7),
        Learner(rule="monte-carlo", alpha=0.3),
    ],
)
def test_weights_are_those_of_the_equations(learner, result, z):
    game, before = read((GAME % result).encode()), random_weights()
    phi_of = naive_phi(before.features, SHAPES.sharing)
    found, experience = learn_from_games(before, [game], learner)
    wanted = naive.learn(
        before.theta,
        [phi_of(state) for state in positions(game)],
        z,
        rule=learner.rule,
        alpha=learner.alpha,
        lam=learner.lam,
        plies=learner.plies,
    )
    assert found.theta == pytest.approx(wanted, abs=1e-5)
    assert not np.array_equal(found.theta, before.theta)
    assert int(experience["updates"]) == 8
    assert found.how["real_games"] == 1


def test_games_without_a_winner_or_of_another_size_teach_nothing():
    games = [read((GAME % "?").encode()), read(b"(;SZ[5]RE[B+R];B[bb];W[cc])")]
    with pytest.raises(InputError, match="there is no 3×3 game with a winner"):
        learn_from_games(random_weights(), games)
    _, experience = learn_from_games(random_weights(), [*games, read((GAME % "W+R").encode())])
    assert int(experience["games"]) == 1


def test_steps_beyond_all_bounds_are_refused():
    games = [read((GAME % result).encode()) for result in ("B+R", "W+R") * 30]
    with pytest.raises(InputError, match="alpha: with steps of 1e\\+38"):
        learn_from_games(random_weights(), games, Learner(alpha=1e38, rule="linear"))


def test_the_command_learns_on_and_its_file_is_long_term_memory(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    random_weights().save("old.npz")
    (tmp_path / "games.sgf").write_text(GAME % "B+R" + GAME % "W+R")
    assert [game.result for game in read_games([tmp_path / "games.sgf"])] == ["B+R", "W+R"]
    words = ["train", "games", "games.sgf", "--weights", "old.npz", "--output", "new.npz", "--alpha", "0.2"]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2
    assert load("new.npz", "values").how["real_games"] == 2
    match = ["match", "dyna2:sims=5,long_term=new.npz", "uniform", "--games", "2", "--size", "3", "--json"]
    assert main(match) == 0
    capsys.readouterr()
    (tmp_path / "diary.npz").write_text("not ours")
    assert main([*words[:-3], "diary.npz"]) == 2
    assert "diary.npz" in capsys.readouterr().err
    assert (tmp_path / "diary.npz").read_text() == "not ours"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.sgf", "--output", "x.npz"], "none.sgf"),
        (["bad.sgf", "--output", "x.npz"], "bad.sgf"),
        (["good.sgf", "--output", "x.npz"], "no 9×9 game with a winner"),
        (["good.sgf", "--output", "x.npz", "--alpha", "0"], "alpha: 0 is not a step size"),
        (["good.sgf", "--output", "x.npz", "--weights", "none.npz"], "none.npz"),
    ],
)
def test_wrong_words_write_nothing(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.sgf").write_text(GAME % "B+R")
    (tmp_path / "bad.sgf").write_text("not a game")
    assert main(["train", "games", *words]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not (tmp_path / "x.npz").exists()
