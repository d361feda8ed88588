"""Positions with values to learn from: what a data set is, and how it lies in a file.

Silver & Tesauro (2009, section 6): positions of random games (or of another policy's games), each
with V̂* by deep search; for two-step balancing also the values of all positions two moves later. On small
boards the solver gives the true minimax value of what it gets through. Train and test sets are apart by game,
as no two positions are of one game. `position_maker` makes them.

>>> from playout.games.go.learn.position_maker import make
>>> data = make(Recipe(size=3, komi=0.5, sims=0, exact_nodes=20_000), 4)
>>> data.roots["side"].tolist(), data.exact.dtype
([3, 3, 3, 3], dtype('int8'))
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import playout
from playout.errors import InputError, near
from playout.games.go.board import Board
from playout.games.go.rules import put_stone
from playout.games.go.solve import Solver
from playout.games.go.state import BLACK, EMPTY, PASS, STATE, STRIDE, WHITE, reset
from playout.kernel import kernel
from playout.learn.two_step import Leaves
from playout.memory.archives import Archives, read_arrays, write_arrays

KIND, VERSION, WHAT = "positions with values", 1, "data set"
FILES = Archives("a data set", KIND)
UNKNOWN = -128  # exact score of a position that was not solved
NO_POINT = -1
GAMES = ("uniform", "mogo", "tactical", "mango")  # policies that may play the games
COLUMNS = ("roots", "searched", "actions", "exact", "winner", "is_test", "moves")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a data set is made. A position depends on nothing else than this and its number."""

    size: int = 5
    komi: float = 7.5
    games: str = "uniform"  # the policy that plays the games
    search: str = "mogo"  # the player whose tree search gives the values
    sims: int = 10_000  # simulations of a deep search; 0 for none
    leaf_sims: int = 0  # simulations of every position two moves later; 0 for none
    exact_nodes: int = 0  # nodes of the solver for who wins, and again for the score; 0 to leave it out
    test: float = 0.2  # share of positions for testing
    seed: int = 1

    def __post_init__(self) -> None:
        Board(self.size, self.komi)
        if self.games not in GAMES:
            word = str(self.games)
            raise InputError(f"games: {word[:40]!r} is not a policy that plays them{near(word, GAMES)}")
        for name, value in (("sims", self.sims), ("leaf_sims", self.leaf_sims)):
            if not 0 <= value <= 10**9:
                raise InputError(f"{name}: {value} is not a number of simulations from 0 to 1,000,000,000")
        if not 0 <= self.exact_nodes <= 10**12:
            raise InputError(f"exact_nodes: {self.exact_nodes} is not a number of nodes from 0 on")
        if self.exact_nodes:
            Solver(self.size, memory=1, nodes=1)  # refuses boards that are too large
        if not self.sims and not self.exact_nodes:
            raise InputError("a data set takes values from a search (sims), the solver (exact_nodes) or both")
        if not 0 <= self.test < 1:
            raise InputError(f"test: {self.test} is not a share from 0 to below 1")
        if self.seed < 0:
            raise InputError(f"seed: {self.seed} is not a number of at least 0")

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)


