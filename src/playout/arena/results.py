"""The results of games from a file: the run of an event, or a plain list of games.

A run is the SQLite file of `playout match` or `playout tournament`. A list has a game on each line, as CSV
(a line with the names of the columns first, or the columns in this order)::

    black,white,score
    mogo,uct,1

or as JSON lines::

    {"black": "mogo", "white": "uct", "score": 0.5}

The score is Black's: 1, 0.5 or 0.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playout.arena.elo import Result
from playout.errors import InputError
from playout.games.go.coords import shown

COLUMNS = ("black", "white", "score")
MAX_NAME = 4096  # as long as a player's spec may be
_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True)
class Results:
    """Who played whom, and how it ended."""

    games: list[Result]
    players: dict[str, str]  # by name: the spec, as far as it is known
    uncounted: int = 0  # games that were void, or copies of others
    anchors: dict[str, float] = field(default_factory=dict)  # ratings that the event holds to be known

    def __repr__(self) -> str:
        return f"Results({len(self.games):,} games of {len(self.players)} players)"


def load(path: str | Path) -> Results:
    """The results in a file; refused with the line where something is wrong."""
    name = shown(os.fspath(path), 120)
    if not os.path.exists(path):
        raise InputError(f"there is no file {name}")
    if not os.path.isfile(path):
        raise InputError(f"{name} is not a file")
    with open(path, "rb") as file:
        start = file.read(len(_SQLITE))
    if start == _SQLITE:
        return _of_run(path)
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            is_json = start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
            rows = list(_json_rows(file) if is_json else _csv_rows(file))
    except UnicodeDecodeError:
        raise InputError(f"{name} is neither a run of playout nor a list of games") from None
    except InputError as error:
        raise InputError(f"{name}, {error}") from None
    if not rows:
        raise InputError(f"{name} has no games")
    return Results(rows, dict.fromkeys((player for row in rows for player in row[:2]), ""))


def load_all(paths: Sequence[str | Path]) -> Results:
    """The results of several files together; a name must mean the same player in all of them."""
    games: list[Result] = []
    players: dict[str, str] = {}
    anchors: dict[str, float] = {}
    uncounted = 0
    for k, path in enumerate(paths):
        found = load(path)
        name = shown(os.fspath(path), 120)
        if any(os.path.samefile(path, other) for other in paths[:k]):
            raise InputError(f"{name} is given twice, and its games would count twice")
        for player, spec in found.players.items():
            if spec and players.get(player, spec) not in ("", spec):
                other = players[player]
                raise InputError(
                    f"player {shown(player)} is {shown(other)} elsewhere and {shown(spec)} in {name}"
                )
            players[player] = spec or players.get(player, "")
        for player, elo in found.anchors.items():
            if anchors.setdefault(player, elo) != elo:
                raise InputError(
                    f"anchor {shown(player)} is {anchors[player]:g} elsewhere and {elo:g} in {name}"
                )
        games += found.games
        uncounted += found.uncounted
    return Results(games, players, uncounted, anchors)


def _of_run(path: str | Path) -> Results:
    from playout.arena.store import Store

    with Store.open(path) as store:
        games, players = store.results(), store.players()
        anchors = store.settings.get("anchors") or {}
        return Results(
            games,
            players,
            len(store.numbers()) - len(games),
            {name: float(elo) for name, elo in anchors.items() if name in players},
        )


def _json_rows(lines: Any) -> Iterator[Result]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            facts = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError(f"line {number}: that is not JSON") from None
        if not isinstance(facts, dict) or any(key not in facts for key in COLUMNS):
            raise InputError(f"line {number}: a game needs black, white and score")
        yield _game(number, *(facts[key] for key in COLUMNS))


def _csv_rows(lines: Any) -> Iterator[Result]:
    where = {name: k for k, name in enumerate(COLUMNS)}
    first = True
    reader = csv.reader(lines)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            titles = [cell.lower() for cell in cells]
            if first and set(COLUMNS) <= set(titles):
                where = {name: titles.index(name) for name in COLUMNS}
                first = False
                continue
            first = False
            if len(cells) <= max(where.values()):
                line = shown(",".join(row))
                raise InputError(f"line {reader.line_num}: a game is black,white,score, not {line}")
            yield _game(reader.line_num, *(cells[where[name]] for name in COLUMNS))
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: {error}") from None


def _game(number: int, black: Any, white: Any, score: Any) -> Result:
    """One game, checked."""
    for color, player in (("black", black), ("white", white)):
        if not isinstance(player, str) or not player.strip() or len(player) > MAX_NAME:
            raise InputError(f"line {number}: {color} is {shown(player)}, which is no player's name")
        if not player.isprintable():
            raise InputError(f"line {number}: the name {shown(player)} has control characters in it")
    try:
        points = float(score)
    except (TypeError, ValueError, OverflowError):
        points = -1.0
    if isinstance(score, bool) or points not in (0.0, 0.5, 1.0):
        raise InputError(f"line {number}: the score {shown(score)} is not 1, 0.5 or 0")
    return black.strip(), white.strip(), points
