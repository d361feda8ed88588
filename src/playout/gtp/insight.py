"""What a temporal-difference search has learnt, over GTP: shapes as text, values and shapes on GoGui's board.

All commands are of the player's last search in this game, be it for a move or an analysis, seen from the
position on the board now. Where nothing was searched yet, the player thinks as for a move.
"""

from __future__ import annotations

from playout.errors import InputError
from playout.games.go import coords
from playout.games.go.insight import Insight, recall
from playout.games.go.player.td_search import ShapesSearchPlayer
from playout.games.go.state import BLACK
from playout.gtp.session import Session
from playout.gtp.table import command
from playout.picture import BLUE, VERMILION

SHAPES = 10
MOST = 1000
GOGUI = (
    "gfx/Values of Moves/playout-gfx-values",
    "gfx/Heaviest Shapes/playout-gfx-shapes",
    "string/List of Shapes/playout-shapes",
)


def learns_shapes(session: Session) -> bool:
    """Whether the player can be looked into."""
    return isinstance(session.player, ShapesSearchPlayer)


def _last(session: Session, count: int) -> Insight:
    if not 1 <= count <= MOST:
        raise InputError(f"{count} is not a number of shapes from 1 to {MOST}")
    return recall(session.turned(session.board.to_play), session.player)


@command("playout-shapes")
def shapes(session: Session, count: int = SHAPES) -> str:
    """The heaviest shapes on the board, a line each: where from, rows, weight, long-term, short-term."""
    found = _last(session, count)
    return "\n".join(
        f"{shape.at} {'/'.join(shape.rows)} weight {shape.weight:+.4f} "
        f"long-term {shape.long_term:+.4f} short-term {shape.short_term:+.4f}"
        for shape in found.heaviest("sum", count)
    )


@command("playout-gfx-shapes")
def gfx_shapes(session: Session, count: int = SHAPES) -> str:
    """The same for GoGui: points in the colour of the side that a shape is good for, its weight on the first.

    A point that lies in several shapes has the heaviest one's colour.
    """
    found = _last(session, count)
    side = found.board.size
    colors: dict[str, str] = {}
    labels: dict[str, str] = {}
    for shape in found.heaviest("sum", count):
        row, column = coords.row_column(coords.parse_vertex(shape.at, side))
        for r in range(shape.size):
            for c in range(shape.size):
                point = coords.vertex(coords.point(row + r, column + c), side)
                colors.setdefault(point, BLUE if shape.weight > 0 else VERMILION)
        labels.setdefault(shape.at, f"{100 * shape.weight:+.0f}")
    lines = [f"COLOR {color} {point}" for point, color in colors.items()]
    lines += [f"LABEL {point} {words}" for point, words in labels.items()]
    return "\n".join([*lines, "TEXT weights in hundredths; above 0, blue: good for Black"])


@command("playout-gfx-values")
def gfx_values(session: Session) -> str:
    """The chance to win after each move, for GoGui: a number in per cent, a shade; a frame for the best."""
    found = _last(session, SHAPES)
    moves = [move for move in found.moves if move.action]
    sign = 1 if found.board.to_play == BLACK else -1
    shades = " ".join(f"{move.move} {sign * (2 * move.value - 1):.3f}" for move in moves)
    labels = " ".join(f"{move.move} {100 * move.value:.0f}" for move in moves)
    lines = [f"INFLUENCE {shades}", f"LABEL {labels}"] if moves else []
    lines += [f"SQUARE {found.chosen}"] if found.chosen != "pass" else []
    mover = coords.color_name(found.board.to_play)
    made = found.before + found.simulations
    return "\n".join([*lines, f"TEXT {mover}'s chance to win in %, {made} simulations, best {found.chosen}"])
