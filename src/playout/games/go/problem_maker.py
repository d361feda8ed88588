"""Make problems: positions of small boards in which exactly one move wins, by the exact solver.

Araki et al. (2014) learn from a book of 4×4 problems, Black to play and win with komi 0 under area scoring.
The book cannot be had, so these are made. A candidate is a position of a random game, with the colours
exchanged where White is to move; it becomes a problem if Black has more than one legal move and exactly one
of them wins, a point and not a pass, and if it is no problem that is there already, turned or mirrored. Its
*grade* is how often simple Monte-Carlo search with uniform simulations finds that move.

A candidate depends on the seed and its number alone. `make` writes one SGF a problem, whose name has the
candidate's number: so after a kill the same call goes on behind the last one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

import playout
from playout.errors import InputError
from playout.files import begin_folder, write_text
from playout.games.go.board import Board
from playout.games.go.coords import vertex
from playout.games.go.learn.position_maker import random_position
from playout.games.go.learn.positions import Recipe
from playout.games.go.policy.uniform import Uniform
from playout.games.go.problem_set import symmetry_key
from playout.games.go.solve import Solver
from playout.games.go.state import BLACK, PASS, STATE, STRIDE, WHITE
from playout.kernel import new_rng
from playout.search.flat import NO_LEADS, rollouts
from playout.settings import check_values, setting

MEMORY = 200  # megabytes for proofs
LARGEST = 7  # boards that the solver knows
GRADING = 50  # simulations a move, as many as adjusting has (Araki et al. 2014)
FILE = re.compile(r"problem-(\d{7})\.sgf")
FACTS = "problems.json"


@dataclass(frozen=True, kw_only=True)
class Making:
    """What problems are made."""

    size: int = setting(4, "board size", low=2, high=LARGEST)
    komi: float = setting(0.0, "White's compensation", low=-400, high=400)
    seed: int = setting(1, "makes it repeatable", low=0)
    nodes: int = setting(200_000, "the solver gives up after so many positions a move", low=1)
    tries: int = setting(
        20, "how often uniform Monte-Carlo search tries a problem to grade it", low=1, high=10_000
    )
    easiest: float = setting(1.0, "leave out what it finds more often than this", low=0, high=1)

    def __post_init__(self) -> None:
        check_values(type(self), asdict(self))

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)

    def command(self) -> str:
        """The command that makes them, but for how many and where."""
        words = [f"playout problems make --size {self.size} --seed {self.seed}"]
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in ("size", "seed") and value != field.default:
                words.append(f"--{field.name} {value:g}")
        return " ".join(words)


@dataclass(frozen=True)
class Made:
    """A problem: the position, the one move that wins, and how often uniform Monte-Carlo search finds it."""

    number: int
    board: Board
    right: int
    grade: float

    def sgf(self, making: Making) -> str:
        """As a record of its own, with where it is from."""
        side = self.board.size

        def points(color: int) -> str:
            return "".join(f"[{_pair(p)}]" for p in self.board.stones(color))

        black, white = points(BLACK), points(WHITE)
        found = f"Uniform Monte-Carlo, {GRADING} simulations a move, finds it in {self.grade:.0%} of tries."
        return (
            f"(;GM[1]FF[4]CA[UTF-8]SZ[{side}]KM[{making.komi:g}]RU[Chinese]"
            f"GN[{side}x{side} {self.number}]AP[playout:{playout.__version__}]SO[{making.command()}]"
            + (f"AB{black}" if black else "")
            + (f"AW{white}" if white else "")
            + f"PL[B]C[Black to play and win. {found}]"
            f";B[{_pair(self.right)}]TE[1]C[RIGHT: the only move that wins, by the exact solver.])\n"
        )


def _pair(p: int) -> str:
    """A point as SGF writes it."""
    return "".join(chr(ord("a") + k - 1) for k in (p % STRIDE, p // STRIDE))


def winning_moves(board: Board, solver: Solver, most: int = 2) -> list[int] | None:
    """The moves with which the side to move wins, up to so many of them; None where the nodes ran out."""
    wins = 1.0 if board.to_play == BLACK else 0.0
    found: list[int] = []
    for p in board.legal_moves():
        result = solver.winner(board.copy().play(p))
        if result is None:
            return None
        if result == wins:
            found.append(p)
            if len(found) == most:
                break
    return found


def grade(board: Board, right: int, tries: int, seed: int) -> float:
    """How often simple Monte-Carlo search with uniform simulations finds a move."""
    moves = np.array(board.legal_moves(), np.uint16)
    policies, rng, work = Uniform().record(), new_rng(seed), np.empty(1, STATE)
    root, found = board.simulation_root(), 0.0
    for _ in range(tries):
        totals = np.zeros(moves.size)
        rollouts(root, work, policies, moves, GRADING, rng, totals, NO_LEADS)
        totals = totals if board.to_play == BLACK else GRADING - totals
        best = moves[totals == totals.max()]
        found += (right in best) / best.size
    return found / tries


def candidate(making: Making, number: int) -> Board | None:
    """The position of a number, with its stones set up; where White is to move, with the colours exchanged.

    None after a pass and where a ko may not be taken: stones alone do not say so.
    """
    board, _ = random_position(Recipe(size=making.size, komi=making.komi, seed=making.seed), number)
    if board.passes or int(board.record["ko"][0]):
        return None
    me, other = board.to_play, BLACK + WHITE - board.to_play
    return Board(making.size, making.komi).set_up(board.stones(me), board.stones(other), BLACK)


def problems_from(
    making: Making, first: int, seen: set[bytes], solver: Solver
) -> Iterator[tuple[int, Made | None]]:
    """The numbers of candidates from a first one on, each with its problem if it is one.

    seen: keys of the problems that are there; more are added.
    """
    number = first
    while True:
        board = candidate(making, number)
        found = None
        if board is not None and (key := symmetry_key(board)) not in seen and len(board.legal_moves()) > 1:
            wins = solver.winner(board) == 1.0  # mostly not: then no move need be tried
            right = winning_moves(board, solver) if wins else []
            if right is not None and len(right) == 1 and right[0] != PASS:
                share = grade(board, right[0], making.tries, number)
                if share <= making.easiest:
                    seen.add(key)
                    found = Made(number, board, right[0], share)
        yield number, found
        number += 1


def make(
    folder: str | Path,
    making: Making,
    count: int,
    progress: Callable[[int, int], None] = lambda made, tried: None,
) -> list[Path]:
    """Problems in a folder, one SGF each; goes on where it stopped. Their files, in order.

    progress: told how many there are and how many candidates were tried.
    """
    if not 1 <= count <= 100_000:
        raise InputError(f"count: {count} is not a number of problems from 1 to 100,000")
    place = Path(folder)
    if (place / FACTS).exists():
        _check_same(place, making)
    else:
        begin_folder(place, "a folder of problems")
        write_text(place / FACTS, json.dumps({"making": making.facts()}, indent=1) + "\n")
    files = sorted(path for path in place.iterdir() if FILE.fullmatch(path.name))
    seen: set[bytes] = set()
    last = -1
    for path in files:
        last = int(path.name[8:15])
        found = candidate(making, last)
        if found is None:
            raise InputError(f"{path} is not a problem that was made with these settings")
        seen.add(symmetry_key(found))
    solver = Solver(making.size, memory=MEMORY, nodes=making.nodes)
    progress(len(files), last + 1)
    for number, problem in problems_from(making, last + 1, seen, solver):
        if len(files) >= count:
            break
        if problem is not None:
            path = place / f"problem-{number:07}.sgf"
            write_text(path, problem.sgf(making))
            files.append(path)
        progress(len(files), number + 1)
    return files[:count]


def _check_same(place: Path, making: Making) -> None:
    try:
        before = json.loads((place / FACTS).read_text(encoding="utf-8"))["making"]
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{place / FACTS} is not what we have written") from None
    for name, value in making.facts().items():
        if before.get(name) != value:
            raise InputError(f"{place} has problems made with {name}={before.get(name)} and not {value}")


def check(board: Board, right: int, solver: Solver) -> str:
    """What is wrong with a problem by the exact solver; nothing if its move is the only one that wins."""
    found = winning_moves(board, solver)
    if found is None:
        return "the solver does not get through it"
    if found == [right]:
        return ""
    words = " and ".join(vertex(p, board.size) for p in found)
    if not found:
        return "no move wins"
    return f"{words} {'win' if len(found) > 1 else 'wins'}" + (
        "" if right in found else ", not the move given"
    )
