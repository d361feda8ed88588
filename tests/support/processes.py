"""Other processes: whether they are there, and a cluster of them."""

import json
import subprocess
import sys
import time
from pathlib import Path


def is_running(pid: int) -> bool:
    """Whether a process is there and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pid: int) -> None:
    end = time.monotonic() + 5
    while is_running(pid):
        assert time.monotonic() < end, f"process {pid} is still there"
        time.sleep(0.02)


class Dask:
    """A scheduler and workers in processes of their own, as users start them."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "scheduler.json"
        self._folder = folder
        self._processes: list[subprocess.Popen] = []
        self._start("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(self._file))
        end = time.monotonic() + 60
        while not self._file.exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        self.address = json.loads(self._file.read_text())["address"]

    def worker(self) -> subprocess.Popen:
        return self._start(
            *("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"),
            *("--local-directory", str(self._folder)),
        )

    def _start(self, *words: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words],
            stdout=subprocess.DEVNULL,
            stderr=open(self._folder / f"{words[0]}-{len(self._processes)}.log", "w"),  # noqa: SIM115
            cwd=self._folder,
        )
        self._processes.append(process)
        return process

    def close(self) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait()
