"""Test suites: positions with right moves or labelled values; how many a player solves, how far it errs.

A file of JSON lines has a position on each line::

    {"size": 9, "komi": 7.5, "moves": ["B E5", "W C3"], "to_play": "B", "right": ["C4", "D3"]}
    {"size": 9, "black": ["E5", "E6"], "white": ["D5"], "to_play": "W", "value": 0.9}

``size`` is needed, and ``right`` or ``value`` (Black's chance to win, 0 … 1), or both. ``komi`` is 7.5 where
it is not given. The stones of ``black`` and ``white`` stand there before the ``moves``. ``to_play`` is by
default the side whose turn it is after the moves, else Black. ``name`` and ``comment`` are for people. Lines
that are empty or begin with ``#`` do not count.

Problems can also come as SGF, a file or a folder of them: see `playout.games.go.problems`.

A position is solved if the player chooses one of the right moves. The error of a value is squared, and its
mean is the mean squared error of the suite (thesis, Figure 9.2). What a value is, the player says
(`Player.value`): a policy gives the mean outcome of 1,000 simulations from the position, a search the value
of its best move.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from playout.arena.elo import Z95
from playout.arena.match import wilson
from playout.errors import InputError, near
from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.problems import problems
from playout.gtp.client import EngineError
from playout.player.api import RESIGN, Player

MAX_BYTES = 64 << 20
MAX_MOVES = 5_000
KEYS = ("size", "komi", "moves", "to_play", "right", "value", "black", "white", "name", "comment")


@dataclass(frozen=True)
class Position:
    """A position of a suite."""

    name: str  # where it is from, and what the file calls it
    board: Board
    right: tuple[int, ...] = ()
    value: float | None = None  # Black's chance to win


@dataclass(frozen=True)
class Answer:
    """What a player said to a position."""

    position: Position
    move: int | None = None  # None where no right move was asked for, or none came
    value: float | None = None
    failure: str = ""

    @property
    def is_right(self) -> bool:
        """Whether its move is one of the right ones."""
        return self.move in self.position.right

    @property
    def squared_error(self) -> float | None:
        """How far its value is from the label."""
        if self.value is None or self.position.value is None:
            return None
        return (self.value - self.position.value) ** 2

    @property
    def word(self) -> str | None:
        """Its move as people write it."""
        if self.move is None:
            return None
        return "resign" if self.move == RESIGN else coords.vertex(self.move, self.position.board.size)

    def facts(self) -> dict[str, Any]:
        """The answer as plain words and numbers."""
        side = self.position.board.size
        facts: dict[str, Any] = {"position": self.position.name}
        if self.position.right:
            right = [coords.vertex(p, side) for p in self.position.right]
            facts |= {"move": self.word, "right": right, "solved": self.is_right}
        if self.position.value is not None:
            facts |= {"value": self.value, "label": self.position.value}
        return facts | ({"failure": self.failure} if self.failure else {})


@dataclass(frozen=True)
class Score:
    """How a player did in a suite; each part is None where the suite does not ask for it."""

    answers: tuple[Answer, ...]

    @property
    def asked(self) -> int:
        """Positions with right moves."""
        return sum(bool(answer.position.right) for answer in self.answers)

    @property
    def solved(self) -> int | None:
        """How many of those were solved."""
        return sum(answer.is_right for answer in self.answers) if self.asked else None

    @property
    def solved_interval(self) -> tuple[float, float]:
        """The share that is solved, 95 % interval (Wilson)."""
        return wilson(self.solved or 0, self.asked)

    @property
    def errors(self) -> np.ndarray:
        """The squared errors of the values."""
        return np.array([e for answer in self.answers if (e := answer.squared_error) is not None])

    @property
    def mse(self) -> float | None:
        """Their mean."""
        return float(self.errors.mean()) if self.errors.size else None

    @property
    def mse_interval(self) -> tuple[float, float]:
        """The mean squared error, 95 % interval (Student)."""
        return mean_interval(self.errors)

    def facts(self) -> dict[str, Any]:
        """The score as plain numbers, for machines."""
        facts: dict[str, Any] = {}
        if self.solved is not None:
            facts = {
                "solved": self.solved,
                "positions": self.asked,
                "share": self.solved / self.asked,
                "interval": list(self.solved_interval),
            }
        if self.mse is not None:
            prefix = "mse_" if facts else ""
            facts |= {
                "mse": self.mse,
                f"{prefix}positions": int(self.errors.size),
                f"{prefix}interval": list(self.mse_interval),
            }
        return facts


STUDENT = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706)  # 97.5 % quantiles of t with 1 to 5 degrees of freedom


def mean_interval(errors: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of the mean of numbers between 0 and 1, by Student's t.

    >>> [round(end, 3) for end in mean_interval(np.array([0.1, 0.2, 0.3, 0.2]))]
    [0.07, 0.33]
    >>> mean_interval(np.array([0.2]))
    (0.0, 1.0)
    """
    n = errors.size
    if n < 2:
        return 0.0, 1.0
    half = _student(n - 1) * float(errors.std(ddof=1)) / math.sqrt(n)
    mean = float(errors.mean())
    return max(0.0, mean - half), min(1.0, mean + half)


