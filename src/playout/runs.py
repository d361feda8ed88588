"""One engine for long jobs: a plan, its pieces, checkpoints, and going on after Ctrl-C or a kill.

- `Window` has pieces of work under way on an executor, so many at once, and leaves none behind.
- `Checkpoints` saves what there is, now and then and whatever ends the job.
- `Pace` says how much a piece is, so that somebody is told of it a few times a second.
- `FolderRun` is a job whose state is one file of a folder: made anew, or taken up where it stopped.
- `keep_settings` is for a job of many files in a folder, each of which is made once.

Whatever is under way at a kill is lost and done again; what was saved is whole. Jobs that keep every piece as
soon as it is there, as events of the arena and the tuner do in SQLite, need no checkpoints, only a window.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import numpy as np

from playout.errors import InputError
from playout.files import begin_folder, write_text
from playout.memory.archives import read_arrays, write_arrays

PIECE_SECONDS = 0.3  # between two looks at whether somebody wants us to stop
CHECKPOINT_SECONDS = 20.0
STOP_SECONDS = 0.5  # between two attempts to stop what is under way
STOP_TRIES = 20  # a search that begins at this moment does not hear the first

J = TypeVar("J")
R = TypeVar("R")


class Window(Generic[J, R]):
    """Pieces of work that are under way; a context, which ends with nothing left under way.

    submit: begins a piece. jobs: the pieces; a None among them waits until all before it have ended. slots:
    how many may be under way. in_order: give them in their order, and not as they end. stop: lets what is
    under way end soon; it is called until all have.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> pool = ThreadPoolExecutor(2)
    >>> with pool, Window(lambda n: pool.submit(abs, n), [-2, -1], lambda: 2) as window:
    ...     sorted(future.result() for _, future in window)
    [1, 2]
    """

    def __init__(
        self,
        submit: Callable[[J], Future[R]],
        jobs: Iterable[J | None],
        slots: Callable[[], int],
        *,
        in_order: bool = False,
        stop: Callable[[], None] = lambda: None,
    ) -> None:
        self._submit, self._jobs, self._slots = submit, iter(jobs), slots
        self._in_order, self._stop = in_order, stop
        self._under_way: dict[Future[R], J] = {}  # in the order in which they began
        self._again: deque[J] = deque()
        self._ended, self._ready = False, deque[tuple[J, Future[R]]]()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for future in self._under_way:
            future.cancel()
        if self._under_way:
            for _ in range(STOP_TRIES):
                self._stop()
                if not wait(self._under_way, timeout=STOP_SECONDS).not_done:
                    break

    def __iter__(self) -> Iterator[tuple[J, Future[R]]]:
        return self

    def __next__(self) -> tuple[J, Future[R]]:
        """A piece that has ended, and what has become of it."""
        while not self._ready:
            self._fill()
            if not self._under_way:
                raise StopIteration
            if self._in_order:
                first = next(iter(self._under_way))
                wait((first,))
                done = [first]
            else:
                ended = wait(self._under_way, return_when=FIRST_COMPLETED).done
                done = [future for future in self._under_way if future in ended]
            self._ready += [(self._under_way.pop(future), future) for future in done]
        return self._ready.popleft()

    def again(self, job: J) -> None:
        """Do a piece once more, before all that have not begun."""
        self._again.append(job)

    def _fill(self) -> None:
        """Begin as many pieces as there is room for."""
        while self._again and len(self._under_way) < self._slots():
            self._begin(self._again.popleft())
        while not self._ended and len(self._under_way) < self._slots():
            if self._waits and self._under_way:
                return
            self._waits = False
            job = next(self._jobs, _END)
            if job is _END:
                self._ended = True
            elif job is None:
                self._waits = True
            else:
                self._begin(job)  # type: ignore[arg-type]

    _waits = False  # whether all that is under way must end before the next piece is asked for

    def _begin(self, job: J) -> None:
        self._under_way[self._submit(job)] = job


_END = object()


class Checkpoints:
    """Saves now and then what a job has, and at its end, whatever ends it; a context.

    >>> with Checkpoints(lambda: print("saved")) as checkpoints:
    ...     checkpoints.between()
    saved
    """

    def __init__(self, save: Callable[[], None], seconds: float = CHECKPOINT_SECONDS) -> None:
        self._save, self._seconds = save, seconds
        self._saved_at = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._save()

    def between(self) -> None:
        """Between two pieces: save, if that was long ago."""
        if time.monotonic() - self._saved_at > self._seconds:
            self._save()
            self._saved_at = time.monotonic()


class Pace:
    """How much a piece of work is, so that it takes about a third of a second.

    >>> pace = Pace(64)
    >>> pace.took(0.01, 64)
    >>> pace.count
    128
    """

    def __init__(self, first: int = 1, least: int = 1) -> None:
        self.count, self._least = first, least

    def took(self, seconds: float, count: int) -> None:
        """A piece of so much took so long."""
        if seconds < PIECE_SECONDS / 2 and count >= self.count:
            self.count *= 2
        elif seconds > 2 * PIECE_SECONDS:
            self.count = max(self._least, self.count // 2)


class FolderRun(ABC):
    """A job in a folder, with a checkpoint that is always whole; the same call goes on from there.

    Its makers set what it begins with and then call `open`.
    """

    what = "a run of playout train"  # what the folder is, as in "that is not WHAT"

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.seconds = 0.0

    @property
    def checkpoint(self) -> Path:
        """The file that a run goes on from."""
        return self.folder / "checkpoint.npz"

    @abstractmethod
    def plan_facts(self) -> dict[str, Any]:
        """All that a result depends on; a folder of another plan is refused."""

    @abstractmethod
    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """What the run has so far, as facts and arrays that nothing changes any more."""

    @abstractmethod
    def restore(self, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Go on from there; KeyError, ValueError or TypeError where that cannot be."""

    @abstractmethod
    def pieces(self) -> Iterator[None]:
        """Do what is left, piece by piece."""

    @abstractmethod
    def finish(self) -> None:
        """Write the result where others look for it."""

    def open(self) -> None:
        """Go on from the checkpoint; or make the folder, and the checkpoint before anything is compiled."""
        there = self.checkpoint.exists()
        if there:
            facts, arrays = read_arrays(self.checkpoint)
            self.check(facts, arrays)
            before, now = facts.get("plan"), self.plan_facts()
            if before != now:
                raise InputError(f"{self.folder} is a run with other settings: {difference(before, now)}")
            try:
                self.restore(facts, arrays)
                self.seconds = float(facts.get("seconds", 0.0))
            except (KeyError, ValueError, TypeError):
                raise InputError(f"{self.checkpoint} is not a checkpoint that a run can go on from") from None
        else:
            begin_folder(self.folder, self.what)
        self.keep()
        if not there:
            self.save()

    def check(self, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:  # noqa: B027
        """Refuse the checkpoint of another kind of run, with a sentence of its own."""

    def keep(self) -> None:
        """Take down how far the run is, between two pieces: Ctrl-C can come in the middle of one."""
        facts, arrays = self.state()
        self._kept = {**facts, "plan": self.plan_facts(), "seconds": self.seconds}, arrays

    def save(self) -> None:
        """Write the checkpoint."""
        write_arrays(self.checkpoint, *self._kept)

    def train(self, progress: Callable[[Any], None] = lambda run: None) -> Self:
        """Do all that the plan says. progress: told of the run after each piece.

        Ctrl-C saves what there is; the same call goes on.
        """
        with Checkpoints(self.save, CHECKPOINT_SECONDS) as checkpoints:
            for _ in self.pieces():
                self.keep()
                progress(self)
                checkpoints.between()
        self.finish()
        return self


def keep_settings(path: Path, settings: Any, what: str, free: Container[str] = ()) -> None:
    """Make the folder of a job and its file of settings, or see that they are the same as before.

    settings: a dataclass; one that an older file does not have had its default then. what: what the folder
    is, as in "that is not WHAT". free: settings that may be others this time.
    """
    now = asdict(settings)
    if path.exists():
        try:
            before = dict(json.loads(path.read_text(encoding="utf-8")))
            is_ours = before.keys() <= now.keys()
        except (ValueError, TypeError):
            is_ours = False
        if not is_ours:
            raise InputError(f"{path} is not what we have written")
        same = {name: value for name, value in now.items() if name in free}
        before = {**asdict(type(settings)()), **before, **same}
        if before != now:
            raise InputError(f"{path.parent} was made with other settings: {difference(before, now)}")
    else:
        begin_folder(path.parent, what)
    write_text(path, json.dumps(now, indent=1) + "\n")


def difference(before: Any, now: Mapping[str, Any]) -> str:
    """Which settings of a run differ, in words.

    >>> difference({"seed": 1, "net": {"hidden": 80}}, {"seed": 1, "net": {"hidden": 40}})
    'hidden was 80 and is 40'
    """
    if not isinstance(before, dict):
        return "it does not say which"
    old, new = _flat(before), _flat(now)
    found = [
        f"{name} was {old.get(name)!r} and is {new[name]!r}" for name in new if old.get(name) != new[name]
    ]
    return "; ".join(found) or "they were made by another version"


def _flat(plan: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a plan and of its parts."""
    flat: dict[str, Any] = {}
    for name, value in plan.items():
        flat.update(value if isinstance(value, dict) else {name: value})
    return flat
