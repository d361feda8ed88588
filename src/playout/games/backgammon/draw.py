"""Boards as text and as SVG, as either player sees them: his home board at the lower right.

Player 1's checkers are X (dark), player 2's are O (light). The numbers of the points are those of who looks,
so that plays can be read off.
"""

from __future__ import annotations

from typing import Any

from playout.games.backgammon.state import BAR, CENTRED, CHECKERS, DROPPED, MAY_DOUBLE, OFF, OFFERED, pips

_ROWS = 5  # of checkers that are drawn on a point; more are a number
_LETTERS = "XO"
_UPPER = (tuple(range(13, 19)), tuple(range(19, 25)))  # points as they stand, left and right of the bar
_LOWER = (tuple(range(12, 6, -1)), tuple(range(6, 0, -1)))


def text(state: Any, player: int | None = None) -> str:
    """The board as a player sees it; by default who is to roll or to move."""
    me = int(player or state.turn)
    you = 3 - me
    upper, lower = _LETTERS[you - 1], _LETTERS[me - 1]

    def stack(point: int) -> tuple[int, str]:
        mine, yours = int(state.points[me - 1, point]), int(state.points[you - 1, BAR - point])
        return (mine, lower) if mine else (yours, upper)

    def line(points: tuple[tuple[int, ...], ...], row: int, bar: tuple[int, str]) -> str:
        left, right = ("".join(_cell(*stack(point), row) for point in half) for half in points)
        return f"|{left}|{_cell(*bar, row)}|{right}|"

    def edge(points: tuple[tuple[int, ...], ...]) -> str:
        left, right = ("".join(f"{point:>3} " for point in half) for half in points)
        return f"+{left.rstrip():-^24}+----+{right.rstrip():-^24}+".replace(" ", "-")

    bars = (int(state.points[you - 1, BAR]), upper), (int(state.points[me - 1, BAR]), lower)
    board = [
        edge(_UPPER),
        *(line(_UPPER, row, bars[0]) for row in range(_ROWS)),
        f"|{'':24}|BAR |{'':24}|",
        *(line(_LOWER, row, bars[1]) for row in reversed(range(_ROWS))),
        edge(_LOWER),
    ]
    notes = {
        0: _side(state, you),
        1: _cube(state, you),
        6: _cube(state, CENTRED) or _dice(state),
        11: _cube(state, me),
        12: _side(state, me),
    }
    if _cube(state, CENTRED) and _dice(state):
        notes[7] = _dice(state)
    return "\n".join(f"{row}  {notes.get(k, '')}".rstrip() for k, row in enumerate(board))


def _cell(count: int, letter: str, row: int) -> str:
    """What stands on a point so many rows from the edge."""
    if row == _ROWS - 1 and count > _ROWS:
        return f"{count:>3} "
    return f"  {letter} " if count > row else "    "


def _side(state: Any, player: int) -> str:
    off = int(state.points[player - 1, OFF])
    score = f", score {state.score[player - 1]} of {state.length}" if state.length else ""
    return f"{_LETTERS[player - 1]}: {pips(state, player)} pips, {off} off{score}"


def _cube(state: Any, owner: int) -> str:
    return f"cube {1 << int(state.cube)}" if int(state.owner) == owner else ""


def _dice(state: Any) -> str:
    who = _LETTERS[int(state.turn) - 1]
    over = [k for k in (0, 1) if state.points[k, OFF] == CHECKERS]
    if over:
        return f"{_LETTERS[over[0]]} has borne off all"
    if state.doubling in (OFFERED, DROPPED):
        passed = f", {_LETTERS[2 - int(state.turn)]} passes" if state.doubling == DROPPED else ""
        return f"{who} doubles to {2 << int(state.cube)}{passed}"
    if state.doubling == MAY_DOUBLE:
        return f"{who} to roll or double"
    return f"{who} has {state.dice[0]}-{state.dice[1]}" if state.dice[0] else f"{who} to roll"


# -- a picture ------------------------------------------------------------------------------------------

_WIDE = 44  # of a point, in pixels
_RADIUS = 20
_EDGE = 26
_HIGH = 500
_TRAY = 60  # beside the board, where checkers are borne off
_FRAME, _FIELD, _DARK, _LIGHT = "#5b3a21", "#ead9b5", "#a65e3a", "#d8b783"
_FILLS = (("#2b2b2b", "#f4f1ea"), ("#f7f3e8", "#2b2b2b"))  # of a checker and of a number on it, by player
_BOARD = 12 * _WIDE + 2 * _EDGE + _WIDE  # twelve points and the bar


