"""What a temporal-difference search has learnt about a position (Silver 2009, 6.10; Figures 6.9, 6.11, 7.2).

The value of a move is V(s∘a) = σ(φ·θ + φ·θ̄): what the long-term memory θ knew before, and what the search
has added in its short-term memory θ̄. Here both are seen apart as well: each move's value by one of them
alone, and the local shapes with the largest weights, at their places on the board. Search learns into one
memory that begins as the long-term one (7.4), so the short-term weights are what it has added since.

Values are chances to win of the side to move. Weights are as in φ·θ: above 0 good for Black, below for White.

>>> from playout.games.go.board import Board
>>> board = Board(5, komi=0.5).play("C3").play("C2")
>>> found = look_inside(board, "dyna2:sims=200,seed=1")
>>> found.chosen == max(found.moves, key=lambda move: move.value).move
True
>>> shape = found.heaviest("sum", 1)[0]
>>> shape.stands, shape.weight == shape.long_term + shape.short_term
(True, True)
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.errors import InputError, shown
from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.memory.shapes import Features, Shape, Shapes, features_of
from playout.games.go.memory.short_term import ShortTerm
from playout.games.go.player.td_search import ShapesSearchPlayer
from playout.games.go.state import BLACK
from playout.player.api import Player
from playout.player.registry import make_player
from playout.search.td_search import TDSearch

MEMORIES = {  # whose weights may be looked at, and the field that has them
    "long-term": "long_term",
    "short-term": "short_term",
    "sum": "weight",
    "change": "change",  # by this search alone; what was learnt earlier in the game is short-term too
}
TOP = 20  # as in Figure 6.11


@dataclass(frozen=True)
class MoveValue:
    """A legal move, and the mover's chance to win after it by each memory alone and by both."""

    move: str
    action: int
    long_term: float
    short_term: float
    value: float  # by both: what the player goes by


@dataclass(frozen=True)
class PlacedShape:
    """A local shape at its place, with its weights; above 0: good for Black."""

    at: str  # its upper left point
    size: int
    rows: tuple[str, ...]  # X Black, O White, . empty
    stands: bool  # whether it is on the board now
    long_term: float
    short_term: float
    change: float

    @property
    def weight(self) -> float:
        """Both memories' weights added up, which is what the search reads."""
        return self.long_term + self.short_term

    def of(self, memory: str) -> float:
        """Its weight in one of `MEMORIES`."""
        return float(getattr(self, MEMORIES[memory]))

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        facts = dataclasses.asdict(self) | {"weight": self.weight, "rows": list(self.rows)}
        return {key: round(x, 6) if isinstance(x, float) else x for key, x in facts.items()}


@dataclass(frozen=True)
class Insight:
    """What a player's search has learnt about a position.

    learnt: by memory, the shapes of largest weight among all features, standing or not, some of each size.
    """

    player: str
    board: Board
    simulations: int
    before: int  # simulations earlier in the game, whose weights were kept
    has_long_term: bool
    chosen: str  # the move that the search prefers
    moves: tuple[MoveValue, ...]  # the best first
    standing: tuple[PlacedShape, ...]  # every shape with a stone that is on the board
    learnt: dict[str, tuple[PlacedShape, ...]]

    def heaviest(self, memory: str = "sum", count: int = TOP, everywhere: bool = False) -> list[PlacedShape]:
        """The shapes with the largest weights in a memory, whomever they are good for.

        everywhere: among all features, as in Figure 6.11; else among those that stand on the board.
        """
        if memory not in MEMORIES:
            raise InputError(f"memory {shown(memory)} is not one of {', '.join(MEMORIES)}")
        shapes = self.learnt[memory] if everywhere else self.standing
        order = sorted((s for s in shapes if s.of(memory)), key=lambda shape: -abs(shape.of(memory)))
        return order[:count]

    def as_json(self, count: int = TOP) -> dict[str, Any]:
        """As plain values, with so many shapes by each memory."""
        board = self.board
        return {
            "player": self.player,
            "size": board.size,
            "komi": board.komi,
            "move": len(board.moves),
            "to_play": "B" if board.to_play == BLACK else "W",
            "simulations": self.simulations,
            "before": self.before,
            "chosen": self.chosen,
            "values": [
                {
                    "move": move.move,
                    "long_term": round(move.long_term, 6),
                    "short_term": round(move.short_term, 6),
                    "value": round(move.value, 6),
                }
                for move in self.moves
            ],
            "shapes": self._shapes(count, False),
            "learnt": self._shapes(count, True),
        }

    def _shapes(self, count: int, everywhere: bool) -> dict[str, list[dict[str, Any]]]:
        return {
            field: [shape.as_json() for shape in self.heaviest(memory, count, everywhere)]
            for memory, field in MEMORIES.items()
        }


