"""A game of backgammon, or a match of several, that people touch: from any position, with words for how it
ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playout.errors import InputError
from playout.games import api
from playout.games.backgammon import ids
from playout.games.backgammon.doubling import DOUBLE, PASS, ROLL, TAKE, may_double
from playout.games.backgammon.rules import NO_PLAY, worth_of
from playout.games.backgammon.state import (
    CENTRED,
    DROPPED,
    MAY_DOUBLE,
    NOTHING,
    OFFERED,
    UNUSED,
    check_dice,
    start,
)
from playout.games.position import CHANCE, Position, Verdict
from playout.kernel import clone

if TYPE_CHECKING:
    from collections.abc import Sequence

WORTH = {1: "a single game", 2: "a gammon", 3: "a backgammon"}


class BackgammonPosition(Position):
    """A game under way; with the option `match` the games of a match one after the other.

    >>> position = BackgammonPosition.from_id("4HPwATDgc/ABMA", dice=(3, 1))
    >>> position.play("8/5 6/5").id
    'sGfwATDgc/ABMA:MAEAAAAAAAAE'
    >>> position.undo().play("13/4")
    Traceback (most recent call last):
    ...
    playout.games.position.IllegalMove: '13/4' is no legal play of 3-1: legal are 6/2, 6/5 6/3, 8/7 6/3, \
