"""The commands of GTP 2 and KGS's additions."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Collection, Sequence

import playout
from playout.errors import InputError, near
from playout.files import write_text
from playout.games.go import coords
from playout.games.go.board import Board, format_score
from playout.games.go.state import BLACK, MAX_SIDE, PASS, WHITE
from playout.gtp.session import Session, replayed
from playout.gtp.status import STATUSES, groups
from playout.gtp.table import COMMANDS, Color, command, refused
from playout.player.api import RESIGN
from playout.player.clock import Clock

# -- the program ------------------------------------------------------------------------------------


@command("protocol_version")
def protocol_version(session: Session) -> str:
    return "2"


@command("name")
def name(session: Session) -> str:
    return f"playout {session.player.name}"


@command("version")
def version(session: Session) -> str:
    return playout.__version__


@command("known_command")
def known_command(session: Session, command_name: str) -> str:
    return "true" if command_name in COMMANDS else "false"


@command("list_commands")
def list_commands(session: Session) -> str:
    return "\n".join(sorted(COMMANDS))


@command("quit")
def quit_(session: Session) -> None:
    """The server ends after the answer."""


@command("cputime")
def cputime(session: Session) -> str:
    return f"{time.process_time():.3f}"


# -- the game ---------------------------------------------------------------------------------------


@command("boardsize", refusal="unacceptable size")
def boardsize(session: Session, size: str) -> None:
    old = session.board
    session.new_game(
        Board(coords.parse_side(size), old.komi, superko=old.superko, suicide=old.suicide),
    )


@command("clear_board")
def clear_board(session: Session) -> None:
    session.new_game(session.board.copy().clear())


@command("komi", refusal="syntax error")
def komi(session: Session, new_komi: float) -> None:
    board = session.board.copy()
    board.komi = new_komi
    session.board = board


def _handicap(session: Session, stones: list[int], refusal: str) -> str:
    board = session.board
    if board.moves or board.stones(BLACK) or board.stones(WHITE):
        raise InputError("board not empty: handicap stones go on an empty board")
    with refused(refusal):
        session.board = board.copy().place_handicap(stones)
    return session.vertices(stones)


@command("fixed_handicap")
def fixed_handicap(session: Session, number_of_stones: int) -> str:
    with refused("invalid number of stones"):
        stones = coords.fixed_handicap(session.board.size, number_of_stones)
    return _handicap(session, stones, "invalid number of stones")


@command("place_free_handicap")
def place_free_handicap(session: Session, number_of_stones: int) -> str:
    """The fixed points, as far as they go: GTP lets an engine place fewer stones than it is asked for."""
    size = session.board.size
    stars = coords.star_points(size)
    if stars:
        return fixed_handicap(session, min(number_of_stones, len(stars)))
    middle = (size - 1) / 2
    inner = sorted(
        coords.board_points(size),
        key=lambda p: sum(abs(x - middle) for x in coords.row_column(p)),
    )
    return _handicap(session, inner[: min(number_of_stones, size)], "invalid number of stones")


@command("set_free_handicap")
def set_free_handicap(session: Session, *vertices: str) -> None:
    with refused("bad vertex list"):
        stones = [session.point(vertex) for vertex in vertices]
    _handicap(session, stones, "bad vertex list")


@command("play", refusal="illegal move")
def play(session: Session, color: Color, vertex: str) -> None:
    session.move(session.point(vertex), color)


@command("undo", refusal="cannot undo")
def undo(session: Session) -> None:
    session.board = session.board.copy().undo()


@command("showboard")
def showboard(session: Session) -> str:
    board = session.board
    taken = ", ".join(f"{coords.color_name(c)} {board.captures(c)}" for c in (BLACK, WHITE))
    turn = coords.color_name(board.to_play)
    return f"\n{board}\n{turn} to play; komi {board.komi:g}; captures: {taken}"


# -- the player -------------------------------------------------------------------------------------


@command("genmove")
def genmove(session: Session, color: Color) -> str:
    return session.answer(session.think(color), color)


@command("reg_genmove")
def reg_genmove(session: Session, color: Color) -> str:
    point = session.think(color)
    return "resign" if point == RESIGN else coords.vertex(point, session.board.size)


@command("kgs-genmove_cleanup")
def genmove_cleanup(session: Session, color: Color) -> str:
    """As genmove, but no pass while dead enemy stones stand: the game is then scored as it stands."""
    point = session.think(color)
    if point in (PASS, RESIGN):
        from playout.games.go.ending import capture
        from playout.games.go.ownership import dead_stones

        enemy = 3 - color
        dead = [p for p in dead_stones(session.board) if session.board.color_at(p) == enemy]
        point = capture(session.turned(color), dead) if dead else point
    return session.answer(point, color)


# -- time -------------------------------------------------------------------------------------------


# The time systems: how many numbers each takes, and the clock that they make.
SYSTEMS: dict[str, tuple[int, Callable[..., Clock]]] = {
    "none": (0, Clock),
    "absolute": (1, Clock.absolute),
    "byoyomi": (3, lambda main, period, periods: Clock.byo_yomi(main, period, int(periods))),
    "canadian": (3, lambda main, period, stones: Clock.canadian(main, period, int(stones))),
    "fischer": (2, Clock.fischer),
}
KGS_SYSTEMS = ("none", "absolute", "byoyomi", "canadian")


@command("time_settings")
def time_settings(session: Session, main_time: float, byo_yomi_time: float, byo_yomi_stones: int) -> None:
    _set_time(session, "canadian", (main_time, byo_yomi_time, byo_yomi_stones), SYSTEMS)


@command("kgs-time_settings")
def kgs_time_settings(session: Session, system: str, *numbers: float) -> None:
    _set_time(session, system, numbers, KGS_SYSTEMS)


@command("kata-time_settings")
def kata_time_settings(session: Session, system: str, *numbers: float) -> None:
    _set_time(session, system, numbers, SYSTEMS)


@command("kata-list_time_settings")
def kata_list_time_settings(session: Session) -> str:
    return " ".join(SYSTEMS)


def _set_time(session: Session, system: str, numbers: Sequence[float], known: Collection[str]) -> None:
    if system not in known:
        hint = near(system[:40], known)
        raise InputError(f"syntax error: unknown time system {coords.shown(system)}{hint}")
    count, clock = SYSTEMS[system]
    if len(numbers) != count:
        raise InputError(f"syntax error: {system} takes {count} numbers, not {len(numbers)}")
    if numbers and min(numbers) < 0:
        raise InputError("syntax error: times are not negative")
    session.set_time(clock(*numbers))


@command("time_left")
def time_left(session: Session, color: Color, seconds: float, stones: int) -> None:
    session.time_left(color, max(0.0, seconds), stones)


# -- the end ----------------------------------------------------------------------------------------


def _dead(session: Session) -> list[int]:
    if session.scoring == "alive":
        return []
    from playout.games.go.ownership import dead_stones

    return dead_stones(session.board)


@command("final_score")
def final_score(session: Session) -> str:
    return format_score(session.board.score(_dead(session)))


@command("final_status_list")
def final_status_list(session: Session, status: str) -> str:
    if status not in STATUSES:
        raise InputError(f"syntax error: unknown status {coords.shown(status)}{near(status[:40], STATUSES)}")
    return "\n".join(session.vertices(points) for points in groups(session.board, status, _dead(session)))


# -- files ------------------------------------------------------------------------------------------


@command("loadsgf", refusal="cannot load file")
def loadsgf(session: Session, file: str, *move: str) -> str:
    """The position before a move (its number, or its point where that is first played), or the last one.

    Answers whose turn it is, as GNU Go does. The game obeys the superko of the session, as `play` does. Where
    the file has no komi, the one that was set holds. A file's name may have spaces in it.
    """
    from playout.games.go import sgf

    words = [file, *move]
    until = None
    if len(words) > 1 and _is_move(words[-1]) and not os.path.isfile(" ".join(words)):
        until = words.pop()
    game = sgf.load(" ".join(words))
    if not game.has_komi:
        game.komi = session.board.komi
    board = game.board(None if until is None else game.moves_before(until), superko="simple")
    try:
        board = replayed(board, superko=session.board.superko)
    except InputError as error:
        raise InputError(f"{error}; after playout-set-param superko simple it can be loaded") from None
    session.new_game(board)
    if not game.has_komi:
        print(f"playout: the file has no komi (KM); komi {game.komi:g} holds", file=sys.stderr)
    return coords.color_name(board.to_play).lower()


def _is_move(word: str) -> bool:
    """Whether a word is the number of a move, a point of the largest board or a pass."""
    if word.isascii() and word.isdigit():
        return True
    with contextlib.suppress(InputError):
        coords.parse_vertex(word, MAX_SIDE)
        return True
    return False


@command("printsgf")
def printsgf(session: Session, *file: str) -> str | None:
    from playout.games.go import sgf

    board = session.board
    result = format_score(board.score(_dead(session))) if board.is_over else None
    text = sgf.from_board(board, result=result).to_sgf()
    if not file:
        return text
    path = " ".join(file)
    try:
        write_text(path, text, sgf.SGF, force=None)
    except InputError as error:
        raise InputError(f"cannot write file: {error}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot write {coords.shown(path)}: {reason}") from None
    return None
