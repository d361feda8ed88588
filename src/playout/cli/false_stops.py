"""The command `reproduce false-stops`: how often rollouts drop the best candidate."""

from __future__ import annotations

from typing import Annotated

import typer

from playout.cli.options import Json, console, print_json


def register(reproduce: typer.Typer) -> None:
    """Add the command."""
    example = "Example: playout reproduce false-stops --decisions 2000"
    reproduce.command("false-stops", epilog=example)(false_stops)


def false_stops(
    decisions: Annotated[int, typer.Option(help="Simulated decisions of each kind.", min=1)] = 2000,
    trials: Annotated[int, typer.Option(help="Trials of a candidate at most.", min=36)] = 5000,
    confidence: Annotated[float, typer.Option(help="What our rule promises.", min=0.5, max=0.999999)] = 0.95,
    seed: Annotated[int, typer.Option(help="Makes it repeatable.", min=0)] = 1,
    as_json: Json = False,
) -> None:
    """Simulate decisions whose true values are known, and count how often the best candidate is dropped.

    By our rule for rollouts, which promises a rate however often it looks, and on the same trials by GNU
    Backgammon's, which drops a candidate that is 2.5 joint standard deviations behind, as if it looked once.
    """
    from rich.table import Table

    from playout.cli.app import _Bar
    from playout.reproduce.false_stops import KINDS, FalseStops, measure

    found = {}
    with _Bar("decisions", decisions * len(KINDS)) as bar:
        for kind, changes in KINDS.items():
            bar.say(kind)
            settings = FalseStops(
                **{
                    "decisions": decisions,
                    "trials": trials,
                    "confidence": confidence,
                    "seed": seed,
                    **changes,
                }
            )
            found[kind] = measure(settings, bar.advance)
    if as_json:
        print_json({kind: [rate.facts() for rate in rates] for kind, rates in found.items()})
        return
    table = Table(box=None, pad_edge=False)
    for title in ("decisions", "rule", "false stops", "95 %", "decided", "trials"):
        table.add_column(title, justify="left" if title in ("decisions", "rule") else "right")
    for kind, rates in found.items():
        for rate in rates:
            low, high = rate.interval
            table.add_row(
                kind if rate is rates[0] else "",
                rate.rule,
                f"{rate.rate:.2%}",
                f"{low:.1%} – {high:.1%}",
                f"{rate.decided / rate.decisions:.0%}",
                f"{rate.trials:,.0f}",
            )
    console().print(table)