24/23 6/3, 8/4, 8/5 6/5, 8/7 8/5, 24/23 8/5 and 8 more

    With the cube the player on roll rolls or doubles, and the other one takes or passes.

    >>> position = BackgammonPosition.from_id("4HPwATDgc/ABMA", cube=True)
    >>> position.play("double").play("take").cube
    2
    """

    def __init__(self, game: Any, options: Any) -> None:
        if options.match and not options.length:
            raise InputError("match=true plays a whole match: say how long it is, as in length=5")
        super().__init__(game, options)

    @classmethod
    def from_state(cls, state: np.ndarray) -> BackgammonPosition:
        """A game that goes on from a state, an array of one record."""
        from playout.games.backgammon.game import GAME, Options

        options = Options(
            length=int(state["length"][0]),
            jacoby=bool(state["jacoby"][0]),
            cube=bool(state["doubling"][0] != UNUSED),
        )
        position = cls(GAME, options)
        position._array = clone(state)
        return position

    @classmethod
    def from_id(cls, word: str, dice: Sequence[int] | None = None, cube: bool = False) -> BackgammonPosition:
        """A game that goes on from an ID of any kind (`ids.read_id`).

        dice: what has been rolled. cube: whether players double; then who is on roll may do so now.
        """
        state = ids.read_id(word)
        if dice is not None:
            if state["doubling"][0] == OFFERED:
                raise InputError("a double has been offered: there are no dice before it is taken")
            state["dice"] = check_dice(list(dice))
        return cls.from_state(with_cube(state) if cube else state)

    # -- the position -------------------------------------------------------------------------------

    @property
    def by_record(self) -> bool:  # type: ignore[override]
        """Whether compiled code may play whole games: policies know nothing of the cube, nor of a match."""
        return not (self.options.cube or self.options.match)

    @property
    def id(self) -> str:
        """GNU Backgammon's position ID and match ID."""
        return ids.full_id(self._array)

    @property
    def xgid(self) -> str:
        """The XGID."""
        return ids.xgid(self._array)

    @property
    def dice(self) -> tuple[int, int] | None:
        """What has been rolled, the larger one first; None before that."""
        large, small = (int(die) for die in self._array["dice"][0])
        return (large, small) if large else None

    @property
    def cube(self) -> int:
        """What the cube shows."""
        return 1 << int(self._array["cube"][0])

    @property
    def is_decided_apart(self) -> bool:
        """Whether somebody has to say whether he doubles, or takes."""
        return not self.is_over and int(self._array["doubling"][0]) in (MAY_DOUBLE, OFFERED)

    @property
    def score(self) -> tuple[int, int]:
        """The points of both players in the match, with those of a game that has ended."""
        points = [int(won) for won in self._array["score"][0]]
        if self.winner is not None:
            points[self.winner - 1] += self.won
        return points[0], points[1]

    def simulation_root(self) -> np.ndarray:
        """A copy of the state from which simulations start: they know nothing of doubles."""
        state = clone(self._array)
        state["doubling"] = UNUSED
        return state

    def idle_move(self) -> int | None:
        """No play, where no die can be played."""
        return NO_PLAY if self.legal_moves() == [NO_PLAY] else None

    def line_from(self, number: int, turn: int) -> list[int] | None:
        """The moves after so many, as a tree counts them: without a word that somebody rolls.

        None where the cube was turned or another game of the match has begun: no tree knows of that.
        """
        later = self.moves[number:]
        if any(bool(state["opening"][0]) for state in self.history[number + 1 :]):
            return None
        if any(move.player != CHANCE and move.action in (DOUBLE, TAKE, PASS) for move in later):
            return None
        return [move.action for move in later if move.player == CHANCE or move.action != ROLL]

    # -- the games of a match -----------------------------------------------------------------------

    def _step(self, player: int, action: int, change: Any) -> None:
        super()._step(player, action, change)
        if self.options.match and api.is_over(self._array[0]):
            following = self._next_game()
            if following is not None:
                self._array = following

    def _next_game(self) -> np.ndarray | None:
        """The start of the next game of the match; None where that is over.

        The first game in which somebody needs one point is the Crawford game. Who did not begin the last game
        begins the next.
        """
        before, length = [int(points) for points in self._array["score"][0]], int(self.options.length)
        score = list(before)
        score[0 if api.outcome(self._array[0]) > 0 else 1] += self.won
        if max(score) >= length:
            return None
        began = next(int(state["turn"][0]) for state in reversed(self._earlier) if state["opening"][0])
        following = start(length, self.options.jacoby, self.options.cube)
        following["score"], following["turn"] = score, 3 - began
        following["crawford"] = length - 1 in score and length - 1 not in before
        return following

    # -- the end ------------------------------------------------------------------------------------

    @property
    def won(self) -> int:
        """What the winner of the game on the board gets: its outcome times the cube."""
        return round(abs(self._game_outcome())) * self.cube

    def _game_outcome(self) -> float:
        if self.resigned is not None:
            lost = float(worth_of(self._array[0], 2 - self.resigned))
            return -lost if self.resigned == 1 else lost
        return super().outcome

    @property
    def outcome(self) -> float:
        """Player 1's points, in units of the cube; who resigns loses what the position counts as it is.

        Of a whole match 1 if he has won it, and −1 if he has lost; who resigns gives up the match.
        """
        outcome = self._game_outcome()
        return float(np.sign(outcome)) if self.options.match and self.is_over else outcome

    @property
    def points(self) -> int:
        """What the winner gets: the outcome times the cube; 1 for a match."""
        return 1 if self.options.match else self.won

    @property
    def payoff(self) -> float:
        """Player 1's points; of a match 1 or −1."""
        return float(np.sign(self.outcome)) * self.points if self.is_over else 0.0

    def result(self) -> str:
        """The result in a word: ``X+1``, ``O+4``, with the cube; of a match its score, ``X+5-3``.

        ``X+1R``: by resignation.
        """
        if self.winner is None:
            return "0"
        how = "R" if self.resigned is not None else ""
        letter = self.game.letters[self.winner - 1]
        if self.options.match:
            return f"{letter}+" + (how or "{}-{}".format(*sorted(self.score, reverse=True)))
        return f"{letter}+{self.points}{how}"

    def verdict(self) -> Verdict:
        """Who has won a game or a match that has ended, and how much."""
        if self.winner is None:
            return Verdict(None, self.result(), "unfinished")
        who, other = self.seat(self.winner), self.seat(3 - self.winner)
        if self.options.match:
            high, low = sorted(self.score, reverse=True)
            given_up = f": {other} gives it up" if self.resigned is not None else f" {high} to {low}"
            return Verdict(self.winner, self.result(), f"{who} wins the match{given_up}")
        return Verdict(self.winner, self.result(), f"{who} wins {self._how()}")

    def _how(self) -> str:
        """What a game was won with."""
        if self._array["doubling"][0] == DROPPED:
            points = f"{self.won} point{'s' if self.won > 1 else ''}"
            return f"{points}: the double to {2 * self.cube} is passed"
        doubled = f" with the cube on {self.cube}" if self._array["owner"][0] != CENTRED else ""
        return f"{WORTH.get(round(abs(self._game_outcome())), '')}{doubled}"


def with_cube(state: np.ndarray) -> np.ndarray:
    """The same state where players double; who is on roll may, if he has the cube."""
    changed = clone(state)
    if state["doubling"][0] == UNUSED:
        free = state["dice"][0, 0] == 0 and not state["opening"][0] and may_double(state[0])
        changed["doubling"] = MAY_DOUBLE if free else NOTHING
    return changed
