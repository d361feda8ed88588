"""The commands of the arena, as people and scripts use them."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import types

import numpy as np
import pytest

from playout.arena.sprt import Sprt
from playout.arena.store import Store
from playout.cli import main
from playout.cli.live import Scoreboard, duration
from playout.external import program

SMALL = ["--size", "5", "--komi", "0.5", "--seed", "1"]


def test_a_match_is_kept_and_goes_on(tmp_path, capsys):
    run = str(tmp_path / "run.db")
    words = ["match", "uniform", "mogo-policy", *SMALL, "--store", run, "--json"]
    assert main([*words, "--games", "3"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["games"], first["seed"], first["duplicates"]) == (3, 1, 0)
    assert main([*words, "--games", "6", "--threads", "2"]) == 0
    captured = capsys.readouterr()
    whole = json.loads(captured.out)
    assert whole["games"] == 6
    assert f"the games are in {run}" in captured.err
    assert main([*words[:-3], "--games", "6", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == whole
    words[words.index("--komi") + 1] = "1.5"
    assert main([*words, "--games", "6"]) == 2
    assert "would mix results: komi was 0.5 and is now 1.5" in capsys.readouterr().err


def test_every_option_reaches_the_match(tmp_path, capsys):
    run = tmp_path / "run.db"
    (tmp_path / "openings.txt").write_text("C3 B2")
    given = {
        "superko": "situational",
        "scoring": "alive",
        "clock": "60+1",
        "engine_timeout": 7.5,
        "max_moves": 99,
    }
    words = [word for key, value in given.items() for word in (f"--{key.replace('_', '-')}", str(value))]
    flags = ["--openings", str(tmp_path / "openings.txt"), "--keep-engines", "--count-copies"]
    match = ["match", "uniform", "mogo-policy", "--games", "1", "--store", str(run), *SMALL]
    assert main([*match, *words, *flags]) == 0
    with Store.open(run) as store:
        expected = {**given, "openings": ["C3 B2"], "keep_engines": True, "count_copies": True, "games": 1}
        expected |= {"size": 5, "komi": 0.5, "seed": 1, "move_timeout": None}
        assert expected.items() <= store.settings.items()
    run.unlink()
    assert main([*match, "--move-timeout", "30", "--opening", "2"]) == 0
    with Store.open(run) as store:
        assert {"move_timeout": 30.0, "opening": 2}.items() <= store.settings.items()


def test_a_seed_that_nobody_named_is_kept(tmp_path, capsys):
    words = ["match", "uniform", "uniform", "--size", "5", "--store", str(tmp_path / "run.db"), "--json"]
    assert main([*words, "--games", "2"]) == 0
    seed = json.loads(capsys.readouterr().out)["seed"]
    assert main([*words, "--games", "4"]) == 0
    assert json.loads(capsys.readouterr().out)["seed"] == seed


def test_a_player_against_itself(capsys):
    assert main(["match", "uniform", "uniform", *SMALL, "--games", "4", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["a_wins"] + facts["b_wins"] + facts["draws"] == 4


def test_copies_are_warned_of(capsys):
    assert main(["match", "uniform:seed=1", "uniform:seed=2", *SMALL, "--games", "6"]) == 0
    captured = capsys.readouterr()
    assert "warning: 4 of 6 games are copies of earlier ones" in captured.err
    assert "4, not counted" in captured.out


class Decided(Sprt):
    """A stopping rule that has seen enough after two pairs."""

    def verdict(self, scores: list[float]) -> str:
        return "reject" if len(scores) == 2 else "go on"


def test_a_sequential_test_ends_the_match(monkeypatch, capsys):
    module = types.ModuleType("playout.arena.sprt")
    module.Sprt = Decided
    monkeypatch.setitem(sys.modules, "playout.arena.sprt", module)
    words = ["match", "uniform", "mogo-policy", *SMALL, "--games", "100", "--sprt", "0,30"]
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    ratio = facts["sprt"].pop("llr")
    assert facts["sprt"].pop("bounds") == pytest.approx([-np.log(19), np.log(19)])
    assert facts["sprt"] == {"elo0": 0.0, "elo1": 30.0, "verdict": "reject"}
    assert np.sign(ratio) == np.sign(facts["a_wins"] - facts["b_wins"])
    assert facts["a_wins"] + facts["b_wins"] + facts["draws"] == 4
    assert facts["games"] == 4 + facts["late"]
    assert main(words) == 0
    assert "rejected: a over b is rather +0 Elo than +30 Elo" in capsys.readouterr().out
    assert main(["match", "uniform", "uniform", *SMALL, "--games", "2", "--sprt", "0,30"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert re.search(
        r"not decided yet \(log-likelihood ratio [+-]0\.\d\d, to end at -2\.94 or \+2\.94\)", told
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sprt", "5"], "--sprt '5' is not two Elo bounds"),
        (["--sprt", "5,0"], "the lower first"),
        (["--threads", "0"], "0 threads are not from 1 to"),
        (["--openings", "none.txt"], "the openings 'none.txt' cannot be read: there is no such file"),
        (["--superko", "none"], "superko='none' is not a name; one of: positional"),
        (["--engine-timeout", "0"], "not a positive number"),
        (["--store", "/no/such/folder/run.db"], "there is no folder for the run"),
        (["--store", "/"], "is not a file"),
        (["--cluster", "nonsense://x"], "no Dask scheduler answers at 'nonsense://x'"),
    ],
)
def test_wrong_options_are_one_sentence(words, message, capsys):
    if "--cluster" in words:
        pytest.importorskip("distributed")
    assert main(["match", "uniform", "uniform", *words]) == 2
    said = capsys.readouterr().err.splitlines()
    assert message in said[-1]


def test_games_are_listed_shown_and_saved(tmp_path, capsys):
    run, folder = str(tmp_path / "run.db"), tmp_path / "games"
    assert main(["match", "uniform", "mogo-policy", *SMALL, "--games", "2", "--store", run]) == 0
    capsys.readouterr()
    assert main(["games", run]) == 0
    listed = capsys.readouterr().out
    assert "mogo-policy" in listed
    assert len(listed.splitlines()) == 3
    assert main(["games", run, "--game", "2"]) == 0
    assert "what happened" in capsys.readouterr().out
    assert main(["games", run, "--json"]) == 0
    assert [game["number"] for game in json.loads(capsys.readouterr().out)] == [1, 2]
    assert main(["games", run, "--game", "2", "--sgf", str(folder)]) == 0
    assert [path.name for path in folder.iterdir()] == ["00002.sgf"]
    assert main(["games", run, "--sgf", str(folder)]) == 0
    assert len(list(folder.iterdir())) == 2
    capsys.readouterr()
    assert main(["games", run, "--game", "3"]) == 2
    assert "there is no game 3" in capsys.readouterr().err
    assert main(["games", str(tmp_path / "none.db")]) == 2
    assert "there is no run" in capsys.readouterr().err


def test_ctrl_c_keeps_what_there_is_and_says_how_to_go_on(tmp_path):
    run = tmp_path / "run.db"
    words = ["match", "uniform", "uniform", "--games", "100000", *SMALL, "--threads", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "playout", *words, "--store", str(run), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 120
    while not (run.exists() and run.stat().st_size) and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(1)
    os.kill(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert errors.splitlines()[-2:] == [
        f"playout: the games are in {run}; the same command goes on",
        "playout: stopped",
    ]
    with Store.open(run) as store:
        assert len(store.numbers()) == json.loads(out)["games"]
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]


# -- the table that goes on ------------------------------------------------------------------------------


def test_faults_are_told_but_not_for_ever(capsys):
    with Scoreboard(100, 0, lambda: ("", "1 – 0")) as board:
        for number in range(1, 41):
            board.ended(number, "failure" if number % 2 else "score", "it crashed")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "game 1: it crashed"
    assert len(lines) == 21
    assert lines[-1] == "further games that end by a fault are only counted"


def test_where_there_is_no_terminal_lines_tell(capsys):
    with Scoreboard(100, 10, lambda: ("", "1 – 0")) as board:
        board._line_at = 0.0
        board._began -= 60.0
        board.ended(11, "score", "")
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "games 11/100: 1 – 0; 45 pairs left, 1.0 games/min, ETA 1:29:00"


def test_a_match_that_has_more_games_than_asked_for_is_over(capsys):
    with Scoreboard(4, 10, lambda: ("", "1 – 0")) as board:
        assert board._speed() == "0 pairs left"
    assert capsys.readouterr().err == ""


def test_durations():
    assert [duration(seconds) for seconds in (0, 59.6, 3600)] == ["0:00", "1:00", "1:00:00"]


# -- what cannot play ---------------------------------------------------------------------------------

STUBBORN = """
import sys
for line in sys.stdin:
    number, *words = line.split()
    refused = words[0] == {refused!r}
    print(("?" if refused else "=") + number + " " + ("not today" if refused else "") + "\\n", flush=True)
