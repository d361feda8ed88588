"""The paradox of Silver (2009, section 9.2): policies that play well and yet simulate badly, on 9×9.

Play by learnt values, with more or less chance in it (`policy.greedy`: π_ε, π_σ and π_τ), is measured as a
player, against uniform play and MoGo's rules (Figure 9.1), and as a simulation policy: by the mean squared
error of its values on positions (Figure 9.2). The thesis had 200 positions labelled by hand; ours are of
games that MoGo's rules play with themselves, and won for whom deep search says. Table 9.1 is a tournament:
docs/events/paradox.toml.

One folder holds it all: what is there already is not made again, so `run` can be stopped and repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from playout.files import write_bytes, write_text
from playout.games.go.learn.position_maker import produce
from playout.games.go.learn.positions import Positions, Recipe
from playout.games.go.policy import Greedy, Mogo, Uniform
from playout.picture import BLACK, GREY, LARGE, NORMAL, SMALL, line_style, new_figure, png
from playout.player.valuer import Valuer
from playout.reproduce.policy_duels import Duels, Entrant, round_robin
from playout.reproduce.value_errors import Judge
from playout.runs import keep_settings
from playout.settings import check_values, setting

OPPONENTS = {"uniform": Uniform(), "mogo": Mogo()}
# By class: the setting that has the degree of chance, its letter, and the degrees.
CLASSES: dict[str, tuple[str, str, tuple[float, ...]]] = {
    "epsilon": ("epsilon", "ε", (0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)),
    "noise": ("sigma", "σ", (0.0, 0.02, 0.05, 0.1, 0.15, 0.3, 0.6)),
    "softmax": ("tau", "τ", (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3)),
}

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class Paradox:
    """Settings of the experiment."""

    size: int = setting(9, "board size", low=2, high=19)
    komi: float = setting(7.5, "White's compensation for moving second")
    positions: int = setting(200, "positions to value", low=1)
    sims: int = setting(10_000, "simulations of the deep search that labels one", low=1)
    simulations: int = setting(1000, "simulations of each policy from a position", low=2)
    pairs: int = setting(200, "pairs of games against each opponent", low=1)
    seed: int = setting(1, "makes it repeatable", low=0)

    def __post_init__(self) -> None:
        check_values(Paradox, asdict(self))
        self.recipe  # noqa: B018  it refuses what cannot be

    @property
    def recipe(self) -> Recipe:
        """How the positions are made."""
        return Recipe(size=self.size, komi=self.komi, games="mogo", sims=self.sims, test=0.0, seed=self.seed)


def policies() -> dict[str, Any]:
    """All policies by name, as epsilon-0.1, after those that they are compared with."""
    found: dict[str, Any] = dict(OPPONENTS)
    for chance, (name, _, degrees) in CLASSES.items():
        for degree in degrees:
            found[f"{chance}-{degree:g}"] = Greedy(**{"chance": chance, name: degree})  # type: ignore[arg-type]
    return found


def labelled(data: Positions) -> Positions:
    """The positions, each won or lost."""
    return replace(data, searched=np.round(data.searched))


def run(
    folder: str | Path,
    settings: Paradox,
    *,
    threads: int = 1,
    progress: Progress = lambda what, done, total: None,
) -> dict[str, Any]:
    """All of it; in paradox.json and paradox.png, and returned."""
    place = Path(folder)
    keep_settings(place / "settings.json", settings, "the folder of this experiment")
    valuer = Valuer(settings.recipe.search)
    try:
        data = produce(
            place / "positions.npz",
            settings.recipe,
            settings.positions,
            valuer,
            threads=threads,
            progress=lambda done: progress("positions", done, settings.positions),
        )
    finally:
        valuer.close()
    found = policies()
    errors = _errors(place / "errors.json", labelled(data), found, settings, threads, progress)
    duels = round_robin(
        [Entrant(name, policy, 0, repr(policy)) for name, policy in found.items()],
        settings.pairs,
        Duels(settings.size, settings.komi, seed=settings.seed),
        place / "duels.json",
        against=list(OPPONENTS),
        threads=threads,
        progress=lambda done, total: progress("games", done, total),
    )
    told = {"settings": asdict(settings), "policies": {name: {**row} for name, row in errors.items()}}
    for (one, other), letters in duels.scores.items():
        wins = _points(letters)
        told["policies"][one][f"against_{other}"] = _share(wins)
        told["policies"][other][f"against_{one}"] = _share(1 - wins)
    write_text(place / "paradox.json", json.dumps(told, indent=1) + "\n")
    _draw(told, place / "paradox.png")
    return told


def _errors(
    path: Path,
    data: Positions,
    found: dict[str, Any],
    settings: Paradox,
    threads: int,
    progress: Progress,
) -> dict[str, Any]:
    """The errors of each policy's values; kept in a file."""
    judge = Judge(data, settings.seed, threads, settings.simulations)
    known: dict[str, Any] = {}
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        known = kept["policies"] if kept.get("judge") == judge.digest else {}
    for k, (name, policy) in enumerate(found.items(), 1):
        if name not in known:
            known[name] = judge.errors_of(policy)
            write_text(path, json.dumps({"judge": judge.digest, "policies": known}, indent=1) + "\n")
        progress("errors of values", k, len(found))
    return known


