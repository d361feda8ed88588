"""When a search has thought long enough."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.position import Position
from playout.player.clock import Clock

UNBOUNDED = 1 << 62
LOOK = 256  # simulations between two looks at whether the choice is clear


def deadline(
    name: str,
    sims: int | None,
    seconds: float | None,
    clock: Clock,
    position: Position,
    decay: float | None = None,
) -> float | None:
    """The moment at which a search that begins now must end: its seconds or the clock's, if fewer.

    None where only the simulations are counted; a player without any limit is refused. decay: see
    `Clock.share`.
    """
    budget = clock.budget(position, decay)
    times = [limit for limit in (seconds, budget) if limit is not None]
    if not times and sims is None:
        raise InputError(f"player {name} has sims=none and no time: set its seconds, or a clock")
    return time.monotonic() + min(times) if times else None


@dataclass
class Limit:
    """Asked in the middle of a search whether it goes on: is there time, and can another move catch up?

    visits: the visits of the moves so far; None if a clear choice is no reason to stop.
    """

    sims: int | None
    deadline: float | None
    stopped: threading.Event
    visits: Callable[[], np.ndarray] | None = None

    def __post_init__(self) -> None:
        self._began = time.monotonic()
        self._look_at = LOOK

    def __call__(self, done: int) -> bool:
        if self.stopped.is_set():
            return False
        now = time.monotonic() if self.deadline is not None else 0.0
        if self.deadline is not None and now >= self.deadline:
            return False
        # Without a clock the looks are at fixed numbers: the same seed then stops at the same simulation.
        if self.visits is None or done < self._look_at:
            return True
        self._look_at = done - done % LOOK + LOOK
        to_come: float = UNBOUNDED if self.sims is None else self.sims - done
        if self.deadline is not None:
            rate = done / max(1e-9, now - self._began)
            to_come = min(to_come, rate * (self.deadline - now))
        return not is_clear(self.visits(), to_come)


def is_clear(visits: np.ndarray, to_come: float) -> bool:
    """Whether the most visited move stays so whatever comes.

    >>> is_clear(np.array([10, 70, 20]), 49), is_clear(np.array([10, 70, 20]), 50)
    (True, False)
    """
    if visits.size < 2:
        return True
    second, first = np.partition(visits, visits.size - 2)[-2:].tolist()
    return bool(first - second > to_come)
