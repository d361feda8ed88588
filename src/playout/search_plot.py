"""A picture of what a temporal-difference search has learnt about a position (Silver 2009, Figures 6.9–6.11).

A column for each memory: above the board with the value of every legal move, below the shapes of largest
weight at their places. The colours of values are those of `cividis`, which people see alike who see no red or
green; what a colour says stands there as a number too.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playout.files import check_output, write_bytes
from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.insight import Insight, MoveValue, PlacedShape
from playout.games.go.state import BLACK
from playout.picture import BLUE, LARGE, NORMAL, PNG, SMALL, VERMILION, new_figure, png
from playout.plots import FAINT, WOOD, draw_lines, draw_stone, frame_board

if TYPE_CHECKING:
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

TITLES = {
    "long-term": "long-term memory: learnt before",
    "short-term": "short-term memory: added by search",
    "sum": "both: what it plays by",
}
ALONE = "what the search has learnt (no long-term memory)"
VALUES = {"long-term": "long_term", "short-term": "short_term", "sum": "value"}
CELL = 0.42  # inches of a point
NARROWEST, WIDEST = 3.6, 7.2  # inches of a column
LETTERS = 11.5  # of a title in an inch
ACROSS = 4  # shapes beside each other
CLOSE = 0.05  # values in a smaller range have a decimal
SIDES = {True: ("Black", BLUE), False: ("White", VERMILION)}


def draw_search(
    insight: Insight,
    path: str | Path,
    position: str,
    count: int = 8,
    everywhere: bool = False,
    force: bool = False,
) -> Path:
    """Draw what was learnt. position: what is searched, in words; count: shapes by each memory.

    everywhere: shapes among all features, and not only those on the board. force: write over a file that is
    not a picture of ours.
    """
    check_output(path, PNG, force)
    figure = search_figure(insight, position, count, everywhere)
    write_bytes(path, png(figure), PNG, force)
    return Path(path)


def search_figure(insight: Insight, position: str, count: int, everywhere: bool) -> Figure:
    """The picture, a column for each memory; one column where there is no long-term memory."""
    memories = list(TITLES) if insight.has_long_term else ["sum"]
    side = insight.board.size
    width = min(WIDEST, max(NARROWEST, CELL * (side + 1)))
    shapes = {memory: insight.heaviest(memory, count, everywhere) for memory in memories}
    lines = max(1, max(-(-len(found) // ACROSS) for found in shapes.values()))
    heights = [width + 0.95, lines * (width / ACROSS + 0.2) + 0.35]
    letters = int(width * len(memories) * LETTERS)
    title = [line for words in _title(insight, position) for line in textwrap.wrap(words, letters)]
    figure = new_figure(width * len(memories), sum(heights) + 0.2 * (1 + len(title)))
    figure.suptitle("\n".join(title), fontsize=LARGE)
    columns = figure.subfigures(1, len(memories), squeeze=False, wspace=0.04)[0]
    for column, memory in zip(columns, memories, strict=True):
        above, below = column.subfigures(2, 1, height_ratios=heights)
        _draw_values(above, insight, memory, TITLES[memory] if insight.has_long_term else ALONE)
        what = "heaviest of all shapes" if everywhere else "heaviest shapes on the board"
        below.suptitle(f"{what}: good for, weight", fontsize=NORMAL)
        _draw_shapes(below, shapes[memory], memory, insight.board, lines)
    return figure


def _title(insight: Insight, position: str) -> tuple[str, str]:
    """What is drawn, and how to read it."""
    mover = coords.color_name(insight.board.to_play)
    made = f"{insight.simulations:,} simulations"
    made += f" after {insight.before:,} earlier in the game" if insight.before else ""
    return (
        f"{insight.player}, {position}: {mover} to move, {made}",
        f"Numbers are {mover}'s chances to win in %. "
        f"Double frame: the move chosen, {insight.chosen}."
        + (" Dashed frame: the best by this memory alone." if insight.has_long_term else ""),
    )


def _draw_values(part: Any, insight: Insight, memory: str, title: str) -> None:
    """The board with the value of every legal move by a memory, and a scale of the colours below it."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.ticker import MaxNLocator

    board = insight.board
    axis = part.subplots()
    _draw_board(axis, board, WOOD)
    values = {move.move: float(getattr(move, VALUES[memory])) for move in insight.moves}
    drawn = [values[move.move] for move in insight.moves if move.action] or [values["pass"]]
    low, high = min(drawn), max(drawn)
    room = max(1e-6, 0.02 - (high - low)) / 2 if high - low < 0.02 else 0.0  # a flat scale says nothing
    scale, colors = Normalize(100 * (low - room), 100 * (high + room)), colormaps["cividis"]
    digits = 1 if high - low < CLOSE else 0
    best = max(values, key=lambda move: values[move])
    for move in insight.moves:
        if move.action:
            value = 100 * values[move.move]
            _draw_value(axis, move, f"{value:.{digits}f}", colors, float(scale(value)))
    for move in insight.moves:
        if move.action and move.move in (insight.chosen, best):
            _frame(axis, move, move.move == insight.chosen)
    axis.set_xticks(range(board.size), list(coords.COLUMNS[: board.size]), fontsize=SMALL)
    axis.set_yticks(range(board.size), [str(board.size - k) for k in range(board.size)], fontsize=SMALL)
    axis.tick_params(length=0)
    for spine in axis.spines.values():
        spine.set_visible(False)
    words = f"best {best} {100 * values[best]:.1f}"
    words += f", chosen {insight.chosen} {100 * values[insight.chosen]:.1f}" if insight.chosen != best else ""
    axis.set_title(f"{title}\n{words}, pass {100 * values['pass']:.1f}", fontsize=NORMAL)
    shown = ScalarMappable(scale, colors)
    bar = part.colorbar(shown, ax=axis, orientation="horizontal", shrink=0.7, aspect=30)
    bar.ax.tick_params(labelsize=SMALL)
    bar.ax.xaxis.set_major_locator(MaxNLocator(6, integer=digits == 0))
    bar.ax.xaxis.set_major_formatter(lambda x, _: f"{x:.{digits}f} %")


