"""The commands train and show."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from playout.cli import main
from playout.games.go.learn.training import read_run

PNG = b"\x89PNG\r\n"


def test_features_as_json(capsys):
    assert main(["show", "features", "--size", "9", "--sizes", "1,2,3", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["total"], facts["unique"], facts["max_active"]) == (969_894, 63_303, 388)
    assert facts["by_size"]["3"]["dependent"] == 61_517


def test_features_as_a_table(capsys):
    assert main(["show", "features", "--size", "5", "--sizes", "1,2"]) == 0
    assert "107" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "features", "--sizes", ""], "sizes: no size"),
        (["show", "features", "--sizes", "1,4"], "sizes: 4 is not one of 1, 2, 3"),
        (["show", "features", "--size", "30"], "board size"),
        (["show", "features", "--sharing", "all"], "sharing"),
        (["show", "shapes", "nothing.npz"], "there is no weight file"),
        (["show", "shapes", "x.npz", "--size", "9"], "--size chooses among shipped"),
        (["show", "curves", "nowhere"], "not the folder of a run"),
        (["train", "td", "--output", "RUN", "--alpha", "0"], "alpha: 0 is not a step size above 0"),
        (["train", "td", "--output", "RUN", "--alpha", "-1"], "alpha"),
        (["train", "td", "--output", "RUN", "--lambda", "1.5"], "lambda: 1.5 is not between 0 and 1"),
        (["train", "td", "--output", "RUN", "--lambda", "-0.5"], "lambda"),
        (["train", "td", "--output", "RUN", "--sizes", ","], "sizes: no size"),
        (["train", "td", "--output", "RUN", "--epsilon", "2"], "epsilon"),
        (["train", "td", "--output", "RUN", "--games", "0"], "games"),
        (["train", "td", "--output", "RUN", "--threads", "0"], "threads"),
        (["train", "td", "--output", "RUN", "--rule", "magic"], "rule"),
    ],
)
def test_wrong_words_write_nothing(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_train_look_and_go_on(tmp_path, capsys):
    run = tmp_path / "run"
    words = ["train", "td", "--size", "4", "--sizes", "1,2", "--output", str(run), "--games"]
    assert main([*words, "200", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["how"]["games"] == 200
    assert main([*words, "300"]) == 0
    assert "300 games" in capsys.readouterr().out
    assert main([*words, "250"]) == 2
    assert "has 300 games already" in capsys.readouterr().err
    assert main([*words, "400", "--epsilon", "0.5"]) == 2
    assert "epsilon was 0.1 and is 0.5" in capsys.readouterr().err
    assert main(["show", "curves", str(run)]) == 0
    assert (run / "curves.png").read_bytes().startswith(PNG)
    assert main(["show", "curves", str(run), "--json"]) == 0
    assert '"games"' in capsys.readouterr().out
    assert main(["show", "shapes", str(run / "weights.npz")]) == 0
    assert (run / "weights.png").read_bytes().startswith(PNG)


def test_shapes_as_json_and_picture(tmp_path, capsys):
    assert main(["show", "shapes", "shipped", "--json", "--count", "3"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert len(facts["3×3 location-dependent"]) == 3
    assert facts["1×1 location-independent"][0]["weight"] > 0  # a stone is worth something
    assert main(["show", "shapes", "shipped", "--size", "5", "--output", str(tmp_path / "s.png")]) == 0
    assert (tmp_path / "s.png").read_bytes().startswith(PNG)


def test_ctrl_c_keeps_what_there_is(tmp_path):
    """Ctrl-C in the middle: exit code 130, a word on how to go on, and a run that goes on."""
    words = ["train", "td", "--size", "4", "--sizes", "1,2", "--output", str(tmp_path / "run")]
    process = subprocess.Popen(
        [sys.executable, "-m", "playout", *words], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        until = time.monotonic() + 240
        while time.monotonic() < until and not list((tmp_path / "run").glob("snapshots/*1000.npz")):
            time.sleep(0.1)
        os.kill(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert "the same command goes on from there" in said
    assert "Traceback" not in said
    assert read_run(tmp_path / "run").curve["games"][-1] >= 1000
