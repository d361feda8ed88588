"""The end of a game as a player sees it: when to resign, and what is to be done beside searching.

Most games need nothing of the second kind. Go does, whose games end by agreement (`games.go.ending`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from playout.errors import InputError
from playout.games.position import Position

SIMULATIONS, QUICK = 200, 20  # that may tell something, and when there is no time
HURRY = 0.03  # seconds for a move under which there is none


@dataclass(frozen=True)
class Resignation:
    """Gives a game up that has looked lost for some turns in a row."""

    below: float  # a winning rate, from 0 to 1; with 0 no game is given up
    turns: int
    _lost: dict[int, set[int]] = field(default_factory=dict)  # by player: the turns that looked lost

    def new_game(self) -> None:
        """Forget what was."""
        self._lost.clear()

    def is_due(self, position: Position, winrate: float) -> bool:
        """Whether to resign now. winrate: of the best move of the side to play."""
        lost = self._lost.setdefault(position.to_play, set())
        if winrate >= self.below:
            lost.clear()
            return False
        lost.add(len(position.moves))
        lost.intersection_update(range(len(position.moves) + 1))  # after an undo
        return len(lost) >= self.turns


class Ending:
    """What is to be done beside searching, at one position; a game may have a kind of its own
    (`Game.ending`).

    policy: settings of the policy that plays on, simulations: how many of it may tell something; what takes
    simulations is found out once, if asked.
    """

    def __init__(self, position: Position, policy: Any = None, simulations: int = SIMULATIONS) -> None:
        self.position, self.policy, self.simulations = position, policy, simulations

    def at_once(self) -> int | None:
        """A move that needs no search; None where there is none."""
        if self.position.is_over:
            raise InputError("the game is over: there is no move to choose")
        if self.position.is_chance:
            raise InputError("chance moves now, and no player")
        return None

    def decide(self, ranked: Sequence[tuple[int, float]], value: float | None) -> int:
        """The move to play. ranked: moves with their winning rates, the best first.

        value: what the position is worth to the mover, where the search has seen enough to tell.
        """
        return ranked[0][0]

    def pick(self, tied: Sequence[int]) -> int | None:
        """The move to play among equals; None where any will do."""
        return None

    def warm_up(self) -> None:
        """Compile what the questions need."""


def checks_until(until: float | None) -> int:
    """How many simulations the questions before and after a search may take, where the move has to be made
    at a moment, or at none."""
    return QUICK if until is not None and until - time.monotonic() < HURRY else SIMULATIONS


def ending_of(position: Position, policy: Any = None, simulations: int = SIMULATIONS) -> Ending:
    """The ending of a position, of the kind that its game has."""
    kind = position.game.ending or Ending
    return kind(position, policy, simulations)
