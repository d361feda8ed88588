"""Figures 2 and 4 of Silver & Tesauro (2009), from what `balancing` has measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from playout.files import write_bytes
from playout.games.go.learn.policy_training import PolicyRecord
from playout.games.go.memory.store import Weights
from playout.picture import (
    GREY,
    LARGE,
    NORMAL,
    SMALL,
    Label,
    label_ends,
    line_style,
    new_figure,
    png,
)

EXTREMES = 4  # shapes of greatest and of least weight that are drawn beside the lines
STONES = str.maketrans("XO.", "●○·")
TWO_BY_TWO = 2
STONE = 11  # size of the letters that shapes are drawn with
AGAINST = {"": "deep search", "exact_": "exact values"}


def draw_errors(told: Mapping[str, Any], path: str | Path) -> None:
    """Figure 4: the mean squared error of values by updates, with the levels of policies that learn nothing.

    told: as in mse.json. With exact values there is a picture against these too.
    """
    kinds = [kind for kind in AGAINST if all(f"{kind}mse" in row for row in told["levels"].values())]
    side = told["experiment"]["size"]
    figure = new_figure(8 * len(kinds), 5.4)
    figure.suptitle(f"{side}×{side}", fontsize=LARGE)
    axes = np.atleast_1d(figure.subplots(1, len(kinds)))
    for axis, kind in zip(axes, kinds, strict=True):
        count = told["test_decided"] if kind else told["test_positions"]
        labels = []
        last = max(row["updates"] for run in told["policies"].values() for row in run["errors"])
        for k, (name, run) in enumerate(told["policies"].items()):
            updates = [row["updates"] for row in run["errors"]]
            errors = [row[f"{kind}mse"] for row in run["errors"]]
            style = line_style(k, len(updates))
            if name == "mm":  # its updates are something else
                axis.axhline(errors[-1], color=style["color"], linestyle=style["linestyle"], linewidth=1.3)
                updates = [last]
            else:
                axis.plot(updates, errors, **style)
            labels.append(Label(updates[-1], errors[-1], run["label"], style["color"]))
        for name, line in zip(told["levels"], ("--", ":"), strict=True):
            level = told["levels"][name][f"{kind}mse"]
            axis.axhline(level, color=GREY, linestyle=line, linewidth=1.6)
            labels.append(Label(last, level, f"{name} (learns nothing)", GREY))
        axis.set_ylim(bottom=0)
        axis.set_xlabel("updates", fontsize=NORMAL)
        axis.set_ylabel("mean squared error", fontsize=NORMAL)
        against = f"against {AGAINST[kind]}, {count:,} positions"
        axis.set_title(f"Values of {told['simulations']} simulations {against}", fontsize=NORMAL)
        axis.tick_params(labelsize=SMALL)
        axis.grid(alpha=0.3)
        label_ends(axis, labels)
    write_bytes(path, png(figure))


def shape_weights(record: PolicyRecord) -> tuple[np.ndarray, list[str]]:
    """The weights of 2×2 shapes at any place, a column each; and the shapes as the mover sees them, ●."""
    assert isinstance(record.weights, Weights)  # these experiments learn nothing else
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
    figure = new_figure(12, 4.4 * rows)
    axes = figure.subplots(rows, 2, squeeze=False)
    for axis in axes.flat[len(records) :]:
        axis.axis("off")
    for axis, (label, record) in zip(axes.flat, records.items(), strict=False):
        marks, (history, drawings) = record.marks, shape_weights(record)
        last = int(record.weights.how.get("updates", marks[-1]))
        if last != marks[-1]:
            own, _ = shape_weights(_ended(record))
            marks, history = np.append(marks, last), np.vstack([history, own])
        for k, weights in enumerate(history.T):
            axis.plot(marks, weights, **line_style(k, len(marks)))
        axis.set_title(label, fontsize=LARGE)
        axis.set_xlabel("updates", fontsize=NORMAL)
        axis.set_ylabel("weight", fontsize=NORMAL)
        axis.tick_params(labelsize=SMALL)
        axis.grid(alpha=0.3)
        _name_extremes(axis, marks[-1], history[-1], drawings)
    write_bytes(path, png(figure))


def _ended(record: PolicyRecord) -> PolicyRecord:
    """A record of the last weights only."""
    theta = record.weights.theta[None].astype(np.float32)
    return PolicyRecord(record.folder, record.weights, np.zeros(1, np.int64), theta)


def _name_extremes(axis: Any, end: float, weights: np.ndarray, drawings: list[str]) -> None:
    """Draw the shapes of greatest and least weight beside the ends of their lines."""
    order = np.argsort(weights, kind="stable")
    named = dict.fromkeys([*order[:EXTREMES], *order[-EXTREMES:]])
    labels = [Label(end, float(weights[k]), drawings[k], axis.lines[k].get_color()) for k in named]
    label_ends(axis, labels, lines=2, fontsize=STONE, family="DejaVu Sans Mono", linespacing=0.85)
