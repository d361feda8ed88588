"""Tournaments from a TOML file.

::

    game = "go"                 # or another one, or a file; its options are keys, as size and komi are Go's
    schedule = "round-robin"    # or "gauntlet" (with challengers = ["name", …]), or "swiss"
    rounds = 50                 # in each, pairs of games with colours exchanged
    size = 9
    komi = 7.5
    opening = 2                 # random first moves of each side; or openings = "FILE"
    seed = 1

    [players]
    gnugo = "gtp:gnugo --mode gtp --chinese-rules --level 10 --seed {seed}"
    flat = "flat:policy=mogo,sims=100"
    mogo = "mogo:sims=1000"

    [anchors]                   # for ratings
    gnugo = 1800

Files, also those in specs (weights, engines), are seen from the folder of the TOML file.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playout.arena.event import CannotPlay, Event, Run, new_seed, stored_seed
from playout.arena.export import saving
from playout.arena.openings import read_openings
from playout.arena.pool import Cluster, Pool, Threads
from playout.arena.schedule import SCHEDULES, make_schedule
from playout.arena.store import GameRecord, Store
from playout.arena.terms import Limits, Terms
from playout.arena.toml_file import AtKey, game_of, line_of, located, read_text, settings_of
from playout.errors import InputError, near
from playout.games.game import Game
from playout.player.registry import expanded
from playout.settings import setting

MAX_NAME = 100


@dataclass(frozen=True, kw_only=True)
class TournamentSettings:
    """What a file says beside the terms of a game."""

    schedule: str = setting("round-robin", "who meets whom", choices=SCHEDULES)
    rounds: int = setting(1, "how often they meet, each time for two games", low=1, high=10_000_000)
    seed: int | None = setting(None, "makes the tournament repeatable", low=0)
    opening: int = setting(0, "random moves of each side that begin a pair of games", low=0)
    openings: str | None = setting(None, "a file of openings, played in turn")
    threads: int = setting(1, "games at once", low=1, high=1024)
    keep_engines: bool = setting(False, "keep engines running from game to game")
    count_copies: bool = setting(False, "let identical games count")
    store: str | None = setting(None, "where games are kept; beside the file by default")
    sgf: str | None = setting(None, "a folder where games are saved")
    challengers: tuple[str, ...] = field(default=(), metadata={"help": "who runs the gauntlet"})


@dataclass(frozen=True)
class TournamentFile:
    """A tournament as its file describes it; paths in it are seen from the file."""

    path: Path
    settings: TournamentSettings
    terms: Terms
    players: dict[str, str]
    anchors: dict[str, float]

    @property
    def store(self) -> Path:
        """Where its games are kept."""
        return self._beside(self.settings.store) if self.settings.store else self.path.with_suffix(".db")

    @property
    def sgf(self) -> Path | None:
        """Where its games are saved as SGF."""
        return self._beside(self.settings.sgf) if self.settings.sgf else None

    def _beside(self, name: str) -> Path:
        return self.path.parent / name

    def event(self) -> Event:
        """What is to be played; a seed that nobody named is the stored one, or new."""
        s = self.settings
        known = stored_seed(self.store) if s.seed is None else s.seed
        seed = new_seed() if known is None else known
        openings = read_openings(self._beside(s.openings), self.terms) if s.openings else ()
        return Event(
            players=self.players,
            schedule=make_schedule(s.schedule, s.rounds, list(self.players), s.challengers, seed),
            terms=self.terms,
            seed=seed,
            opening=s.opening,
            openings=openings,
            keep_engines=s.keep_engines,
            count_copies=s.count_copies,
            folder=str(self.path.parent.absolute()),
            also={
                "event": "tournament",
                "schedule": s.schedule,
                "challengers": list(s.challengers),
                "anchors": self.anchors,
            },
        )


def read_tournament(path: str | Path) -> TournamentFile:
    """A tournament's file; what is wrong in it is refused with the file's name and the line."""
    text = read_text(path, "the tournament")
    with located(path, text) as found:
        return _understand(Path(path), found)


def _understand(path: Path, found: Mapping[str, Any]) -> TournamentFile:
    game = game_of(path, found)
    kinds: tuple[Any, ...] = (TournamentSettings, Limits, game.options)
    chosen = settings_of(found, kinds, ("game", "players", "anchors"), lists=("challengers",))
    settings = TournamentSettings(**chosen[TournamentSettings])
    terms = Terms(game, **chosen[Limits], **chosen[game.options])
    players = _players(found.get("players"), path.parent, game)
    anchors = _anchors(found.get("anchors", {}), players)
    tournament = TournamentFile(path, settings, terms, players, anchors)
    # What only shows when the parts come together: a gauntlet of nobody, an opening that does not fit.
    make_schedule(settings.schedule, settings.rounds, list(players), settings.challengers)
    return tournament


def _players(found: Any, folder: Path, game: Game) -> dict[str, str]:
    if found is None:
        raise InputError('there is no table [players] with lines such as flat = "flat:sims=100"')
    if not isinstance(found, dict):
        raise AtKey("", "players", "players is not a table of names and specs")
    for name, spec in found.items():
        if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
            raise AtKey("players", name, f"{name[:40]!r} is not a name for a player")
        if not isinstance(spec, str):
            raise AtKey("players", name, f'player {name} is not a spec in quotes, such as "flat:sims=100"')
    if len(found) < 2:
        raise InputError(f"a tournament needs at least 2 players, not {len(found)}")
    return {name: expanded(spec, game, folder) for name, spec in found.items()}


def _anchors(found: Any, players: Iterable[str]) -> dict[str, float]:
    if not isinstance(found, dict):
        raise AtKey("", "anchors", "anchors is not a table of names and ratings")
    for name, rating in found.items():
        if name not in players:
            raise AtKey("anchors", name, f"the anchor {name!r} is not a player{near(name, players)}")
        if isinstance(rating, bool) or not isinstance(rating, int | float) or not math.isfinite(rating):
            raise AtKey("anchors", name, f"the rating of the anchor {name} is not a number")
    return {name: float(rating) for name, rating in found.items()}


class Tournament:
    """A tournament that is played, or gone on with; a context, which ends with nothing left under way."""

    def __init__(
        self,
        file: str | Path | TournamentFile,
        *,
        threads: int | None = None,
        cluster: str | None = None,
        store: str | Path | None = None,
        sgf: str | Path | None = None,
    ) -> None:
        self.file = file if isinstance(file, TournamentFile) else read_tournament(file)
        if store is not None:
            there = Path(store).absolute()
            self.file = dataclasses.replace(
                self.file, settings=dataclasses.replace(self.file.settings, store=str(there))
            )
        self._sgf = Path(sgf) if sgf is not None else self.file.sgf
        try:
            self.event = self.file.event()
        except InputError as error:
            raise InputError(f"{self.file.path}: {error}") from None
        count = threads if threads is not None else self.file.settings.threads
        self.pool: Pool = Threads(count) if cluster is None else Cluster(cluster)
        try:
            self._run = Run(self.event, self.pool, self.file.store)
        except CannotPlay as error:
            self.pool.close()
            where = line_of("players", error.name, self.file.path.read_text(encoding="utf-8-sig"))
            raise InputError(f"{self.file.path}{where}: player {error.name}: {error}") from None
        except BaseException:
            self.pool.close()
            raise

    def __enter__(self) -> Tournament:
        return self

    def __exit__(self, *exception: object) -> None:
        self.pool.close()
        self._run.store.close()

    @property
    def store(self) -> Store:
        """Where the games are."""
        return self._run.store

    def play(self) -> Iterator[GameRecord]:
        """Play the games that are left, each given when it has ended."""
        return saving(self._run.play(), self.store, self._sgf)
