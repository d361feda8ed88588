"""Suites with graded plays: what a player loses, what is left out, and what is refused."""

import json
import random
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from checkers import needs_gnubg, side, state_of
from typer.testing import CliRunner

from playout.arena.exam import Exam
from playout.arena.suite import Score, answers, game_of, load
from playout.cli.app import app
from playout.errors import InputError
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.engines.gnubg import GnuBackgammon
from playout.games.backgammon.ids import position_id
from playout.games.backgammon.suite_check import rolled_out
from playout.games.backgammon.suite_maker import Recipe, grades, produce
from playout.player.api import Player
from playout.player.clock import Clock

OPENING = "4HPwATDgc/ABMA"


class First(Player):
    """Plays the first legal play, or the last."""

    def __init__(self, place=0):
        self.name, self.clock, self.settings, self._place = "first", Clock(), None, place

    def choose_action(self, position):
        return position.legal_moves()[self._place]


def graded(word=OPENING, dice=(3, 1), seed=1):
    """A line in which each play has a number of its own."""
    luck = random.Random(seed)
    position = BackgammonPosition.from_id(word, dice)
    plays = {}
    for action in position.legal_moves():
        after = position.copy().play(action)
        plays[position_id(after.record)] = round(luck.uniform(-1, 1), 3)
    return {"position": word, "dice": list(dice), "plays": plays}


@pytest.fixture
def write(tmp_path):
    def write(*lines):
        path = tmp_path / "suite.jsonl"
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
        return path

    return write


LINES = [graded(), graded(dice=(1, 3), seed=2), graded("+50DBABttwFgBA", (5, 4), 3)]


def test_the_loss_is_the_mean_of_what_the_best_play_is_worth_more(write):
    path = write(*LINES)
    score = Score(tuple(answers(First(), load(path))))
    losses = []
    for line in LINES:
        position = BackgammonPosition.from_id(line["position"], line["dice"])
        chosen = position_id(position.play(position.legal_moves()[0]).record)
        losses.append(max(line["plays"].values()) - line["plays"][chosen])
    assert [answer.loss for answer in score.answers] == pytest.approx(losses)
    facts = score.facts()
    assert facts["loss"] == pytest.approx(statistics.mean(losses))
    assert facts["positions"] == 3
    assert facts["unlisted"] == 0
    low, high = facts["interval"]
    assert low < facts["loss"] < high


def test_the_file_says_which_game_it_is(write, tmp_path):
    assert game_of(write(*LINES)).name == "backgammon"
    assert game_of(write("# a comment", "", LINES[0])).name == "backgammon"
    assert game_of(write({"size": 9, "right": ["E5"]})).name == "go"
    assert game_of(write("nonsense")).name == "go"
    assert game_of(tmp_path / "nothing").name == "go"


def test_the_command_needs_no_game(write):
    result = CliRunner().invoke(app, ["suite", str(write(*LINES)), "random", "--seed", "1", "--json"])
    facts = json.loads(result.stdout)["random"]
    assert set(facts) == {"loss", "interval", "positions", "unlisted"}
    assert facts["positions"] == 3


def test_a_play_that_is_not_listed_is_left_out_and_counted(write):
    line = graded()
    position = BackgammonPosition.from_id(OPENING, (3, 1))
    del line["plays"][position_id(position.play(position.legal_moves()[0]).record)]
    score = Score(tuple(answers(First(), load(write(line, LINES[1])))))
    assert (score.unlisted, score.losses.size, score.graded) == (1, 1, 2)
    assert score.facts()["interval"] is None  # one position says nothing of it


def test_ids_in_other_dress(write):
    line = graded()
    dressed = {}
    for k, (word, worth) in enumerate(line["plays"].items()):
        dressed[[word, f" {word} ", f"{word}==", f"{word}:cAkAAAAAAAAE"][k % 4]] = worth
    (plain,), (other,) = (load(write({**line, "plays": plays})) for plays in (line["plays"], dressed))
    assert plain.plays == other.plays


def test_a_position_that_no_play_leads_to_is_told_and_left_out(write):
    line = graded()
    line["plays"][OPENING] = 9.0
    told = []
    (position,) = load(write(line), say=told.append)
    assert max(position.plays.values()) < 1
    assert told == [f"line 1: no legal play leads to '{OPENING}', so it is left out"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"position": "4HPwATDgc/ABM"}, "line 2: position ID .* has 13 letters, and not 14"),
        ({"dice": [7, 1]}, "line 2: a die shows 1 to 6, and not '?7"),
        ({"dice": [3]}, "line 2: .* is not two dice"),
        ({"dice": "31"}, "line 2: a die shows 1 to 6"),
        ({"plays": {}}, "line 2: plays is not an object with a number for each play"),
        ({"plays": [1]}, "line 2: plays is not an object"),
        ({"plays": {"xyz": 1.0}}, "line 2: position ID 'xyz' has 3 letters"),
        ({"plays": {"sGfwATDgc/ABMA": "good"}}, "line 2: sGfwATDgc/ABMA 'good' is not a number"),
        ({"plays": {OPENING: 0.1}}, "line 2: no legal play leads to any of its plays"),
        ({"player": 1}, "line 2: there is no key 'player'; did you mean plays?"),
    ],
)
def test_nonsense_is_refused_with_its_line(write, change, words):
    with pytest.raises(InputError, match=words):
        load(write(graded(), {**graded(), **change}))
    with pytest.raises(InputError, match="line 2"):
        load(write(graded(), "{"))


