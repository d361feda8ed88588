"""Softmax over features of a state and an action, made of any memory of states (Silver 2009, section 2.4).

    π(s, a) = exp(φ(s, a)·p) / Σ_b exp(φ(s, b)·p)
    ψ(s, a) = ∇_p log π(s, a) = φ(s, a) − Σ_b π(s, b) φ(s, b)

Features of pairs are those of `memory.pairs`: a block of weights for each action. So ψ has, in the block of
an action b, the features of the state times 1 − π(s, b) if b was chosen, else times −π(s, b).

`probability` writes π of all actions, `credit` is that factor of one block, `along` is w·ψ, and `settle` adds
a step along ψ.
"""

from __future__ import annotations

import math

import numpy as np

from playout.kernel import inner
from playout.memory.api import move_pair
from playout.memory.pairs import block_of, pair_value


@inner
def probability(memory, weights, state, features, count, actions, number, found):
    """Write π(s, a) of a state's actions. features: those of the state, which was looked at."""
    highest = -np.inf
    for k in range(number):
        found[k] = pair_value(memory, weights, state, features, count, actions[k])
        highest = max(highest, found[k])
    total = 0.0
    for k in range(number):
        found[k] = math.exp(found[k] - highest)
        total += found[k]
    for k in range(number):
        found[k] /= total


@inner
def credit(found, k, chosen):
    """What ψ(s, a) has of the features in the block of the k-th action."""
    return (1.0 if k == chosen else 0.0) - found[k]


@inner
def along(memory, weights, state, features, count, actions, number, found, chosen):
    """w·ψ(s, a)."""
    total = 0.0
    for k in range(number):
        first = block_of(memory, weights, state, actions[k])
        part = 0.0
        for j in range(count):
            part += weights[np.uint32(features[j]) + first]
        total += credit(found, k, chosen) * part
    return total


@inner
def settle(memory, weights, state, features, count, actions, number, found, chosen, step):
    """p ← p + step ψ(s, a), divided by the active features."""
    for k in range(number):
        part = np.float32(step / max(count, 1) * credit(found, k, chosen))
        first = block_of(memory, weights, state, actions[k])
        for j in range(count):
            move_pair(weights, np.uint32(features[j]) + first, part)
