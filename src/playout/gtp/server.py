"""A GTP 2 server: lines in, answers out, whatever the lines are.

>>> server = Server("uniform:seed=1")
>>> server.execute("7 protocol_version")
'=7 2'
>>> server.execute("boardsize 20")
"? unacceptable size: board size '20' is not a whole number from 2 to 19"
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import queue
import re
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

# Importing a module of commands puts them into the table.
import playout.gtp.analysis
import playout.gtp.commands
import playout.gtp.insight
import playout.gtp.parameters
import playout.gtp.witness  # noqa: F401
from playout.errors import InputError, near
from playout.games.go import coords
from playout.gtp.session import Session
from playout.gtp.table import COMMANDS, Stream
from playout.player.api import Player

MAX_LINE = 1 << 16
QUEUED = 1000  # lines read ahead while a command runs

_CONTROL = dict.fromkeys((*range(32), 127)) | {ord("\t"): " "}
_ID = re.compile(r"[0-9]{1,19}", re.ASCII)
_ASCII = str.maketrans({"×": "x", "…": "...", "–": "-", "’": "'"})
_log = logging.getLogger(__name__)


class Server:
    """Answers GTP commands with a player.

    player: a spec such as ``flat:sims=100``, or a Player.
    """

    def __init__(self, player: str | Player, size: int = 9, komi: float = 7.5) -> None:
        self.session = Session(player, size, komi)
        self.done = False

    def execute(self, line: str) -> str:
        """The answer to one line, without the blank line after it. An analysis ends at its first report."""
        out = io.StringIO()
        self._answer(line.encode("utf-8", "replace"), out.write, lambda: True)
        return out.getvalue().rstrip("\n")

    def serve(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        """Answer lines until ``quit`` or the end of the input."""
        lines = Lines(stdin)

        def write(text: str) -> None:
            stdout.write(text.encode("utf-8", "replace"))
            stdout.flush()

        try:
            while not self.done:
                if not lines.waiting():
                    self.session.idle()
                line = lines.get()
                self.session.wake()
                if line is None:
                    break
                self._answer(line, write, lines.waiting)
        finally:
            lines.stop()
            self.session.close()

    def _answer(self, line: bytes, write: Callable[[str], Any], interrupted: Callable[[], bool]) -> None:
        """Write one answer; nothing for a line without a command."""
        text = line[:MAX_LINE].decode("utf-8", "replace")
        words = text.translate(_CONTROL).partition("#")[0].split()
        if not words:
            return
        number = words.pop(0) if _ID.fullmatch(words[0]) else ""
        try:
            if len(line) > MAX_LINE:
                raise InputError(f"syntax error: a line of more than {MAX_LINE} bytes is too long")
            result = self._run(words)
            if isinstance(result, Stream) and not result.endless:
                result = result.begun()  # what goes wrong before its first line is still a "?"
        except Exception as error:
            write(f"?{number} {_sentence(error)}\n\n")
            return
        if isinstance(result, Stream):
            self._follow(result, number, write, interrupted)
        else:
            write(f"={number}{_body(result or '')}\n\n")

    def _run(self, words: list[str]) -> str | Stream | None:
        if not words:
            raise InputError("syntax error: there is no command after the number")
        name, *arguments = words
        if name not in COMMANDS:
            hint = near(name[:40], COMMANDS)
            hint = hint if "did you mean" in hint else "; list_commands tells all"
            raise InputError(f"unknown command: {coords.shown(name)}{hint}")
        result = COMMANDS[name](self.session, arguments)
        self.done = name == "quit"
        return result

    def _follow(
        self, stream: Stream, number: str, write: Callable[[str], Any], interrupted: Callable[[], bool]
    ) -> None:
        """Write lines as they come; an endless stream ends when another line waits."""
        write(f"={number}\n")
        while True:
            try:
                line = next(stream.lines)
            except StopIteration:
                break
            except Exception as error:  # too late for a "?"
                print(f"playout: {_sentence(error)}", file=sys.stderr)
                break
            if line:
                write(line + "\n")
            if stream.endless and interrupted():
                stream.lines.close()
                break
        write("\n")


def _sentence(error: Exception) -> str:
    """What went wrong, on one line of ASCII."""
    text = str(error)
    if not isinstance(error, InputError):
        _log.debug("unexpected", exc_info=error)
        text = f"internal error: {type(error).__name__} {text}"
    return " ".join(text.translate(_ASCII).encode("ascii", "replace").decode().split())[:1000]


def _body(text: str) -> str:
    """An answer without blank lines, which would end it."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    return ("\n" if text.startswith("\n") else " ") + "\n".join(lines)


class Lines:
    """The lines of a stream, read ahead by a thread so that a new line can interrupt a command.

    Of a longer line only its first MAX_LINE + 1 bytes are kept.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._lines: queue.Queue[bytes | None] = queue.Queue(QUEUED)
        self._stopped = threading.Event()
        threading.Thread(target=self._read, args=(stream,), name="gtp-reader", daemon=True).start()

    def get(self) -> bytes | None:
        """The next line; None at the end."""
        return self._lines.get()

    def waiting(self) -> bool:
        """Whether there is a next line, or the end, by now."""
        return not self._lines.empty()

    def stop(self) -> None:
        """Read no further."""
        self._stopped.set()

    def _read(self, stream: BinaryIO) -> None:
        read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        kept = b""
        with contextlib.suppress(OSError, ValueError):  # a closed stream is an ended one
            while not self._stopped.is_set():
                chunk = read(MAX_LINE)
                if not chunk:
                    break
                *ended, rest = chunk.split(b"\n")
                for line in ended:
                    self._put(kept + line)
                    kept = b""
                kept = (kept + rest)[: MAX_LINE + 1]
        if kept:
            self._put(kept)
        self._put(None)

    def _put(self, line: bytes | None) -> None:
        while not self._stopped.is_set():
            with contextlib.suppress(queue.Full):
                self._lines.put(line and line[: MAX_LINE + 1], timeout=0.2)
                return


def serve_stdio(player: str | Player, size: int = 9, komi: float = 7.5) -> None:
    """Serve GTP on this process's standard input and output."""
    server = Server(player, size, komi)
    # Unbuffered: a reader that waits inside a buffered stream holds its lock, and the interpreter
    # cannot end.
    with open(0, "rb", buffering=0, closefd=False) as stdin, contextlib.suppress(BrokenPipeError):
        server.serve(stdin, sys.stdout.buffer)
        return
    # The controller has gone; what is still buffered has nowhere to go.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
