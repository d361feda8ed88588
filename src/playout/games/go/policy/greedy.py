"""Simulation policies over learnt values of local shapes: π_ε, π_σ and π_τ (Silver 2009, section 9.2).

Q(s, a) is the probability that the mover wins after his move, by the weights. Greedy play alone would make
every simulation the same, so there is some chance in it:

- epsilon: a random move with probability ε, else argmax Q;
- noise: argmax Q + η, with η normal, of standard deviation σ;
- softmax: a move with probability in proportion to exp(Q / τ).
"""

import math
from dataclasses import dataclass

import numpy as np

from playout.games.go.memory.codes import FROZEN_FIELDS, frozen_memory
from playout.games.go.memory.shipped import SHIPPED, frozen_for
from playout.games.go.state import AREA
from playout.kernel import below, implements, inner, record_type, uniform
from playout.memory.api import after_values, choices, look
from playout.policy import api
from playout.settings import setting

EPSILON, NOISE, SOFTMAX = 0, 1, 2
CHOICES = {"epsilon": EPSILON, "noise": NOISE, "softmax": SOFTMAX}
GREEDY = record_type(
    [
        ("chance", "u1"),  # first, or the record would pass for a FROZEN one
        ("chance_epsilon", "f8"),
        ("chance_sigma", "f8"),
        ("chance_tau", "f8"),
        ("chance_actions", "u2", (AREA + 1,)),
        ("chance_values", "f4", (AREA + 1,)),
        *FROZEN_FIELDS,
    ]
)
frozen_memory(GREEDY)


@dataclass(frozen=True, kw_only=True)
class Greedy:
    """Settings of play by learnt values with some chance in it."""

    chance: str = setting("epsilon", "how chance comes in", choices=tuple(CHOICES))
    epsilon: float = setting(0.1, "ε: probability of a random move", low=0, high=1)
    sigma: float = setting(0.15, "σ: noise on the values, if chance=noise", low=0, high=100)
    tau: float = setting(0.05, "τ: temperature, if chance=softmax", low=0.0001, high=1000)
    weights: str = setting(SHIPPED, "learnt weights: 'shipped' or a file")

    def record_for(self, root: np.ndarray) -> np.ndarray:
        """The policy for a board size, as an array of one record."""
        policy = frozen_for(self, root, GREEDY)
        policy["chance"] = CHOICES[self.chance]
        policy["chance_epsilon"], policy["chance_sigma"] = self.epsilon, self.sigma
        policy["chance_tau"] = self.tau
        return policy


@inner
def normal(rng):
    """A normal random number (Box & Muller 1958)."""
    return math.sqrt(-2.0 * math.log(1.0 - uniform(rng))) * math.cos(2.0 * math.pi * uniform(rng))


@inner
def value_for(x, player):
    """The probability that a player wins, from φ·θ."""
    return 1.0 / (1.0 + math.exp(-x if player == 1 else x))


@implements(api.begin, GREEDY)
def begin(policy, board):
    """Each sample looks for itself."""


@inner
def softmax(policy, count, player, rng):
    """A choice with probability in proportion to exp(Q / τ)."""
    values = policy.chance_values
    highest = 0.0
    for k in range(count):
        j = np.uint32(k)
        values[j] = value_for(values[j], player)
        highest = max(highest, values[j])
    total = 0.0
    for k in range(count):
        j = np.uint32(k)
        values[j] = math.exp(
            (values[j] - highest) / policy.chance_tau
        )  # the best one's is 1: never all are 0
        total += values[j]
    left = uniform(rng) * total
    for k in range(count):
        left -= values[np.uint32(k)]
        if left < 0.0:
            return np.uint32(k)
    return np.uint32(count - 1)


@inner
def argmax(policy, count, player, rng):
    """The choice of highest Q, with noise where it is wanted; of equals the last."""
    best = np.uint32(0)
    highest = -np.inf
    noisy = policy.chance == NOISE
    for k in range(count):
        j = np.uint32(k)
        x = np.float64(policy.chance_values[j])
        q = value_for(x, player) + policy.chance_sigma * normal(rng) if noisy else (x if player == 1 else -x)
        if q >= highest:
            highest = q
            best = j
    return best


@implements(api.sample, GREEDY)
def sample(policy, board, rng):
    look(policy, policy.frozen, policy.frozen, board)
    count = choices(policy, board, policy.chance_actions)
    if count == 1:
        return np.uint32(policy.chance_actions[0])
    if policy.chance == EPSILON and uniform(rng) < policy.chance_epsilon:
        return np.uint32(policy.chance_actions[below(rng, count)])
    after_values(
        policy, policy.frozen, policy.frozen, board, policy.chance_actions, count, policy.chance_values
    )
    if policy.chance == SOFTMAX:
        return np.uint32(policy.chance_actions[softmax(policy, count, board.to_play, rng)])
    return np.uint32(policy.chance_actions[argmax(policy, count, board.to_play, rng)])