def look_inside(board: Board, player: str | Player, top: int = TOP) -> Insight:
    """Let a player (td-search, dyna2 or rlgo) search a position as for a move, and see what it has learnt.

    A player that has learnt something in this game begins with a copy of that; it is itself not changed.
    top: shapes of each size among all features.
    """
    chosen = _searcher(board, player)
    search = chosen.look(board)
    try:
        before = search.weights.copy()
        best = chosen.think(board, search)[0][0]
        return _insight(board, chosen, search, best, before, top)
    finally:
        search.close()


def recall(board: Board, player: Player, top: int = TOP) -> Insight:
    """The same by what the player's last search in this game has learnt; a new one only where none was."""
    chosen = _searcher(board, player)
    search = chosen.recall(board)
    if search is None:
        return look_inside(board, chosen, top)
    best = chosen.ranked(board, search, time.monotonic())[0][0]
    return _insight(board, chosen, search, best, search.weights, top)


def _searcher(board: Board, player: str | Player) -> ShapesSearchPlayer:
    """The player, if it can be looked into, and at this board."""
    found = make_player(player) if isinstance(player, str) else player
    if not isinstance(found, ShapesSearchPlayer) or not isinstance(found.memory(), ShortTerm):
        raise InputError(f"player {found.name} learns no shapes in its search; td-search, dyna2 and rlgo do")
    if board.is_over:
        raise InputError("there is nothing to look into: the game is over")
    return found


def _insight(
    board: Board, player: ShapesSearchPlayer, search: TDSearch, best: int, before: np.ndarray, top: int
) -> Insight:
    """What a search at a board has learnt. before: its weights when it began."""
    memory = player.memory()
    assert isinstance(memory, ShortTerm)
    long_term = memory.parts_for(board.record).weights
    weights = search.weights
    short_term = weights - long_term
    actions = board.legal_moves()
    values = [search.values(actions, used) for used in (long_term, short_term, weights)]
    if board.to_play != BLACK:
        values = [1.0 - value for value in values]
    moves = [
        MoveValue(board.spell(action), action, *map(float, each))
        for action, each in zip(actions, zip(*values, strict=True), strict=True)
    ]
    sizes = tuple(size for size in memory.sizes if size <= board.size)
    features = features_of(Shapes(side=board.size, sizes=sizes, sharing="none"))
    by_memory = {
        "long-term": features.theta(long_term),
        "short-term": features.theta(short_term),
        "sum": features.theta(weights),
        "change": features.theta(weights - before),
    }
    present = _present(board, features)
    stones = present[present != features.starts]  # shapes of nothing but empty points are no features
    return Insight(
        player=player.spec or player.name,
        board=board.copy(),
        simulations=search.simulations,
        before=search.before,
        has_long_term=bool(memory.long_term),
        chosen=board.spell(best),
        moves=tuple(sorted(moves, key=lambda move: -move.value)),
        standing=_placed(stones, present, features, by_memory),
        learnt={
            name: _placed(_largest(theta, features, top), present, features, by_memory)
            for name, theta in by_memory.items()
        },
    )


def _present(board: Board, features: Features) -> np.ndarray:
    """By region: the number of the feature that is active in it."""
    numbers = features.starts.astype(np.int64)
    for row in range(board.size):
        for column in range(board.size):
            if color := board.color_at(coords.point(row, column)):
                for region, digit in features.touching(row, column):
                    numbers[region] += color * digit
    return numbers


def _largest(theta: np.ndarray, features: Features, count: int) -> np.ndarray:
    """The numbers of the features of largest weight, so many of each size that have one."""
    found = []
    ends = np.append(features.starts[1:], theta.size)
    for size in features.shapes.sizes:
        of_size = [k for k, region in enumerate(features.regions) if region[0] == size]
        low, high = int(features.starts[of_size[0]]), int(ends[of_size[-1]])
        weights = np.abs(theta[low:high])
        most = np.argsort(-weights, kind="stable")[:count]
        found.append(low + most[weights[most] > 0])
    return np.concatenate(found)


def _placed(
    numbers: Sequence[int] | np.ndarray,
    present: np.ndarray,
    features: Features,
    by_memory: dict[str, np.ndarray],
) -> tuple[PlacedShape, ...]:
    """Features as people see them."""
    side = features.shapes.side
    shapes = []
    for number in map(int, numbers):
        region = int(np.searchsorted(features.starts, number, side="right")) - 1
        size, row, column = features.regions[region]
        shape = Shape(size, "none", (row, column), number - int(features.starts[region]))
        shapes.append(
            PlacedShape(
                at=coords.vertex(coords.point(row, column), side),
                size=size,
                rows=tuple(shape.rows()),
                stands=int(present[region]) == number,
                long_term=float(by_memory["long-term"][number]),
                short_term=float(by_memory["short-term"][number]),
                change=float(by_memory["change"][number]),
            )
        )
    return tuple(shapes)
