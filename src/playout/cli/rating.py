"""The commands for what games have shown: ratings and their pictures."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.options import ENDLESS, Force, Json, console, print_json
from playout.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from playout.arena.elo import Ratings
    from playout.arena.results import Results

MANY = 12  # players; the cross-table of more is only shown when asked for
MAX_NAME = 24  # letters of a name in the cross-table

Runs = Annotated[
    list[Path],
    typer.Argument(
        help="The runs of events, or CSV files or JSON lines with black, white, score.", show_default=False
    ),
]
Anchor = Annotated[
    list[str] | None,
    typer.Option(
        help="NAME=ELO: a rating that is known; may be given again. 'none': hold nobody.", show_default=False
    ),
]
Prior = Annotated[float, typer.Option(help="Drawn games that each player is given.")]
FirstMove = Annotated[bool, typer.Option(help="Allow for an advantage of the first move.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(epilog="Example: playout rate event.db --anchor gnugo=1800")(rate)
    app.command(epilog="Example: playout plot event.db --output curves.png --kind curves")(plot)


def rate(
    runs: Runs,
    anchor: Anchor = None,
    prior: Prior = 1.0,
    first_move: FirstMove = True,
    cross: Annotated[
        bool | None,
        typer.Option(help="Who scored what against whom; by default among few.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Rate the players of an event, or of several together.

    Bradley–Terry with draws and a first-move term; 95 % intervals. Anchors come from --anchor, else from the
    event, else GNU Go level 10 is 1800, and where there is no anchor the mean is 0. LOS: the likelihood that
    a player is better than the next one in the table.
    """
    results, ratings = _rated(runs, anchor, prior, first_move)
    if as_json:
        facts = ratings.facts()
        for row in facts["players"]:
            row["spec"] = results.players.get(row["name"]) or row["name"]
        print_json({**facts, "uncounted": results.uncounted})
        return
    screen = console()
    screen.print(ratings_table(ratings))
    if cross if cross is not None else 2 < len(ratings.players) <= MANY:
        screen.print()
        screen.print(cross_table(ratings, screen.width))
    screen.print()
    for line in _notes(ratings, results):
        screen.print(line, markup=False, soft_wrap=True)


def plot(
    runs: Runs,
    output: Annotated[
        Path | None,
        typer.Option(help="The PNG; by default beside the first run, named like it.", show_default=False),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="points, curves or both; by default both where there are curves.", show_default=False
        ),
    ] = None,
    anchor: Anchor = None,
    prior: Prior = 1.0,
    first_move: FirstMove = True,
    force: Force = False,
) -> None:
    """Draw the ratings of an event as a PNG: points, and learning curves, with 95 % intervals.

    Players whose names end in a number and are the same before it make a curve: td-1000, td-20k, td-1M; or
    mogo:sims=100, mogo:sims=1000. Others are levels to compare with.
    """
    from playout.arena.plot import picture
    from playout.files import check_output, write_bytes
    from playout.picture import PNG

    if output is not None and output.suffix.lower() != ".png":
        raise InputError(f"the picture is a PNG: {str(output)!r} should end in .png")
    if output is not None:
        check_output(output, PNG, force)
    _, ratings = _rated(runs, anchor, prior, first_move)
    target = output if output is not None else runs[0].with_suffix(".png")
    if target.resolve() in [run.resolve() for run in runs]:
        raise InputError(f"{str(target)!r} cannot be the picture: that is something else already")
    write_bytes(target, picture(ratings, kind, title=", ".join(run.name for run in runs)), PNG, force)
    print(target)


def _rated(
    runs: list[Path], anchor: list[str] | None, prior: float, first_move: bool
) -> tuple[Results, Ratings]:
    from playout.arena import elo
    from playout.arena.results import load_all

    results = load_all(runs)
    if not results.games:
        raise InputError(f"{', '.join(map(repr, map(str, runs)))}: there is no game yet that counts")
    if anchor is not None:
        anchors = _anchors(anchor)
    else:
        anchors = results.anchors or elo.default_anchors(results.players)
    return results, elo.rate(
        results.games, players=list(results.players), anchors=anchors, prior=prior, first_move=first_move
    )


