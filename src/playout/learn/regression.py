"""Softmax regression: a policy that chooses as an expert does (Silver & Tesauro 2009, section 4.1).

For each example in turn, the move a* of an expert in a position s,

    Δθ = α ψ(s, a*)                                                                        (8)

which is stochastic gradient ascent of the log likelihood Σ log π(s, a*), a concave function.

cooling: beyond the paper (`rates`).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from playout.kernel import inner, kernel
from playout.learn.rates import ALPHA, COOLING, check_alpha, check_cooling, in_turn, step_size
from playout.policy.softmax import SoftmaxPolicy, credit, forget, probability, room_for, step_by_credit
from playout.settings import setting


@dataclass(frozen=True, kw_only=True)
class Regression:
    """How softmax regression goes."""

    alpha: float = setting(0.05, **ALPHA)
    cooling: bool = setting(False, **COOLING)

    def __post_init__(self) -> None:
        check_alpha(self.alpha)

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)


@inner
def place_of(action, actions, number):
    """Where an action stands among those that a policy may choose; −1 where it does not."""
    for k in range(number):
        if actions[k] == action:
            return k
    return -1


@kernel
def follow(roots, choices, order, policies, index, theta, sums, found, actions, chances, alphas):
    """An update for each example of `order`, with its step size."""
    policy = policies[0]
    for i in range(order.size):
        k = order[i]
        number = probability(policy, roots[k], actions, chances)
        chosen = place_of(choices[k], actions, number)
        if chosen >= 0 and chances[chosen] > 0.0:
            forget(policy)
            for j in range(number):  # ψ(s, a*)
                credit(policy, roots[k], actions[j], (1.0 if j == chosen else 0.0) - chances[j])
            step_by_credit(policy, index, theta, sums, found, alphas[i])  # (8)


@kernel
def log_likelihood(roots, choices, policies, actions, chances):
    """Σ log π(s, a*) over the examples that the policy could choose, and how many those are."""
    total = 0.0
    count = 0
    for k in range(choices.size):
        number = probability(policies[0], roots[k], actions, chances)
        chosen = place_of(choices[k], actions, number)
        if chosen >= 0 and chances[chosen] > 0.0:
            total += math.log(chances[chosen])
            count += 1
    return total, count


def likelihood(policy: SoftmaxPolicy, roots: np.ndarray, choices: np.ndarray) -> float:
    """The mean of log π(s, a*)."""
    total, count = log_likelihood(roots, choices, policy.policies[0], *room_for(roots))
    return total / max(1, count)


class RegressionLearner:
    """Learns the moves of an expert. roots: positions. actions: what was played in each."""

    def __init__(
        self,
        policy: SoftmaxPolicy,
        settings: Regression,
        roots: np.ndarray,
        actions: np.ndarray,
        seed: int = 1,
        last: int | None = None,
    ) -> None:
        check_cooling(settings.cooling, last)
        self.policy, self.settings = policy, settings
        self.roots, self.actions = roots, np.ascontiguousarray(actions, np.uint16)
        self.updates, self.seed, self.last = 0, seed, last
        self.rngs: list[np.ndarray] = []
        self.state = np.zeros(1)

    def learn(self, updates: int) -> None:
        """So many examples, in an order of chance, each once before any comes again."""
        numbers = np.arange(self.updates, self.updates + updates)
        order = np.array([in_turn(int(k), len(self.actions), self.seed) for k in numbers], np.int64)
        p, alpha, cooling = self.policy, self.settings.alpha, self.settings.cooling
        alphas = np.array([step_size(alpha, cooling, int(k), self.last) for k in numbers])
        room = room_for(self.roots)
        follow(
            self.roots,
            self.actions,
            order,
            p.policies[0],
            p.index,
            p.theta,
            p.room,
            p.found,
            *room,
            alphas,
        )
        self.updates += updates
        p.check(self.updates)

    def likelihood(self) -> float:
        """The mean of log π(s, a*)."""
        return likelihood(self.policy, self.roots, self.actions)
