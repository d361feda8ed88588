"""Plain expectiminimax: every line and everything that may happen, to a fixed depth."""

from collections.abc import Callable
from typing import Any


def expectiminimax(
    state: Any,
    depth: int,
    moves: Callable[[Any], list[Any]],
    play: Callable[[Any, Any], Any],
    events: Callable[[Any], list[tuple[float, Any]]],
    value: Callable[[Any], float | None],
    decided: Callable[[Any], float | None],
    first: Callable[[Any], bool],
) -> float:
    """The value of a state for player 1.

    events: where chance moves, the probability of each thing that may happen and the state after it; else
    nothing. value: of a state where the search ends, or None if it goes on there through what chance does.
    decided: the value of a state that ends the game, else None.
    """

    def after(state: Any, depth: int) -> float:
        return expectiminimax(state, depth, moves, play, events, value, decided, first)

    end = decided(state)
    if end is not None:
        return end
    if depth == 0 and (static := value(state)) is not None:
        return static
    if may_happen := events(state):
        return sum(p * after(then, depth) for p, then in may_happen)
    found = [after(play(state, move), depth - 1) for move in moves(state)]
    return max(found) if first(state) else min(found)