def _student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: from a table, then by Fisher's expansion, right to 0.1 %."""
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    z, v = Z95, float(freedom)
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )


def answers(player: Player, positions: Iterable[Position]) -> Iterator[Answer]:
    """What a player says to each position, one after the other; it forgets the one before.

    An engine that fails has not solved that position; a player that gives no values is refused.
    """
    for position in positions:
        move, value, failure = None, None, ""
        if position.value is not None and not gives_values(player):
            raise InputError(f"player {player.name} gives no values, and {position.name} asks for one")
        try:
            if position.right:
                player.new_game()
                move = int(player.choose(position.board.copy()))
            if position.value is not None:
                player.new_game()
                value = float(player.value(position.board.copy()))
        except EngineError as error:
            failure = str(error)
        yield Answer(position, move, value, failure)


def gives_values(player: Player) -> bool:
    """Whether a player can say what a position is worth."""
    kind = type(player)
    return kind.value is not Player.value or kind.analyse is not Player.analyse


# -- files --------------------------------------------------------------------------------------------


def load(path: str | Path) -> list[Position]:
    """The positions of a file, or of all SGF files of a folder; a wrong one is refused with its place."""
    shown = coords.shown(os.fspath(path), 120)
    if os.path.isdir(path):
        files = sorted(
            file for file in Path(path).iterdir() if file.suffix.lower() == ".sgf" and file.is_file()
        )
        if not files:
            raise InputError(f"the folder {shown} has no SGF files")
        return [position for file in files for position in load(file)]
    try:
        if not os.path.isfile(path) and os.path.exists(path):
            raise OSError("it is not a file")
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"{shown} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        if len(data) > MAX_BYTES:
            raise InputError(f"it is larger than {MAX_BYTES >> 20} MB")
        if str(path).lower().endswith(".sgf") or data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"("):
            name = Path(path).name
            found = [
                Position(f"{name} {number}", problem.board, problem.right, problem.value)
                for number, problem in enumerate(problems(data), 1)
            ]
        else:
            found = list(_lines(data))
        if not found:
            raise InputError("there is no position in it")
    except InputError as error:
        raise InputError(f"{shown}: {error}") from None
    return found


