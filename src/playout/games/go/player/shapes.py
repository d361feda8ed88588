"""Players by learnt values of local shapes: one ply, and alpha-beta (RLGO 1.0; Silver 2009, ch. 5)."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from playout.games.go.board import Board
from playout.games.go.memory.shipped import SHIPPED, memory_for, weights_for
from playout.games.go.ownership import ownership
from playout.games.go.policy import Mogo
from playout.games.go.state import BLACK, PASS
from playout.kernel import kernel, new_rng
from playout.memory.api import after_values, look
from playout.player.alphabeta import DeepeningSettings, deepen
from playout.player.api import RESIGN, Analysis, MoveInfo, Player
from playout.player.clock import Clock
from playout.player.ending import Resignation
from playout.search.alphabeta import Found
from playout.settings import retuned, setting

OWNERSHIP = 100  # simulations that say who owns the board, in an analysis


@kernel
def _values(memories, index, weights, roots, actions, values):
    """φ·θ after each action."""
    look(memories[0], index, weights, roots[0])
    after_values(memories[0], index, weights, roots[0], actions, actions.size, values)


@dataclass(frozen=True, kw_only=True)
class ShapesSettings:
    """Settings of play by learnt values."""

    weights: str = setting(SHIPPED, "learnt weights: 'shipped' or a file", file_unless=(SHIPPED,))
    resign: float = setting(0.0, "resign when the value of the best move is less than this", low=0, high=1)
    resign_turns: int = setting(3, "on so many turns in a row before it resigns", low=1, high=1000)


Rlgo1Settings = retuned(DeepeningSettings, "Rlgo1Settings", depth=4)


@dataclass(frozen=True, kw_only=True)
class LearntAlphaBetaSettings(Rlgo1Settings, ShapesSettings):  # type: ignore[misc, valid-type]
    """Settings of alpha-beta over learnt values."""


class ShapesPlayer(Player):
    """Plays the move after which the learnt value is best for it."""

    settings: ShapesSettings

    def __init__(self, name: str, settings: ShapesSettings) -> None:
        self.name, self.settings, self.clock = name, settings, Clock()
        self._resignation = Resignation(settings.resign, settings.resign_turns)
        self._side = 0
        if settings.weights != SHIPPED:
            weights_for(settings.weights, _side_of(settings.weights))  # a wrong file is refused at once

    def _prepare(self, side: int) -> None:
        """Open the weights for a board size."""
        if side != self._side:
            self._memory, self._index, self._weights = memory_for(weights_for(self.settings.weights, side))
            self._side = side

    def _moves(self, board: Board) -> list[int]:
        """What there is to choose among: a pass only when there is nothing else (section 5.6)."""
        return board.candidates()[:-1] or [PASS]

    def values(self, board: Board) -> tuple[list[int], np.ndarray]:
        """The candidate moves and V after each, for the side to move."""
        self._prepare(board.size)
        moves = self._moves(board)
        values = np.zeros(len(moves), np.float32)
        _values(
            self._memory,
            self._index,
            self._weights,
            board.simulation_root(),
            np.array(moves, np.uint16),
            values,
        )
        return moves, values if board.to_play == BLACK else -values

    def choose_action(self, board: Board) -> int:
        if board.is_over or _wins_by_passing(board):
            return PASS
        moves, values = self.values(board)
        best = len(moves) - 1 - int(np.argmax(values[::-1]))  # of equals the last (Algorithm 3)
        if self.onlooker is not None:
            self.onlooker.tell(next(self.analyse(board)).putting_first(moves[best]))
        return RESIGN if self._resignation.is_due(board, _win(values[best])) else moves[best]

    def new_game(self) -> None:
        self._resignation.new_game()

    def value(self, board: Board) -> float:
        """V after the best move, for Black."""
        _, values = self.values(board)
        best = _win(values.max())
        return best if board.to_play == BLACK else 1.0 - best

    def warm_up(self, board: Board) -> None:
        self.values(board)

    def analyse(self, board: Board) -> Iterator[Analysis]:
        owners = ownership(board, Mogo().record(), OWNERSHIP, new_rng(0))
        while True:
            moves, values = self.values(board)
            share = np.exp(values - values.max())
            share /= share.sum()
            yield Analysis(
                to_play=board.to_play,
                moves=tuple(
                    MoveInfo(moves[k], 1, _win(values[k]), _win(values[k]), float(share[k]), (moves[k],))
                    for k in np.argsort(values, kind="stable")[::-1]
                ),
                ownership=owners.owners,
                score_lead=owners.lead * (1 if board.to_play == BLACK else -1),
            )


class Rlgo1Player(ShapesPlayer):
    """Searches all moves to a depth, or as deep as its time allows."""

    settings: LearntAlphaBetaSettings

    def __init__(self, name: str, settings: LearntAlphaBetaSettings) -> None:
        super().__init__(name, settings)
        self._stopped = threading.Event()
        self.found: Found | None = None  # by the last search

    def _prepare(self, side: int) -> None:
        before = self._side
        super()._prepare(side)
        if side != before:
            self._search = self.settings.search(self._memory, self._index, self._weights)

    def choose_action(self, board: Board) -> int:
        self._stopped.clear()
        if board.is_over or _wins_by_passing(board):
            return PASS
        found = self._search_from(board)
        value = found.value if board.to_play == BLACK else -found.value
        if self.onlooker is not None:
            win = _win(value)
            move = MoveInfo(found.action, found.nodes, win, win, 1.0, (found.action,))
            self.onlooker.tell(replace(next(self.analyse(board)), moves=(move,)))
        return RESIGN if self._resignation.is_due(board, _win(value)) else found.action

    def value(self, board: Board) -> float:
        """V at the end of the best line, for Black."""
        self._stopped.clear()
        return _win(self._search_from(board).value)

    def warm_up(self, board: Board) -> None:
        self._stopped.set()  # one ply is enough
        self._search_from(board)

    def _search_from(self, board: Board) -> Found:
        s = self.settings
        limits = [limit for limit in (s.seconds, self.clock.budget(board)) if limit is not None]
        until = time.monotonic() + min(limits) if limits else None
        self._prepare(board.size)
        root, moves = board.simulation_root(), self._moves(board)
        self.found = deepen(self._search, root, moves, s.depth, until, self._stopped)
        return self.found

    def stop(self) -> None:
        self._stopped.set()


def _wins_by_passing(board: Board) -> bool:
    """Whether the other side has passed and our pass wins, counted as it stands."""
    lead = board.score() if board.to_play == BLACK else -board.score()
    return board.passes > 0 and lead > 0


def _side_of(path: str) -> int:
    from playout.games.go.memory.store import load

    return load(path, "values").shapes.side


def _win(value: float) -> float:
    """The probability to win, from φ·θ of the side to move."""
    return 1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, float(value)))))
