"""A tuning is gone on with after any kill, ends the same whoever plays, and is small and quick."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
from hills import hill
from processes import Dask

from playout.cli import main
from playout.errors import InputError
from playout.tune.cross_entropy import CrossEntropy, CrossEntropySettings
from playout.tune.job import TuningJob
from playout.tune.store import Results
from playout.tune.tuner import Batches, Tuning

TOML = """
game = "tic-tac-toe"
player = "uct:sims=6"
opponent = "{opponent}"
samples = 12
ratio = 0.25
batch = 20
generations = 4
seed = 5
opening = 1
confidence = 0.8
[parameters.exploration]
range = [0.01, 4]
scale = "log"
[parameters.expand]
range = [1, 20]
type = "integer"
"""


def games_of(folder):
    with sqlite3.connect(folder / "games.db") as db:
        return db.execute("SELECT * FROM games ORDER BY 1, 2, 3").fetchall()


def run(path, output, **settings):
    with TuningJob(path, output, **settings) as job:
        generations = list(job.run())
        return generations, job.best(), games_of(output)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "toy.toml"
    path.write_text(TOML.replace("{opponent}", "uct:sims=3"), encoding="utf-8")
    return path


def test_the_same_games_by_one_thread_or_several(file, tmp_path):
    one, several = run(file, tmp_path / "one"), run(file, tmp_path / "two", threads=3)
    assert one[1:] == several[1:]
    assert len(one[2]) < 4 * 12 * 20  # it raced
    assert [g.total for g in one[0]] == [g.total for g in several[0]]


def test_kills_at_any_moment_change_nothing(file, tmp_path):
    whole = run(file, tmp_path / "whole")
    code = (
        "from playout.tune.job import TuningJob\n"
        f"with TuningJob({str(file)!r}, {str(tmp_path / 'parts')!r}) as job:\n"
        "    list(job.run())\n"
    )
    chance, before = random.Random(1), 0
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", code])
        until = time.monotonic() + 120
        try:
            while time.monotonic() < until and process.poll() is None:
                if (tmp_path / "parts" / "games.db").exists():
                    with sqlite3.connect(tmp_path / "parts" / "games.db") as db:
                        made = db.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'games'")
                        count = 0
                        if made.fetchone()[0]:
                            (count,) = db.execute("SELECT COUNT(*) FROM games").fetchone()
                    if count > before + 3:
                        break
                time.sleep(0.002)
            time.sleep(chance.uniform(0, 0.05))
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
            process.wait()
        before = len(games_of(tmp_path / "parts"))
    assert before > 0
    parts = run(file, tmp_path / "parts")
    assert parts[1:] == whole[1:]


def test_other_settings_are_refused_and_other_stop_rules_are_not(file, tmp_path):
    run(file, tmp_path / "a")
    file.write_text(file.read_text().replace("generations = 4", "generations = 5"))
    assert len(run(file, tmp_path / "a")[0]) == 5
    file.write_text(file.read_text().replace("batch = 20", "batch = 22"))
    with pytest.raises(InputError, match="would mix results: batch was 20 and is 22"):
        run(file, tmp_path / "a")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "games.db").write_text(
        "something else that is long enough to be no database at all" * 99
    )
    with pytest.raises(InputError, match="not a file of games that were tuned by"):
        run(file, tmp_path / "b")


def test_two_policies_play_the_same_games_in_compiled_code(tmp_path, monkeypatch):
    path = tmp_path / "p.toml"
    path.write_text(
        'game = "tic-tac-toe"\nplayer = "random"\nopponent = "random"\nsamples = 3\nratio = 0.4\nbatch = 6\n'
        'generations = 1\n[parameters.seed]\nrange = [1, 1000]\ntype = "integer"\ndefault = 5\n'
    )
    compiled = run(path, tmp_path / "fast")
    monkeypatch.setattr("playout.arena.fast.can_play", lambda *arguments: False)
    assert run(path, tmp_path / "slow")[1:] == compiled[1:]


def test_a_million_results_are_small_and_read_at_once(tmp_path):
    path = tmp_path / "games.db"
    results = Results(path, {"seed": 1})
    rng = np.random.default_rng(1)
    for t in range(20):
        rows = [
            (t, sample, number, float(points))
            for sample, half in enumerate(rng.integers(0, 3, (100, 500)) / 2)
            for number, points in enumerate(half, 1)
        ]
        results.add(rows)
    expected = results.points(7, 42, 500).copy()
    results.close()
    assert sum(found.stat().st_size for found in tmp_path.iterdir()) < 60e6
    began = time.process_time()
    again = Results(path, {"seed": 1})
    took = time.process_time() - began
    assert again.total == 1_000_000
    assert np.array_equal(again.points(7, 42, 500), expected)
    assert took < 5
    again.close()


RESUME = """
import json, re, time
from playout.tune.job import TuningJob
with TuningJob({file!r}, {folder!r}) as job:
    generations = list(job.tuning.run())
    found = len(generations), generations[-1].total, job.tuning.played
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]
print(json.dumps([*found, time.process_time(), int(peak)]))
"""


@pytest.mark.slow
def test_a_tuning_of_a_million_games_is_gone_on_with_in_seconds_and_in_little_memory(tmp_path):
    """All of it, in a process of its own: from its start up to where the next game would be played.

    VmHWM is the largest memory of that process alone; ru_maxrss also that of the one it was forked from.
    """
    path, folder = tmp_path / "p.toml", tmp_path / "tuned"
    path.write_text(
        'game = "tic-tac-toe"\nplayer = "random"\nopponent = "random"\nsamples = 100\nbatch = 500\n'
        "generations = 20\nracing = false\nnarrow = 0\n"
        '[parameters.seed]\nrange = [1, 1000]\ntype = "integer"\ndefault = 5\n'
    )
    rng = np.random.default_rng(1)
    with TuningJob(path, folder) as job:
        for t in range(20):
            halves = rng.integers(0, 3, (100, 500)) / 2
            job.results.add((t, i, n + 1, float(z)) for (i, n), z in np.ndenumerate(halves))
    code = RESUME.format(file=str(path), folder=str(folder))
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    generations, games, played, seconds, kilobytes = json.loads(told.stdout)
    print(f"{seconds:.2f} s of processor time, {kilobytes / 1000:.0f} MB at most")
    assert (generations, games, played) == (20, 1_000_000, 0)
    assert seconds < 5
    assert kilobytes < 200_000


def test_a_long_tuning_is_gone_on_with_in_seconds(tmp_path):
    landscape = hill(11, 1)
    results = Results(tmp_path / "games.db", {})

    def tuning(results):
        method = CrossEntropy(landscape.space, CrossEntropySettings(), 1)
        return Tuning(landscape.space, method, Batches(batch=40, narrow=0), landscape, results)

    first = tuning(results)
    list(first.run())
    results.close()
    began = time.process_time()
    again = Results(tmp_path / "games.db", {})
    second = tuning(again)
    list(second.run())
    again.close()
    assert second.played == 0
    assert second.best().tolist() == first.best().tolist()
    assert time.process_time() - began < 5


def test_the_tuner_itself_takes_less_than_a_hundredth_of_games_of_a_tenth_of_a_second(tmp_path):
    landscape = hill(11, 2)
    results = Results(tmp_path / "games.db", {})
    method = CrossEntropy(landscape.space, CrossEntropySettings(generations=3), 1)
    tuning = Tuning(landscape.space, method, Batches(batch=50, narrow=0), landscape, results)
    began = time.process_time()
    list(tuning.run())
    took = time.process_time() - began
    results.close()
    assert took < 0.01 * 0.1 * results.total


# -- the cluster ----------------------------------------------------------------------------------------


@pytest.fixture
def dask(tmp_path):
    pytest.importorskip("distributed", reason="the extra playout[cluster] is not installed")
    cluster = Dask(tmp_path)
    yield cluster
    cluster.close()


def test_the_command_tunes_on_a_cluster(dask, file, tmp_path, capfd):
    """The same games, values and matches as on this machine alone."""
    file.write_text(TOML.replace("{opponent}", "uct:sims=3") + "[verification]\ngames = 10\n")
    reports = []
    dask.worker()
    for name, words in (("here", []), ("there", ["--cluster", dask.address])):
        assert main(["tune", str(file), "--output", str(tmp_path / name), "--json", *words]) == 0
        reports.append(json.loads(capfd.readouterr().out))
        assert json.loads((tmp_path / name / "report.json").read_text()) == reports[-1]
    assert without_seconds(reports[0]) == without_seconds(reports[1])
    assert games_of(tmp_path / "here") == games_of(tmp_path / "there")
    assert len(games_of(tmp_path / "here")) > 4 * 12
    assert reports[0]["matches"]


def without_seconds(facts):
    """A report without how long moves took, at any depth."""
    if isinstance(facts, dict):
        return {key: without_seconds(part) for key, part in facts.items() if "seconds" not in key}
    return [without_seconds(part) for part in facts] if isinstance(facts, list) else facts


def test_a_worker_that_is_killed_loses_no_game_of_a_tuning(dask, file, tmp_path):
    alone = run(file, tmp_path / "alone")
    first, second = dask.worker(), dask.worker()
    killed = []

    def tell(tuning):
        if tuning.results.total > 30 and not killed:
            killed.append(tuning.results.total)
            os.kill(second.pid, signal.SIGKILL)
            second.wait()

    with TuningJob(file, tmp_path / "cluster", cluster=dask.address, tell=tell) as job:
        end = time.monotonic() + 60
        while job.pool.threads() < 2:
            assert time.monotonic() < end
            time.sleep(0.1)
        list(job.run())
        assert job.best() == alone[1]
    assert killed
    assert first.poll() is None
    assert games_of(tmp_path / "cluster") == alone[2]


def test_a_cluster_that_is_not_there_is_a_sentence(file, tmp_path, capsys):
    pytest.importorskip("distributed", reason="the extra playout[cluster] is not installed")
    words = ["tune", str(file), "--output", str(tmp_path / "a"), "--cluster", "nonsense://x"]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert "no Dask scheduler answers at 'nonsense://x'" in error
    assert len(error.strip().splitlines()) == 1
