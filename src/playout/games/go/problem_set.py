"""Sets of problems to learn from: a position, the side to move, and the moves that are right.

They come from anyone's SGF (a file, a collection, a folder; `problems`), from GTP regression files
(`questions`), or with the package. What cannot be used is named and left out: an illegal position, a board of
another size, a problem whose right move is not unique or no point, a position that is there already, be it
turned, mirrored or with the colours exchanged.

>>> len(shipped(4)) >= 300
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np

from playout.errors import InputError, shown
from playout.games.go.board import Board
from playout.games.go.coords import vertex
from playout.games.go.problems import Problem, problems
from playout.games.go.questions import questions
from playout.games.go.sgf import MAX_BYTES
from playout.games.go.state import BLACK, PASS, STATE, STRIDE, WHITE

SHIPPED = "problems-{side}"  # the word for the set of a board size that comes with the package
Say = Callable[[str], None]


def silent(words: str) -> None:
    """Tell nobody what is left out."""


@dataclass(frozen=True)
class ProblemSet:
    """Problems of one board size, as learners take them. names: where each is from."""

    roots: np.ndarray
    right: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.roots)

    @property
    def side(self) -> int:
        """The board size."""
        return int(self.roots["side"][0])

    def part(self, numbers: Sequence[int]) -> ProblemSet:
        """Some of them."""
        return ProblemSet(
            np.concatenate([self.roots[k : k + 1] for k in numbers]),
            tuple(self.right[k] for k in numbers),
            tuple(self.names[k] for k in numbers),
        )


def colours(board: Board) -> np.ndarray:
    """The colours of the points, as a square."""
    inside = np.arange(1, board.size + 1)
    return board.record["color"][0][inside[:, None] * STRIDE + inside[None, :]].astype(np.uint8)


def symmetry_key(board: Board) -> bytes:
    """A word for a position and who is to move, the same for all that differ by a symmetry only.

    >>> one = Board(4, komi=0).set_up(["A1", "B1"], ["C4"])
    >>> other = Board(4, komi=0).set_up(["A2"], ["D4", "D3"], to_play="W")
    >>> symmetry_key(one) == symmetry_key(other)
    True
    """
    stones = colours(board)
    if board.to_play == WHITE:
        stones = np.choose(stones, [0, WHITE, BLACK]).astype(np.uint8)
    turned = [np.rot90(base, k) for base in (stones, stones.T) for k in range(4)]
    words = min(np.ascontiguousarray(square).tobytes() for square in turned)
    komi = board.komi if board.to_play == BLACK else 0.0 - board.komi
    return words + repr((board.size, komi)).encode()


def read_problems(path: str | Path, say: Say = silent) -> list[tuple[str, Problem]]:
    """The problems of a file or a folder by name, wrong ones left out. say: is told which, and why."""
    return [found for file in sgf_files(path) for found in _of_file(file, say)]


def sgf_files(path: str | Path) -> list[Path]:
    """The SGF files of a folder, or the file itself."""
    place = Path(path)
    if not place.is_dir():
        return [place]
    files = sorted(p for p in place.iterdir() if p.suffix.lower() == ".sgf" and p.is_file())
    if not files:
        raise InputError(f"the folder {shown(str(path), 120)} has no SGF files")
    return files


def _of_file(path: Path, say: Say) -> list[tuple[str, Problem]]:
    name = path.name
    try:
        if not path.is_file():
            raise OSError("it is not a file" if path.exists() else "there is no such file")
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{shown(name, 120)} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    try:
        if path.suffix.lower() == ".tst":
            found = questions(data, path.parent, lambda words: say(f"{name}: {words}"))
            return [(f"{name} {problem.name}", problem) for problem in found]
        wrong: list[tuple[int, str]] = []
        every = problems(data, wrong)
    except InputError as error:
        raise InputError(f"{shown(name, 120)}: {error}") from None
    for number, reason in wrong:
        say(f"{name} {number} is left out: {reason}")
    numbers = [n for n in range(1, len(every) + len(wrong) + 1) if n not in {number for number, _ in wrong}]
    return [(f"{name} {number}", problem) for number, problem in zip(numbers, every, strict=True)]


def problem_set(
    named: Sequence[tuple[str, Problem]], side: int | None = None, say: Say = silent
) -> ProblemSet:
    """The problems that can be learnt from; the others are left out and named.

    side: the board size; that of the first problem if there is none.
    """
    roots, right, names = [], [], []
    seen: dict[bytes, str] = {}
    sizes = sorted({problem.board.size for _, problem in named})
    if named and side is not None and side not in sizes:
        there = ", ".join(f"{size}×{size}" for size in sizes)
        raise InputError(f"the problems are of {there} boards, not {side}×{side}")
    for name, problem in named:
        board = problem.board
        side = board.size if side is None else side
        key = symmetry_key(board)
        if board.size != side:
            reason = f"its board is {board.size}×{board.size} and not {side}×{side}"
        elif board.is_over:
            reason = "its game is over"
        elif len(problem.right) != 1 or problem.wrong:
            moves = " ".join(vertex(p, side) for p in problem.right if p >= 0)
            reason = f"it has no unique right move ({moves or 'none'})"
        elif problem.right[0] <= PASS:
            reason = "its right move is no point of the board"
        elif key in seen:
            reason = f"it is {seen[key]} again, turned, mirrored or as it is"
        else:
            seen[key] = name
            root = board.simulation_root()
            if len(board.legal_moves()) < 2:
                reason = "its right move is the only one that is legal"
            else:
                roots.append(root)
                right.append(problem.right)
                names.append(name)
                continue
        say(f"{name} is left out: {reason}")
    if not roots:
        raise InputError("no problem can be learnt from" + ("" if named else ": there is none"))
    return ProblemSet(np.concatenate(roots).astype(STATE), tuple(right), tuple(names))


def load_problems(word: str | Path, side: int | None = None, say: Say = silent) -> ProblemSet:
    """The problems that a setting names: a file, a folder, or the word of a shipped set."""
    path = shipped_path(str(word))
    return problem_set(read_problems(word if path is None else path, say), side, say)


def shipped_path(word: str) -> Path | None:
    """The file of a set that comes with the package, by its word; None if the word is no such."""
    for side in range(2, 20):
        if word == SHIPPED.format(side=side):
            file = resources.files(__package__).joinpath("data", f"{word}.sgf")
            if file.is_file():
                return Path(str(file))
    return None


def shipped(side: int) -> ProblemSet:
    """The problems that come with the package for a board size."""
    path = shipped_path(SHIPPED.format(side=side))
    if path is None:
        raise InputError(f"no problems come with playout for {side}×{side} boards: playout problems make")
    return problem_set(read_problems(path), side)
