"""Alpha-beta search as a player, in any game: over values that the game has, or without any.

Without values it sees no further than its depth: what is not decided there is even.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.games.position import Position
from playout.memory.api import DECIDED
from playout.player.api import RESIGN, Player
from playout.player.clock import Clock
from playout.player.ending import Resignation, ending_of
from playout.search.alphabeta import MAX_DEPTH, AlphaBeta, Enhancements, Found
from playout.settings import setting

CERTAIN = 100.0  # a value beyond which it is no judgement
NODES = 64  # of the first piece of a search, between two looks at the clock
SHORT, LONG = 0.0005, 0.002  # seconds that a piece should take


@dataclass(frozen=True, kw_only=True)
class DeepeningSettings:
    """Settings of alpha-beta search, over any values."""

    depth: int = setting(6, "plies that are searched in full width", low=1, high=MAX_DEPTH)
    seconds: float | None = setting(
        None, "seconds a move at most: deeper and deeper until then, up to `depth`", low=0.001, high=1_000_000
    )
    table: bool = setting(True, "remember positions in a transposition table")
    killers: bool = setting(True, "try first what has refuted a neighbour")
    null_move: bool = setting(False, "cut where skipping a turn is good enough; may change the choice")
    table_bits: int = setting(18, "the table has 2 to this power entries", low=4, high=26)
    resign: float = setting(0.0, "resign when the value of the best move is less than this", low=0, high=1)
    resign_turns: int = setting(3, "on so many turns in a row before it resigns", low=1, high=1000)

    def search(self, memory: np.ndarray, index: np.ndarray, weights: np.ndarray) -> AlphaBeta:
        """A search over the values of a memory."""
        enhancements = Enhancements(table=self.table, killers=self.killers, null_move=self.null_move)
        return AlphaBeta(memory, index, weights, enhancements, bits=self.table_bits)


@dataclass(frozen=True, kw_only=True)
class AlphaBetaSettings(DeepeningSettings):
    """Settings of alpha-beta search over values that a game has, or none."""

    values: str = setting("blank", "what positions are worth at the end of the search; blank: nothing known")


def deepen(
    search: AlphaBeta,
    root: np.ndarray,
    actions: list[int],
    depth: int,
    until: float | None,
    stopped: threading.Event,
    is_enough: Callable[[Found], bool] = lambda found: False,
) -> Found:
    """Search deeper and deeper, up to a depth, while there is time; one ply is searched in any case.

    It looks at the clock every millisecond or two, whatever a node costs in this game.
    """
    search.start(root, np.array(actions))
    best: Found | None = None
    nodes = NODES
    for plies in range(1, depth + 1):
        before = time.monotonic()
        found = search.deepen(plies, nodes)
        while found is None:
            now = time.monotonic()
            if best is not None and (stopped.is_set() or (until is not None and now >= until)):
                return best
            nodes, before = _next_piece(nodes, now - before), now
            found = search.go_on(nodes)
        best = found
        if is_enough(found):
            break
    assert best is not None
    return best


def _next_piece(nodes: int, took: float) -> int:
    """How many nodes to search before the next look at the clock, after so many that took some seconds."""
    if took < SHORT:
        return 2 * nodes
    return max(1, nodes // 2) if took > LONG else nodes


class AlphaBetaPlayer(Player):
    """Searches all moves to a depth, or as deep as its time allows; of equal moves it takes any."""

    settings: AlphaBetaSettings

    def __init__(self, name: str, settings: AlphaBetaSettings, values: Any) -> None:
        self.name, self.settings, self.clock = name, settings, Clock()
        self._resignation = Resignation(settings.resign, settings.resign_turns)
        self._stopped = threading.Event()
        self._search = settings.search(*values.parts())
        self.found: Found | None = None  # by the last search

    def choose_action(self, position: Position) -> int:
        self._stopped.clear()
        if (action := ending_of(position).at_once()) is not None:
            return action
        found = self._search_from(position)
        share = share_of(found.value)
        rate = share if position.to_play == 1 else 1.0 - share
        return RESIGN if self._resignation.is_due(position, rate) else found.action

    def value(self, position: Position) -> float:
        """What the best line ends with, for player 1."""
        self._stopped.clear()
        return share_of(self._search_from(position).value)

    def _search_from(self, position: Position) -> Found:
        s = self.settings
        limits = [limit for limit in (s.seconds, self.clock.budget(position)) if limit is not None]
        until = time.monotonic() + min(limits) if limits else None
        root, actions = position.simulation_root(), position.candidates()
        depth = max(1, min(s.depth, position.longest - len(position.moves)))
        self.found = deepen(self._search, root, actions, depth, until, self._stopped, _is_decided)
        return self.found

    def new_game(self) -> None:
        self._resignation.new_game()

    def warm_up(self, position: Position) -> None:
        self._stopped.set()  # one ply is enough
        self._search_from(position)

    def stop(self) -> None:
        self._stopped.set()


def _is_decided(found: Found) -> bool:
    """Whether somebody is sure to win, so that it does not help to look further."""
    return abs(found.value) >= DECIDED


def share_of(value: float) -> float:
    """A value as a share from 0 to 1: an outcome lies from -DECIDED to DECIDED, a judgement φ·θ is squashed.

    >>> share_of(DECIDED), share_of(0.0), round(share_of(2.0), 2)
    (1.0, 0.5, 0.88)
    """
    if abs(value) > CERTAIN:
        return min(1.0, max(0.0, (value / DECIDED + 1.0) / 2.0))
    return 1.0 / (1.0 + math.exp(-value))