def test_missing_dice(write):
    line = graded()
    del line["dice"]
    with pytest.raises(InputError, match="line 1: no player is to move there"):
        load(write(line))


def test_plays_of_other_games_have_names(write):
    (position,) = load(write({"moves": ["b2"], "plays": {"a1": 0.5, "a2": 0}}), "tic-tac-toe")
    assert sorted(position.plays.values()) == [0, 0.5]


def test_answers_are_kept(write, tmp_path):
    path, kept = write(*LINES), tmp_path / "answers.json"
    one = [answer.move for answer in Exam(load(path), 5, kept, "backgammon").answers("random")]
    again = Exam(load(path), None, kept, "backgammon")
    assert again.known("random") == 3
    assert [answer.move for answer in again.answers("random")] == one
    with pytest.raises(InputError, match="another suite"):
        Exam(load(write(graded(seed=9), *LINES[1:])), None, kept, "backgammon")


# -- making one -----------------------------------------------------------------------------------------

RACE = position_id(state_of((side(p6=2, p3=1, p2=1), side(p5=2, p1=2))))
RECIPE = Recipe(players=("random", "lin1"), seed=3, plies=0)


@needs_gnubg
def test_a_suite_that_was_broken_off_ends_as_one_that_was_not(tmp_path):
    whole = produce(tmp_path / "whole.jsonl", RECIPE, 12)
    produce(tmp_path / "part.jsonl", RECIPE, 5)
    again = produce(tmp_path / "part.jsonl", RECIPE, 12)
    assert again == whole
    for ending in ("", ".json"):
        files = [Path(f"{tmp_path / name}.jsonl{ending}").read_bytes() for name in ("whole", "part")]
        assert files[0] == files[1]
    assert len({(line["position"], *line["dice"]) for line in whole}) == 12
    found = load(tmp_path / "whole.jsonl")
    for position in found:
        assert set(position.plays) == set(position.board.legal_moves())
        assert len(position.plays) > 1
    facts = json.loads((tmp_path / "whole.jsonl.json").read_text())
    assert facts["positions"] == 12
    assert facts["recipe"]["players"] == ["random", "lin1"]
    assert set(facts["policies"]) == {"random", "lin1"}
    with pytest.raises(InputError, match="begun with another recipe"):
        produce(tmp_path / "whole.jsonl", Recipe(players=("random",), seed=3, plies=0), 12)


def test_a_digest_is_that_of_the_weights_and_not_of_where_they_lie():
    code = (
        "from playout.games.backgammon.suite_maker import *; print(digests(Recipe(players=('td10', 'lin3'))))"
    )
    said = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for _ in range(2)
    ]
    assert said[0] == said[1]
    assert "td10" in said[0]


@needs_gnubg
def test_grades_are_checked_by_rollouts():
    with GnuBackgammon() as judge:
        position = BackgammonPosition.from_id(RACE, (2, 1))
        line = {"position": RACE, "dice": [2, 1], "plays": grades(judge, position, 2, True)}
    wrong = {**line, "plays": {word: worth - 0.5 for word, worth in line["plays"].items()}}
    spec = "rollout:base=td10,trials=360,seed=1"
    found, off = (rolled_out([each] * 2, 2, spec) for each in (line, wrong))
    assert (found["positions"], found["plays"]) == (2, 4)
    assert found["root_mean_square"] < 0.1
    assert off["mean_difference"] == pytest.approx(found["mean_difference"] + 0.5, abs=1e-3)


@needs_gnubg
def test_grades_are_the_opponents_equity_turned_round():
    with GnuBackgammon() as judge:
        for word, dice in ((OPENING, (6, 5)), (RACE, (2, 1)), (RACE, (6, 6))):
            position = BackgammonPosition.from_id(word, dice)
            found = grades(judge, position, 0, True)
            assert list(found.values()) == sorted(found.values(), reverse=True)
            for action in position.legal_moves():
                after = position.copy().play(action)
                worth = found[position_id(after.record)]
                if after.is_over:
                    assert worth == after.outcome
                else:
                    assert worth == pytest.approx(-judge.evaluate(after.record, 0).equity, abs=1e-6)


def test_nobody_to_play(tmp_path):
    with pytest.raises(InputError, match="there is no player 'nobody'"):
        produce(tmp_path / "suite.jsonl", Recipe(players=("nobody",)), 2)
    assert not list(tmp_path.iterdir())
