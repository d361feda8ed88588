"""The commands `reproduce tuner` and `reproduce races`: the tuner on a fitness that is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from playout.cli.options import Force, Json, console, print_json, with_settings


def register(reproduce: typer.Typer) -> None:
    """Add the commands."""
    reproduce.command("tuner", epilog="Example: playout reproduce tuner --output tuner-figures")(tuner)
    reproduce.command("races", epilog="Example: playout reproduce races --batch 50 --output races.png")(races)


@with_settings("playout.reproduce.tuner:TunerFigures")
def tuner(
    settings: Any,
    output: Annotated[Path, typer.Option(help="The folder of the experiment.", show_default=False)],
    as_json: Json = False,
) -> None:
    """Draw Figures 3 and 4 of Chaslot et al. (2008) on a known fitness, with racing; and try other tuners.

    Writes tuner.json, figure-3.png and figure-4.png; goes on where it stopped.
    """
    from playout.cli.app import _Bar
    from playout.reproduce.tuner import run

    with _Bar("tunings", 1) as bar:

        def progress(what: str, done: int, total: int) -> None:
            bar.say(what)
            bar.of(done, total)

        try:
            told = run(output, settings, progress)
        except KeyboardInterrupt:
            bar.stop()
            bar.note(f"stopped; the same command goes on with {output}")
            raise
    if as_json:
        print_json(told)
        return
    _show(told)
    print(f"{output / 'tuner.json'}, {output / 'figure-3.png'}, {output / 'figure-4.png'}")


def _show(told: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("tuning", "games", "95 % of the gain after", "samples win", "returned wins", "95 %"):
        table.add_column(title, justify="left" if title == "tuning" else "right")
    for name, row in told["kinds"].items():
        after = "–" if row["games_to_reach"] is None else f"{row['games_to_reach']:,.0f}"
        table.add_row(
            name,
            f"{row['games']:,.0f}",
            after,
            f"{row['samples']:.1%}",
            f"{row['returned']:.1%}",
            _between(row["returned_interval"]),
        )
    console().print(table)
    print(f"samples win {told['first']:.1%} at first, the optimum {told['top']:.1%}")


def _between(interval: list[float] | None) -> str:
    return "–" if interval is None else f"{interval[0]:.1%} – {interval[1]:.1%}"


@with_settings("playout.reproduce.races:Races")
def races(
    settings: Any,
    output: Annotated[Path | None, typer.Option(help="Where the picture goes.", show_default=False)] = None,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Run races on the games of full batches, on a known fitness: what they save, and which elite they find.

    One of them is told the chances of all samples: what it needs, others will hardly do without.
    """
    from rich.table import Table

    from playout.cli.app import _Bar
    from playout.files import check_output, write_bytes
    from playout.picture import PNG
    from playout.reproduce.races import measure, picture

    if output is not None:
        check_output(output, PNG, force)
    with _Bar("generations", settings.repeats * settings.generations) as bar:
        found = measure(settings, bar.advance)
    if output is not None:
        write_bytes(output, picture(found, settings), PNG, force)
    if as_json:
        print_json(found)
        return
    table = Table(box=None, pad_edge=False)
    for title in (
        "race",
        "games",
        "before 95 % of the gain",
        "another elite",
        "95 %",
        "elite wins more",
        "95 %",
    ):
        is_name = title == "race"
        table.add_column(title, justify="left" if is_name else "right", no_wrap=is_name)
    for name, row in found["kinds"].items():
        early = "–" if row["games_early"] is None else f"{row['games_early']:.1%}"
        low, high = row["gain_interval"]
        table.add_row(
            name,
            f"{row['games']:.1%}",
            early,
            f"{row['other']:.1%}",
            _between(row["other_interval"]),
            f"{row['gain']:+.3%}",
            f"{low:+.3%} – {high:+.3%}",
        )
    console().print(table)
