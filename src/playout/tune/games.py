"""Real games as fitness: each is a piece of work of the arena's, with its referee, for threads or a cluster.

A game of a sample has the same opening, the same colours and the same seeds as that of every other sample
with the same number: what differs between them is the samples.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import cache

import numpy as np

from playout import __version__
from playout.arena import fast
from playout.arena.event import CannotPlay
from playout.arena.openings import random_opening
from playout.arena.pool import TRIES, Pool
from playout.arena.store import GameRecord
from playout.arena.work import Job, carry_out, probe
from playout.errors import InputError
from playout.runs import Window
from playout.tune.reach import Tuned
from playout.tune.store import Result, Results
from playout.tune.tuner import Wanted

TUNED, OPPONENT = "tuned", "opponent"
Piece = tuple[Wanted, Job]


class Games:
    """Plays the games of samples against an opponent; a context, which ends with nothing left under way.

    opening: random moves of each side that begin a pair; openings: or these in turn.
    """

    def __init__(
        self,
        tuned: Tuned,
        opponent: str,
        pool: Pool,
        seed: int,
        opening: int = 0,
        openings: Sequence[str] = (),
    ) -> None:
        self.tuned, self.opponent, self.pool, self.seed = tuned, opponent, pool, seed
        self._run = uuid.uuid4().hex
        self._results: Results | None = None
        terms = tuned.terms

        @cache
        def opening_of(pair: int) -> str:
            if openings:
                return openings[(pair - 1) % len(openings)]
            if not opening:
                return ""
            return random_opening(terms, opening, np.random.SeedSequence(seed, spawn_key=(0, pair)))

        self._opening_of = opening_of
        self._compiled = not (opening or openings)  # many games at once have the same opening, or none

    def __enter__(self) -> Games:
        return self

    def __exit__(self, *exception: object) -> None:
        self.pool.dismiss(self._run)

    def keep_faults(self, results: Results) -> None:
        """Where it is kept what went wrong in a game."""
        self._results = results

    def try_out(self) -> dict[str, str]:
        """Refuse what cannot play, before the first game; the versions of both players."""
        try:
            opponent = probe(self.opponent, self.tuned.terms, self._run, self.tuned.folder)
        except InputError as error:
            raise CannotPlay(OPPONENT, f"the opponent: {error}") from None
        return {TUNED: self.tuned.try_out(self._run), OPPONENT: opponent}

    def play(self, games: list[Wanted]) -> Iterator[list[Result]]:
        """Play them; each as it ends."""
        if self._compiled and self._are_policies(games[0]):
            yield from self._play_compiled(games)
            return
        tries = Counter[tuple[int, int]]()
        with Window(
            lambda piece: self.pool.submit(carry_out, piece[1]),
            ((wanted, self._job(wanted)) for wanted in games),
            self.pool.slots,
            stop=lambda: self.pool.stop(self._run),
        ) as window:
            for piece, future in window:
                wanted = piece[0]
                tries[wanted.sample, wanted.number] += 1
                game = self._ended(piece, future, tries[wanted.sample, wanted.number])
                if game is None:
                    window.again(piece)
                else:
                    yield [self._result(wanted, game)]

    def _ended(self, piece: Piece, future: Future[GameRecord], tries: int) -> GameRecord | None:
        """A game that has ended; None if it should be played again, as nobody has begun it."""
        wanted, job = piece
        if future.cancelled():
            raise OSError("whoever played the games is gone; run again to go on")
        error = future.exception()
        if error is not None:
            if not self.pool.is_lost(error):
                raise error
            detail = "every worker that began it died"
        else:
            game = future.result()
            if game.version != __version__:
                raise InputError(f"a worker has playout {game.version}, and this is {__version__}")
            if game.reason != "void":
                return game
            detail = game.detail
        if tries < TRIES:
            return None
        raise OSError(
            f"game {wanted.number} of {job.specs[TUNED]} cannot be played: {detail}; the same command goes on"
        )

    def _result(self, wanted: Wanted, game: GameRecord) -> Result:
        if self._results is not None and game.reason not in ("score", "resignation", "length"):
            self._results.note(wanted.generation, wanted.sample, wanted.number, game.detail)
        return wanted.generation, wanted.sample, wanted.number, game.points(TUNED)

    def _job(self, wanted: Wanted) -> Job:
        number = wanted.common
        pair = (number + 1) // 2
        black, white = (TUNED, OPPONENT) if number % 2 else (OPPONENT, TUNED)
        tuned = self.tuned
        return Job(
            run=self._run,
            number=number,
            pair=pair,
            black=black,
            white=white,
            specs={
                TUNED: tuned.with_values(tuned.space.values(wanted.point)),
                OPPONENT: self.opponent,
            },
            opening=self._opening_of(pair),
            terms=tuned.terms,
            seed=self.seed,
            folder=tuned.folder,
        )

    def _are_policies(self, wanted: Wanted) -> bool:
        """Whether whole games can be played in compiled code."""
        specs = self._job(wanted).specs.values()
        return fast.can_play(specs, self.tuned.terms, self.tuned.folder)

    def _play_compiled(self, games: list[Wanted]) -> Iterator[list[Result]]:
        """The same games, those of a sample with the same colours together."""
        seats: dict[tuple[int, int], list[Piece]] = {}
        for wanted in games:
            seats.setdefault((wanted.sample, wanted.common % 2), []).append((wanted, self._job(wanted)))
        with Window(
            lambda pieces: self.pool.submit(fast.play_batch, [job for _, job in pieces]),
            seats.values(),
            self.pool.slots,
        ) as window:
            for pieces, played in window:
                yield [
                    self._result(wanted, game)
                    for (wanted, _), game in zip(pieces, played.result(), strict=True)
                ]
