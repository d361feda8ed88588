"""Test suites: positions with right moves or labelled values; how many a player solves, how far it errs.

In Go a file of JSON lines has a position on each line::

    {"size": 9, "komi": 7.5, "moves": ["B E5", "W C3"], "to_play": "B", "right": ["C4", "D3"]}
    {"size": 9, "black": ["E5", "E6"], "white": ["D5"], "to_play": "W", "value": 0.9}

``size`` is needed, and ``right`` or ``value`` (Black's chance to win, 0 … 1), or both. ``komi`` is 7.5 where
it is not given. The stones of ``black`` and ``white`` stand there before the ``moves``. ``to_play`` is by
default the side whose turn it is after the moves, else Black. ``name`` and ``comment`` are for people. Lines
that are empty or begin with ``#`` do not count.

``wrong`` has moves that must not be played: any other one solves the position, unless there is ``right`` too.

Problems of Go can also come as SGF, a file or a folder of them (`playout.games.go.problems`), and as GTP
regression files (`playout.games.go.questions`).

In another game a line has the options of the game by name, ``moves`` from its beginning in turn, what chance
did among them, and ``right`` or ``value`` (player 1's share of what lies between the lowest and the highest
outcome)::

    {"moves": ["b2", "a1"], "right": ["c3"]}

``plays`` has what plays are worth to the player who makes them, as in backgammon, where each is named by the
ID of the position after it with the opponent on roll, and by its name in other games::

    {"position": "4HPwATDgc/ABMA", "dice": [3, 1], "plays": {"sGfwATDgc/ABMA": 0.159, …}}

A position is solved if the player chooses one of the right moves and none of the wrong ones. The error of a
value is squared, and its mean is the mean squared error of the suite (thesis, Figure 9.2). What a value is,
the player says (`Player.value`): a policy gives the mean outcome of 1,000 simulations from the position, a
search the value of its best move. The loss of a play is what the best of those listed is worth more. A play
that is not listed has no loss that is known: the position is left out, and counted as unlisted.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from playout.arena.intervals import mean_interval
from playout.arena.match import wilson
from playout.errors import InputError, near, shown
from playout.games.game import Game
from playout.games.go.problem_set import shipped_path
from playout.games.position import Position as GamePosition
from playout.games.registry import game_names
from playout.player.api import RESIGN, EngineError, Player
from playout.player.registry import the_game
from playout.settings import names

MAX_BYTES = 64 << 20
MAX_MOVES = 5_000
LABELS = ("right", "wrong", "value", "plays", "name", "comment")  # what is said of a position


@dataclass(frozen=True)
class Position:
    """A position of a suite."""

    name: str  # where it is from, and what the file calls it
    board: GamePosition
    right: tuple[int, ...] = ()
    value: float | None = None  # Black's chance to win
    wrong: tuple[int, ...] = ()
    plays: Mapping[int, float] = field(default_factory=dict)  # what each is worth to who makes it

    @property
    def asks_for_a_move(self) -> bool:
        """Whether it has right or wrong moves."""
        return bool(self.right or self.wrong)

    def word(self, move: int) -> str:
        """A move as people write it."""
        return "resign" if move == RESIGN else self.board.spell(move)


@dataclass(frozen=True)
class Answer:
    """What a player said to a position."""

    position: Position
    move: int | None = None  # None where no right move was asked for, or none came
    value: float | None = None
    failure: str = ""

    @property
    def is_right(self) -> bool:
        """Whether its move is one of the right ones, or else none of the wrong ones."""
        if self.move is None or not self.position.asks_for_a_move:
            return False
        right, wrong = self.position.right, self.position.wrong
        return (not right or self.move in right) and self.move not in wrong

    @property
    def loss(self) -> float | None:
        """What the best listed play is worth more than its own; None where that is not known."""
        plays = self.position.plays
        if self.move is None or self.move not in plays:
            return None
        return max(plays.values()) - plays[self.move]

    @property
    def is_unlisted(self) -> bool:
        """Whether it plays what nobody has graded."""
        return bool(self.position.plays) and self.move is not None and self.loss is None

    @property
    def squared_error(self) -> float | None:
        """How far its value is from the label."""
        if self.value is None or self.position.value is None:
            return None
        return (self.value - self.position.value) ** 2

    @property
    def word(self) -> str | None:
        """Its move as people write it."""
        return None if self.move is None else self.position.word(self.move)

    def facts(self) -> dict[str, Any]:
        """The answer as plain words and numbers."""
        facts: dict[str, Any] = {"position": self.position.name}
        if self.position.asks_for_a_move:
            facts |= {"move": self.word}
            for key, moves in (("right", self.position.right), ("wrong", self.position.wrong)):
                if moves:
                    facts[key] = [self.position.word(move) for move in moves]
            facts["solved"] = self.is_right
        if self.position.plays:
            facts |= {"move": self.word, "loss": self.loss}
        if self.position.value is not None:
            facts |= {"value": self.value, "label": self.position.value}
        return facts | ({"failure": self.failure} if self.failure else {})


@dataclass(frozen=True)
class Score:
    """How a player did in a suite; each part is None where the suite does not ask for it."""

    answers: tuple[Answer, ...]

    @property
    def asked(self) -> int:
        """Positions with right or wrong moves."""
        return sum(answer.position.asks_for_a_move for answer in self.answers)

    @property
    def solved(self) -> int | None:
        """How many of those were solved."""
        return sum(answer.is_right for answer in self.answers) if self.asked else None

    @property
    def solved_interval(self) -> tuple[float, float]:
        """The share that is solved, 95 % interval (Wilson)."""
        return wilson(self.solved or 0, self.asked)

    @property
    def labelled(self) -> int:
        """Positions with a value."""
        return sum(answer.position.value is not None for answer in self.answers)

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

    @property
    def graded(self) -> int:
        """Positions with plays that are worth something."""
        return sum(bool(answer.position.plays) for answer in self.answers)

    @property
    def losses(self) -> np.ndarray:
        """What its plays have lost, where that is known."""
        return np.array([loss for answer in self.answers if (loss := answer.loss) is not None])

    @property
    def loss(self) -> float | None:
        """Their mean: the average loss a decision."""
        return float(self.losses.mean()) if self.losses.size else None

    @property
    def loss_interval(self) -> tuple[float, float] | None:
        """The average loss, 95 % interval (Student); None where one position says nothing of it."""
        return mean_interval(self.losses, math.inf) if self.losses.size > 1 else None

    @property
    def unlisted(self) -> int:
        """Positions that are left out because nobody has graded the play."""
        return sum(answer.is_unlisted for answer in self.answers)

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
        if self.labelled:
            prefix = "mse_" if facts else ""
            facts |= {
                "mse": self.mse,
                f"{prefix}positions": int(self.errors.size),
                f"{prefix}interval": None if self.mse is None else list(self.mse_interval),
            }
        if self.graded:
            prefix = "loss_" if facts else ""
            interval = self.loss_interval
            facts |= {
                "loss": self.loss,
                f"{prefix}interval": None if interval is None else list(interval),
                f"{prefix}positions": int(self.losses.size),
                "unlisted": self.unlisted,
            }
        return facts


def answers(player: Player, positions: Iterable[Position]) -> Iterator[Answer]:
    """What a player says to each position, one after the other; it forgets the one before.

    An engine that fails has not solved that position; a player that gives no values is asked for none.
    """
    for position in positions:
        move, value, failure = None, None, ""
        try:
            if position.asks_for_a_move or position.plays:
                player.new_game()
                move = int(player.choose_action(position.board.copy()))
            if position.value is not None and gives_values(player):
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


def load(
    path: str | Path, game: Game | str | None = None, say: Callable[[str], None] = lambda words: None
) -> list[Position]:
    """The positions of a file, or of all SGF files of a folder; a wrong one is refused with its place.

    game: None takes that whose positions the first line has (`game_of`). say: is told what a file has beside
    positions.
    """
    found_game = game_of(path) if game is None else the_game(game)
    name = shown(os.fspath(path), 120)
    if os.path.isdir(path) and found_game.problems is not None:
        files = sorted(
            file for file in Path(path).iterdir() if file.suffix.lower() == ".sgf" and file.is_file()
        )
        if not files:
            raise InputError(f"the folder {name} has no SGF files")
        return [position for file in files for position in load(file, found_game, say)]
    try:
        if not os.path.isfile(path) and os.path.exists(path):
            raise OSError("it is not a file")
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        if len(data) > MAX_BYTES:
            raise InputError(f"it is larger than {MAX_BYTES >> 20} MB")
        is_sgf = str(path).lower().endswith(".sgf") or data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"(")
        if is_sgf and found_game.problems is not None:
            found = [
                Position(f"{Path(path).name} {number}", problem.board, problem.right, problem.value)
                for number, problem in enumerate(found_game.problems(data), 1)
            ]
        elif str(path).lower().endswith(".tst") and found_game.questions is not None:
            found = [
                Position(problem.name, problem.board, problem.right, problem.value, problem.wrong)
                for problem in found_game.questions(data, Path(path).parent, say)
            ]
        else:
            found = list(_lines(data, found_game, say))
        if not found:
            raise InputError("there is no position in it")
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    return found


def suite_of(word: str | Path) -> Path:
    """The file that is meant: the suite that comes with a game, by the game's name, or just a file.

    Go has problems by their size, as in problems-4.

    >>> suite_of("backgammon").name, suite_of("problems-4").name
    ('suite.jsonl', 'problems-4.sgf')
    """
    if not os.path.exists(word):
        if str(word) in game_names():
            return the_game(str(word)).suite or Path(word)
        return shipped_path(str(word)) or Path(word)
    return Path(word)


def game_of(path: str | Path) -> Game:
    """The game whose positions a file has, by the keys of its first line; Go where that says nothing."""
    go = the_game(None)
    try:
        with open(path, encoding="utf-8-sig") as file:
            lines = (line for line in file if line.strip() and not line.startswith("#"))
            keys = set(json.loads(next(lines, "{}"))) - set(LABELS)
    except (OSError, ValueError, TypeError, RecursionError):
        return go  # and reading it says what is wrong
    if keys <= set(go.set_up_keys):
        return go
    for name in game_names():
        with contextlib.suppress(InputError):  # an installed package's that cannot be loaded
            if (found := the_game(name)).set_up_keys and keys <= set(found.set_up_keys):
                return found
    return go


def _lines(data: bytes, game: Game, say: Callable[[str], None]) -> Iterator[Position]:
    for number, raw in enumerate(data.split(b"\n"), 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            if line and not line.startswith("#"):
                facts = json.loads(line, parse_constant=_no_number)
                yield _position(facts, f"line {number}", game, say)
        except UnicodeDecodeError:
            raise InputError(f"line {number} is not UTF-8") from None
        except (json.JSONDecodeError, RecursionError) as error:
            what = getattr(error, "msg", "it is nested too deeply")
            raise InputError(f"line {number} is not JSON: {what}") from None
        except InputError as error:
            raise InputError(f"line {number}: {error}") from None


def _no_number(word: str) -> float:
    raise InputError(f"{word} is not a number")


def position(facts: Mapping[str, Any], game: Game | str | None = None) -> Position:
    """A position from what a line of a file says.

    >>> position({"size": 9, "moves": ["B E5"], "right": ["C3"]}).board.to_play
    2
    >>> position({"moves": ["b2"], "right": ["a1"]}, "tic-tac-toe").board
    Position(tic-tac-toe, moves=1, second to play)
    """
    return _position(facts, "position", the_game(game), lambda words: None)


def _position(facts: Any, name: str, game: Game, say: Callable[[str], None]) -> Position:
    if not isinstance(facts, Mapping):
        raise InputError('a position is an object, as in {"size": 9, "moves": ["B E5"], "right": ["C3"]}')
    keys = (*(game.set_up_keys or (*names(game.options), "moves")), *LABELS)
    for key in facts:
        if key not in keys:
            raise InputError(f"there is no key {shown(key)}{near(key[:40], keys)}")
    set_up = _from_moves if game.set_up is None else game.set_up
    arguments = (game,) if game.set_up is None else ()
    return _labelled(facts, name, set_up(facts, _words, _number, *arguments), say)


def _from_moves(facts: Mapping[str, Any], words: Any, number: Any, game: Game) -> GamePosition:
    """The position after the moves of a game from its beginning."""
    options = {key: facts[key] for key in names(game.options) if key in facts}
    found: GamePosition = game.new_position(game.configured(options))
    for word in words(facts, "moves", MAX_MOVES):
        found.play(word)
    if found.is_over or found.is_chance:
        raise InputError("no player is to move there: the game is over, or chance moves")
    return found


def _labelled(
    facts: Mapping[str, Any], name: str, board: GamePosition, say: Callable[[str], None]
) -> Position:
    """The position with what is right there."""
    right, wrong = (
        tuple(dict.fromkeys(board.parse(word) for word in _words(facts, key))) for key in ("right", "wrong")
    )
    for key, moves in (("right", right), ("wrong", wrong)):
        for move in moves:
            if not board.is_legal(move):
                who = board.seat(board.to_play)
                raise InputError(f"the {key} move {board.spell(move)} is illegal for {who}")
    if both := set(right) & set(wrong):
        raise InputError(f"{board.spell(min(both))} cannot be both right and wrong")
    value = None if facts.get("value") is None else _number(facts, "value", 0.0)
    if value is not None and not 0 <= value <= 1:
        raise InputError(f"value {value:g} is not between 0 and 1")
    plays = _plays(facts, name, board, say) if "plays" in facts else {}
    if not (right or wrong or plays) and value is None:
        raise InputError("it has neither right moves nor a value, and no wrong moves or plays either")
    called = facts.get("name", "")
    if not isinstance(called, str):
        raise InputError(f"the name {shown(called)} is not a text")
    called = "".join(c for c in called if c.isprintable()).strip()[:100]
    return Position(f"{name} ({called})" if called else name, board, right, value, wrong, plays)


def _plays(
    facts: Mapping[str, Any], name: str, board: GamePosition, say: Callable[[str], None]
) -> dict[int, float]:
    """What plays are worth, by their actions."""
    given = facts["plays"]
    if not isinstance(given, dict) or not given:
        raise InputError("plays is not an object with a number for each play")
    worth = {word: _number(given, word, 0.0) for word in given}
    if not board.legal_moves():
        raise InputError("no player is to move there: the game is over, or the dice are missing")
    if board.game.read_plays is None:
        return {board.parse(word): value for word, value in worth.items()}
    found, left_out = board.game.read_plays(board, worth)
    for word in left_out:
        say(f"{name}: no legal play leads to {shown(word)}, so it is left out")
    if not found:
        raise InputError(
            "no legal play leads to any of its plays: they are positions with the opponent on roll"
        )
    return found


def _number(facts: Mapping[str, Any], key: str, default: float) -> float:
    found = facts.get(key, default)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise InputError(f"{key} {shown(found)} is not a number")
    try:
        number = float(found)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{key} {shown(found)} is too large")
    return number


def _words(facts: Mapping[str, Any], key: str, most: int = 1000) -> list[str]:
    found = facts.get(key, [])
    if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
        raise InputError(f"{key} is not a list of texts")
    if len(found) > most:
        raise InputError(f"{key} has more than {most} entries")
    return found
