"""Make positions with values: each from a game of its own, valued by deep search, the solver or both.

A position depends on the recipe and its number only, not on threads or on how many there are: a longer set
begins with a shorter one. `produce` makes a set in a file, chunk by chunk: after a kill it goes on with the
chunk that it was at.
"""

from __future__ import annotations

import itertools
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import numpy as np

from playout.errors import InputError
from playout.files import make_folder
from playout.games.api import is_over, play, tree_moves
from playout.games.go.board import Board, IllegalMove
from playout.games.go.learn.positions import FILES, UNKNOWN, Leaves, Positions, Recipe, joined, load, rebuilt
from playout.games.go.policy import POLICIES
from playout.games.go.rules import area_score
from playout.games.go.solve import Solver
from playout.games.go.state import AREA, PASS
from playout.kernel import clone, kernel, new_rng
from playout.policy.api import Copies, begin, sample
from playout.runs import Window

CHUNK = 16  # positions in a file on the way
SOLVER_MEMORY = 64  # megabytes a thread
AHEAD = 4  # positions a thread that are under way: one that takes long keeps nobody idle

# Black's chance to win in a state and the best move, from (state, simulations, seed): `player.valuer.Valuer`.
Search = Callable[[np.ndarray, int, int], tuple[float, int]]


# -- making one position ------------------------------------------------------------------------------


@kernel
def _game(works, policies, rng, moves):
    """Play by a policy to the end; the moves, and how many."""
    work, policy = works[0], policies[0]
    begin(policy, work)
    n = 0
    while not is_over(work) and n < moves.size:
        moves[n] = sample(policy, work, rng[0])
        play(work, moves[n])
        n += 1
    return n


def random_position(recipe: Recipe, number: int) -> tuple[Board, np.random.Generator]:
    """A position of a game by chance that is not over, and the dice that belong to its number."""
    for attempt in itertools.count():
        own = np.random.SeedSequence(recipe.seed, spawn_key=(number, attempt))
        dice = np.random.default_rng(own)
        board = Board(recipe.size, recipe.komi)
        moves = np.zeros(3 * AREA, np.uint16)
        root = board.simulation_root()
        (policy,) = Copies(POLICIES[recipe.games]()).at(root)
        n = int(_game(root, policy, new_rng(own), moves))
        try:
            for p in moves[: int(dice.integers(max(1, n - 1)))]:
                board.play(int(p))
        except IllegalMove:
            continue  # superko, which simulations do not know
        if not board.is_over:
            return board, dice
    raise AssertionError


def _policy_moves(root: np.ndarray) -> list[int]:
    """What the uniform policy chooses among: moves that fill no eye, or pass where there is none; sorted."""
    moves = np.zeros(AREA + 1, np.uint16)
    points = moves[: tree_moves(root[0], moves) - 1]
    return sorted(int(p) for p in points) or [PASS]


def _after(root: np.ndarray, move: int) -> np.ndarray:
    work = clone(root)
    play(work[0], move)
    return work


class _Maker:
    """Makes positions one by one; one a thread."""

    def __init__(self, recipe: Recipe, search: Search | None, stopped: threading.Event) -> None:
        self.recipe, self._search, self._stopped = recipe, search, stopped
        self.solver: Solver | None = None
        if recipe.exact_nodes:
            self.solver = Solver(recipe.size, memory=SOLVER_MEMORY, nodes=recipe.exact_nodes)

    def stop(self) -> None:
        """Let what is under way end soon."""
        if self.solver is not None:
            self.solver.stop()

    def make(self, number: int) -> Positions:
        """A data set of one position."""
        recipe = self.recipe
        board, dice = random_position(recipe, number)
        root = board.simulation_root()
        is_test = bool(dice.random() < recipe.test)
        value, action, leaves = np.nan, PASS, None
        exact, winner = UNKNOWN, np.nan
        if recipe.sims:
            value, action = self._value(root, recipe.sims, dice)
        if self.solver is not None:
            self.solver.forget()
            wins = self.solver.winner(board)
            if wins is not None:
                winner = wins
            found = self.solver.solve(board, moves=False, line=False)
            if found.value is not None:
                exact = found.value
            if found.black_wins is not None:
                winner = found.black_wins
        if recipe.leaf_sims:
            leaves = self._leaves(root, dice)
        return Positions(
            recipe,
            root,
            np.array([value], np.float32),
            np.array([action], np.uint16),
            np.array([exact], np.int8),
            np.array([winner], np.float32),
            np.array([is_test]),
            np.array([len(board.moves)], np.uint16),
            leaves,
        )

    def _value(self, state: np.ndarray, sims: int, dice: np.random.Generator) -> tuple[float, int]:
        if self._stopped.is_set():
            raise KeyboardInterrupt
        if self._search is None:
            raise InputError(
                "a data set with simulations takes a search, such as player.valuer.Valuer('mogo')"
            )
        seed = int(dice.integers(2**31))
        if is_over(state[0]):
            lead = float(area_score(state[0])) - self.recipe.komi
            return (1.0 if lead > 0 else 0.0 if lead < 0 else 0.5), PASS
        return self._search(state, sims, seed)

    def _leaves(self, root: np.ndarray, dice: np.random.Generator) -> Leaves:
        rows = []
        for first in _policy_moves(root):
            middle = _after(root, first)
            for second in _policy_moves(middle):
                value, _ = self._value(_after(middle, second), self.recipe.leaf_sims, dice)
                rows.append((first, second, value))
        one, two, values = zip(*rows, strict=True)
        return Leaves(
            np.array([0, len(rows)], np.int64),
            np.array(one, np.uint16),
            np.array(two, np.uint16),
            np.array(values, np.float32),
        )


