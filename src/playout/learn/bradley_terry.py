"""A softmax policy as a generalised Bradley–Terry model, by minorization–maximization (Coulom 2007).

In each position the expert's move has won against all others. A move's team are its features, each as often
as the move has it (less often than not at all, where features are differences). The strengths γ that
`minorize_counts` finds are those that maximise the likelihood, as softmax regression does: θ = log γ.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.kernel import kernel
from playout.learn.minorize import Counts, minorize_counts
from playout.learn.regression import likelihood, place_of
from playout.policy.softmax import SoftmaxPolicy, collect, credit, forget, gradient, probability, room_for
from playout.settings import setting


@dataclass(frozen=True, kw_only=True)
class BradleyTerry:
    """How minorization–maximization goes."""

    ties: float = setting(
        1.0, "wins and losses of each strength against 1, beside the data", low=0, high=1_000_000
    )

    def __post_init__(self) -> None:
        if not (math.isfinite(self.ties) and 0 <= self.ties <= 1e6):
            raise InputError(f"ties: {self.ties:g} is not a number from 0 to 1,000,000")

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)


@kernel
def describe(roots, choices, policies, index, sums, found, actions, chances, phi, starts, winners):
    """φ of every move of every position, a row each; how many rows, and how many positions.

    Positions without a choice are left out. With phi of no rows it only counts.
    """
    policy = policies[0]
    rows = 0
    contests = 0
    for k in range(choices.size):
        number = probability(policy, roots[k], actions, chances)
        chosen = place_of(choices[k], actions, number)
        if number < 2 or chosen < 0 or chances[chosen] == 0.0:
            continue
        if phi.shape[0] > 0:
            starts[contests] = rows
            winners[contests] = rows + chosen
            for j in range(number):
                forget(policy)
                credit(policy, roots[k], actions[j], 1.0)
                sums[:] = 0.0
                collect(policy, 1.0, 1.0, sums)
                found[:] = 0.0
                gradient(policy, index, sums, found)
                for i in range(found.size):
                    phi[rows + j, i] = np.int8(found[i])
        rows += number
        contests += 1
    if phi.shape[0] > 0:
        starts[contests] = rows
    return rows, contests


def counts_of(policy: SoftmaxPolicy, roots: np.ndarray, choices: np.ndarray) -> Counts:
    """The teams of all moves, and who won.

    Positions without a choice, or with a move that no policy makes, are left out.
    """
    choices = np.ascontiguousarray(choices, np.uint16)
    nothing = np.zeros((0, policy.theta.size), np.int8)
    ends = np.zeros(0, np.int64)
    arguments = (
        roots,
        choices,
        policy.policies[0],
        policy.index,
        policy.room,
        policy.found,
        *room_for(roots),
    )
    rows, contests = describe(*arguments, nothing, ends, ends)
    if contests == 0:
        raise InputError("no position of the data has a move that a policy can learn from")
    phi = np.zeros((rows, policy.theta.size), np.int8)
    starts, winners = np.zeros(contests + 1, np.int64), np.zeros(contests, np.int64)
    describe(*arguments, phi, starts, winners)
    return Counts.of(phi, starts, winners)


class BradleyTerryLearner:
    """Learns the moves of an expert; an update goes through all strengths once."""

    def __init__(
        self, policy: SoftmaxPolicy, settings: BradleyTerry, roots: np.ndarray, actions: np.ndarray
    ) -> None:
        self.policy, self.settings = policy, settings
        self.roots, self.actions = roots, np.ascontiguousarray(actions, np.uint16)
        self.counts = counts_of(policy, roots, self.actions)
        self.updates = 0
        self.rngs: list[np.ndarray] = []
        self.state = np.zeros(1)

    def learn(self, updates: int) -> None:
        """So many times through all strengths."""
        theta, ties = self.policy.theta, self.settings.ties
        # One at a time: wherever a run is stopped, the bits are the same. And by the functions of `math`:
        # those of NumPy differ in the last bit from one processor to another.
        for _ in range(updates):
            gamma = np.array([math.exp(x) for x in theta])
            theta[:] = [math.log(x) for x in minorize_counts(self.counts, gamma, steps=1, ties=ties)]
        self.policy.renew()
        self.updates += updates
        self.policy.check(self.updates)

    def likelihood(self) -> float:
        """The mean of log π(s, a*)."""
        return likelihood(self.policy, self.roots, self.actions)
