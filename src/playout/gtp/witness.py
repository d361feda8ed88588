"""GNU Go's commands on what the rules say of a position: one engine bears witness for the other."""

from __future__ import annotations

from playout.errors import InputError
from playout.games.go import coords
from playout.gtp.session import Session
from playout.gtp.table import Color, command


@command("query_boardsize")
def query_boardsize(session: Session) -> str:
    return str(session.board.size)


@command("get_komi")
def get_komi(session: Session) -> str:
    return f"{session.board.komi:g}"


@command("get_handicap")
def get_handicap(session: Session) -> str:
    return str(session.board.handicap)


@command("is_legal")
def is_legal(session: Session, color: Color, vertex: str) -> str:
    return str(int(session.board.is_legal(session.point(vertex), color)))


@command("all_legal")
def all_legal(session: Session, color: Color) -> str:
    """Without pass, which is always legal."""
    return session.vertices(session.board.legal_moves(color)[:-1])


@command("list_stones")
def list_stones(session: Session, color: Color) -> str:
    return session.vertices(session.board.stones(color))


@command("captures")
def captures(session: Session, color: Color) -> str:
    return str(session.board.captures(color))


@command("countlib")
def countlib(session: Session, vertex: str) -> str:
    return str(len(session.board.liberties(session.point(vertex))))


@command("findlib")
def findlib(session: Session, vertex: str) -> str:
    return session.vertices(session.board.liberties(session.point(vertex)))


@command("color")
def color(session: Session, vertex: str) -> str:
    point = session.point(vertex)
    if not point:
        raise InputError("pass has no colour")
    return ("empty", "black", "white")[session.board.color_at(point)]


def _history(session: Session) -> list[str]:
    size = session.board.size
    return [
        f"{coords.color_name(move.color).lower()} {coords.vertex(move.point, size)}"
        for move in reversed(session.board.moves)
    ]


@command("move_history")
def move_history(session: Session) -> str:
    """The last move first."""
    return "\n".join(_history(session))


@command("last_move")
def last_move(session: Session) -> str:
    history = _history(session)
    if not history:
        raise InputError("no previous move known")
    return history[0]
