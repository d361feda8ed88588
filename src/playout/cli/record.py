"""What can be said of a position of a game record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playout.errors import InputError
from playout.games.go import coords
from playout.games.go.board import Board, format_score
from playout.games.go.ownership import dead_stones, ownership
from playout.games.go.policy.mogo import Mogo
from playout.games.go.sgf import Game, load
from playout.games.go.state import BLACK
from playout.kernel import new_rng

SIMULATIONS = 1000


def position_of(file: Path, number: int | None, move: int | None) -> tuple[Game, Board]:
    """A game of a file, the first by default, and its position after so many moves, the last by default."""
    game = load(file, 1 if number is None else number)
    if move is not None and not 0 <= move <= len(game.moves):
        raise InputError(f"move {move} is not in the game, which has {len(game.moves)} moves")
    return game, game.board(move)


def facts_of(game: Game, board: Board) -> tuple[dict[str, Any], list[int]]:
    """The facts of a game and of the position on the board; and the dead stones if the game is over.

    A finished game is counted; before the end the score is an estimate by playouts.
    """
    dead = dead_stones(board, SIMULATIONS) if board.is_over else []
    if board.is_over:
        score = board.score(dead)
    else:
        score = round(ownership(board, Mogo().record(), SIMULATIONS, new_rng(0)).lead, 1)
    last = board.moves[-1] if board.moves else None
    return {
        "size": game.size,
        "komi": game.komi,
        "handicap": game.handicap,
        "rules": game.rules,
        "black": game.black,
        "white": game.white,
        "date": game.date,
        "result": game.result,
        "moves": len(game.moves),
        "move": len(board.moves),
        "last": f"{'BW'[last.color - 1]} {coords.vertex(last.point, board.size)}" if last else None,
        "to_play": "B" if board.to_play == BLACK else "W",
        "captures": {"B": board.captures(BLACK), "W": board.captures(3 - BLACK)},
        "is_over": board.is_over,
        "score": format_score(score),
        "score_is": "counted" if board.is_over else "estimated",
        "dead": [coords.vertex(p, board.size) for p in dead],
    }, dead
