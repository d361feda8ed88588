"""Step sizes that adapt (Silver 2009, 10.3.1), and counts of features for exploration (10.3.2).

Features differ in how often they occur by orders of magnitude. The rules, for a feature i of a position u
with the error δ_u, ‖φ‖² active features and α as the setting:

- constant: α δ_u / ‖φ‖² (6.3);
- decaying: the same with α / (1 + N / h), after N simulations;
- per-feature: with α / (1 + n_i / h), where the feature has become active n_i times before;
- kalman: the extended Kalman filter of σ(φ·θ) with a diagonal covariance p. With the slope s = V (1 - V),
  which is also the variance of a win,

      K_i = p_i / (1 + s Σ_j p_j φ_j),   Δθ_i = K_i δ_u,   p_i ← p_i - p_i K_i s,   p_i = p_0 at first.

All updates of a simulation are made when it has ended, with the sums Σ_j p_j from before it. The p of a
feature that was active for some positions becomes p_i / (1 + Σ_u s_u K_i), which is the same to first order
and stays above 0.

A feature that few simulations have had is uncertain. Its virtual count n_i serves exploration: a move's bonus
is c √(ln N / (1 + n)), with the mean n of the features that it brings, as UCT has it for the count of a node.
"""

from __future__ import annotations

import math

import numpy as np

from playout.kernel import inner
from playout.memory.api import move_pair

CONSTANT, DECAYING, PER_FEATURE, KALMAN = 0, 1, 2, 3
RULES = {"constant": CONSTANT, "decaying": DECAYING, "per-feature": PER_FEATURE, "kalman": KALMAN}
COUNTS, VARIANCES = 0, 1  # rows of what is known of each weight


def new_knowledge(weights: int, variance: float) -> np.ndarray:
    """What is known of each weight before the first simulation: its count and its variance."""
    knowledge = np.zeros((2, weights), np.float32)
    knowledge[VARIANCES] = variance
    return knowledge


@inner
def decayed(learner, simulations):
    """α after so many simulations."""
    if learner.steps == DECAYING:
        return learner.alpha / (1.0 + simulations / learner.halving)
    return learner.alpha


@inner
def settle(learnt, learner, known, errors, slopes, length, log, logged, sums, room):
    """All updates of a simulation, each feature with a step size of its own.

    errors: δ of each position; slopes: s; sums: of α δ / ‖φ‖² before each position. log: see `memory.api`.
    """
    kalman = learner.steps == KALMAN
    if kalman:
        gains(known, errors, slopes, length, log, logged, sums, room)
    for k in range(logged):
        entry = np.uint32(k)
        place = np.uint32(log[entry, 0])
        w = place >> np.uint32(1)
        first, last = log[entry, 1], log[entry, 2]
        step = sums[last] - sums[first]
        if kalman:
            variance = known[VARIANCES, w]
            step *= variance
            known[VARIANCES, w] = np.float32(variance / (1.0 + variance * (room[last] - room[first])))
        else:
            step /= 1.0 + known[COUNTS, w] / learner.halving
        move_pair(learnt, place, np.float32(step))


@inner
def gains(known, errors, slopes, length, log, logged, sums, room):
    """Partial sums of δ K / p, and of s K / p, before each position."""
    total_variance(known, length, log, logged, room)
    gathered = 0.0
    for u in range(length):
        gain = 1.0 / (1.0 + slopes[u] * room[u])  # K_i / p_i
        sums[u + 1] = sums[u] + errors[u] * gain
        room[u] = gathered
        gathered += slopes[u] * gain
    room[length] = gathered


@inner
def total_variance(known, length, log, logged, room):
    """Σ_j p_j φ_j of each position, from the differences where features begin and end."""
    for u in range(length + 1):
        room[u] = 0.0
    for k in range(logged):
        entry = np.uint32(k)
        variance = known[VARIANCES, np.uint32(log[entry, 0]) >> np.uint32(1)]
        room[log[entry, 1]] += variance
        room[log[entry, 2]] -= variance
    for u in range(1, length + 1):
        room[u] += room[u - 1]


@inner
def count_features(known, log, logged):
    """Count the features of a simulation, each time that one became active."""
    for k in range(logged):
        known[COUNTS, np.uint32(log[np.uint32(k), 0]) >> np.uint32(1)] += np.float32(1.0)


@inner
def bonus(optimism, simulations, virtual_count):
    """What an uncertain move is worth more, in units of φ·θ."""
    return optimism * math.sqrt(math.log(1.0 + simulations) / (1.0 + virtual_count))
