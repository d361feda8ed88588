"""How games begin: openings from a file, or random first moves that a seed repeats.

A file has an opening a line: moves in turn, as in ``E5 C3 G3``; a move that people write with a space has a
``_`` there. Empty lines and what follows a ``#`` are passed over. In Go an SGF file is one opening, its main
line; a folder of SGF files has as many as files.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from playout.arena.terms import Terms, joined, put
from playout.errors import InputError
from playout.kernel import new_rng

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
    if os.path.isdir(path) and terms.game.opening is not None:
        files = sorted(Path(path).glob("*.sgf"))
        if not files:
            raise InputError(f"the folder {name!r} has no .sgf files with openings")
        return [_from_sgf(file, terms) for file in files]
    if name.lower().endswith(".sgf") and terms.game.opening is not None:
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
    """The main line of a game record, as the game reads it."""
    assert terms.game.opening is not None
    return _checked(terms.game.opening(path, terms.options), terms, str(path))


def _checked(words: list[str], terms: Terms, where: str) -> str:
    """An opening with its moves spelled as we do; refused if a game cannot begin so."""
    position = terms.position()
    try:
        for word in words:
            put(position, word)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if position.is_over or len(position.moves) >= terms.longest:
        raise InputError(f"{where}: after this opening there is no game left")
    return joined(position.spelled_moves())


def random_opening(terms: Terms, moves_each: int, seed: np.random.SeedSequence) -> str:
    """Random moves of both sides, none that no search would look at; in Go none that fills an eye."""
    rng = np.random.default_rng(seed)
    position = terms.position()
    luck = new_rng(seed)
    for _ in range(moves_each * terms.game.players):
        before = position.copy()
        moves = [move for move in position.settle(luck).candidates() if move != terms.game.silent]
        if not moves:
            break
        position.play(int(rng.choice(moves)))
        if position.is_over:
            position = before
            break
    return joined(position.spelled_moves())
