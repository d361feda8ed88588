"""Sparse lookahead as it is told: a function that calls itself (Kearns, Mansour & Ng 2002)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from playout.games import api as game


def step(state: np.ndarray, action: int, rng: np.ndarray) -> tuple[np.ndarray, float, float]:
    """A sample of what comes of an action: the state, what was paid, and γ of all that."""
    after = state.copy()
    game.play(after[0], action)
    paid, fade = float(game.reward(after[0])), float(game.discount(after[0]))
    while not game.is_over(after[0]) and game.is_chance(after[0]):
        game.roll(after[0], rng[0])
        paid += fade * float(game.reward(after[0]))
        fade *= float(game.discount(after[0]))
    return after, paid, fade


def value(state: np.ndarray, depth: int, width: int, leaf: float, rng: np.ndarray) -> float:
    """V(s) with so many actions to come."""
    if game.is_over(state[0]):
        return float(game.outcome(state[0]))
    if depth == 0:
        return leaf
    moves = np.zeros(512, np.uint16)
    legal = moves[: int(game.tree_moves(state[0], moves))]
    means = action_values(state, legal, depth, width, leaf, rng)
    return max(means) if game.to_play(state[0]) == 1 else min(means)


def action_values(
    state: np.ndarray,
    actions: Sequence[Any] | np.ndarray,
    depth: int,
    width: int,
    leaf: float,
    rng: np.ndarray,
) -> list[float]:
    """The mean over samples, for each action."""
    means = []
    for action in actions:
        total = 0.0
        for _ in range(width):
            after, paid, fade = step(state, int(action), rng)
            total += paid + fade * value(after, depth - 1, width, leaf, rng)
        means.append(total / width)
    return means
