"""The command `reproduce adjusting`: Figure 1 of Araki et al. (2014)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from playout.cli.options import Force, Json, with_settings


def register(reproduce: typer.Typer) -> None:
    """Put the command beside the other experiments."""
    example = "playout reproduce adjusting --output figure1 --learners adjust,mm"
    reproduce.command("adjusting", epilog=f"Example: {example}")(adjusting)


@with_settings("playout.reproduce.adjusting:Experiment")
def adjusting(
    settings: Any,
    output: Annotated[Path, typer.Option(help="The folder of the experiment.", show_default=False)],
    learners: Annotated[
        str | None,
        typer.Option(
            help="Only these, with commas: adjust, adjust-steps, adjust-margin, regression-adjust, "
            "mm-adjust, mm, regression, balance, uniform.",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[int, typer.Option(help="Learners at a time.", min=1, max=256)] = 1,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Does adjusting find more right moves than learning them? Figure 1 of Araki et al. (2014), and a table.

    What is in the folder is not made again: after Ctrl-C or a kill the same command goes on.
    """
    from playout.cli.app import _Bar, _print_json
    from playout.cli.options import console
    from playout.files import check_output
    from playout.picture import PNG
    from playout.reproduce.adjusting import Figure, chosen
    from playout.reproduce.adjusting_picture import draw

    names = chosen(learners)
    figure = Figure(output, settings, lambda words: print(f"playout: {words}", file=sys.stderr))
    picture = output / "adjusting.png"
    check_output(picture, PNG, force)
    with _Bar("learners", len(names) * settings.splits) as bar:

        def progress(what: str, done: int, wanted: int) -> None:
            bar.say(f"{what}: {done} of {wanted} tests")

        for _ in figure.make(names, threads, progress):
            bar.advance(1)
    draw(figure, picture)
    facts = figure.table()
    if as_json:
        _print_json(facts)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("learner", "right, open", "95 %", "right, closed", "objective, closed"):
        table.add_column(title, justify="left" if title == "learner" else "right", no_wrap=True)
    for name, row in facts.items():
        if name != "differences":
            low, high = row["open"]["interval"]
            interval = f"{low:.1%}–{high:.1%}" if settings.splits > 1 else "one split"
            shares = [f"{row['open']['mean']:.1%}", interval, f"{row['closed']['mean']:.1%}"]
            table.add_row(name, *shares, f"{row['objective']['mean']:.5f}")
    for name, row in facts["differences"].items():
        low, high = row["interval"]
        table.add_row(name, f"{row['mean']:+.1%}", f"{low:+.1%} … {high:+.1%}", "", "")
    console().print(table)
    print(picture)
