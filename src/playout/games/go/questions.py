"""Problems from GTP regression files (``.tst``), as GNU Go and other programs have them::

    # White must connect.
    loadsgf games/first.sgf 61
    10 reg_genmove white
    #? [D9|E8]

A question is ``reg_genmove COLOUR``, and the line ``#? […]`` after it has the right answers: points, ``PASS``
or ``resign``. ``[!D9]`` asks for any move but these. A ``*`` behind the brackets says that the program the
file was written for fails here; for us it is a question like any other.

The position comes from the commands before: ``loadsgf FILE [MOVE]`` (before the move with that number, or
where that point is first played), ``boardsize``, ``clear_board``, ``komi``, ``play``, ``undo``,
``fixed_handicap``, ``set_free_handicap``, and GNU Go's ``trymove``, ``popgo``, ``black`` and ``white``. Where
something else moves on the board (``genmove``), questions are left out until it is set up anew, and so are
those that do not ask for a move (``owl_attack``). Other commands are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playout.errors import InputError, shown
from playout.games.go import coords, sgf
from playout.games.go.board import Board
from playout.games.go.problems import Problem
from playout.player.api import RESIGN

MAX_TESTS = 5_000
MAX_MOVES = 2_000_000  # that are played to set all positions up
MAX_LINE = 10_000  # letters
KEPT = 4  # last moves of a position that stay moves; a whole game would be a record of the board for each
DEFAULT_SIDE, DEFAULT_KOMI = 19, 0.0
_ANSWER = re.compile(r"#\?\s*\[(?P<not>!?)(?P<words>.*)\](?P<hard>\*?)&?\s*")
_MOVING = (
    "genmove",
    "gg_genmove",
    "genmove_black",
    "genmove_white",
    "kgs-genmove_cleanup",
    "place_free_handicap",
)


@dataclass(frozen=True)
class _Question:
    """A command that the next line with answers belongs to. board: None where it does not ask for a move."""

    line: int
    number: str
    board: Board | None


def questions(data: bytes, folder: Path, say: Callable[[str], None]) -> list[Problem]:
    """The problems of a regression file; a wrong line is refused with its number.

    folder: the file's, from which games are seen. say: is told how many questions are left out.
    """
    reader = _Reader(folder)
    for number, raw in enumerate(data.split(b"\n"), 1):
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip()
        try:
            if len(line) > MAX_LINE:
                raise InputError(f"it has more than {MAX_LINE:,} letters")
            reader.read(line, number)
        except InputError as error:
            raise InputError(f"line {number}: {error}") from None
    total = len(reader.found) + reader.left_out
    if not reader.found:
        raise InputError(f"none of its {total:,} tests asks for a move (reg_genmove)")
    if reader.left_out:
        say(f"{reader.left_out:,} of {total:,} tests ask for something else than a move and are left out")
    return reader.found


class _Reader:
    """Reads line by line, with the board as it stands."""

    def __init__(self, folder: Path) -> None:
        self.found: list[Problem] = []
        self.left_out = 0
        self._folder = folder
        self._board: Board | None = Board(DEFAULT_SIDE, DEFAULT_KOMI)  # None while nobody knows it
        self._size, self._komi = DEFAULT_SIDE, DEFAULT_KOMI
        self._question: _Question | None = None
        self._game: tuple[Path, sgf.Game] | None = None  # the last that was loaded: many questions, one game
        self._played = 0

    def read(self, line: str, number: int) -> None:
        """Understand one line."""
        if line.startswith("#?"):
            self._answer(line)
            return
        words = line.partition("#")[0].split()
        called = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else ""
        if not words:
            if called:
                raise InputError(f"the number {shown(called)} has no command behind it")
            return
        name, *rest = words
        self._question = None
        if name == "reg_genmove":
            self._question = _Question(number, called, self._asked(rest))
        elif name in _MOVING:
            self._board = None
            self._question = _Question(number, called, None)
        elif name in _SET_UP:
            _SET_UP[name](self, rest)
        else:
            self._question = _Question(number, called, None)

    # -- questions and answers ----------------------------------------------------------------------

    def _asked(self, words: list[str]) -> Board | None:
        if len(words) != 1:
            raise InputError("reg_genmove takes a colour, as in: reg_genmove black")
        color = coords.parse_color(words[0])
        if self._board is None:
            return None
        board = _shortened(self._board)
        board.to_play = color
        return board

    def _answer(self, line: str) -> None:
        question, self._question = self._question, None
        if question is None:
            raise InputError("there is no question before this answer")
        if question.board is None:
            self.left_out += 1
            return
        board = question.board
        found = _ANSWER.fullmatch(line)
        if found is None:
            raise InputError(f"{shown(line)} is not an answer such as #? [A1|B2], #? [!A1] or #? [A1]*")
        if len(self.found) >= MAX_TESTS:
            raise InputError(f"there are more than {MAX_TESTS:,} tests")
        text = found["words"].strip()
        if text.startswith("(") and text.endswith(")"):
            text = text[1:-1]
        moves = tuple(dict.fromkeys(_move(word, board.size) for word in text.split("|")))
        name = f"line {question.line}" + (f" ({question.number}{found['hard']})" if question.number else "")
        if found["not"]:
            self.found.append(Problem(board, (), None, moves, name))
            return
        right = tuple(move for move in moves if move == RESIGN or board.is_legal(move))
        if not right:
            who = coords.color_name(board.to_play)
            raise InputError(f"no right move is legal for {who}: {shown(text)}")
        self.found.append(Problem(board, right, None, (), name))

    # -- the position -------------------------------------------------------------------------------

    def _known(self) -> Board:
        if self._board is None:
            raise InputError("nobody knows the position after a move of the program's own: set it up anew")
        return self._board

    def _count(self, moves: int) -> None:
        self._played += moves
        if self._played > MAX_MOVES:
            raise InputError(f"it takes more than {MAX_MOVES:,} moves to set these positions up")

    def loadsgf(self, words: list[str]) -> None:
        if not words:
            raise InputError("loadsgf takes a file, and perhaps a move: its number, or its point")
        path, rest = self._file(words)
        if self._game is None or self._game[0] != path:
            self._game = path, sgf.load(path)
        game = self._game[1]
        moves = len(game.moves) if rest is None else game.moves_before(rest)
        self._count(moves)
        try:
            self._board = game.board(moves)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        self._size, self._komi = game.size, game.komi

    def _file(self, words: list[str]) -> tuple[Path, str | None]:
        """The file that is meant, and the move if one is named; a file's name may have spaces in it.

        It is seen from the folder of the regression file, from the one above, and from where we are.
        """
        looked = []
        for count in (len(words), len(words) - 1):
            name = " ".join(words[:count])
            for folder in dict.fromkeys((self._folder, self._folder.parent, Path())):
                path = folder / name
                try:
                    if count and path.is_file():
                        return path, words[-1] if count < len(words) else None
                except (OSError, ValueError):  # too long for a name, or a NUL in it
                    continue
                looked.append(str(folder.absolute()))
        name = shown(words[0] if len(words) == 2 else " ".join(words), 120)
        raise InputError(f"there is no file {name} in {' or '.join(dict.fromkeys(looked))}")

    def boardsize(self, words: list[str]) -> None:
        self._size = coords.parse_side(words[0] if words else "")
        self.clear_board([])

    def clear_board(self, words: list[str]) -> None:
        self._board = Board(self._size, self._komi)

    def komi(self, words: list[str]) -> None:
        try:
            self._komi = float(words[0])
            (self._board or Board(self._size)).komi = self._komi
        except (IndexError, ValueError):  # an InputError is a ValueError too
            raise InputError(f"komi {shown(' '.join(words))} is not a number, as in: komi 6.5") from None

    def play(self, words: list[str]) -> None:
        if len(words) != 2:
            raise InputError("play takes a colour and a point, as in: play black D4")
        board = self._known()
        self._count(1)
        board.play(coords.parse_vertex(words[1], board.size), coords.parse_color(words[0]))

    def black(self, words: list[str]) -> None:
        self.play(["black", *words])

    def white(self, words: list[str]) -> None:
        self.play(["white", *words])

    def undo(self, words: list[str]) -> None:
        self._known().undo()

    def fixed_handicap(self, words: list[str]) -> None:
        if len(words) != 1 or not words[0].isascii() or not words[0].isdigit():
            raise InputError("fixed_handicap takes a number of stones")
        self._known().place_handicap(int(words[0][:4]))

    def set_free_handicap(self, words: list[str]) -> None:
        self._known().place_handicap(words)


_SET_UP: dict[str, Callable[[_Reader, list[str]], None]] = {
    "loadsgf": _Reader.loadsgf,
    "boardsize": _Reader.boardsize,
    "clear_board": _Reader.clear_board,
    "komi": _Reader.komi,
    "play": _Reader.play,
    "trymove": _Reader.play,
    "black": _Reader.black,
    "white": _Reader.white,
    "undo": _Reader.undo,
    "popgo": _Reader.undo,
    "fixed_handicap": _Reader.fixed_handicap,
    "set_free_handicap": _Reader.set_free_handicap,
}


def _move(word: str, size: int) -> int:
    word = word.strip()
    return RESIGN if word.lower() == "resign" else coords.parse_vertex(word, size)


def _shortened(board: Board) -> Board:
    """The same position with only the last moves as moves, and superko from there; none where it is over.

    Passes that ended a game are no answer to what should be played.
    """
    moves = [] if board.is_over else board.moves[-KEPT:]
    before = board.copy()
    for _ in moves:
        before.undo()
    short = Board(board.size, board.komi, superko=board.superko, suicide=board.suicide)
    first = moves[0].color if moves else board.to_play
    short.set_up(before.stones("B"), before.stones("W"), first)
    for move in moves:
        short.play(move.point, move.color)
    return short
