"""Any engine that speaks GTP, as a subprocess that cannot hang us, and as a player.

An engine that does not answer in time, dies, or answers nonsense is an EngineError that says which
engine, what it was asked, and its last words. It is then killed with everything it started.
"""

from __future__ import annotations

import contextlib
import math
import os
import queue
import re
import select
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from playout.errors import InputError
from playout.games.go import coords
from playout.games.go.board import Board, Move
from playout.games.go.state import BLACK
from playout.gtp import guard, silence
from playout.player.api import RESIGN, EngineError, NoAnswer, Player, Refusal, WrongMove
from playout.player.clock import Clock
from playout.settings import setting

GAMES = os.pathsep.join(("/usr/games", "/usr/local/games"))  # Debian's, often not on PATH
QUIT_SECONDS = 1.0  # for an engine to end by itself
MAX_LINE = 1 << 16
MAX_LINES = 10_000  # in one answer
MAX_ERRORS = 1 << 16  # characters of an engine's error output that are kept, the last ones
QUEUED = 256  # lines that wait to be read
SLICE = 1.0  # seconds that are waited at a time
PATIENCE = 3.0  # seconds of silence until whoever waits is told for whom
THINKING = ("genmove", "reg_genmove")  # what an engine thinks about
STOPPED = 5.0  # a wait that took so many seconds more than it should: it was us who stood still
_HEAD = re.compile(r"([=?])([0-9]*)\s*(.*)")


@dataclass(frozen=True, kw_only=True)
class GtpSettings:
    """Settings of a player that is an external engine."""

    command: str = setting("", "command line that starts the engine")
    timeout: float = setting(60.0, "seconds to wait for any answer", low=0.001, high=1e6)


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
        raise EngineError(f"the engine's command {coords.shown(command)} is not readable: {error}") from None
    if not words:
        raise EngineError("an engine needs a command line, as in gtp:gnugo --mode gtp")
    if "\0" in "".join(words):
        raise EngineError("the engine's command has a null character in it")
    if os.path.dirname(words[0]):
        wanted = os.path.abspath(os.path.join(folder or "", words[0]))
        program, where = shutil.which(wanted), f": there is none at {coords.shown(wanted, 200)}"
    else:
        program, where = shutil.which(words[0]) or shutil.which(words[0], path=GAMES), ""
    if program is None:
        raise EngineError(f"there is no program {coords.shown(words[0])} on this machine{where}")
    return [program, *words[1:]]


