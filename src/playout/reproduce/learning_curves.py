"""The training runs behind Figures 5.6 to 5.16 of Silver (2009): what of TD learning makes which difference.

Each curve is one run of `playout train td` in a folder of its own, with snapshots of the weights after 100,
200, 500, 1,000 … games. Runs that are finished are left alone and those under way go on, so the command can
be stopped and repeated. How strong a snapshot plays is for a tournament to say; `entrants` are its players.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playout.errors import Diverged, InputError, near
from playout.files import Kind, beginning, check_output, text_kind, write_bytes, write_text
from playout.games.go.learn.training import Plan, Run
from playout.games.go.memory.shapes import Shapes
from playout.games.go.memory.store import load
from playout.memory.td import Learner
from playout.picture import PNG
from playout.settings import setting

if TYPE_CHECKING:
    from playout.arena.elo import Standing

DEFAULT = "default"
DIVERGED = "diverged.txt"


@dataclass(frozen=True, kw_only=True)
class LearningCurves:
    """Settings of the experiment."""

    games: int = setting(200_000, "games of each run", low=1)
    default_games: int = setting(1_000_000, "games of the run with the defaults", low=1)
    pairs: int = setting(10, "with --rate: pairs of games of every two players", low=1)

    def games_of(self, name: str) -> int:
        """The games of a run, by its name."""
        return self.default_games if name == DEFAULT else self.games


LAMBDAS = (0.4, 0.8, 1.0)
STAGES = (8, 16, 32, 64)  # T: moves that a stage of the game lasts


def _shapes(**changes: object) -> Plan:
    return Plan(shapes=replace(Shapes(), **changes))  # type: ignore[arg-type]


def _learner(**changes: object) -> Plan:
    return Plan(learner=replace(Learner(), **changes))  # type: ignore[arg-type]


# By name of the run: what differs from the paper's defaults.
RUNS: dict[str, Plan] = {
    DEFAULT: Plan(),
    "size-1": _shapes(sizes=(1,)),
    "size-2": _shapes(sizes=(2,)),
    "size-3": _shapes(sizes=(3,)),
    "size-1-2": _shapes(sizes=(1, 2)),
    "independent": _shapes(sharing="independent"),
    "dependent": _shapes(sharing="dependent"),
    "unshared": _shapes(sharing="none"),
    "one-ply": _learner(plies=1),
    "epsilon-0": _learner(epsilon=0.0),
    "epsilon-0.3": _learner(epsilon=0.3),
    "linear-0.001": _learner(rule="linear", alpha=0.001),
    "linear-0.01": _learner(rule="linear", alpha=0.01),
    "linear-0.1": _learner(rule="linear", alpha=0.1),
    "linear-1": _learner(rule="linear", alpha=1.0),
    "logistic-0.01": _learner(alpha=0.01),
    "logistic-1": _learner(alpha=1.0),
    "logistic-10": _learner(alpha=10.0),
    "logistic-0.001": _learner(alpha=0.001),
    "nonlinear-0.1": _learner(rule="nonlinear", alpha=0.1),
    "nonlinear-0.4": _learner(rule="nonlinear", alpha=0.4),  # the slope of σ is a quarter where V is a half
    **{f"lambda-{lam:g}": _learner(lam=lam) for lam in LAMBDAS},
    **{f"replacing-{lam:g}": _learner(lam=lam, traces="replacing") for lam in LAMBDAS},
    "colour-own": _shapes(colour="own"),
    "colour-all": _shapes(colour="all"),
    **{f"stage-{moves}": _shapes(stage=moves) for moves in STAGES},
}

# By figure: which runs it compares.
FIGURES: dict[str, dict[str, str]] = {
    "sizes": {
        "1×1": "size-1",
        "2×2": "size-2",
        "3×3": "size-3",
        "1×1, 2×2": "size-1-2",
        "1×1, 2×2, 3×3": DEFAULT,
    },
    "sharing": {
        "location-independent": "independent",
        "location-dependent": "dependent",
        "both": DEFAULT,
        "none": "unshared",
    },
    "step-size": {
        "logistic, α = 0.001": "logistic-0.001",
        "logistic, α = 0.01": "logistic-0.01",
        "logistic, α = 0.1": DEFAULT,
        "logistic, α = 1": "logistic-1",
        "logistic, α = 10": "logistic-10",
        "linear, α = 0.001": "linear-0.001",
        "linear, α = 0.01": "linear-0.01",
        "linear, α = 0.1": "linear-0.1",
        "linear, α = 1": "linear-1",
    },
    "plies": {"one ply": "one-ply", "two plies": DEFAULT},
    "exploration": {"ε = 0": "epsilon-0", "ε = 0.1": DEFAULT, "ε = 0.3": "epsilon-0.3"},
    "slope": {
        "logistic, α = 0.1": DEFAULT,
        "non-linear, α = 0.1": "nonlinear-0.1",
        "non-linear, α = 0.4": "nonlinear-0.4",
    },
    "accumulating": {"λ = 0": DEFAULT, **{f"λ = {lam:g}": f"lambda-{lam:g}" for lam in LAMBDAS}},
    "replacing": {"λ = 0": DEFAULT, **{f"λ = {lam:g}": f"replacing-{lam:g}" for lam in LAMBDAS}},
    "colour": {"not told apart": DEFAULT, "told apart": "colour-own", "both": "colour-all"},
    "stage": {**{f"T = {moves}": f"stage-{moves}" for moves in STAGES}, "no stages": DEFAULT},
}
OUTPUTS: dict[str, Kind] = {
    "duels.csv": text_kind("a list of games", "black,white,score\n"),
    "ratings.json": Kind("the ratings", lambda path: b'"scale"' in beginning(path)),
    **{f"{figure}.png": PNG for figure in FIGURES},
}
TITLES = {
    "sizes": "Sizes of local shapes (Figures 5.6 and 5.7)",
    "sharing": "Weight sharing (Figure 5.8)",
    "step-size": "Logistic and linear TD by step size (Figure 5.11)",
    "plies": "One-ply and two-ply updates (Figure 5.12)",
    "exploration": "Exploration (Figure 5.13)",
    "slope": "Logistic and non-linear TD (section 5.7.5)",
    "accumulating": "Logistic TD(λ), accumulating traces (Figure 5.14)",
    "replacing": "Logistic TD(λ), replacing traces (Figure 5.14)",
    "colour": "Features by colour to play (Figure 5.15)",
    "stage": "Features by stage of the game (Figure 5.16)",
}


def chosen(figure: str | None) -> list[str]:
    """The runs of a figure, or all of them."""
    if figure is None:
        return list(RUNS)
    if figure not in FIGURES:
        raise InputError(f"there is no figure {figure[:40]!r}{near(figure, FIGURES)}")
    return list(FIGURES[figure].values())


@dataclass(frozen=True)
class Entrant:
    """A player of the tournament: one run after so many games."""

    run: str
    games: int
    spec: str

    @property
    def name(self) -> str:
        """A name that tells where it is on which curve."""
        return f"{self.run}@{self.games}"


def make_runs(
    folder: str | Path,
    names: list[str],
    settings: LearningCurves,
    *,
    threads: int = 1,
    progress: Callable[[str, Run], None] = lambda name, run: None,
) -> Iterator[tuple[str, str]]:
    """Make the runs that are not there yet, one after the other; each one's name and how it ended."""
    for name in names:
        place = Path(folder) / name
        plan = replace(RUNS[name], games=settings.games_of(name))
        if (place / DIVERGED).exists():
            yield name, (place / DIVERGED).read_text(encoding="utf-8").strip()
            continue
        run = Run(place, plan, threads)
        if not run.is_finished:
            try:
                run.train(lambda run, name=name: progress(name, run))  # type: ignore[misc]
            except Diverged as failure:
                write_text(place / DIVERGED, f"{failure}\n")
                yield name, str(failure)
                continue
        yield name, f"{run.games:,} games, {run.words()}"


