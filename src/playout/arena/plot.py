"""Pictures of ratings: bars with intervals, and learning curves.

A learning curve joins players whose names end in a number and are the same before it: ``td-1000``,
``td-20k`` and ``td-1M`` are the curve ``td`` at 1,000, 20,000 and 1,000,000; so are ``mogo:sims=100`` and
``mogo:sims=1000``. Whoever is on no curve is drawn as a level to compare with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from playout.arena.elo import Ratings, Standing
from playout.errors import InputError
from playout.picture import new_figure, png

KINDS = ("bars", "curves", "both")
MAX_LEVELS = 6  # more lines across the curves would hide them
MAX_NAME = 36  # letters of a name under a bar
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


def picture(ratings: Ratings, kind: str | None = None, title: str = "") -> bytes:
    """A PNG: 'bars', 'curves' or 'both'; by default both if there are curves."""
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
    kind = kind or ("both" if lines else "bars")
    height = max(2.6, 1.3 + 0.28 * len(standings))
    if kind == "both":
        figure = new_figure(8, height + 4.5)
        above, below = figure.subplots(2, 1, height_ratios=[4.5, height])
        _draw_curves(above, lines, levels)
        _draw_bars(below, standings, ratings)
    else:
        figure = new_figure(8, height if kind == "bars" else 5)
        axes = figure.subplots()
        if kind == "bars":
            _draw_bars(axes, standings, ratings)
        else:
            _draw_curves(axes, lines, levels)
    if title:
        figure.suptitle(_plain(title, 80), fontsize=11)
    return png(figure)


def curves_picture(lines: Sequence[Curve], title: str, along: str, levels: Sequence[Standing] = ()) -> bytes:
    """A PNG of learning curves only. along: what their numbers are; levels: players to compare with."""
    figure = new_figure(8, 5)
    axes = figure.subplots()
    _draw_curves(axes, lines, levels, along)
    axes.set_title(title, fontsize=11)
    return png(figure)


def _plain(text: str, most: int = MAX_NAME) -> str:
    """A name as it is: matplotlib would read $…$ as mathematics."""
    text = text if len(text) <= most else text[: most - 1] + "…"
    return text.replace("$", r"\$")


def _draw_bars(axes, standings: list[Standing], ratings: Ratings) -> None:
    """A bar for each player, best on top, with its interval."""
    rows = standings[::-1]
    low = min(row.low for row in rows)
    high = max(row.high for row in rows)
    room = 0.05 * max(1.0, high - low)
    # A length from nowhere means nothing: bars begin at 0, or just below the worst where all are far from it.
    base = 0.0 if low - 4 * room <= 0 <= high + 4 * room else low - room if low > 0 else high + room
    colors = ["#7f7f7f" if row.name in ratings.anchors else "#4c72b0" for row in rows]
    places = range(len(rows))
    axes.barh(places, [row.elo - base for row in rows], left=base, color=colors, height=0.62)
    axes.errorbar(
        [row.elo for row in rows],
        places,
        xerr=[[row.elo - row.low for row in rows], [row.high - row.elo for row in rows]],
        fmt="none",
        ecolor="black",
        elinewidth=1.1,
        capsize=3,
    )
    axes.set_yticks(places, [_plain(row.name) for row in rows], fontsize=8)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlim(base if base < low else low - room, base if base > high else high + room)
    anchored = f" (grey: held at {', '.join(f'{elo:g}' for elo in sorted(set(ratings.anchors.values())))})"
    axes.set_xlabel("Elo, 95 % intervals" + (anchored if ratings.anchors else ""))
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)


def _draw_curves(
    axes,
    lines: Sequence[Curve],
    levels: Sequence[Standing],
    along: str = "number at the end of the player's name",
) -> None:
    """Rating by number, a line for each curve, with the intervals as a band."""
    for curve in lines:
        places = [place for place, _ in curve.points]
        rows = [row for _, row in curve.points]
        (drawn,) = axes.plot(places, [row.elo for row in rows], marker="o", label=_plain(curve.name))
        axes.fill_between(
            places, [row.low for row in rows], [row.high for row in rows], alpha=0.2, color=drawn.get_color()
        )
    for row in levels[:MAX_LEVELS]:
        axes.axhline(row.elo, linestyle="--", linewidth=1, color="grey")
        axes.annotate(
            _plain(row.name),
            (1, row.elo),
            xycoords=("axes fraction", "data"),
            xytext=(-3, 2),
            textcoords="offset points",
            ha="right",
            fontsize=7,
            color="dimgrey",
        )
    places = sorted({place for curve in lines for place, _ in curve.points})
    positive = [place for place in places if place > 0]
    if len(positive) > 1 and positive[-1] / positive[0] > 20:
        if places[0] > 0:
            axes.set_xscale("log")
        else:
            axes.set_xscale("symlog", linthresh=positive[0])
    axes.set_xlabel(along)
    axes.set_ylabel("Elo, 95 % intervals")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="best")