@dataclass(frozen=True)
class Positions:
    """A data set."""

    recipe: Recipe
    roots: np.ndarray  # state records, as simulations take them
    searched: np.ndarray  # V̂* of the deep search, Black's chance to win; NaN without one
    actions: np.ndarray  # the most visited move of the deep search, a point of the record; PASS without one
    exact: np.ndarray  # Black's area less White's with best play, komi not counted; UNKNOWN where not solved
    winner: np.ndarray  # the minimax value with komi: 1 for Black, 0 for White, ½ a draw; NaN where not known
    is_test: np.ndarray
    moves: np.ndarray  # of the game before the position
    leaves: Leaves | None = None

    def __len__(self) -> int:
        return len(self.roots)

    @property
    def solved(self) -> np.ndarray:
        """Where the exact score is known."""
        return self.exact != UNKNOWN

    @property
    def decided(self) -> np.ndarray:
        """Where it is known who wins with best play, which takes less than the score."""
        return ~np.isnan(self.winner)

    @property
    def values(self) -> np.ndarray:
        """V̂*: the exact value where it is known, else that of the deep search; NaN where there is neither."""
        return np.where(self.decided, self.winner, self.searched)

    def where(self, chosen: np.ndarray) -> Positions:
        """Some of the positions: a mask or numbers."""
        numbers = np.flatnonzero(chosen) if chosen.dtype == bool else np.asarray(chosen)
        leaves = None
        if self.leaves is not None:
            found = self.leaves
            rows = [np.arange(found.starts[k], found.starts[k + 1]) for k in numbers]
            starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
            row = np.concatenate(rows) if rows else np.empty(0, np.int64)
            leaves = Leaves(starts, found.first[row], found.second[row], found.value[row])
        columns: dict[str, Any] = {name: getattr(self, name)[numbers] for name in COLUMNS}
        return Positions(recipe=self.recipe, leaves=leaves, **columns)

    @property
    def train(self) -> Positions:
        """The positions to learn from."""
        return self.where(~self.is_test)

    @property
    def test(self) -> Positions:
        """The positions to test on, of other games."""
        return self.where(self.is_test)

    def facts(self) -> dict[str, Any]:
        """What a file says of itself."""
        return {
            "kind": KIND,
            "version": VERSION,
            "positions": len(self),
            "test_positions": int(self.is_test.sum()),
            "solved": int(self.solved.sum()),
            "decided": int(self.decided.sum()),
            "leaves": 0 if self.leaves is None else len(self.leaves.value),
            "recipe": self.recipe.facts(),
            "made_by": f"playout {playout.__version__}",
        }

    def save(self, path: str | Path, alone: bool = False, force: bool = False) -> None:
        """Write the archive and, unless it is to be alone, its facts as JSON beside it.

        force: also over files that are no data set.
        """
        facts = self.facts()
        FILES.check(path, force)
        if not alone:
            FILES.write_facts(path, facts)  # first: the archive says that all is done
        write_arrays(path, facts, _arrays(self))


def joined(parts: list[Positions]) -> Positions:
    """Data sets of one recipe as one."""
    leaves = None
    found = [part.leaves for part in parts if part.leaves is not None]
    if len(found) == len(parts):
        counts = np.concatenate([np.diff(leaf.starts) for leaf in found])
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(leaf, name) for leaf in found])
            for name in ("first", "second", "value")
        }
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        leaves = Leaves(starts=starts, **columns)
    joint: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS
    }
    return Positions(recipe=parts[0].recipe, leaves=leaves, **joint)


def rebuilt(data: Positions) -> Positions:
    """The same data as if it came from a file: records have lists whose order depends on the game."""
    return _checked("it", data.recipe, _arrays(data))


# -- in a file ----------------------------------------------------------------------------------------