RATED = (100, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)


def rate_runs(
    folder: str | Path,
    *,
    pairs: int,
    at: tuple[int, ...] = RATED,
    seed: int = 1,
    force: bool = False,
    events: Sequence[str | Path] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[dict[str, Any]]:
    """Let the snapshots of all runs that are there play each other, and rate them.

    events: games of other players with some of them, by the names of `entrants`, as `playout tournament`
    stores them; they are rated together, by the anchors of the events. Without anchors the rating 0 is the
    default setting after the most games. Intervals are those of the difference from that player, whose own
    place on the scale of the anchors is told apart. Writes duels.csv (every game, for `playout rate`),
    ratings.json and a PNG a figure; force: also over files of these names that are not ours.
    """
    from playout.arena.elo import rate
    from playout.arena.results import load_all
    from playout.reproduce.duels import round_robin

    others = load_all(events)
    found = entrants(folder, list(RUNS), at)
    if sum(entrant.run == DEFAULT for entrant in found) == 0 or len(found) < 2:
        raise InputError(f"{folder} has no runs to rate: the one with the defaults must be among them")
    for name, kind in OUTPUTS.items():
        check_output(Path(folder) / name, kind, force)
    players = {e.name: load(Path(e.spec.partition("weights=")[2])) for e in found}
    last = max((e for e in found if e.run == DEFAULT), key=lambda e: e.games)
    if events and not players.keys() & others.players.keys():
        raise InputError(f"the events have no player of these runs in them, such as {last.name}")
    results = round_robin(players, pairs, seed=seed, progress=progress)
    lines = [f"{black},{white},{score:g}" for black, white, score in results]
    write_text(Path(folder) / "duels.csv", "\n".join(["black,white,score", *lines]) + "\n")
    results += others.games
    scale: dict[str, Any] = {"player": last.name, "elo": 0.0, "anchors": others.anchors}
    if others.anchors:
        anchored = rate(results, anchors=others.anchors)
        scale["elo"] = round(anchored[last.name], 1)
        scale["interval"] = [round(end, 1) for end in anchored.interval(last.name)]
    standings = {row.name: row for row in rate(results, anchors={last.name: scale["elo"]}).standings()}

    def rated(name: str) -> dict[str, Any]:
        row = standings[name]
        return {"elo": round(row.elo, 1), "interval": [round(row.low, 1), round(row.high, 1)]}

    rows: list[dict[str, Any]] = [{"run": e.run, "games": e.games, **rated(e.name)} for e in found]
    beside = [row for name, row in standings.items() if name not in players]
    told = {
        "scale": scale,
        "pairs": pairs,
        "seed": seed,
        "ratings": rows,
        "others": {row.name: rated(row.name) for row in beside},
    }
    write_text(Path(folder) / "ratings.json", json.dumps(told, indent=1) + "\n")
    held = {last.name: scale["elo"]}
    _draw_figures(folder, found, standings, [row for row in beside if row.name in others.anchors], held)
    return rows


def _draw_figures(
    folder: str | Path,
    found: list[Entrant],
    standings: dict[str, Standing],
    levels: list[Standing],
    held: dict[str, float],
) -> None:
    """A PNG for every figure of which two curves are there. held: the player that intervals refer to."""
    from playout.arena.plot import Curve, curves_picture

    for figure, runs in FIGURES.items():
        curves = [
            Curve(label, tuple(sorted((float(e.games), standings[e.name]) for e in found if e.run == name)))
            for label, name in runs.items()
            if any(e.run == name for e in found)
        ]
        if len(curves) > 1:
            picture = curves_picture(curves, TITLES[figure], "training games", levels, held)
            write_bytes(Path(folder) / f"{figure}.png", picture)


def entrants(folder: str | Path, names: list[str], at: tuple[int, ...] = ()) -> list[Entrant]:
    """The snapshots of runs as players; at: only those after so many games."""
    found = []
    for name in names:
        for file in sorted((Path(folder) / name / "snapshots").glob("*.npz")):
            games = int(file.stem)
            if not at or games in at:
                found.append(Entrant(name, games, f"shapes:weights={file}"))
    return found
