"""The games of a run in one SQLite file: what was played, how it ended, and what is still to be played.

- ``meta``: the format of the file, the version of the package, and the settings of the event (as JSON).
- ``players``: each player's name, its spec, and which version it said it is.
- ``pairs``: the plan. A pair is two games with the same opening and colours exchanged.
- ``games``: every game that has ended. ``counted`` is 0 for games without a meaning for the score: void
  ones, and copies of a game that was played already.

A game is there for good as soon as `add` returns: write-ahead logging survives a kill at any moment. Others
may read while a run goes on; only one process may write.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from playout import __version__
from playout.arena.lock import Lock
from playout.errors import InputError

FORMAT = 1
SECONDS_TO_WAIT = 30.0  # for another process's short transaction
_ALWAYS = {"game": "go"}  # what runs of older versions do not say
FAULTS = ("void", "time", "failure")  # such games say nothing by their moves

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE players (
    name TEXT PRIMARY KEY,
    spec TEXT NOT NULL,
    version TEXT NOT NULL
);
CREATE TABLE pairs (
    pair INTEGER PRIMARY KEY,
    first TEXT NOT NULL REFERENCES players,   -- has Black in the pair's first game
    second TEXT NOT NULL REFERENCES players,
    cycle INTEGER NOT NULL,                   -- which of their pairs, or the round, from 1
    opening TEXT NOT NULL                     -- moves such as "E5 C3", Black first
);
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    number INTEGER NOT NULL UNIQUE,           -- 2 pair - 1 and 2 pair
    pair INTEGER NOT NULL REFERENCES pairs,
    black TEXT NOT NULL REFERENCES players,
    white TEXT NOT NULL REFERENCES players,
    winner TEXT CHECK (winner IN ('black', 'white')),
    result TEXT NOT NULL,                     -- as SGF writes it
    payoff REAL,                              -- Black's points, where games are played for points
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,                     -- what happened, for people
    counted INTEGER NOT NULL CHECK (counted IN (0, 1)),
    same_as INTEGER,                          -- the number of the game of which this is a copy
    moves TEXT NOT NULL,                      -- all moves, the opening's too: "E5 C3 pass", Black first
    opening TEXT NOT NULL,
    black_seconds REAL NOT NULL,
    white_seconds REAL NOT NULL,
    move_seconds TEXT NOT NULL,               -- of each move after the opening
    seed INTEGER NOT NULL,                    -- the event's
    black_seed INTEGER,                       -- the players', where they take one
    white_seed INTEGER,
    version TEXT NOT NULL,                    -- of the package that was the referee
    black_version TEXT NOT NULL,
    white_version TEXT NOT NULL,
    black_stderr TEXT NOT NULL,               -- the last that an engine wrote there
    white_stderr TEXT NOT NULL,
    started REAL NOT NULL,                    -- seconds since 1970
    ended REAL NOT NULL
);
CREATE INDEX games_by_beginning ON games (black, white, result, substr(moves, 1, 200));
"""


@dataclass(frozen=True)
class Pair:
    """Two games of a plan: the same opening, `first` with Black and then with White."""

    pair: int
    first: str
    second: str
    cycle: int
    opening: str = ""

    def colors(self, number: int) -> tuple[str, str]:
        """Who has Black and who White in one of the two games."""
        return (self.first, self.second) if number % 2 else (self.second, self.first)


@dataclass(frozen=True, kw_only=True)
class GameRecord:
    """One game as the store keeps it; the fields are those of its table."""

    number: int
    pair: int
    black: str
    white: str
    winner: str | None
    result: str
    reason: str
    payoff: float | None = None  # Black's points
    detail: str = ""
    counted: int = 1
    same_as: int | None = None
    moves: str = ""
    opening: str = ""
    black_seconds: float = 0.0
    white_seconds: float = 0.0
    move_seconds: str = ""
    seed: int = 0
    black_seed: int | None = None
    white_seed: int | None = None
    version: str = __version__
    black_version: str = ""
    white_version: str = ""
    black_stderr: str = ""
    white_stderr: str = ""
    started: float = 0.0
    ended: float = 0.0

    @property
    def length(self) -> int:
        """How many moves were played, those of the opening included."""
        return len(self.moves.split())

    @property
    def score_of_black(self) -> float:
        """1 for a win of Black, 0 for one of White, a half for a draw."""
        return {"black": 1.0, "white": 0.0, None: 0.5}[self.winner]

    def points(self, player: str) -> float:
        """What a player of the game gets for it."""
        return self.score_of_black if player == self.black else 1.0 - self.score_of_black


