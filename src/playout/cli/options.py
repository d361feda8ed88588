"""What commands share: options that mean the same everywhere, and how results are printed."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature, unwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast, get_origin, get_type_hints

import typer
from typer.core import TyperGroup

from playout.errors import InputError
from playout.settings import names, parse, values_of

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")
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

# In place of fields' names: a word that Python keeps for itself, and what people say.
OPTION_NAMES = {"lam": "lambda", "exact_nodes": "exact", "side": "size"}


def with_settings(where: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command whose options are, beside its own, the settings of a dataclass: its argument `settings`.

    Settings that are themselves a dataclass of settings are options each.

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
    parameters = [
        p.replace(annotation=hint)
        for p in signature(function).parameters.values()
        if p.name != "settings" and (hint := get_type_hints(function, include_extras=True)[p.name])
    ]
    parameters += _parameters(kind)

    def call(**given: Any) -> None:
        function(settings=_parsed(kind, given, command.name), **given)

    call.__signature__ = Signature(  # type: ignore[attr-defined]
        [p.replace(kind=Parameter.KEYWORD_ONLY) for p in parameters]
    )
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    call.__doc__ = function.__doc__
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(command.name, epilog=command.epilog)(call)
    return typer.main.get_command(alone)


def _parameters(kind: type) -> Iterator[Parameter]:
    """The settings of a dataclass as a command's parameters."""
    hints = get_type_hints(kind)
    for field in dataclasses.fields(kind):
        hint, default = hints[field.name], cast(Any, field.default)
        if dataclasses.is_dataclass(hint):
            yield from _parameters(cast(type, hint))
            continue
        flag = f"--{OPTION_NAMES.get(field.name, field.name).replace('_', '-')}"
        flags = f"{flag}/--no-{flag[2:]}" if hint is bool else flag
        first, meaning = field.metadata["help"][0], field.metadata["help"][1:]
        meaning = (first.upper() if first.isascii() else first) + meaning  # λ stays small
        option = typer.Option(flags, help=f"{meaning} [{values_of(field, hint)}].")
        if get_origin(hint) is tuple:
            hint, default = str, ",".join(map(str, default))
        annotated: Any = Annotated
        yield Parameter(
            field.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotated[hint, option]
        )


def _parsed(kind: type[T], given: dict[str, Any], owner: str) -> T:
    """Settings out of what a command was given, which is then without them."""
    hints = get_type_hints(kind)
    parts = {
        name: _parsed(hints[name], given, owner)
        for name in names(kind)
        if dataclasses.is_dataclass(hints[name])
    }
    own = parse(kind, {name: given.pop(name) for name in names(kind) if name not in parts}, owner)
    return dataclasses.replace(own, **parts) if parts else own  # type: ignore[type-var]
