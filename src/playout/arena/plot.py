"""Pictures of ratings: points with intervals, and learning curves.

A rating has no zero of its own, so it is a place and not a length: there are no bars.

A learning curve joins players whose names end in a number and are the same before it: ``td-1000``,
``td-20k`` and ``td-1M`` are the curve ``td`` at 1,000, 20,000 and 1,000,000; so are ``mogo:sims=100`` and
``mogo:sims=1000``. Whoever is on no curve is drawn as a level to compare with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from playout.arena.elo import Ratings, Standing
from playout.errors import InputError
from playout.picture import (
    BLUE,
    COLORS,
    GREY,
    LARGE,
    MARKERS,
    NORMAL,
    SMALL,
    Label,
    label_ends,
    line_style,
    new_figure,
    png,
)

KINDS = ("points", "curves", "both")
MAX_LEVELS = 6  # more lines across the curves would hide them
MAX_NAME = 36  # letters of a name
_NUMBERED = re.compile(r"(?P<name>.*?\D)(?P<number>\d+(?:\.\d+)?)(?P<unit>[kKmM]?)")
_UNITS = {"": 1.0, "k": 1e3, "m": 1e6}


@dataclass(frozen=True)
class Curve:
    """Players that differ by a number."""

    name: str
    points: tuple[tuple[float, Standing], ...]  # by rising number


def curve_point(name: str) -> tuple[str, float] | None:
    """The curve that a player's name belongs to, and its place there.

    >>> curve_point("td-20k"), curve_point("mogo:sims=100"), curve_point("gnugo")
    (('td', 20000.0), ('mogo:sims', 100.0), None)
    """
    found = _NUMBERED.fullmatch(name)
    if not found:
        return None
    place = float(found["number"]) * _UNITS[found["unit"].lower()]
    return found["name"].rstrip("-_=: @#") or found["name"], place


def curves(standings: list[Standing]) -> tuple[list[Curve], list[Standing]]:
    """The learning curves of two points or more, and the players on none."""
    found: dict[str, dict[float, Standing]] = {}
    for row in standings:
        if (place := curve_point(row.name)) is not None:
            found.setdefault(place[0], {}).setdefault(place[1], row)
    whole = {name: points for name, points in found.items() if len(points) > 1}
    on_curves = {row.name for points in whole.values() for row in points.values()}
    return (
        [Curve(name, tuple(sorted(points.items()))) for name, points in sorted(whole.items())],
        [row for row in standings if row.name not in on_curves],
    )


def picture(
    ratings: Ratings,
    kind: str | None = None,
    title: str = "",
    groups: Mapping[str, tuple[str, str]] | None = None,
) -> bytes:
    """A PNG: 'points', 'curves' or 'both'; by default both if there are curves.

    groups: by player, the row of points that it stands in, and the kind of player that it is there.
    """
    if kind not in (None, *KINDS):
        raise InputError(f"{kind!r} is no kind of picture; one of {', '.join(KINDS)}")
    standings = [row for row in ratings.standings() if row.known]
    if not standings:
        raise InputError("there is nobody to draw")
    lines, levels = curves(standings)
    if kind in ("curves", "both") and not lines:
        raise InputError(
            "there is no learning curve: it takes players whose names differ by a number at the end, "
            "as in td-1000 and td-2000"
        )
    kind = kind or ("both" if lines else "points")
    rows = {groups[row.name][0] if groups and row.name in groups else row.name for row in standings}
    height = max(2.6, 1.3 + 0.28 * len(rows) * (1.3 if groups else 1))
    if kind == "both":
        figure = new_figure(8, height + 4.5)
        above, below = figure.subplots(2, 1, height_ratios=[4.5, height])
        _draw_points(below, standings, ratings, groups or {})
        _draw_curves(above, lines, levels, ratings.anchors)
    else:
        figure = new_figure(8, height if kind == "points" else 5)
        axes = figure.subplots()
        if kind == "points":
            _draw_points(axes, standings, ratings, groups or {})
        else:
            _draw_curves(axes, lines, levels, ratings.anchors)
    if title:
        figure.suptitle(_plain(title, 80), fontsize=LARGE)
    return png(figure)


def curves_picture(
    lines: Sequence[Curve],
    title: str,
    along: str,
    levels: Sequence[Standing] = (),
    held: Mapping[str, float] | None = None,
) -> bytes:
    """A PNG of learning curves only.

    along: what their numbers are; levels: players to compare with; held: the players that the intervals are
    the distance to, with their ratings.
    """
    figure = new_figure(8, 5)
    axes = figure.subplots()
    axes.set_title(title, fontsize=LARGE)
    _draw_curves(axes, lines, levels, held or {}, along)
    return png(figure)


def _interval_words(held: Mapping[str, float]) -> str:
    """What the intervals are the intervals of."""
    if not held:
        return "95 % intervals of the distance to the mean, which is 0"
    names = " and ".join(f"{_plain(name)}, held at {elo:.0f}" for name, elo in held.items())
    return f"95 % intervals of the distance to {names if len(held) < 3 else 'the anchors (◆)'}"


def _plain(text: str, most: int = MAX_NAME) -> str:
    """A name as it is: matplotlib would read $…$ as mathematics."""
    text = text if len(text) <= most else text[: most - 1] + "…"
    return text.replace("$", r"\$")


def _draw_points(
    axes, standings: list[Standing], ratings: Ratings, groups: Mapping[str, tuple[str, str]]
) -> None:
    """A row for each player, or for those of a group's members that belong together; the best on top."""
    rows: dict[str, list[Standing]] = {}
    for row in standings:
        rows.setdefault(groups[row.name][0] if row.name in groups else row.name, []).append(row)
    kinds = list(dict.fromkeys(kind for _, kind in groups.values()))
    order = sorted(rows, key=lambda name: max(row.elo for row in rows[name]))
    named: set[str] = set()
    for place, name in enumerate(order):
        for row in rows[name]:
            kind = groups[row.name][1] if row.name in groups else ""
            apart = row.name in ratings.anchors or bool(kinds)
            style, shift = _point_style(kinds.index(kind)) if kind else (_APART if apart else _ALONE, 0.0)
            axes.errorbar(
                [row.elo],
                [place + shift],
                xerr=[[row.elo - row.low], [row.high - row.elo]],
                linestyle="none",
                elinewidth=1.2,
                capsize=3,
                label=_plain(kind) if kind and kind not in named else None,
                **style,
            )
            named.add(kind)
    axes.set_yticks(range(len(order)), [_plain(name) for name in order], fontsize=SMALL)
    axes.set_ylim(-0.6, len(order) - 0.4)
    axes.set_xlabel(f"Elo\n{_interval_words(ratings.anchors)}", fontsize=NORMAL)
    axes.tick_params(axis="x", labelsize=SMALL)
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    if kinds:
        axes.legend(fontsize=SMALL, loc="best")


