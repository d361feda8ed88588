"""Figures 3 and 4 of Chaslot et al. (2008) on a fitness that is known, with racing and the tuner's peers.

The eleven parameters of Table 2 in their ranges; the optimum is where Table 3 has the tuned values. The
rating falls with the square of the distance from it on the logarithmic scale, so that samples win about 30 %
of their games at first and the optimum 65 %, as in the paper; three parameters are useless. Batches of 10, 50
and 500 games and a growing one, 100 samples, 10 of them elite, 20 generations; all but the smallest also with
racing.

Every tuning is a piece that is kept when it has ended: the same command goes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from playout.arena.intervals import mean_interval
from playout.errors import InputError
from playout.files import begin_folder, write_bytes, write_text
from playout.runs import difference
from playout.settings import setting
from playout.tune.analytic import Hill
from playout.tune.cross_entropy import CrossEntropySettings
from playout.tune.methods import make_method
from playout.tune.pictures import Curve, learning_picture
from playout.tune.space import Parameter, Space
from playout.tune.tuner import Batches, Tuning

# Tables 2 and 3: the range, the default, the tuned value; and what half a range away from it costs, in Elo.
MANGO = {
    "exploration": (0.2, 2, 0.7, 0.43, 75),
    "expand": (2, 20, 10, 3, 30),
    "capture_value": (100, 20_000, 5000, 7509, 60),
    "escape_value": (50, 2000, 500, 911, 45),
    "pattern_exponent": (0.25, 4, 1, 0.7, 120),
    "proximity_factor": (10, 500, 150, 85, 60),
    "pb_factor": (0.1, 100, 8, 5.3, 90),
    "pb_exponent": (0.25, 4, 1, 1.1, 0),
    "pw_initial": (2, 10, 5, 3, 45),
    "pw_factor": (20, 100, 40, 58, 0),
    "pw_base": (1.01, 1.5, 1.2, 1.12, 0),
}
WHOLE = ("expand", "pw_initial")
TOP = 110.0  # Elo at the optimum: 65.3 % of the games
REACHED = 0.95  # of the gain
PEER_BATCH = 50


@dataclass(frozen=True, kw_only=True)
class TunerFigures:
    """Settings of the experiment; the defaults are the paper's scale."""

    samples: int = setting(100, "samples of a generation; a tenth is elite", low=10, high=10_000)
    generations: int = setting(20, "generations of each tuning", low=2, high=1000)
    repeats: int = setting(10, "tunings of each kind", low=1, high=1000)
    largest: int = setting(500, "the largest batch", low=50, high=100_000)
    peer_games: int = setting(20_000, "games of each tuning by another method", low=1000, high=10_000_000)
    seed: int = setting(1, "makes it repeatable", low=0)


@dataclass(frozen=True)
class Kind:
    """A way to tune. method: of the tuner's methods."""

    name: str
    batches: Batches
    method: str = "cross-entropy"


def kinds(settings: TunerFigures) -> list[Kind]:
    """What is compared."""
    fixed = [Batches(batch=batch, racing=False, narrow=0) for batch in (10, 50, settings.largest)]
    growing = Batches(batch=10, growth=1.15, racing=False, narrow=0)
    found = [Kind(f"batch {batches.batch}", batches) for batches in fixed]
    found.append(Kind("growing batch", growing))
    found += [Kind(f"racing, {kind.name}", replace(kind.batches, racing=True)) for kind in found[1:]]
    peers = Batches(batch=PEER_BATCH, racing=False, narrow=0, games=settings.peer_games)
    found.append(Kind("cross-entropy", replace(peers, racing=True)))
    found += [Kind(name, peers, name) for name in ("tpe", "cma-es", "spsa", "random")]
    return found


def landscape(seed: int) -> Hill:
    """The fitness; seed: of its games."""
    space = Space(
        tuple(
            Parameter(
                name=name,
                low=low,
                high=high,
                default=default,
                scale="log",
                kind="integer" if name in WHOLE else "real",
            )
            for name, (low, high, default, _, _) in MANGO.items()
        )
    )
    optimum = space.point({name: row[3] for name, row in MANGO.items()})
    return Hill(space, optimum, np.array([row[4] for row in MANGO.values()], float), TOP, seed)


def run(
    folder: str | Path,
    settings: TunerFigures,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> dict[str, Any]:
    """All tunings that are not there yet; in tuner.json, figure-3.png and figure-4.png, and returned."""
    place = Path(folder)
    path = place / "curves.json"
    known = _open(place, path, settings)
    todo = [(kind, repeat) for repeat in range(settings.repeats) for kind in kinds(settings)]
    for done, (kind, repeat) in enumerate(todo):
        progress(kind.name, done, len(todo))
        rows = known.setdefault(kind.name, [])
        if len(rows) <= repeat:
            rows.append(_curve(kind, settings, settings.seed + repeat))
            write_text(path, json.dumps({"settings": asdict(settings), "curves": known}) + "\n")
    progress("drawing", len(todo), len(todo))
    told = {"settings": asdict(settings), **summary(known, settings)}
    write_text(place / "tuner.json", json.dumps(told, indent=1) + "\n")
    draw(known, settings, place)
    return told


def _open(place: Path, path: Path, settings: TunerFigures) -> dict[str, list[Any]]:
    """What there is already of the same experiment."""
    if not path.exists():
        begin_folder(place, "the folder of this experiment")
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        before, curves = found["settings"], dict(found["curves"])
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path} is not a file of curves that we have written") from None
    now = asdict(settings)
    if {**before, "repeats": 0} != {**now, "repeats": 0}:
        raise InputError(f"{place} was made with other settings: {difference(before, now)}")
    return curves


