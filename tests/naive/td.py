"""Temporal-difference learning with whole vectors, an equation at a time (Silver 2009, ch. 2, 5, app. A)."""

import math
from collections.abc import Sequence

import numpy as np


def value(rule: str, theta: np.ndarray, phi: np.ndarray) -> float:
    """V(s)."""
    x = float(theta @ phi)
    return 0.5 + x if rule == "linear" else 1 / (1 + math.exp(-x))


def learn(
    theta: np.ndarray,
    game: Sequence[tuple[np.ndarray, int]],
    outcome: float,
    *,
    rule: str = "logistic",
    alpha: float = 0.1,
    lam: float = 0.0,
    traces: str = "accumulating",
    plies: int = 2,
    offline: bool = False,
    turns: Sequence[tuple[float, float]] | None = None,
    low: float = 0.0,
    high: float = 1.0,
) -> np.ndarray:
    """The weights after one game.

    game: for every position φ(s), in which a shared weight counts as often as it occurs, and the number of
    active features. outcome: a share. offline: all values and steps are those of the weights before the game.
    turns: what the turn after each position paid, and its γ; values are shares of what lies between low and
    high.
    """
    turns = [(0.0, 1.0)] * len(game) if turns is None else turns

    def backed_up(u: int, t: int, share: float) -> float:
        """r + γ (r' + γ' (… V)) of position u, if position t is worth this share."""
        worth = low + share * (high - low)
        for paid, gamma in reversed(turns[u:t]):
            worth = paid + gamma * worth
        return (worth - low) / (high - low)

    theta, start = theta.astype(float), theta.astype(float)
    values: list[float] = []
    z = [np.zeros_like(theta) for _ in range(plies)]

    def step(u: int, target: float) -> None:
        nonlocal theta
        phi, active = game[u]
        if active == 0:
            return
        v = values[u]
        slope = v * (1 - v) if rule == "nonlinear" else 1.0
        trace = lam * math.prod(gamma for _, gamma in turns[max(0, u - plies) : u]) * z[u % plies]
        if traces == "replacing":
            trace = np.where(phi != 0, 0.0, trace)
        z[u % plies] = trace + slope * phi / active
        theta = theta + alpha * (target - v) * z[u % plies]

    for t, (phi, _) in enumerate(game):
        values.append(value(rule, start if offline else theta, phi))
        if t >= plies and rule != "monte-carlo":
            step(t - plies, backed_up(t - plies, t, values[t]))
    for u in range(0 if rule == "monte-carlo" else max(0, len(game) - plies), len(game)):
        step(u, backed_up(u, len(game), outcome))
    return theta


def log_likelihood(theta: np.ndarray, game: Sequence[tuple[np.ndarray, int]], outcome: float) -> float:
    """(A.4) for one game, each position divided by its active features, as the steps are."""
    total = 0.0
    for phi, active in game:
        if active:
            v = value("logistic", theta, phi)
            total += (outcome * math.log(v) + (1 - outcome) * math.log(1 - v)) / active
    return total