def _lines(data: bytes) -> Iterator[Position]:
    for number, raw in enumerate(data.split(b"\n"), 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            if line and not line.startswith("#"):
                yield _position(json.loads(line, parse_constant=_no_number), f"line {number}")
        except UnicodeDecodeError:
            raise InputError(f"line {number} is not UTF-8") from None
        except (json.JSONDecodeError, RecursionError) as error:
            what = getattr(error, "msg", "it is nested too deeply")
            raise InputError(f"line {number} is not JSON: {what}") from None
        except InputError as error:
            raise InputError(f"line {number}: {error}") from None


def _no_number(word: str) -> float:
    raise InputError(f"{word} is not a number")


def position(facts: Mapping[str, Any]) -> Position:
    """A position from what a line of a file says.

    >>> position({"size": 9, "moves": ["B E5"], "right": ["C3"]}).board.to_play
    2
    """
    return _position(facts, "position")


def _position(facts: Any, name: str) -> Position:
    if not isinstance(facts, Mapping):
        raise InputError('a position is an object, as in {"size": 9, "moves": ["B E5"], "right": ["C3"]}')
    for key in facts:
        if key not in KEYS:
            raise InputError(f"there is no key {coords.shown(key)}{near(key[:40], KEYS)}")
    if "size" not in facts:
        raise InputError("the size of the board is missing")
    size = facts["size"]
    if isinstance(size, bool) or not isinstance(size, int):
        raise InputError(f"size {coords.shown(size)} is not a whole number")
    board = Board(size, _number(facts, "komi", 7.5))
    stones = {key: _words(facts, key) for key in ("black", "white")}
    moves = [_move(word, board.size) for word in _words(facts, "moves", MAX_MOVES)]
    turn = facts.get("to_play")
    if turn is not None and not isinstance(turn, str):
        raise InputError(f"to_play {coords.shown(turn)} is neither B nor W")
    first = moves[0][0] if moves else turn if turn is not None else "B"
    if any(stones.values()):
        both = set(map(str.upper, stones["black"])) & set(map(str.upper, stones["white"]))
        if both:
            raise InputError(f"{min(both)} cannot be both black and white")
        board.set_up(stones["black"], stones["white"], first)
    else:
        board.to_play = first
    for color, p in moves:
        board.play(p, color)
    if turn is not None:
        board.to_play = turn
    if board.is_over:
        raise InputError("the game is over: two passes end it")
    return _labelled(facts, name, board)


def _labelled(facts: Mapping[str, Any], name: str, board: Board) -> Position:
    """The position with what is right there."""
    right = tuple(dict.fromkeys(coords.parse_vertex(word, board.size) for word in _words(facts, "right")))
    for p in right:
        if not board.is_legal(p):
            color = coords.color_name(board.to_play)
            raise InputError(f"the right move {coords.vertex(p, board.size)} is illegal for {color}")
    value = None if facts.get("value") is None else _number(facts, "value", 0.0)
    if value is not None and not 0 <= value <= 1:
        raise InputError(f"value {value:g} is not between 0 and 1")
    if not right and value is None:
        raise InputError("it has neither right moves nor a value")
    called = facts.get("name", "")
    if not isinstance(called, str):
        raise InputError(f"the name {coords.shown(called)} is not a text")
    called = "".join(c for c in called if c.isprintable()).strip()[:100]
    return Position(f"{name} ({called})" if called else name, board, right, value)


def _number(facts: Mapping[str, Any], key: str, default: float) -> float:
    found = facts.get(key, default)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise InputError(f"{key} {coords.shown(found)} is not a number")
    try:
        number = float(found)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{key} {coords.shown(found)} is too large")
    return number


def _words(facts: Mapping[str, Any], key: str, most: int = 1000) -> list[str]:
    found = facts.get(key, [])
    if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
        raise InputError(f"{key} is not a list of texts")
    if len(found) > most:
        raise InputError(f"{key} has more than {most} entries")
    return found


def _move(word: str, size: int) -> tuple[int, int]:
    """A move such as 'B E5'."""
    parts = word.split()
    if len(parts) != 2:
        raise InputError(f"the move {coords.shown(word)} is not a colour and a point, as in 'B E5'")
    return coords.parse_color(parts[0]), coords.parse_vertex(parts[1], size)