def _to_place(points: np.ndarray, side: int) -> np.ndarray:
    """Points of the record as numbers of the board's points row by row, NO_POINT for none."""
    p = points.astype(np.int16)
    return np.where(p == PASS, NO_POINT, (p // STRIDE - 1) * side + p % STRIDE - 1).astype(np.int16)


def _to_point(places: np.ndarray, side: int) -> np.ndarray:
    """The inverse."""
    k = places.astype(np.int16)
    return np.where(k == NO_POINT, PASS, (k // side + 1) * STRIDE + k % side + 1).astype(np.uint16)


def _arrays(data: Positions) -> dict[str, np.ndarray]:
    """A data set as a file has it: boards row by row, whatever the records look like inside."""
    side, roots = data.recipe.size, data.roots
    points = _to_point(np.arange(side * side), side)
    arrays = {
        "color": roots["color"][:, points],
        "to_play": roots["to_play"].copy(),
        "passes": roots["passes"].copy(),
        "ko": _to_place(roots["ko"], side),
        "last": _to_place(roots["last"], side),
        "searched": data.searched,
        "action": _to_place(data.actions, side),
        "exact": data.exact,
        "winner": data.winner,
        "is_test": data.is_test,
        "moves": data.moves,
    }
    if data.leaves is not None:
        arrays["leaf_starts"] = data.leaves.starts
        arrays["leaf_first"] = _to_place(data.leaves.first, side)
        arrays["leaf_second"] = _to_place(data.leaves.second, side)
        arrays["leaf_value"] = data.leaves.value
    return arrays


@kernel
def _set_up(states, colors, side):
    """Put the stones of positions on their boards; the number of the first one that cannot be, or -1."""
    for k in range(states.size):
        state = states[k]
        reset(state, side)
        for i in range(side * side):
            if colors[k, i] != EMPTY:
                p = np.uint32((i // side + 1) * STRIDE + i % side + 1)
                put_stone(state, p, np.uint8(colors[k, i]))
        for i in range(side * side):
            p = np.uint32((i // side + 1) * STRIDE + i % side + 1)
            if state.color[p] != colors[k, i]:
                return k
    return -1


def load(path: str | Path, size: int | None = None) -> Positions:
    """A data set from a file; size: the board size that is wanted. What is wrong is said in one sentence."""
    facts, arrays = read_arrays(path, WHAT)
    if facts.get("kind") != KIND:
        raise InputError(f"{path} holds {str(facts.get('kind'))[:60]!r}; {KIND!r} were expected")
    if facts.get("version") != VERSION:
        raise InputError(
            f"{path} is of version {str(facts.get('version'))[:20]}; this playout reads version {VERSION}"
        )
    words = facts.get("recipe")
    try:
        recipe = Recipe(**words)  # type: ignore[arg-type]
    except InputError as error:
        raise InputError(f"{path} was not made by us: {error}") from None
    except TypeError:
        raise InputError(f"{path} does not say how its positions were made") from None
    if size is not None and recipe.size != size:
        raise InputError(
            f"{path} has positions of {recipe.size}×{recipe.size} boards; {size}×{size} ones are wanted"
        )
    return _checked(str(path), recipe, arrays)


def _checked(path: str, recipe: Recipe, arrays: dict[str, np.ndarray]) -> Positions:
    """A data set from a file's arrays, if they are what they should be."""
    side = recipe.size
    points = side * side

    def take(
        name: str, dtype: str, low: float, high: float, length: int | None, columns: int = 0
    ) -> np.ndarray:
        if name not in arrays:
            raise InputError(f"{path} is not whole: it has no {name}")
        found = arrays[name]
        shape = (
            length if length is not None else len(found) if found.ndim else -1,
            *([columns] * (columns > 0)),
        )
        if found.shape != shape or found.dtype != np.dtype(dtype):
            raise InputError(f"{path} is not whole: {name} is {found.dtype} of shape {found.shape}")
        if found.size and not ((found >= low) & (found <= high) | (found != found)).all():
            raise InputError(f"{path} has a {name} out of range")
        return found

    n = len(arrays["to_play"]) if arrays.get("to_play", np.zeros(())).ndim else 0
    if n == 0:
        raise InputError(f"{path} has no positions")
    color = take("color", "u1", EMPTY, WHITE, n, points)
    last_place = points - 1
    searched = take("searched", "f4", 0, 1, n)
    if recipe.sims and np.isnan(searched).any():
        raise InputError(f"{path} has a searched value that is not a number")
    states = np.zeros(n, STATE)
    states["komi"] = recipe.komi
    states["limit"] = Board(side).simulation_root()["limit"][0]
    wrong = int(_set_up(states, np.ascontiguousarray(color), side))
    if wrong >= 0:
        raise InputError(f"{path} is not a data set: on board {wrong} a chain has no liberty")
    states["to_play"] = take("to_play", "u1", BLACK, WHITE, n)
    states["passes"] = take("passes", "u1", 0, 1, n)
    for name in ("ko", "last"):
        states[name] = _to_point(take(name, "i2", NO_POINT, last_place, n), side)
    lasts = states["last"]
    if ((lasts != PASS) & (states["color"][np.arange(n), lasts] == EMPTY)).any():
        raise InputError(f"{path} has a last move where no stone stands")  # policies look for its chain
    states["moves"] = 0
    leaves = None
    if recipe.leaf_sims:
        starts = take("leaf_starts", "i8", 0, 1 << 40, n + 1)
        rows = int(starts[-1])
        if starts[0] != 0 or (np.diff(starts) < 1).any():
            raise InputError(f"{path} is not whole: its leaves do not belong to its positions")
        leaves = Leaves(
            starts,
            _to_point(take("leaf_first", "i2", NO_POINT, last_place, rows), side),
            _to_point(take("leaf_second", "i2", NO_POINT, last_place, rows), side),
            take("leaf_value", "f4", 0, 1, rows),
        )
        if np.isnan(leaves.value).any():
            raise InputError(f"{path} has a leaf_value that is not a number")
    return Positions(
        recipe,
        states,
        searched,
        _to_point(take("action", "i2", NO_POINT, last_place, n), side),
        take("exact", "i1", UNKNOWN, points, n),
        take("winner", "f4", 0, 1, n),
        take("is_test", "?", 0, 1, n),
        take("moves", "u2", 0, 1 << 16, n),
        leaves,
    )
