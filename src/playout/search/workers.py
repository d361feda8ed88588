"""Threads that share the simulations of a search, in pieces of some milliseconds.

Pieces are soon enough over to be stopped, and all threads end at nearly the same time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

LONGEST_PIECE = 256
SHORT, LONG = 0.0015, 0.004  # seconds that a piece should take
CACHE_LINES = 128  # bytes that processors fetch together


def apart(record: np.ndarray) -> np.ndarray:
    """A copy of an array that shares no cache line with anything else: two threads' work is apart."""
    room = np.empty(record.nbytes + 2 * CACHE_LINES, np.uint8)
    start = -room.ctypes.data % CACHE_LINES
    copy = room[start : start + record.nbytes]
    copy[:] = record.view(np.uint8)
    return copy.view(record.dtype)


class _Work:
    """Simulations to make, from which threads take pieces until there are none or somebody stops."""

    def __init__(self, simulations: int, threads: int) -> None:
        self.total, self.taken = simulations, 0
        self._threads = threads
        self._lock = threading.Lock()

    def take(self, piece: int) -> int:
        """A piece, not beyond the next multiple of LONGEST_PIECE, and smaller ones at the end."""
        with self._lock:
            left = self.total - self.taken
            count = min(piece, left, LONGEST_PIECE - self.taken % LONGEST_PIECE)
            if self._threads > 1:
                count = min(count, -(-left // (2 * self._threads)))
            self.taken += count
            return count

    def stop(self) -> None:
        """Give out no more."""
        with self._lock:
            self.total = self.taken


class Workers:
    """Threads with numbers from 0 on. simulate: makes so many simulations as the thread of a number."""

    def __init__(self, threads: int, simulate: Callable[[int, int], None], name: str) -> None:
        self._threads, self._simulate, self._name = threads, simulate, name
        self._pieces = [32] * threads
        self._pool: ThreadPoolExecutor | None = None

    def run(self, simulations: int, go_on: Callable[[int], bool] | None = None) -> int:
        """Make simulations, shared among the threads; how many were made.

        go_on: asked by the calling thread every few milliseconds, with the simulations so far (with one
        thread at least at every multiple of LONGEST_PIECE, which makes it repeatable); False ends the run.
        """
        if self._threads == 1 and go_on is None:
            self._simulate(0, simulations)
            return simulations
        work = _Work(simulations, self._threads)
        others = []
        if self._threads > 1:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._threads - 1, thread_name_prefix=self._name)
            others = [self._pool.submit(self._help, k, work) for k in range(1, self._threads)]
        try:
            self._help(0, work, go_on)
        finally:
            work.stop()
            wait(others)
        for other in others:
            other.result()
        return work.taken

    def _help(self, k: int, work: _Work, go_on: Callable[[int], bool] | None = None) -> None:
        """Take pieces of the work until it is done."""
        while count := work.take(self._pieces[k]):
            began = time.perf_counter()
            self._simulate(k, count)
            took = time.perf_counter() - began
            if took < SHORT and count == self._pieces[k]:
                self._pieces[k] = min(2 * count, LONGEST_PIECE)
            elif took > LONG:
                self._pieces[k] = max(1, count // 2)
            if go_on is not None and not go_on(work.taken):
                work.stop()

    def close(self) -> None:
        """End the threads; a later run starts them again."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
