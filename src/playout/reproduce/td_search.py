"""The experiments of chapters 6 and 7 of Silver (2009): temporal-difference search and Dyna-2 in matches.

A figure is a row of matches, each kept in a store of its own, so that it goes on where it was stopped. The
thesis has ratings from tournaments of all versions; here each point is a score against one opponent, which is
what an Elo difference is made of and takes fewer games.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playout.arena.match import Match, MatchResult
from playout.errors import InputError, near
from playout.files import write_bytes
from playout.picture import COLORS, GREY, PNG, new_figure, png

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GNU_GO = "gtp:gnugo --mode gtp --chinese-rules --positional-superko --level 0 --seed {seed}"
OPENING = 2  # random moves of each side that begin a pair of games
GAMES = 200
LETTERS = 9  # of a title, an inch


@dataclass(frozen=True)
class Duel:
    """One point of a figure: a plays b."""

    label: str
    a: str
    b: str
    seed: int
    size: int = 9


@dataclass(frozen=True)
class Figure:
    """What is varied, and in which matches. section: of the thesis, or its figure."""

    section: str
    title: str
    varied: str
    duels: tuple[Duel, ...]


def _against(
    label: str, values: Sequence[object], a: str, b: str, seed: int, step: int = 0
) -> tuple[Duel, ...]:
    """A match for each value, which stands for {} in the specs; step: from one seed to the next."""
    return tuple(
        Duel(label.format(value), a.format(value), b.format(value), seed + k * step)
        for k, value in enumerate(values)
    )


_PLAIN = "td-search:sims=500"
FIGURES: dict[str, Figure] = {
    "uct": Figure(
        "6.1",
        "TD search against UCT, both with MoGo's rules",
        "simulations a move",
        _against("{}", (250, 500, 1000, 2000, 5000, 10_000), "td-search:sims={}", "uct:sims={}", 21, step=1),
    ),
    "no-policy": Figure(
        "6.1",
        "TD search, ε-greedy to the end, against UCT with random simulations",
        "simulations a move",
        _against("{}", (100, 500, 2000), "td-search:sims={},switch=none", "uct:sims={},policy=uniform", 31),
    ),
    "switch": Figure(
        "6.2",
        "Switch to MoGo's rules after T moves, against T = 6 (500 simulations)",
        "T",
        _against("{}", (1, 2, 4, 8, 16, 32, 64, "none"), f"{_PLAIN},switch={{}}", _PLAIN, 41),
    ),
    "shapes": Figure(
        "6.3",
        "Sizes of local shapes, against 1×1 to 3×3 (500 simulations)",
        "sizes",
        _against("{}", ("1", "1+2", "2+3", "3"), f"{_PLAIN},shapes={{}}", _PLAIN, 42),
    ),
    "step-size": Figure(
        "6.4",
        "Step size, against α = 0.5 (500 simulations)",
        "α",
        _against("{}", (0.1, 0.3, 1), f"{_PLAIN},alpha={{}}", _PLAIN, 44),
    ),
    "exploration": Figure(
        "6.4",
        "Exploration, against ε = 0.1 (500 simulations)",
        "ε",
        _against("{}", (0, 0.3, 1), f"{_PLAIN},epsilon={{}}", _PLAIN, 45),
    ),
    "lambda": Figure(
        "6.5",
        "TD(λ) search, against λ = 0 (100 simulations)",
        "λ and traces",
        tuple(
            Duel(f"{lam} {traces}", f"td-search:sims=100,lam={lam},traces={traces}", "td-search:sims=100", 48)
            for traces in ("accumulating", "replacing")
            for lam in (0.4, 0.8, 1)
        ),
    ),
    "lag": Figure(
        "6.6",
        "A value function that is some moves old (1,000 simulations), against learnt weights (shapes)",
        "moves",
        _against("{}", (0, 2, 4, 6, 12), "td-search:sims=1000,lag={}", "shapes", 51),
    ),
    "reset": Figure(
        "6.7",
        "Weights forgotten before every move, against weights kept",
        "simulations a move",
        _against("{}", (250, 500, 1000, 2000), "td-search:sims={},keep=false", "td-search:sims={}", 43),
    ),
    "boards": Figure(
        "6.8",
        "TD search against UCT by board size (1,000 simulations)",
        "board size",
        tuple(
            Duel(f"{size}×{size}", "td-search:sims=1000", "uct:sims=1000", 60 + size, size)
            for size in (5, 6, 7, 8, 11, 13)
        ),
    ),
    "memories": Figure(
        "7.3",
        "Long-term memory, short-term memory and both, against GNU Go 3.8 level 0",
        "player",
        (
            Duel("long-term alone", "shapes", GNU_GO, 46),
            Duel("short-term, 2,000", "td-search:sims=2000", GNU_GO, 47),
            Duel("both, 2,000", "dyna2:sims=2000", GNU_GO, 11),
        ),
    ),
    "hybrid": Figure(
        "7.4",
        "With and without alpha-beta (tactical rules, 5,000 simulations), against GNU Go 3.8 level 0",
        "player",
        (
            Duel("without", "dyna2:sims=5000,policy=tactical", GNU_GO, 12),
            Duel("depth 5", "rlgo:sims=5000", GNU_GO, 12),
        ),
    ),
    "step-rules": Figure(
        "10.3.1",
        "Step sizes that adapt, against α = 0.5 (500 simulations)",
        "rule",
        (
            Duel("decaying", f"{_PLAIN},steps=decaying,halving=2000,alpha=1", _PLAIN, 52),
            Duel("per feature", f"{_PLAIN},steps=per-feature,halving=500,alpha=1", _PLAIN, 53),
            *_against("Kalman {}", (0.003, 0.01, 0.03), f"{_PLAIN},steps=kalman,variance={{}}", _PLAIN, 54),
        ),
    ),
    "explorers": Figure(
        "10.3.2",
        "Other exploration, against ε = 0.1 (500 simulations)",
        "rule",
        (
            Duel("ε′ = 0.18", f"{_PLAIN},epsilon=0.12,policy_epsilon=0.18", _PLAIN, 56),
            Duel("random late", f"{_PLAIN},late_epsilon=0.4", _PLAIN, 57),
            *_against("bonus {}", (0.05, 0.5), f"{_PLAIN},optimism={{}},epsilon=0", _PLAIN, 55),
        ),
    ),
    "features": Figure(
        "10.1",
        "Other features, against local shapes (200 simulations)",
        "features",
        tuple(
            Duel(label, f"td-search:sims=200,features={spec}", "td-search:sims=200", 58)
            for label, spec in (
                ("incremental 1–3", "incremental"),
                ("incremental 1–5", "incremental,features.sizes=1+2+3+4+5"),
                ("sequences", "sequences"),
                ("RAVE", "rave"),
                ("table", "table"),
            )
        ),
    ),
}


@dataclass(frozen=True)
class Point:
    """What a match has shown so far."""

    duel: Duel
    result: MatchResult

    def facts(self) -> dict[str, Any]:
        """As plain numbers, for machines."""
        return {"label": self.duel.label, "a": self.duel.a, "b": self.duel.b, **self.result.facts()}


def figures(names: Sequence[str], labels: Sequence[str] = ()) -> dict[str, Figure]:
    """Some figures by name, all if none is named; of each the points of some labels, all if none is given."""
    for name in names:
        if name not in FIGURES:
            raise InputError(f"figure: {name[:40]!r} is not one of them{near(name, FIGURES)}")
    chosen = {name: FIGURES[name] for name in names or FIGURES}
    known = [duel.label for figure in chosen.values() for duel in figure.duels]
    for label in labels:
        if label not in known:
            raise InputError(f"point: {label[:40]!r} is not one of them{near(label, known)}")
    if not labels:
        return chosen
    kept = {
        name: replace(figure, duels=tuple(duel for duel in figure.duels if duel.label in labels))
        for name, figure in chosen.items()
    }
    return {name: figure for name, figure in kept.items() if figure.duels}


def play(
    name: str,
    figure: Figure,
    folder: Path,
    games: int = GAMES,
    threads: int = 1,
    progress: Callable[[str], None] = lambda label: None,
) -> list[Point]:
    """Play the matches of a figure, or what is left of them; their stores, by its name, lie in the folder."""
    points = []
    for duel in figure.duels:
        store = folder / f"{name}-{''.join(c if c.isalnum() or c in '.+' else '-' for c in duel.label)}.db"
        with Match(
            duel.a,
            duel.b,
            games,
            size=duel.size,
            seed=duel.seed,
            opening=OPENING,
            store=store,
            threads=threads,
        ) as match:
            for _ in range(len(match.results())):
                progress(duel.label)
            for _ in match.play():
                progress(duel.label)
            points.append(Point(duel, match.result()))
    return points


def draw(figure: Figure, points: Sequence[Point], path: Path, force: bool = False) -> Path:
    """The scores with their 95 % intervals, and the Elo differences that they speak for."""
    width = max(5.0, 1.6 + 0.9 * len(points))
    picture = new_figure(width, 3.8)
    axis: Axes = picture.subplots()
    places = range(len(points))
    scores = [100 * (point.result.score or 0.0) for point in points]
    low = [score - 100 * point.result.interval[0] for score, point in zip(scores, points, strict=True)]
    high = [100 * point.result.interval[1] - score for score, point in zip(scores, points, strict=True)]
    axis.axhline(50, color=GREY, linewidth=0.8)
    axis.errorbar(places, scores, (low, high), fmt="o", color=COLORS[0], capsize=3)
    for place, score, point in zip(places, scores, points, strict=True):
        axis.annotate(f"{score:.0f}", (place, score), (6, 0), textcoords="offset points", va="center")
        axis.annotate(
            f"{point.result.elo:+.0f} ± {point.result.elo_margin:.0f}",
            (place, 0),
            (0, 3),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            color=GREY,
            fontsize="x-small",
        )
    axis.set_xticks(list(places), [point.duel.label for point in points])
    axis.set_xlim(-0.5, len(points) - 0.3)
    axis.set_ylim(0, 100)
    axis.set_xlabel(f"{figure.varied}; at the foot the Elo difference")
    axis.set_ylabel("won, % with 95 % interval")
    axis.set_title(textwrap.fill(figure.title, int(LETTERS * width)), fontsize="medium")
    write_bytes(path, png(picture), PNG, force)
    return path
