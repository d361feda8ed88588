"""A line in the terminal that moves while something takes long."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from rich.console import Console

from playout.kernel.progress import compile_progress

PATIENCE = 0.3  # seconds in which nobody needs to be told


@contextlib.contextmanager
def waiting(console: Console, words: Callable[[], str]) -> Iterator[None]:
    """Inside the block a line says what is going on, or what is compiled for it, and for how many seconds.

    Only on a terminal; afterwards the line is gone.
    """
    if not console.is_terminal or console.is_dumb_terminal:
        yield
        return
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    began, compiling, spinner = time.monotonic(), "", Spinner("dots")

    def tell(kernel: str | None) -> None:
        nonlocal compiling
        compiling = kernel or ""

    def picture() -> Spinner | Text:
        seconds = time.monotonic() - began
        if seconds < PATIENCE:
            return Text()
        spinner.update(
            text=Text(f"{compiling or words()} … {seconds:.0f} s", overflow="ellipsis", no_wrap=True)
        )
        return spinner

    with Live(get_renderable=picture, console=console, transient=True), compile_progress(tell):
        yield
