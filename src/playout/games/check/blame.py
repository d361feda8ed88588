"""What went wrong in a game's function, in one sentence: which function, which line, why.

An exception from plain Python has a traceback. One from compiled code has none, and what Numba says when it
cannot compile something fills a page. The innermost reason is one line of it.
"""

from __future__ import annotations

import os
import re
import traceback
from dataclasses import dataclass

from numba.core.errors import NumbaError

LONGEST = 240  # letters of a reason
# What Numba says around the reason.
_FRAME = re.compile(
    r"Failed in nopython mode pipeline|Rejected as the implementation|During: |raised from |^- "
)
_SIGNATURE = re.compile(r">>> (.+)")
_NO_FUNCTION = re.compile(r"No implementation of function Function\(<.*?(\w+)(?: at \w+)?>\)")
_PLAIN_FUNCTION = re.compile(r"Untyped global name '(\w+)':[^<]*<class 'function'>")
_PLACE = re.compile(r'File "([^"]+)", line (\d+)|(?:at|Raised from) ([^\s()]+) \((\d+)\)')
_ADVICE = {
    IndexError: "an array ends before that",
    OverflowError: "give the field a wider type",
    AttributeError: "the state has the fields of its type and no others",
    RecursionError: "write a loop, since compiled functions do not call themselves",
}


@dataclass(frozen=True)
class Place:
    """Where in a game's file something happened: the function, by its own name, and the line."""

    function: str
    line: int


def shortened(words: object) -> str:
    """A message in one line, not too long."""
    line = " ".join(str(words).split()).rstrip(".")
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def place_of(error: BaseException, file: str) -> Place | None:
    """The innermost line of a file that an exception passed."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == file and frame.lineno is not None:
            return Place(frame.name, frame.lineno)
    return None


def numba_reason(error: BaseException, file: str) -> tuple[str, int | None]:
    """Why Numba could not compile a function: its innermost reason, and the line of the file."""
    said = str(error)
    lines = [line.strip() for line in said.splitlines()]
    reason = next((line for line in lines if line and not _FRAME.search(line)), type(error).__name__)
    plain = _PLAIN_FUNCTION.search(said)
    if plain is not None:
        reason = f"{plain.group(1)}() is plain Python: mark it @inner (from playout.kernel)"
    missing = _NO_FUNCTION.search(reason)
    if missing is not None:
        signature = _SIGNATURE.search(said)
        reason = f"it does not know {signature.group(1) if signature else missing.group(1)}"
    reason = re.sub(r"Literal\[(\w+)\]\(.*?\)", r"\1", reason)
    reason = re.sub(r"Record\(.*?;\d+;(?:True|False)\)", "state", reason)
    places = [(match[0] or match[2], int(match[1] or match[3])) for match in _PLACE.findall(said)]
    here = [line for path, line in places if os.path.basename(path) == os.path.basename(file)]
    return shortened(_PLACE.sub("", reason)), here[0] if here else None


def uncompilable(what: str, error: BaseException, file: str) -> str:
    """That Numba cannot compile something, and why."""
    reason, line = numba_reason(error, file)
    where = "" if line is None else f" (line {line})"
    return f"{what} cannot be compiled{where}: {reason}"


def sentence(function: str, error: BaseException, file: str) -> str:
    """What went wrong when a function of a game was called.

    >>> sentence("play", ZeroDivisionError("division by zero"), "nim.py")
    'play() fails: ZeroDivisionError: division by zero'
    """
    if isinstance(error, NumbaError):
        return uncompilable(f"{function}()", error, file)
    place = place_of(error, file)
    where = "" if place is None else f" in line {place.line}"
    if place is not None and place.function != function:
        where += f" ({place.function})"
    advice = next((f": {words}" for kind, words in _ADVICE.items() if isinstance(error, kind)), "")
    return f"{function}() fails{where}: {said_by(error)}{advice}"


def said_by(error: BaseException, file: str = "") -> str:
    """An exception in a few words."""
    if isinstance(error, NumbaError):
        return uncompilable("it", error, file)
    words = shortened(error)
    if "unresolved symbol" in words:
        return "a function calls itself, which compiled ones cannot: write a loop"
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
