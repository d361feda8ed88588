"""One game as a piece of work that any thread, process or machine can do, and that always comes out the same.

A `Job` says everything about a game. Players are made for it and get their seeds from it, so it does not
matter who plays it, or after which other games. Engines are started for it too, unless they are to be kept
from game to game.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from playout import __version__
from playout.arena.referee import FIRST, SECOND, Stopped, referee_for, words
from playout.arena.store import GameRecord
from playout.arena.terms import Terms, joined, put
from playout.external.player import EnginePlayer
from playout.external.program import Program
from playout.games.game import Game
from playout.kernel import new_rng
from playout.player import registry
from playout.player.api import Player
from playout.player.registry import build, players_of, spec_of, split_spec, the_game
from playout.settings import names, parse

UNEVENTFUL = ("score", "resignation", "length")
ERRORS = 8192  # characters of an engine's stderr that are kept of games that end so
SEED = "{seed}"  # in an engine's command line: the game's seed


@dataclass(frozen=True)
class Job:
    """A game that is to be played."""

    run: str  # which run it belongs to: runs are stopped as a whole
    number: int
    pair: int
    black: str
    white: str
    specs: Mapping[str, str]  # of the two players, by name
    opening: str
    terms: Terms
    seed: int  # the event's
    keep_engines: bool = False
    folder: str | None = None  # where files in the specs are seen from

    def seed_of(self, player: int) -> int:
        """The seed of a player in this game; below 2^31, as engines expect it."""
        sequence = np.random.SeedSequence(self.seed, spawn_key=(1, self.number, player))
        return int(sequence.generate_state(1)[0]) & 0x7FFFFFFF

    def luck(self) -> np.ndarray:
        """The generator of what chance does: the same in both games of a pair."""
        return new_rng(np.random.SeedSequence(self.seed, spawn_key=(2, self.pair)))


def seeded(spec: str, seed: int, game: Game | str | None = None) -> tuple[str, dict[str, str], int | None]:
    """A player's name and settings, with a seed where it takes one and names none; and that seed.

    >>> seeded("flat:sims=3", 7)
    ('flat', {'sims': '3', 'seed': '7'}, 7)
    >>> seeded("flat:seed=1", 7)
    ('flat', {'seed': '1'}, None)
    >>> seeded("gtp:gnugo --seed {seed}", 7)
    ('gtp', {'command': 'gnugo --seed 7'}, 7)
    """
    found = the_game(game)
    name, values = split_spec(spec, found)
    players = players_of(found)
    if registry.takes_command(found, name):
        given = SEED in values["command"]
        return name, {"command": values["command"].replace(SEED, str(seed))}, seed if given else None
    if name not in players or "seed" in values or "seed" not in names(players[name].settings):
        return name, values, None
    return name, {**values, "seed": str(seed)}, seed


def carry_out(job: Job, players: Mapping[str, Player] | None = None) -> GameRecord:
    """Play a game. players: those that are there already, by name; the others are made, and closed."""
    with _Table(job, players or {}) as table:
        return table.game()


def probe(spec: str, terms: Terms, run: str, folder: str | None = None) -> str:
    """Which version a player is. One that cannot play is refused. All that games need is compiled.

    run: which run asks; `stop` ends engines that do not answer. folder: where files are seen from.
    """
    name, values, _ = seeded(spec, 0, terms.game)
    started: list[Program] = []

    def watch(engine: Program) -> None:
        started.append(engine)
        if run in _stopped:
            engine.kill()

    with _lock:
        _probes.append((run, started))
    try:
        with contextlib.closing(_make(name, values, terms, watch, folder)) as player:
            terms.position().warm_up()
            examine(player, terms)
            return version_of(player)
    finally:
        with _lock:
            _probes.remove((run, started))


def examine(player: Player, terms: Terms) -> None:
    """Refuse a player that cannot begin a game under these terms; its clock is then as it was."""
    position, clock, before = terms.position().settle(new_rng(0)), terms.new_clock(), player.clock
    if clock is not None:
        player.clock = clock
    try:
        player.new_game()
        player.begin(position)
        player.check(position)
    finally:
        player.clock = before


def stop(run: str) -> None:
    """Break off all games of a run in this process, now, and end their engines."""
    with _lock:
        _stopped.add(run)
        tables = [table for table in _tables if table.job.run == run]
        probed = [engine for other, started in _probes if other == run for engine in started]
    for engine in probed:
        engine.kill()
    for table in tables:
        table.hurry()
    dismiss(run)


def dismiss(run: str) -> None:
    """Close the engines of a run that were kept for its next game."""
    with _lock:
        idle = [player for key in [key for key in _idle if key[0] == run] for player in _idle.pop(key)]
    for player in idle:
        player.close()


# -- inside ---------------------------------------------------------------------------------------------

_lock = threading.Lock()
_compiling = threading.Lock()
_stopped: set[str] = set()  # runs
_tables: list[_Table] = []  # where games are going on
_probes: list[tuple[str, list[Program]]] = []  # runs that ask who can play, and the engines started for it
_idle: dict[tuple[str, str], list[EnginePlayer]] = {}  # kept engines, by run and command
_warm: set[str] = set()  # kinds of players that have been compiled, by the options of their game


@dataclass(eq=False)
class _Table:
    """Where one game is played: its players, who are there for as long as it lasts."""

    job: Job
    given: Mapping[str, Player]
    players: dict[int, Player] = field(default_factory=dict)
    seeds: dict[int, int | None] = field(default_factory=dict)
    versions: dict[int, str] = field(default_factory=dict)
    engines: list[Program] = field(default_factory=list)  # all that were started here
    failed: int | None = None

    def __enter__(self) -> _Table:
        with _lock:
            _tables.append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        for color, player in self.players.items():
            self._leave(color, player)
        with _lock:
            _tables.remove(self)

    def is_stopped(self) -> bool:
        return self.job.run in _stopped

    def hurry(self) -> None:
        """From another thread: whatever a player is doing now, let it end."""
        for engine in list(self.engines):
            engine.kill()
        for player in list(self.players.values()):
            with contextlib.suppress(Exception):
                player.stop()

    def game(self) -> GameRecord:
        """Play it."""
        job, started = self.job, time.time()
        position = job.terms.position()
        for word in job.opening.split():
            put(position, word)
        referee = referee_for(job.terms)(position, self.players, job.terms, job.luck(), self.is_stopped)
        try:
            self._seat(FIRST, job.black)
            self._seat(SECOND, job.white)
        except Exception as error:
            if self.is_stopped():
                raise Stopped from None
            name = job.white if FIRST in self.versions else job.black
            referee.detail = f"{name} could not begin: {words(error)}"
        else:
            referee.play()
        self.failed = referee.failed
        errors = {color: self._errors(color) for color in (FIRST, SECOND)}
        if referee.reason in UNEVENTFUL:
            errors = {color: text[-ERRORS:] for color, text in errors.items()}
        return GameRecord(
            number=job.number,
            pair=job.pair,
            black=job.black,
            white=job.white,
            winner={FIRST: "black", SECOND: "white", None: None}[referee.winner],
            result=referee.result,
            payoff=referee.payoff,
            reason=referee.reason,
            detail=referee.detail,
            moves=joined(referee.moves()),
            opening=job.opening,
            black_seconds=referee.seconds[FIRST],
            white_seconds=referee.seconds[SECOND],
            move_seconds=" ".join(f"{seconds:.4g}" for seconds in referee.move_seconds),
            seed=job.seed,
            black_seed=self.seeds.get(FIRST),
            white_seed=self.seeds.get(SECOND),
            version=__version__,
            black_version=self.versions.get(FIRST, ""),
            white_version=self.versions.get(SECOND, ""),
            black_stderr=errors[FIRST],
            white_stderr=errors[SECOND],
            started=started,
            ended=time.time(),
        )

    def _seat(self, color: int, name: str) -> None:
        """Let a player come to the table."""
        if name in self.given:
            self.players[color] = self.given[name]
        else:
            game, seed = self.job.terms.game, self.job.seed_of(color)
            kind, values, self.seeds[color] = seeded(self.job.specs[name], seed, game)
            self.players[color] = self._kept(kind, values) or _make(
                kind, values, self.job.terms, self._watch, self.job.folder
            )
            self.players[color].spec = spec_of(kind, values, game)
        self.versions[color] = version_of(self.players[color])

    def _kept(self, kind: str, values: Mapping[str, str]) -> Player | None:
        """An engine that has stayed from an earlier game."""
        game = self.job.terms.game
        if kind not in game.engines:
            return None
        with _lock:
            idle = _idle.get((self.job.run, spec_of(kind, values, game)), [])
            player = idle.pop() if idle else None
        if player is not None:
            player.on_start = self._watch
            if player.engine is not None:
                self._watch(player.engine)
        return player

    def _watch(self, engine: Program) -> None:
        self.engines.append(engine)
        if self.is_stopped():
            engine.kill()

    def _is_ours(self, player: Player) -> bool:
        return not any(player is given for given in self.given.values())

    def _keeps(self, color: int, player: EnginePlayer) -> bool:
        """Whether an engine stays for the next game; one with a seed in its command is for this one."""
        return (self.job.keep_engines or player.forgets) and self.seeds.get(color) is None

    def _errors(self, color: int) -> str:
        """What an engine wrote to its error output in this game; it is closed first, to have all of it."""
        player = self.players.get(color)
        if not isinstance(player, EnginePlayer):
            return ""
        if self._is_ours(player) and (color == self.failed or not self._keeps(color, player)):
            player.close()
        return player.take_errors()

    def _leave(self, color: int, player: Player) -> None:
        if not self._is_ours(player):
            return
        if isinstance(player, EnginePlayer) and self._keeps(color, player) and color != self.failed:
            player.timeout = self.job.terms.engine_timeout
            player.on_start = None
            with _lock:
                if not self.is_stopped():
                    _idle.setdefault((self.job.run, player.spec), []).append(player)
                    return
        if self.is_stopped():
            self.hurry()
        player.close()


def _make(
    name: str,
    values: Mapping[str, str],
    terms: Terms,
    on_start: Callable[[Program], None] | None,
    folder: str | None,
) -> Player:
    """A player, compiled: that must not count as thinking."""
    if name in terms.game.engines:
        protocol = registry.engine(terms.game, name)
        patient = {"timeout": f"{terms.engine_timeout:g}", **values}
        settings = parse(protocol.SETTINGS, patient, f"player {name}")
        outside: Player = protocol.PLAYER.made(settings, on_start, folder)
        return outside
    player = build(name, values, terms.game, folder)
    own = sorted((key, value) for key, value in values.items() if key != "seed")
    kind = repr((terms.game.spec, terms.game.version, terms.options, name, own, folder))
    with _compiling:  # one thread compiles, the others wait for it
        if kind not in _warm:
            player.warm_up(terms.position().settle(new_rng(0)))
            _warm.add(kind)
    return player


def version_of(player: Player) -> str:
    """Which version of what a player is."""
    return player.version if isinstance(player, EnginePlayer) else f"playout {__version__}"