def svg(state: Any, player: int | None = None) -> str:
    """The board as an SVG picture; player: who sees it so, by default who is to roll or to move."""
    me = int(player or state.turn)
    width = _BOARD + _TRAY
    seen = f"Backgammon, {_LETTERS[me - 1]}: {pips(state, me)} pips, the other {pips(state, 3 - me)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HIGH}" '
        f'viewBox="0 0 {width} {_HIGH}" role="img" aria-label="{seen}" font-family="sans-serif">',
        f'<rect width="{width}" height="{_HIGH}" rx="6" fill="{_FRAME}"/>',
    ]
    for left in (_EDGE, _EDGE + 7 * _WIDE):
        parts.append(
            f'<rect x="{left}" y="{_EDGE}" width="{6 * _WIDE}" height="{_HIGH - 2 * _EDGE}" fill="{_FIELD}"/>'
        )
    for point in range(1, BAR):
        parts.append(_point(point))
        mine, yours = int(state.points[me - 1, point]), int(state.points[2 - me, BAR - point])
        owner = me if mine else 3 - me
        parts += _stack(owner, mine or yours, _x(point), point > 12)
    for owner, top in ((3 - me, True), (me, False)):
        bar = int(state.points[owner - 1, BAR])
        parts += _stack(owner, bar, _EDGE + 6.5 * _WIDE, not top, from_middle=True)
        parts += _borne_off(owner, int(state.points[owner - 1, OFF]), top)
        y = 17 if top else _HIGH - 8
        parts.append(_label(_EDGE + 6.5 * _WIDE, y, f"{pips(state, owner)}", "#f4f1ea", 13))
    parts += _drawn_dice(state, me) + _drawn_cube(state, me)
    return "".join(parts) + "</svg>"


def _x(point: int) -> float:
    """The middle of a point."""
    column = 12 - point if point <= 12 else point - 13
    return _EDGE + (column + (column >= 6) + 0.5) * _WIDE


def _point(point: int) -> str:
    x, up = _x(point), point <= 12
    base, tip = (_HIGH - _EDGE, _HIGH - _EDGE - 190) if up else (_EDGE, _EDGE + 190)
    fill = _DARK if point % 2 else _LIGHT
    number = _label(x, _HIGH - 8 if up else 17, str(point), "#e8d9bd", 13)
    half = _WIDE / 2
    return f'<path d="M{x - half:g} {base}H{x + half:g}L{x:g} {tip}Z" fill="{fill}"/>{number}'


def _label(x: float, y: float, words: str, fill: str, size: int) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" text-anchor="middle">{words}</text>'


def _stack(owner: int, count: int, x: float, top: bool, from_middle: bool = False) -> list[str]:
    """Checkers one on the other; more than five are drawn as five and a number."""
    fill, ink = _FILLS[owner - 1]
    parts = []
    for k in range(min(count, _ROWS)):
        if from_middle:  # the bar: away from the middle
            y = _HIGH / 2 + (1 if top else -1) * (_RADIUS + 24 + 2 * _RADIUS * k * 0.8)
        else:
            y = _EDGE + _RADIUS + 2 * _RADIUS * k if top else _HIGH - _EDGE - _RADIUS - 2 * _RADIUS * k
        parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS - 1}" fill="{fill}" stroke="#1a1a1a"/>')
        if k == min(count, _ROWS) - 1 and count > _ROWS:
            parts.append(_label(x, y + 6, str(count), ink, 17))
    return parts


def _borne_off(owner: int, count: int, top: bool) -> list[str]:
    fill = _FILLS[owner - 1][0]
    x = _BOARD + 4
    parts = []
    for k in range(count):
        y = _EDGE + 10 * k if top else _HIGH - _EDGE - 10 * (k + 1)
        parts.append(
            f'<rect x="{x}" y="{y}" width="{_TRAY - 20}" height="9" rx="2" fill="{fill}" stroke="#1a1a1a"/>'
        )
    return parts


def _drawn_dice(state: Any, me: int) -> list[str]:
    """Two dice, on the right half for who is seen below, else on the left."""
    if not state.dice[0]:
        return []
    fill, ink = _FILLS[int(state.turn) - 1]
    left = _EDGE + (9 if int(state.turn) == me else 2) * _WIDE
    parts = []
    for k in (0, 1):
        x, y = left + k * 48, _HIGH / 2 - 18
        parts.append(f'<rect x="{x}" y="{y}" width="36" height="36" rx="6" fill="{fill}" stroke="#1a1a1a"/>')
        for column, row in _PIPS[int(state.dice[k])]:
            parts.append(f'<circle cx="{x + 9 + 9 * column}" cy="{y + 9 + 9 * row}" r="3.4" fill="{ink}"/>')
    return parts


_PIPS = {
    1: ((1, 1),),
    2: ((0, 0), (2, 2)),
    3: ((0, 0), (1, 1), (2, 2)),
    4: ((0, 0), (0, 2), (2, 0), (2, 2)),
    5: ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2)),
    6: ((0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2)),
}


def _drawn_cube(state: Any, me: int) -> list[str]:
    """The cube, beside the board: in the middle, or on its owner's side."""
    owner = int(state.owner)
    y = _HIGH / 2 - 18 if owner == CENTRED else _HIGH / 2 + 28 if owner == me else _HIGH / 2 - 64
    x = _BOARD + 6
    shows = 64 if owner == CENTRED and state.cube == 0 else 1 << int(state.cube)
    return [
        f'<rect x="{x}" y="{y:g}" width="36" height="36" rx="5" fill="#fffdf6" stroke="#1a1a1a"/>',
        _label(x + 18, y + 24, str(shows), "#1a1a1a", 17 if shows < 1000 else 13),
    ]
