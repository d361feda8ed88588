"""Figures 2 and 4 of Silver & Tesauro (2009), from what `balancing` has measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from playout.files import write_bytes
from playout.games.go.learn.policy_training import PolicyRecord
from playout.picture import new_figure, png

EXTREMES = 4  # shapes of greatest and of least weight that are drawn beside the lines
STONES = str.maketrans("XO.", "●○·")
TWO_BY_TWO = 2
AGAINST = {"": "deep search", "exact_": "exact values"}


def draw_errors(told: Mapping[str, Any], path: str | Path) -> None:
    """Figure 4: the mean squared error of values by updates, with the levels of policies that learn nothing.

    told: as in mse.json. With exact values there is a picture against these too.
    """
    kinds = [kind for kind in AGAINST if all(f"{kind}mse" in row for row in told["levels"].values())]
    figure = new_figure(7 * len(kinds), 5.4)
    axes = np.atleast_1d(figure.subplots(1, len(kinds)))
    for axis, kind in zip(axes, kinds, strict=True):
        count = told["test_decided"] if kind else told["test_positions"]
        for k, (name, run) in enumerate(told["policies"].items()):
            updates = [row["updates"] for row in run["errors"]]
            errors = [row[f"{kind}mse"] for row in run["errors"]]
            if name == "mm":  # its updates are something else
                axis.axhline(errors[-1], color=f"C{k}", linestyle="-.", linewidth=1, label=run["label"])
            else:
                axis.plot(updates, errors, color=f"C{k}", linewidth=1.2, label=run["label"])
        for name, line in zip(told["levels"], ("--", ":"), strict=True):
            level = told["levels"][name][f"{kind}mse"]
            axis.axhline(level, color="black", linestyle=line, linewidth=1, label=name)
        axis.set_ylim(bottom=0)
        axis.set_xlabel("updates")
        axis.set_ylabel("mean squared error")
        against = f"against {AGAINST[kind]}, {count:,} positions"
        axis.set_title(f"Values of {told['simulations']} simulations {against}", fontsize=10)
        axis.grid(alpha=0.3)
    figure.legend(*axes[0].get_legend_handles_labels(), fontsize=8, loc="outside lower center", ncols=5)
    side = told["experiment"]["size"]
    figure.suptitle(f"{side}×{side}", fontsize=11)
    write_bytes(path, png(figure))


def shape_weights(record: PolicyRecord) -> tuple[np.ndarray, list[str]]:
    """The weights of 2×2 shapes at any place, a column each; and the shapes as the mover sees them, ●."""
    features = record.weights.features
    numbers = [
        number
        for block in features.blocks
        if block.size == TWO_BY_TWO and block.sharing == "independent"
        for number in range(block.first, block.first + block.weights)
    ]
    drawings = ["\n".join(features.example(number).rows()).translate(STONES) for number in numbers]
    return record.history[:, numbers], drawings


def draw_weights(records: Mapping[str, PolicyRecord], path: str | Path) -> None:
    """Figure 2: how the weights of 2×2 shapes went, a picture a policy; the extreme ones are named."""
    rows = -(-len(records) // 2)
    figure = new_figure(12, 4 * rows)
    axes = figure.subplots(rows, 2, squeeze=False)
    for axis in axes.flat[len(records) :]:
        axis.axis("off")
    for axis, (label, record) in zip(axes.flat, records.items(), strict=False):
        marks, (history, drawings) = record.marks, shape_weights(record)
        last = int(record.weights.how.get("updates", marks[-1]))
        if last != marks[-1]:
            own, _ = shape_weights(_ended(record))
            marks, history = np.append(marks, last), np.vstack([history, own])
        axis.plot(marks, history, linewidth=0.9)
        _name_extremes(axis, history[-1], drawings)
        axis.set_title(label, fontsize=10)
        axis.set_xlabel("updates", fontsize=8)
        axis.grid(alpha=0.3)
    write_bytes(path, png(figure))


def _ended(record: PolicyRecord) -> PolicyRecord:
    """A record of the last weights only."""
    theta = record.weights.theta[None].astype(np.float32)
    return PolicyRecord(record.folder, record.weights, np.zeros(1, np.int64), theta)


def _name_extremes(axis: Any, weights: np.ndarray, drawings: list[str]) -> None:
    """Draw the shapes of greatest and least weight beside the ends of their lines, none over another."""
    order = np.argsort(weights, kind="stable")
    named = [*order[:EXTREMES], *order[-EXTREMES:]]
    low, high = axis.get_ylim()
    room = 0.115 * (high - low)
    places = weights[named].astype(float)
    for k in range(1, len(places)):  # from below up
        places[k] = max(places[k], places[k - 1] + room)
    places[-1] = min(places[-1], high)
    for k in reversed(range(len(places) - 1)):  # and down again
        places[k] = min(places[k], places[k + 1] - room)
    for k, place in zip(named, places, strict=True):
        color = axis.lines[k].get_color()
        axis.annotate(
            drawings[k],
            (1.0, weights[k]),
            (1.035, place),
            xycoords=axis.get_yaxis_transform(),
            textcoords=axis.get_yaxis_transform(),
            fontsize=7,
            family="DejaVu Sans Mono",
            linespacing=0.9,
            va="center",
            color=color,
            arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.5},
            annotation_clip=False,
        )
