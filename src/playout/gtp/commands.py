"""The commands of GTP 2 and KGS's additions."""

from __future__ import annotations

import time

import playout
from playout.errors import InputError, near
from playout.files import write_text
from playout.games.go import coords
from playout.games.go.board import Board, format_score
from playout.games.go.rules import fills_eye
from playout.games.go.state import BLACK, PASS, WHITE
from playout.gtp.session import Session
from playout.gtp.status import STATUSES, groups
from playout.gtp.table import COMMANDS, Color, command, refused, whole
from playout.player.api import RESIGN

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
    return session.move(session.think(color), color)


@command("reg_genmove")
def reg_genmove(session: Session, color: Color) -> str:
    point = session.think(color)
    return "resign" if point == RESIGN else coords.vertex(point, session.board.size)


@command("kgs-genmove_cleanup")
def genmove_cleanup(session: Session, color: Color) -> str:
    """As genmove, but no pass while dead enemy stones stand: the game is then scored as it stands."""
    point = session.think(color)
    if point in (PASS, RESIGN):
        from playout.search.ownership import dead_stones

        enemy = 3 - color
        dead = [p for p in dead_stones(session.board) if session.board.color_at(p) == enemy]
        point = _capture(session.turned(color), dead) if dead else point
    return session.move(point, color)


def _capture(board: Board, dead: list[int]) -> int:
    """A move that comes nearer to capturing dead stones; a pass if there is no legal one."""
    color = board.to_play
    left: dict[int, int] = {}  # by liberty of a dead chain: how many liberties that chain has
    for stone in dead:
        liberties = board.liberties(stone)
        for p in liberties:
            left[p] = min(left.get(p, len(liberties)), len(liberties))

    def badness(p: int) -> tuple[bool, bool, bool, int]:
        after = board.copy().play(p)
        captures = after.captures(color) > board.captures(color)
        self_atari = not captures and after.color_at(p) == color and len(after.liberties(p)) == 1
        return bool(fills_eye(board.record[0], p)), p not in left, self_atari, left.get(p, 0)

    *moves, no_move = board.legal_moves()
    return min(moves, key=badness, default=no_move)


# -- time -------------------------------------------------------------------------------------------


@command("time_settings")
def time_settings(session: Session, main_time: float, byo_yomi_time: float, byo_yomi_stones: int) -> None:
    _set_time(session, main_time, byo_yomi_time, byo_yomi_stones)


@command("kgs-time_settings")
def kgs_time_settings(session: Session, system: str, *numbers: float) -> None:
    wanted = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}
    if system not in wanted:
        hint = near(system[:40], wanted)
        raise InputError(f"syntax error: unknown time system {coords.shown(system)}{hint}")
    if len(numbers) != wanted[system]:
        raise InputError(f"syntax error: {system} takes {wanted[system]} numbers, not {len(numbers)}")
    if system == "none":
        session.set_time(None)
    elif system == "absolute":
        _set_time(session, numbers[0])
    elif system == "canadian":
        _set_time(session, numbers[0], numbers[1], int(numbers[2]))
    else:  # every move has a period of its own; what is left are periods
        _set_time(session, numbers[0], numbers[1], 1)
        session.period = numbers[1]


def _set_time(session: Session, main: float, period: float = 0.0, stones: int = 0) -> None:
    if min(main, period, stones) < 0:
        raise InputError("syntax error: times are not negative")
    session.set_time((main, period, stones))


@command("time_left")
def time_left(session: Session, color: Color, seconds: float, stones: int) -> None:
    if stones and session.period:
        stones = 1
    session.clocks[color].left(max(0.0, seconds), stones)


# -- the end ----------------------------------------------------------------------------------------


def _dead(session: Session) -> list[int]:
    if session.scoring == "alive":
        return []
    from playout.search.ownership import dead_stones

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
def loadsgf(session: Session, file: str, *move_number: str) -> None:
    """The position before a move, or the last one. A file's name may have spaces in it."""
    from playout.games.go import sgf

    words = [file, *move_number]
    moves = None
    if len(words) > 1 and words[-1].isdigit():
        moves = max(0, whole(words.pop()) - 1)
    session.new_game(sgf.load(" ".join(words)).board(moves, superko=session.board.superko))


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
        write_text(path, text)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot write {coords.shown(path)}: {reason}") from None
    return None
