"""Figure 1 of Araki et al. (2014), from what `adjusting` has measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from playout.arena.intervals import mean_interval
from playout.files import write_bytes
from playout.picture import GREY, LARGE, NORMAL, SMALL, Label, label_ends, line_style, new_figure, png
from playout.reproduce.adjusting import LEARNERS, MARKS, Figure

PANELS = {"open": "right moves on problems not learnt from", "objective": "objective J on those learnt from"}


def draw(figure: Figure, path: str | Path) -> Path:
    """Means over the splits, with their 95 % intervals; what is learnt once is a level."""
    picture = new_figure(7.5 * len(PANELS), 5)
    axes = picture.subplots(1, len(PANELS))
    e = figure.experiment
    picture.suptitle(
        f"{e.train} problems to learn from, {e.test} to test on, {e.splits} split{'s' * (e.splits > 1)}",
        fontsize=LARGE,
    )
    for axis, (key, title) in zip(axes, PANELS.items(), strict=True):
        labels = []
        curves = {name: figure.curves(name, key) for name in LEARNERS}
        last = max((marks[-1] for marks, _ in curves.values() if marks), default=1)
        last = min(last, e.loops)
        for k, (name, (marks, values)) in enumerate(curves.items()):
            if not marks:
                continue
            means = values.mean(axis=0)
            ends = np.array([mean_interval(column) for column in values.T])
            style = line_style(k, len(marks))
            if "adjust" in name or name == "balance":
                axis.plot(marks, means, **style)
                if len(values) > 1:
                    axis.fill_between(marks, ends[:, 0], ends[:, 1], color=style["color"], alpha=0.12)
                labels.append(Label(marks[-1], means[-1], name, style["color"]))
            else:
                axis.axhline(means[-1], color=style["color"], linestyle=style["linestyle"], linewidth=1.3)
                if len(values) > 1:
                    axis.axhspan(*ends[-1], color=GREY, alpha=0.05)
                labels.append(Label(last, means[-1], name, style["color"]))
        axis.set_title(title, fontsize=NORMAL)
        axis.set_xscale("symlog", linthresh=1)  # most is learnt in the first ten
        axis.set_xticks(ticks := [mark for mark in MARKS if mark <= last], map(str, ticks))
        axis.minorticks_off()
        axis.set_xlim(-0.2, 1.1 * last)
        axis.set_xlabel("iteration", fontsize=NORMAL)
        axis.tick_params(labelsize=SMALL)
        axis.grid(alpha=0.3)
        if key == "objective":
            axis.set_ylim(bottom=0)
        label_ends(axis, labels)
    write_bytes(path, png(picture))
    return Path(path)
