"""The referee of one game, who believes nobody.

- Our `Board` alone decides what is legal, superko included, when a game ends and who has won. Two passes
  end a game; it is scored by area with dead stones removed, or with all stones alive.
- A player loses the game if it resigns, plays an illegal move, takes too long for a move, or fails: its
  engine crashes, answers nonsense, refuses a move, closes its pipes.
- A player that fails before its first move has not begun: the game is void. So is one whose engine does
  not start or refuses the board. Only silence and illegal moves lose also then.
- Silence is too long when the time for the move (`move_timeout`) or on the clock (`clock`) is up; where
  there is neither, after `engine_timeout`.
- At `max_moves` a game is a draw.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from playout.errors import InputError
from playout.games.go.board import SUPERKO, Board, IllegalMove
from playout.games.go.coords import color_name, shown
from playout.games.go.ownership import dead_stones
from playout.games.go.state import BLACK, PASS, WHITE
from playout.gtp.client import NoAnswer, WrongMove
from playout.player.api import RESIGN, Player
from playout.player.clock import Clock
from playout.settings import setting

SCORING = ("area", "alive")
_CLOCK = re.compile(
    r"([0-9]{1,7}(?:\.[0-9]{1,6})?)(?:\+([0-9]{1,7}(?:\.[0-9]{1,6})?)(?:/([1-9][0-9]{0,2}))?)?"
)
REASONS = ("score", "resignation", "time", "illegal move", "failure", "length", "void")


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a game is played under."""

    size: int = setting(9, "board size, 2 to 19")
    komi: float = setting(7.5, "White's compensation for moving second")
    superko: str = setting("positional", "which repetitions are illegal", choices=SUPERKO)
    scoring: str = setting("area", "'area' removes dead stones, 'alive' counts all", choices=SCORING)
    move_timeout: float | None = setting(None, "seconds for a move; more loses")
    clock: str | None = setting(None, "seconds for a game: 300, 300+5 (a move), 300+30/10 (for 10 moves)")
    engine_timeout: float = setting(60.0, "seconds for any other answer of an engine")
    max_moves: int | None = setting(None, "at so many moves a game is a draw")

    def __post_init__(self) -> None:
        self.board()  # refuses what cannot be played
        if self.scoring not in SCORING:
            raise InputError(f"scoring {shown(self.scoring)} is not one of {', '.join(SCORING)}")
        for seconds in (self.move_timeout, self.engine_timeout):
            if seconds is not None and not (seconds > 0 and math.isfinite(seconds)):
                raise InputError(f"a time of {seconds} seconds is not a positive number")
        if self.max_moves is not None and self.max_moves < 1:
            raise InputError(f"a limit of {self.max_moves} moves is none: it takes at least 1")
        if self.clock is not None and self.move_timeout is not None:
            raise InputError("a game has a clock or a time for each move, not both")
        self.new_clock()

    def board(self) -> Board:
        """An empty board."""
        return Board(self.size, self.komi, superko=self.superko)

    def new_clock(self) -> Clock | None:
        """What a player's clock shows before the first move; None where there is no limit.

        >>> Terms(clock="300+5").new_clock().increment
        5.0
        """
        if self.move_timeout is not None:
            return Clock.canadian(0.0, self.move_timeout, 1)
        if self.clock is None:
            return None
        words = _CLOCK.fullmatch(str(self.clock).strip())
        if words is None or float(words[1]) + float(words[2] or 0) <= 0:
            raise InputError(
                f"clock {shown(self.clock)} is not a time in seconds such as 300, or 300+5 with 5 more each "
                "move, or 300+30/10 with 10 moves in every further 30"
            )
        main, more, stones = float(words[1]), float(words[2] or 0), int(words[3] or 0)
        if stones:
            return Clock.canadian(main, more, stones)
        return Clock.fischer(main, more) if more else Clock.absolute(main)

    @property
    def longest(self) -> int:
        """The number of moves at which a game is a draw."""
        return self.max_moves if self.max_moves is not None else max(60, 3 * self.size * self.size)


class Stopped(Exception):
    """The game was broken off from outside; it never was one."""


