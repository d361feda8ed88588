"""The referee of one game, who believes nobody.

- Our position alone decides what is legal, when a game ends and who has won. In Go that is with superko; two
  passes end a game, and it is scored by area with dead stones removed, or with all stones alive.
- Chance is the referee's: both games of a pair have the same luck, as long as they go the same way.
- In a game for one, each of the two plays a game of its own with the same luck; the higher return wins.
- A player loses the game if it resigns, plays an illegal move, takes too long for a move, or fails: its
  engine crashes, answers nonsense, refuses a move, closes its pipes.
- A player that fails before its first move has not begun: the game is void. So is one whose engine does
  not start or refuses the board. Only silence and illegal moves lose also then.
- Silence is too long when the time for the move (`move_timeout`) or on the clock (`clock`) is up; where
  there is neither, after `engine_timeout`.
- At `max_moves` a game is a draw.
- Where games are played for points, who loses by a fault or the clock loses as many as by resigning.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from playout.arena.terms import Terms
from playout.errors import InputError, shown
from playout.games.check import BrokenGame
from playout.games.position import IllegalMove, Position
from playout.player.api import RESIGN, NoAnswer, Player, WrongMove

REASONS = ("score", "resignation", "time", "illegal move", "failure", "length", "void")
FIRST, SECOND = 1, 2  # the players of a game
SOLO = ("the first", "the second")  # who play a game for one, each by itself


class Stopped(Exception):
    """The game was broken off from outside; it never was one."""


class Referee:
    """One game; after `play` who has won, why, and who took how long.

    luck: the generator of what chance does. stopped: asked before every move whether to break off.
    """

    def __init__(
        self,
        position: Position,
        players: dict[int, Player],
        terms: Terms,
        luck: np.ndarray | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.position, self.players, self.terms = position, players, terms
        self._luck, self._stopped = luck, stopped
        self._clocks = {player: terms.new_clock() for player in (FIRST, SECOND)}
        self.seconds = {FIRST: 0.0, SECOND: 0.0}
        self.move_seconds: list[float] = []
        self.winner: int | None = None
        self.payoff: float | None = None  # the first player's points, where the game has them
        self.failed: int | None = None  # whose player should be started anew
        self.result, self.reason, self.detail = "Void", "void", ""

    def play(self) -> None:
        """Play to the end."""
        for player in self.players:
            if not self._begin(player):
                return
        if not self._play_on(lambda: self.position.to_play):
            return
        if self.position.is_over:
            verdict = self.position.verdict()
            self._end(verdict.winner, verdict.result, "score", verdict.detail)
        else:
            limit = self.terms.longest
            self._end(None, "0", "length", f"a draw at {limit} moves")

    def moves(self) -> list[str]:
        """The moves so far, as people write them."""
        return self.position.spelled_moves()

    def _play_on(self, turn: Callable[[], int]) -> bool:
        """Play to the end or to the greatest length; False if a player has ended it. turn: who moves."""
        position, limit = self.position, self.terms.longest
        asked = {FIRST: 0, SECOND: 0}
        self._settle()
        while not position.is_over and len(position.moves) < limit:
            player = turn()
            if not self._move(player, first=asked[player] == 0):
                return False
            self._settle()
            asked[player] += 1
        return True

    def _settle(self) -> None:
        """Let chance move, if it is to."""
        if self._luck is not None:
            self.position.settle(self._luck)

    def _begin(self, player: int) -> bool:
        """Get a player ready; whether it is."""
        who = self.players[player]
        try:
            who.new_game()
            who.begin(self.position)
            self._show_clock(player)
        except Exception as error:
            self._check_stop()
            self.failed = player
            self.detail = f"{self._who(player)} could not begin: {words(error)}"
            return False
        return True

    def _move(self, player: int, first: bool) -> bool:
        """One move; whether the game goes on."""
        self._check_stop()
        limit = self._left(player)
        start = time.monotonic()
        action, error = 0, None
        try:
            action = self.players[player].choose_action(self.position)
        except BrokenGame:
            raise
        except Exception as failure:
            self.failed, error = player, failure
        took = time.monotonic() - start
        self._check_stop()
        self.seconds[player] += took
        self.move_seconds.append(took)
        other, seat = 3 - player, self._seat(player)
        if (limit is not None and took > limit) or isinstance(error, NoAnswer):
            said = f": {error}" if limit is None else f" and had {limit:.1f}"
            self._end(other, "T", "time", f"{self._who(player)} took {took:.1f} s for a move{said}")
        elif isinstance(error, WrongMove):
            self._end(other, "F", "illegal move", f"{seat}'s {error}")
        elif error is not None and first:
            self.detail = f"{self._who(player)} could not begin: {words(error)}"
        elif error is not None:
            self._end(other, "F", "failure", f"{self._who(player)} failed: {words(error)}")
        elif action == RESIGN:
            self.position.play("resign")
            self._end(other, "R", "resignation", f"{seat} resigned")
        elif self._put(player, action):
            self._press(player, took)
            return True
        return False

    def _left(self, player: int) -> float | None:
        """Seconds after which a player has lost; None where there is no limit."""
        clock = self._clocks[player]
        return None if clock is None else clock.main + (clock.period if clock.stones else 0.0)

    def _press(self, player: int, took: float) -> None:
        """Take the time of a move off a clock; a time for each move is always the whole time."""
        clock = self._clocks[player]
        if clock is not None and self.terms.clock is not None:
            clock.used(took)
            self._show_clock(player)

    def _show_clock(self, player: int) -> None:
        """Let a player see its clock, and end an engine outside when it is up."""
        who, clock, left = self.players[player], self._clocks[player], self._left(player)
        if clock is not None:
            who.clock.__dict__.update(clock.copy().__dict__)
        if left is not None and hasattr(who, "timeout"):
            who.timeout = left

    def _put(self, player: int, action: int) -> bool:
        """Make a move if it is legal; whether it was."""
        try:
            self.position.play(action)
        except IllegalMove as refusal:
            self._end(3 - player, "F", "illegal move", str(refusal))
        except (InputError, TypeError, ValueError):
            said = f"{self._seat(player)} played {shown(action)}, which is no move"
            self._end(3 - player, "F", "illegal move", said)
        else:
            return True
        return False

    def _check_stop(self) -> None:
        if self._stopped():
            raise Stopped

    def _seat(self, player: int) -> str:
        """What a player is called here."""
        return self.position.seat(player)

    def _who(self, player: int) -> str:
        return f"{self._seat(player)} ({self.players[player].name})"

    def _end(self, winner: int | None, result: str, reason: str, detail: str) -> None:
        self.winner, self.reason, self.detail = winner, reason, detail
        self.payoff = self._points(winner)
        fault = winner is not None and result in ("F", "T", "R")
        self.result = f"{self.terms.game.letters[(winner or 1) - 1]}+{result}" if fault else result

    def _points(self, winner: int | None) -> float | None:
        """The first player's points; who has lost and is to play resigns, where the game is not over."""
        if winner is None:
            return None if self.position.payoff is None else 0.0
        if self.position.is_over:
            return self.position.payoff
        return self.position.copy().play("resign").payoff