def make(
    recipe: Recipe,
    count: int,
    search: Search | None = None,
    *,
    first: int = 0,
    threads: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> Positions:
    """Make positions number `first` to `first + count - 1`, in memory. progress: told how many are done."""
    return rebuilt(joined(list(_chunks(recipe, first, first + count, count, search, threads, progress))))


def _chunks(
    recipe: Recipe,
    first: int,
    end: int,
    each: int,
    search: Search | None,
    threads: int,
    progress: Callable[[int], None],
) -> Iterator[Positions]:
    """Make positions in chunks, their work shared among threads."""
    if not 1 <= threads <= 256:
        raise InputError(f"threads: {threads} is not a number from 1 to 256")
    if end <= first:
        raise InputError(f"a data set has 1 position or more, not {end - first}")
    stopped = threading.Event()
    own = threading.local()
    makers: list[_Maker] = []

    def one(number: int) -> Positions:
        if not hasattr(own, "maker"):
            own.maker = _Maker(recipe, search, stopped)
            makers.append(own.maker)
        if stopped.is_set():
            raise KeyboardInterrupt
        made: Positions = own.maker.make(number)
        return made

    def stop() -> None:
        stopped.set()
        for maker in makers:
            maker.stop()

    with (
        ThreadPoolExecutor(threads, thread_name_prefix="positions") as pool,
        Window(
            lambda number: pool.submit(one, number),
            range(first, end),
            lambda: AHEAD * threads,
            in_order=True,
            stop=stop,
        ) as window,
    ):
        made = list[Positions]()
        for number, position in window:
            made.append(position.result())
            progress(number + 1)
            if len(made) == each or number + 1 == end:
                yield joined(made)
                made = []


# -- in a file ----------------------------------------------------------------------------------------


def produce(
    path: str | Path,
    recipe: Recipe,
    count: int,
    search: Search | None = None,
    *,
    threads: int = 1,
    force: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> Positions:
    """Make a data set in a file, or go on with it; a set that is there may be made longer.

    On the way the chunks that are done are in a folder beside it, FILE.parts. force: also in the place of a
    file that is no data set.
    """
    target = Path(path)
    if target.suffix != ".npz":
        raise InputError(f"{target} is not a name for a data set: it ends in .npz")
    FILES.check(target, force)
    done = _part_of(target, recipe, count) if FILES.is_ours(target) else None
    folder = target.with_name(target.name + ".parts")
    if done is not None and len(done) == count:
        shutil.rmtree(folder, ignore_errors=True)  # left by a kill at the very end
        return done
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is in the way: it is not a folder of chunks")
    make_folder(folder)
    parts = [] if done is None else [done]
    have = sum(len(part) for part in parts)
    while have < count and _chunk(folder, have).exists():
        part = _part_of(_chunk(folder, have), recipe, count - have)
        parts.append(part)
        have += len(part)
    progress(have)
    if have < count:
        for part in _chunks(recipe, have, count, CHUNK, search, threads, progress):
            part.save(_chunk(folder, have), alone=True)
            parts.append(part)
            have += len(part)
    data = rebuilt(joined(parts))
    data.save(target, force=force)
    shutil.rmtree(folder)
    return data


def _chunk(folder: Path, first: int) -> Path:
    return folder / f"{first:08}.npz"


def _part_of(path: Path, recipe: Recipe, most: int) -> Positions:
    found = load(path)
    if found.recipe != recipe:
        names = [f.name for f in fields(Recipe) if getattr(found.recipe, f.name) != getattr(recipe, f.name)]
        raise InputError(f"{path} was made with other settings ({', '.join(names)}): choose another file")
    if len(found) > most:
        raise InputError(f"{path} has {len(found):,} positions already, more than {most:,}")
    return found
