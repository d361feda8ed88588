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

from playout.games.go.learn.balance import in_turn
from playout.games.go.learn.student import Student, ascend, renew
from playout.games.go.policy.psi import credit_choice, forget
from playout.games.go.policy.softmax import prepare
from playout.games.go.state import PASS
from playout.kernel import inner, kernel
from playout.learn.rates import check_alpha, check_cooling, step_size
from playout.policy.api import begin


@dataclass(frozen=True, kw_only=True)
class Regression:
    """How softmax regression goes."""

    alpha: float = 0.05
    cooling: bool = False

    def __post_init__(self) -> None:
        check_alpha(self.alpha)

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)


@inner
def chance_of(policy, board, action):
    """π(s, a), and the sum of all preferences; 0 where the policy would never choose the move."""
    begin(policy, board)
    whole = prepare(policy, board)
    if whole == 0.0:
        return (1.0 if action == PASS else 0.0), whole
    return (0.0 if action == PASS else policy.preference[np.uint32(action), board.to_play - 1] / whole), whole


@kernel
def follow(roots, actions, order, policies, theta, pairs, terms, gradient, alphas):
    """An update for each example of `order`, with its step size."""
    policy = policies[0]
    for i in range(order.size):
        k = order[i]
        chance, whole = chance_of(policy, roots[k], actions[k])
        if chance > 0.0 and whole > 0.0:
            forget(policy)
            credit_choice(policy, roots[k], whole, actions[k], 1.0)
            ascend(theta, terms, policy.credit, alphas[i], gradient)
            renew(theta, pairs, terms, policy.factor)


@kernel
def log_likelihood(roots, actions, policies):
    """Σ log π(s, a*) over the examples that the policy could choose, and how many those are."""
    total = 0.0
    count = 0
    for k in range(actions.size):
        chance, _ = chance_of(policies[0], roots[k], actions[k])
        if chance > 0.0:
            total += math.log(chance)
            count += 1
    return total, count


class RegressionLearner:
    """Learns the moves of an expert. roots: positions. actions: what was played in each."""

    def __init__(
        self,
        student: Student,
        settings: Regression,
        roots: np.ndarray,
        actions: np.ndarray,
        seed: int = 1,
        last: int | None = None,
    ) -> None:
        check_cooling(settings.cooling, last)
        self.student, self.settings = student, settings
        self.roots, self.actions = roots, np.ascontiguousarray(actions, np.uint16)
        self.updates, self.seed, self.last = 0, seed, last
        self.rngs: list[np.ndarray] = []
        self.state = np.zeros(1)

    def learn(self, updates: int) -> None:
        """So many examples, in an order of chance, each once before any comes again."""
        numbers = np.arange(self.updates, self.updates + updates)
        order = np.array([in_turn(int(k), len(self.actions), self.seed) for k in numbers], np.int64)
        s, alpha, cooling = self.student, self.settings.alpha, self.settings.cooling
        alphas = np.array([step_size(alpha, cooling, int(k), self.last) for k in numbers])
        follow(self.roots, self.actions, order, s.policies[0], s.theta, s.pairs, s.terms, s.gradient, alphas)
        self.updates += updates
        s.check(self.updates)

    def likelihood(self) -> float:
        """The mean of log π(s, a*)."""
        total, count = log_likelihood(self.roots, self.actions, self.student.policies[0])
        return total / max(1, count)
