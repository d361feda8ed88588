"""Tournaments from TOML files: what they mean, and what is wrong with them, with file and line."""

import json
import re
import shlex
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from places import SUPPORT

from playout.arena.store import Store
from playout.arena.tournament import Tournament, read_tournament
from playout.cli import main
from playout.errors import InputError
from playout.games.go.memory.shapes import Shapes
from playout.games.go.memory.store import Weights, features_of

PLAYERS = """
[players]
uniform = "uniform"
flat = "flat:sims=2"
policy = "mogo-policy"
"""
SMALL = """
rounds = 2
size = 5
komi = 0.5
seed = 1
"""


@pytest.fixture
def file(tmp_path):
    def write(text: str, name: str = "event.toml") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_file_says_everything(file):
    found = read_tournament(
        file(
            """
            schedule = "gauntlet"
            challengers = ["flat"]
            rounds = 7
            size = 13
            komi = 6
            superko = "situational"
            scoring = "alive"
            move_timeout = 2
            engine_timeout = 9.5
            max_moves = 100
            seed = 4
            opening = 3
            threads = 2
            keep_engines = true
            count_copies = true
            store = "games/run.db"
            sgf = "games"
            """
            + PLAYERS
            + "[anchors]\nflat = 1000\n"
        )
    )
    event = found.event()
    assert (event.total(), event.seed, event.opening) == (28, 4, 3)
    assert (event.keep_engines, event.count_copies, found.settings.threads) == (True, True, 2)
    terms = event.terms
    assert (terms.options.size, terms.options.komi, terms.options.superko, terms.options.scoring) == (
        13,
        6.0,
        "situational",
        "alive",
    )
    assert (terms.move_timeout, terms.engine_timeout, terms.max_moves) == (2.0, 9.5, 100)
    assert event.players == {"uniform": "uniform", "flat": "flat:sims=2", "policy": "mogo-policy"}
    assert found.store == found.path.parent / "games" / "run.db"
    assert found.sgf == found.path.parent / "games"
    assert event.settings()["anchors"] == {"flat": 1000.0}


