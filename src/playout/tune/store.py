"""The games of a tuning in one SQLite file: for each sample of each generation, what it got in which game.

A game takes about twenty bytes; it is there for good as soon as `add` returns (write-ahead logging). What the
samples were is not kept: the seed and the games before tell it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from playout import __version__
from playout.arena.lock import Lock
from playout.arena.store import transaction
from playout.errors import InputError
from playout.runs import difference

FORMAT = 1
MARK = "playout tune"
BEHIND = 4096  # rows that are read at once

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE games (
    generation INTEGER NOT NULL,
    sample INTEGER NOT NULL,
    number INTEGER NOT NULL,  -- of the sample's games, from 1
    half_points INTEGER NOT NULL CHECK (half_points IN (0, 1, 2)),
    PRIMARY KEY (generation, sample, number)
) WITHOUT ROWID;
CREATE TABLE faults (generation INTEGER, sample INTEGER, number INTEGER, detail TEXT NOT NULL);
"""

Result = tuple[int, int, int, float]  # generation, sample, number of the game, points


class Results:
    """The games of a tuning; without a path they are kept in memory alone.

    facts: all that the games depend on; a file with other ones is refused.

    >>> results = Results()
    >>> results.add([(0, 2, 1, 1.0), (0, 2, 2, 0.5)])
    >>> results.points(0, 2, 4).tolist(), results.total
    ([1.0, 0.5, nan, nan], 2)
    """

    def __init__(self, path: str | Path | None = None, facts: Mapping[str, Any] | None = None) -> None:
        self._points: dict[tuple[int, int], np.ndarray] = {}  # of a sample, by number; nan: not played
        self.total = 0
        self._db: sqlite3.Connection | None = None
        self._lock: Lock | None = None
        if path is None:
            return
        self._lock = Lock(path)
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._open(str(path), json.loads(json.dumps(facts or {})))
        except sqlite3.Error as error:
            self.close()
            raise InputError(f"{str(path)!r} is not a file of games that were tuned by: {error}") from None
        except BaseException:
            self.close()
            raise

    def _open(self, name: str, facts: dict[str, Any]) -> None:
        assert self._db is not None
        if not self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
            self._db.execute("PRAGMA journal_mode = WAL")
            meta = {"kind": MARK, "format": FORMAT, "version": __version__, "facts": facts}
            with self._transaction():
                for statement in _SCHEMA.split(";\n"):
                    self._db.execute(statement)
                rows = [(key, json.dumps(value)) for key, value in meta.items()]
                self._db.executemany("INSERT INTO meta VALUES (?, ?)", rows)
        found = {key: json.loads(value) for key, value in self._db.execute("SELECT key, value FROM meta")}
        if found.get("kind") != MARK or found.get("format") != FORMAT:
            raise InputError(f"{name!r} is not a file of games that were tuned by, or of another format")
        if found["facts"] != facts:
            raise InputError(
                f"the tuning in {os.path.dirname(name)!r} would mix results: "
                f"{difference(found['facts'], facts)}; choose another --output"
            )
        if found["version"] != __version__:
            raise InputError(
                f"the tuning in {os.path.dirname(name)!r} would mix results: playout was {found['version']} "
                f"and is now {__version__}"
            )
        self._db.execute("PRAGMA synchronous = NORMAL")  # in WAL mode this survives every kill
        self._read()

    def _read(self) -> None:
        assert self._db is not None
        rows = self._db.execute("SELECT generation, sample, number, half_points FROM games")
        while batch := rows.fetchmany(BEHIND):
            table = np.array(batch, np.int32)
            where = table[:, 0].astype(np.int64) << 32 | table[:, 1]
            cuts = np.flatnonzero(np.diff(where)) + 1
            for part in np.split(table, cuts):
                kept = self._room(int(part[0, 0]), int(part[0, 1]), int(part[:, 2].max()))
                kept[part[:, 2] - 1] = part[:, 3] / 2
            self.total += len(table)

    def _room(self, generation: int, sample: int, games: int) -> np.ndarray:
        """The points of a sample, with room for so many games."""
        kept = self._points.get((generation, sample))
        if kept is None or kept.size < games:
            wider = np.full(games if kept is None else max(games, 2 * kept.size), np.nan, np.float32)
            if kept is not None:
                wider[: kept.size] = kept
            self._points[generation, sample] = kept = wider
        return kept

    def points(self, generation: int, sample: int, games: int) -> np.ndarray:
        """A sample's points in its first games, not a number where a game has not been played."""
        return self._room(generation, sample, games)[:games]

    def add(self, results: Iterable[Result]) -> None:
        """Keep games that have ended."""
        results = list(results)
        if self._db is not None:
            with self._transaction():
                self._db.executemany(
                    "INSERT INTO games VALUES (?, ?, ?, ?)",
                    [(t, sample, number, round(2 * points)) for t, sample, number, points in results],
                )
        for t, sample, number, points in results:
            self._room(t, sample, number)[number - 1] = points
        self.total += len(results)

    def note(self, generation: int, sample: int, number: int, detail: str) -> None:
        """Keep what went wrong in a game."""
        if self._db is not None:
            with self._transaction():
                self._db.execute(
                    "INSERT INTO faults VALUES (?, ?, ?, ?)", (generation, sample, number, detail)
                )

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None:
            self._db.close()
        if self._lock is not None:
            self._lock.release()

    def _transaction(self) -> contextlib.AbstractContextManager[None]:
        assert self._db is not None
        return transaction(self._db, "the games of the tuning")