class Engine:
    """A GTP engine in a process of its own.

    timeout: seconds that any answer may take. folder: where it starts, and sees its files from.
    """

    def __init__(
        self, command: str | Sequence[str], timeout: float = 60.0, folder: str | Path | None = None
    ) -> None:
        words = find_command(command, folder)
        self.name = os.path.basename(words[0])
        self.timeout = timeout
        self._number = 0
        self._lines: queue.Queue[str | None] = queue.Queue(QUEUED)
        self._errors = _Errors()
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # a group of its own, to be killed as one
                bufsize=0,
                cwd=folder,
            )
        except OSError as error:
            raise EngineError(f"engine {self.name} cannot be started: {error.strerror or error}") from None
        guard.watch(self._process.pid)
        ended = threading.Event()
        self._finalizer = weakref.finalize(self, _kill, self._process, ended)
        # The threads know the pipes but not the engine, which may so be collected.
        answers = partial(_read_answers, self._process.stdout, self._lines, ended)
        errors = partial(_read_errors, self._process.stderr, self._errors)
        threading.Thread(target=answers, daemon=True).start()
        self._listener = threading.Thread(target=errors, daemon=True)
        self._listener.start()

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return self._finalizer.alive

    def ask(self, command: str, timeout: float | None = None) -> str:
        """The engine's answer. A ``?`` is a Refusal; anything worse an EngineError, and the engine's end."""
        if "\n" in command or "\r" in command:
            raise InputError(f"a GTP command is one line, not {coords.shown(command)}")
        if not self.alive:
            raise EngineError(f"engine {self.name} is closed")
        try:
            self._send(command)
            status, text = self._receive(command, self.timeout if timeout is None else timeout)
        except BaseException:  # after Ctrl-C too: a late answer would go to the next question
            self._finalizer()
            raise
        if status == "?":
            raise Refusal(f"engine {self.name} refused {coords.shown(command)}: {_line(text)}")
        return text

    def knows(self, command: str) -> bool:
        """Whether the engine has a command."""
        try:
            return self.ask(f"known_command {command}").strip().lower() == "true"
        except Refusal:
            return False

    def take_errors(self) -> str:
        """The last that it has written to its error output since this was asked before."""
        if not self.alive:
            self._listener.join(QUIT_SECONDS)  # it may not have read all yet
        return self._errors.take()

    def close(self) -> None:
        """Ask the engine to end, wait shortly, then kill it."""
        if not self.alive:
            return
        with contextlib.suppress(EngineError):
            self._send("quit")
            self._drain(QUIT_SECONDS)
        self._finalizer()

    def kill(self) -> None:
        """End the engine now. From any thread: whoever waits for an answer gets an EngineError."""
        self._finalizer()
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(None)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _send(self, command: str) -> None:
        assert self._process.stdin is not None
        self._number += 1
        try:
            self._process.stdin.write(f"{self._number} {command}\n".encode())
        except OSError:
            raise EngineError(self._ended(command)) from None

    def _receive(self, command: str, timeout: float) -> tuple[str, str]:
        """The answer to the last command: its status and its text. What is none is passed over."""
        left = timeout
        status, answer = "", list[str]()
        told = command.startswith(THINKING)  # a move may take its time
        while True:
            began, wait = time.monotonic(), min(SLICE, left)
            try:
                line, silent = self._lines.get(timeout=wait), False
            except queue.Empty:
                line, silent = None, True
            took = time.monotonic() - began
            if took < wait + STOPPED:  # else it was Ctrl-Z, or a machine at a standstill
                left -= took
            if left <= 0:
                raise NoAnswer(
                    f"engine {self.name} did not answer {coords.shown(command)} within {timeout:g} seconds"
                )
            if not told and timeout - left >= PATIENCE:
                silence.tell(
                    f"waiting for engine {self.name}, which has not answered {coords.shown(command)} yet "
                    f"(it has {timeout:g} seconds)"
                )
                told = True
            if silent:
                continue
            if line is None:
                raise EngineError(self._ended(command))
            if not status:
                head = _HEAD.fullmatch(line)
                if head and head[2] in ("", str(self._number)):
                    status, answer = head[1], [head[3]]
            elif not line.strip():
                return status, "\n".join(answer).strip()
            else:
                answer.append(line)
            if len(answer) > MAX_LINES:
                raise EngineError(f"engine {self.name} does not end its answer to {coords.shown(command)}")

    def _drain(self, timeout: float) -> None:
        """Read until the engine closes its output, or for so many seconds."""
        deadline = time.monotonic() + timeout
        with contextlib.suppress(queue.Empty):
            while self._lines.get(timeout=max(0.0, deadline - time.monotonic())) is not None:
                pass

    def _ended(self, command: str) -> str:
        """That the engine has died, why, and what it said last."""
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
        said = _line(" / ".join(self._errors.last(5)))
        told = f"engine {self.name} {how} when it was asked {coords.shown(command)}"
        return f"{told}; it said: {said}" if said else told


def _line(text: str) -> str:
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
            pipe.close()  # type: ignore[union-attr]
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(QUIT_SECONDS)
        guard.release(process.pid)