def _anchors(words: list[str]) -> dict[str, float]:
    """NAME=ELO, where the name may have an = in it."""
    if words == ["none"]:
        return {}
    anchors = {}
    for word in words:
        name, _, number = word.rpartition("=")
        try:
            anchors[name.strip()] = float(number)
        except ValueError:
            name = ""
        if not name.strip() or not math.isfinite(anchors[name.strip()]):
            raise InputError(f"--anchor {word!r} is not NAME=ELO, as in gnugo=1800")
    return anchors


def ratings_table(ratings: Ratings) -> Table:
    """The players, best first."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("", justify="right", style="dim")
    table.add_column("player", overflow="fold")
    for title in ("Elo", "±", "games", "score", "won–drawn–lost", "LOS"):
        table.add_column(title, justify="right", no_wrap=True)
    rows = ratings.standings()
    for place, row in enumerate(rows, 1):
        below = rows[place].name if place < len(rows) and rows[place].known else None
        table.add_row(
            str(place),
            Text(row.name),
            f"{row.elo:.0f}" if row.known else "unknown",
            "anchor" if row.name in ratings.anchors else f"{row.high - row.elo:.0f}" if row.known else "",
            str(row.games),
            f"{row.points / row.games:.1%}" if row.games else "–",
            f"{row.wins}–{row.draws}–{row.losses}",
            f"{ratings.superiority(row.name, below):.1%}" if below is not None else "",
        )
    return table


def cross_table(ratings: Ratings, width: int) -> Table:
    """What each player (a row) scored against each other one (a column, by its place).

    Points of games where the width allows it, else the share of the points.
    """
    from rich.table import Table
    from rich.text import Text

    rows = ratings.standings()
    scores = [[ratings.score(row.name, other.name) for other in rows] for row in rows]
    plain = [[f"{points:g}/{games}" for points, games in line] for line in scores]
    longest = max(len(cell) for line in plain for cell in line)
    names = max(len(row.name) for row in rows)
    names = names if width >= ENDLESS else min(MAX_NAME, names)
    is_wide = (longest + 2) * len(rows) + names + 6 <= width
    table = Table(box=None, pad_edge=False)
    table.add_column("", justify="right", style="dim", no_wrap=True)
    table.add_column("player", overflow="fold", max_width=names)
    for place in range(1, len(rows) + 1):
        table.add_column(str(place), justify="right", no_wrap=True)
    for place, row in enumerate(rows, 1):
        cells = []
        for k, (points, games) in enumerate(scores[place - 1]):
            score = plain[place - 1][k] if is_wide else f"{points / max(1, games):.0%}"
            cells.append("·" if k == place - 1 else score if games else "–")
        table.add_row(str(place), Text(row.name), *cells)
    return table


def _notes(ratings: Ratings, results: Results) -> list[str]:
    """What is to be known beside the table."""
    games = int(ratings.games.sum())
    lines = [
        f"{games} game{'s' if games != 1 else ''}"
        + (f", and {results.uncounted} that do not count (void, copies, late)" if results.uncounted else "")
        + f"; first move {ratings.first_move:+.0f} ± {ratings.first_move_error:.0f} Elo"
        + (f"; {ratings.draw_rate:.0%} draws between equals" if ratings.draw_rate else "")
    ]
    if ratings.anchors:
        held = ", ".join(f"{name} = {elo:g}" for name, elo in ratings.anchors.items())
        lines.append(
            f"held: {held}; intervals are of the distance to {'it' if len(ratings.anchors) == 1 else 'them'}"
        )
    else:
        lines.append("the mean rating is 0")
    return lines
