"""Drawings as PNG, and one look for all of them. Matplotlib is only loaded when something is drawn.

Lines are told apart by colour, by dashes and by markers, and by a name at their end: in grey print and by
people who see no red or green too. The colours are those of Okabe & Ito (2008), without the yellow, which
white paper swallows.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from playout.files import Kind, beginning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS = 120  # an inch
MAKER = {"Software": "playout"}  # stands in the PNG, so that we know our own
SMALL, NORMAL, LARGE = 8, 9, 11  # sizes of letters; nothing is smaller

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK = COLORS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
)
GREY = "#6e6e6e"
DASHES = ("-", "--", ":", "-.")
MARKERS = "osD^vPX*"
MARKED = 8  # markers on a line of many points


def _is_ours(path: Path) -> bool:
    found = beginning(path)
    return found.startswith(b"\x89PNG") and b"tEXtSoftware\0playout" in found


PNG = Kind("a picture of ours", _is_ours)


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of so many inches, which knows no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DOTS, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def png(figure: Figure) -> bytes:
    """A figure as the content of a PNG file."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=DOTS, metadata=MAKER)
    return content.getvalue()


def line_style(k: int, points: int = 1) -> dict[str, Any]:
    """How the k-th line of a picture is drawn; no two of the first 28 look alike, nor of the first 8 in grey.

    points: of the line; a long one has some markers only, not all lines at the same places.

    >>> line_style(0)["color"], line_style(0)["linestyle"], line_style(0)["marker"]
    ('#0072B2', '-', 'o')
    """
    turn, color = divmod(k, len(COLORS))
    every = max(1, points // MARKED)
    return {
        "color": COLORS[color],
        "linestyle": DASHES[(color + turn) % len(DASHES)],
        "marker": MARKERS[k % len(MARKERS)],
        "markevery": (k * every // len(MARKERS) % every, every),
        "markersize": 5,
        "linewidth": 1.3,
    }


class Label(NamedTuple):
    """A name for a line that ends at a point."""

    x: float
    y: float
    text: str
    color: str


def label_ends(axis: Any, labels: Sequence[Label], lines: int = 1, **letters: Any) -> None:
    """Names to the right of a picture, each beside its line's end and joined to it; none over another.

    lines: of text in a name. letters: how the names are set. Call it when all lines are drawn.
    """
    size = letters.setdefault("fontsize", SMALL)
    order = sorted(labels, key=lambda label: label.y)
    axis.set_xlim(axis.get_xlim())  # from here on nothing may move
    axis.set_ylim(axis.get_ylim())
    axis.figure.draw_without_rendering()  # the axis then has its size
    height = axis.transAxes.transform((0, 1))[1] - axis.transAxes.transform((0, 0))[1]
    room = 1.3 * lines * size / 72 * axis.figure.dpi / height  # of a name, as a share of the height
    to_share = axis.transData + axis.transAxes.inverted()
    ends = [float(to_share.transform((label.x, label.y))[1]) for label in order]
    for label, place in zip(order, spread(ends, room), strict=True):
        axis.annotate(
            label.text,
            (label.x, label.y),
            (1.025, place),
            textcoords="axes fraction",
            va="center",
            color=label.color,
            arrowprops={
                "arrowstyle": "-",
                "color": label.color,
                "linewidth": 0.6,
                "alpha": 0.6,
                "shrinkA": 1,
                "shrinkB": 2,
                "relpos": (0, 0.5),
            },
            annotation_clip=False,
            **letters,
        )


def spread(places: Sequence[float], room: float) -> list[float]:
    """Rising places moved apart, no further than it takes, so that each has its room between 0 and 1.

    >>> spread([0.5, 0.5], 0.2)
    [0.4, 0.6]
    """
    groups: list[tuple[float, int]] = []  # middle and members of those that lie side by side
    for place in places:
        groups.append((place, 1))
        while len(groups) > 1:
            (low, m), (high, n) = groups[-2:]
            if high - low >= room * (m + n) / 2:
                break
            groups[-2:] = [((low * m + high * n) / (m + n), m + n)]
    found = [middle + room * (k - (count - 1) / 2) for middle, count in groups for k in range(count)]
    for k in range(len(found)):
        found[k] = max(found[k], found[k - 1] + room if k else 0.0)
    for k in reversed(range(len(found))):
        found[k] = min(found[k], found[k + 1] - room if k + 1 < len(found) else 1.0)
    return [round(place, 9) for place in found]
