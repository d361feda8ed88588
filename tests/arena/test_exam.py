"""Answers to a test suite: kept, gone on with, repeated."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from playout.arena import exam as exam_module
from playout.arena.exam import Exam
from playout.arena.suite import position
from playout.cli import main
from playout.errors import InputError

POSITIONS = [
    position({"size": 5, "moves": ["B C3", "W D3"], "right": ["C4"]}),
    position({"size": 5, "value": 0.5}),
    position({"size": 5, "black": ["A1"], "white": ["E5", "D5"], "right": ["B2"], "value": 0.25}),
]
PLAYERS = ("uniform", "flat:sims=3", "mogo-policy")


def said(exam, spec):
    return [(answer.move, answer.value) for answer in exam.answers(spec)]


def test_a_stop_changes_no_answer(tmp_path):
    whole = Exam(POSITIONS, 1)
    expected = {spec: said(whole, spec) for spec in PLAYERS}
    other = Exam(POSITIONS, 2)
    assert {spec: said(other, spec) for spec in PLAYERS} != expected
    path = tmp_path / "answers.json"
    first = Exam(POSITIONS, 1, path)
    assert said(first, PLAYERS[0]) == expected[PLAYERS[0]]
    with contextlib.closing(first.answers(PLAYERS[1])) as going:
        next(going)
    again = Exam(POSITIONS, None, path)
    assert again.seed == 1
    assert [again.known(spec) for spec in PLAYERS] == [3, 1, 0]
    # In another order: what a player says has nothing to do with the others.
    assert {spec: said(again, spec) for spec in reversed(PLAYERS)} == expected
    assert Exam(POSITIONS, 1, path).known(PLAYERS[2]) == 3


def test_what_is_known_is_not_asked_again(tmp_path, monkeypatch):
    path = tmp_path / "answers.json"
    before = said(Exam(POSITIONS, 1, path), "uniform")
    monkeypatch.setattr(exam_module, "build", None)
    assert said(Exam(POSITIONS, 1, path), "uniform") == before


def test_without_a_seed_every_exam_has_its_own():
    assert Exam(POSITIONS).seed != Exam(POSITIONS).seed


def test_an_engine_without_a_seed_is_started_once(tmp_path, monkeypatch):
    made = []
    build = exam_module.build
    monkeypatch.setattr(exam_module, "build", lambda *words: made.append(words) or build(*words))
    exam = Exam(POSITIONS, 1)
    said(exam, "uniform:seed=3")
    assert len(made) == 1
    said(exam, "uniform")
    assert len(made) == 4


@pytest.mark.parametrize(
    "words",
    [
        "",
        "[]",
        "{}",
        '{"kind": "answers to a test suite"}',
        "PLAYERS: []",
        'PLAYERS: {"uniform": [["Z9", null, ""]]}',
        'PLAYERS: {"uniform": [["C3", 7, ""]]}',
        'PLAYERS: {"uniform": [[]]}',
    ],
)
def test_files_of_others_are_left_alone(words, tmp_path):
    path = tmp_path / "answers.json"
    kind, players, rest = words.partition("PLAYERS:")
    if players:
        words = f'{kind}{{"kind": "answers to a test suite", "suite": "x", "seed": 1, "players": {rest}}}'
    path.write_text(words)
    with pytest.raises(InputError, match="is not a file of answers that we have written"):
        Exam(POSITIONS, 1, path)
    assert path.read_text() == words


def test_another_suite_or_seed_is_refused(tmp_path):
    path = tmp_path / "answers.json"
    said(Exam(POSITIONS, 1, path), "uniform")
    with pytest.raises(InputError, match="the answers to another suite"):
        Exam(POSITIONS[:2], 1, path)
    with pytest.raises(InputError, match="another seed: it was 1 and is 2"):
        Exam(POSITIONS, 2, path)


def written(folder, count):
    path = folder / "suite.jsonl"
    line = json.dumps({"size": 5, "moves": ["B C3", "W D3"], "right": ["C4"]})
    path.write_text(f"{line}\n" * count)
    return path


def test_the_command_goes_on_after_a_kill(tmp_path, capsys):
    suite, store = written(tmp_path, 40), tmp_path / "answers.json"
    words = ["suite", str(suite), "flat:sims=400", "--seed", "1", "--json", "--each"]
    child = subprocess.Popen(
        [sys.executable, "-m", "playout", *words, "--store", str(store)], stdout=subprocess.PIPE
    )
    until = time.monotonic() + 120
    while not (store.exists() and "flat" in store.read_text()) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(1)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    kept = json.loads(store.read_text())["players"]["flat:sims=400"]
    assert main([*words, "--store", str(store)]) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out) == resumed
    moves = [row["move"] for row in resumed["flat:sims=400"]["answers"]]
    assert [move for move, _, _ in kept] == moves[: len(kept)]


def test_a_place_that_cannot_be_written_is_told_at_once(tmp_path, capsys):
    suite = written(tmp_path, 1)
    for store in (tmp_path / "nowhere" / "answers.json", tmp_path):
        assert main(["suite", str(suite), "uniform", "--store", str(store)]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert len(captured.err.strip().splitlines()) == 1
