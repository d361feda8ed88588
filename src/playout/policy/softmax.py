"""Softmax policies over any features of moves, in any game: the seam between learners and features.

    π(s, a) = exp(φ(s, a)·θ) / Σ_b exp(φ(s, b)·θ)
    ψ(s, a) = ∇_θ log π(s, a) = φ(s, a) − Σ_b π(s, b) φ(s, b)          (Silver & Tesauro 2009, eq. 5 and 6)

A policy of this kind is a record that plays (`policy.api`) and implements the functions below. It keeps a
*credit*, a sum of features, in a unit of its own choice: one number for each of its *slots*. `gradient` makes
numbers by weight of it. So a policy can collect what is cheap to collect in the middle of a game.

`policy.linear` makes such a policy of any features that somebody can list for a move; Go has two that know
more about what a move changes (local shapes and features of moves). Regression,
minorization–maximization, REINFORCE, balancing, two-step balancing and adjusting (`playout.learn`) know
nothing of a policy but this.
"""

from __future__ import annotations

import numpy as np

from playout.errors import Diverged, InputError
from playout.games.api import facts_of
from playout.kernel import clone, generic, inner, kernel, uniform

# Every record of this kind has these fields among its own.
LEARNING = [
    ("sign", "f8", (2,)),  # by player: what ψ of his moves is multiplied by while a game is sampled
    ("learning", "u1"),  # whether sampled moves are credited
]
DIVERGED = 1e3  # a weight beyond this has lost all meaning


@generic
def weigh(policy, index, theta):
    """Play by the weights θ from now on. index: an array that belongs to the features, beside the record."""


@generic
def probability(policy, state, actions, chances):
    """Write the actions that the policy may choose in a state, and π(s, a) of each; return how many.

    The policy begins anew in this state (`api.begin`).
    """


@generic
def credit(policy, state, action, amount):
    """Add amount × φ(s, a) to the credit. The policy has just told `probability` of this state."""


@generic
def forget(policy):
    """Let the credit be 0."""


@generic
def settle(policy):
    """End a game: the credit now has all of Σ_t ψ(s_t, a_t), times each mover's sign, of the sampled moves.

    Until then a policy may owe a part of it.
    """


@generic
def collect(policy, outcome, part, sums):
    """sums ← sums + outcome × (part × credit), by slot."""


@generic
def gradient(policy, index, sums, found):
    """found ← found + sums by weight: what the slots' numbers say of each weight."""


@inner
def draw(chances, number, rng):
    """One of the actions, by its probability; its place among them."""
    left = uniform(rng)
    k = 0
    while k < number - 1 and left >= chances[k]:
        left -= chances[k]
        k += 1
    return k


@inner
def step(policy, index, theta, sums, found, amount):
    """θ ← θ + amount × the gradient that the sums stand for. found: room for it."""
    found[:] = 0.0
    gradient(policy, index, sums, found)
    for k in range(theta.size):
        theta[k] += amount * found[k]


@inner
def step_by_credit(policy, index, theta, sums, found, amount):
    """The same by the policy's own credit; then it plays by the new weights. sums: room by slot."""
    sums[:] = 0.0
    collect(policy, 1.0, 1.0, sums)
    step(policy, index, theta, sums, found, amount)
    weigh(policy, index, theta)


@kernel
def _step(policies, index, theta, sums, found, amount):
    step(policies[0], index, theta, sums, found, amount)


@kernel
def _weigh(policies, index, theta):
    for k in range(policies.size):
        weigh(policies[k], index, theta)


@kernel
def _by_weight(policies, index, sums, found):
    gradient(policies[0], index, sums, found)


class SoftmaxPolicy:
    """A softmax policy that is learnt: its weights θ, and the records that play by them.

    record: an array of one record, which is copied. index: the array beside it. theta: the weights to start
    from. slots: of its credit. records: how many play at a time.
    """

    def __init__(
        self, record: np.ndarray, index: np.ndarray, theta: np.ndarray, slots: int, records: int = 1
    ) -> None:
        self.records = np.concatenate([clone(record) for _ in range(records)])
        self.records["sign"], self.records["learning"] = 1.0, 1
        self.policies = [self.records[k : k + 1] for k in range(records)]  # views
        self.index, self.slots = index, slots
        self.theta = np.array(theta, np.float64)
        self.found = np.zeros(self.theta.size)
        self.room = np.zeros(slots)
        self.renew()

    def player(self, number: int) -> np.ndarray:
        """The record that plays for one of several samplers."""
        if number >= len(self.policies):
            raise InputError(
                f"{number + 1} samplers play by this policy, and it has {len(self.policies)}: "
                f"make it with records={number + 1}"
            )
        return self.policies[number]

    def renew(self) -> None:
        """Let all records play by the weights as they are now."""
        _weigh(self.records, self.index, self.theta)

    def sums(self) -> np.ndarray:
        """Room for sums by slot."""
        return np.zeros(self.slots)

    def by_weight(self, sums: np.ndarray) -> np.ndarray:
        """Sums by slot as a gradient by weight."""
        found = np.zeros(self.theta.size)
        _by_weight(self.policies[0], self.index, np.ascontiguousarray(sums), found)
        return found

    def step(self, sums: np.ndarray, amount: float) -> None:
        """θ ← θ + amount × gradient."""
        _step(self.policies[0], self.index, self.theta, np.ascontiguousarray(sums), self.found, amount)
        self.renew()

    def check(self, updates: int) -> None:
        """Refuse to go on with weights that have lost all meaning."""
        largest = float(np.max(np.abs(self.theta)))
        if not largest < DIVERGED:
            raise Diverged(
                f"the weights have diverged after {updates:,} updates (the largest is {largest:g}): "
                "a smaller alpha is needed"
            )


def first_weights(theta: np.ndarray | None, count: int) -> np.ndarray:
    """The weights to start from: those that are given, or 0."""
    if theta is None:
        return np.zeros(count)
    if theta.shape != (count,):
        raise InputError(f"the first weights are {theta.size:,}; these features have {count:,}")
    return np.asarray(theta, np.float64)


def room_for(root: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Room for a state's actions and their probabilities."""
    most = facts_of(root.dtype).most_choices
    return np.zeros(most, np.uint16), np.zeros(most)