_ALONE: dict[str, object] = {"color": BLUE, "marker": "o", "markersize": 6}
_APART: dict[str, object] = {"color": GREY, "marker": "D", "markersize": 7}  # anchors, and who is of no kind


def _point_style(kind: int) -> tuple[dict[str, object], float]:
    """How points of a kind are drawn, and how far above their row: by shape, filling and colour."""
    color = COLORS[kind % len(COLORS)]
    style = {"color": color, "marker": MARKERS[kind % len(MARKERS)], "markersize": 6}
    return {**style, "markerfacecolor": color if kind % 2 else "white"}, 0.14 - 0.28 * (kind % 2)


def _draw_curves(
    axes,
    lines: Sequence[Curve],
    levels: Sequence[Standing],
    held: Mapping[str, float],
    along: str = "number at the end of the player's name",
) -> None:
    """Rating by number, a line for each curve with its name at its end, and the intervals as a band."""
    labels = []
    for k, curve in enumerate(lines):
        places = [place for place, _ in curve.points]
        rows = [row for _, row in curve.points]
        style = line_style(k)
        axes.plot(places, [row.elo for row in rows], **style)
        axes.fill_between(
            places, [row.low for row in rows], [row.high for row in rows], alpha=0.15, color=style["color"]
        )
        labels.append(Label(places[-1], rows[-1].elo, _plain(curve.name, 24), style["color"]))
    for row in levels[:MAX_LEVELS]:
        axes.axhline(row.elo, linestyle=(0, (1, 2)), linewidth=1.2, color=GREY)
        axes.annotate(
            _plain(row.name),
            (0, row.elo),
            xycoords=("axes fraction", "data"),
            xytext=(3, 2),
            textcoords="offset points",
            fontsize=SMALL,
            color=GREY,
        )
    places = sorted({place for curve in lines for place, _ in curve.points})
    positive = [place for place in places if place > 0]
    if len(positive) > 1 and positive[-1] / positive[0] > 20:
        if places[0] > 0:
            axes.set_xscale("log")
        else:
            axes.set_xscale("symlog", linthresh=positive[0])
    axes.set_xlabel(along, fontsize=NORMAL)
    axes.set_ylabel(f"Elo\n{_interval_words(held)}", fontsize=NORMAL)
    axes.tick_params(labelsize=SMALL)
    axes.grid(alpha=0.3)
    label_ends(axes, labels)
