"""Game records: SGF in and out.

Files in the wild are broken in many ways, so reading is lenient about everything that is not the game:
the charset (BOM, CA, UTF-8 by its look, a guess), text before the game, brackets that nobody escaped,
a missing end, other games (only the first is read, or the one asked for) and variations (only the main line).
What the properties mean, and all of writing, is sgfmill's. The stones are not guessed: a wrong board size, a
point off the board or an illegal move is an InputError.

>>> game = read(b"(;GM[1]SZ[9]KM[6.5]PB[Ann]PW[Bob]RE[Black+Resign];B[ee];W[cc])")
>>> game.black, game.komi, game.result, len(game.moves)
('Ann', 6.5, 'B+R', 2)
>>> game.board()
Board(9, moves=2, to_play='B')
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sgfmill import sgf, sgf_properties

from playout import __version__
from playout.errors import InputError
from playout.files import Kind, beginning
from playout.games.charset import decode
from playout.games.go import coords
from playout.games.go.board import MAX_KOMI, Board, IllegalMove, Move
from playout.games.go.state import BLACK, EMPTY, PASS, WHITE
from playout.games.sgf_tree import START, TOKEN, Node, property_name, starts

MAX_BYTES = 4 << 20  # a game has some kilobytes, a large book of variations some megabytes
MAX_NODES = 5_000  # of the main line: no game is nearly as long
MAX_TOKENS = 100_000  # names, values and brackets on the main line
MAX_TEXT = 1_000  # of a name or a date; the rest is cut off
DEFAULT_SIDE = 19
_BEGINNING = re.compile(rb"(\xef\xbb\xbf)?\s*\(\s*;")
# Whoever names a game record as the file to write means to replace it, whatever program wrote it.
SGF = Kind("an SGF file", lambda path: _BEGINNING.match(beginning(path)) is not None)


class Setup(NamedTuple):
    """Stones put down or taken away outside the rules, and whose turn it then is (None: as it was)."""

    black: list[int]
    white: list[int]
    empty: list[int]
    to_play: int | None = None


@dataclass
class Game:
    """A game record: what was played, by whom, under which rules."""

    size: int = DEFAULT_SIDE
    komi: float = 0.0
    handicap: int = 0  # stones of a handicap, 0 for an even game
    rules: str = ""  # as the record names them
    result: str = ""  # "B+3.5", "W+R", "0" for a draw; otherwise as the record has it
    black: str = ""  # the players' names
    white: str = ""
    date: str = ""
    setup: Setup = field(default_factory=lambda: Setup([], [], []))  # the stones before the first move
    to_play: int = BLACK  # before the first move
    actions: list[Move | Setup] = field(default_factory=list)
    has_komi: bool = True  # whether the record says so; where it does not, komi is 0

    @property
    def moves(self) -> list[Move]:
        """The moves of the main line."""
        return [action for action in self.actions if isinstance(action, Move)]

    def board(self, moves: int | None = None, *, superko: str = "positional") -> Board:
        """The position after the first `moves` moves (by default, or if there are fewer, after all).

        People play under many rules: here only the immediate retake of a ko is illegal, and suicide where
        the record's rules do not know it. The returned board goes on under `superko`.
        """
        if moves is not None and moves < 0:
            raise InputError(f"{moves} is not a number of moves")
        played = 0
        for action, board in self.replay(superko):  # noqa: B007
            played += isinstance(action, Move)
            if played == moves:
                break
        board.superko = superko
        return board

    def replay(self, superko: str = "simple") -> Iterator[tuple[Move | Setup, Board]]:
        """One board, as it is before the first move (with the stones set up there) and after each action."""
        board = Board(self.size, self.komi, superko=superko, suicide=bool(_SUICIDE.match(self.rules)))
        board.superko = "simple"
        board.set_up(self.setup.black, self.setup.white, self.to_play)
        board.handicap = self.handicap
        yield self.setup, board
        played = 0
        for action in self.actions:
            try:
                if isinstance(action, Move):
                    played += 1
                    board.play(action.point, action.color)
                else:
                    turn = action.to_play or board.to_play
                    board.set_up(action.black, action.white, turn, empty=action.empty)
            except IllegalMove as error:
                raise InputError(f"move {played} is illegal: {error}") from None
            except InputError as error:
                raise InputError(f"the stones set up after move {played} do not fit: {error}") from None
            yield action, board

    def moves_before(self, word: str) -> int:
        """How many moves come before a move: by its number, or by its point where that is first played.

        So GTP's loadsgf names a position, and GNU Go's.

        >>> game = read(b"(;SZ[9];B[ee];W[cc];B[gg])")
        >>> game.moves_before("3"), game.moves_before("C7"), game.moves_before("1000")
        (2, 1, 3)
        """
        if word.isascii() and word.isdigit():
            return min(max(0, int(word[:10]) - 1), len(self.moves))
        wanted = coords.parse_vertex(word, self.size)
        for number, move in enumerate(self.moves):
            if move.point == wanted:
                return number
        raise InputError(f"no move of the game is {coords.vertex(wanted, self.size)}")

    def to_sgf(self) -> str:
        """The record as SGF.

        >>> Game(size=9, komi=7.5, black="Ann", actions=[Move(BLACK, PASS)]).to_sgf()  # doctest: +ELLIPSIS
        '(;FF[4]AP[playout:...]CA[UTF-8]GM[1]KM[7.5]PB[Ann]SZ[9];B[tt])\\n'
        """
        return self.tree().serialise().decode("utf-8")

    def tree(self) -> sgf.Sgf_game:
        """The record as sgfmill's tree of nodes."""
        record = sgf.Sgf_game(self.size, "UTF-8")
        root = record.get_root()
        root.set("AP", ("playout", __version__))
        root.set("KM", self.komi)
        if self.handicap >= 2:
            root.set("HA", self.handicap)
        texts = (self.rules, self.result, self.black, self.white, self.date)
        for name, text in zip(_TEXTS, texts, strict=True):
            if text:
                root.set(name, text.encode("utf-8", "replace").decode())  # no lone surrogates
        # PL is left out where it goes without saying.
        first = self.moves[0].color if self.moves else BLACK
        placed = self.setup.black or self.setup.white
        turn = None if self.to_play == first == BLACK and not placed else self.to_play
        _write_setup(root, self.setup._replace(to_play=turn), self.size)
        node = root
        for action in self.actions:
            node = node.new_child()
            if isinstance(action, Move):
                write_move(node, action, self.size)
            else:
                _write_setup(node, action, self.size)
        return record