class Tally(NamedTuple):
    """So many games of the same players that ended alike."""

    black: str
    white: str
    winner: str | None
    reason: str
    counted: int
    copies: int  # whether they are copies of others
    games: int


_COLUMNS = [field.name for field in dataclasses.fields(GameRecord)]


class Store:
    """One run in one file; `open` reads it, `begin` writes it, `memory` is one without a file."""

    def __init__(self, connection: sqlite3.Connection, name: str, lock: Lock | None = None) -> None:
        self.name = name
        self._db = connection
        self._lock = lock

    # -- opening ------------------------------------------------------------------------------------

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """A run to read; it may be under way."""
        name = str(path)
        if not os.path.exists(path):
            raise InputError(f"there is no run {name!r}")
        if not os.path.isfile(path):
            raise InputError(f"{name!r} is not a file")
        # Not read-only, though nothing is written: such a connection would leave its files behind.
        store = cls(_connect(path, "rw"), name)
        try:
            store._db.execute("PRAGMA query_only = ON")
            store._check()
        except BaseException:
            store.close()
            raise
        return store

    @staticmethod
    def exists(path: str | Path) -> bool:
        """Whether something is there already; a file in which a run was just about to begin is nothing."""
        if not os.path.isfile(path) or os.path.getsize(path) == 0:
            return os.path.exists(path) and not os.path.isfile(path)
        with contextlib.closing(_connect(path, "rw")) as connection:
            try:
                return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None
            except sqlite3.Error:
                return True

    @classmethod
    def memory(
        cls, settings: Mapping[str, Any], players: Mapping[str, tuple[str, str]] | None = None
    ) -> Store:
        """A run that is kept nowhere.

        >>> store = Store.memory({"size": 9})
        >>> store.settings, store.results()
        ({'size': 9}, [])
        """
        store = cls(sqlite3.connect(":memory:", isolation_level=None), "memory")
        store._create(settings)
        store._join(players or {})
        return store

    @classmethod
    def begin(
        cls,
        path: str | Path,
        settings: Mapping[str, Any],
        players: Mapping[str, tuple[str, str]] | None = None,
        may_change: Iterable[str] = (),
    ) -> Store:
        """A run to go on with, or a new one; refused if it was begun with other settings or players.

        players: spec and version by name; there may be more than before. may_change: the settings that do
        not alter what a game is.
        """
        players, may_change = players or {}, set(may_change)
        name = str(path)
        if os.path.exists(path) and not os.path.isfile(path):
            raise InputError(f"{name!r} is not a file")
        if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            raise InputError(f"there is no folder for the run {name!r}")
        if cls.exists(path):
            with cls.open(path) as present:  # refuses before anything is written
                present._compare(settings, players, may_change)
        lock = Lock(path)
        try:
            store = cls(_connect(path, "rwc"), name, lock)
        except BaseException:
            lock.release()
            raise
        try:
            if store._is_empty():
                store._db.execute("PRAGMA journal_mode = WAL")
                store._create(settings)
            store._check()
            store._compare(settings, players, may_change)
            if not store._has_payoffs():
                store._db.execute("ALTER TABLE games ADD COLUMN payoff REAL")
            store._db.execute("PRAGMA synchronous = NORMAL")  # in WAL mode this survives every kill
            store._set("settings", settings)
            store._join(players)
        except BaseException:
            store.close()
            raise
        return store

    def _create(self, settings: Mapping[str, Any]) -> None:
        with self._transaction():
            for statement in _SCHEMA.split(";\n"):
                self._db.execute(statement)
            facts = {"format": FORMAT, "version": __version__, "settings": settings, "created": time.time()}
            for key, value in facts.items():
                self._set(key, value)

    def _join(self, players: Mapping[str, tuple[str, str]]) -> None:
        """Take players in that are not there yet."""
        with self._transaction():
            self._db.executemany(
                "INSERT OR IGNORE INTO players VALUES (?, ?, ?)",
                ((name, *facts) for name, facts in players.items()),
            )

    def _is_empty(self) -> bool:
        return not self._db.execute("SELECT 1 FROM sqlite_master").fetchone()

    def _check(self) -> None:
        """Refuse what is not a run, or one of another format."""
        try:
            found = self._get("format")
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise InputError(f"the run {self.name!r} cannot be read: {error}") from None
            found = None
        except (sqlite3.Error, ValueError):
            found = None
        if found is None:
            raise InputError(f"{self.name!r} is not a run of playout")
        if found != FORMAT:
            raise InputError(
                f"the run {self.name!r} has format {found}, and this version of playout reads format {FORMAT}"
            )

    def _compare(
        self, settings: Mapping[str, Any], players: Mapping[str, tuple[str, str]], may_change: set[str]
    ) -> None:
        """Refuse settings under which games would not be comparable with those that are there."""
        self._check()
        before, versions = {**_ALWAYS, **self.settings}, self.versions()
        settings = {**_ALWAYS, **settings}
        if before["game"] != settings["game"]:
            raise InputError(f"the run {self.name!r} is of {before['game']}, and not of {settings['game']}")
        changes = [
            f"{key} was {_shown(before.get(key))} and is now {_shown(settings.get(key))}"
            for key in dict.fromkeys([*before, *settings])
            if key not in may_change and _plain(before.get(key)) != _plain(settings.get(key))
        ]
        for name, spec in self.players().items():
            now = players.get(name, ("", ""))
            if name not in players:
                changes.append(f"player {name} is gone")
            elif now != (spec, versions[name]):
                was, is_now = (spec, now[0]) if spec != now[0] else (versions[name], now[1])
                changes.append(f"player {name} was {_shown(was)} and is now {_shown(is_now)}")
        version = self._get("version")
        if version != __version__:
            changes.append(f"playout was {version} and is now {__version__}")
        if changes:
            raise InputError(f"the run {self.name!r} would mix results: {'; '.join(changes)}")

    # -- reading ------------------------------------------------------------------------------------

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the event."""
        return self._get("settings") or {}

    def players(self) -> dict[str, str]:
        """The players by name, each with its spec, in the order in which they came."""
        return dict(self._db.execute("SELECT name, spec FROM players ORDER BY rowid"))

    def versions(self) -> dict[str, str]:
        """Which version each player says it is."""
        return dict(self._db.execute("SELECT name, version FROM players ORDER BY rowid"))

    def results(self) -> list[tuple[str, str, float]]:
        """The games that count, in order: Black's name, White's name, Black's score (1, 0.5 or 0)."""
        rows = self._db.execute(
            "SELECT black, white, CASE winner WHEN 'black' THEN 1.0 WHEN 'white' THEN 0.0 ELSE 0.5 END "
            "FROM games WHERE counted = 1 ORDER BY number"
        )
        return rows.fetchall()

    def tally(self) -> list[Tally]:
        """The games counted by how they ended: small, however many there are."""
        rows = self._db.execute(
            "SELECT black, white, winner, reason, counted, same_as IS NOT NULL, COUNT(*) FROM games "
            "GROUP BY black, white, winner, reason, counted, same_as IS NOT NULL ORDER BY MIN(number)"
        )
        return [Tally(*row) for row in rows]

    def pair_scores(self) -> list[tuple[str, str, float]]:
        """The pairs whose games both count, in order: who was first, the opening, that player's points."""
        rows = self._db.execute(
            "SELECT first, pairs.opening, SUM(CASE WHEN winner IS NULL THEN 0.5 "
            "WHEN (winner = 'black') = (black = first) THEN 1.0 ELSE 0.0 END) "
            "FROM games JOIN pairs USING (pair) WHERE counted = 1 "
            "GROUP BY pair HAVING COUNT(*) = 2 ORDER BY pair"
        )
        return rows.fetchall()

    def pair_payoffs(self) -> list[tuple[str, float]]:
        """The pairs whose games both count, in order: who was first, and that player's points in both.

        None where games are not played for points.
        """
        if not self._has_payoffs():
            return []
        rows = self._db.execute(
            "SELECT first, SUM(CASE WHEN black = first THEN payoff ELSE -payoff END) "
            "FROM games JOIN pairs USING (pair) WHERE counted = 1 AND payoff IS NOT NULL "
            "GROUP BY pair HAVING COUNT(*) = 2 ORDER BY pair"
        )
        return rows.fetchall()

    def _has_payoffs(self) -> bool:
        """Whether there are points; runs of older versions do not keep them."""
        return any(row[1] == "payoff" for row in self._db.execute("PRAGMA table_info(games)"))

    def games(self, number: int | None = None) -> Iterator[GameRecord]:
        """Every game, in order; or only the one with a number."""
        where = "" if number is None else "WHERE number = ?"
        columns = [name for name in _COLUMNS if name != "payoff" or self._has_payoffs()]
        rows = self._db.execute(
            f"SELECT {', '.join(columns)} FROM games {where} ORDER BY number",
            () if number is None else (number,),
        )
        return (GameRecord(**dict(zip(columns, row, strict=True))) for row in rows)

    def numbers(self) -> set[int]:
        """The numbers of the games that have ended."""
        return {number for (number,) in self._db.execute("SELECT number FROM games")}

    def pairs(self) -> list[Pair]:
        """The plan so far."""
        rows = self._db.execute("SELECT pair, first, second, cycle, opening FROM pairs ORDER BY pair")
        return [Pair(*row) for row in rows]

    # -- writing ------------------------------------------------------------------------------------

    def plan(self, pairs: Iterable[Pair]) -> None:
        """Add pairs to the plan."""
        with self._transaction():
            self._db.executemany(
                "INSERT INTO pairs VALUES (?, ?, ?, ?, ?)", (dataclasses.astuple(pair) for pair in pairs)
            )

    def add(self, game: GameRecord, count_copies: bool = False) -> GameRecord:
        """Keep a game that has ended; what was kept, which is not counted if it is a copy.

        Of games with the same moves by the same players only the one with the lowest number counts, in
        whatever order they come. Games that ended by a fault are no copies: not the moves decided them.
        """
        if game.reason == "void":
            game = dataclasses.replace(game, counted=0)
        with self._transaction():
            if game.counted and game.reason not in FAULTS and not count_copies:
                game = self._without_copies(game)
            marks = ", ".join("?" * len(_COLUMNS))
            self._db.execute(
                f"INSERT INTO games ({', '.join(_COLUMNS)}) VALUES ({marks})",
                [getattr(game, column) for column in _COLUMNS],
            )
        return game

    def _without_copies(self, game: GameRecord) -> GameRecord:
        twin = self._db.execute(
            "SELECT number FROM games WHERE counted = 1 AND black = ? AND white = ? AND result = ? "
            # With a + before it this does not take the place of what has an index.
            "AND substr(moves, 1, 200) = substr(?, 1, 200) AND +moves = ? AND reason = ?",
            (game.black, game.white, game.result, game.moves, game.moves, game.reason),
        ).fetchone()
        if twin is None:
            return game
        if twin[0] < game.number:
            return dataclasses.replace(game, counted=0, same_as=twin[0])
        self._db.execute(
            "UPDATE games SET same_as = ?, counted = 0 WHERE number = ? OR same_as = ?",
            (game.number, twin[0], twin[0]),
        )
        return game

    def discount(self, after_pair: int, detail: str) -> None:
        """Do not count games of later pairs, which were under way when an event was decided."""
        with self._transaction():
            self._db.execute(
                "UPDATE games SET counted = 0, detail = ? WHERE pair > ? AND counted = 1",
                (detail, after_pair),
            )

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # -- inside -------------------------------------------------------------------------------------

    def _transaction(self) -> contextlib.AbstractContextManager[None]:
        return transaction(self._db, f"the run {self.name!r}")

    def _get(self, key: str) -> Any:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def _set(self, key: str, value: Any) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value)))


@contextlib.contextmanager
def transaction(database: sqlite3.Connection, what: str) -> Iterator[None]:
    """All that is written inside, or nothing of it. what: is written, for who is told that it cannot be."""
    try:
        database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")
    except sqlite3.OperationalError as error:  # a full disk, a file system gone read-only
        raise OSError(f"{what} cannot be written: {error}") from None


def _connect(path: str | Path, mode: str) -> sqlite3.Connection:
    """A connection whose transactions are ours to begin and to end."""
    address = f"{Path(os.path.abspath(path)).as_uri()}?mode={mode}"
    try:
        return sqlite3.connect(address, uri=True, isolation_level=None, timeout=SECONDS_TO_WAIT)
    except sqlite3.Error as error:
        raise InputError(f"the run {str(path)!r} cannot be opened: {error}") from None


def _plain(value: Any) -> Any:
    """A value as it is after a stay in the store."""
    return json.loads(json.dumps(value))


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"