class SoloReferee(Referee):
    """A game for one: each player plays it by itself with the same luck, and the higher return wins."""

    def play(self) -> None:
        self._lanes = [self.position, self.position.copy()]
        luck = self._luck
        for player, lane in zip((FIRST, SECOND), self._lanes, strict=True):
            self.position = lane
            self._luck = None if luck is None else luck.copy()
            if not (self._begin(player) and self._play_on(lambda player=player: player)):  # type: ignore[misc]
                return
        one, two = (lane.outcome for lane in self._lanes)
        winner = None if one == two else FIRST if one > two else SECOND
        self._end(winner, f"{one:g}:{two:g}", "score", f"returns of {one:g} and {two:g}")

    def moves(self) -> list[str]:
        first, second = (lane.spelled_moves() for lane in self._lanes)
        return [*first, "|", *second]

    def _seat(self, player: int) -> str:
        return SOLO[player - 1]


def referee_for(terms: Terms) -> type[Referee]:
    """Who sees to a game: of two players, or of one."""
    return SoloReferee if terms.game.players == 1 else Referee


def words(error: Exception) -> str:
    """What went wrong, in one line; an error that nobody meant is named too."""
    text = " ".join(str(error).split())[:500]
    return text if isinstance(error, InputError | OSError) else f"{type(error).__name__}: {text}".rstrip(": ")
