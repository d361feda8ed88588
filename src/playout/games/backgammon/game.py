"""Backgammon, plugged in."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from playout.games.backgammon.rules import FACTS
from playout.games.backgammon.state import MOST_LENGTH, STATE, start
from playout.games.game import Game
from playout.settings import setting


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a game of backgammon is played under."""

    length: int = setting(0, "points of the match; 0: for money", low=0, high=MOST_LENGTH)
    jacoby: bool = setting(False, "gammons count only once somebody has doubled")


GAME = Game(
    name="backgammon",
    summary="bring fifteen checkers home and off, by the dice",
    state=STATE,
    options=Options,
    start=start,
    amaf=False,  # what a play is worth depends on where the checkers are
    **dataclasses.asdict(FACTS),
)
