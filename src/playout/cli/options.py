"""What commands share: options that mean the same everywhere, and how results are printed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from playout.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

ENDLESS = 100_000  # letters of a line
SECONDS_BETWEEN_LINES = 10.0  # of progress, where there is no terminal

Size = Annotated[int, typer.Option(help="Board size, 2 to 19.")]
Game = Annotated[
    str, typer.Option("--game", help="A game by its name (playout games lists them), or a file: mygame.py.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="KEY=VALUE: an option of the game; may be given again.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that is not ours.")]
Events = Annotated[
    list[Path] | None,
    typer.Option(
        help="With --rate: games with other players, as `playout tournament` stores them.",
        show_default=False,
    ),
]


# Commands in the order in which people meet them; others follow.
ORDER = (
    *("play", "players", "games", "match", "tournament", "tune", "rate", "plot", "suite", "sgf", "analyse"),
    *("rollout", "solve", "check", "gtp", "cgos", "ubgi"),
    *("train", "show", "data", "problems", "reproduce", "bench", "warmup"),
)


class Commands(TyperGroup):
    """Commands that help lists in this order, each with its whole sentence."""

    def list_commands(self, ctx: Any) -> list[str]:
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = [(name, self.commands[name].get_short_help_str(1000)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def game_options(words: list[str] | None, **named: object) -> dict[str, object]:
    """Options of a game from the command line: those that have a flag, where given, and those of --set."""
    found = {key: value for key, value in named.items() if value is not None}
    for word in words or ():
        key, equals, value = word.partition("=")
        if not equals or not key.strip():
            raise InputError(f"--set {word[:40]!r} is not KEY=VALUE")
        if key.strip() in found:
            raise InputError(f"option {key.strip()!r} of the game is given twice")
        found[key.strip()] = value.strip()
    return found


def console(stderr: bool = False, whole: bool = True) -> Console:
    """Where people read. whole: lines are as long as they need where no terminal has a width."""
    from rich.console import Console

    screen = Console(stderr=stderr, highlight=False)
    if whole and not screen.is_terminal and "COLUMNS" not in os.environ:
        screen.width = ENDLESS
    return screen


def print_json(facts: Any) -> None:
    """Print what machines read."""
    print(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
