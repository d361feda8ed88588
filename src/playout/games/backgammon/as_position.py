"""A game of backgammon that people touch: from any position, with words for how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from playout.games.backgammon import ids
from playout.games.backgammon.rules import NO_PLAY, worth_of
from playout.games.backgammon.state import CENTRED, check_dice
from playout.games.position import Position, Verdict
from playout.kernel import clone

if TYPE_CHECKING:
    from collections.abc import Sequence

WORTH = {1: "a single game", 2: "a gammon", 3: "a backgammon"}


class BackgammonPosition(Position):
    """A game under way.

    >>> position = BackgammonPosition.from_id("4HPwATDgc/ABMA", dice=(3, 1))
    >>> position.play("8/5 6/5").id
    'sGfwATDgc/ABMA:MAEAAAAAAAAE'
    >>> position.undo().play("13/4")
    Traceback (most recent call last):
    ...
    playout.games.position.IllegalMove: '13/4' is no legal play of 3-1: legal are 6/2, 6/5 6/3, 8/7 6/3, \
24/23 6/3, 8/4, 8/5 6/5, 8/7 8/5, 24/23 8/5 and 8 more
    """

    @classmethod
    def from_state(cls, state: np.ndarray) -> BackgammonPosition:
        """A game that goes on from a state, an array of one record."""
        from playout.games.backgammon.game import GAME, Options

        options = Options(length=int(state["length"][0]), jacoby=bool(state["jacoby"][0]))
        position = cls(GAME, options)
        position._array = clone(state)
        return position

    @classmethod
    def from_id(cls, word: str, dice: Sequence[int] | None = None) -> BackgammonPosition:
        """A game that goes on from an ID of any kind (`ids.read_id`); dice: what has been rolled."""
        state = ids.read_id(word)
        if dice is not None:
            state["dice"] = check_dice(list(dice))
        return cls.from_state(state)

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

    def idle_move(self) -> int | None:
        """No play, where no die can be played."""
        return NO_PLAY if self.legal_moves() == [NO_PLAY] else None

    @property
    def outcome(self) -> float:
        """Player 1's points, in units of the cube; who resigns loses what the position counts as it is."""
        if self.resigned is not None:
            lost = float(worth_of(self._array[0], 2 - self.resigned))
            return -lost if self.resigned == 1 else lost
        return super().outcome

    def result(self) -> str:
        """The result in a word: ``X+1``, ``O+4``, with the cube; ``X+1R``: by resignation."""
        if self.winner is None:
            return "0"
        how = "R" if self.resigned is not None else ""
        return f"{self.game.letters[self.winner - 1]}+{self.points}{how}"

    @property
    def points(self) -> int:
        """What the winner gets."""
        return round(abs(self.outcome)) * self.cube

    @property
    def payoff(self) -> float:
        """Player 1's points, with the cube."""
        return self.outcome * self.cube

    def verdict(self) -> Verdict:
        """Who has won a game that has ended, and how much."""
        what = WORTH.get(round(abs(self.outcome)), "")
        doubled = f" with the cube on {self.cube}" if self._array["owner"][0] != CENTRED else ""
        detail = f"{self.seat(self.winner or 1)} wins {what}{doubled}" if self.winner else "unfinished"
        return Verdict(self.winner, self.result(), detail)
