"""Any engine that speaks the Universal Backgammon Interface (UBGI), as a player.

UBGI is a draft, and two dialects of it are about. What an engine answers to ``ubgi`` tells which it speaks:

- ``id name …``, then ``ubgiok`` (drafts 0.1 and 0.2): ``newgame`` begins a game, and a play is asked for by
  ``position gnubgid ID``, ``dice 3 1``, ``isready``, ``go chequer``; the answer is ``bestmove 8/5 6/5``.
  Lines of other kinds (``info``, ``key``, ``proto``, ``bestmoveid``) are passed over, ``error …`` is a
  refusal.
- ``id name …``, then ``readyok`` (draft 0.01): a play is asked for by an XGID with dice, and the answer is a
line
  ``8/5 6/5``; ``sorry`` is a refusal.

A play is pairs of points with ``/``, ``-`` or a space between them, ``25`` or ``bar``, ``0`` or ``off``; it
may also be the ID of the position after it. About the cube nobody is asked: such a player rolls, and takes.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from pathlib import Path

from playout.errors import shown
from playout.external.player import EnginePlayer, EngineSettings
from playout.external.program import Program, Wait, one_line
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.doubling import ROLL, TAKE
from playout.games.backgammon.ids import POSITION_LETTERS, position_id, xgid
from playout.games.backgammon.notation import after
from playout.games.backgammon.state import BAR, NOTHING, OFF
from playout.games.position import IllegalMove
from playout.player.api import EngineError, Refusal, WrongMove

MOST_LINES = 10_000  # in one answer
_NUMBER = {"bar": str(BAR), "b": str(BAR), "off": str(OFF), "o": str(OFF)}
_PAIRS = re.compile(r"[0-9a-z*/\-()\s]*")


class UbgiEngine(Program):
    """A UBGI engine in a process of its own.

    named: how it calls itself and its version. old: whether it speaks draft 0.01.
    """

    def __init__(
        self, command: str | Sequence[str], timeout: float = 60.0, folder: str | Path | None = None
    ) -> None:
        super().__init__(command, timeout, folder)
        self.named: dict[str, str] = {}
        self.old = False

    def greet(self) -> None:
        """Begin to talk: learn who it is, and which dialect it speaks."""
        with self.asking("ubgi"):
            self.send("ubgi", "ubgi")
            line = self._until("ubgi", "ubgiok", "readyok", named=self.named)
            self.old = line == "readyok"
        self.name = self.named.get("name") or self.name

    def new_game(self) -> None:
        """Say that another game begins."""
        if not self.old:
            self._sync("newgame")

    def play(self, position: BackgammonPosition) -> str:
        """The play that it makes, in its own words."""
        if self.old:
            return self._old_play(position)
        dice = position.dice
        assert dice is not None
        self._sync(f"position gnubgid {position_id(position.record)}", f"dice {dice[0]} {dice[1]}")
        with self.asking("go chequer"):
            self.send("go chequer", "go chequer")
            answer = self._until("go chequer", "bestmove")
        return answer.partition(" ")[2].strip()

    def _sync(self, *commands: str) -> None:
        """Commands without an answer, and then what shows that all of them have been read."""
        with self.asking(commands[0]):
            for command in (*commands, "isready"):
                self.send(command, command)
            self._until(commands[0], "readyok")

    def _old_play(self, position: BackgammonPosition) -> str:
        request = xgid(position.record)
        with self.asking(request):
            self.send(request, request)
            answer = self.next_line(Wait(request, self.timeout, told=True)).strip()
        if answer == "sorry":
            raise Refusal(f"engine {self.name} is sorry about {shown(request, 80)}")
        return answer

    def _until(self, command: str, *wanted: str, named: dict[str, str] | None = None) -> str:
        """The next line that begins with one of these words; others are passed over, but no refusal."""
        wait = Wait(command, self.timeout, told=command.startswith("go"))
        for _ in range(MOST_LINES):
            line = self.next_line(wait).strip()
            word, _, rest = line.partition(" ")
            if word in wanted:
                return line
            if word == "id" and named is not None:
                what, _, value = rest.partition(" ")
                named[what] = one_line(value)
            if word in ("error", "sorry"):
                raise Refusal(f"engine {self.name} refused {shown(command)}: {one_line(line)}")
        raise EngineError(f"engine {self.name} does not answer {shown(command)} but goes on talking")


class UbgiPlayer(EnginePlayer):
    """A UBGI engine plays."""

    engine: UbgiEngine | None

    def _start(self) -> UbgiEngine:
        self._fresh = True
        return UbgiEngine(self.settings.command, self.settings.timeout, self._folder)

    def _greet(self, engine: UbgiEngine) -> None:
        engine.greet()

    def new_game(self) -> None:
        self._fresh = True

    def begin(self, position: BackgammonPosition) -> None:
        engine = self._running()
        engine.timeout = self.settings.timeout  # no clock runs yet
        self._begin_game(engine)

    def choose_action(self, position: BackgammonPosition) -> int:
        if position.record[0].doubling > NOTHING:
            return next(action for action in position.legal_moves() if action in (ROLL, TAKE))
        engine = self._running()
        self._begin_game(engine)
        said = engine.play(position)
        try:
            return read_play(position, said)
        except IllegalMove as error:
            raise WrongMove(f"engine {self.name} plays {shown(said)}: {error}") from None

    def _begin_game(self, engine: UbgiEngine) -> None:
        if self._fresh:
            engine.new_game()
            self._fresh = False

    @property
    def version(self) -> str:
        """The engine's name and version, as it gives them."""
        engine = self._running()
        return f"{self.name} {engine.named.get('version', '')}".strip()


def read_play(position: BackgammonPosition, said: str) -> int:
    """The play that an engine means; refused if it is not a legal one.

    >>> position = BackgammonPosition.from_id("4HPwATDgc/ABMA", dice=(3, 1))
    >>> said = ("8/5 6/5", "8-5 6-5", "8 5 6 5", "sGfwATDgc/ABMA")
    >>> {position.spell(read_play(position, words)) for words in said}
    {'8/5 6/5'}
    """
    if len(said) == POSITION_LETTERS:
        for action in position.legal_moves():
            if position_id(after(position.record, action)) == said:
                return action
    plain = said.strip().lower()
    if plain in ("", "pass"):
        return position.parse("pass")
    return position.parse(_pairs(plain))


def _pairs(said: str) -> str:
    """Pairs of points as people write them; what is none is left as it is."""
    if not _PAIRS.fullmatch(said) or "(" in said or "*" in said:
        return said
    hops: list[list[str]] = []
    if "/" in said or "-" in said:
        hops = [word.replace("-", "/").split("/") for word in said.split()]
    else:
        words = said.split()
        hops = [words[k : k + 2] for k in range(0, len(words), 2)]
    named = []
    with contextlib.suppress(ValueError):
        for hop in hops:
            points = [int(_NUMBER.get(word, word)) for word in hop]
            ends = ["bar" if points[0] == BAR else str(points[0])]
            ends += ["off" if point <= OFF else str(point) for point in points[1:]]
            named.append("/".join(ends))
        return " ".join(named)
    return said


# How a game's `engines` finds this protocol (`player.registry.engine`).
PLAYER, SETTINGS, SUMMARY = UbgiPlayer, EngineSettings, "any engine that speaks UBGI"
