"""A softmax policy over any features that can be listed for a move (`policy.softmax`), in any game.

Who brings features says with `describe` which of them a move has. They are 0 or 1, and have numbers; a number
that is written twice counts twice. The policy looks at all legal moves of a state each time.

docs/adjusting.md has an example.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from playout.errors import InputError
from playout.games.api import GameError, facts_of, legal_moves, to_play
from playout.kernel import defaulted, generic, implements, inner, record_type
from playout.policy import api
from playout.policy.softmax import (
    LEARNING,
    SoftmaxPolicy,
    collect,
    credit,
    draw,
    first_weights,
    forget,
    gradient,
    probability,
    settle,
    weigh,
)

MOST_FEATURES = 1 << 16


@defaulted
def look_round(features, state):
    """Look at a state, before its moves are described."""
    return


@generic
def describe(features, state, action, found):
    """Write the numbers of the features that a move has; return how many."""


@cache
def linear_type(features: np.dtype, count: int, most: int, choices: int) -> np.dtype:
    """The record of a policy over so many features, of which a move has at most so many."""
    made = record_type(
        [
            ("features", features, (1,)),
            ("theta", "f8", (count,)),
            ("credits", "f8", (count,)),
            ("chances", "f8", (choices,)),
            ("actions", "u2", (choices,)),
            ("active", "u2", (choices, most)),
            ("actives", "u2", (choices,)),
            ("number", "u2"),
            *LEARNING,
        ]
    )
    implements(weigh, made)(_weigh)
    implements(probability, made)(_probability)
    implements(credit, made)(_credit)
    implements(forget, made)(_forget)
    implements(settle, made)(_settle)
    implements(collect, made)(_collect)
    implements(gradient, made)(_gradient)
    implements(api.sample, made)(_sample)
    return made


def linear_policy(
    features: np.ndarray,
    root: np.ndarray,
    *,
    count: int,
    most: int,
    theta: np.ndarray | None = None,
    records: int = 1,
) -> SoftmaxPolicy:
    """A policy over features of moves.

    features: an array of one record, for whose type `describe` is implemented. root: a state of the game.
    count: how many features there are. most: how many a move has at most. theta: the weights to start from.
    """
    if not 1 <= most <= count <= MOST_FEATURES:
        raise InputError(f"{count} features of which a move has up to {most} are not 1 to {MOST_FEATURES:,}")
    record = np.zeros(1, linear_type(features.dtype, count, most, facts_of(root.dtype).most_choices))
    record["features"][0] = features
    return SoftmaxPolicy(record, np.zeros(0, np.uint32), first_weights(theta, count), count, records)


def _weigh(policy, index, theta):
    for k in range(theta.size):
        policy.theta[k] = theta[k]


@inner
def look(policy, state):
    """π of all actions, and their features."""
    number = legal_moves(state, policy.actions)
    if number < 1 or number > policy.actions.size:
        raise GameError("legal_moves gives no action, or more than the game declares (choices)")
    look_round(policy.features[0], state)
    highest = -np.inf
    for k in range(number):
        n = describe(policy.features[0], state, policy.actions[k], policy.active[k])
        if n < 0 or n > policy.active.shape[1]:
            raise GameError("describe gives more features than a move may have (most)")
        x = 0.0
        for j in range(n):
            if policy.active[k, j] >= policy.theta.size:
                raise GameError("describe gives the number of a feature that there is not (count)")
            x += policy.theta[policy.active[k, j]]
        policy.actives[k] = n
        policy.chances[k] = x
        highest = max(highest, x)
    total = 0.0
    for k in range(number):
        policy.chances[k] = math.exp(policy.chances[k] - highest)
        total += policy.chances[k]
    for k in range(number):
        policy.chances[k] /= total
    policy.number = number
    return number


@inner
def _add(policy, k, amount):
    for j in range(policy.actives[k]):
        policy.credits[policy.active[k, j]] += amount


def _probability(policy, state, actions, chances):
    number = look(policy, state)
    for k in range(number):
        actions[k] = policy.actions[k]
        chances[k] = policy.chances[k]
    return number


def _credit(policy, state, action, amount):
    for k in range(policy.number):
        if policy.actions[k] == action:
            _add(policy, k, amount)
            return


def _forget(policy):
    policy.credits[:] = 0.0


def _settle(policy):
    return


def _collect(policy, outcome, part, sums):
    for k in range(sums.size):
        sums[k] += outcome * (part * policy.credits[k])


def _gradient(policy, index, sums, found):
    for k in range(found.size):
        found[k] += sums[k]


def _sample(policy, state, rng):
    number = look(policy, state)
    chosen = draw(policy.chances, number, rng)
    if policy.learning:
        sign = policy.sign[to_play(state) - 1]
        for k in range(number):
            _add(policy, k, sign * ((1.0 if k == chosen else 0.0) - policy.chances[k]))
    return np.uint32(policy.actions[chosen])
