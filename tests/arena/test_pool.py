"""Who plays: threads, and a real Dask cluster whose workers die."""

import dataclasses
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from places import SUPPORT
from processes import Dask

from playout.arena.event import Event, Run
from playout.arena.match import Match
from playout.arena.pool import Cluster, Pool, Threads
from playout.arena.schedule import RoundRobin
from playout.arena.store import GameRecord, Store
from playout.arena.terms import Terms
from playout.errors import InputError

TIMES = ("black_seconds", "white_seconds", "move_seconds", "started", "ended")


def without_times(games: list[GameRecord]) -> list[GameRecord]:
    return [dataclasses.replace(game, **dict.fromkeys(TIMES)) for game in games]


@pytest.mark.parametrize("count", [0, -1, 100_000])
def test_impossible_numbers_of_threads_are_refused(count):
    with pytest.raises(InputError, match="threads are not from 1 to"):
        Threads(count)


def test_objects_play_one_game_at_a_time_and_stay_here(tmp_path):
    from playout import make_player

    with pytest.raises(InputError, match="one game at a time"):
        Match(make_player("uniform"), "uniform", 2, threads=2)
    for settings in ({"store": tmp_path / "run.db"}, {"cluster": "tcp://localhost:1"}):
        with pytest.raises(InputError, match="objects can be kept in no store and sent to no cluster"):
            Match(make_player("uniform"), "uniform", 2, **settings)
    assert list(tmp_path.iterdir()) == []


def seconds_of(threads: int, seed: int) -> float:
    """How long a match takes, without the time in which its threads waited for a core."""
    spec = "mogo:sims=1000"
    with Match(spec, spec, 24, size=6, seed=seed, threads=threads) as match:
        begin = time.perf_counter()
        for _ in match.play():
            pass
        wall = time.perf_counter() - begin
        players = [thread for thread in threading.enumerate() if thread.name.startswith("game")]
        stats = [Path(f"/proc/self/task/{thread.native_id}/schedstat").read_text() for thread in players]
    waited = [int(line.split()[1]) / 1e9 for line in stats]
    return wall - sum(waited) / len(waited)


@pytest.mark.slow
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="there is only one core")
def test_two_threads_play_almost_twice_as_fast():
    """The least that two cores must give; the figure itself is printed, for docs/results.md."""
    ratios = sorted(seconds_of(1, seed) / seconds_of(2, seed) for seed in (10, 11, 12))
    print(f"\ntwo threads against one: {' '.join(f'{ratio:.2f}' for ratio in ratios)}")
    assert ratios[1] > 1.5


# -- the cluster ----------------------------------------------------------------------------------------

distributed = pytest.importorskip("distributed", reason="the extra playout[cluster] is not installed")


@pytest.fixture
def dask(tmp_path):
    cluster = Dask(tmp_path)
    yield cluster
    cluster.close()


def test_a_worker_that_is_killed_loses_nothing(dask, tmp_path):
    script = shutil.copy(SUPPORT / "zoo.py", tmp_path / "zoo.py")
    zoo = "gtp:" + shlex.join([sys.executable, "-S", "-E", str(script), "sound"])
    players = {"uniform": "uniform", "flat": "flat:sims=2", "zoo": zoo}
    event = Event(players=players, schedule=RoundRobin(8), terms=Terms(size=5, komi=0.5), seed=9)
    with Threads(1) as pool, Run(event, pool) as run:
        alone = list(run.play())
    first, second = dask.worker(), dask.worker()
    with Cluster(dask.address) as pool:
        end = time.monotonic() + 60
        while pool.threads() < 2:
            assert time.monotonic() < end
            time.sleep(0.1)
        with Run(event, pool, tmp_path / "run.db") as run:
            games, seen = run.play(), []
            for game in games:
                seen.append(game.number)
                if len(seen) == 6:
                    os.kill(second.pid, signal.SIGKILL)
                    second.wait()
    assert sorted(seen) == list(range(1, 49))
    assert first.poll() is None
    with Store.open(tmp_path / "run.db") as store:
        assert without_times(list(store.games())) == without_times(sorted(alone, key=lambda g: g.number))
    left = subprocess.run(["pgrep", "-f", str(script)], capture_output=True, text=True)
    assert left.stdout == ""


def test_breaking_off_ends_the_games_of_workers(dask, tmp_path):
    script = shutil.copy(SUPPORT / "zoo.py", tmp_path / "zoo.py")
    hanger = "gtp:" + shlex.join([sys.executable, "-S", "-E", str(script), "hanger", "1"])
    terms = Terms(size=5, engine_timeout=300)
    event = Event(players={"uniform": "uniform", "hanger": hanger}, schedule=RoundRobin(2), terms=terms)
    dask.worker()

    def engines() -> str:
        return subprocess.run(["pgrep", "-f", str(script)], capture_output=True, text=True).stdout

    with Cluster(dask.address) as pool, Run(event, pool) as run:
        games = run.play()
        future = pool.submit(time.sleep, 0)
        future.result()

        def interrupt() -> None:
            end = time.monotonic() + 30
            while not engines() and time.monotonic() < end:
                time.sleep(0.1)
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            next(games)
    end = time.monotonic() + 10
    while engines():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_no_scheduler_is_one_sentence(monkeypatch):
    from playout.arena import pool

    monkeypatch.setattr(pool, "SECONDS_TO_CONNECT", 0.5)
    for address in ("tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1:99999"):
        with pytest.raises(InputError, match="no Dask scheduler answers at"):
            Cluster(address)


def test_a_scheduler_without_workers_is_one_sentence(dask, monkeypatch):
    from playout.arena import pool

    monkeypatch.setattr(pool, "SECONDS_FOR_WORKERS", 0.5)
    with pytest.raises(InputError, match=f"has no workers; start some with: dask worker {dask.address}"):
        Cluster(dask.address)


def test_workers_of_another_version_are_refused(monkeypatch):
    class Client:
        def __init__(self, *words: object, **settings: object) -> None: ...

        def wait_for_workers(self, count: int, timeout: float) -> None: ...

        def run(self, function: object) -> dict[str, str]:
            return {"tcp://elsewhere:1": "0.0.1"}

        def get_executor(self, **settings: object) -> object:
            return Threads(1).executor

        def close(self) -> None: ...

    monkeypatch.setattr(distributed, "Client", Client)
    with pytest.raises(InputError, match=r"worker tcp://elsewhere:1 has playout 0\.0\.1"):
        Cluster("tcp://elsewhere:2")


def test_a_pool_says_how_much_it_takes():
    with Threads(3) as pool:
        assert isinstance(pool, Pool)
        assert pool.slots() == 4
        assert pool.submit(int, "7").result() == 7
