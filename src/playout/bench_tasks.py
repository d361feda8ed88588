"""What a benchmark is: a task, and runs of it that threads share."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue

PIECES = 32  # a thread's share of one run

# Does `count` pieces of work; returns how many it did and the moves they took, where known.
Run = Callable[[int], tuple[int, int | None]]


@dataclass(frozen=True)
class Task:
    """Something to measure. prepare: makes a run that shares the work among so many threads."""

    what: str
    prepare: Callable[[int], Run]
    side: int = 9
    threads: int = 1
    needs: str = ""  # a module that may not be installed


def shared(work: Callable[[int, int], int], threads: int) -> Run:
    """A run of work(thread, count) → moves, its count shared among the threads.

    They take it in small pieces, so that all end at the same time however the machine treats them.
    """
    if threads == 1:
        return lambda count: (count, work(0, count))
    pool = ThreadPoolExecutor(threads)

    def run(count: int) -> tuple[int, int | None]:
        each = -(-count // (PIECES * threads))
        pieces: SimpleQueue[int] = SimpleQueue()
        for _ in range(PIECES * threads):
            pieces.put(each)

        def take(thread: int) -> int:
            moves = 0
            with contextlib.suppress(Empty):
                while True:
                    moves += work(thread, pieces.get_nowait())
            return moves

        return each * threads * PIECES, sum(pool.map(take, range(threads)))

    return run
