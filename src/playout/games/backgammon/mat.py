"""Matches as text in two columns (``.mat``, as Jellyfish, GNU Backgammon and most servers write them).

::

     7 point match

     Game 1
     Ann : 0                            Bob : 0
      1)                                31: 8/5 6/5
      2) 62: 24/18 13/11                 Doubles => 2
      3)  Drops                          Wins 1 point

Player 1 stands on the left. 25 is the bar, 0 is off.
"""

from __future__ import annotations

import re
from typing import Any

from playout.errors import InputError, shown
from playout.games.backgammon.notation import steps_of
from playout.games.backgammon.record import DOUBLE, DROP, ROLL, Match, Played, Scribe, Turn
from playout.games.backgammon.state import BAR, MOST_LENGTH, OFF, power_of

MAX_LINES = 100_000
MAX_WIDTH = 1_000
_LENGTH = re.compile(r"\s*([0-9]{1,6})\s+point match", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+[0-9]{1,6}\s*$", re.IGNORECASE)
_NAMES = re.compile(r"\s?(.{0,200}?)\s*:\s*([0-9]{1,5})\s+(.{0,200}?)\s*:\s*([0-9]{1,5})\s*$")
_NO_CUBE = '; [CubeLimit "1"]'
_ROW = re.compile(r"\s*[0-9]{1,5}\)")
_WINS = re.compile(r"\s*Wins\s+([0-9]{1,6})\s+points?", re.IGNORECASE)
_CELL = re.compile(
    r"(?P<dice>[0-9]{2}):|(?P<word>Doubles|Takes|Drops|Beavers|Raccoons)\b|Wins\s+(?P<wins>[0-9]{1,6})\b",
    re.IGNORECASE,
)
_LEFT = 20  # a cell alone in its row is the left one's if it begins before this column
_WIDE = 34  # of the left column


def read(text: str) -> Match:
    """The match that a text has; what is wrong is refused with its line."""
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        raise InputError(f"the file has more than {MAX_LINES:,} lines")
    reader = _Reader()
    for number, line in enumerate(lines, 1):
        try:
            if len(line) > MAX_WIDTH:
                raise InputError(f"it has {len(line):,} letters, {MAX_WIDTH:,} are most")
            reader.read(line.expandtabs().rstrip())
        except InputError as error:
            raise InputError(f"line {number}: {error}") from None
    if not reader.match.games:
        raise InputError(
            "there is no game in it: a game begins with a line 'Game 1' and one with the players"
        )
    return reader.match


class _Reader:
    """Reads line by line."""

    def __init__(self) -> None:
        self.match = Match()
        self._scribe = Scribe(self.match)
        self._waits_for_names = False
        self._crawford_was = False

    def read(self, line: str) -> None:
        if not line or line.lstrip().startswith(";"):
            self.match.cube &= line.split() != _NO_CUBE.split()
            return
        if self._waits_for_names:
            self._begin(line)
        elif _GAME.match(line):
            self._waits_for_names = True
        elif (found := _LENGTH.match(line)) and not self.match.games:
            self.match.length = int(found[1])
            if self.match.length > MOST_LENGTH:
                raise InputError(f"a match to {found[1]} points is too long, {MOST_LENGTH} are most")
        elif found := _WINS.match(line):
            player = 1 if len(line) - len(line.lstrip()) < _LEFT else 2
            self._scribe.wins(player, int(found[1]))
        elif found := _ROW.match(line):
            self._row(line, found.end())
        elif self.match.games:
            raise InputError(f"{shown(line.strip())} is neither a numbered turn nor the end of a game")

    def _begin(self, line: str) -> None:
        found = _NAMES.match(line)
        if found is None:
            raise InputError(
                f"{shown(line.strip())} is not the players with their scores, as in Ann : 0  Bob : 0"
            )
        self._waits_for_names = False
        score = int(found[2]), int(found[4])
        if not self.match.games:
            self.match.names = found[1].strip(), found[3].strip()
        # The first game in which somebody needs one point only.
        crawford = self.match.length > 1 and self.match.length - 1 in score and not self._crawford_was
        self._crawford_was = self._crawford_was or crawford
        self._scribe.begin(score, crawford)

    def _row(self, line: str, first: int) -> None:
        cells = list(_CELL.finditer(line, first))
        if not cells and line[first:].strip():
            raise InputError(
                f"{shown(line[first:].strip())} is neither a roll, as in 31: 8/5 6/5, nor a double"
            )
        if len(cells) > 2:
            raise InputError(f"there are {len(cells)} turns in a row, and not one or two")
        for k, cell in enumerate(cells):
            end = cells[k + 1].start() if k + 1 < len(cells) else len(line)
            left = k == 0 if len(cells) == 2 else cell.start() < _LEFT
            self._cell(1 if left else 2, cell, line[cell.end() : end].strip())

    def _cell(self, player: int, cell: re.Match[str], rest: str) -> None:
        if cell["wins"]:
            self._scribe.wins(player, int(cell["wins"]))
            return
        if cell["dice"]:
            if "illegal" in rest.lower() or "?" in rest:
                raise InputError(f"{shown(rest)} is no play")
            self._scribe.roll(player, (int(cell["dice"][0]), int(cell["dice"][1])), rest)
            return
        word = cell["word"].lower()
        if word == "doubles":
            self._scribe.double(player)
            self._check_cube(rest)
        elif word in ("takes", "drops"):
            self._scribe.answer(player, word == "takes")
        else:
            raise InputError(f"{shown(cell['word'])} is not read: only doubles, takes and drops are")

    def _check_cube(self, rest: str) -> None:
        """What a double says of the cube must be a power of two, as ``=> 2``."""
        found = re.search(r"([0-9]{1,9})", rest)
        if found:
            power_of(int(found[1]))


def write(match: Match) -> str:
    """A match as text."""
    first, second = (re.sub(r"[:\s]+", " ", name) or f"player {k}" for k, name in enumerate(match.names, 1))
    lines = [*([] if match.cube else [_NO_CUBE]), f" {match.length} point match"]
    for number, game in enumerate(match.games, 1):
        score = [int(points) for points in game.first["score"][0]]
        lines += ["", f" Game {number}", f" {f'{first} : {score[0]}':{_WIDE + 4}}{second} : {score[1]}"]
        won = ""
        if game.winner:
            score[game.winner - 1] += game.points
            over = " and the match" if match.length and score[game.winner - 1] >= match.length else ""
            won = f" Wins {game.points} point{'s' if game.points > 1 else ''}{over}"
        lines += _rows(game, won)
    return "\n".join(lines) + "\n"


def _rows(game: Played, won: str) -> list[str]:
    """The turns, two in a row; how the game ended stands in the winner's column."""
    cells = [(turn.player, _spelled(turn, state[0])) for turn, state in game.states()]
    if cells and cells[0][0] == 2:
        cells.insert(0, (1, ""))
    if game.winner == 2 and len(cells) % 2:
        cells.append((2, won))
        won = ""
    rows = [cells[k : k + 2] for k in range(0, len(cells), 2)]
    lines = [
        f"{number:>3}) {row[0][1]:{_WIDE}}{row[1][1] if len(row) > 1 else ''}".rstrip()
        for number, row in enumerate(rows, 1)
    ]
    return [*lines, " " * (5 if game.winner == 1 else _WIDE + 5) + won] if won else lines


def _spelled(turn: Turn, state: Any) -> str:
    if turn.kind == ROLL:
        theirs = [int(n) for n in state.points[2 - turn.player]]
        words = []
        for source, target in steps_of(state, turn.action):
            hit = target != OFF and theirs[BAR - target] == 1
            if hit:
                theirs[BAR - target] = 0
            words.append(f"{source}/{target}{'*' if hit else ''}")
        return f"{turn.dice[0]}{turn.dice[1]}: {' '.join(words)}".rstrip()
    if turn.kind == DOUBLE:
        return f" Doubles => {2 << int(state.cube)}"
    return " Drops" if turn.kind == DROP else " Takes"
