"""Two small memories of tic-tac-toe for tests: stones on cells, and what stands on the rows of three."""

from dataclasses import dataclass

import numpy as np

from playout.games import api as game
from playout.games.toy.tictactoe import LINES, TICTACTOE
from playout.kernel import implements, inner, record_type
from playout.memory import api
from playout.memory.api import Parts

CELLS = record_type([("cells_room", TICTACTOE, (1,)), ("cells_features", "u4", (10,))])
ROWS = record_type([("rows_room", TICTACTOE, (1,)), ("rows_features", "u4", (10,))])


@inner
def cells_of(state, features):
    count = 0
    for cell in range(9):
        if state.cells[cell]:
            features[count] = 2 * (2 * cell + state.cells[cell])
            count += 1
    return count


@inner
def rows_of(state, features):
    for k in range(8):
        code = 0
        for i in range(3):
            code = 3 * code + np.int64(state.cells[LINES[k, i]])
        features[k] = 2 * (27 * k + code + 1)
    return 8


@implements(api.active, CELLS)
def active_cells(memory, index, state, features):
    return cells_of(state, features)


@implements(api.active, ROWS)
def active_rows(memory, index, state, features):
    return rows_of(state, features)


@inner
def decided(state, x):
    if not game.is_over(state):
        return x
    return api.DECIDED * (2 * game.outcome(state) - 1)


@implements(api.after_values, CELLS)
def after_cells(memory, index, weights, state, actions, count, values):
    for k in range(count):
        memory.cells_room[0] = state
        game.play(memory.cells_room[0], actions[k])
        n = cells_of(memory.cells_room[0], memory.cells_features)
        values[k] = decided(memory.cells_room[0], api.total(weights, memory.cells_features, n))


@implements(api.after_values, ROWS)
def after_rows(memory, index, weights, state, actions, count, values):
    for k in range(count):
        memory.rows_room[0] = state
        game.play(memory.rows_room[0], actions[k])
        n = rows_of(memory.rows_room[0], memory.rows_features)
        values[k] = decided(memory.rows_room[0], api.total(weights, memory.rows_features, n))


def naive_cells(state):
    """The same features in plain Python, by name."""
    return [("cell", k, int(stone)) for k, stone in enumerate(state["cells"]) if stone]


def naive_rows(state):
    return [("row", k, *(int(state["cells"][i]) for i in line)) for k, line in enumerate(LINES)]


@dataclass(frozen=True)
class Toy:
    """A memory of one of the two kinds; seed: of the weights that it begins with, None for 0."""

    kind: str = "cells"
    seed: int | None = None

    @property
    def naive(self):
        return naive_cells if self.kind == "cells" else naive_rows

    def names(self):
        """All features by the places of their weights."""
        if self.kind == "cells":
            return {2 * (2 * c + s): ("cell", c, s) for c in range(9) for s in (1, 2)}
        codes = [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]
        return {2 * (27 * k + j + 1): ("row", k, *code) for k in range(8) for j, code in enumerate(codes)}

    def parts_for(self, root):
        memory = np.zeros(1, CELLS if self.kind == "cells" else ROWS)
        weights = np.zeros(2 * (21 if self.kind == "cells" else 218), np.float32)
        if self.seed is not None:
            rng = np.random.default_rng(self.seed)
            for place in self.names():
                weights[place] = rng.normal() * 0.3
                weights[place + 1] = -weights[place]
        return Parts(memory, np.zeros(1, np.uint32), weights, 9)

    def by_name(self, weights):
        """Weights as the naive twin has them."""
        return {name: float(weights[place]) for place, name in self.names().items() if weights[place]}


# -- any game with small keys ---------------------------------------------------------------------------

PLACES = 1024
KEYED = record_type([("keyed_by", "i8", (2,))])  # how many keys share a feature, in each of two tables


@implements(api.active, KEYED)
def active_keyed(memory, index, state, features):
    key = np.int64(game.position_key(state))
    count = 0
    for k in range(2):
        if memory.keyed_by[k]:
            features[count] = 2 * (k * PLACES + key // memory.keyed_by[k] + 1)
            count += 1
    return count


@dataclass(frozen=True)
class Keyed:
    """Features by position_key: each key, or several neighbours together, or both."""

    by: tuple[int, int] = (1, 0)

    def naive(self, state):
        key = int(game.position_key(state))
        return [(k, key // by) for k, by in enumerate(self.by) if by]

    def parts_for(self, root):
        memory = np.zeros(1, KEYED)
        memory["keyed_by"] = self.by
        return Parts(memory, np.zeros(1, np.uint32), np.zeros(4 * PLACES + 2, np.float32), 2)
