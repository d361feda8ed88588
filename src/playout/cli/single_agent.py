"""The command `reproduce single-agent`: learners and searches on problems for one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from playout.cli.options import Json, console, print_json, with_settings


def register(reproduce: typer.Typer) -> None:
    """Add the command."""
    example = "Example: playout reproduce single-agent --output single-agent"
    reproduce.command("single-agent", epilog=example)(single_agent)


@with_settings("playout.reproduce.single_agent:SingleAgent")
def single_agent(
    settings: Any,
    output: Annotated[Path, typer.Option(help="The folder of the experiment.", show_default=False)],
    as_json: Json = False,
) -> None:
    """Let Sarsa, actor-critic, Dyna-Q, TD search and Dyna-2 learn a random walk, two mazes and mountain car.

    Writes single-agent.json and single-agent.png; goes on where it stopped.
    """
    from playout.cli.app import _Bar
    from playout.reproduce.single_agent import run

    with _Bar("made", 1) as bar:

        def progress(what: str, done: int, total: int) -> None:
            bar.say(what)
            bar.of(done, total)

        try:
            told = run(output, settings, progress=progress)
        except KeyboardInterrupt:
            bar.stop()
            bar.note(f"stopped; the same command goes on with {output}")
            raise
    if as_json:
        print_json(told)
        return
    _show(told)
    print(f"{output / 'single-agent.json'}, {output / 'single-agent.png'}")


def _show(told: dict[str, Any]) -> None:
    """A table for each problem, with a row for each agent."""
    from rich.table import Table

    for row in told["problems"].values():
        table = Table(box=None, pad_edge=False)
        for title in ("agent", "return", "in the end", "error of values"):
            table.add_column(title, justify="left" if title == "agent" else "right")
        for name, found in row["agents"].items():
            table.add_row(name, *(_of(found[what]) for what in ("all", "last", "error")))
        console().print(f"{row['title']}: {row['best']:.3f} is best", markup=False)
        console().print(table)


def _of(found: dict[str, Any]) -> str:
    return f"{found['mean']:.3f} ± {(found['interval'][1] - found['interval'][0]) / 2:.3f}"
