"""What commands share: options that mean the same everywhere, and how results are printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

SECONDS_BETWEEN_LINES = 10.0  # of progress, where there is no terminal

Size = Annotated[int, typer.Option(help="Board size, 2 to 19.")]
Komi = Annotated[float, typer.Option(help="White's compensation for moving second.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Events = Annotated[
    list[Path] | None,
    typer.Option(
        help="With --rate: games with other players, as `playout tournament` stores them.",
        show_default=False,
    ),
]


def console(stderr: bool = False) -> Console:
    """Where people read."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def print_json(facts: Any) -> None:
    """Print what machines read."""
    print(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
