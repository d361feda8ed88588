"""Benchmarks: what a figure is made of, and what is said where something is missing."""

import itertools
import os
import subprocess
import sys
import types
from pathlib import Path

import numba
import pytest

from playout import bench, calibrator
from playout.errors import InputError

# A calibrator with the reference's names and no game in it.
CALIBRATOR = """
import numpy as np
from numba import njit

BOARD = np.dtype([("side", "u2"), ("ready", "u1")])

@njit(cache=True)
def reset(board):
    board.ready = 1

@njit(cache=True)
def run(root, work, rng, n):
    x = rng[0]
    for _ in range(n * 500 * root[0].side):
        x ^= x << np.uint64(13); x ^= x >> np.uint64(7); x ^= x << np.uint64(17)
    rng[0] = x
    return 0, n
"""


@pytest.fixture
def reference(tmp_path):
    path = tmp_path / "light_playouts.py"
    path.write_text(CALIBRATOR)
    return path


def test_names_are_those_that_others_build_on():
    assert {
        "light-9",
        "light-13",
        "light-19",
        "mogo-9",
        "mogo-13",
        "mogo-19",
        "mango-9",
        "mango-search-9",
        "flat-9",
        "light-9-threads",
        "mogo-9-threads",
        "open_spiel-mcts-9",
    } <= set(bench.TASKS)


def test_unknown_names_answer_with_near_ones():
    with pytest.raises(InputError, match=r"no benchmark 'lihgt-9'; did you mean light-9"):
        bench.choose(["lihgt-9"])


def test_without_names_all_that_can_run_are_chosen(monkeypatch):
    missing = bench.Task("of a module that is not there", bench._flat, needs="no_such_module")
    monkeypatch.setitem(bench.TASKS, "missing", missing)
    assert "light-9" in bench.choose([])
    assert "missing" not in bench.choose([])
    with pytest.raises(InputError, match="needs the module no_such_module"):
        bench.choose(["missing"])
    assert bench.choose(["mogo-9", "light-9", "mogo-9"]) == ["mogo-9", "light-9"]


@pytest.mark.parametrize("name", ["light-9", "mogo-13", "flat-9"])
def test_a_figure_beside_the_calibrator(name, reference):
    unit = bench.load_reference(reference)
    told = []
    figure = bench.measure(name, unit, repeats=3, seconds=0.02, progress=lambda *what: told.append(what))
    assert told == [(name, 1), (name, 2), (name, 3)]
    assert figure.spread[0] <= figure.per_second <= figure.spread[1]
    assert figure.unit > 0
    assert figure.unit_same_size > 0
    assert (figure.unit_same_size == figure.unit) == (bench.TASKS[name].side == 9)
    assert (figure.threads, figure.repeats, figure.scaling) == (1, 3, None)
    if name != "flat-9":
        assert 10 < figure.moves_per_second / figure.per_second < 3 * 13 * 13


def test_a_figure_without_a_calibrator():
    figure = bench.measure("light-9", None, repeats=2, seconds=0.01)
    assert figure.per_second > 0
    assert figure.unit is None
    assert figure.facts()["unit_same_size"] is None


def test_threads_are_compared_with_one_thread():
    figure = bench.measure("light-9-threads", None, repeats=2, seconds=0.01)
    assert figure.threads == 2
    assert figure.scaling > 0
    assert 0 < figure.cores < 2.5


def test_the_arithmetic_of_a_figure(monkeypatch):
    # A clock that gives the benchmark 2 s and then 4 s, the calibrator 1 s each time.
    ticks = itertools.accumulate([0, 2, 0, 1, 0, 1, 0, 2, 0, 1, 0, 4])
    clock = iter(list(ticks))

    class Steps:
        thread_time = staticmethod(lambda: next(clock))
        perf_counter = thread_time
        process_time = staticmethod(lambda: 0.0)

    monkeypatch.setattr(bench, "time", Steps)
    task = bench.Task("invented", lambda threads: lambda count: (count, 10 * count))
    monkeypatch.setitem(bench.TASKS, "invented", task)
    figure = bench.measure("invented", lambda side: lambda count: (count, None), repeats=2, seconds=2.0)
    # 16 in 2 s sets the length of a run to 16; the calibrator's to 32 (16 in 1 s).
    assert figure.per_second == pytest.approx((8 + 4) / 2)
    assert figure.moves_per_second == pytest.approx(60)
    assert figure.unit == pytest.approx((8 / 32 + 4 / 32) / 2)


def test_where_the_reference_is_looked_for(tmp_path, monkeypatch, reference):
    monkeypatch.delenv("PLAYOUT_REFERENCE", raising=False)
    monkeypatch.chdir(tmp_path)
    assert bench.find_reference() == Path(calibrator.__file__)
    monkeypatch.setenv("PLAYOUT_REFERENCE", str(reference))
    assert bench.find_reference() == reference
    with pytest.raises(InputError, match="is not a file"):
        bench.find_reference(tmp_path / "nothing.py")


@pytest.mark.parametrize("text", ["x = 1", "def broken(:", "raise RuntimeError('no')"])
def test_a_file_that_is_no_calibrator_is_refused(tmp_path, text):
    path = tmp_path / "other.py"
    path.write_text(text)
    with pytest.raises(InputError, match=r"other\.py' cannot be used"):
        bench.load_reference(path)
    assert numba.config.CACHE_DIR == ""


def test_the_calibrators_machine_code_is_found_again(tmp_path, reference):
    script = """
import sys
from pathlib import Path
from playout import bench
unit = bench.load_reference(Path(sys.argv[1]))
unit(9)(1)
print(sum(sys.modules["playout_reference"].run.stats.cache_hits.values()))
"""
    for hits in ("0", "1"):
        found = subprocess.run(
            [sys.executable, "-c", script, str(reference)],
            capture_output=True,
            text=True,
            env={**os.environ, "PLAYOUT_CACHE_DIR": str(tmp_path / "cache")},
        )
        assert found.stdout.strip() == hits, found.stderr


def test_open_spiel_is_a_peer_where_it_is_installed(monkeypatch):
    searched = []

    class Bot:
        def __init__(self, game, evaluator, c, simulations, *rest):
            self.simulations = simulations

        def step(self, state):
            searched.append(self.simulations)

    fake = types.SimpleNamespace(
        load_game=lambda name: types.SimpleNamespace(new_initial_state=lambda: name),
        RandomRolloutEvaluator=lambda *numbers: numbers,
        MCTSBot=Bot,
    )
    monkeypatch.setitem(sys.modules, "pyspiel", fake)
    run = bench.TASKS["open_spiel-mcts-9"].prepare(1)
    assert run(50) == (50, None)
    assert searched == [50]
