"""The command that looks at a game move by move."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.options import Json, console, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from playout.analysis import GameAnalysis, MoveAnalysis

SHOWN = 7  # moves of a line in a table: what 80 columns hold


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: playout analyse game.sgf --player mogo:sims=10000 --threads 2")(analyse)


def analyse(
    file: Annotated[
        Path, typer.Argument(help="A game record: SGF; of backgammon also .mat.", show_default=False)
    ],
    player: Annotated[
        str | None,
        typer.Option(
            help="Whose searches these are: a player spec.",
            show_default="mogo:sims=3000; backgammon td; else uct:sims=3000",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            help="A folder for the results: graph.png, game.sgf with comments and better lines, "
            "analysis.json; and for the searches, so that the same command goes on.",
            show_default="GAME-analysis",
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option(help="Which game of a file that has several.", show_default="1; backgammon: all"),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(help="Which game it is of: a name or a file.", show_default="what the file says"),
    ] = None,
    threads: Annotated[int, typer.Option(help="Positions that are searched at the same time.", min=1)] = 1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same analysis.", min=0)] = 1,
    worst: Annotated[int, typer.Option(help="How many of each side's worst moves to show.", min=0)] = 5,
    as_json: Json = False,
) -> None:
    """Look at a game move by move: who was ahead when, the worst moves, and what was better.

    A move's value is the chance to win of the player who made it, after it; its loss is how much higher the
    chance was after the best move. Both are found by searches of their own, with as many simulations. Ctrl-C
    or a kill loses the positions under way: the same command goes on where it stopped.

    In backgammon values are points (equity) in units of the cube, in a match normalised to it. Plays,
    doubles, rolls without a double, takes and passes are looked at, and the luck of rolls, in all games of a
    match.
    """
    from rich.text import Text

    from playout.analysis import analyse as look_at
    from playout.analysis import read
    from playout.cli.app import _Bar

    record = read(file, game, number)
    place = Path(f"{file.stem}-analysis") if output is None else output
    with _Bar("moves", max(1, record.moves)) as bar:
        bar.say(file.name)
        for remark in record.remarks:
            bar.note(remark)
        try:
            found = look_at(record, player, seed=seed, threads=threads, folder=place, progress=bar.of)
        except KeyboardInterrupt:
            bar.stop()
            bar.note(f"stopped; the same command goes on with {place}")
            raise
        bar.stop()
    if as_json:
        print_json(found.facts())
        return
    screen = console()
    for number in range(1, len(found.seats) + 1):
        screen.print(Text(side_sentence(found, number), "bold"))
        if shown := found.worst(number, worst):
            screen.print(worst_table(shown))
        elif worst:
            less = "0.02 points or more" if found.in_points else f"{found.least:.0%} or more: less is noise"
            screen.print(f"None of these moves lost {less}.")
        screen.print()
    names = ", ".join(sorted(path.name for path in place.iterdir()))
    screen.print(f"in {place}: {names}", markup=False)


def side_sentence(found: GameAnalysis, player: int) -> str:
    """How a player did."""
    mine, name = found.of(player), found.names[player - 1] if found.names else ""
    who = f"{found.seats[player - 1]} ({name})" if name else found.seats[player - 1]
    if not mine:
        return f"{who} made no move."
    if found.in_points:
        return f"{who}: {_decisions_sentence(found, player)}"
    best = sum(move.move == move.best for move in mine)
    lost = sum(move.loss for move in mine) / len(mine)
    return f"{who}: {best} of {len(mine)} moves the best known, {lost:.1%} lost a move"


def _decisions_sentence(found: GameAnalysis, player: int) -> str:
    """How a player did in a game with dice and points."""
    from playout.analysis.results import mean_loss

    parts = []
    for kind, made in found.decisions_of(player).items():
        if made:
            errors = sum(move.loss >= found.least for move in made)
            what = "plays" if kind == "plays" else "decisions with the cube"
            parts.append(f"{len(made)} {what}, {errors} errors, {mean_loss(made):.4f} points lost each")
    luck = found.luck_of(player)
    if luck is not None:
        parts.append(f"luck {luck:+.3f}")
    return "; ".join(parts) or "no decision"


def worst_table(moves: list[MoveAnalysis]) -> Table:
    """A player's worst moves, with the player's chance after each, and what was better."""
    from rich.table import Table
    from rich.text import Text

    from playout.analysis.notes import outlook

    table = Table(box=None, pad_edge=False)
    table.add_column("move", no_wrap=True)
    table.add_column("lost", justify="right", no_wrap=True)
    if all(move.in_points for move in moves):
        return _points_table(table, moves)
    table.add_column("chance (lead)", no_wrap=True)
    table.add_column("better", no_wrap=True)
    table.add_column("then", no_wrap=True)
    table.add_column("the line", overflow="fold")
    for move in moves:
        table.add_row(
            Text(f"{move.number} {move.move}"),
            f"{move.loss:.1%}",
            outlook(move.value, move.score),
            Text(move.best),
            outlook(move.best_value, move.best_score),
            Text(" ".join(move.line[:SHOWN])),
        )
    return table


def _points_table(table: Table, moves: list[MoveAnalysis]) -> Table:
    """The same where values are points."""
    from rich.text import Text

    several = len({move.part for move in moves}) > 1
    table.add_column("equity", justify="right", no_wrap=True)
    table.add_column("better", overflow="fold")
    table.add_column("then", justify="right", no_wrap=True)
    for move in moves:
        place = f"game {move.part}, " if several else ""
        table.add_row(
            Text(f"{place}{move.number} {move.words}"),
            f"{move.loss:.3f}",
            f"{move.value:+.3f}",
            Text(move.best),
            f"{move.best_value:+.3f}",
        )
    return table
