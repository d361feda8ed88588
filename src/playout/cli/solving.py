"""The command that solves positions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.options import SECONDS_BETWEEN_LINES, Json, console, print_json
from playout.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from playout.games.go.board import Board
    from playout.games.go.solve import Solution, Solver


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: playout solve --size 4")(solve)


def solve(
    file: Annotated[
        Path | None, typer.Argument(help="A game record; its last position.", show_default=False)
    ] = None,
    size: Annotated[
        int | None, typer.Option(help="The empty board of this size instead.", show_default=False)
    ] = None,
    move: Annotated[
        int | None, typer.Option(help="The position after so many moves of the record.", show_default=False)
    ] = None,
    komi: Annotated[
        float | None, typer.Option(help="White's compensation.", show_default="that of the record, or 0")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(help="Give up after so many positions.", min=1, show_default=False)
    ] = None,
    memory: Annotated[int, typer.Option(help="Megabytes for proofs.", min=1, max=1_000_000)] = 1000,
    as_json: Json = False,
) -> None:
    """Solve a position on a small board: its exact value, the best moves and a line of best play.

    Area scoring, positional superko (the record's history counts), no suicide; all stones that stand after
    two passes are alive. 4×4 takes some seconds from the empty board; late positions go up to 7×7. Ctrl-C
    shows what is proved so far.
    """
    from playout.games.go.board import Board
    from playout.games.go.solve import Solution, Solver, check
    from playout.kernel.progress import compile_progress

    board = _board(file, size, move)
    if komi is not None:
        board.komi = komi
    check(board, nodes)
    with compile_progress():
        Solver(2, memory=1).solve(Board(2))  # compiles, which is not to count as solving
        began = time.monotonic()
        shown = _Shown()
        solver = Solver(board.size, memory=memory, nodes=nodes, progress=shown)
        try:
            solution = solver.solve(board)
        except KeyboardInterrupt:
            shown.stop()
            known = solver.lower == solver.upper
            so_far = Solution(
                value=solver.lower if known else None,
                lower=solver.lower,
                upper=solver.upper,
                moves=(),
                line=(),
                nodes=solver.nodes,
                side=board.size,
                komi=board.komi,
            )
            _print(board, so_far, time.monotonic() - began, as_json)
            raise
        finally:
            shown.stop()
    _print(board, solution, time.monotonic() - began, as_json)


def _board(file: Path | None, size: int | None, move: int | None) -> Board:
    from playout.games.go.board import Board
    from playout.games.go.sgf import load

    if (file is None) == (size is None):
        raise InputError("solve wants a game record or --size, one of them")
    if file is None:
        assert size is not None
        if move is not None:
            raise InputError("--move chooses a position of a game record, and there is none")
        return Board(size, 0.0)
    game = load(file)
    if move is not None and not 0 <= move <= len(game.moves):
        raise InputError(f"move {move} is not in the game, which has {len(game.moves)} moves")
    return game.board(move)


class _Shown:
    """How far a search is, on stderr: a line that changes; lines now and then where there is no terminal."""

    def __init__(self) -> None:
        self._console = console(stderr=True, whole=False)
        self._status = self._console.status("solving") if self._console.is_terminal else None
        self._begun = False
        self._line_at = time.monotonic() + SECONDS_BETWEEN_LINES

    def __call__(self, solver: Solver) -> None:
        words = (
            f"solving: depth {solver.depth}, {solver.nodes:,} nodes, "
            f"value from {solver.lower:+} to {solver.upper:+}"
        )
        if self._status is not None:
            if not self._begun:
                self._begun = True
                self._status.start()
            self._status.update(words)
        elif time.monotonic() >= self._line_at:
            self._line_at = time.monotonic() + SECONDS_BETWEEN_LINES
            self._console.print(words)

    def stop(self) -> None:
        """Take the line away."""
        if self._status is not None:
            self._status.stop()


def _print(board: Board, solution: Solution, seconds: float, as_json: bool) -> None:
    if as_json:
        print_json({**solution.facts(), "komi": board.komi, "seconds": round(seconds, 3)})
        return
    from playout.cli.show import board_picture

    screen = console()
    screen.print(board_picture(board, screen))
    screen.print(solution_table(board, solution, seconds))


def solution_table(board: Board, solution: Solution, seconds: float) -> Table:
    """What there is to say of a solution."""
    from rich.table import Table
    from rich.text import Text

    from playout.games.go.coords import color_name, vertex

    def names(points: tuple[int, ...]) -> str:
        return " ".join(vertex(p, board.size) for p in points)

    if solution.value is None:
        value = f"not solved: from {solution.lower:+} to {solution.upper:+} for Black"
    else:
        value = f"{solution.value:+} for Black" if solution.value else "0, a draw by area"
    rows = {
        "to play": "nobody: the game is over" if board.is_over else color_name(board.to_play),
        "value": value,
        "with komi": solution.result and f"{solution.result} (komi {board.komi:g})",
        "best": names(solution.moves),
        "line": names(solution.line),
        "nodes": f"{solution.nodes:,} in {seconds:.1f} s",
    }
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, words in rows.items():
        if words:
            table.add_row(name, Text(words))
    return table
