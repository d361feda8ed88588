"""Show what is being compiled, and for how long: the first run of a version takes seconds, not milliseconds.

Numba announces every compilation as an event, and none when it finds machine code in the cache: a warm
start shows nothing. A kernel's callees are compiled inside it, so only the outermost name is shown. Of code
that is not kept for the next process (see `cache`), it says that every run compiles it.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TextIO

from numba.core import event

from playout.kernel import cache

SECONDS_BETWEEN_LINES = 1.0  # where there is no terminal


@dataclass
class Compiled:
    """What has been compiled so far: how many kernels, how many functions in them, how many seconds.

    lost: of the kernels, those that the next process has to compile again.
    """

    kernels: int = 0
    lost: int = 0
    functions: int = 0
    seconds: float = 0.0


class _Display(Protocol):
    """Where progress is shown: told when a kernel begins, while it goes on, and when it is done."""

    def begin(self, words: str, so_far: Compiled) -> None: ...

    def go_on(self, words: str, so_far: Compiled) -> None: ...

    def end(self) -> None: ...


class _Watch(event.Listener):
    """Counts compilations and tells a display about the outermost ones, unless a watch inside it does."""

    watching: ClassVar[list[_Watch]] = []

    def __init__(self, display: _Display) -> None:
        self.so_far = Compiled()
        self._display = display
        self._depth = 0
        self._words, self._is_kept = "", True
        self._before = 0.0
        self._started = 0.0

    def _tick(self) -> None:
        self.so_far.seconds = self._before + time.monotonic() - self._started

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            dispatcher = event.data["dispatcher"]
            self._is_kept = cache.is_kept(dispatcher, event.data["args"])
            when = "first run only" if self._is_kept else "in every run"
            self._words = f"compiling ({when}): {dispatcher.py_func.__name__.strip('_')}"
            self._before, self._started = self.so_far.seconds, time.monotonic()
            self._quietly(self._display.begin)
        self._depth += 1
        self.so_far.functions += 1
        self._tick()
        self._quietly(self._display.go_on)

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        self._tick()
        if self._depth == 0:
            self.so_far.kernels += 1
            self.so_far.lost += not self._is_kept
            self._quietly(lambda words, so_far: self._display.end())

    def _quietly(self, tell: Callable[[str, Compiled], None]) -> None:
        # A closed stderr must not stop a compilation.
        with contextlib.suppress(OSError, ValueError):
            if self.watching[-1] is self:
                tell(self._words, self.so_far)


class _Lines:
    """A line now and then, for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last = -SECONDS_BETWEEN_LINES

    def begin(self, words: str, so_far: Compiled) -> None:
        self.go_on(words, so_far)

    def go_on(self, words: str, so_far: Compiled) -> None:
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            print(f"{words} … {so_far.seconds:.1f} s", file=self._stream, flush=True)

    def end(self) -> None:
        pass


class _Spinner:
    """One line that moves and goes away, for terminals."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        self._console = Console(file=stream)
        self._live: Any = None

    def begin(self, words: str, so_far: Compiled) -> None:
        from rich.live import Live
        from rich.spinner import Spinner

        before, started = so_far.seconds, time.monotonic()

        def picture() -> Spinner:
            seconds = before + time.monotonic() - started
            spinner.update(text=f"{words} … {seconds:.1f} s")
            return spinner

        spinner = Spinner("dots")
        self._live = Live(get_renderable=picture, console=self._console, transient=True)
        self._live.start()

    def go_on(self, words: str, so_far: Compiled) -> None:
        pass

    def end(self) -> None:
        self._live.stop()


class _Told:
    """A caller that shows progress in a display of its own."""

    def __init__(self, tell: Callable[[str | None], None]) -> None:
        self._tell = tell

    def begin(self, words: str, so_far: Compiled) -> None:
        self._tell(words)

    def go_on(self, words: str, so_far: Compiled) -> None:
        pass

    def end(self) -> None:
        self._tell(None)


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # it is closed
        return False


@contextlib.contextmanager
def compile_progress(tell: Callable[[str | None], None] | None = None) -> Iterator[Compiled]:
    """Show on stderr what is compiled inside the block; gives what has been compiled so far.

    tell: instead of showing it, call this with words for each kernel, and with None when it is done. Of two
    such blocks in each other the inner one shows it.
    """
    display: _Display
    if tell is not None:
        display = _Told(tell)
    elif sys.stderr is None:
        display = _Told(lambda name: None)
    elif _is_terminal(sys.stderr):
        display = _Spinner(sys.stderr)
    else:
        display = _Lines(sys.stderr)
    watch = _Watch(display)
    watch.watching.append(watch)
    try:
        with event.install_listener("numba:compile", watch):
            yield watch.so_far
    finally:
        watch.watching.remove(watch)
