"""Thousands of games between learnt weights, in compiled code, and what ratings follow from them.

Every pair of players meets in pairs of games that begin with the same random moves, colours exchanged; each
side plays its best move by one ply. All stones count as alive, as in training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from playout.games.api import is_over, outcome, play, to_play
from playout.games.go.board import Board
from playout.games.go.state import STATE
from playout.kernel import below, kernel, new_rng
from playout.learn.contest import best_action
from playout.learn.training import LONGEST_GAME
from playout.memory.api import choices
from playout.memory.codes import shapes_record
from playout.memory.store import Weights

OPENING = 6  # random moves that a pair of games begins with
ELO = 400 / np.log(10)
VAGUE = 3000.0  # Elo: how far from each other players may be before we have seen them play


@kernel
def duel(roots, work, memories, index, weights, other_memories, other_index, other_weights, pairs, rng):
    """Pairs of games between two memories; the games that the first one wins, a draw half of one.

    work: two states.
    """
    actions = np.zeros(512, np.uint16)
    values = np.zeros(512, np.float32)
    won = 0.0
    for game in range(2 * pairs):
        if game % 2 == 0:
            work[1] = roots[0]
            for _ in range(OPENING):
                count = choices(memories[0], work[1], actions)
                play(work[1], actions[below(rng[0], count)])
        work[0] = work[1]
        mine = 1 + game % 2
        while not is_over(work[0]):
            if to_play(work[0]) == mine:
                play(work[0], best_action(memories[0], index, weights, work[0], actions, values))
            else:
                action = best_action(other_memories[0], other_index, other_weights, work[0], actions, values)
                play(work[0], action)
        z = outcome(work[0])
        won += z if mine == 1 else 1.0 - z
    return won


@dataclass(frozen=True)
class Ratings:
    """Elo ratings of players, with standard errors."""

    elo: np.ndarray
    error: np.ndarray


def round_robin(
    players: Sequence[Weights],
    pairs: int,
    *,
    komi: float = 7.5,
    seed: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> np.ndarray:
    """Wins of the row against the column, every two players in `pairs` pairs of games."""
    side = players[0].shapes.side
    root, work = Board(side, komi).simulation_root(LONGEST_GAME), np.empty(2, STATE)
    ready = [(shapes_record(p.features), p.features.index, p.pairs()) for p in players]
    wins = np.zeros((len(players), len(players)))
    rng = new_rng(seed)
    total, done = len(players) * (len(players) - 1) // 2, 0
    for i, one in enumerate(ready):
        for j in range(i):
            wins[i, j] = duel(root, work, *one, *ready[j], pairs, rng)
            wins[j, i] = 2 * pairs - wins[i, j]
            done += 1
        progress(done, total)
    return wins


def rate(wins: np.ndarray, anchor: int = 0) -> Ratings:
    """The most likely ratings (Bradley & Terry 1952), the anchor's 0; a vague prior keeps all of them finite.

    >>> [float(x) for x in rate(np.array([[0, 24.0], [76.0, 0]])).elo.round(-1)]
    [0.0, 200.0]
    """
    games = wins + wins.T
    strength = np.zeros(len(wins))
    ridge = np.eye(len(wins)) * (ELO / VAGUE) ** 2
    for _ in range(100):
        expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        slope = (wins - games * expected).sum(axis=1) - ridge @ strength
        spread = games * expected * (1 - expected)
        curvature = np.diag(spread.sum(axis=1)) - spread + ridge
        step = np.linalg.solve(curvature, slope)
        strength += step * min(1.0, 1.0 / np.abs(step).max()) if np.abs(step).max() > 0 else 0
        if np.abs(step).max() < 1e-9:
            break
    covariance = np.linalg.inv(curvature)
    variance = np.diag(covariance) + covariance[anchor, anchor] - 2 * covariance[:, anchor]
    return Ratings(ELO * (strength - strength[anchor]), ELO * np.sqrt(np.maximum(0.0, variance)))
