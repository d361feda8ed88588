"""GNU Backgammon, as a player and as a judge of positions, over its external interface.

A process of GNU Backgammon without a window waits at a socket in a folder of its own. One request is one line
of fewer than 256 letters, and gets one line:

- a board as FIBS writes it, with dice, gets the play, such as ``8/5 6/5``; 25 is the bar and 0 is off.
  Without dice it gets ``roll`` or ``double``, and after a double ``take`` or ``drop``;
- ``evaluation fibsboard BOARD plies 2 cubeless prune on jacobyrule off`` gets the chances of a win, a gammon
  and a backgammon, those to lose a gammon and a backgammon, and the equity, for the player who is to roll.

The board is written from the side of the player on roll, who is the one with positive numbers.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from playout.errors import InputError, shown
from playout.external.player import EnginePlayer, EngineSettings
from playout.external.program import Program, Wait, one_line
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.state import BAR, NOTHING, OFF, OFFERED
from playout.games.position import IllegalMove
from playout.player.api import EngineError, WrongMove
from playout.settings import like, setting

SOCKET, COMMANDS = "gnubg", "commands"  # files in the folder of a process
MOST_LETTERS = 255  # of a request
MOST_PLIES = 4
CUBE_WORDS = {"beaver": "take", "drop": "pass"}  # of its words for the cube; we do not know beavers
STARTING = 0.01  # seconds between two looks whether it waits for us
_STEP = re.compile(r"([0-9]{1,2})\*?((?:/[0-9]{1,2}\*?)+)((?:\([1-4]\))?)")


@dataclass(frozen=True, kw_only=True)
class GnubgSettings:
    """Settings of GNU Backgammon as a player."""

    plies: int = setting(0, "how many plies it looks ahead", low=0, high=MOST_PLIES)
    noise: float = setting(0.0, "noise in its evaluations, in points; the same in every game", low=0, high=10)
    prune: bool = setting(True, "drop plays by a small network first, where it looks ahead")
    command: str = setting("gnubg", "the program")
    timeout: float = like(EngineSettings, "timeout")


class Evaluation(NamedTuple):
    """What a position is worth to the player on roll, without the cube."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float
    equity: float


def board_line(state: Any) -> str:
    """A state as FIBS writes it, from the side of who is to move or to answer a double; state: a record.

    >>> from playout.games.backgammon.state import start
    >>> board_line(start()[0])[:50]
    'board:me:op:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:'
    """
    offered = int(state.doubling) == OFFERED
    me = 2 - int(state.turn) if offered else int(state.turn) - 1
    mine, theirs = state.points[me].tolist(), state.points[1 - me].tolist()
    points = [mine[k] - theirs[BAR - k] for k in range(1, BAR)]
    large, small = state.dice.tolist()
    owner = int(state.owner)
    numbers = [
        *(int(state.length), int(state.score[me]), int(state.score[1 - me])),
        *(-theirs[BAR], *points, mine[BAR]),
        *(-1 if offered else 1, large, small, large, small, 1 << int(state.cube)),
        *(int(owner != 2 - me), int(owner != me + 1)),  # who may double: I, the other
        *(int(offered), 1, -1, 0, 25, mine[OFF], theirs[OFF]),
        *(0, 0, 0, int(state.length > 0 and not state.crawford), 0, 1),
    ]
    return f"board:me:op:{':'.join(map(str, numbers))}"


