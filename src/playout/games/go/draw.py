"""Boards as text and as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playout.errors import InputError
from playout.files import Kind, beginning
from playout.games.go import coords
from playout.games.go.state import BLACK, MAX_SIDE, MIN_SIDE, PASS, WHITE

if TYPE_CHECKING:
    from playout.games.go.board import Board

MAKER = "<!-- drawn by playout -->"  # stands in the picture, so that we know our own
SVG = Kind("a picture of ours", lambda path: MAKER.encode() in beginning(path))
_STONES = {".": 0, "+": 0, ",": 0, "X": BLACK, "#": BLACK, "B": BLACK, "O": WHITE, "W": WHITE}


def text(board: Board) -> str:
    """The board with coordinates; the last move stands in brackets, handicap points are ``+``."""
    side = board.size
    stars = set(coords.star_points(side))
    last = board.moves[-1].point if board.moves else PASS
    header = "   " + " ".join(coords.COLUMNS[:side])
    lines = [header]
    for row in range(side):
        cells = ""
        for column in range(side):
            p = coords.point(row, column)
            symbol = "+XO"[board.color_at(p)] if p in stars else ".XO"[board.color_at(p)]
            before = "(" if p == last else ")" if column and p - 1 == last else " "
            cells += before + symbol
        cells += ")" if last and coords.row_column(last) == (row, side - 1) else " "
        lines.append(f"{side - row:2}{cells}{side - row}")
    lines.append(header)
    return "\n".join(lines)


def parse_text(drawing: str) -> tuple[list[int], list[int], int]:
    """The black points, the white points and the size of a drawn board; coordinates may stand around it."""
    rows: list[list[int]] = []
    for line in drawing.upper().splitlines():
        cells = line.replace("(", " ").replace(")", " ").strip().strip("0123456789").split()
        if len(cells) == 1 and len(cells[0]) > 1:
            cells = list(cells[0])
        if not cells or "".join(cells) == coords.COLUMNS[: len(cells)]:
            continue
        for cell in cells:
            if cell not in _STONES:
                raise InputError(f"{coords.shown(cell)} in the drawing is not one of . X O")
        rows.append([_STONES[cell] for cell in cells])
    side = len(rows)
    if not MIN_SIDE <= side <= MAX_SIDE or any(len(row) != side for row in rows):
        shape = f"{side} rows of {'/'.join(map(str, sorted({len(row) for row in rows}))) or 0} points"
        raise InputError(f"the drawing has {shape}: it must be a square of {MIN_SIDE} to {MAX_SIDE}")
    found = {
        color: [coords.point(r, c) for r in range(side) for c in range(side) if rows[r][c] == color]
        for color in (BLACK, WHITE)
    }
    return found[BLACK], found[WHITE], side


def svg(board: Board, cell: int = 28) -> str:
    """The board as an SVG picture, for notebooks and pages."""
    side = board.size
    margin = cell * 5 // 4  # so that a stone on the edge hides no label
    extent = margin * 2 + cell * (side - 1)

    def at(index: int) -> int:
        return margin + cell * index

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{extent}" height="{extent}" '
        f'viewBox="0 0 {extent} {extent}" role="img" aria-label="Go board, {side} by {side}">',
        MAKER,
        f'<rect width="{extent}" height="{extent}" rx="4" fill="#e3b667"/>',
    ]
    for i in range(side):
        parts.append(
            f'<path d="M{at(0)} {at(i)}H{at(side - 1)}M{at(i)} {at(0)}V{at(side - 1)}" '
            'stroke="#5b4423" stroke-width="1" fill="none"/>'
        )
        for x, y, label in (
            (at(i), margin * 0.4, coords.COLUMNS[i]),
            (at(i), extent - margin * 0.4, coords.COLUMNS[i]),
            (margin * 0.4, at(i), side - i),
            (extent - margin * 0.4, at(i), side - i),
        ):
            parts.append(
                f'<text x="{x:g}" y="{y:g}" font-size="{cell * 0.4:g}" font-family="sans-serif" '
                f'fill="#5b4423" text-anchor="middle" dominant-baseline="central">{label}</text>'
            )
    for p in coords.star_points(side):
        row, column = coords.row_column(p)
        parts.append(f'<circle cx="{at(column)}" cy="{at(row)}" r="{cell * 0.1:g}" fill="#5b4423"/>')
    last = board.moves[-1].point if board.moves else PASS
    for color, fill, mark in ((BLACK, "#111", "#eee"), (WHITE, "#fafafa", "#111")):
        for p in board.stones(color):
            row, column = coords.row_column(p)
            parts.append(
                f'<circle cx="{at(column)}" cy="{at(row)}" r="{cell * 0.47:g}" fill="{fill}" stroke="#111"/>'
            )
            if p == last:
                parts.append(
                    f'<circle cx="{at(column)}" cy="{at(row)}" r="{cell * 0.22:g}" fill="none" '
                    f'stroke="{mark}" stroke-width="2"/>'
                )
    return "".join(parts) + "</svg>"