class GtpPlayer(Player):
    """An engine that plays on a mirror of our board.

    timeout: seconds that any answer may take. The engine starts at once, and again after it has failed.
    on_start: is told of every engine that was started, before it is asked anything. folder: where it starts.
    """

    def __init__(
        self,
        command: str,
        timeout: float = 60.0,
        on_start: Callable[[Engine], None] | None = None,
        folder: str | Path | None = None,
    ) -> None:
        self.settings = GtpSettings(command=command, timeout=timeout)
        self.on_start, self._folder = on_start, folder
        self.timeout = timeout
        self.clock = Clock()
        self.engine: Engine | None = None
        self._mirror: _Mirror | None = None
        self.name = self._running().name

    def choose_action(self, board: Board) -> int:
        engine = self._running()
        color = "B" if board.to_play == BLACK else "W"
        self._follow(engine, board)
        self._tell_time(engine, color)
        mirror, self._mirror = self._mirror, None  # until the answer has proved good
        said = engine.ask(f"genmove {color}", self.timeout)
        if said.lower() == "resign":
            return RESIGN
        try:
            point = coords.parse_vertex(said, board.size)
        except InputError as error:
            raise EngineError(f"engine {self.name} answered genmove {color} with no move: {error}") from None
        if not board.is_legal(point):
            raise WrongMove(f"engine {self.name} plays {coords.shown(said)}, which is not legal")
        assert mirror is not None
        mirror.moves.append(Move(board.to_play, point))
        self._mirror = mirror
        return point

    def new_game(self) -> None:
        self._mirror = None

    def begin(self, board: Board) -> None:
        engine = self._running()
        engine.timeout = self.settings.timeout  # no clock runs yet, and some engines take long to get ready
        self._follow(engine, board)

    @property
    def version(self) -> str:
        """The engine's name and version, as it gives them."""
        try:
            return f"{self.name} {_line(self._running().ask('version'))}".strip()
        except Refusal:
            return self.name

    def take_errors(self) -> str:
        """The last that the engine has written to its error output since this was asked before."""
        return "" if self.engine is None else self.engine.take_errors()

    def close(self) -> None:
        if self.engine is not None:
            self.engine.close()
        self._mirror = None

    def _running(self) -> Engine:
        """The engine, started anew if it has ended."""
        if self.engine is None or not self.engine.alive:
            self._mirror = None
            self.engine = Engine(self.settings.command, self.settings.timeout, self._folder)
            if self.on_start is not None:
                self.on_start(self.engine)
            with contextlib.suppress(Refusal):
                self.engine.name = _line(self.engine.ask("name")) or self.engine.name
        self.engine.timeout = self.timeout
        return self.engine

    def _follow(self, engine: Engine, board: Board) -> None:
        """Bring the engine's board up to ours: only the new moves if it has seen the others."""
        start, moves = (board.size, *board.initial_stones), board.moves
        mirror, self._mirror = self._mirror, None
        if mirror is None or mirror.start != start or mirror.moves != moves[: len(mirror.moves)]:
            engine.ask(f"boardsize {board.size}")
            engine.ask("clear_board")
            _set_up(engine, board)
            mirror = _Mirror(start)
        if mirror.komi != board.komi:
            engine.ask(f"komi {board.komi:g}")
            mirror.komi = board.komi
        for move in moves[len(mirror.moves) :]:
            color = "B" if move.color == BLACK else "W"
            engine.ask(f"play {color} {coords.vertex(move.point, board.size)}")
            mirror.moves.append(move)
        self._mirror = mirror

    def _tell_time(self, engine: Engine, color: str) -> None:
        """What our clock shows. An engine that knows no clock plays without."""
        clock, mirror = self.clock, self._mirror
        if not clock.limited or mirror is None:
            return
        main, period = math.floor(clock.main), math.floor(clock.period)
        with contextlib.suppress(Refusal):
            if not mirror.timed:
                engine.ask(f"time_settings {main} {period} {clock.stones}")
                mirror.timed = True
            seconds, stones = (period, clock.stones) if clock.stones and main == 0 else (main, 0)
            engine.ask(f"time_left {color} {seconds} {stones}")


@dataclass
class _Mirror:
    """What an engine has on its board."""

    start: tuple[object, ...]  # the size and the stones before the first move
    komi: float | None = None
    moves: list[Move] = field(default_factory=list)
    timed: bool = False


def _set_up(engine: Engine, board: Board) -> None:
    """Put the stones before the first move on an engine's empty board."""
    black, white = ([coords.vertex(p, board.size) for p in points] for points in board.initial_stones)
    if board.handicap == len(black) and black and not white and engine.knows("set_free_handicap"):
        engine.ask(f"set_free_handicap {' '.join(black)}")
        return
    for color, vertices in (("B", black), ("W", white)):
        for vertex in vertices:
            engine.ask(f"play {color} {vertex}")


# How a game's `engines` finds this protocol (`player.registry.engine`).
PLAYER, SETTINGS, SUMMARY = GtpPlayer, GtpSettings, "any engine that speaks GTP 2"
