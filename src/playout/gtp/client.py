"""Any engine that speaks GTP, as a subprocess that cannot hang us, and as a player.

An engine that does not answer in time, dies, or answers nonsense is an EngineError that says which
engine, what it was asked, and its last words. It is then killed with everything it started.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from playout.errors import InputError, shown
from playout.external.player import EnginePlayer, EngineSettings, OnStart
from playout.external.program import MAX_LINES, Program, Wait, one_line
from playout.games.go import coords
from playout.games.go.board import Board, Move
from playout.games.go.state import BLACK
from playout.player.api import RESIGN, EngineError, NoAnswer, Refusal, WrongMove
from playout.settings import setting

__all__ = ["Engine", "EngineError", "GtpPlayer", "GtpSettings", "NoAnswer", "Refusal", "WrongMove"]
THINKING = ("genmove", "reg_genmove")  # what an engine thinks about
_THEN = re.compile(r"\s+&&\s+")  # between the command line and what the engine is told at its start
_HEAD = re.compile(r"([=?])([0-9]*)\s*(.*)")


@dataclass(frozen=True, kw_only=True)
class GtpSettings(EngineSettings):
    """Settings of an engine that speaks GTP."""

    command: str = setting("", "command line that starts the engine; after each && a GTP command for it")


class Engine(Program):
    """A GTP engine in a process of its own.

    timeout: seconds that any answer may take. folder: where it starts, and sees its files from.
    """

    def __init__(
        self, command: str | Sequence[str], timeout: float = 60.0, folder: str | Path | None = None
    ) -> None:
        super().__init__(command, timeout, folder)
        self._number = 0

    def ask(self, command: str, timeout: float | None = None) -> str:
        """The engine's answer. A ``?`` is a Refusal; anything worse an EngineError, and the engine's end."""
        with self.asking(command):
            self.send(command, command)
            status, text = self._receive(command, self.timeout if timeout is None else timeout)
        if status == "?":
            raise Refusal(f"engine {self.name} refused {shown(command)}: {one_line(text)}")
        return text

    def knows(self, command: str) -> bool:
        """Whether the engine has a command."""
        try:
            return self.ask(f"known_command {command}").strip().lower() == "true"
        except Refusal:
            return False

    def send(self, line: str, command: str) -> None:
        self._number += 1
        super().send(f"{self._number} {line}", command)

    def _receive(self, command: str, timeout: float) -> tuple[str, str]:
        """The answer to the last command: its status and its text. What is none is passed over."""
        wait = Wait(command, timeout, told=command.startswith(THINKING))  # a move may take its time
        status, answer = "", list[str]()
        while True:
            line = self.next_line(wait)
            if not status:
                head = _HEAD.fullmatch(line)
                if head and head[2] in ("", str(self._number)):
                    status, answer = head[1], [head[3]]
            elif not line.strip():
                return status, "\n".join(answer).strip()
            else:
                answer.append(line)
            if len(answer) > MAX_LINES:
                raise EngineError(f"engine {self.name} does not end its answer to {shown(command)}")


class GtpPlayer(EnginePlayer):
    """An engine that plays on a mirror of our board."""

    def __init__(
        self,
        command: str,
        timeout: float = 60.0,
        on_start: OnStart | None = None,
        folder: str | Path | None = None,
    ) -> None:
        self._mirror: _Mirror | None = None
        super().__init__(GtpSettings(command=command, timeout=timeout), on_start, folder)

    @classmethod
    def made(cls, settings: Any, on_start: OnStart | None = None, folder: str | Path | None = None) -> Self:
        return cls(settings.command, settings.timeout, on_start, folder)

    def _start(self) -> Engine:
        self._mirror = None
        line, *_ = _told(self.settings.command)
        return Engine(line, self.settings.timeout, self._folder)

    def _greet(self, engine: Engine) -> None:
        with contextlib.suppress(Refusal):
            engine.name = one_line(engine.ask("name")) or engine.name
        _, *commands = _told(self.settings.command)
        for command in commands:
            engine.ask(command)

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
            raise WrongMove(f"engine {self.name} plays {shown(said)}, which is not legal")
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
            return f"{self.name} {one_line(self._running().ask('version'))}".strip()
        except Refusal:
            return self.name

    def close(self) -> None:
        super().close()
        self._mirror = None

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


def _told(command: str) -> list[str]:
    """The command line of an engine, and the GTP commands that it is told when it has started."""
    return _THEN.split(command.strip())


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