_TEXTS = ("RU", "RE", "PB", "PW", "DT")


def from_board(board: Board, *, black: str = "", white: str = "", result: str | None = None) -> Game:
    """The record of a board's game; without `result` only a resignation is written down as one."""
    if result is None:
        result = board.result() if board.resigned is not None else ""
    actions: list[Move | Setup] = list(board.moves)
    if board.moves and board.to_play == board.moves[-1].color:
        actions.append(Setup([], [], [], board.to_play))
    first_black, first_white = board.initial_stones
    return Game(
        size=board.size,
        komi=board.komi,
        handicap=board.handicap,
        rules=RULES[board.superko, board.suicide],
        result=result,
        black=black,
        white=white,
        setup=Setup(first_black, first_white, []),
        to_play=board.moves[0].color if board.moves else board.to_play,
        actions=actions,
    )


def load(path: str | os.PathLike[str], number: int = 1) -> Game:
    """A game of a file, the first if no other is asked for."""
    data = _bytes_of(path)
    try:
        return read(data, number)
    except InputError as error:
        raise InputError(f"{_name(path)}: {error}") from None


def count_games(path: str | os.PathLike[str]) -> int:
    """How many games a file has."""
    return len(starts(decode(_bytes_of(path))))


def _name(path: str | os.PathLike[str]) -> str:
    return coords.shown(os.fspath(path), 120)


def _bytes_of(path: str | os.PathLike[str]) -> bytes:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe might never end
            raise OSError("it is not a file")
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{_name(path)} cannot be read: {reason}") from None


