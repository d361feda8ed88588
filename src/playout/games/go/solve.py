"""What a position is worth with best play of both: exact values on small boards.

>>> solve(Board(2)).value
1
>>> found = solve(Board(3))
>>> found.value, [vertex(p, 3) for p in found.moves], [vertex(p, 3) for p in found.line]
(9, ['B2'], ['B2', 'pass', 'pass'])

The rules are those of `Board` by default: area scoring, positional superko, no suicide, two passes end the
game, and all stones that then stand are alive. The value is Black's area less White's; komi does not change
it, only who wins. `proof` is the search, and says why it is right under superko.

The value is closed in from both sides. At every depth a cheap search guesses it; then one side tries to prove
that it scores at least the guess, and the other one that it scores no more; what is undecided at the end of
such a search counts against who wants to prove, so the shortest proofs are found first.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from playout.errors import InputError
from playout.games.go import kept, proof
from playout.games.go.bits import MAX_SIDE, full
from playout.games.go.board import Board, format_score
from playout.games.go.coords import vertex
from playout.games.go.state import BLACK, PASS, STRIDE, WHITE

MEGABYTE = 1_000_000
MEMORY = 1000  # megabytes for proofs
SLICE = 200_000  # nodes between two looks at the world outside, some tenths of a second
SHALLOW, STEP = 8, 2  # up to which depth it grows by one, and by how much then
LONGEST_LINE = 400
OPEN_POINTS = 16  # empty points beyond which a position is only tried when its nodes are limited
FEWEST_ENTRIES, FEWEST_HINTS = 1 << 12, 1 << 10

Progress = Callable[["Solver"], None]


@dataclass(frozen=True)
class Solution:
    """What a position is worth.

    value: Black's area less White's, None where the node limit came first; lower, upper: what is proved of
    it. moves: the best moves of the side to play (those proved to be, where the limit came in between), line:
    best play of both to the end, both as points of the board (PASS for a pass). nodes: positions looked at.
    """

    value: int | None
    lower: int
    upper: int
    moves: tuple[int, ...]
    line: tuple[int, ...]
    nodes: int
    side: int
    komi: float

    @property
    def solved(self) -> bool:
        """Whether the value is known."""
        return self.value is not None

    @property
    def result(self) -> str:
        """The score with komi, as SGF writes it; nothing where the value is not known."""
        return "" if self.value is None else format_score(self.value - self.komi)

    @property
    def black_wins(self) -> float | None:
        """1 if Black wins with the komi, 0 if White does, ½ for a draw; None where it is not known."""
        if self.lower == self.upper == self.komi:
            return 0.5
        return 1.0 if self.lower > self.komi else 0.0 if self.upper < self.komi else None

    def facts(self) -> dict[str, object]:
        """The solution as plain words and numbers, for machines."""
        return {
            "value": self.value,
            "lower": self.lower,
            "upper": self.upper,
            "result": self.result or None,
            "best": [vertex(p, self.side) for p in self.moves],
            "line": [vertex(p, self.side) for p in self.line],
            "nodes": self.nodes,
        }


class OutOfNodes(Exception):
    """The node limit has come first."""


class _Position(NamedTuple):
    """A position of the search, seen by the side to move, with the boards before it and its own last."""

    own: int
    other: int
    ko: int
    passed: bool
    path: tuple[tuple[int, int], ...]  # by board: black, white
    black: bool  # to move


class Solver:
    """Solves positions of one board size, one after the other; proofs are shared among them.

    memory: megabytes for proofs; where they are full, those that took least work make room. nodes: the limit
    for a position. progress: called every few tenths of a second.
    """

    def __init__(
        self,
        side: int,
        *,
        memory: int = MEMORY,
        nodes: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        if not 2 <= side <= MAX_SIDE:
            raise InputError(_too_large(side))
        if nodes is not None and nodes < 1:
            raise InputError(f"a limit of {nodes} nodes is less than 1")
        self.side, self.limit, self._progress = side, nodes, progress
        entries, hints = _table_sizes(memory, nodes)
        self._entries = np.zeros(entries, kept.ENTRY)
        self._hints = np.zeros(hints, proof.HINT)
        self._frames = np.zeros(proof.MAX_PLIES + 2, proof.FRAME)
        self._path = np.zeros((proof.MAX_PATH, 2), np.uint64)
        self._prover = np.zeros(1, proof.PROVER)
        self._prover["board"], self._prover["side"] = full(side), side
        self.lower, self.upper, self.depth = -side * side, side * side, 0
        self._stopped = threading.Event()

    @property
    def nodes(self) -> int:
        """Positions looked at since the present one was begun."""
        return int(self._prover["nodes"][0])

    @property
    def bytes(self) -> int:
        """Memory of the tables."""
        return self._entries.nbytes + self._hints.nbytes

    def forget(self) -> None:
        """Drop all proofs, so that a solution does not depend on what was solved before."""
        self._entries[:] = np.zeros(1, kept.ENTRY)
        self._hints[:] = np.zeros(1, proof.HINT)
        self._prover["history"] = 0

    def stop(self) -> None:
        """Let a search that another thread is in end soon, as if its nodes were used up."""
        self._stopped.set()

    def solve(self, board: Board, *, moves: bool = True, line: bool = True) -> Solution:
        """The value of a position. moves, line: whether to look for all best moves and for a line."""
        start = _position(board, self.side)
        points = self.side * self.side
        self._prover["nodes"] = 0
        self.lower, self.upper, self.depth = -points, points, 0
        best: list[int] = []
        found: list[int] = []
        if int(board.record["passes"][0]) >= 2:
            self.lower = self.upper = board.area()
        else:
            try:
                value = self._close_in(start)
                if line:
                    found = self._line(board.copy(), value)
                if moves:
                    self._find_best(board, start, value, best)
            except OutOfNodes:
                pass
        known = self.lower == self.upper
        return Solution(
            value=self.lower if known else None,
            lower=self.lower,
            upper=self.upper,
            moves=tuple(best),
            line=tuple(found),
            nodes=self.nodes,
            side=self.side,
            komi=board.komi,
        )

    def at_least(self, board: Board, score: int) -> bool | None:
        """Whether Black scores so much (by area, without komi); None where the node limit came first."""
        self._prover["nodes"] = 0
        points = self.side * self.side
        if not -points < score <= points:
            return score <= -points
        start = _position(board, self.side)
        try:
            return self._decide(start, score) if start.black else not self._decide(start, 1 - score)
        except OutOfNodes:
            return None

    def winner(self, board: Board) -> float | None:
        """1 if Black wins with the board's komi, 0 if White does, ½ for a draw; None where it is not known.

        Takes fewer nodes than the value.
        """
        if int(board.record["passes"][0]) >= 2:
            lead = board.score()
            return 1.0 if lead > 0 else 0.0 if lead < 0 else 0.5
        score = math.floor(board.komi) + 1
        wins = self.at_least(board, score)
        if wins or wins is None or board.komi != score - 1:
            return None if wins is None else float(wins)
        draws = self.at_least(board, score - 1)
        return None if draws is None else 0.5 * draws

    # -- inside -------------------------------------------------------------------------------------

    def _ask(self, at: _Position, goal: int, depth: int, attacker: int) -> tuple[bool, bool]:
        """Whether the mover scores the goal, and whether that is proved."""
        p, f = self._prover, self._frames[0]
        for k, (black, white) in enumerate(at.path):
            self._path[k] = (black, white) if at.black else (white, black)
        f["own"], f["other"], f["ko"], f["passed"] = at.own, at.other, at.ko, at.passed
        f["here"], f["taken"], f["turn"], f["phase"] = len(at.path) - 1, len(at.path) > 1, 0, proof.ENTER
        f["goal"], f["left"] = goal, depth
        p["ply"], p["attacker"] = 0, attacker
        while True:
            budget = SLICE if self.limit is None else min(SLICE, self.limit - self.nodes)
            if budget <= 0 or self._stopped.is_set():
                raise OutOfNodes
            if proof.prove(p, self._frames, self._path, self._entries, self._hints, budget):
                return bool(p["wins"][0]), bool(p["proven"][0])
            if self._progress is not None:
                self._progress(self)

    def _depths(self) -> Iterator[int]:
        """Depths of iterative deepening."""
        for depth in itertools.chain(range(1, SHALLOW), range(SHALLOW, proof.MAX_PLIES, STEP)):
            self.depth = depth
            yield depth
        raise OutOfNodes  # deeper than there is room for

    def _close_in(self, at: _Position) -> int:
        """The mover's score: bounds from both sides until they meet. Keeps Black's bounds as it goes."""
        points = self.side * self.side
        lower, upper, guess = -points, points, 0
        guessing = 0  # nodes spent on guesses

        def tell() -> None:
            self.lower, self.upper = (lower, upper) if at.black else (-upper, -lower)

        for depth in self._depths():
            before = self.nodes
            if guessing <= max(10_000, before // 4):
                guess = self._guess(at, depth, lower, upper, guess)
                guessing += self.nodes - before
            while lower < upper:
                goal = min(upper, max(lower + 1, guess))
                wins, proven = self._ask(at, goal, depth, 0)
                if not proven:
                    break
                lower, upper = (goal, upper) if wins else (lower, goal - 1)
                tell()
            while lower < upper:
                goal = max(lower, min(upper - 1, guess)) + 1
                wins, proven = self._ask(at, goal, depth, 1)
                if not proven:
                    break
                lower, upper = (goal, upper) if wins else (lower, goal - 1)
                tell()
            if lower == upper:
                return lower
        raise AssertionError

    def _guess(self, at: _Position, depth: int, lower: int, upper: int, guess: int) -> int:
        """The score as a search of some depth sees it, found by questions around a first guess."""
        while lower < upper:
            goal = min(upper, max(lower + 1, guess + 1 if guess < upper else guess))
            wins, _ = self._ask(at, goal, depth, proof.NOBODY)
            lower, upper = (goal, upper) if wins else (lower, goal - 1)
            guess = goal if wins else goal - 1
        return lower

    def _decide(self, at: _Position, goal: int) -> bool:
        """Whether the mover scores a goal: both sides try to prove it in turns."""
        for depth in self._depths():
            for attacker in (0, 1):
                wins, proven = self._ask(at, goal, depth, attacker)
                if proven:
                    return wins
        raise AssertionError

    def _find_best(self, board: Board, at: _Position, value: int, best: list[int]) -> None:
        """Add the moves that keep the value."""
        for p in board.legal_moves():
            after = board.copy().play(p)
            if int(after.record["passes"][0]) >= 2:
                good = after.area() == (value if at.black else -value)
            else:
                good = not self._decide(_position(after, self.side), 1 - value)
            if good:
                best.append(p)

    def _line(self, board: Board, value: int) -> list[int]:
        """Best play to the end: at each position the move of a proof."""
        found: list[int] = []
        while int(board.record["passes"][0]) < 2 and len(found) < LONGEST_LINE:
            self._decide(_position(board, self.side), value)
            move = int(self._prover["move"][0])
            point = PASS if move == kept.PASS_MOVE else (move // 8 + 1) * STRIDE + move % 8 + 1
            board.play(point)
            found.append(point)
            value = -value
        return found


def solve(
    board: Board,
    *,
    nodes: int | None = None,
    memory: int = MEMORY,
    moves: bool = True,
    line: bool = True,
    progress: Progress | None = None,
) -> Solution:
    """What a position is worth with best play, its best moves and a line of best play.

    nodes: give up after so many positions; memory: megabytes for proofs; moves, line: whether to find them.

    >>> board = Board.from_text('''
    ...     . X O .
    ...     X X O O
    ...     . X O .
    ...     X X O O''', komi=0.5)
    >>> found = solve(board)
    >>> found.value, found.result
    (0, 'W+0.5')
    """
    check(board, nodes)
    solver = Solver(board.size, memory=memory, nodes=nodes, progress=progress)
    return solver.solve(board, moves=moves, line=line)


def solve_many(
    boards: Iterable[Board],
    *,
    nodes: int = 100_000,
    memory: int = MEMORY,
    threads: int = 1,
    moves: bool = False,
    line: bool = False,
) -> Iterator[Solution]:
    """Solve positions one by one, in their order; those that need more nodes than allowed are not solved.

    memory: megabytes for all threads together. A solution does not depend on the other positions.
    """
    waiting = iter(boards)
    solvers: list[Solver] = []
    own = threading.local()

    def one(board: Board) -> Solution:
        solver: Solver | None = getattr(own, "solver", None)
        if solver is None or solver.side != board.size:
            solver = own.solver = Solver(board.size, memory=max(1, memory // threads), nodes=nodes)
            solvers.append(solver)
        solver.forget()
        return solver.solve(board, moves=moves, line=line)

    if threads == 1:
        yield from map(one, waiting)
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="solve") as pool:
        try:
            under_way = [pool.submit(one, board) for board in itertools.islice(waiting, 2 * threads)]
            while under_way:
                yield under_way.pop(0).result()
                under_way += [pool.submit(one, board) for board in itertools.islice(waiting, 1)]
        finally:
            for future in under_way:
                future.cancel()
            for solver in solvers:
                solver.stop()


def check(board: Board, nodes: int | None = None) -> None:
    """Refuse a position that the solver does not know or would not get through."""
    if board.size > MAX_SIDE:
        raise InputError(_too_large(board.size))
    if board.superko != "positional" or board.suicide:
        raise InputError("the solver knows positional superko without suicide, and no other rules")
    empty = board.size * board.size - len(board.stones(BLACK)) - len(board.stones(WHITE))
    if nodes is None and empty > OPEN_POINTS and not board.is_over:
        raise InputError(
            f"the position has {empty} empty points, and more than {OPEN_POINTS} are rarely solved; "
            "set a limit of nodes to try all the same, or let a player search it, such as mogo:sims=100000"
        )


def _too_large(side: int) -> str:
    return (
        f"a board of {side}×{side} is too large to be solved; the limit is {MAX_SIDE}×{MAX_SIDE}: "
        "let a player search it instead, such as mogo:sims=100000"
    )


def _table_sizes(memory: int, nodes: int | None) -> tuple[int, int]:
    """How many proofs and hints fit: powers of two, no more than the nodes can fill."""
    room = memory * MEGABYTE
    if memory < 1:
        raise InputError(f"{memory} megabytes are less than 1")
    most = 1 << 40 if nodes is None else 2 * nodes
    entries, hints = FEWEST_ENTRIES, FEWEST_HINTS
    while entries < most and 2 * (entries * kept.ENTRY.itemsize + hints * proof.HINT.itemsize) <= room:
        entries, hints = 2 * entries, 2 * hints
    return entries, hints


def _bits(colors: np.ndarray, color: int, side: int) -> int:
    """The points of a colour in a record's `color`."""
    return sum(
        1 << (8 * row + column)
        for row in range(side)
        for column in range(side)
        if colors[(row + 1) * STRIDE + column + 1] == color
    )


def _position(board: Board, side: int) -> _Position:
    """A position as the search sees it."""
    path: list[tuple[int, int]] = []
    for record in board.history:
        colors = record["color"][0]
        stones = (_bits(colors, BLACK, side), _bits(colors, WHITE, side))
        if not path or stones != path[-1]:
            path.append(stones)
    if len(path) > proof.MAX_PATH // 2:
        raise InputError(f"a game of {len(path):,} positions is too long; the limit is {proof.MAX_PATH // 2}")
    black, white = path[-1]
    ko = int(board.record["ko"][0])
    mask = 0 if ko == 0 else 1 << (8 * (ko // STRIDE - 1) + ko % STRIDE - 1)
    first = board.to_play == BLACK
    own, other = (black, white) if first else (white, black)
    return _Position(own, other, mask, int(board.record["passes"][0]) == 1, tuple(path), first)
