"""Thinking on while the opponent does: a search in the background, until somebody asks for something.

>>> from playout.games.go.board import Board
>>> pondering, thought = Pondering(), threading.Event()
>>> def think(position, go_on):
...     while go_on(0):
...         thought.set()
>>> pondering.begin(Board(5).play("C3"), think)
>>> thought.wait(10)
True
>>> pondering.end()
>>> pondering.is_under_way
False
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from playout.errors import InputError
from playout.games.position import Position

GoOn = Callable[[int], bool]  # asked in the middle of a search, as `search.workers.Workers.run` does


class Pondering:
    """At most one search in the background; any thread may end it."""

    def __init__(self) -> None:
        self._running: tuple[threading.Thread, threading.Event] | None = None

    @property
    def is_under_way(self) -> bool:
        """Whether there is one now."""
        return self._running is not None and self._running[0].is_alive()

    def begin(self, position: Position, think: Callable[[Position, GoOn], object]) -> None:
        """Think on where the opponent is to move, until `end`; not where nobody is.

        think: searches from the position that it is given, a copy, until it may not go on.
        """
        self.end()
        if position.is_over or position.is_chance:
            return
        copy, enough = position.copy(), threading.Event()

        def think_on() -> None:
            with contextlib.suppress(InputError):  # the next search meets it too, and says so to who asks
                think(copy, lambda done: not enough.is_set())

        thread = threading.Thread(target=think_on, name="pondering", daemon=True)
        self._running = thread, enough
        thread.start()

    def end(self) -> None:
        """Come back when nothing is thought any more."""
        running = self._running  # another thread may end it too
        if running is not None:
            thread, enough = running
            enough.set()
            thread.join()
            self._running = None
