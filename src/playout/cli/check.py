"""The command that checks somebody's game."""

from __future__ import annotations

import contextlib
from typing import Annotated

import typer

from playout.cli import WRONG_INPUT
from playout.cli.options import Json, console, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: playout check mygame.py")(check)


def check(
    file: Annotated[str, typer.Argument(help="A game's file, or its name.", show_default=False)],
    games: Annotated[int, typer.Option(help="Games in plain Python.", min=1, max=10_000)] = 20,
    seed: Annotated[int, typer.Option(help="Of the random games.", min=0)] = 1,
    as_json: Json = False,
) -> None:
    """Play a game at random, in plain Python and compiled, and say what is wrong with it.

    One sentence a problem, with the function's name. The exit code is 0 if there is none, else 2.
    """
    from playout.games import check as checks

    screen = console(stderr=True, whole=False)
    with screen.status(f"checking {file}") if screen.is_terminal else contextlib.nullcontext():
        report = checks.check(file, games=games, seed=seed)
    if as_json:
        print_json(report.facts())
    elif report.ok:
        print(f"{file} is right: {report.games:,} games in plain Python, {report.compiled_games:,} compiled.")
    else:
        print("\n".join(report.problems))
    if not report.ok:
        raise typer.Exit(WRONG_INPUT)
