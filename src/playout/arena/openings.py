"""How games begin: openings from a file, or random first moves that a seed repeats.

A file has an opening a line: moves in turn, Black first, as in ``E5 C3 G3``. Empty lines and what follows a
``#`` are passed over. An SGF file is one opening, its main line; a folder of SGF files has as many as files.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from playout.arena.referee import Terms
from playout.errors import InputError
from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.sgf import load
from playout.games.go.state import BLACK, PASS
from playout.player.simple import candidates

MAX_BYTES = 16 << 20


def read_openings(path: str | Path, terms: Terms) -> list[str]:
    """The openings of a file or a folder, each checked on a board.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "openings.txt"
    ...     _ = file.write_text("e5 c3   # a shoulder hit follows\\n\\nd4")
    ...     read_openings(file, Terms())
    ['E5 C3', 'D4']
    """
    name = str(path)
    if os.path.isdir(path):
        files = sorted(Path(path).glob("*.sgf"))
        if not files:
            raise InputError(f"the folder {name!r} has no .sgf files with openings")
        return [_from_sgf(file, terms) for file in files]
    if name.lower().endswith(".sgf"):
        return [_from_sgf(path, terms)]
    try:
        if not os.path.isfile(path):
            raise OSError("it is not a file" if os.path.exists(path) else "there is no such file")
        if os.path.getsize(path) > MAX_BYTES:
            raise OSError(f"it has over {MAX_BYTES >> 20} megabytes")
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        reason = "it is not text" if isinstance(error, UnicodeDecodeError) else None
        raise InputError(
            f"the openings {name!r} cannot be read: {reason or getattr(error, 'strerror', None) or error}"
        ) from None
    found = []
    for number, line in enumerate(lines, 1):
        if words := line.partition("#")[0].split():
            found.append(_checked(words, terms, f"{name}, line {number}"))
    if not found:
        raise InputError(f"there are no openings in {name!r}")
    return found


def _from_sgf(path: str | Path, terms: Terms) -> str:
    game = load(path)
    if game.size != terms.size:
        raise InputError(
            f"{str(path)!r} is an opening on {game.size}×{game.size}, and games are on {terms.size}"
        )
    setup = any(game.setup[:3]) or len(game.moves) < len(game.actions)
    in_turn = all(move.color == (BLACK if k % 2 == 0 else 3 - BLACK) for k, move in enumerate(game.moves))
    if setup or not in_turn:
        raise InputError(f"the opening {str(path)!r} has other stones than moves in turn, Black first")
    return _checked([coords.vertex(move.point, game.size) for move in game.moves], terms, str(path))


def _checked(words: list[str], terms: Terms, where: str) -> str:
    """An opening with its moves spelled as we do; refused if a game cannot begin so."""
    board = terms.board()
    try:
        for word in words:
            board.play(word)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if board.is_over or len(board.moves) >= terms.longest:
        raise InputError(f"{where}: after this opening there is no game left")
    return spelled(board)


def spelled(board: Board) -> str:
    """The moves of a game as one line."""
    return " ".join(coords.vertex(move.point, board.size) for move in board.moves)


def random_opening(terms: Terms, moves_each: int, seed: np.random.SeedSequence) -> str:
    """Random moves of both sides, none of which fills an eye."""
    rng = np.random.default_rng(seed)
    board = terms.board()
    for _ in range(2 * moves_each):
        points = [p for p in candidates(board) if p != PASS]
        if not points:
            break
        board.play(int(rng.choice(points)))
    return spelled(board)