def _curve(kind: Kind, settings: TunerFigures, seed: int) -> dict[str, list[float]]:
    """One tuning: games, the mean chance of its samples to win, and that of what it would return."""
    fitness = landscape(seed)
    ce = CrossEntropySettings(samples=settings.samples, generations=settings.generations)
    if kind.batches.games is not None:
        ce = replace(ce, generations=10_000)  # the games end it
    tuning = Tuning(fitness.space, make_method(kind.method, fitness.space, seed, ce), kind.batches, fitness)
    games, means, returned = [], [], []
    for generation in tuning.run():
        games.append(float(generation.total))
        means.append(round(float(np.mean([fitness.chance(x) for x in generation.samples])), 5))
        returned.append(round(fitness.chance(generation.best), 5))
    return {"games": games, "samples": means, "returned": returned}


def level(settings: TunerFigures) -> tuple[float, float, float]:
    """What samples win at first, what the optimum wins, and what is 95 % of the way."""
    fitness = landscape(settings.seed)
    ce = make_method("cross-entropy", fitness.space, settings.seed, CrossEntropySettings(samples=2000))
    low = float(np.mean([fitness.chance(x) for x in ce.ask()]))
    high = fitness.chance(fitness.optimum)
    return low, high, low + REACHED * (high - low)


def reached(curve: dict[str, list[float]], wanted: float) -> float | None:
    """After how many games the samples' mean is there, between two generations in a line; None: never."""
    for k, mean in enumerate(curve["samples"]):
        if mean >= wanted:
            if k == 0:
                return curve["games"][0]
            share = (wanted - curve["samples"][k - 1]) / (mean - curve["samples"][k - 1])
            return curve["games"][k - 1] + share * (curve["games"][k] - curve["games"][k - 1])
    return None


def summary(curves: dict[str, list[Any]], settings: TunerFigures) -> dict[str, Any]:
    """Each kind's games to 95 % of the gain, and what it returns in the end, with 95 % intervals."""
    low, high, wanted = level(settings)
    rows = {}
    for name, several in curves.items():
        several = several[: settings.repeats]
        games = [reached(curve, wanted) for curve in several]
        there = [count for count in games if count is not None]
        ends = np.array([curve["returned"][-1] for curve in several])
        rows[name] = {
            "games": float(np.mean([curve["games"][-1] for curve in several])),
            "reached": len(there),
            "games_to_reach": float(np.mean(there)) if len(there) == len(several) else None,
            "interval": _interval(np.array(there), np.inf) if len(there) == len(several) else None,
            "samples": float(np.mean([curve["samples"][-1] for curve in several])),
            "returned": float(ends.mean()),
            "returned_interval": _interval(ends),
        }
    return {"first": low, "top": high, "wanted": wanted, "kinds": rows}


def _interval(found: np.ndarray, most: float = 1.0) -> list[float] | None:
    """The 95 % interval of the mean; one number has none."""
    return list(mean_interval(found, most)) if found.size > 1 else None


def draw(curves: dict[str, list[Any]], settings: TunerFigures, place: Path) -> None:
    """Figure 3: fixed batches, with and without racing; Figure 4: the growing one beside them."""
    _, high, wanted = level(settings)
    levels = {"the optimum": high, "95 % of the gain": wanted}
    largest = settings.largest
    fixed = [f"batch {batch}" for batch in (10, 50, largest)]
    figures = {
        "figure-3.png": (
            "Batches of three sizes, and racing",
            [*fixed, *(f"racing, {x}" for x in fixed[1:])],
        ),
        "figure-4.png": ("A growing batch", [*fixed, "growing batch", "racing, growing batch"]),
    }
    for name, (title, shown) in figures.items():
        lines = [_mean_curve(kind, curves[kind][: settings.repeats]) for kind in shown]
        picture = learning_picture(lines, f"{title}; means of {settings.repeats}", levels, logarithmic=True)
        write_bytes(place / name, picture)


def _mean_curve(name: str, several: Sequence[Any]) -> Curve:
    """The mean of several tunings, generation by generation."""
    length = min(len(curve["games"]) for curve in several)
    games = np.mean([curve["games"][:length] for curve in several], axis=0)
    shares = np.mean([curve["samples"][:length] for curve in several], axis=0)
    return Curve(name, games.tolist(), shares.tolist())
