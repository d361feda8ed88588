"""Names of points: GTP has ``E5`` (columns without I, rows from below), SGF ``ee`` (from the top left)."""

import re
from functools import cache
from numbers import Integral

from playout.errors import InputError, shown
from playout.games.go.state import BLACK, MAX_SIDE, MIN_SIDE, PASS, STRIDE, WHITE

COLUMNS = "ABCDEFGHJKLMNOPQRST"
_VERTEX = re.compile(r"([A-Za-z])([0-9]{1,2})", re.ASCII)
_COLORS = {"b": BLACK, "black": BLACK, "x": BLACK, "w": WHITE, "white": WHITE, "o": WHITE}


def point(row: int, column: int) -> int:
    """The point in a row and column, both counted from 0 at the top left."""
    return (row + 1) * STRIDE + column + 1


def row_column(p: int) -> tuple[int, int]:
    """The row and column of a point, both counted from 0 at the top left."""
    return p // STRIDE - 1, p % STRIDE - 1


def parse_side(text: object) -> int:
    """A board size.

    >>> parse_side("9")
    9
    >>> parse_side(1)
    Traceback (most recent call last):
    ...
    playout.errors.InputError: board size '1' is not a whole number from 2 to 19
    """
    word = str(text).strip()
    if not (word.isascii() and word.isdigit() and len(word) <= 4 and MIN_SIDE <= int(word) <= MAX_SIDE):
        raise InputError(f"board size {shown(text)} is not a whole number from {MIN_SIDE} to {MAX_SIDE}")
    return int(word)


def parse_color(text: object) -> int:
    """BLACK or WHITE.

    >>> parse_color("W")
    2
    """
    if isinstance(text, Integral) and text in (BLACK, WHITE):
        return int(text)
    color = _COLORS.get(str(text).strip().lower())
    if color is None:
        raise InputError(f"colour {shown(text)} is neither black nor white")
    return color


def color_name(color: int) -> str:
    """``Black`` or ``White``."""
    return "Black" if color == BLACK else "White"


def parse_vertex(text: str, side: int) -> int:
    """The point that a GTP vertex names; ``pass`` is PASS.

    >>> vertex(parse_vertex("e5", 9), 9)
    'E5'
    >>> parse_vertex("J10", 9)
    Traceback (most recent call last):
    ...
    playout.errors.InputError: point 'J10' is not on a 9×9 board (A1 to J9, or pass)
    """
    word = text.strip()
    if word.lower() == "pass":
        return PASS
    match = _VERTEX.fullmatch(word)
    if match:
        column = COLUMNS.find(match[1].upper())
        row = side - int(match[2])
        if 0 <= column < side and 0 <= row < side:
            return point(row, column)
    raise InputError(
        f"point {shown(text)} is not on a {side}×{side} board (A1 to {COLUMNS[side - 1]}{side}, or pass)"
    )


def vertex(p: int, side: int) -> str:
    """The GTP name of a point."""
    if p == PASS:
        return "pass"
    row, column = row_column(int(p))
    return f"{COLUMNS[column]}{side - row}"


def board_points(side: int) -> list[int]:
    """Every point of a board, row by row from the top left."""
    return list(_points(side))


@cache
def _points(side: int) -> tuple[int, ...]:
    return tuple(point(row, column) for row in range(side) for column in range(side))


def star_points(side: int) -> list[int]:
    """The handicap points of a board in the order in which a fixed handicap takes them.

    Two opposite corners, the other two corners, the sides, the centre where the number is odd
    (GTP 2, section 4.1.1). Boards under 7×7 have none; even boards and 7×7 only the corners.

    >>> [vertex(p, 9) for p in star_points(9)[:2]]
    ['C3', 'G7']
    """
    if side < 7:
        return []
    near = 3 if side > 11 else 2
    far, middle = side - 1 - near, side // 2
    corners = [point(far, near), point(near, far), point(near, near), point(far, far)]
    if side % 2 == 0 or side == 7:
        return corners
    sides = [point(middle, near), point(middle, far), point(far, middle), point(near, middle)]
    return [*corners, *sides, point(middle, middle)]


def fixed_handicap(side: int, stones: int) -> list[int]:
    """The points of a fixed handicap.

    >>> [vertex(p, 19) for p in fixed_handicap(19, 5)]
    ['D4', 'Q16', 'D16', 'Q4', 'K10']
    """
    stars = star_points(side)
    if not 2 <= stones <= len(stars):
        allowed = f"2 to {len(stars)} stones" if stars else "no fixed handicap"
        raise InputError(f"handicap {stones} does not fit: a {side}×{side} board takes {allowed}")
    if stones in (5, 7):
        return [*stars[: stones - 1], stars[8]]
    return stars[:stones]
