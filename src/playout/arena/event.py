"""An event: a plan of pairs, played by a pool, kept in a store; and gone on with when it is run again.

Same seed, same players of ours: the same games, whoever plays them and however often the event was broken
off. What is under way then is lost and played again.
"""

from __future__ import annotations

import secrets
import time
import uuid
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from playout import __version__
from playout.arena import fast
from playout.arena.openings import random_opening
from playout.arena.pool import TRIES, Pool
from playout.arena.schedule import Schedule
from playout.arena.store import GameRecord, Pair, Store
from playout.arena.terms import Terms
from playout.arena.work import Job, carry_out, examine, probe
from playout.errors import InputError
from playout.runs import Window

# More of these spoil nothing, and anchors are only for ratings; each player is compared by itself.
MAY_CHANGE = ("games", "rounds", "players", "challengers", "anchors")


@runtime_checkable
class Stopping(Protocol):
    """Decides from a match of pairs whether it has shown enough; `playout.arena.sprt.Sprt` is one."""

    def verdict(self, pair_scores: Sequence[float]) -> str:
        """'accept', 'reject' or 'go on', from the first player's points in each finished pair."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """What is to be played. games: the last game that is, where a plan has more."""

    players: Mapping[str, str]  # specs by name
    schedule: Schedule
    terms: Terms = field(default_factory=Terms)
    seed: int = 0
    opening: int = 0  # random moves of each side that begin a pair
    openings: Sequence[str] = ()  # or these in turn
    keep_engines: bool = False
    count_copies: bool = False
    games: int | None = None
    stopping: Stopping | None = None
    also: Mapping[str, Any] = field(default_factory=dict)  # settings of the kind of event, kept with it
    folder: str | None = None  # where files in the specs are seen from; None is where we are

    def __post_init__(self) -> None:
        most = self.terms.position().longest_opening
        if not 0 <= self.opening <= most:
            raise InputError(f"an opening of {self.opening} moves each does not fit: at most {most}")
        if self.opening and self.openings:
            raise InputError("games begin with random moves or with openings from a file, not with both")
        if self.opening and 2 * self.opening >= self.terms.longest:
            raise InputError(f"after an opening of {self.opening} moves each there is no game left")

    def settings(self) -> dict[str, Any]:
        """Everything that the games depend on, as plain values."""
        return {
            **self.also,
            "players": dict(self.players),
            "rounds": self.schedule.rounds,
            **self.terms.settings(),
            "seed": self.seed,
            "opening": self.opening,
            "openings": list(self.openings),
            "keep_engines": self.keep_engines,
            "count_copies": self.count_copies,
            "games": self.games,
        }

    def total(self) -> int:
        """How many games it has in all."""
        games = 2 * self.schedule.rounds * self.schedule.size(list(self.players))
        return games if self.games is None else min(games, self.games)


def stored_seed(path: str | Path | None) -> int | None:
    """The seed of a run that is there already."""
    if path is None or not Store.exists(path):
        return None
    with Store.open(path) as store:
        seed: int | None = store.settings.get("seed")
        return seed


def new_seed() -> int:
    """A seed that nobody has used."""
    return secrets.randbits(48)


class CannotPlay(InputError):
    """A player of an event cannot be made, or cannot play under its terms."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class Run:
    """An event that is being played; a context, which ends with nothing left under way."""

    def __init__(
        self, event: Event, pool: Pool, path: str | Path | None = None, results_only: bool = False
    ) -> None:
        self.event, self.pool = event, pool
        self._results_only = results_only
        self._id = uuid.uuid4().hex
        settings, versions = event.settings(), self._probe()
        players = {name: (spec, versions[name]) for name, spec in event.players.items()}
        if path is None:
            self.store = Store.memory(settings, players)
        else:
            self.store = Store.begin(path, settings, players, MAY_CHANGE)
        self.verdict = ""  # of the stopping rule, once it has one
        self._pairs = self.store.pairs()
        self._played = self.store.numbers()
        self._tested, self._scores = 0, list[float]()  # pairs, all of them finished, and their scores

    def _probe(self) -> dict[str, str]:
        """The players' versions. One that cannot play is refused before anything is written.

        Processes that compile the same kernels at the same time may spoil them, so they are asked in turn.
        """
        versions = dict.fromkeys(self.pool.players, "")
        asked: dict[str, Future[str]] = {}
        try:
            for name, spec in self.event.players.items():
                if name in self.pool.players:
                    examine(self.pool.players[name], self.event.terms)
                    continue
                asked[name] = self.pool.submit(probe, spec, self.event.terms, self._id, self.event.folder)
                if not self.pool.compiles_once:
                    asked[name].exception()
            for name, answer in asked.items():
                versions[name] = answer.result()
        except BaseException as error:
            for answer in asked.values():
                answer.cancel()
            self.pool.stop(self._id)  # an engine that does not answer would keep us
            if isinstance(error, InputError):
                raise CannotPlay(name, str(error)) from None
            raise
        return versions

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *exception: object) -> None:
        self.store.close()

    # -- playing ------------------------------------------------------------------------------------

    def play(self) -> Generator[GameRecord, None, None]:
        """Play what is left to play; each game when it has ended and is kept."""
        event = self.event
        if self._results_only and fast.can_play(event.players.values(), event.terms, event.folder):
            yield from self._play_compiled()
            return
        tries = Counter[int]()
        self._test()
        try:
            with Window(
                self._submit, self._jobs(), self.pool.slots, stop=lambda: self.pool.stop(self._id)
            ) as window:
                while not self.verdict and (ended := next(window, None)) is not None:
                    job, future = ended
                    tries[job.number] += 1
                    game = self._result(future, job, tries[job.number])
                    if game is None:
                        window.again(job)
                    else:
                        yield self._keep(game)
        finally:
            self.pool.dismiss(self._id)

    def _play_compiled(self) -> Generator[GameRecord, None, None]:
        """The same games, many at once in compiled code."""
        self._test()
        if self.verdict:
            return
        batches = fast.batches(job for job in self._jobs() if job is not None)
        with Window(
            lambda batch: self.pool.submit(fast.play_batch, batch), batches, self.pool.slots, in_order=True
        ) as window:
            for _, played in window:
                for game in played.result():
                    yield self._keep(game)
                    if self.verdict:
                        return

    def _submit(self, job: Job) -> Future[GameRecord]:
        arguments = (job, self.pool.players) if self.pool.players else (job,)
        return self.pool.submit(carry_out, *arguments)

    def _result(self, future: Future[GameRecord], job: Job, tries: int) -> GameRecord | None:
        """A game that has ended; None if whoever played it is gone, and it should be played again."""
        if future.cancelled():
            raise OSError("whoever played the games is gone; run again to go on")
        error = future.exception()
        if error is None:
            game = future.result()
            if game.version != __version__:
                raise InputError(f"a worker has playout {game.version}, and this is {__version__}")
            return game
        if not self.pool.is_lost(error):
            raise error
        if tries < TRIES:
            return None
        now = time.time()
        return GameRecord(
            number=job.number,
            pair=job.pair,
            black=job.black,
            white=job.white,
            winner=None,
            result="Void",
            reason="void",
            detail="every worker that began this game died",
            opening=job.opening,
            moves=job.opening,
            seed=job.seed,
            started=now,
            ended=now,
        )

    def _keep(self, game: GameRecord) -> GameRecord:
        kept = self.store.add(game, self.event.count_copies)
        self._played.add(game.number)
        self._test()
        return kept

    @property
    def pair_scores(self) -> tuple[float, ...]:
        """The first player's points in each pair that the stopping rule has seen."""
        return tuple(self._scores)

    def _test(self) -> None:
        """Look at the finished pairs in order, so that it does not matter which ended first."""
        if self.event.stopping is None:
            return
        first = next(iter(self.event.players))
        while not self.verdict and {2 * self._tested + 1, 2 * self._tested + 2} <= self._played:
            self._tested += 1
            games = [
                game
                for number in (2 * self._tested - 1, 2 * self._tested)
                for game in self.store.games(number)
                if game.counted
            ]
            if len(games) == 2:
                self._scores.append(sum(game.points(first) for game in games))
                found = self.event.stopping.verdict(self._scores)
                self.verdict = "" if found == "go on" else found
        if self.verdict:
            self.store.discount(self._tested, "the match was decided before this game ended")

    # -- planning -----------------------------------------------------------------------------------

    def _jobs(self) -> Iterator[Job | None]:
        """The games that are left, in order; None where those before must have ended first."""
        rounds: dict[int, list[Pair]] = {}
        for pair in self._pairs:
            rounds.setdefault(pair.cycle, []).append(pair)
        for number in range(1, self.event.schedule.rounds + 1):
            pairs = rounds.get(number, [])
            if self.event.schedule.waits:
                if not pairs:
                    yield None
                    pairs = self._plan(number, pairs)
            else:
                pairs = pairs + self._plan(number, pairs)
            for pair in pairs:
                yield from self._games(pair)

    def _plan(self, number: int, pairs: Sequence[Pair]) -> list[Pair]:
        """What a round lacks yet."""
        schedule, names = self.event.schedule, list(self.event.players)
        there = {frozenset((pair.first, pair.second)) for pair in pairs}
        games = self.store.games() if schedule.waits else iter(())
        missing = [
            meeting
            for meeting in schedule.meetings(number, names, self._pairs, games)
            if frozenset(meeting) not in there
        ]
        if not missing:
            return []
        opening = self._opening(number)
        start = len(self._pairs) + 1
        added = [Pair(start + k, *meeting, number, opening) for k, meeting in enumerate(missing)]
        self.store.plan(added)
        self._pairs += added
        return added

    def _opening(self, number: int) -> str:
        """The opening of a round: the same for all pairings."""
        event = self.event
        if event.openings:
            return event.openings[(number - 1) % len(event.openings)]
        if not event.opening:
            return ""
        seed = np.random.SeedSequence(event.seed, spawn_key=(0, number))
        return random_opening(event.terms, event.opening, seed)

    def _games(self, pair: Pair) -> Iterator[Job]:
        event = self.event
        for number in (2 * pair.pair - 1, 2 * pair.pair):
            if number in self._played or (event.games is not None and number > event.games):
                continue
            black, white = pair.colors(number)
            yield Job(
                run=self._id,
                number=number,
                pair=pair.pair,
                black=black,
                white=white,
                specs={name: event.players[name] for name in (black, white)},
                opening=pair.opening,
                terms=event.terms,
                seed=event.seed,
                keep_engines=event.keep_engines,
                folder=event.folder,
            )
