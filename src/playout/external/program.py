"""A program outside, in a process of its own: it cannot hang us, and it does not outlive us.

What it says comes line by line, each waited for with a limit. One that does not answer in time or dies is an
EngineError that says which program, what it was asked, and its last words. It is then killed with everything
it started. What the lines mean is the protocol's matter: GTP in Go, others in other games.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

from playout.errors import InputError, shown
from playout.external import guard, silence
from playout.player.api import EngineError, NoAnswer

GAMES = os.pathsep.join(("/usr/games", "/usr/local/games"))  # Debian's, often not on PATH
QUIT_SECONDS = 1.0  # for a program to end by itself
MAX_LINE = 1 << 16
MAX_LINES = 10_000  # in one answer
MAX_ERRORS = 1 << 16  # characters of a program's error output that are kept, the last ones
QUEUED = 256  # lines that wait to be read
SLICE = 1.0  # seconds that are waited at a time
PATIENCE = 3.0  # seconds of silence until whoever waits is told for whom
STOPPED = 5.0  # a wait that took so many seconds more than it should: it was us who stood still


def find_command(command: str | Sequence[str], folder: str | Path | None = None) -> list[str]:
    """A command line as words, the program with its path. folder: where one such as ./engine is seen from.

    >>> find_command("no-such-engine --mode gtp")
    Traceback (most recent call last):
    ...
    playout.player.api.EngineError: there is no program 'no-such-engine' on this machine
    """
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise EngineError(f"the engine's command {shown(command)} is not readable: {error}") from None
    if not words:
        raise EngineError("an engine needs a command line, as in gtp:gnugo --mode gtp")
    if "\0" in "".join(words):
        raise EngineError("the engine's command has a null character in it")
    if os.path.dirname(words[0]):
        wanted = os.path.abspath(os.path.join(folder or "", words[0]))
        program, where = shutil.which(wanted), f": there is none at {shown(wanted, 200)}"
    else:
        program, where = shutil.which(words[0]) or shutil.which(words[0], path=GAMES), ""
    if program is None:
        raise EngineError(f"there is no program {shown(words[0])} on this machine{where}")
    return [program, *words[1:]]


@dataclass
class Wait:
    """What is left of the time for an answer. told: whether it was said for whom we wait, or need not be."""

    command: str
    timeout: float
    told: bool = False
    left: float = 0.0

    def __post_init__(self) -> None:
        self.left = self.timeout


class Program:
    """A program outside that answers in lines.

    timeout: seconds that any answer may take. folder: where it starts, and sees its files from.
    answers_later: it does not answer on its output, which is then kept with its errors; `hear` says where it
    does.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        timeout: float = 60.0,
        folder: str | Path | None = None,
        start_in: str | Path | None = None,
        answers_later: bool = False,
    ) -> None:
        words = find_command(command, folder)
        self.name = os.path.basename(words[0])
        self.timeout = timeout
        self._lines: queue.Queue[str | None] = queue.Queue(QUEUED)
        self._errors = _Errors()
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if answers_later else subprocess.PIPE,
                start_new_session=True,  # a group of its own, to be killed as one
                bufsize=0,
                cwd=start_in or folder,
            )
        except OSError as error:
            raise EngineError(f"engine {self.name} cannot be started: {error.strerror or error}") from None
        guard.watch(self._process.pid)
        self._ended_event = threading.Event()
        self._finalizer = weakref.finalize(self, _kill, self._process, self._ended_event)
        # The threads know the pipes but not the program, which may so be collected.
        pipe = self._process.stdout if answers_later else self._process.stderr
        self._listener = threading.Thread(target=partial(_read_errors, pipe, self._errors), daemon=True)
        self._listener.start()
        if not answers_later:
            self.hear(self._process.stdout)

    def hear(self, pipe: Any) -> None:
        """Take its answers from here, anything with a `fileno`."""
        answers = partial(_read_answers, pipe, self._lines, self._ended_event)
        threading.Thread(target=answers, daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return self._finalizer.alive

    def take_errors(self) -> str:
        """The last that it has written to its error output since this was asked before."""
        if not self.alive:
            self._listener.join(QUIT_SECONDS)  # it may not have read all yet
        return self._errors.take()

    def close(self) -> None:
        """Ask the program to end, wait shortly, then kill it."""
        if not self.alive:
            return
        with contextlib.suppress(EngineError):
            self.send("quit", "quit")
            self._drain(QUIT_SECONDS)
        self._finalizer()

    def kill(self) -> None:
        """End the program now. From any thread: whoever waits for an answer gets an EngineError."""
        self._finalizer()
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextlib.contextmanager
    def asking(self, command: str) -> Any:
        """A question, one line, and its answer; what goes wrong meanwhile is the end of the program."""
        if "\n" in command or "\r" in command:
            raise InputError(f"a command to an engine is one line, not {shown(command)}")
        if not self.alive:
            raise EngineError(f"engine {self.name} is closed")
        try:
            yield
        except BaseException:  # after Ctrl-C too: a late answer would go to the next question
            self._finalizer()
            raise

    def send(self, line: str, command: str) -> None:
        """Say a line. command: what it is called where it fails."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode())
        except OSError:
            raise EngineError(self.ended(command)) from None

    def next_line(self, wait: Wait) -> str:
        """The next line that it says."""
        while True:
            began, limit = time.monotonic(), min(SLICE, wait.left)
            try:
                line, silent = self._lines.get(timeout=limit), False
            except queue.Empty:
                line, silent = None, True
            took = time.monotonic() - began
            if took < limit + STOPPED:  # else it was Ctrl-Z, or a machine at a standstill
                wait.left -= took
            if wait.left <= 0:
                raise NoAnswer(
                    f"engine {self.name} did not answer {shown(wait.command)} within {wait.timeout:g} seconds"
                )
            if not wait.told and wait.timeout - wait.left >= PATIENCE:
                silence.tell(
                    f"waiting for engine {self.name}, which has not answered {shown(wait.command)} yet "
                    f"(it has {wait.timeout:g} seconds)"
                )
                wait.told = True
            if silent:
                continue
            if line is None:
                raise EngineError(self.ended(wait.command))
            return line

    def _drain(self, timeout: float) -> None:
        """Read until the program closes its output, or for so many seconds."""
        deadline = time.monotonic() + timeout
        with contextlib.suppress(queue.Empty):
            while self._lines.get(timeout=max(0.0, deadline - time.monotonic())) is not None:
                pass

    def ended(self, command: str) -> str:
        """That the program has died, why, and what it said last."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(QUIT_SECONDS)
        self._listener.join(QUIT_SECONDS)  # it may not have read all yet
        code = self._process.returncode
        if code is None:
            how = "closed its output"
        elif code < 0:
            how = f"was ended by signal {-code}"
        else:
            how = f"ended with exit code {code}"
        said = one_line(" / ".join(self._errors.last(5)))
        told = f"engine {self.name} {how} when it was asked {shown(command)}"
        return f"{told}; it said: {said}" if said else told


def one_line(text: str) -> str:
    """Somebody's words on one short line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300]


def _read_answers(pipe: Any, lines: queue.Queue[str | None], ended: threading.Event) -> None:
    """Put an engine's lines into a queue, without control characters and not longer than MAX_LINE."""

    def put(line: str | None) -> None:
        while not ended.is_set():
            with contextlib.suppress(queue.Full):
                lines.put(line, timeout=0.2)
                return

    with contextlib.suppress(OSError, ValueError), os.fdopen(os.dup(pipe.fileno()), "rb") as stream:
        whole = True
        while chunk := stream.readline(MAX_LINE):
            if whole:  # of a longer line only the beginning
                text = chunk.decode("utf-8", "replace")
                put("".join(c if c.isprintable() else " " * (c == "\t") for c in text))
            whole = chunk.endswith(b"\n")
    put(None)


class _Errors:
    """The last of an engine's error output, as bytes come in."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._length = 0
        self._lock = threading.Lock()
        self._pipe: int | None = None

    def listen(self, pipe: int) -> None:
        """Keep what comes, until there is no more."""
        self._pipe = pipe
        while _has_more(pipe, None):
            with self._lock:
                if not self._read(pipe):
                    self._pipe = None
                    return

    def _read(self, pipe: int) -> bool:
        """Take what has come; whether there can be more."""
        if not _has_more(pipe, 0):
            return True  # whoever asked for it last has it
        chunk = os.read(pipe, MAX_LINE)
        self._chunks.append(chunk)
        self._length += len(chunk)
        while self._length > MAX_ERRORS + len(self._chunks[0]):
            self._length -= len(self._chunks.popleft())
        return bool(chunk)

    def _text(self) -> str:
        """All of it, also what the listener has had no time for yet."""
        while self._pipe is not None and _has_more(self._pipe, 0) and self._read(self._pipe):
            pass
        return b"".join(self._chunks).decode("utf-8", "replace").replace("\0", " ")[-MAX_ERRORS:]

    def take(self) -> str:
        """What was said since it was asked last."""
        with self._lock:
            text = self._text()
            self._chunks.clear()
            self._length = 0
        return text

    def last(self, count: int) -> list[str]:
        """The last lines."""
        with self._lock:
            lines = [line[:500].strip() for line in self._text().splitlines()]
        return [line for line in lines if line][-count:]


def _has_more(pipe: int, milliseconds: int | None) -> bool:
    """Whether there is something to read, the end included, within some time; None: wait for it."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN | select.POLLHUP)
    return bool(poll.poll(milliseconds))


def _read_errors(pipe: Any, errors: _Errors) -> None:
    """Keep an engine's error output."""
    with contextlib.suppress(OSError, ValueError):
        own = os.dup(pipe.fileno())
        try:
            errors.listen(own)
        finally:
            os.close(own)


def _kill(process: subprocess.Popen[bytes], ended: threading.Event) -> None:
    """End a process and all that it started."""
    ended.set()
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    for pipe in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            if pipe is not None:
                pipe.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(QUIT_SECONDS)
        guard.release(process.pid)