class GnuBackgammon(Program):
    """A process of GNU Backgammon that answers questions; a context, which ends it.

    ::

        with GnuBackgammon() as judge:
            judge.evaluate(BackgammonPosition.from_id("4HPwATDgc/ABMA").record).equity
    """

    def __init__(
        self,
        settings: GnubgSettings | None = None,
        folder: str | Path | None = None,
    ) -> None:
        s = GnubgSettings() if settings is None else settings
        own = tempfile.mkdtemp(prefix="playout-")
        try:
            chequer = "set evaluation chequer eval"
            Path(own, COMMANDS).write_text(
                "\n".join(
                    (
                        "set threads 1",
                        "set jacoby off",
                        f"{chequer} plies {s.plies}",
                        f"{chequer} noise {s.noise:g}",
                        f"{chequer} cubeful off",
                        f"set evaluation cubedecision eval plies {s.plies}",
                        f"{chequer} prune {'on' if s.prune else 'off'}",
                        f"external {SOCKET}",
                        "",
                    )
                )
            )
            words = [s.command, "-t", "-q", "-r", "-c", COMMANDS]
            super().__init__(words, s.timeout, folder, start_in=own, answers_later=True)
            self.name = "gnubg"
            try:
                self._line = self._connected(os.path.join(own, SOCKET))
            except BaseException:
                self.kill()
                raise
        finally:
            shutil.rmtree(own, ignore_errors=True)
        self.hear(self._line)

    def _connected(self, path: str) -> socket.socket:
        """A line to the process, once it waits for one."""
        line = socket.socket(socket.AF_UNIX)
        began = time.monotonic()
        while time.monotonic() - began < self.timeout:
            try:
                line.connect(path)
            except OSError:
                if self._process.poll() is not None:
                    line.close()
                    raise EngineError(self.ended("external")) from None
                time.sleep(STARTING)
            else:
                return line
        line.close()
        raise EngineError(f"engine {self.name} was not ready within {self.timeout:g} seconds")

    def send(self, line: str, command: str) -> None:
        try:
            self._line.sendall(f"{line}\n".encode())
        except OSError:
            raise EngineError(self.ended(command)) from None

    def ask(self, request: str, timeout: float | None = None) -> str:
        """The line that answers a request."""
        if len(request) > MOST_LETTERS:
            raise InputError(f"a request to GNU Backgammon has at most {MOST_LETTERS} letters")
        with self.asking(request):
            self.send(request, request)
            answer = self.next_line(Wait(request, self.timeout if timeout is None else timeout))
            if answer.startswith("Error"):
                raise EngineError(f"engine {self.name} refused {shown(request)}: {one_line(answer)}")
        return answer.strip()

    def close(self) -> None:
        """End it: its connection knows no word for that."""
        if self.alive:
            self.kill()
        with contextlib.suppress(OSError):
            self._line.close()

    def evaluate(self, state: np.ndarray, plies: int = 2, prune: bool = True) -> Evaluation:
        """What a position is worth to the player on roll. state: an array of one record, before the roll."""
        record = state[0].copy()
        record.dice[:] = 0
        asked = (
            f"evaluation fibsboard {board_line(record)} plies {plies} cubeless "
            f"prune {'on' if prune else 'off'} jacobyrule off"
        )
        said = self.ask(asked)
        try:
            return Evaluation(*(float(word) for word in said.split()))
        except (TypeError, ValueError):
            raise EngineError(f"engine {self.name} answered {shown(said)}, which is no evaluation") from None

    def play(self, state: Any) -> str:
        """The play that it makes with the dice as they lie, in its own words; state: a record."""
        return self.ask(board_line(state))

    def version(self) -> str:
        """Which version it is."""
        with self.asking("version"):
            self.send("version", "version")
            wait = Wait("version", self.timeout)
            said = [self.next_line(wait) for _ in range(4)]
        return said[-1].rpartition(":")[2].strip()


class GnubgPlayer(EnginePlayer):
    """GNU Backgammon plays."""

    takes_command = False
    forgets = True
    engine: GnuBackgammon | None

    def _start(self) -> GnuBackgammon:
        return GnuBackgammon(self.settings, self._folder)

    def choose_action(self, position: BackgammonPosition) -> int:
        engine = self._running()
        legal = position.legal_moves()
        if len(legal) == 1:
            return legal[0]
        said = engine.play(position.record[0])
        about_cube = position.record[0].doubling > NOTHING
        try:
            return position.parse(CUBE_WORDS.get(said, said) if about_cube else in_our_words(said))
        except IllegalMove as error:
            raise WrongMove(f"engine {self.name} plays {shown(said)}: {error}") from None

    def begin(self, position: BackgammonPosition) -> None:
        self._running()

    @property
    def version(self) -> str:
        return f"{self.name} {self._running().version()}"


def in_our_words(said: str) -> str:
    """A play in its words, in ours.

    >>> in_our_words("25/22* 6/0(2) ")
    'bar/22* 6/off(2)'
    """
    words = []
    for word in said.split():
        match = _STEP.fullmatch(word)
        if match is None:
            return said
        points = ["bar" if match[1] == str(BAR) else match[1]]
        points += ["off" if hop == str(OFF) else hop for hop in match[2].split("/")[1:]]
        words.append("/".join(points) + match[3])
    return " ".join(words) or "pass"


# How a game's `engines` finds this protocol (`player.registry.engine`).
PLAYER, SETTINGS, SUMMARY = GnubgPlayer, GnubgSettings, "GNU Backgammon, where it is installed"
