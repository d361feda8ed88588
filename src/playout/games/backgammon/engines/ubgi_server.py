"""A UBGI server: a player of ours as an engine, for programs that speak the draft (`ubgi` says what that is).

It understands ``ubgi``, ``isready``, ``newgame``, ``position gnubgid ID``, ``position xgid XGID``, ``dice D1
D2``, ``go`` and ``go chequer``, ``keys``, ``stop`` and ``quit``; an XGID alone, as draft 0.01 has it, gets
the play at once. Everything else is an ``error`` line, and the next line is read.

>>> server = Server("random:seed=1")
>>> server.answer("position gnubgid 4HPwATDgc/ABMA"), server.answer("dice 7 1")
([], ["error bad_value a die shows 1 to 6, and not '7'"])
>>> server.answer("go cube")
['error unsupported the cube is not asked about here: go chequer']
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import IO

from playout import __version__
from playout.errors import InputError, shown
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.notation import steps_of
from playout.games.backgammon.rules import NO_PLAY
from playout.games.backgammon.state import BAR, OFF, check_dice
from playout.player.api import RESIGN, Player
from playout.player.registry import make_player

DRAFT = "0.2"
MOST_LETTERS = 1 << 12  # of a line


class _Wrong(Exception):
    """What an error line says: its code and its detail."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"error {code} {detail}")


class Server:
    """Answers UBGI commands with a player: a spec, or a Player of backgammon."""

    def __init__(self, player: str | Player) -> None:
        from playout.games.backgammon.game import GAME

        self.player = make_player(player, GAME) if isinstance(player, str) else player
        self.player.warm_up(BackgammonPosition.from_id("4HPwATDgc/ABMA", (3, 1)))
        self._position: BackgammonPosition | None = None
        self._dice: tuple[int, int] | None = None
        self.done = False

    def answer(self, line: str) -> list[str]:
        """The lines that answer one."""
        if len(line) > MOST_LETTERS:
            return ["error bad_command the line is too long"]
        words = "".join(c if c.isprintable() else " " for c in line).split()
        if not words:
            return []
        try:
            if words[0].upper().startswith("XGID"):
                return [self._play_at(BackgammonPosition.from_id(line.strip()))]
            command: Callable[..., list[str]] | None = _COMMANDS.get(words[0])
            if command is None:
                raise _Wrong("bad_command", f"there is no command {shown(words[0])}")
            return command(self, *words[1:])
        except _Wrong as error:
            return [str(error)]
        except InputError as error:
            return [f"error bad_value {' '.join(str(error).split())}"]

    def serve(self, source: IO[str], target: IO[str]) -> None:
        """Read lines and answer them, until one says quit or there are no more."""
        while not self.done and (line := source.readline(MOST_LETTERS + 1)):
            for said in self.answer(line):
                print(said, file=target)
            target.flush()

    # -- commands -----------------------------------------------------------------------------------

    def _ubgi(self, *words: str) -> list[str]:
        return [
            f"id name {self.player.spec or self.player.name} of playout",
            "id author the playout authors",
            f"id version {__version__}",
            f"proto {DRAFT}",
            "ubgiok",
        ]

    def _isready(self, *words: str) -> list[str]:
        return ["readyok"]

    def _newgame(self, *words: str) -> list[str]:
        self.player.new_game()
        self._position = self._dice = None
        return []

    def _position_is(self, *words: str) -> list[str]:
        if len(words) != 2 or words[0] not in ("gnubgid", "xgid"):
            raise _Wrong("bad_command", "expected: position gnubgid ID, or position xgid XGID")
        self._position = self._dice = None
        self._position = BackgammonPosition.from_id(words[1])
        self._dice = self._position.dice
        return []

    def _dice_are(self, *words: str) -> list[str]:
        self._dice = None
        self._dice = check_dice([int(word) if word.isdecimal() else word for word in words])
        return []

    def _go(self, *words: str) -> list[str]:
        if "cube" in words or "turn" in words:
            raise _Wrong("unsupported", "the cube is not asked about here: go chequer")
        if words not in ((), ("chequer",), ("role", "chequer")):
            raise _Wrong("bad_command", "expected: go chequer")
        if self._position is None:
            raise _Wrong("bad_state", "there is no position yet")
        if self._dice is None:
            raise _Wrong("bad_state", "there are no dice yet")
        state = self._position.record.copy()
        state["dice"] = self._dice
        return [f"bestmove {self._play_at(BackgammonPosition.from_state(state)) or 'pass'}"]

    def _play_at(self, position: BackgammonPosition) -> str:
        """The play in pairs of points; nothing where none is possible."""
        if position.is_over or position.is_chance:
            raise _Wrong(
                "bad_state", "there is no play to be made: the game is over, or the dice are missing"
            )
        action = self.player.choose_action(position)
        if action == RESIGN:
            action = position.legal_moves()[0]  # the protocol knows no resignation
        if action == NO_PLAY:
            return ""
        return " ".join(
            f"{_NAMES.get(source, source)}/{_NAMES.get(target, target)}"
            for source, target in steps_of(position.record[0], action)
        )

    def _keys(self, *words: str) -> list[str]:
        return []

    def _set(self, *words: str) -> list[str]:
        raise _Wrong("unsupported", "settings are given with the player: playout ubgi --player SPEC")

    def _stop(self, *words: str) -> list[str]:
        return []

    def _quit(self, *words: str) -> list[str]:
        self.done = True
        return []


_NAMES = {BAR: "bar", OFF: "off"}
_COMMANDS: dict[str, Callable[..., list[str]]] = {
    "ubgi": Server._ubgi,
    "isready": Server._isready,
    "newgame": Server._newgame,
    "position": Server._position_is,
    "dice": Server._dice_are,
    "go": Server._go,
    "keys": Server._keys,
    "set": Server._set,
    "get": Server._set,
    "stop": Server._stop,
    "quit": Server._quit,
}


def serve_stdio(player: str | Player) -> None:
    """Serve whoever is at standard input and output."""
    server = Server(player)
    try:
        source = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
        server.serve(source, sys.stdout)
    finally:
        server.player.close()
