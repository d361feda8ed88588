"""Long work that is stopped at any line, by Ctrl-C or by a kill, and done again: as if nothing had been."""

import builtins
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import playout
from playout.arena.exam import Exam
from playout.arena.match import Match
from playout.arena.suite import Position
from playout.cli import INTERRUPTED
from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.learn.policy_training import PolicyPlan, PolicyRun
from playout.games.go.learn.position_maker import produce
from playout.games.go.learn.positions import Recipe
from playout.games.go.learn.training import Plan, Run
from playout.games.go.memory.shapes import Shapes
from playout.games.go.memory.store import load
from playout.reproduce import learning_curves
from playout.reproduce.balancing import Experiment, open_experiment
from playout.reproduce.learning_curves import LearningCurves
from playout.reproduce.paradox import Paradox
from playout.runs import keep_settings

SOURCES = Path(playout.__file__).parent
TINY = Plan(shapes=Shapes(side=3, sizes=(1,)), games=100)
RECIPE = Recipe(size=2, komi=0.5, sims=0, exact_nodes=100)


class Killed(BaseException):
    """The process is gone: nothing that was to be done at its end is done."""


class Stopper:
    """Ends a function at the n-th line of some files of the package that it comes to."""

    def __init__(self, files, at=None, kill=False):
        self.files = {str(SOURCES / file) for file in files}
        self.at, self.kill, self.lines, self.dead = at, kill, 0, False

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        patch = self.stack.enter_context(pytest.MonkeyPatch.context())
        for owner, name in ((os, "replace"), (os, "mkdir"), (os, "unlink"), (builtins, "open")):
            patch.setattr(owner, name, self.while_alive(getattr(owner, name)))
        self.before = sys.gettrace()
        sys.settrace(self.watch)
        return self

    def __exit__(self, *failure):
        sys.settrace(self.before)
        self.stack.close()
        return failure[0] in (KeyboardInterrupt, Killed)

    def while_alive(self, function):
        def act(*args, **options):
            if self.dead:
                raise Killed
            return function(*args, **options)

        return act

    def watch(self, frame, event, arg):
        return self.line if frame.f_code.co_filename in self.files else None

    def line(self, frame, event, arg):
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                self.dead = self.kill
                raise Killed if self.kill else KeyboardInterrupt
        return self.line


# -- the work: each gives what must be the same again ---------------------------------------------------


def td(place):
    run = Run(place / "run", TINY).train()
    return run.pairs.tolist(), load(place / "run" / "weights.npz").theta.tolist(), np.array(run.curve)[:, :3]


def reinforce(place):
    shapes = Shapes(side=2, sizes=(1, 2))
    run = PolicyRun(place / "run", PolicyPlan(learner="reinforce", shapes=shapes, updates=20)).train()
    return run.policy.theta.tolist(), load(place / "run" / "weights.npz").theta.tolist()


def curves(place):
    made = dict(learning_curves.make_runs(place, ["default"], LearningCurves(default_games=100)))
    return list(made), sorted(path.name for path in (place / "default").glob("[a-z]*"))


def positions(place):
    data = produce(place / "data.npz", RECIPE, 18)
    return data.exact.tolist(), sorted(path.name for path in place.glob("[a-z]*"))


def match(place):
    with Match("uniform", "uniform", 4, size=2, seed=1, store=place / "run.db", sgf=place / "sgf") as games:
        list(games.play())
        return games.result().games, games.result().a_wins, len(list((place / "sgf").glob("[0-9]*.sgf")))


def suite(place):
    asked = [Position(f"{size}", Board(size), right=(0,)) for size in (2, 3)]
    exam = Exam(asked, 1, place / "answers.json")
    return [answer.word for answer in exam.answers("uniform")]


def experiments(place):
    open_experiment(place / "balancing", Experiment())
    keep_settings(place / "paradox" / "settings.json", Paradox(), "the folder of this experiment")
    return sorted(path.name for path in place.rglob("[a-z]*"))


WORK = {
    td: ["games/go/learn/training.py", "games/go/memory/store.py", "files.py"],
    reinforce: ["games/go/learn/policy_training.py", "games/go/memory/store.py", "files.py"],
    curves: ["games/go/learn/training.py", "reproduce/learning_curves.py", "files.py"],
    positions: ["games/go/learn/position_maker.py", "games/go/memory/store.py", "files.py"],
    match: ["arena/store.py", "arena/event.py", "arena/export.py", "files.py"],
    suite: ["arena/exam.py", "files.py"],
    experiments: ["reproduce/balancing.py", "runs.py", "files.py"],
}
MOMENTS = 18  # of each, from the first line to the last


@pytest.mark.parametrize("kill", [False, True], ids=["ctrl-c", "kill"])
@pytest.mark.parametrize("work", WORK, ids=lambda work: work.__name__)
def test_stopped_at_any_line_it_goes_on_or_starts_anew(work, kill, tmp_path, monkeypatch):
    monkeypatch.setitem(learning_curves.RUNS, "default", TINY)
    if kill and work is match:
        pytest.skip("SQLite cannot be killed inside a process")
    (tmp_path / "whole").mkdir()
    with Stopper(WORK[work]) as counter:
        whole = work(tmp_path / "whole")
    early = range(1, MOMENTS // 3)
    for at in sorted({*early, *np.linspace(1, counter.lines, MOMENTS, dtype=int).tolist()}):
        place = tmp_path / f"{at}"
        place.mkdir()
        with Stopper(WORK[work], at, kill):
            work(place)
        again = work(place)
        assert all(np.array_equal(one, other) for one, other in zip(again, whole, strict=True)), at


def test_a_folder_that_was_spoilt_before_is_taken(tmp_path):
    """What older versions left after Ctrl-C in the first compilation, and what a kill leaves of a file."""
    (tmp_path / "snapshots").mkdir()
    (tmp_path / ".checkpoint.npz.0123abcd.part").write_bytes(b"half")
    Run(tmp_path, TINY)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "note.txt").write_text("mine")
    with pytest.raises(InputError, match="exists and is not a run"):
        Run(tmp_path / "other", TINY)


def test_the_command_is_stopped_while_it_starts_and_compiles(tmp_path):
    """With an empty cache, so that compiling takes long."""
    words = ["train", "td", "--size", "3", "--sizes", "1", "--games", "10", "--output", str(tmp_path / "run")]
    environment = {**os.environ, "PLAYOUT_CACHE_DIR": str(tmp_path / "cache")}
    for seconds in (0.3, 1.0, None):  # None: once the run is there, when it compiles
        process = subprocess.Popen(
            [sys.executable, "-m", "playout", *words],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        until = time.monotonic() + (60 if seconds is None else seconds)
        while time.monotonic() < until and not (
            seconds is None and (tmp_path / "run" / "checkpoint.npz").exists()
        ):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode in (INTERRUPTED, -signal.SIGINT), said
    # Python itself may end by the signal, without a word, where it hits code in exec()
    words = ("the same command goes on", "stopped")
    assert process.returncode == -signal.SIGINT or any(word in said for word in words)
    assert Run(tmp_path / "run", Plan(shapes=TINY.shapes, games=10)).games == 0