def read(data: bytes, number: int = 1) -> Game:
    """A game of a collection, by its number from 1 on; its main line.

    Missing: SZ means 19, KM means 0. A komi that cannot be read is 0 too: it must not keep anybody from the
    game. ``KM[375]`` (hundredths, as some servers write) is 3.75, and such quarters below 5 are komi counted
    in stones, as in China: 7.5 points.

    >>> read(b"(;SZ[42])")
    Traceback (most recent call last):
    ...
    playout.errors.InputError: board size '42' is not a whole number from 2 to 19
    """
    if len(data) > MAX_BYTES:
        raise InputError(f"the record is larger than {MAX_BYTES >> 20} MB")
    text = decode(data)
    at = 0
    if number != 1:
        games = starts(text)
        if not 1 <= number <= len(games):
            raise InputError(f"there is no game {number}: the file has {_games(len(games))}")
        at = games[number - 1]
    return game_of(_main_line(text, at))


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"


def game_of(nodes: list[Node]) -> Game:
    """The game of one line of nodes."""
    info: dict[str, str] = {}
    for node in nodes:
        for name in (*_TEXTS, "AP", "GM", "HA", "KM", "SZ"):
            if name in node and name not in info:
                info[name] = _text(node[name][0])
    if info.get("GM", "").lower() not in ("", "1", "go"):
        raise InputError(f"the record is of game {coords.shown(info['GM'])}, and Go is game 1")
    rules, result, black, white, date = (info.get(name, "") for name in _TEXTS)
    size = _side(info.get("SZ", ""))
    komi = _komi(info.get("KM", ""), as_written=info.get("AP", "").startswith("playout"))
    game = Game(
        size=size,
        komi=komi or 0.0,
        handicap=_handicap(info.get("HA", ""), size),
        rules=rules,
        result=_result(result),
        black=black,
        white=white,
        date=date,
        has_komi=komi is not None,
    )
    _read_actions(nodes, game)
    return game


# -- from bytes to nodes ----------------------------------------------------------------------------------


def _main_line(text: str, at: int = 0) -> list[Node]:
    """The nodes of a game down to the first end of a variation, which is the main line's end."""
    start = START.search(text, at)
    if not start:
        raise InputError("there is no game in the record: SGF begins with '(;'")
    nodes: list[Node] = []
    name = ""
    for count, token in enumerate(TOKEN.finditer(text, start.end() - 1)):
        if count >= MAX_TOKENS:
            raise InputError(f"the main line has more than {MAX_TOKENS} names and values")
        mark = token[0]
        if mark == ")":
            break
        if mark == ";":
            if len(nodes) >= MAX_NODES:
                raise InputError(f"the main line has more than {MAX_NODES} nodes")
            nodes.append({})
            name = ""
        elif token["name"]:
            name = property_name(mark)
        elif name and (token["end"] or token["short"] is not None):
            nodes[-1].setdefault(name, []).append(token["short"] or token["value"] or "")
    return nodes


# -- from nodes to a game ---------------------------------------------------------------------------------


def _read_actions(nodes: list[Node], game: Game) -> None:
    """Add the stones and moves of the nodes to a game."""
    presenter = sgf_properties.Presenter(game.size, "UTF-8")
    stones: dict[int, int] = {}
    turn: int | None = None
    number = 0
    for node in nodes:
        black, white, empty = (_read_points(presenter, node, name) for name in ("AB", "AW", "AE"))
        to_play = read_turn(node)
        if number == 0:
            for points, color in ((black, BLACK), (white, WHITE), (empty, EMPTY)):
                stones.update(dict.fromkeys(points, color))
            turn = to_play or turn
        elif black or white or empty or to_play:
            game.actions.append(Setup(black, white, empty, to_play))
        for name in node:
            if name in ("B", "W"):
                number += 1
                game.actions.append(read_move(presenter, node, name, number))
    first_black, first_white = (
        sorted(p for p, color in stones.items() if color == wanted) for wanted in (BLACK, WHITE)
    )
    game.setup = Setup(first_black, first_white, [])
    if turn is None:
        turn = game.moves[0].color if number else WHITE if first_black and not first_white else BLACK
    game.to_play = turn


def _read_points(presenter: sgf_properties.Presenter, node: Node, name: str) -> list[int]:
    points: set[tuple[int, int]] = set()
    for value in dict.fromkeys(node.get(name, ())):
        try:
            points |= presenter.interpret(name, [_raw_point(value)])
        except ValueError:
            size = presenter.size
            raise InputError(f"{name} {coords.shown(value)} is no point of a {size}×{size} board") from None
    return sorted(_from_pair(pair, presenter.size) for pair in points)


