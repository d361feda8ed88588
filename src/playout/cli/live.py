"""An event while it goes on: the table, how fast it goes and how long it will take; lines where there is no
terminal."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from playout.cli.options import SECONDS_BETWEEN_LINES, console

QUIET = ("score", "resignation")  # games that end so are not spoken of
MAX_NOTES = 20
SHARE = 0.05  # of the time at most goes into making tables
PAUSE = 0.05  # seconds at least between two tables


class Scoreboard:
    """Shows an event on stderr. table: makes the table of the games so far, and a short line."""

    def __init__(self, total: int, done: int, table: Callable[[], tuple[Any, str]]) -> None:
        self._console = console(stderr=True, whole=False)
        self._total, self._before, self._done = max(total, done), done, done
        self._make = table
        self._table, self._said = None, ""
        self._began = self._made_at = time.monotonic()
        self._line_at = self._began + SECONDS_BETWEEN_LINES
        self._cost = 0.0
        self._compiling = ""
        self._notes = 0
        self._live: Any = None
        self._stack = ExitStack()

    def __enter__(self) -> Scoreboard:
        from playout.kernel.progress import compile_progress

        self._stack.__enter__()
        if self._console.is_terminal:
            from rich.live import Live

            self._live = Live(
                get_renderable=self._picture, console=self._console, transient=True, refresh_per_second=4
            )
            self._stack.enter_context(self._live)
        self._stack.enter_context(compile_progress(self._tell if self._console.is_terminal else None))
        self._renew()
        return self

    def __exit__(self, *failure: Any) -> None:
        self.stop()
        self._stack.__exit__(*failure)

    def stop(self) -> None:
        """Take the table away."""
        if self._live is not None:
            self._live.stop()

    def ended(self, number: int, reason: str, detail: str) -> None:
        """One more game has ended."""
        if reason not in QUIET:
            self._notes += 1
            if self._notes <= MAX_NOTES:
                self.note(f"game {number}: {detail}")
            if self._notes == MAX_NOTES:
                self.note("further games that end by a fault are only counted")
        self.at(self._done + 1)

    def at(self, done: int) -> None:
        """So many games have ended."""
        self._done = done
        now = time.monotonic()
        if self._live is not None and now - self._made_at >= max(PAUSE, self._cost / SHARE):
            self._renew()
        elif self._live is None and now >= self._line_at:
            self._renew()
            self._line_at = now + SECONDS_BETWEEN_LINES
            self.note(f"games {self._done}/{self._total}: {self._said}; {self._speed()}")

    def note(self, words: str) -> None:
        """Something that stays on the screen."""
        self._console.print(words, markup=False, soft_wrap=True)

    def _renew(self) -> None:
        begin = time.monotonic()
        self._table, self._said = self._make()
        self._made_at = time.monotonic()
        self._cost = self._made_at - begin

    def _speed(self) -> str:
        """How many pairs are left, how fast games are played, and how long the rest takes."""
        left = self._total - self._done
        pairs = (left + 1) // 2
        told = [f"{pairs:,} pair{'s' if pairs != 1 else ''} left"]
        new, minutes = self._done - self._before, (time.monotonic() - self._began) / 60
        if new and minutes > 0:
            told.append(f"{new / minutes:,.1f} games/min")
            told.append(f"ETA {duration(left / new * minutes * 60)}")
        return ", ".join(told)

    def _picture(self) -> Any:
        from rich.console import Group
        from rich.text import Text

        line = f"{self._done}/{self._total} games, {self._speed()}"
        if self._compiling:
            line += f"; {self._compiling}"
        return Group(*([] if self._table is None else [self._table]), Text(line, "dim"))

    def _tell(self, compiling: str | None) -> None:
        self._compiling = compiling or ""


def duration(seconds: float) -> str:
    """A time as people read it.

    >>> duration(75), duration(7530)
    ('1:15', '2:05:30')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
