"""The command solve."""

import json
import signal
import subprocess
import sys

import pytest

from playout.cli import main

KO_FIGHT = "(;GM[1]FF[4]SZ[3]KM[2.5];B[bb];W[ab])"


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text(KO_FIGHT)
    return str(path)


def test_an_empty_board_as_json(capsys):
    assert main(["solve", "--size", "3", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["value"], facts["best"], facts["line"]) == (9, ["B2"], ["B2", "pass", "pass"])
    assert (facts["result"], facts["komi"]) == ("B+9", 0)


def test_a_game_record(record, capsys):
    assert main(["solve", record]) == 0
    out = capsys.readouterr().out
    assert "+9 for Black" in out
    assert "B+6.5 (komi 2.5)" in out
    assert main(["solve", record, "--move", "1", "--komi", "9", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["value"], facts["result"]) == (9, "0")


def test_a_limit_of_nodes(capsys):
    assert main(["solve", "--size", "5", "--nodes", "1000"]) == 0
    assert "not solved: from -25 to +25 for Black" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "solve wants a game record or --size"),
        (["RECORD", "--size", "3"], "solve wants a game record or --size"),
        (["--size", "9"], "9×9 is too large to be solved; the limit is 7×7"),
        (["--size", "5"], "25 empty points"),
        (["--size", "1"], "board size"),
        (["--size", "3", "--move", "1"], "--move chooses a position of a game record"),
        (["RECORD", "--move", "3"], "move 3 is not in the game, which has 2 moves"),
        (["RECORD", "--komi", "nan"], "komi nan is not a number"),
        (["nothing.sgf"], "nothing.sgf"),
        (["--size", "3", "--nodes", "0"], "--nodes"),
        (["--size", "3", "--memory", "0"], "--memory"),
    ],
)
def test_wrong_input(words, message, record, capsys):
    assert main(["solve", *(record if word == "RECORD" else word for word in words)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert len(captured.err.splitlines()) == 1


def test_ctrl_c_shows_what_is_proved():
    process = subprocess.Popen(
        [sys.executable, "-m", "playout", "solve", "--size", "5", "--nodes", "1000000000", "--memory", "50"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        for line in process.stderr:  # a line of progress comes every ten seconds
            if line.startswith("solving: depth"):
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "not solved: from -25 to +25 for Black" in out
    assert err.strip().endswith("playout: stopped")