def _points(letters: str) -> np.ndarray:
    """The first player's score of every game; he is Black in every other one."""
    black = np.array([{"1": 1.0, "=": 0.5, "0": 0.0}[letter] for letter in letters])
    return np.where(np.arange(black.size) % 2 == 0, black, 1 - black)


def _share(scores: np.ndarray) -> dict[str, float]:
    return {"share": float(scores.mean()), "standard_error": float(scores.std() / np.sqrt(scores.size))}


def _draw(told: dict[str, Any], path: Path) -> None:
    """Figures 9.1 (two rows) and 9.2 (the last row), a column a class of policies."""
    figure = new_figure(12, 9)
    axes = figure.subplots(3, len(CLASSES), sharey="row")
    rows = told["policies"]
    for column, (chance, (_, letter, degrees)) in enumerate(CLASSES.items()):
        mine = [rows[f"{chance}-{degree:g}"] for degree in degrees]
        places = range(len(degrees))
        style = {**line_style(column), "linestyle": "-", "capsize": 2}
        for axis, other in zip(axes[:2, column], OPPONENTS, strict=True):
            shares = [row[f"against_{other}"] for row in mine]
            axis.errorbar(
                places,
                [100 * share["share"] for share in shares],
                yerr=[196 * share["standard_error"] for share in shares],
                **style,
            )
            axis.axhline(50, color=GREY, linewidth=1, linestyle=":")
            axis.set_ylim(0, 102)
        axis = axes[2, column]
        axis.errorbar(
            places,
            [row["mse"] for row in mine],
            yerr=[1.96 * row["standard_error"] for row in mine],
            label="play by learnt values",
            **style,
        )
        for other, line in zip(OPPONENTS, ("--", ":"), strict=True):
            axis.axhline(rows[other]["mse"], color=BLACK, linewidth=1.3, linestyle=line, label=other)
        axis.set_xlabel(f"{letter} ({chance})", fontsize=NORMAL)
        axis.set_ylim(bottom=0)
        for axis in axes[:, column]:
            axis.set_xticks(places, [f"{degree:g}" for degree in degrees])
            axis.tick_params(labelsize=SMALL)
            axis.grid(alpha=0.3)
    for axis, words in zip(
        axes[:, 0],
        ("wins against uniform, %", "wins against mogo, %", "mean squared error of values"),
        strict=True,
    ):
        axis.set_ylabel(words, fontsize=NORMAL)
    axes[2, 0].legend(fontsize=SMALL)
    title = "Play by learnt values, as a player and as a simulation policy; 95 % intervals"
    figure.suptitle(title, fontsize=LARGE)
    write_bytes(path, png(figure))
