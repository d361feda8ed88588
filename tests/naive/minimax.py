"""Plain minimax: every line to a fixed depth."""

from collections.abc import Callable
from typing import Any


def minimax(
    state: Any,
    depth: int,
    moves: Callable[[Any], list[Any]],
    play: Callable[[Any, Any], Any],
    value: Callable[[Any], float],
    decided: Callable[[Any], float | None],
    first: Callable[[Any], bool],
) -> float:
    """The value of a state for player 1.

    decided: the value of a state that ends the game, else None; value: of one where the search ends.
    """
    end = decided(state)
    if end is not None:
        return end
    if depth == 0:
        return value(state)
    found = [
        minimax(play(state, move), depth - 1, moves, play, value, decided, first) for move in moves(state)
    ]
    return max(found) if first(state) else min(found)
