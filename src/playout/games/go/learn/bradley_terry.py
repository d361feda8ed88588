"""A softmax policy as a generalised Bradley–Terry model, by minorization–maximization (Coulom 2007).

In each position the expert's move has won against all others. A move's team are its features: how often each
weight's feature is there after the move, less how often it was before. The strengths γ that `minorize_counts`
finds are those that maximise the likelihood, as softmax regression does: θ = log γ.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.games.go.learn.regression import chance_of, log_likelihood
from playout.games.go.learn.student import Student
from playout.games.go.memory.corners import weights_of_slots
from playout.games.go.policy.psi import credit_move, forget
from playout.games.go.state import STRIDE
from playout.kernel import kernel
from playout.learn.minorize import Counts, minorize_counts


@dataclass(frozen=True, kw_only=True)
class BradleyTerry:
    """How minorization–maximization goes."""

    ties: float = 1.0  # each strength has won and lost so often against a strength of 1, beside the data

    def __post_init__(self) -> None:
        if not (math.isfinite(self.ties) and 0 <= self.ties <= 1e6):
            raise InputError(f"ties: {self.ties:g} is not a number from 0 to 1,000,000")

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)


@kernel
def describe(roots, actions, policies, terms, gradient, phi, starts, winners):
    """φ of every move of every position, a row each; how many rows. Positions without a choice are left out.

    With phi of no rows it only counts.
    """
    policy = policies[0]
    rows = 0
    kept = 0
    for k in range(actions.size):
        board = roots[k]
        chance, whole = chance_of(policy, board, actions[k])
        if chance == 0.0 or whole == 0.0:
            continue
        if phi.shape[0] > 0:
            starts[kept] = rows
        for row in range(board.side):
            for column in range(board.side):
                p = np.uint32((row + 1) * STRIDE + column + 1)
                if policy.preference[p, board.to_play - 1] > 0.0:
                    if phi.shape[0] > 0:
                        forget(policy)
                        credit_move(policy, board, p, 1.0)
                        gradient[:] = 0.0
                        weights_of_slots(terms, policy.credit, gradient)
                        for j in range(gradient.size):
                            phi[rows, j] = np.int8(gradient[j])
                        if p == actions[k]:
                            winners[kept] = rows
                    rows += 1
        kept += 1
    if phi.shape[0] > 0:
        starts[kept] = rows
    return rows, kept


def counts_of(student: Student, roots: np.ndarray, actions: np.ndarray) -> Counts:
    """The teams of all moves, and who won.

    Positions without a choice, or with a move that no policy makes, are left out.
    """
    actions = np.ascontiguousarray(actions, np.uint16)
    nothing = np.zeros((0, student.theta.size), np.int8)
    ends = np.zeros(0, np.int64)
    arguments = (roots, actions, student.policies[0], student.terms, student.gradient)
    rows, kept = describe(*arguments, nothing, ends, ends)
    if kept == 0:
        raise InputError("no position of the data has a move that a policy can learn from")
    phi = np.zeros((rows, student.theta.size), np.int8)
    starts, winners = np.zeros(kept + 1, np.int64), np.zeros(kept, np.int64)
    describe(*arguments, phi, starts, winners)
    return Counts.of(phi, starts, winners)


class BradleyTerryLearner:
    """Learns the moves of an expert; an update goes through all strengths once."""

    def __init__(
        self, student: Student, settings: BradleyTerry, roots: np.ndarray, actions: np.ndarray, seed: int = 1
    ) -> None:
        self.student, self.settings = student, settings
        self.roots, self.actions = roots, np.ascontiguousarray(actions, np.uint16)
        self.counts = counts_of(student, roots, self.actions)
        self.updates = 0
        self.rngs: list[np.ndarray] = []
        self.state = np.zeros(1)

    def learn(self, updates: int) -> None:
        """So many times through all strengths."""
        theta, ties = self.student.theta, self.settings.ties
        for _ in range(updates):  # one at a time: wherever a run is stopped, the bits are the same
            theta[:] = np.log(minorize_counts(self.counts, np.exp(theta), steps=1, ties=ties))
        self.student.renew()
        self.updates += updates
        self.student.check(self.updates)

    def likelihood(self) -> float:
        """The mean of log π(s, a*)."""
        total, count = log_likelihood(self.roots, self.actions, self.student.policies[0])
        return total / max(1, count)
