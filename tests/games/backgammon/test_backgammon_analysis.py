"""Games and matches of backgammon looked at, in points."""

import json

import numpy as np
import pytest

from playout import InputError, analyse
from playout.analysis import default_player, read
from playout.cli import main
from playout.games.backgammon import mat, sgf
from playout.games.backgammon.game import GAME, Options
from playout.games.backgammon.record import match_of
from playout.kernel import new_rng
from playout.player.registry import make_player
from playout.search.luck import luck_of

QUICK = "lin1"


@pytest.fixture(scope="module")
def match():
    """A match to 3 points between lin1, with the cube, and random plays."""
    player = make_player("lin1:seed=1", GAME)
    position, luck, rng = (
        GAME.new_position(Options(length=3, cube=True, match=True)),
        new_rng(4),
        np.random.default_rng(1),
    )
    position.settle(luck)
    while not position.is_over:
        own = position.to_play == 1 or position.is_decided_apart
        action = player.choose_action(position) if own else int(rng.choice(position.legal_moves()))
        position.play(action).settle(luck)
    return match_of(position, ("Ann", "Bob"))


@pytest.fixture
def file(match, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "match.mat"
    path.write_text(mat.write(match))
    return path


def test_whose_errors_they_are(file, match):
    found = analyse(file, QUICK, threads=2)
    assert found.in_points
    assert found.names == ("Ann", "Bob")
    assert {move.part for move in found.moves} == set(range(1, len(match.games) + 1))
    for move in found.moves:
        assert move.loss >= 0
        assert move.value <= move.best_value + 1e-12
        assert (move.roll == "") == (move.move in ("roll", "double", "take", "pass") and move.roll == "")
        assert not move.is_forced or move.loss == 0
    ann, bob = (found.decisions_of(player) for player in (1, 2))
    assert sum(move.loss for move in ann["plays"]) < 0.2 * sum(move.loss for move in bob["plays"])
    assert ann["cube"]
    assert sum(move.loss for move in ann["cube"]) == pytest.approx(0)  # by its own opinion
    assert found.worst(2)[0].loss > 0.1
    assert all(move.luck is not None for move in found.moves if move.roll)


def test_a_game_of_its_own_and_in_other_files(file, match, tmp_path):
    whole = analyse(file, QUICK)
    one = analyse(read(file, number=1), QUICK)
    assert one.moves == whole.moves[: len(one.moves)]
    (tmp_path / "match.sgf").write_text(sgf.write(match))
    assert analyse(tmp_path / "match.sgf", QUICK).moves == whole.moves
    assert analyse(read(file, "backgammon", 1), QUICK) == one


def test_rollouts_look_too(file):
    record = read(file, number=1)
    found = analyse(record, "rollout:base=lin1,trials=36,steps=1", threads=2)
    assert len(found.moves) == record.moves
    assert found.visits > 36 * 5
    assert analyse(record, "rollout:base=lin1,trials=36,steps=1") == found


def test_luck_is_none_on_average():
    position = GAME.new_position().play("31").play("8/5 6/5")
    policies = make_player("lin1", GAME).policy.record()
    state, weights = (
        position.simulation_root(),
        np.array([1 if a == b else 2 for a in range(6) for b in range(a + 1)]),
    )
    lucks = [luck_of(state, event, policies, new_rng(0)) for event in range(21)]
    assert np.array(lucks) @ weights == pytest.approx(0, abs=1e-9)
    assert max(lucks) > 0.05


def test_the_command(file, capsys):
    assert main(["analyse", "match.mat", "--player", QUICK, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {"move", "value", "loss", "best", "roll", "luck", "game"} <= set(told["moves"][0])
    assert told["sides"]["O"]["plays"]["errors"] > 0
    assert "points" in told["values_are"]
    folder = file.parent / "match-analysis"
    assert (folder / "graph.png").read_bytes().startswith(b"\x89PNG")
    written = (folder / "game.sgf").read_text()
    assert "Luck of the roll" in written
    assert "Better: " in written
    assert read(folder / "game.sgf").moves == len(told["moves"])  # it is the whole match
    assert main(["analyse", "match.mat", "--player", QUICK, "--worst", "2"]) == 0
    out = capsys.readouterr().out
    assert "O (Bob): " in out
    assert " errors, " in out
    assert "; luck " in out


def test_the_best_network_looks_if_nobody_is_named():
    assert default_player(GAME) == "td"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nothing", "there is no game in it"),
        (
            " 3 point match\n\n Game 1\n Ann : 0  Bob : 0\n  1) 31: 8/4 6/5",
            "line 5: '8/4 6/5' is no legal play of 3-1",
        ),
        (
            " 3 point match\n\n Game 1\n Ann : 0  Bob : 0\n  1) 71: 8/5",
            "line 5: a die shows 1 to 6, and not '7'",
        ),
        (
            " 0 point match\n\n Game 1\n A : 0   B : 0\n  1) 31: 8/5 6/5                     Doubles => 3",
            "line 5: a cube of '3' is no power of two",
        ),
        (
            " 3 point match\n\n Game 1\n Ann : 0  Bob : 0\n",
            "the game has no moves: there is nothing to analyse",
        ),
    ],
)
def test_broken_files_get_a_sentence(text, sentence, tmp_path, capsys):
    path = tmp_path / "broken.mat"
    path.write_text(text)
    assert main(["analyse", str(path), "--player", QUICK, "--output", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said
    assert "\n" not in said


def test_engines_do_not_analyse(file):
    with pytest.raises(InputError, match="does not say what it thinks"):
        analyse(file, "gnubg")