def _draw_board(axis: Any, board: Board, ground: str, alpha: float = 1.0) -> None:
    """The lines and the stones; the last one has a ring."""
    from matplotlib.patches import Circle, Rectangle

    side = board.size
    axis.add_patch(Rectangle((-0.5, -0.5), side, side, color=ground, zorder=0))
    draw_lines(axis, side)
    for p in coords.board_points(side):
        row, column = coords.row_column(p)
        draw_stone(axis, row, column, board[p], alpha)
        if board.moves and board.moves[-1].point == p and alpha == 1:
            ring = "white" if board.color_at(p) == BLACK else "black"
            axis.add_patch(Circle((column, row), 0.2, fill=False, edgecolor=ring, linewidth=1.2, zorder=3))
    frame_board(axis, side)


def _draw_value(axis: Any, move: MoveValue, words: str, colors: Colormap, share: float) -> None:
    """A coloured square with a number on a point."""
    from matplotlib.patches import Rectangle

    row, column = coords.row_column(move.action)
    axis.add_patch(
        Rectangle((column - 0.43, row - 0.43), 0.86, 0.86, facecolor=colors(share), linewidth=0, zorder=2)
    )
    ink = "black" if share > 0.55 else "white"
    axis.text(column, row, words, ha="center", va="center", fontsize=SMALL, color=ink, zorder=4)


def _frame(axis: Any, move: MoveValue, chosen: bool) -> None:
    """A frame around a point: double for the chosen move, which light and dark squares both show."""
    from matplotlib.patches import Rectangle

    row, column = coords.row_column(move.action)
    line = (VERMILION, 2.4, "-") if chosen else ("black", 1.6, "--")
    for color, width, dashes in (("white", 4.5 if chosen else 2.4, "-"), line):
        axis.add_patch(
            Rectangle(
                (column - 0.46, row - 0.46),
                0.92,
                0.92,
                fill=False,
                edgecolor=color,
                linewidth=width,
                linestyle=dashes,
                zorder=5,
            )
        )


def _draw_shapes(part: Any, shapes: Sequence[PlacedShape], memory: str, board: Board, lines: int) -> None:
    """Small boards, each with one shape where it stands."""
    axes = part.subplots(lines, ACROSS, squeeze=False)
    for axis in axes.flat:
        axis.set_axis_off()
    if not shapes:
        axes.flat[0].text(0.0, 0.5, "none has a weight", fontsize=NORMAL)
    for axis, shape in zip(axes.flat, shapes, strict=False):
        _draw_shape(axis, shape, shape.of(memory), board)


def _draw_shape(axis: Any, shape: PlacedShape, weight: float, board: Board) -> None:
    from matplotlib.patches import Rectangle

    _draw_board(axis, board, FAINT, 0.22)
    row, column = coords.row_column(coords.parse_vertex(shape.at, board.size))
    name, color = SIDES[weight > 0]
    corner = (column - 0.5, row - 0.5)
    axis.add_patch(Rectangle(corner, shape.size, shape.size, color=WOOD, zorder=3))
    axis.add_patch(
        Rectangle(corner, shape.size, shape.size, fill=False, edgecolor=color, linewidth=1.8, zorder=5)
    )
    for r, letters in enumerate(shape.rows):
        for c, letter in enumerate(letters):
            draw_stone(axis, row + r, column + c, letter, zorder=4)
    axis.set_title(f"{name} {abs(weight):.3f}", fontsize=SMALL, pad=1, color=color)