def read_move(presenter: sgf_properties.Presenter, node: Node, name: str, number: int) -> Move:
    try:
        pair = presenter.interpret(name, [_raw_point(value) for value in node[name]])
    except ValueError:
        wrong, size = coords.shown("][".join(node[name])), presenter.size
        raise InputError(f"move {number}, {name} {wrong}, is no point of a {size}×{size} board") from None
    return Move(BLACK if name == "B" else WHITE, PASS if pair is None else _from_pair(pair, presenter.size))


def _raw_point(value: str) -> bytes:
    return value.strip().lower().encode("utf-8")


def read_turn(node: Node) -> int | None:
    """Whose turn PL says it is; before FF[4] the colours were 1 and 2."""
    return {"b": BLACK, "1": BLACK, "w": WHITE, "2": WHITE}.get(
        "".join(node.get("PL", ())).strip().lower()[:1]
    )


_PLAIN = sgf_properties.Presenter(DEFAULT_SIDE, "UTF-8")


def _text(value: str) -> str:
    """A value on one line, without control characters (nobody's name shall clear a terminal)."""
    line = _PLAIN.interpret("GN", [value[:MAX_TEXT].encode("utf-8", "replace")])
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "", line).strip()


def _side(text: str) -> int:
    """The board size that SZ gives: ``19`` or ``19:19``."""
    sides = {side.strip() for side in text.split(":")}
    if len(sides) > 1:
        raise InputError(f"board size {coords.shown(text)} is not square")
    return coords.parse_side(sides.pop() or DEFAULT_SIDE)


def _komi(text: str, as_written: bool) -> float | None:
    """The komi that KM gives; None where it cannot be read."""
    number = re.fullmatch(r"([-+]?\d*[.,]?\d+)[A-Za-z\s]*", text)
    if not number:
        return None
    komi = float(number[1].replace(",", "."))
    if not as_written:
        if abs(komi) >= 100:
            komi /= 100
        if abs(komi) < 5 and komi * 4 % 2 == 1:
            komi *= 2
    return komi if abs(komi) <= MAX_KOMI else None


def _handicap(text: str, size: int) -> int:
    stones = int(text) if re.fullmatch(r"\d{1,3}", text, re.ASCII) else 0
    return stones if 2 <= stones < size * size else 0


def _result(text: str) -> str:
    """The result as FF[4] writes it, where the words are known.

    >>> _result("White + 3,5"), _result("B+Resign"), _result("jigo"), _result("unfinished")
    ('W+3.5', 'B+R', '0', 'unfinished')
    """
    win = re.match(r"(B|W)(?:lack|hite)?\s*\+\s*(\d+(?:[.,]\d+)?(?![\d.,/])|[RTF]|$)", text, re.IGNORECASE)
    if win:
        return f"{win[1].upper()}+{win[2].replace(',', '.').upper()}"
    return {"0": "0", "draw": "0", "jigo": "0", "void": "Void"}.get(text.lower(), text)


# -- rules and points -------------------------------------------------------------------------------------

# The rules whose name is nearest to what a board plays: (superko, suicide).
RULES = {
    ("positional", False): "Chinese",
    ("positional", True): "Tromp-Taylor",
    ("situational", False): "AGA",
    ("situational", True): "NZ",
    ("simple", False): "Chinese",
    ("simple", True): "Tromp-Taylor",
}
_SUICIDE = re.compile(r"nz|new.?zealand|goe|ing|tromp.?taylor", re.IGNORECASE)


def _from_pair(pair: tuple[int, int], size: int) -> int:
    """sgfmill counts rows from below."""
    return coords.point(size - 1 - pair[0], pair[1])


def _to_pair(p: int, size: int) -> tuple[int, int] | None:
    row, column = coords.row_column(p)
    return None if p == PASS else (size - 1 - row, column)


def write_move(node: sgf.Tree_node, move: Move, size: int) -> None:
    """Make a node of sgfmill's tree that of a move."""
    node.set_move("bw"[move.color - 1], _to_pair(move.point, size))


def _write_setup(node: sgf.Tree_node, setup: Setup, size: int) -> None:
    for name, points in (("AB", setup.black), ("AW", setup.white), ("AE", setup.empty)):
        if points:
            node.set(name, [_to_pair(p, size) for p in points])
    if setup.to_play:
        node.set("PL", "bw"[setup.to_play - 1])
