"""The command `reproduce td-search`: the matches of chapters 6 and 7 of Silver (2009)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.options import Force, Json


def register(reproduce: typer.Typer) -> None:
    """Put the command beside the other experiments."""
    reproduce.command(
        "td-search", epilog="Example: playout reproduce td-search --output td --figure uct --threads 2"
    )(td_search)


def td_search(
    output: Annotated[Path, typer.Option(help="The folder of the matches and pictures.", show_default=False)],
    figure: Annotated[
        list[str] | None,
        typer.Option(
            help="Only these: uct, no-policy, switch, shapes, step-size, exploration, lambda, lag, reset, "
            "boards, memories, hybrid, step-rules, explorers, features.",
            show_default=False,
        ),
    ] = None,
    point: Annotated[
        list[str] | None,
        typer.Option(help="Of these only the points of this label, such as 500.", show_default=False),
    ] = None,
    games: Annotated[int, typer.Option(help="Games of each match.", min=2)] = 200,
    threads: Annotated[int, typer.Option(help="Games at once.", min=1)] = 1,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Play the matches behind Figures 6.1 to 6.8, 7.3 and 7.4 and section 10, and draw each figure.

    All of them take days of one core; choose with --figure. The games are kept: the same command goes on
    where it was stopped, and more --games add to them.
    """
    from rich.table import Table

    from playout.cli.app import _Bar, _print_json
    from playout.cli.options import console
    from playout.files import check_output, make_folder
    from playout.picture import PNG
    from playout.reproduce.td_search import draw, figures, play

    chosen = figures(figure or (), point or ())
    pictures = {name: output / f"td-{name}.png" for name in chosen}
    make_folder(output)
    for path in pictures.values():
        check_output(path, PNG, force)
    found = {}
    with _Bar("games", games * sum(len(each.duels) for each in chosen.values())) as bar:

        def progress(label: str) -> None:
            bar.say(label)
            bar.advance(1)

        for name in chosen:
            found[name] = play(name, chosen[name], output, games, threads, progress)
            draw(chosen[name], found[name], pictures[name], force=True)
    if as_json:
        _print_json({name: [point.facts() for point in points] for name, points in found.items()})
        return
    for name, points in found.items():
        table = Table(title=f"{name} ({chosen[name].section}): {chosen[name].title}", box=None)
        for title in (chosen[name].varied, "won", "lost", "score", "95 %", "Elo"):
            table.add_column(title, justify="right")
        for match in points:
            result = match.result
            low, high = result.interval
            table.add_row(
                match.duel.label,
                str(result.a_wins),
                str(result.b_wins),
                "–" if result.score is None else f"{100 * result.score:.1f} %",
                f"{100 * low:.0f} – {100 * high:.0f}",
                f"{result.elo:+.0f} ± {result.elo_margin:.0f}",
            )
        console().print(table)
        print(pictures[name])
