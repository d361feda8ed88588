"""Pictures of what was learnt, as PNG files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.files import check_output, write_bytes
from playout.games.go.memory.move_weights import MoveWeights
from playout.games.go.memory.shapes import Shape
from playout.games.go.memory.store import Weights
from playout.picture import (
    BLACK,
    BLUE,
    LARGE,
    NORMAL,
    PNG,
    SMALL,
    VERMILION,
    Label,
    label_ends,
    line_style,
    new_figure,
    png,
)

if TYPE_CHECKING:
    from playout.games.go.learn.policy_training import PolicyRecord
    from playout.games.go.learn.training import Record

TOP = 20
LARGEST = 10  # weights of a set whose course is drawn
DRAWN = 200  # simulations in a picture, of which there may be more
WOOD, LINES, FAINT = "#e8c27a", "#7a5a20", "#f4e3bf"
_EXCHANGE = str.maketrans("XO", "OX")
_STONES = str.maketrans("XO.", "●○·")


def top_shapes(weights: Weights, count: int = TOP) -> dict[str, list[tuple[Shape, float]]]:
    """By set: the shapes of greatest absolute weight, each with its weight."""
    found: dict[str, list[tuple[Shape, float]]] = {}
    for block_set, numbers in shape_sets(weights).items():
        theta = weights.theta[numbers]
        order = np.argsort(-np.abs(theta), kind="stable")[:count]
        found[block_set] = [(weights.features.example(int(numbers[k])), float(theta[k])) for k in order]
    return found


def shape_sets(weights: Weights) -> dict[str, np.ndarray]:
    """The numbers of the weights of each set, by its name; by colour or stage: those of the first."""
    numbers: dict[str, list[int]] = {}
    for block in weights.features.blocks:
        name = f"{block.size}×{block.size} {_KINDS[block.sharing]}"
        numbers.setdefault(name, []).extend(range(block.first, block.first + block.weights))
    return {name: np.array(found) for name, found in numbers.items()}


_KINDS = {
    "independent": "location-independent",
    "dependent": "location-dependent",
    "none": "without sharing",
}


def draw_shapes(weights: Weights, path: str | Path, count: int = TOP, force: bool = False) -> Path:
    """The shapes of greatest weight in each set, in the colours that make it positive (Figure 5.17).

    force: write over a file that is not a picture of ours.
    """
    check_output(path, PNG, force)
    found = {name: shapes for name, shapes in top_shapes(weights, count).items() if shapes}
    columns = 10
    rows = [-(-len(shapes) // columns) for shapes in found.values()]
    figure = new_figure(columns * 1.15, sum(rows) * 1.3 + 0.4 * len(rows))
    parts = figure.subfigures(len(found), 1, height_ratios=[r * 1.3 + 0.4 for r in rows], squeeze=False)
    for part, (name, shapes), lines in zip(parts[:, 0], found.items(), rows, strict=True):
        part.suptitle(name, fontsize=LARGE)
        axes = part.subplots(lines, columns, squeeze=False)
        for k, axis in enumerate(axes.flat):
            axis.set_axis_off()
            if k < len(shapes):
                _draw_shape(axis, *shapes[k], weights.shapes.side)
    write_bytes(path, png(figure), PNG, force)
    return Path(path)


def _draw_shape(axis: Any, shape: Shape, weight: float, side: int) -> None:
    """A shape on its board, or alone where it may be anywhere."""
    from matplotlib.patches import Rectangle

    row, column = shape.place or (0, 0)
    points = side if shape.place is not None else shape.size
    ground = FAINT if shape.place is not None else WOOD
    axis.add_patch(Rectangle((-0.5, -0.5), points, points, color=ground))
    axis.add_patch(Rectangle((column - 0.5, row - 0.5), shape.size, shape.size, color=WOOD))
    draw_lines(axis, points, 0.0 if shape.place is not None else 0.5)
    for r, letters in enumerate(shape.rows()):
        for c, letter in enumerate(letters if weight >= 0 else letters.translate(_EXCHANGE)):
            draw_stone(axis, row + r, column + c, letter)
    frame_board(axis, points)
    axis.set_title(f"{abs(weight):.3f}", fontsize=NORMAL, pad=1)


def draw_lines(axis: Any, points: int, beyond: float = 0.0) -> None:
    """The lines of a board, or of a piece of one, where they go on beyond the points."""
    ends, look = (-beyond, points - 1 + beyond), {"color": LINES, "linewidth": 0.5, "zorder": 1}
    axis.hlines(range(points), *ends, **look)
    axis.vlines(range(points), *ends, **look)


def draw_stone(axis: Any, row: int, column: int, letter: str, alpha: float = 1.0, zorder: float = 2) -> None:
    """A stone: X Black, O White; nothing where none stands."""
    from matplotlib.patches import Circle

    if letter != ".":
        face = "black" if letter == "X" else "white"
        look = {"edgecolor": "black", "linewidth": 0.6, "zorder": zorder, "alpha": alpha}
        axis.add_patch(Circle((column, row), 0.44, facecolor=face, **look))


def frame_board(axis: Any, points: int) -> None:
    """Show all of a board, rows from the top."""
    axis.set_xlim(-0.7, points - 0.3)
    axis.set_ylim(points - 0.3, -0.7)
    axis.set_aspect("equal")


def draw_curves(record: Record, path: str | Path, force: bool = False) -> Path:
    """The evolution of weights (Figure 5.9) and of the errors (Figure 5.10) of a run."""
    check_output(path, PNG, force)
    figure = new_figure(13, 9)
    axes = figure.subplots(2, 2)
    for axis in axes.flat:
        axis.set_xscale("log")
        axis.set_xlabel("training games", fontsize=NORMAL)
        axis.tick_params(labelsize=SMALL)
        axis.grid(alpha=0.3)
    _draw_training_errors(axes[0, 0], record.curve)
    snapshots = record.snapshots()
    times = np.array([count for count, _ in snapshots])
    theta = np.array([weights.theta for _, weights in snapshots])
    sets = shape_sets(snapshots[-1][1]) if snapshots else {}
    chosen = [
        next((name for name in sets if name.startswith(start)), None)
        for start in ("2×2 location-independent", "1×1 location-dependent", "3×3 ")
    ]
    for axis, name in zip((axes[0, 1], axes[1, 0], axes[1, 1]), chosen, strict=True):
        if name is None:
            axis.set_axis_off()
            continue
        _draw_weights(axis, name, record.weights, sets[name], times, theta)
    write_bytes(path, png(figure), PNG, force)
    return Path(path)


def _draw_training_errors(axis: Any, curve: dict[str, np.ndarray]) -> None:
    """Both errors by games, and how strong the player was, on an axis of its own."""
    games = curve["games"]
    lines = {
        "cross-entropy TD-error": curve["cross_entropy"] / curve["updates"],
        "root mean squared error to the outcome": np.sqrt(curve["squared_error"] / curve["moves"]),
    }
    drawn = []
    for k, (name, values) in enumerate(lines.items(), 1):
        drawn += axis.plot(games, values, label=name, **line_style(k, len(games)))
    axis.set_title("Errors during training", fontsize=LARGE)
    axis.set_ylabel("error", fontsize=NORMAL)
    tried = np.isfinite(curve["strength"])
    twin = axis.twinx()
    style = line_style(0, int(tried.sum()))
    drawn += twin.plot(games[tried], curve["strength"][tried], label="won against MoGo's policy →", **style)
    twin.set_ylabel("share won against MoGo's policy", fontsize=NORMAL, color=style["color"])
    twin.set_ylim(0, 1.02)
    twin.tick_params(labelsize=SMALL)
    twin.legend(handles=drawn, fontsize=SMALL, loc="best")


def _draw_weights(
    axis: Any,
    name: str,
    weights: Weights | MoveWeights,
    numbers: np.ndarray,
    times: np.ndarray,
    theta: np.ndarray,
) -> None:
    """How the weights of a set developed: those that are largest in the end. theta: by time and weight."""
    largest = np.argsort(-np.abs(theta[-1, numbers]), kind="stable")[:LARGEST]
    labels = []
    for k, number in enumerate(numbers[largest]):
        style = line_style(k, len(times))
        axis.plot(times, theta[:, number], **style)
        if isinstance(weights, MoveWeights):
            words = weights.names[number].removeprefix("pattern ")
        else:
            shape = weights.features.example(int(number))
            place = "" if shape.place is None else f" at {shape.place[0] + 1},{shape.place[1] + 1}"
            words = "/".join(shape.rows()).translate(_STONES) + place
        labels.append(Label(times[-1], float(theta[-1, number]), words, style["color"]))
    cut = f", the {LARGEST} largest" if len(numbers) > LARGEST else ""
    axis.set_title(f"Weights: {name}{cut}", fontsize=LARGE)
    axis.set_ylabel("weight", fontsize=NORMAL)
    label_ends(axis, labels, fontsize=NORMAL, family="DejaVu Sans Mono")


def draw_policy_curves(record: PolicyRecord, path: str | Path, force: bool = False) -> Path:
    """The evolution of the weights of a policy in training."""
    check_output(path, PNG, force)
    times, theta = record.curve()
    weights = record.weights
    sets = weights.sets() if isinstance(weights, MoveWeights) else shape_sets(weights)
    columns = min(2, len(sets))
    rows = -(-len(sets) // columns)
    figure = new_figure(6.5 * columns, 4.5 * rows)
    axes = figure.subplots(rows, columns, squeeze=False)
    for axis in axes.flat[len(sets) :]:
        axis.set_axis_off()
    for axis, (name, numbers) in zip(axes.flat, sets.items(), strict=False):
        axis.set_xlabel(f"updates of {record.weights.how.get('learner', 'the learner')}", fontsize=NORMAL)
        axis.tick_params(labelsize=SMALL)
        axis.grid(alpha=0.3)
        _draw_weights(axis, name, record.weights, numbers, times, theta)
    write_bytes(path, png(figure), PNG, force)
    return Path(path)


def draw_simulations(panels: dict[str, np.ndarray], path: str | Path, force: bool = False) -> Path:
    """Simulations of the artificial game: for each title, the minimax value by simulation and step."""
    check_output(path, PNG, force)
    figure = new_figure(4.5 * len(panels), 4)
    axes = np.atleast_1d(figure.subplots(1, len(panels), sharey=True))
    for axis, (title, values) in zip(axes, panels.items(), strict=True):
        steps = np.arange(values.shape[1])
        lines = axis.plot(steps, values[:DRAWN].T, color=BLUE, alpha=0.35, linewidth=0.6)
        lines[0].set_label("simulations")
        axis.plot(steps, values.mean(axis=0), color=BLACK, linewidth=2, label="their mean")
        axis.axhline(0, color=VERMILION, linestyle="--", linewidth=1.6, label="minimax value of the start")
        axis.set_title(title, fontsize=LARGE)
        axis.set_xlabel("step", fontsize=NORMAL)
        axis.tick_params(labelsize=SMALL)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("minimax value", fontsize=NORMAL)
    axes[0].legend(fontsize=SMALL, loc="upper left")
    write_bytes(path, png(figure), PNG, force)
    return Path(path)
