"""What commands share: options that mean the same everywhere, and how results are printed."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature, unwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup

from playout.errors import InputError
from playout.settings import describe, names, parse

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
    """Commands that help lists in this order, each with its whole sentence; some with settings as options."""

    def list_commands(self, ctx: Any) -> list[str]:
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        return _whole(found) if hasattr(getattr(found, "callback", None), "of_settings") else found

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


# -- options that are settings ------------------------------------------------------------------------

OPTION_NAMES = {
    "lam": "lambda",
    "exact_nodes": "exact",
}  # a word that Python keeps for itself, and a short one


def with_settings(where: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command whose options are, beside its own, the settings of a dataclass: its argument `settings`.

    where: MODULE:CLASS. It is imported when the command is run or asked for help, and not before.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        own = [p for p in signature(function).parameters.values() if p.name != "settings"]

        @wraps(function)
        def command(**given: Any) -> None:
            raise AssertionError("it takes its settings")

        command.__signature__ = Signature(own)  # type: ignore[attr-defined]
        command.of_settings = where  # type: ignore[attr-defined]
        return command

    return decorate


def _whole(command: Any) -> Any:
    """A command with the options that are settings."""
    where, function = command.callback.of_settings, unwrap(command.callback)
    module, _, name = where.partition(":")
    kind = getattr(import_module(module), name)
    hints, told = get_type_hints(kind), describe(kind)
    parameters = [
        p.replace(annotation=hint)
        for p in signature(function).parameters.values()
        if p.name != "settings" and (hint := get_type_hints(function, include_extras=True)[p.name])
    ]
    for field in dataclasses.fields(kind):
        flag = f"--{OPTION_NAMES.get(field.name, field.name).replace('_', '-')}"
        flags = f"{flag}/--no-{flag[2:]}" if hints[field.name] is bool else flag
        first, meaning = field.metadata["help"][0], field.metadata["help"][1:]
        meaning = (first.upper() if first.isascii() else first) + meaning  # λ stays small
        option = typer.Option(flags, help=f"{meaning} [{told[field.name]['values']}].")
        annotated: Any = Annotated
        annotation = annotated[hints[field.name], option]
        parameters.append(
            Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=annotation)
        )

    def call(**given: Any) -> None:
        own = {key: given.pop(key) for key in names(kind)}
        function(settings=parse(kind, own, command.name), **given)

    call.__signature__ = Signature(  # type: ignore[attr-defined]
        [p.replace(kind=Parameter.KEYWORD_ONLY) for p in parameters]
    )
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    call.__doc__ = function.__doc__
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(command.name, epilog=command.epilog)(call)
    return typer.main.get_command(alone)
