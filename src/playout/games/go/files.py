"""Go's files as the arena reads and writes them: openings, stored games, positions of test suites."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playout.errors import InputError, shown
from playout.games.go import coords
from playout.games.go.board import Board, Move
from playout.games.go.sgf import RULES, Game, load
from playout.games.go.state import BLACK, WHITE

MAX_MOVES = 5_000
MAX_STONES = 1_000
KEYS = ("size", "komi", "moves", "to_play", "black", "white")  # of a position in a test suite


def opening(path: str | Path, options: Any) -> list[str]:
    """The main line of an SGF file, Black first."""
    game = load(path)
    if game.size != options.size:
        raise InputError(
            f"{str(path)!r} is an opening on {game.size}×{game.size}, and games are on {options.size}"
        )
    setup = any(game.setup[:3]) or len(game.moves) < len(game.actions)
    in_turn = all(move.color == (BLACK if k % 2 == 0 else WHITE) for k, move in enumerate(game.moves))
    if setup or not in_turn:
        raise InputError(f"the opening {str(path)!r} has other stones than moves in turn, Black first")
    return [coords.vertex(move.point, game.size) for move in game.moves]


def transcript(game: Any, settings: Mapping[str, Any]) -> tuple[str, str]:
    """A stored game as SGF. settings: those of its run."""
    return ".sgf", to_sgf(game, settings).to_sgf()


def to_sgf(game: Any, settings: Mapping[str, Any]) -> Game:
    """A stored game as an SGF record."""
    size = settings["size"]
    points = [coords.parse_vertex(word, size) for word in game.moves.split()]
    return Game(
        size=size,
        komi=settings["komi"],
        rules=RULES[settings["superko"], False],
        result=game.result,
        black=game.black,
        white=game.white,
        date=time.strftime("%Y-%m-%d", time.localtime(game.started)),
        actions=[Move(WHITE if k % 2 else BLACK, p) for k, p in enumerate(points)],
    )


def set_up(facts: Mapping[str, Any], words: Any, number: Any) -> Board:
    """The position that a line of a test suite describes.

    words, number: read a list of words and a number from it.
    """
    if "size" not in facts:
        raise InputError("the size of the board is missing")
    size = facts["size"]
    if isinstance(size, bool) or not isinstance(size, int):
        raise InputError(f"size {shown(size)} is not a whole number")
    board = Board(size, number(facts, "komi", 7.5))
    stones = {key: words(facts, key, MAX_STONES) for key in ("black", "white")}
    moves = [_move(word, board.size) for word in words(facts, "moves", MAX_MOVES)]
    turn = facts.get("to_play")
    if turn is not None and not isinstance(turn, str):
        raise InputError(f"to_play {shown(turn)} is neither B nor W")
    first = moves[0][0] if moves else turn if turn is not None else "B"
    if any(stones.values()):
        both = set(map(str.upper, stones["black"])) & set(map(str.upper, stones["white"]))
        if both:
            raise InputError(f"{min(both)} cannot be both black and white")
        board.set_up(stones["black"], stones["white"], first)
    else:
        board.to_play = first
    for color, p in moves:
        board.play(p, color)
    if turn is not None:
        board.to_play = turn
    if board.is_over:
        raise InputError("the game is over: two passes end it")
    return board


def _move(word: str, size: int) -> tuple[int, int]:
    """A move such as 'B E5'."""
    parts = word.split()
    if len(parts) != 2:
        raise InputError(f"the move {shown(word)} is not a colour and a point, as in 'B E5'")
    return coords.parse_color(parts[0]), coords.parse_vertex(parts[1], size)
