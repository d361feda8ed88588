"""J, B₂ and B∞ of a simulation policy on positions (Silver & Tesauro 2009, section 2).

The policy simulates games from each position. V* after the first two moves of a game is looked up among the
values two moves later that the data set has (`learn.positions.Leaves`); V* after the first move is that after
the best answer to it. So a policy need not tell probabilities: any can be measured.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.games.api import is_over, outcome, play
from playout.games.go.learn.positions import Positions
from playout.games.go.state import BLACK, POINTS, STATE
from playout.kernel import kernel, new_rng
from playout.learn.measures import Measures, measures
from playout.policy.api import begin, sample
from playout.reproduce.value_errors import copies_of
from playout.search.simulation import simulate

SIMULATIONS = 1000


@kernel
def first_moves(roots, work, policies, rng, firsts, seconds, outcomes):
    """Simulate from one state: the first two moves of each game, and how it ended."""
    policy = policies[0]
    for k in range(firsts.size):
        work[0] = roots[0]
        begin(policy, work[0])
        firsts[k] = sample(policy, work[0], rng[0])
        play(work[0], firsts[k])
        seconds[k] = sample(policy, work[0], rng[0])
        play(work[0], seconds[k])
        if is_over(work[0]):
            outcomes[k] = outcome(work[0])
        else:
            outcomes[k] = simulate(work[0], policy, rng[0])[0]


def move_errors(
    policy: Any, positions: Positions, seed: int = 1, simulations: int = SIMULATIONS
) -> tuple[Measures, Measures]:
    """J, B₂ and B∞ of a policy, and their standard errors.

    policy: weights of a softmax policy, or settings. positions: with leaves.
    """
    if positions.leaves is None or len(positions) < 2:
        raise InputError("J and B₂ take a data set of two positions or more with values two moves later")
    if simulations < 2:
        raise InputError(f"simulations: {simulations} is not a number of at least 2")
    (copy,) = copies_of(policy, positions.roots, 1)
    rng, work = new_rng(seed), np.empty(1, STATE)
    firsts, seconds = np.zeros((2, simulations), np.uint16)
    outcomes = np.zeros(simulations)
    rows = []
    for k in range(len(positions)):
        root = positions.roots[k : k + 1]
        first_moves(root, work, copy, rng, firsts, seconds, outcomes)
        one, two = _values(positions, k)
        after_one, after_two = one[firsts], two[firsts, seconds]
        known = np.isfinite(after_two)
        if not known.all():
            raise InputError(f"position {k} has no value after moves that the policy makes")
        rows.append(measures(positions.searched[k : k + 1], after_one[None], after_two[None], outcomes[None]))
    columns = np.array([(row.strength, row.two_step, row.full) for row in rows])
    spread = columns.std(axis=0, ddof=1) / math.sqrt(len(rows))
    return Measures(*map(float, columns.mean(axis=0))), Measures(*map(float, spread))


def _values(positions: Positions, k: int) -> tuple[np.ndarray, np.ndarray]:
    """V* by first move, and by first and second move; NaN where there is none."""
    leaves = positions.leaves
    assert leaves is not None
    rows = slice(int(leaves.starts[k]), int(leaves.starts[k + 1]))
    first, second, value = leaves.first[rows], leaves.second[rows], leaves.value[rows]
    two = np.full((POINTS, POINTS), np.nan)
    two[first, second] = value
    answers_for_white = int(positions.roots["to_play"][k]) == BLACK
    best = np.fmin.reduce(two, axis=1) if answers_for_white else np.fmax.reduce(two, axis=1)
    return best, two
