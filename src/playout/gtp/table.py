"""The table of GTP commands, and how the words of a line become a command's arguments.

A command is a function of the session and of typed arguments; its signature is its grammar::

    @command("play", refusal="illegal move")
    def play(session, color: Color, vertex: str): ...

Words that do not fit the signature are a ``syntax error``. An InputError from inside the function is
answered with the words that GTP 2 fixes for that command (``refusal``), then the reason.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import re
import typing
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NewType

from playout.errors import InputError
from playout.games.go import coords

Color = NewType("Color", int)

COLORS = ("b", "w", "black", "white")

_WHOLE = re.compile(r"[0-9]{1,10}", re.ASCII)
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", re.ASCII)


@dataclass(frozen=True)
class Stream:
    """An answer that comes in lines while the engine thinks; None where nothing is to be said yet.

    endless: it only ends because the controller sends another line.
    """

    lines: Generator[str | None, None, None]
    endless: bool

    def begun(self) -> Stream:
        """The same, with its first line made."""

        def all_lines(first: str | None) -> Generator[str | None, None, None]:
            yield first
            yield from self.lines

        return Stream(all_lines(next(self.lines)), self.endless)


@contextlib.contextmanager
def refused(words: str) -> Iterator[None]:
    """Put GTP's fixed words before the reason why an input is refused."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{words}: {error}" if words else str(error)) from None


def whole(word: str) -> int:
    """A whole number, 0 or more."""
    if not _WHOLE.fullmatch(word):
        raise InputError(f"{coords.shown(word)} is not a whole number")
    return int(word)


def number(word: str) -> float:
    """A finite number.

    >>> number("1e999")
    Traceback (most recent call last):
    ...
    playout.errors.InputError: '1e999' is not a finite number
    """
    value = float(word) if _NUMBER.fullmatch(word) else math.nan
    if not math.isfinite(value):
        raise InputError(f"{coords.shown(word)} is not a finite number")
    return value


def color(word: str) -> int:
    """A colour as GTP writes it, and not as boards are drawn.

    >>> color("W"), color("black")
    (2, 1)
    >>> color("x")
    Traceback (most recent call last):
    ...
    playout.errors.InputError: colour 'x' is neither black nor white (b, w)
    """
    if word.lower() not in COLORS:
        raise InputError(f"colour {coords.shown(word)} is neither black nor white (b, w)")
    return coords.parse_color(word)


_CONVERT: dict[Any, Callable[[str], Any]] = {
    Color: color,
    int: whole,
    float: number,
    str: str,
}


@dataclass(frozen=True)
class Command:
    """A command: its function, what GTP calls its refusal, and its parameters."""

    name: str
    run: Callable[..., str | Stream | None]
    refusal: str
    parameters: tuple[tuple[str, Callable[[str], Any]], ...]
    required: int
    rest: bool  # the last parameter takes any number of words

    @property
    def usage(self) -> str:
        """The command as it must be typed: ``loadsgf FILE [MOVE…]``."""
        words = [self.name]
        for k, (name, _) in enumerate(self.parameters):
            word = name.upper() + ("…" if self.rest and k == len(self.parameters) - 1 else "")
            words.append(word if k < self.required else f"[{word}]")
        return " ".join(words)

    def __call__(self, session: Any, words: Sequence[str]) -> str | Stream | None:
        """Carry the command out."""
        arguments = self.arguments(words)
        with refused(self.refusal):
            return self.run(session, *arguments)

    def arguments(self, words: Sequence[str]) -> list[Any]:
        """The words of a line as arguments."""
        if len(words) < self.required or (len(words) > len(self.parameters) and not self.rest):
            raise InputError(f"syntax error: usage is {self.usage}")
        converters = [convert for _, convert in self.parameters]
        converters += converters[-1:] * (len(words) - len(converters))
        with refused("syntax error"):
            return [convert(word) for convert, word in zip(converters, words, strict=False)]


COMMANDS: dict[str, Command] = {}


def command(name: str, refusal: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a function into the table."""

    def add(run: Callable[..., Any]) -> Callable[..., Any]:
        _, *parameters = inspect.signature(run, eval_str=True).parameters.values()
        rest = bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_POSITIONAL
        required = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
        COMMANDS[name] = Command(
            name=name,
            run=run,
            refusal=refusal,
            parameters=tuple((p.name, _converter(p.annotation)) for p in parameters),
            required=len(required),
            rest=rest,
        )
        return run

    return add


def _converter(hint: Any) -> Callable[[str], Any]:
    """What makes a parameter of its word; ``T | None`` is a T that may be left out."""
    return _CONVERT[hint if hint in _CONVERT else typing.get_args(hint)[0]]
