"""Who plays the games: threads here, or the workers of a Dask cluster. Both are executors of Python's.

Games are played without Python's lock as far as they are compiled, so threads share the cores. On a cluster a
worker that dies loses nothing: its games are given to others.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Any

from playout import __version__
from playout.arena.work import dismiss, stop
from playout.errors import InputError
from playout.player.api import Player

if TYPE_CHECKING:
    from tornado.ioloop import IOLoop

MAX_THREADS = 1024
# Seconds of Python in one thread while another waits to go on. A search needs Python for microseconds between
# two calls of its kernel, and would else wait until the other is through with its whole move.
SWITCH = 0.0002
TRIES = 3  # of one game on workers that die, each as often as Dask itself tries
SECONDS_TO_CONNECT = 10.0
SECONDS_FOR_WORKERS = 30.0  # to come
SECONDS_BETWEEN_COUNTS = 2.0  # of a cluster's workers


class Pool(ABC):
    """An executor, how much it takes at once, and how its games are broken off."""

    executor: Executor
    players: Mapping[str, Player] = {}  # that are there already, in this process
    compiles_once = True  # whether all who play share what one of them compiles

    @abstractmethod
    def slots(self) -> int:
        """How many games it can be given at once without anybody waiting for work."""

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Let somebody do a piece of work."""
        return self.executor.submit(work, *arguments)

    def is_lost(self, error: BaseException) -> bool:
        """Whether work failed only because whoever did it is gone."""
        return False

    def stop(self, run: str) -> None:
        """Break off the games of a run."""
        stop(run)

    def dismiss(self, run: str) -> None:
        """A run has ended: its engines may go."""
        dismiss(run)

    def close(self) -> None:
        """Wait for what is under way, and end."""
        self.executor.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Threads(Pool):
    """So many games at once in this process."""

    def __init__(self, count: int = 1, players: Mapping[str, Player] | None = None) -> None:
        if not 1 <= count <= MAX_THREADS:
            raise InputError(f"{count} threads are not from 1 to {MAX_THREADS}")
        self.players = players or {}
        if self.players and count > 1:
            raise InputError("players that are objects play one game at a time; give specs to use threads")
        self._count = count
        self.executor = ThreadPoolExecutor(count, thread_name_prefix="game")
        self._before = sys.getswitchinterval()
        if count > 1:
            sys.setswitchinterval(SWITCH)

    def slots(self) -> int:
        return self._count + 1  # one that waits: nobody is idle while a game is being stored

    def close(self) -> None:
        super().close()
        sys.setswitchinterval(self._before)


class Cluster(Pool):
    """The workers of a Dask scheduler, wherever they are; they may come and go."""

    compiles_once = False

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise InputError("a cluster needs Dask: pip install 'playout[cluster]'") from None
        try:
            self._client = Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False, loop=_loop())
        except (OSError, ValueError, TypeError) as error:
            words = " ".join(str(error).split())[:200]
            raise InputError(f"no Dask scheduler answers at {address!r}: {words}") from None
        self.executor = self._client.get_executor(pure=False)
        self._counted_at, self._threads = -SECONDS_BETWEEN_COUNTS, 0
        try:
            self._client.wait_for_workers(1, timeout=SECONDS_FOR_WORKERS)
            self._check()
        except TimeoutError:
            self.close()
            raise InputError(
                f"the Dask scheduler at {address!r} has no workers; start some with: dask worker {address}"
            ) from None
        except BaseException:
            self.close()
            raise

    def _check(self) -> None:
        """Refuse workers that are of another version, or have none."""
        found: dict[str, str] = self._client.run(package_version)
        for worker, version in found.items():
            if version != __version__:
                raise InputError(f"worker {worker} has playout {version}, and this is {__version__}")

    def threads(self) -> int:
        """How many games the workers play at once."""
        now = time.monotonic()
        if now - self._counted_at >= SECONDS_BETWEEN_COUNTS:
            self._counted_at, self._threads = now, sum(self._client.nthreads().values())
        return self._threads

    def slots(self) -> int:
        return 2 * max(2, self.threads())  # the way to a worker is long: it has its next game already

    def is_lost(self, error: BaseException) -> bool:
        from distributed.scheduler import KilledWorker

        return isinstance(error, KilledWorker)

    def stop(self, run: str) -> None:
        self._tell(stop, run)

    def dismiss(self, run: str) -> None:
        self._tell(dismiss, run)

    def _tell(self, what: Callable[[str], None], run: str) -> None:
        """Let every worker do something; those that are gone, or cannot be reached, need not."""
        with contextlib.suppress(OSError, RuntimeError):
            self._client.run(what, run, on_error="ignore")

    def close(self) -> None:
        self.executor.shutdown(wait=False)
        self._client.close()


@cache
def _loop() -> IOLoop:
    """The loop in which this process talks to schedulers of Dask, in a thread of its own.

    Left to itself, a client starts one and fails if that takes ten seconds, as it may on a crowded machine.
    """
    from tornado.ioloop import IOLoop

    ready: Future[IOLoop] = Future()

    async def run() -> None:
        ready.set_result(IOLoop.current())
        await asyncio.Event().wait()

    threading.Thread(target=asyncio.run, args=(run(),), name="dask", daemon=True).start()
    return ready.result()


def package_version() -> str:
    """Which version of the package is here."""
    return __version__
