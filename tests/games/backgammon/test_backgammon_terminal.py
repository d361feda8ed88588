"""Backgammon in the terminal."""

import io
import re

import pytest
from rich.console import Console

from playout.arena.terms import Terms
from playout.cli import backgammon, saved
from playout.cli.backgammon import BackgammonSession
from playout.games.backgammon import files
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.game import GAME
from playout.kernel import new_rng
from playout.player.api import Player
from playout.player.clock import Clock


class Answers(Player):
    """Gives prepared answers about the cube, then rolls and takes; plays the first legal play."""

    def __init__(self, *answers):
        self.name, self.settings, self.clock = "answers", None, Clock()
        self.answers = list(answers)

    def choose_action(self, position):
        legal = position.legal_moves()
        if position.is_decided_apart and self.answers:
            return position.parse(self.answers.pop(0))
        return legal[0]


@pytest.fixture(autouse=True)
def _quick(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYOUT_GAMES_DIR", str(tmp_path / "games"))
    monkeypatch.setattr(backgammon, "ADVISER", "lin1")


def session(*lines, answers=(), human=1, board=None, **options):
    """What a session shows if a person types these lines and then ends the input; and the session.

    A line "*" is the first legal play.
    """
    screen, typed = io.StringIO(), iter(lines)

    def ask(prompt):
        screen.write(prompt)
        try:
            line = next(typed)
        except StopIteration:
            raise EOFError from None
        if line == "*":
            line = held.board.spell(held.board.legal_moves()[0])
        screen.write(f"{line}\n")
        return line

    terms = Terms(GAME, **options)
    console = Console(file=screen, width=100)
    held = BackgammonSession(terms, human, Answers(*answers), console, ask, board=board)
    held._luck = new_rng(2)
    held.run()
    return screen.getvalue(), held


def with_dice(*dice, **facts):
    return BackgammonPosition.from_id("4HPwATDgc/ABMA", dice=dice, **facts)


def test_plays_are_typed_as_people_write_them():
    for word in ("8/5 6/5", "6/5, 8/5", "8-5 6-5", "6/5 8/5"):
        shown, held = session(word, board=with_dice(3, 1))
        assert held.board.spelled_moves()[0] == "8/5 6/5"
        assert "O plays " in shown
    assert "X has " in shown


def test_hints_have_equities_and_chances():
    shown, _ = session("hint", "equity", board=with_dice(3, 1))
    assert re.search(r"play +equity +wins +gammon", shown)
    rows = re.findall(r"^(\S.*?)  +([+-]0\.\d{3})", shown, flags=re.M)
    assert len(rows) == 5
    assert [float(equity) for _, equity in rows] == sorted(
        (float(equity) for _, equity in rows), reverse=True
    )
    assert f"With the best play you have {rows[0][1]} points a game." in shown


def test_a_hint_by_rollouts(monkeypatch):
    monkeypatch.setattr(backgammon, "ROLLOUTS", "rollout:base={base},steps=1,trials=36,seconds={seconds:g}")
    shown, _ = session("hint 1", "hint x", "hint -3", board=with_dice(6, 6))
    assert "36 trials" in shown
    assert "Hint 'x' is not a number of seconds, as in: hint 5." in shown
    assert "Hint '-3' is not a number of seconds" in shown


def test_the_cube():
    board = with_dice(3, 1, cube=True)
    shown, held = session("8/5 6/5", "hint", "double", "undo", "roll", board=board)
    assert "X to roll or double" in shown
    assert re.search(r"ouble, (take|pass)\.\n", shown)
    assert "double, pass  +1.000" in shown
    assert "O takes." in shown
    assert held.board.cube == 1  # it was taken back
    shown, held = session(
        "double", answers=["pass"], board=BackgammonPosition.from_id("4HPwATDgc/ABMA", cube=True)
    )
    assert "O passes the double." in shown
    assert "X wins (X+1)." in shown


def test_the_other_one_doubles():
    shown, held = session(
        "8/5 6/5", "hint", "rol", "pass", board=with_dice(3, 1, cube=True), answers=["double"]
    )
    assert "O doubles to 2." in shown
    assert "Will you take the cube at 2? take or pass" in shown
    assert "'rol' is no command; did you mean roll?" in shown
    assert held.board.winner == 2
    # The board is drawn as the person sees it, whoever is on roll.
    assert "X: 163 pips, 0 off" in shown.split("O doubles to 2.")[1].split("+--6---5---4")[1].splitlines()[0]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("hnt", "'hnt' is no command; did you mean hint?"),
        ("xyzzy", "'xyzzy' is neither a play such as 13/7 8/7* nor a command; help says what you can type."),
        ("13/4", "'13/4' is no legal play of 3-1: legal are 6/2"),
        ("8/5* 6/5", "hits nothing on point 5: write 8/5 6/5"),
        ("take", "There is nothing to take now: legal are"),
        ("save", "Save needs the name of a file"),
    ],
)
def test_typing_errors_get_a_sentence(line, sentence):
    shown, held = session(line, board=with_dice(3, 1))
    assert sentence in shown.replace("\n", " ")
    assert not held.board.moves


def test_games_of_a_match_are_told_and_gone_on_with(tmp_path):
    shown, held = session("*", "pass", "double", answers=["double", "pass"], length=3, cube=True, match=True)
    assert "O wins 1 point. You have 0 and the other has 1 of 3." in shown
    assert "X wins 1 point. You have 1 and the other has 1 of 3." in shown
    (file,) = (tmp_path / "games").iterdir()
    again = saved.load(file)
    assert again.position == held.board
    assert again.human == 1
    assert f"To go on: playout play {file}" in shown.replace("\n", "")


def test_other_programs_files(tmp_path):
    name = tmp_path / "game.mat"
    shown, _ = session("8/5 6/5", f"save {name}", f"save {name}", board=with_dice(3, 1))
    assert shown.count("Saved ") >= 2
    match = files.load(name)
    assert match.names == ("you", "answers")
    assert [turn.player for turn in match.games[0].turns] == [1, 2]
    (tmp_path / "there.mat").write_text("mine")
    shown, _ = session(f"save {tmp_path / 'there.mat'}", board=with_dice(3, 1))
    assert "exists already: choose another name" in shown.replace("\n", " ")


def test_help():
    shown, _ = session("help", board=with_dice(3, 1))
    for word in ("double", "take", "hint", "equity", "undo", "save FILE"):
        assert word in shown
