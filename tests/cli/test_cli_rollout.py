"""The command `playout rollout`."""

import json
import os
import signal

import pytest

from playout.cli import main
from playout.search.rollout import Rollout

START = "4HPwATDgc/ABMA"
PLAYER = "rollout:base=lin1,trials=432,seed=1"


def told(capsys, *words):
    assert main(["rollout", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_has_the_plays_and_the_best(capsys):
    found = told(capsys, START, "--dice", "13", "--player", PLAYER)
    assert found["best"] == found["plays"][0]["play"]
    assert len(found["plays"]) == 16
    assert found["trials"] == sum(play["trials"] for play in found["plays"])
    for play in found["plays"]:
        assert play["interval"][0] < play["equity"] < play["interval"][1]
        assert list(play["chances"]) == [
            "win",
            "win gammon",
            "win backgammon",
            "lose gammon",
            "lose backgammon",
        ]
        # points are what wins, gammons and backgammons come to
        win, gammon, backgammon, lost_gammon, lost_backgammon = play["chances"].values()
        points = 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon
        assert play["equity"] == pytest.approx(points)
    pruned = [play for play in found["plays"] if play["pruned"]]
    assert pruned
    for play in pruned:
        assert play["pruned"]["trials"] == play["trials"]
        assert play["pruned"]["reason"] in ("worse", "equivalent")
        assert play["pruned"]["leader"] in {each["play"] for each in found["plays"]}


def test_the_same_position_by_other_words_gives_the_same(capsys):
    words = ("--player", PLAYER)
    plain = told(capsys, START, "--dice", "31", *words)["plays"]
    xgid = told(capsys, "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", *words)["plays"]
    moves = told(capsys, "--dice", "31", *words)["plays"]
    assert plain == xgid == moves


def test_a_table_shows_what_was_pruned_and_other_games_work(capsys):
    assert main(["rollout", START, "--dice", "31", "--player", PLAYER]) == 0
    out = capsys.readouterr().out
    assert sum(line.rstrip().endswith(" worse") for line in out.splitlines()) > 1
    assert "Lbg" in out
    assert "saved by pruning" in out
    assert (
        main(["rollout", "--game", "tic-tac-toe", "--moves", "a1, b2, b1", "--player", "rollout:trials=300"])
        == 0
    )
    assert "best: c1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([START, "--dice", "71"], "a die shows 1 to 6"),
        ([START, "--dice", "311"], "--dice '311' is not what dice show"),
        ([START, "--dice", "xx"], "--dice 'xx' is not what dice show"),
        ([START], "say what they show with --dice 31"),
        (["foo", "--dice", "31"], "position ID 'foo' has 3 letters"),
        ([START, "--dice", "31", "--moves", "31"], "leave --moves and --set out"),
        (["--moves", "99"], "--moves, number 1: '99' cannot happen now"),
        (["--moves", "31", "--dice", "31"], "no dice are to be rolled"),
        ([START, "--dice", "31", "--player", "uct"], "player uct makes no rollouts"),
        ([START, "--dice", "31", "--player", "rollout:steps=7"], "Random has no estimate"),
        ([START, "--dice", "31", "--player", "rollout:base=gnu"], "base='gnu' is not a name"),
        ([START, "--dice", "31", "--player", "rollout:confidence=2"], "confidence='2' is not a number from"),
        (["x", "--game", "tic-tac-toe"], "tic-tac-toe has no IDs of positions"),
        (["--game", "tic-tac-toe", "--moves", "a1,a2,b1,b2,c1"], "the game is over"),
    ],
)
def test_bad_input_is_one_sentence(capsys, words, sentence):
    assert main(["rollout", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert sentence in said.err


def test_an_interrupt_prints_what_there_is(capsys, monkeypatch):
    step, rounds = Rollout.step, []

    def interrupted(self, go_on=None):
        rounds.append(0)
        if len(rounds) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return step(self, go_on)

    monkeypatch.setattr(Rollout, "step", interrupted)
    words = [
        "rollout",
        START,
        "--dice",
        "31",
        "--player",
        "rollout:base=lin1,trials=none,seconds=600",
        "--json",
    ]
    assert main(words) == 130
    found = json.loads(capsys.readouterr().out)
    assert found["plays"][0]["trials"] >= 144
