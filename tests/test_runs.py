"""The engine for long jobs: windows of work, checkpoints, and folders that are gone on with."""

import contextlib
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from playout import runs
from playout.errors import InputError
from playout.runs import Checkpoints, FolderRun, Pace, Window, keep_settings


def squares(jobs, slots=3, threads=2, **settings):
    with (
        ThreadPoolExecutor(threads) as pool,
        Window(lambda n: pool.submit(pow, n, 2), jobs, lambda: slots, **settings) as window,
    ):
        return [(job, future.result()) for job, future in window]


def test_everything_is_done_once_in_order_if_wanted():
    assert squares(range(100), in_order=True) == [(n, n * n) for n in range(100)]
    assert sorted(squares(range(100))) == [(n, n * n) for n in range(100)]
    assert squares([]) == []


def test_no_more_is_under_way_than_there_is_room_for():
    running, most, lock = 0, 0, threading.Lock()

    def work(n):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.002)
        with lock:
            running -= 1

    begun = []

    def jobs():
        for n in range(30):
            begun.append(n)
            yield n

    with (
        ThreadPoolExecutor(8) as pool,
        Window(lambda n: pool.submit(work, n), jobs(), lambda: 3) as window,
    ):
        for done, _ in enumerate(window, 1):
            assert len(begun) <= done + 3
    assert most <= 3


def test_a_none_waits_for_all_before_it():
    ended = []

    def jobs():
        for n in range(12):
            if n and n % 4 == 0:
                yield None
                assert len(ended) == n
            yield n

    with ThreadPoolExecutor(4) as pool, Window(lambda n: pool.submit(abs, n), jobs(), lambda: 5) as window:
        for job, _ in window:
            ended.append(job)
    assert sorted(ended) == list(range(12))


def test_a_piece_can_be_done_again_even_the_last():
    tries = []
    with ThreadPoolExecutor(1) as pool, Window(lambda n: pool.submit(abs, n), [1, 2], lambda: 1) as window:
        for job, _ in window:
            tries.append(job)
            if tries.count(job) < 3:
                window.again(job)
    assert sorted(tries) == [1, 1, 1, 2, 2, 2]


def test_whoever_leaves_early_leaves_nothing_under_way():
    stopped = threading.Event()
    futures = []

    def work(n):
        if n > 0:
            assert stopped.wait(30)

    with ThreadPoolExecutor(2) as pool:

        def submit(n):
            futures.append(pool.submit(work, n))
            return futures[-1]

        with Window(submit, range(100), lambda: 4, stop=stopped.set) as window:
            job, _ = next(window)
            assert job == 0
        assert all(future.done() for future in futures)
    assert len(futures) <= 5


def test_checkpoints_are_made_now_and_then_and_at_the_end(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(runs.time, "monotonic", lambda: now[0])
    saved = []
    with contextlib.suppress(KeyboardInterrupt), Checkpoints(lambda: saved.append(now[0]), 10) as checkpoints:
        for now[0] in (1.0, 9.0, 11.0, 12.0, 22.0):
            checkpoints.between()
        raise KeyboardInterrupt
    assert saved == [11.0, 22.0, 22.0]


def test_pieces_come_to_take_a_third_of_a_second():
    pace = Pace(1)
    for _ in range(50):
        pace.took(pace.count / 1000, pace.count)
    assert 0.1 <= pace.count / 1000 <= 0.6
    pace.took(0.001, 3)  # the last piece of a mark is short and tells nothing
    assert 0.1 <= pace.count / 1000 <= 0.6


class Sum(FolderRun):
    """Adds up numbers, one a piece."""

    what = "a sum"

    def __init__(self, folder, last, seed=1):
        super().__init__(folder)
        self.last, self.seed, self.n, self.total = last, seed, 0, 0
        self.open()

    def plan_facts(self):
        return {"seed": self.seed}

    def state(self):
        return {}, {"sum": np.array([self.n, self.total])}

    def restore(self, facts, arrays):
        self.n, self.total = (int(n) for n in arrays["sum"])

    def pieces(self):
        while self.n < self.last:
            self.total += self.n + 1
            if self.total == 28 and self.last == 10:
                raise KeyboardInterrupt  # between the sum and the count
            self.n += 1
            yield

    def finish(self):
        (self.folder / "sum.txt").write_text(str(self.total))


def test_a_folder_is_gone_on_with(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        Sum(tmp_path / "a", 10).train()
    again = Sum(tmp_path / "a", 11)
    assert (again.n, again.total) == (6, 21)
    again.train()
    assert (tmp_path / "a" / "sum.txt").read_text() == "66"
    with pytest.raises(InputError, match="other settings: seed was 1 and is 2"):
        Sum(tmp_path / "a", 10, seed=2)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mine").write_text("x")
    with pytest.raises(InputError, match="is not a sum"):
        Sum(tmp_path / "b", 10)
    runs.write_arrays(tmp_path / "a" / "checkpoint.npz", {"plan": {"seed": 1}}, {})
    with pytest.raises(InputError, match="not a checkpoint that a run can go on from"):
        Sum(tmp_path / "a", 10)


@dataclass(frozen=True)
class Told:
    """Settings of a job in many files."""

    size: int = 5
    count: int = 10
    komi: float = 7.5


def test_settings_are_kept_in_a_folder(tmp_path):
    path = tmp_path / "folder" / "settings.json"
    keep_settings(path, Told(), "such a folder")
    assert json.loads(path.read_text()) == {"size": 5, "count": 10, "komi": 7.5}
    keep_settings(path, Told(), "such a folder")
    with pytest.raises(InputError, match=r"folder was made with other settings: size was 5 and is 6$"):
        keep_settings(path, Told(size=6), "such a folder")
    with pytest.raises(InputError, match=r"count was 10 and is 20$"):
        keep_settings(path, Told(count=20), "such a folder")
    keep_settings(path, Told(count=20), "such a folder", free=["count"])
    assert json.loads(path.read_text())["count"] == 20


def test_settings_of_older_versions_had_their_defaults(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text('{"size": 6, "count": 10}')
    keep_settings(path, Told(size=6), "such a folder")
    assert json.loads(path.read_text())["komi"] == 7.5
    path.write_text('{"size": 6, "count": 10}')
    with pytest.raises(InputError, match=r"komi was 7.5 and is 0.5"):
        keep_settings(path, Told(size=6, komi=0.5), "such a folder")


@pytest.mark.parametrize("words", ["", "[1]", "7", '{"size": 5, "colour": 1}', '{"size": 5'])
def test_settings_that_are_not_ours_are_refused(tmp_path, words):
    path = tmp_path / "settings.json"
    path.write_text(words)
    with pytest.raises(InputError, match="not what we have written"):
        keep_settings(path, Told(), "such a folder")
    assert path.read_text() == words


def test_a_folder_of_other_files_gets_no_settings(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="is not such a folder"):
        keep_settings(tmp_path / "settings.json", Told(), "such a folder")