class Referee:
    """One game; after `play` who has won, why, and who took how long.

    stopped: asked before every move whether to break off.
    """

    def __init__(
        self,
        board: Board,
        players: dict[int, Player],
        terms: Terms,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.board, self.players, self.terms = board, players, terms
        self._stopped = stopped
        self._clocks = {color: terms.new_clock() for color in (BLACK, WHITE)}
        self.seconds = {BLACK: 0.0, WHITE: 0.0}
        self.move_seconds: list[float] = []
        self.winner: int | None = None
        self.failed: int | None = None  # the colour whose player should be started anew
        self.result, self.reason, self.detail = "Void", "void", ""

    def play(self) -> None:
        """Play to the end."""
        board, limit = self.board, self.terms.longest
        for color in self.players:
            if not self._begin(color):
                return
        asked = {BLACK: 0, WHITE: 0}
        while not board.is_over:
            if len(board.moves) >= limit:
                self._end(None, "0", "length", f"a draw at {limit} moves")
                return
            color = board.to_play
            if not self._move(color, first=asked[color] == 0):
                return
            asked[color] += 1
        dead = dead_stones(board) if self.terms.scoring == "area" else []
        score = board.score(dead)
        winner = BLACK if score > 0 else WHITE if score < 0 else None
        stones = "1 dead stone" if len(dead) == 1 else f"{len(dead)} dead stones"
        without = f" with {stones} removed" if dead else ""
        self._end(winner, board.result(dead), "score", f"{board.result(dead)}{without}")

    def _begin(self, color: int) -> bool:
        """Get a player ready; whether it is."""
        player = self.players[color]
        try:
            player.new_game()
            player.begin(self.board)
            self._show_clock(color)
        except Exception as error:
            self._check_stop()
            self.failed = color
            self.detail = f"{self._who(color)} could not begin: {words(error)}"
            return False
        return True

    def _move(self, color: int, first: bool) -> bool:
        """One move; whether the game goes on."""
        self._check_stop()
        player, who, limit = self.players[color], color_name(color), self._left(color)
        start = time.monotonic()
        p, error = PASS, None
        try:
            p = player.choose(self.board)
        except Exception as failure:
            self.failed, error = color, failure
        took = time.monotonic() - start
        self._check_stop()
        self.seconds[color] += took
        self.move_seconds.append(took)
        if (limit is not None and took > limit) or isinstance(error, NoAnswer):
            said = f": {error}" if limit is None else f" and had {limit:.1f}"
            self._end(3 - color, "T", "time", f"{self._who(color)} took {took:.1f} s for a move{said}")
        elif isinstance(error, WrongMove):
            self._end(3 - color, "F", "illegal move", f"{who}'s {error}")
        elif error is not None and first:
            self.detail = f"{self._who(color)} could not begin: {words(error)}"
        elif error is not None:
            self._end(3 - color, "F", "failure", f"{self._who(color)} failed: {words(error)}")
        elif p == RESIGN:
            self.board.play("resign")
            self._end(3 - color, "R", "resignation", f"{who} resigned")
        elif self._put(color, p):
            self._press(color, took)
            return True
        return False

    def _left(self, color: int) -> float | None:
        """Seconds after which a player has lost; None where there is no limit."""
        clock = self._clocks[color]
        return None if clock is None else clock.main + (clock.period if clock.stones else 0.0)

    def _press(self, color: int, took: float) -> None:
        """Take the time of a move off a clock; a time for each move is always the whole time."""
        clock = self._clocks[color]
        if clock is not None and self.terms.clock is not None:
            clock.used(took)
            self._show_clock(color)

    def _show_clock(self, color: int) -> None:
        """Let a player see its clock, and end an engine outside when it is up."""
        player, clock, left = self.players[color], self._clocks[color], self._left(color)
        if clock is not None:
            player.clock.__dict__.update(clock.copy().__dict__)
        if left is not None and hasattr(player, "timeout"):
            player.timeout = left

    def _put(self, color: int, p: int) -> bool:
        """Make a move if it is legal; whether it was."""
        try:
            self.board.play(p)
        except IllegalMove as refusal:
            self._end(3 - color, "F", "illegal move", str(refusal))
        except (InputError, TypeError, ValueError):
            said = f"{color_name(color)} played {shown(p)}, which is no point"
            self._end(3 - color, "F", "illegal move", said)
        else:
            return True
        return False

    def _check_stop(self) -> None:
        if self._stopped():
            raise Stopped

    def _who(self, color: int) -> str:
        return f"{color_name(color)} ({self.players[color].name})"

    def _end(self, winner: int | None, result: str, reason: str, detail: str) -> None:
        self.winner, self.reason, self.detail = winner, reason, detail
        self.result = f"{'B' if winner == BLACK else 'W'}+{result}" if result in ("F", "T", "R") else result


def words(error: Exception) -> str:
    """What went wrong, in one line; an error that nobody meant is named too."""
    text = " ".join(str(error).split())[:500]
    return text if isinstance(error, InputError | OSError) else f"{type(error).__name__}: {text}".rstrip(": ")
