"""The command `show search`: what a temporal-difference search has learnt about a position."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.options import Force, Json, console, print_json
from playout.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from playout.games.go.board import Board
    from playout.games.go.insight import Insight, PlacedShape

SIZE, KOMI, SEED = 9, 7.5, 1


def register(show: typer.Typer) -> None:
    """Add the command."""
    show.command(
        epilog="Example: playout show search game.sgf --move 30 --player dyna2:sims=2000 --output search.png"
    )(search)


def search(
    file: Annotated[
        Path | None, typer.Argument(help="A game record.", show_default="the empty board")
    ] = None,
    player: Annotated[str, typer.Option(help="Who searches: td-search, dyna2 or rlgo.")] = "dyna2",
    move: Annotated[
        int | None, typer.Option(help="The position after so many moves.", show_default="the last")
    ] = None,
    number: Annotated[
        int | None,
        typer.Option("--game", help="Which game of a file that has several.", show_default="the first"),
    ] = None,
    size: Annotated[int | None, typer.Option(help="The size of the empty board.", show_default="9")] = None,
    komi: Annotated[
        float | None, typer.Option(help="Another komi.", show_default="the file's, or 7.5")
    ] = None,
    top: Annotated[
        int, typer.Option(help="Moves in the table, and shapes by each memory.", min=1, max=100)
    ] = 8,
    everywhere: Annotated[
        bool, typer.Option("--all", help="The heaviest of all shapes, and not only of those on the board.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="The same seed gives the same search.", min=0, show_default="1")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="The PNG to write.", show_default="GAME-search.png; none with --json"),
    ] = None,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Look inside a search: the value of every move, and the shapes that it comes from.

    Each by the long-term memory, by the short-term memory that the search has learnt, and by their sum. A
    move's value is the mover's chance to win; a shape's weight is above 0 where it is good for Black. Ctrl-C
    ends the search, and what it has learnt is shown.
    """
    from playout.cli.waiting import waiting
    from playout.files import check_output
    from playout.games.go.insight import look_inside
    from playout.picture import PNG
    from playout.player.api import moves_on_interrupt
    from playout.player.registry import build, split_spec

    name, values = split_spec(player)
    if seed is not None and "seed" in values:
        raise InputError("the seed is given twice: in --player and in --seed")
    values.setdefault("seed", str(SEED if seed is None else seed))
    if output is None and not as_json:
        output = Path("search.png" if file is None else f"{file.stem}-search.png")
    if output is not None:
        check_output(output, PNG, force)
    searcher = build(name, values)
    with waiting(console(stderr=True), lambda: f"{player} searches"):
        board, words = _position(file, number, move, size, komi)
        with moves_on_interrupt(searcher):
            found = look_inside(board, searcher, top)
    everywhere = everywhere or not found.standing  # nothing stands on an empty board
    if as_json:
        print_json({"position": words, **found.as_json(top)})
    else:
        _print(found, words, top, everywhere)
    if output is not None:
        from playout.search_plot import draw_search

        picture = draw_search(found, output, words, top, everywhere, force)
        print(picture, file=sys.stderr if as_json else sys.stdout)


def _position(
    file: Path | None, number: int | None, move: int | None, size: int | None, komi: float | None
) -> tuple[Board, str]:
    """The board that is searched, and what it is in words."""
    from playout.cli.record import position_of
    from playout.games.go.board import Board

    if file is None:
        if move is not None or number is not None:
            raise InputError("--move and --game are for a file: name one")
        board = Board(SIZE if size is None else size, KOMI if komi is None else komi)
        return board, f"the empty {board.size}×{board.size} board"
    if size is not None:
        raise InputError("--size is for the empty board; a file has a board size of its own")
    game, board = position_of(file, number, move)
    if komi is not None:
        board.komi = komi
    elif not game.has_komi:
        print(f"{file.name} has no komi (KM): {board.komi:g} is taken; --komi N sets it", file=sys.stderr)
    if board.is_over:
        raise InputError(f"{file.name} is over after move {len(board.moves)}: --move N shows it earlier")
    return board, f"{file.name} after move {len(board.moves)}"


def _print(found: Insight, words: str, top: int, everywhere: bool) -> None:
    """The board, the best moves and the heaviest shapes."""
    from rich.text import Text

    from playout.cli.show import board_picture
    from playout.games.go.coords import color_name

    screen = console()
    screen.print(board_picture(found.board, screen))
    mover = color_name(found.board.to_play)
    screen.print(
        Text(
            f"{found.player}, {words}: {mover} to move, {found.simulations:,} simulations, "
            f"the best move is {found.chosen}"
        )
    )
    screen.print(Text(f"\n{mover}'s chance to win after each move", "bold"))
    screen.print(_moves_table(found, top))
    where = "all shapes" if everywhere else "the shapes on the board"
    screen.print(Text(f"\nHeaviest of {where}", "bold"))
    screen.print(_shapes_table(found.heaviest("sum", top, everywhere), found.has_long_term))
    if found.has_long_term:
        screen.print(Text(f"\nOf {where} those that the search has changed most", "bold"))
        screen.print(_shapes_table(found.heaviest("change", top, everywhere), found.has_long_term))


def _moves_table(found: Insight, top: int) -> Table:
    """The best moves, the chosen one marked."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("move", no_wrap=True)
    for title in ("both", "long-term", "short-term") if found.has_long_term else ("chance",):
        table.add_column(title, justify="right", no_wrap=True)
    shown = found.moves[:top]
    if found.chosen not in (move.move for move in shown):
        shown += tuple(move for move in found.moves if move.move == found.chosen)
    for move in shown:
        values = (move.value, move.long_term, move.short_term)[: 3 if found.has_long_term else 1]
        mark = " *" if move.move == found.chosen else ""
        table.add_row(f"{move.move}{mark}", *(f"{value:.1%}" for value in values))
    return table


def _shapes_table(shapes: list[PlacedShape], has_long_term: bool) -> Table:
    """Shapes with their weights; a shape is read from its upper left point, row by row."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("from", no_wrap=True)
    table.add_column("shape", no_wrap=True)
    table.add_column("good for", no_wrap=True)
    for title in ("both", "long-term", "short-term") if has_long_term else ("weight",):
        table.add_column(title, justify="right", no_wrap=True)
    for shape in shapes:
        weights = (shape.weight, shape.long_term, shape.short_term)[: 3 if has_long_term else 1]
        table.add_row(
            shape.at,
            Text("/".join(shape.rows)),
            "Black" if shape.weight > 0 else "White",
            *(f"{weight:+.3f}" for weight in weights),
        )
    return table
