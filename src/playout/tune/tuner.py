"""A tuning: a method asks for samples, games tell what they are worth, round after round.

The games of a round are known before the first of them is played, and what follows is decided when all have
ended. So the same seed gives the same games whoever plays them, and a tuning that was broken off goes on by
playing none of the games again that its results have: everything else follows from those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from playout.settings import setting
from playout.tune.cross_entropy import CrossEntropy, Distribution
from playout.tune.methods import Method
from playout.tune.racing import Race, even
from playout.tune.space import Space
from playout.tune.store import Result, Results


@dataclass(frozen=True, kw_only=True)
class Batches:
    """How many games a sample plays, and when the tuning ends."""

    batch: int = setting(50, "games of a sample in the first generation", low=2, high=1_000_000)
    growth: float = setting(1.0, "times as many in the next one; 1.15 in section 4.3", low=1, high=10)
    racing: bool = setting(True, "drop samples that will hardly be elite")
    confidence: float = setting(
        0.95, "of a race: that its elite is that of whole batches", low=0.01, high=0.9999
    )
    games: int | None = setting(None, "games at most; no generation begins after them", low=1)
    narrow: float = setting(0.02, "end when every deviation is less, in half ranges; 0: never", low=0, high=1)
    patience: int | None = setting(None, "end after so many generations without a better mean", low=1)

    def games_of(self, t: int) -> int:
        """The batch of generation t, from 0: batch × growth^t (section 4.3), in pairs of games.

        >>> [Batches(batch=10, growth=1.15).games_of(t) for t in (0, 1, 19)]
        [10, 12, 142]
        """
        return even(self.batch * self.growth**t)


@dataclass(frozen=True)
class Wanted:
    """A game that is to be played. number: of the sample's own, from 1; common: the same for all samples.

    Games with the same common number have the same opening, colours and seeds.
    """

    generation: int
    sample: int
    number: int
    common: int
    point: np.ndarray = field(repr=False)


class Fitness(Protocol):
    """Who plays the games."""

    def play(self, games: list[Wanted]) -> Iterator[list[Result]]:
        """Play them, in any order; some results at a time."""


@dataclass(frozen=True)
class Generation:
    """What a generation has shown."""

    number: int  # from 0
    samples: np.ndarray
    scores: np.ndarray  # shares of points in the games that each sample has played
    games: np.ndarray  # how many each has played
    elite: np.ndarray
    batch: int
    total: int  # games of the tuning up to here
    best: np.ndarray  # what would be returned now
    deviation: np.ndarray | None  # of the distribution, where there is one

    @property
    def mean_score(self) -> float:
        """The mean over all samples, as Figures 3 and 4 have it; each counts alike, however much it plays."""
        return float(self.scores.mean())

    @property
    def dropped(self) -> int:
        """Samples that did not play their whole batch."""
        return int((self.games < self.batch).sum())


class Tuning:
    """Runs a method to its end."""

    def __init__(
        self,
        space: Space,
        method: Method,
        batches: Batches,
        fitness: Fitness,
        results: Results | None = None,
        tell: Callable[[Tuning], None] = lambda tuning: None,
    ) -> None:
        self.space, self.method, self.batches, self.fitness = space, method, batches, fitness
        self.results = Results() if results is None else results
        self.generations: list[Generation] = []
        self.race: Race | None = None  # of the generation that is under way
        self.planned = 0  # games of its round that are not there yet
        self.played = 0  # games that were not there before
        self.ended = ""  # why it has ended
        self._tell = tell
        self._common = 0

    def run(self) -> Iterator[Generation]:
        """Play what is left to play; each generation when it has ended, also those that were there."""
        while not self.ended:
            yield self._generation(len(self.generations))
            self.ended = self._why_to_end()

    def best(self) -> np.ndarray:
        """The point that the method returns."""
        return self.method.best()

    def _generation(self, t: int) -> Generation:
        samples = self.method.ask()
        batch = self.batches.games_of(t)
        racing = self.batches.racing and self.method.elite > 0
        race = self.race = (
            Race(len(samples), max(1, self.method.elite), batch, self.batches.confidence if racing else None)
            if len(samples) > 1
            else Whole(batch)
        )
        while any(more := race.round()):
            self._play(t, samples, race, more)
        scores = race.scores()
        elite = race.elite()
        self.method.tell(samples, scores, elite)
        self._common += batch
        self.generations.append(
            Generation(
                number=t,
                samples=samples,
                scores=scores,
                games=race.games.copy(),
                elite=elite,
                batch=batch,
                total=(self.generations[-1].total if self.generations else 0) + int(race.games.sum()),
                best=self.method.best(),
                deviation=self._deviation(),
            )
        )
        self._tell(self)
        return self.generations[-1]

    def _play(self, t: int, samples: np.ndarray, race: Race, more: list[int]) -> None:
        """One round: the games that are not there yet, then the points of all."""
        until = race.games + more
        lacking = [
            Wanted(t, i, int(number) + 1, self._common + int(number) + 1, samples[i])
            for i in range(len(samples))
            if more[i]
            for number in np.flatnonzero(np.isnan(self.results.points(t, i, int(until[i]))))
        ]
        # Game by game, so that all samples have played about as many at any time.
        lacking.sort(key=lambda game: (game.number, game.sample))
        self.planned = len(lacking)
        if lacking:
            for found in self.fitness.play(lacking):
                self.results.add(found)
                self.planned -= len(found)
                self.played += len(found)
                self._tell(self)
        points = [
            float(self.results.points(t, i, int(until[i]))[race.games[i] :].sum()) if more[i] else 0.0
            for i in range(len(samples))
        ]
        race.add(np.array(points), np.array(more))

    def _deviation(self) -> np.ndarray | None:
        return self.method.distribution.deviation if isinstance(self.method, CrossEntropy) else None

    def _why_to_end(self) -> str:
        """The stop rules; nothing where there is none to stop."""
        b, last = self.batches, self.generations[-1]
        if self.method.is_finished:
            return f"{len(self.generations)} generations"
        if b.games is not None and last.total >= b.games:
            return f"{last.total:,} games"
        if isinstance(self.method, CrossEntropy) and _is_narrow(
            self.method.distribution, self.space, b.narrow
        ):
            return f"all deviations under {b.narrow:g} of half a range"
        if b.patience is not None and len(self.generations) > b.patience:
            means = [generation.mean_score for generation in self.generations]
            if max(means[-b.patience :]) <= max(means[: -b.patience]):
                return f"{b.patience} generations without a better mean"
        return ""


class Whole(Race):
    """A sample by itself: nobody to race with."""

    def __init__(self, batch: int) -> None:
        super().__init__(2, 1, batch)
        self.points, self.games = np.zeros(1), np.zeros(1, np.int64)
        self.accepted, self.dropped = np.zeros(1, bool), np.zeros(1, bool)


def _is_narrow(distribution: Distribution, space: Space, least: float) -> bool:
    """Whether the distribution has come down to a point."""
    numbers = space.choices == 0
    widths = distribution.deviation[numbers] / ((space.high - space.low)[numbers] / 2)
    sure = all(c.max() > 1 - least for c in distribution.chances if c.size)
    return least > 0 and bool((widths < least).all()) and sure
