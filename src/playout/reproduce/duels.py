"""Thousands of games between learnt weights, in compiled code, for `arena.elo` to rate.

Every two players meet in pairs of games that begin with the same random moves, colours exchanged; each side
plays its best move by one ply. All stones count as alive, as in training.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from playout.arena.elo import Result
from playout.games.api import MAX_ACTIONS, is_over, outcome, play, to_play
from playout.games.go.board import Board
from playout.games.go.learn.training import LONGEST_GAME
from playout.games.go.memory.codes import shapes_record
from playout.games.go.memory.store import Weights
from playout.games.go.state import STATE
from playout.kernel import below, kernel, new_rng
from playout.learn.contest import best_action
from playout.memory.api import choices

OPENING = 6  # random moves that a pair of games begins with


@kernel
def duel(roots, work, memories, index, weights, other_memories, other_index, other_weights, rng, scores):
    """Games between two memories: write Black's score of each; the first one is Black in every other game.

    work: two states.
    """
    actions = np.zeros(MAX_ACTIONS, np.uint16)
    values = np.zeros(MAX_ACTIONS, np.float32)
    for game in range(scores.size):
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
        scores[game] = outcome(work[0])


def round_robin(
    players: Mapping[str, Weights],
    pairs: int,
    *,
    komi: float = 7.5,
    seed: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Result]:
    """Every two players in `pairs` pairs of games: Black, White and Black's score of each game."""
    sides = {weights.shapes.side for weights in players.values()}
    root, work = Board(sides.pop(), komi).simulation_root(LONGEST_GAME), np.empty(2, STATE)
    ready = {
        name: (shapes_record(weights.features), weights.features.index, weights.pairs())
        for name, weights in players.items()
    }
    results: list[Result] = []
    rng, scores = new_rng(seed), np.zeros(2 * pairs)
    names = list(ready)
    total, done = len(names) * (len(names) - 1) // 2, 0
    for i, one in enumerate(names):
        for other in names[:i]:
            duel(root, work, *ready[one], *ready[other], rng, scores)
            results += [
                (one, other, float(score)) if game % 2 == 0 else (other, one, float(score))
                for game, score in enumerate(scores)
            ]
            done += 1
        progress(done, total)
    return results