"""


def stubborn(folder, refused):
    path = folder / f"{refused}.py"
    path.write_text(STUBBORN.format(refused=refused))
    return f"gtp:{sys.executable} {path}"


def test_a_search_that_nothing_ends_is_refused_before_the_first_game(tmp_path, capsys):
    run = tmp_path / "run.db"
    words = ["match", "uniform", "rave:sims=none", *SMALL, "--games", "2", "--store", str(run)]
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.err == "playout: player rave has sims=none and no time: set its seconds, or a clock\n"
    assert not captured.out
    assert not run.exists()
    assert main([*words, "--clock", "60", "--max-moves", "1"]) == 0  # White never moves


def test_an_engine_that_refuses_the_board_is_refused(tmp_path, capsys):
    spec = stubborn(tmp_path, "boardsize")
    assert main(["match", "uniform", spec, *SMALL, "--games", "2"]) == 2
    assert capsys.readouterr().err.startswith(f"playout: player {spec}: engine")
    file = tmp_path / "event.toml"
    file.write_text(f"size = 5\n[players]\na = 'uniform'\nb = '{spec}'\n")
    assert main(["tournament", str(file)]) == 2
    assert "event.toml, line 4: player b: engine" in capsys.readouterr().err


@pytest.mark.parametrize("as_json", [False, True])
def test_nothing_but_void_games_is_a_failure(as_json, tmp_path, capsys):
    spec, also = stubborn(tmp_path, "genmove"), ["--json"] * as_json
    assert main(["match", "uniform", spec, *SMALL, "--games", "4", *also]) == 1
    captured = capsys.readouterr()
    last = captured.err.splitlines()[-1]
    assert last.startswith("playout: each of the 4 games was void: White (")
    assert "not today" in last
    assert last.count("could not begin") == 1  # once a player, whichever colour it had
    if as_json:
        facts = json.loads(captured.out)
        assert (facts["games"], facts["void"], facts["score"], facts["elo"]) == (4, 4, None, None)
    file = tmp_path / "event.toml"
    file.write_text(f"size = 5\n[players]\na = 'uniform'\nb = '{spec}'\n")
    assert main(["tournament", str(file), *also]) == 1
    captured = capsys.readouterr()
    assert "playout: each of the 2 games was void: " in captured.err
    assert "the games are in" in captured.err
    if as_json:
        assert [row["elo"] for row in json.loads(captured.out)["players"]] == [None, None]
    else:
        assert "±" not in captured.out


# -- names, long specs, files, silence ----------------------------------------------------------------


def test_players_of_a_match_can_be_named(tmp_path, capsys):
    run = str(tmp_path / "run.db")
    words = ["match", "strong=flat:sims=2", "weak = uniform", *SMALL, "--games", "2", "--store", run]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^strong +flat:sims=2 *$", shown, re.MULTILINE)
    assert "strong wins – weak wins" in shown
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["a"], facts["b"]) == ("strong", "weak")
    assert facts["players"] == {"strong": "flat:sims=2", "weak": "uniform"}
    with Store.open(run) as store:
        assert store.players() == facts["players"]


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ("x=uniform", "x=uniform", "both players are called 'x': give them two names"),
        ("uniform=flat", "uniform", "both players are called 'uniform'"),
        ("x=", "uniform", "player x has no spec, as in x=mogo:sims=1000"),
        ("mogo=sims=1000", "uniform", "player mogo: there is no player 'sims=1000'"),
        ("x" * 101 + "=uct", "uniform", "is not a name for a player"),
        ("mogo,sims=1000", "uniform", "there is no player 'mogo,sims=1000'"),
        ("x=rave:sims=none", "uniform", "player x: player rave has sims=none and no time"),
    ],
)
def test_wrong_names_are_one_sentence(a, b, message, capsys):
    assert main(["match", a, b, *SMALL]) == 2
    assert message in capsys.readouterr().err


def test_a_long_spec_is_never_cut_where_there_is_no_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    spec = "uct:sims=2,exploration=0.123456,urgency=1000000.0,memory=1,threads=1,virtual_loss=0,resign=0.0"
    assert len(spec) > 90
    run = str(tmp_path / "run.db")
    assert main(["match", spec, "uniform", *SMALL, "--games", "1", "--store", run]) == 0
    assert spec in capsys.readouterr().out
    file = tmp_path / "event.toml"
    file.write_text(
        f"size = 5\nkomi = 0.5\n[players]\n'{spec[:100]}' = '{spec}'\nb = 'uniform'\nc = 'uniform'\n"
    )
    for words in (["tournament", str(file)], ["rate", str(tmp_path / "event.db")], ["games", run]):
        assert main(words) == 0
        assert spec[:100] in capsys.readouterr().out


def test_a_mute_engine_is_named_while_one_waits(capsys, monkeypatch):
    monkeypatch.setattr(program, "PATIENCE", 0.1)
    monkeypatch.setattr(program, "SLICE", 0.1)
    assert main(["match", "uniform", "gtp:cat", *SMALL, "--engine-timeout", "0.5"]) == 2
    waiting, refused = capsys.readouterr().err.splitlines()
    assert (
        waiting == "playout: waiting for engine cat, which has not answered 'name' yet (it has 0.5 seconds)"
    )
    assert refused == "playout: player gtp:cat: engine cat did not answer 'name' within 0.5 seconds"


def test_pairs_are_told_in_the_table_and_to_machines(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "openings.txt").write_text("C3 B2\nB2\n")
    words = ["match", "strong=flat:sims=5", "weak=uniform", *SMALL, "--games", "8", "--sprt", "0,400"]
    words += ["--openings", str(tmp_path / "openings.txt")]
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert {"games", "a_wins", "b_wins", "draws", "void", "score", "interval", "elo"} <= set(facts)
    pairs = facts["pairs"]
    assert pairs["pairs"] == sum(pairs["pentanomial"]) == pairs["a_twice"] + pairs["b_twice"] + pairs["split"]
    assert [row["opening"] for row in pairs["openings"]] == ["C3 B2", "B2"]
    assert set(facts["sprt"]) == {"elo0", "elo1", "verdict", "llr", "bounds"}
    assert main([*words, "--each"]) == 0
    shown = capsys.readouterr().out
    assert f"{pairs['pairs']}: strong won {pairs['a_twice']} twice, weak {pairs['b_twice']}" in shown
    assert "pairs by points of strong" in shown
    assert re.search(r"log-likelihood ratio [+-]\d\.\d\d, to end at -2\.94 or \+2\.94", shown)
    assert re.search(r"^C3 B2 +2", shown, re.MULTILINE)
