"""Pictures of a tuning: learning curves (Figures 3 and 4 of Chaslot et al. 2008) and how parameters moved."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from playout.picture import (
    BLUE,
    GREY,
    LARGE,
    NORMAL,
    SMALL,
    VERMILION,
    Label,
    label_ends,
    line_style,
    new_figure,
    png,
)
from playout.tune.space import Parameter, Space, word
from playout.tune.tuner import Generation

COLUMNS = 4
MOST_TICKS = 7


class Curve(NamedTuple):
    """Games against shares of points."""

    name: str
    games: Sequence[float]
    shares: Sequence[float]


def learning_picture(
    curves: Sequence[Curve],
    title: str,
    levels: Mapping[str, float] | None = None,
    of: str = "mean of all samples",
    logarithmic: bool = False,
) -> bytes:
    """Learning curves: games played in all, and the score. levels: to compare with."""
    figure = new_figure(8, 4.6)
    axis = figure.subplots()
    labels = []
    for k, curve in enumerate(curves):
        style = line_style(k, len(curve.games))
        axis.plot(curve.games, [100 * share for share in curve.shares], **style)
        labels.append(Label(curve.games[-1], 100 * curve.shares[-1], curve.name, style["color"]))
    if logarithmic:
        axis.set_xscale("log")
    for name, level in (levels or {}).items():
        axis.axhline(100 * level, color=GREY, linewidth=1, linestyle=":")
        axis.annotate(
            name,
            (0, 100 * level),
            (3, 2),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            fontsize=SMALL,
            color=GREY,
        )
    axis.set_xlabel("games of all samples", fontsize=NORMAL)
    axis.set_ylabel(f"won, %, {of}", fontsize=NORMAL)
    axis.tick_params(labelsize=SMALL)
    axis.grid(alpha=0.3)
    axis.set_title(title, fontsize=LARGE)
    bottom, top = axis.get_ylim()
    axis.set_ylim(max(bottom, -2), min(top, 102))
    label_ends(axis, labels)
    return png(figure)


def parameters_picture(space: Space, generations: Sequence[Generation], title: str) -> bytes:
    """The mean of each parameter, one deviation to both sides, and its default, by generation."""
    rows = math.ceil(len(space.parameters) / COLUMNS)
    columns = min(COLUMNS, len(space.parameters))
    figure = new_figure(2.7 * columns + 0.6, 2.1 * rows + 0.6)
    axes = figure.subplots(rows, columns, squeeze=False)
    for axis in axes.flat[len(space.parameters) :]:
        axis.set_axis_off()
    numbers = [generation.number + 1 for generation in generations]
    for j, (axis, parameter) in enumerate(zip(axes.flat, space.parameters, strict=False)):
        means = np.array([generation.best[j] for generation in generations])
        if parameter.kind == "choice":
            axis.plot(numbers, means, ".", color=BLUE)
            axis.set_yticks(range(len(parameter.choices)), parameter.choices)
        else:
            axis.plot(numbers, _values(parameter, means), color=BLUE, linewidth=1.3)
            if all(generation.deviation is not None for generation in generations):
                away = np.array([generation.deviation[j] for generation in generations])  # type: ignore[index]
                low, high = (_values(parameter, means + side * away) for side in (-1, 1))
                axis.fill_between(numbers, low, high, color=BLUE, alpha=0.2, linewidth=0)
            if parameter.scale == "log":
                axis.set_yscale("log")
                axis.set_yticks(_ticks(parameter), [f"{tick:g}" for tick in _ticks(parameter)])
                axis.set_yticks([], minor=True)
            axis.set_ylim(parameter.low, parameter.high)
            axis.axhline(parameter.default, color=VERMILION, linewidth=1, linestyle="--")
        axis.set_title(f"{parameter.name}: {word(parameter.value(means[-1]))}", fontsize=NORMAL)
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.tick_params(labelsize=SMALL)
        axis.grid(alpha=0.3)
    figure.supxlabel("generation", fontsize=NORMAL)
    figure.suptitle(title, fontsize=LARGE)
    return png(figure)


def _ticks(parameter: Parameter) -> list[float]:
    """Round numbers of a logarithmic range, as many as have room."""
    low, high = parameter.low, parameter.high
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1,)):
        found = [d * 10.0**power for power in powers for d in digits if low <= d * 10.0**power <= high]
        if len(found) <= MOST_TICKS:
            break
    if len(found) < 3:  # a narrow range has a scale that is nearly linear
        step = 10.0 ** math.floor(math.log10((high - low) / 3))
        found = [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return found[:: math.ceil(len(found) / MOST_TICKS)]


def _values(parameter: Parameter, x: np.ndarray) -> np.ndarray:
    """Points on the tuner's scale as values, not rounded."""
    inside = np.clip(x, *parameter.bounds)
    return np.exp(inside) if parameter.scale == "log" else inside
