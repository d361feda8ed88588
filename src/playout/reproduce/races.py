"""What races save on the games of full batches, and what an oracle could save.

Tunings with full batches on the fitness of `tuner`; in each generation every kind of race is run on the games
that the full batches have played. So it is seen how many of them a race needs, whether its elite is theirs,
and whether its elite is better or worse in truth. One kind of race is told the chance of every sample, and so
predicts the ends of the batches as well as can be; it may take all of the risk. What it needs, a race that
has to find out the chances will hardly do without.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.arena.intervals import mean_interval
from playout.arena.match import wilson
from playout.picture import LARGE, NORMAL, SMALL, line_style, new_figure, png
from playout.reproduce.tuner import TunerFigures, landscape, level
from playout.settings import setting
from playout.tune.cross_entropy import CrossEntropy, CrossEntropySettings, best
from playout.tune.racing import Race
from playout.tune.tuner import Batches

SURE = 1e9  # concentration of a beta distribution that is known


@dataclass(frozen=True, kw_only=True)
class Races:
    """Settings of the experiment."""

    batch: int = setting(500, "games of a sample", low=10, high=100_000)
    growth: float = setting(1.0, "times as many in the next generation", low=1, high=10)
    samples: int = setting(100, "samples of a generation; a tenth is elite", low=10, high=10_000)
    generations: int = setting(20, "generations of each tuning", low=1, high=1000)
    repeats: int = setting(20, "tunings", low=1, high=1000)
    seed: int = setting(1, "makes it repeatable", low=0)


class Told(Race):
    """A race that is told the chances. It needs nothing in reserve, and takes larger risks as it may."""

    share, kept_back = 4.0, 0.0

    def __init__(self, chances: np.ndarray, elite: int, batch: int, confidence: float) -> None:
        super().__init__(chances.size, elite, batch, confidence)
        self.chances = chances

    def _posteriors(self) -> tuple[np.ndarray, np.ndarray]:
        return self.chances * SURE, (1 - self.chances) * SURE


Maker = Callable[[np.ndarray, int, int], Race]
KINDS: dict[str, Maker] = {
    "racing at 0.95": lambda chances, elite, batch: Race(chances.size, elite, batch, 0.95),
    "racing at 0.5": lambda chances, elite, batch: Race(chances.size, elite, batch, 0.5),
    "all chances known, 0.95": lambda chances, elite, batch: Told(chances, elite, batch, 0.95),
}


def measure(settings: Races, progress: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Each kind of race: the share of the games that it needs, and how often its elite is another.

    gain: what the elite wins more than that of the full batches, in truth and in the mean. early: generations
    before the samples have come 95 % of the way.
    """
    _, _, wanted = level(TunerFigures(seed=settings.seed))
    shape = (settings.repeats, settings.generations)
    early = np.zeros(shape, bool)
    found = {
        name: {"games": np.zeros(shape), "other": np.zeros(shape), "gain": np.zeros(shape)} for name in KINDS
    }
    batches = Batches(batch=settings.batch, growth=settings.growth)
    for repeat in range(settings.repeats):
        seed = settings.seed + repeat
        hill = landscape(seed)
        ce = CrossEntropySettings(samples=settings.samples, generations=settings.generations)
        method = CrossEntropy(hill.space, ce, seed)
        for t in range(settings.generations):
            samples, batch = method.ask(), batches.games_of(t)
            chances = np.array([hill.chance(x) for x in samples])
            early[repeat, t] = chances.mean() < wanted and early[repeat, :t].all()
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(6, t)))
            games = rng.random((ce.samples, batch)) < chances[:, None]
            full = games.sum(axis=1)
            elite = best(full, ce.elite)
            for name, make in KINDS.items():
                race = run(make(chances, ce.elite, batch), games)
                chosen = race.elite()
                at = found[name]
                at["games"][repeat, t] = race.games.sum() / games.size
                at["other"][repeat, t] = is_other(chosen, full)
                at["gain"][repeat, t] = chances[chosen].mean() - chances[elite].mean()
            method.tell(samples, full / batch, elite)
            progress()
    return {
        "early": float(early.mean()),
        "kinds": {
            name: {
                "games": float(at["games"].mean()),
                "games_early": float(at["games"][early].mean()) if early.any() else None,
                "by_generation": at["games"].mean(axis=0).tolist(),
                "other": float(at["other"].mean()),
                "other_interval": list(wilson(float(at["other"].sum()), early.size)),
                "gain": float(at["gain"].mean()),
                "gain_interval": list(mean_interval(at["gain"].mean(axis=1), 1.0, -1.0)),
            }
            for name, at in found.items()
        },
    }


def run(race: Race, games: np.ndarray) -> Race:
    """Run a race on games that have been played, a row a sample."""
    won = np.concatenate([np.zeros((len(games), 1), int), games.cumsum(axis=1)], axis=1)
    rows = np.arange(len(games))
    while any(more := race.round()):
        race.add((won[rows, race.games + more] - won[rows, race.games]).astype(float), np.array(more))
    return race


def is_other(elite: np.ndarray, full: np.ndarray) -> bool:
    """Whether full batches have another elite; of equals either may be in it."""
    inside = np.isin(np.arange(full.size), elite)
    return bool(full[inside].min() < full[~inside].max())


def picture(found: dict[str, Any], settings: Races) -> bytes:
    """The share of the games that each kind needs, by generation."""
    figure = new_figure(7, 4)
    axis = figure.subplots()
    numbers = list(range(1, settings.generations + 1))
    for k, (name, row) in enumerate(found["kinds"].items()):
        shares = [100 * share for share in row["by_generation"]]
        axis.plot(numbers, shares, label=name, **line_style(k, settings.generations))
    axis.set_ylim(0, 100)
    axis.set_xlim(1, max(2, settings.generations))
    axis.set_xticks(numbers[:: math.ceil(len(numbers) / 20)])
    axis.set_xlabel("generation", fontsize=NORMAL)
    axis.set_ylabel("games played, % of full batches", fontsize=NORMAL)
    axis.set_title(f"What races need; batch {settings.batch}, means of {settings.repeats}", fontsize=LARGE)
    axis.tick_params(labelsize=SMALL)
    axis.grid(alpha=0.3)
    axis.legend(fontsize=SMALL, loc="lower right")
    return png(figure)