def test_little_is_enough(file):
    found = read_tournament(file(PLAYERS))
    assert found.event().total() == 6
    assert found.store == found.path.with_suffix(".db")
    assert found.sgf is None
    assert found.event().seed != found.event().seed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ruonds = 3\n" + PLAYERS, "event.toml, line 1: there is no key 'ruonds'; did you mean rounds?"),
        ("size = 9\n\nsize = 9", "event.toml: this is not TOML: Cannot overwrite a value (at"),
        ("size = ", "event.toml: this is not TOML: Invalid value (at"),
        ("\n size = 20" + PLAYERS, "event.toml, line 2: board size '20' is not a whole number from 2 to 19"),
        ("size = 9.5" + PLAYERS, "event.toml, line 1: size = 9.5 is not a whole number"),
        ('size = "9"' + PLAYERS, "event.toml, line 1: size = '9' is not a whole number"),
        ("size = true" + PLAYERS, "event.toml, line 1: size = true is not a whole number"),
        ("komi = nan" + PLAYERS, "event.toml, line 1: komi='nan' is not a number"),
        ("komi = 1e9" + PLAYERS, "event.toml, line 1: komi 1000000000.0 is not a number between"),
        ("rounds = 0" + PLAYERS, "event.toml, line 1: rounds='0' is not a whole number from 1"),
        ("seed = -1" + PLAYERS, "event.toml, line 1: seed='-1' is not a whole number of at least 0"),
        ("move_timeout = 0" + PLAYERS, "event.toml, line 1: a time of 0.0 seconds is not a positive number"),
        ('schedule = "cup"' + PLAYERS, "event.toml, line 1: schedule='cup' is not a name; one of: gauntlet"),
        ('challengers = ["x"]' + PLAYERS, "event.toml: only a gauntlet has challengers"),
        ("challengers = 3" + PLAYERS, "event.toml, line 1: challengers is not a list of names"),
        ("", "event.toml: there is no table [players]"),
        ('players = "uniform"', "event.toml, line 1: players is not a table of names and specs"),
        ('[players]\na = "uniform"', "event.toml: a tournament needs at least 2 players, not 1"),
        ('[players]\na = "uniform"\nb = 3', "event.toml, line 3: player b is not a spec in quotes"),
        ('[players]\n"" = "uniform"\nb = "flat"', "event.toml, line 2: '' is not a name for a player"),
        (
            PLAYERS + "[anchors]\nflta = 3",
            "event.toml, line 7: the anchor 'flta' is not a player; did you mean",
        ),
        (
            PLAYERS + '[anchors]\nflat = "x"',
            "event.toml, line 7: the rating of the anchor flat is not a number",
        ),
        (PLAYERS + "[extra]\nx = 1", "event.toml, line 6: there is no key 'extra'"),
        ("opening = 30" + PLAYERS, "event.toml: an opening of 30 moves each does not fit: at most 20"),
        ('openings = "none.txt"' + PLAYERS, "the openings '"),
        ('[players]\na = "uniform"\nb = "flatt"', "event.toml, line 3: player b: there is no player 'flatt'"),
        (
            '[players]\na = "uniform"\nb = "gtp:nix -x"',
            "event.toml, line 3: player b: there is no program 'nix'",
        ),
        ('[players]\na = "uniform"\nb = "flat:sims=0"', "event.toml, line 3: player b: sims='0' is not"),
    ],
)
def test_wrong_files_are_one_sentence_and_nothing_is_written(file, text, message, capsys, tmp_path):
    path = file(text)
    assert main(["tournament", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err
    assert captured.err.startswith("playout: ")
    assert [entry.name for entry in tmp_path.iterdir()] == ["event.toml"]


def test_what_is_no_file_is_refused(tmp_path, capsys):
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    for path, message in (
        (tmp_path / "none.toml", "there is no such file"),
        (tmp_path, "it is not a file"),
        (tmp_path / "binary.toml", "it is not UTF-8 text"),
    ):
        assert main(["tournament", str(path)]) == 2
        assert message in capsys.readouterr().err


def test_engines_that_do_not_start_are_refused(file, tmp_path, capsys):
    script = shlex.join([sys.executable, "-c", "import sys; sys.exit('no licence')"])
    path = file(f"[players]\na = 'uniform'\nb = '''gtp:{script}'''\n")
    assert main(["tournament", str(path)]) == 2
    said = capsys.readouterr().err
    assert "event.toml, line 3: player b: engine" in said
    assert "no licence" in said
    assert [entry.name for entry in tmp_path.iterdir()] == ["event.toml"]


def test_a_tournament_is_played_kept_and_shown(file, capsys, tmp_path):
    path = file(SMALL + PLAYERS)
    assert main(["tournament", str(path), "--json", "--sgf", str(tmp_path / "games")]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["games"], facts["counted"], facts["void"], facts["duplicates"]) == (12, 12, 0, 0)
    assert facts["seed"] == 1
    assert {row["name"] for row in facts["players"]} == {"uniform", "flat", "policy"}
    assert sum(row["wins"] + row["draws"] / 2 for row in facts["players"]) == 12
    assert all(row["games"] == 8 for row in facts["players"])
    for key in ("elo", "score"):  # best first; all have played each other equally often
        assert [row[key] for row in facts["players"]] == sorted(
            (row[key] for row in facts["players"]), reverse=True
        )
    assert len(list((tmp_path / "games").glob("*.sgf"))) == 12
    assert main(["tournament", str(path)]) == 0
    captured = capsys.readouterr()
    assert "uniform" in captured.out
    assert str(tmp_path / "event.db") in captured.err
    with Store.open(tmp_path / "event.db") as store:
        assert len(store.results()) == 12
    path.write_text((SMALL + PLAYERS).replace("komi = 0.5", "komi = 1.5"))
    assert main(["tournament", str(path)]) == 2
    assert "would mix results: komi was 0.5 and is now 1.5" in capsys.readouterr().err
    path.write_text((SMALL + PLAYERS).replace("seed = 1", "").replace("rounds = 2", "rounds = 3"))
    assert main(["tournament", str(path), "--json"]) == 0  # the stored seed is taken
    assert json.loads(capsys.readouterr().out)["games"] == 18


def test_copies_are_warned_of(file, capsys):
    path = file(SMALL + '[players]\na = "uniform:seed=1"\nb = "uniform:seed=2"\n')
    assert main(["tournament", str(path), "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["duplicates"] == 2
    assert "warning: 2 of 4 games are copies of earlier ones and do not count" in captured.err


def test_a_store_elsewhere(file, tmp_path, monkeypatch):
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "there")
    with Tournament(file(SMALL + PLAYERS), store="other.db") as event:
        assert len(list(event.play())) == 12
    assert (tmp_path / "there" / "other.db").exists()


def test_paths_in_a_file_are_seen_from_it(file, tmp_path):
    (tmp_path / "openings.txt").write_text("C3 B2")
    found = read_tournament(file(SMALL + 'openings = "openings.txt"' + PLAYERS))
    assert found.event().openings == ["C3 B2"]
    (tmp_path / "openings.txt").write_text("C3 F9")
    with pytest.raises(InputError, match=re.escape("event.toml: ") + ".*openings.txt, line 1: point 'F9'"):
        Tournament(found)


def test_weights_and_engines_of_a_spec_are_seen_from_the_file(file, tmp_path, monkeypatch, capsys):
    inside = tmp_path / "inside"
    (inside / "runs").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    shapes = Shapes(side=5, sizes=(1,))
    Weights(shapes, np.zeros(features_of(shapes).unique, np.float32)).save(inside / "runs" / "w.npz")
    shutil.copy(SUPPORT / "zoo.py", inside / "zoo.py")
    players = {
        "values": "shapes:weights=runs/w.npz",
        "prior": "uct:sims=2,prior=shapes,prior.weights=runs/w.npz",
        "shipped": "shapes:weights=shipped",
        "engine": f"gtp:{sys.executable} -S -E zoo.py sound",
    }
    lines = "".join(f"{name} = '{spec}'\n" for name, spec in players.items())
    text = f"{SMALL}rounds = 1\nmax_moves = 8\n[players]\n{lines}".replace("rounds = 2\n", "")
    path = file(text, "inside/event.toml")
    with Tournament(path) as event:
        assert all(game.reason != "void" for game in event.play())
        assert event.store.players() == players  # as they are written: the folder may move
    path.write_text(text.replace("shapes:weights=runs/w.npz", "shapes:weights=runs/none.npz"))
    assert main(["tournament", str(path)]) == 2
    assert f"player values: there is no weight file {inside}/runs/none.npz" in capsys.readouterr().err
    path.write_text(text.replace("values = 'shapes:weights=runs/w.npz'", "values = 'gtp:./none --gtp'"))
    assert main(["tournament", str(path)]) == 2
    assert f"there is no program './none' on this machine: there is none at '{inside}/none'" in (
        capsys.readouterr().err
    )


def test_a_learner_is_a_word_and_no_file(file):
    path = file(
        SMALL + "[players]\na = 'policy:policy=balanced'\nb = 'policy:policy=softmax,policy.weights=mm'\n"
    )
    with Tournament(path) as event:
        assert len(list(event.play())) == 4
