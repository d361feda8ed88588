"""Who waits for an engine that does not answer is told for which; the command line says it on stderr."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

_listeners: list[Callable[[str], None]] = []


@contextlib.contextmanager
def told(listener: Callable[[str], None]) -> Iterator[None]:
    """Inside the block, in all threads, sentences about silent engines go to a listener.

    >>> with told(print):
    ...     tell("waiting for engine cat")
    waiting for engine cat
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(words: str) -> None:
    """Let all who listen know."""
    for listener in tuple(_listeners):
        listener(words)
