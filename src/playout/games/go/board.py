"""A friendly game of Go over the record: history, undo, exact superko, scoring.

>>> board = Board(9)
>>> board.play("E5").play("C3")
Board(9, moves=2, to_play='B')
>>> board["E5"]
'X'
>>> board.score()
-7.5
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import NamedTuple

import numpy as np

from playout.errors import InputError
from playout.games import api
from playout.games.go import coords, draw
from playout.games.go.as_position import GoPosition
from playout.games.go.rules import area_score, fills_eye, put_stone
from playout.games.go.state import AREA, BLACK, EMPTY, PASS, STATE, STRIDE, WHITE, reset
from playout.games.position import IllegalMove, number_of
from playout.kernel import clone, kernel
from playout.settings import checked

SUPERKO = ("positional", "situational", "simple")
SCORING = ("area", "alive")
SYMBOLS = ".XO"
MAX_KOMI = 10 * AREA  # more than any board is worth


class Move(NamedTuple):
    """A move of the game: a colour and a point (PASS for a pass)."""

    color: int
    point: int

    @property
    def player(self) -> int:
        """The colour, as any game calls it."""
        return self.color

    @property
    def action(self) -> int:
        """The point, as any game calls it."""
        return self.point


@kernel
def _put(board, points, color):
    for p in points:
        put_stone(board, np.uint32(p), np.uint8(color))


@kernel
def _hashes_after(roots, work, moves, hashes):
    """The hash of the position after each move."""
    for k in range(moves.size):
        work[0] = roots[0]
        api.play(work[0], moves[k])
        hashes[k] = work[0].zobrist


class Board(GoPosition):
    """A game of Go on one board.

    size: 2 to 19. komi: White's compensation. superko: 'positional', 'situational' or 'simple' (only
    the immediate retake of a ko is forbidden). suicide: whether it is legal (Tromp–Taylor).
    """

    @checked
    def __init__(
        self, size: int = 9, komi: float = 7.5, *, superko: str = "positional", suicide: bool = False
    ) -> None:
        self.size = coords.parse_side(size)
        if superko not in SUPERKO:
            raise InputError(f"superko {coords.shown(superko)} is not one of {', '.join(SUPERKO)}")
        self.superko = superko
        self._array = np.zeros(1, STATE)
        self._array["suicide"] = suicide
        self._array["limit"] = np.iinfo(np.uint16).max
        self.komi = komi
        reset(self._array[0], self.size)
        self.resigned: int | None = None
        self.handicap = 0
        self._restart()

    def _restart(self) -> None:
        """Let the game begin at the position that stands on the board."""
        self.moves: list[Move] = []
        self.resumed = 0  # the number of moves at which play went on after two passes
        self._start = clone(self._array)
        self._earlier: list[np.ndarray] = []
        self._seen: dict[int, list[tuple[bytes, int]]] = {}
        self._remember()

    # -- the position -------------------------------------------------------------------------------

    @property
    def komi(self) -> float:
        """White's compensation for playing second."""
        return float(self._array["komi"][0])

    @komi.setter
    def komi(self, value: float) -> None:
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or abs(value) > MAX_KOMI:
            shown = value if is_number else coords.shown(value)
            raise InputError(f"komi {shown} is not a number between {-MAX_KOMI} and {MAX_KOMI}")
        self._array["komi"] = value

    @property
    def suicide(self) -> bool:
        """Whether suicide is legal."""
        return bool(self._array["suicide"][0])

    @property
    def to_play(self) -> int:
        """The colour to move: BLACK (1) or WHITE (2)."""
        return int(self._array["to_play"][0])

    @to_play.setter
    def to_play(self, color: int | str) -> None:
        turn = coords.parse_color(color)
        if turn != self.to_play:
            self._array["ko"] = 0  # a ko binds only the side that was to move
        self._array["to_play"] = turn

    @property
    def record(self) -> np.ndarray:
        """The state as an array of one record; a copy is a root for simulations."""
        return self._array

    def simulation_root(self, limit: int | None = None) -> np.ndarray:
        """A copy of the state from which simulations start; at `limit` moves they are a draw.

        The default, three moves a point and never under 60, is met only in multiple kos.
        """
        root = clone(self._array)
        root["moves"] = 0
        root["limit"] = limit if limit is not None else max(60, 3 * self.size * self.size)
        return root

    def color_at(self, p: int) -> int:
        """EMPTY, BLACK or WHITE."""
        return int(self._array["color"][0, p])

    def __getitem__(self, at: str | int) -> str:
        """What stands at a point: ``X``, ``O`` or ``.``."""
        return SYMBOLS[self.color_at(self._point(at))]

    def stones(self, color: int | str) -> list[int]:
        """The points where a colour has stones, row by row from the top left."""
        wanted = coords.parse_color(color)
        return [p for p in coords.board_points(self.size) if self.color_at(p) == wanted]

    @property
    def history(self) -> list[np.ndarray]:
        """The states of the game, each an array of one record: before every move, and the present one."""
        return [*self._earlier, self._array]

    @property
    def initial_stones(self) -> tuple[list[int], list[int]]:
        """The points of the black and the white stones before the first move."""
        colors = self._start["color"][0]
        black, white = (
            [p for p in coords.board_points(self.size) if colors[p] == color] for color in (BLACK, WHITE)
        )
        return black, white

    def chain(self, at: str | int) -> list[int]:
        """The stones connected to the stone at a point."""
        first = p = self._stone(at)
        found = []
        while True:
            found.append(p)
            p = int(self._array["following"][0, p])
            if p == first:
                return sorted(found)

    def liberties(self, at: str | int) -> list[int]:
        """The liberties of the chain at a point."""
        stones = self.chain(at)
        near = {p + step for p in stones for step in (-STRIDE, -1, 1, STRIDE)}
        return sorted(p for p in near if self.color_at(p) == EMPTY)

    def captures(self, color: int | str) -> int:
        """How many stones a colour has captured so far."""
        enemy = 3 - coords.parse_color(color)
        count = np.count_nonzero
        placed = int(count(self._start["color"][0] == enemy)) + sum(
            move.color == enemy and move.point != PASS for move in self.moves
        )
        return placed - int(count(self._array["color"][0] == enemy))

    # -- moves --------------------------------------------------------------------------------------

    def play(self, at: str | int, color: int | str | None = None) -> Board:
        """Play a point, ``pass`` or ``resign``; by default for the side to move. Returns the board."""
        mover = self.to_play if color is None else coords.parse_color(color)
        if isinstance(at, str) and at.strip().lower() == "resign":
            self.resigned = mover
            return self
        p = self._point(at)
        reason = self._why_illegal(p, mover)
        if reason:
            name = coords.vertex(p, self.size)
            raise IllegalMove(f"{coords.color_name(mover)} may not play {name}: {reason}")
        self._earlier.append(clone(self._array))
        self._array["to_play"] = mover
        api.play(self._array[0], p)
        self._array["moves"] = 0
        self._array["passes"] = np.minimum(self._array["passes"], 2)  # a byte, which would wrap around
        self.moves.append(Move(mover, p))
        self._remember()
        return self

    def undo(self) -> Board:
        """Take back the last move (or a resignation)."""
        if self.resigned is not None:
            self.resigned = None
            return self
        if not self.moves:
            raise InputError("there is no move to take back")
        self._forget()
        self.moves.pop()
        komi = self.komi
        self._array = clone(self._earlier.pop())  # copies of the board share what is earlier
        self.komi = komi
        return self

    def is_legal(self, at: str | int, color: int | str | None = None) -> bool:
        """Whether a move obeys the rules, superko included."""
        mover = self.to_play if color is None else coords.parse_color(color)
        return not self._why_illegal(self._point(at), mover)

    def legal_moves(self, color: int | str | None = None) -> list[int]:
        """Every legal point of a colour (by default the side to move), superko included, and PASS."""
        mover = self.to_play if color is None else coords.parse_color(color)
        root = self._turned(mover)
        moves = np.zeros(AREA + 1, np.uint16)
        moves = moves[: api.legal_moves(root[0], moves)]
        if self.superko != "simple":
            hashes = np.zeros(moves.size, np.uint64)
            _hashes_after(root, np.empty(1, STATE), moves, hashes)
            fine = [
                int(p) == PASS or int(h) not in self._seen or not self._repeats(int(p), mover)
                for p, h in zip(moves, hashes, strict=True)
            ]
            moves = moves[fine]
        return sorted((int(p) for p in moves), key=lambda p: (p == PASS, p))

    def candidates(self) -> list[int]:
        """The legal moves that fill no eye of one's own, and PASS."""
        record = self._array[0]
        return [p for p in self.legal_moves() if p == PASS or not fills_eye(record, p)]

    @property
    def is_over(self) -> bool:
        """Whether both have passed or somebody has resigned."""
        return self.resigned is not None or self.passes >= 2

    @property
    def passes(self) -> int:
        """How many passes in a row, up to the two that end a game, were the last moves."""
        return int(self._array["passes"][0])

    def resume(self) -> Board:
        """Go on after two passes, as where players do not agree which stones are dead."""
        if self.passes >= 2:
            self._array["passes"] = 0
            self.resumed = len(self.moves)
        return self

    # -- setting up ---------------------------------------------------------------------------------

    def clear(self) -> Board:
        """Empty the board and start anew with the same size, komi and rules."""
        reset(self._array[0], self.size)
        self.resigned = None
        self.handicap = 0
        self._restart()
        return self

    @checked
    def set_up(
        self,
        black: Iterable[str | int] = (),
        white: Iterable[str | int] = (),
        to_play: int | str = BLACK,
        *,
        empty: Iterable[str | int] = (),
    ) -> Board:
        """Add and take away stones and let the game begin there. Refused if a chain has no liberty."""
        standing = self._array["color"][0].tolist()
        colors = {p: standing[p] for p in coords.board_points(self.size)}
        for points, color in ((empty, EMPTY), (black, BLACK), (white, WHITE)):
            for at in points:
                p = self._point(at)
                if p == PASS:
                    raise InputError("pass is not a point for a stone")
                colors[p] = color
        turn = coords.parse_color(to_play)
        fresh = clone(self._array)
        reset(fresh[0], self.size)
        for color in (BLACK, WHITE):
            _put(fresh[0], np.array([p for p, c in colors.items() if c == color], np.uint16), color)
        standing = fresh["color"][0].tolist()
        for p, color in colors.items():
            if standing[p] != color:
                raise InputError(f"the chain at {coords.vertex(p, self.size)} would have no liberty")
        fresh["ko"] = 0
        fresh["to_play"] = turn
        self._array[:] = fresh
        self.resigned = None
        self.handicap = 0
        self._restart()
        return self

    def place_handicap(self, stones: int | Sequence[str | int]) -> Board:
        """A fixed handicap (a number) or a free one (the points) on an empty board; White moves next."""
        if self.moves or any(self.color_at(p) for p in coords.board_points(self.size)):
            raise InputError("handicap stones go on an empty board")
        points: Sequence[str | int] = (
            coords.fixed_handicap(self.size, stones) if isinstance(stones, int | np.integer) else stones
        )
        named = [self._point(at) for at in points]
        if PASS in named or len(set(named)) < len(named):
            raise InputError("handicap stones need points of their own")
        if not 2 <= len(named) < self.size * self.size:
            raise InputError(f"a handicap is 2 stones or more and leaves a free point, not {len(named)}")
        self.set_up(black=named, to_play=WHITE)
        self.handicap = len(named)
        return self

    def copy(self) -> Board:
        """A board of its own with the same game."""
        other = copy.copy(self)
        other._array = clone(self._array)
        other.moves = list(self.moves)
        other._earlier = list(self._earlier)
        other._seen = {key: list(found) for key, found in self._seen.items()}
        return other

    # -- the end ------------------------------------------------------------------------------------

    def score(self, dead: Iterable[str | int] = ()) -> float:
        """Black's area less White's and komi, after the chains of the dead stones are removed."""
        return self.area(dead) - self.komi

    def area(self, dead: Iterable[str | int] = ()) -> int:
        """Black's area less White's, without komi."""
        gone = {p for at in dead for p in self.chain(at)}
        if not gone:
            return int(area_score(self._array[0]))
        cleared = clone(self._array)
        reset(cleared[0], self.size)
        for color in (BLACK, WHITE):
            left = [p for p in self.stones(color) if p not in gone]
            _put(cleared[0], np.array(left, np.uint16), color)
        return int(area_score(cleared[0]))

    def result(self, dead: Iterable[str | int] = ()) -> str:
        """The result as SGF and GTP write it: ``B+3.5``, ``W+R``, ``0`` for a draw."""
        if self.resigned is not None:
            return "W+R" if self.resigned == BLACK else "B+R"
        return format_score(self.score(dead))

    # -- showing ------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return draw.text(self)

    def __repr__(self) -> str:
        return f"Board({self.size}, moves={len(self.moves)}, to_play={'BW'[self.to_play - 1]!r})"

    def _repr_svg_(self) -> str:
        return draw.svg(self)

    @classmethod
    @checked
    def from_text(cls, drawing: str, to_play: int | str = BLACK, **rules: object) -> Board:
        """A board from a drawing: ``.`` empty, ``X`` black, ``O`` white; what print(board) shows also works.

        >>> Board.from_text('''
        ...     . X
        ...     O .''').stones("B")
        [22]
        """
        black, white, side = draw.parse_text(drawing)
        return cls(side, **rules).set_up(black, white, to_play)  # type: ignore[arg-type]

    @classmethod
    @checked
    def from_sgf(
        cls, record: str | bytes | PathLike[str], moves: int | None = None, *, superko: str = "positional"
    ) -> Board:
        """The game of a record: SGF, or the path of its file; after the first `moves` moves, or after all.

        Only the main line of its first game counts. The board goes on under `superko`, of which SGF says
        nothing.

        >>> Board.from_sgf("(;GM[1]SZ[9]KM[6.5];B[ee];W[cc];B[gg])", moves=2)
        Board(9, moves=2, to_play='B')
        """
        from playout.games.go import sgf

        if isinstance(record, str) and sgf.START.search(record):
            record = record.encode("utf-8", "replace")
        game = sgf.read(record) if isinstance(record, bytes) else sgf.load(record)
        return game.board(moves, superko=superko)

    def to_sgf(self, *, black: str = "", white: str = "", result: str | None = None) -> str:
        """The game as SGF. black, white: the players' names; result: such as ``B+3.5``.

        Without `result` only a resignation is written down as one.

        >>> board = Board(9).play("E5").play("C3")
        >>> Board.from_sgf(board.to_sgf()) == board
        True
        """
        from playout.games.go import sgf

        return sgf.from_board(self, black=black, white=white, result=result).to_sgf()

    # -- inside -------------------------------------------------------------------------------------

    def _point(self, at: str | int) -> int:
        if isinstance(at, str):
            return coords.parse_vertex(at, self.size)
        p = number_of(at)
        row, column = coords.row_column(p)
        if p != PASS and not (0 <= row < self.size and 0 <= column < self.size):
            raise InputError(f"{p} is not a point of a {self.size}×{self.size} board")
        return p

    def _stone(self, at: str | int) -> int:
        p = self._point(at)
        if p == PASS or self.color_at(p) == EMPTY:
            raise InputError(f"there is no stone at {coords.vertex(p, self.size)}")
        return p

    def _turned(self, mover: int) -> np.ndarray:
        """A copy of the state with `mover` to play; a ko binds only the side that was to move."""
        root = clone(self._array)
        if mover != self.to_play:
            root["to_play"] = mover
            root["ko"] = 0
        return root

    def _why_illegal(self, p: int, mover: int) -> str:
        """The rule that a move breaks, or nothing."""
        if p == PASS:
            return ""
        if self.color_at(p) != EMPTY:
            return "there is a stone already"
        root = self._turned(mover)
        if not api.is_legal(root[0], p):
            return "it would retake a ko" if p == int(root["ko"][0]) else "it would be suicide"
        if self.superko != "simple" and self._repeats(p, mover):
            return f"it would repeat an earlier position ({self.superko} superko)"
        return ""

    def _repeats(self, p: int, mover: int) -> bool:
        after = self._turned(mover)
        api.play(after[0], p)
        turn = int(after["to_play"][0])
        stones = after["color"].tobytes()
        return any(
            then == stones and (self.superko == "positional" or turn == whose)
            for then, whose in self._seen.get(int(after["zobrist"][0]), ())
        )

    def _remember(self) -> None:
        entry = (self._array["color"].tobytes(), self.to_play)
        self._seen.setdefault(int(self._array["zobrist"][0]), []).append(entry)

    def _forget(self) -> None:
        self._seen[int(self._array["zobrist"][0])].pop()


def format_score(score: float) -> str:
    """A score for Black as SGF and GTP write it.

    >>> format_score(-7.5), format_score(3.0), format_score(0)
    ('W+7.5', 'B+3', '0')
    """
    if score == 0:
        return "0"
    return f"{'B' if score > 0 else 'W'}+{abs(score):g}"
