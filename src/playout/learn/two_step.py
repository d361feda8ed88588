"""Two-step simulation balancing (Silver & Tesauro 2009, Algorithm 2).

The mean minimax value after a move and its answer is to be that of the position: the imbalance
B₂ = E_ρ[(V*(s) − E[V*(s_{t+2}) | s])²] is minimised by gradient descent. No simulations: all moves a₁ and all
answers a₂ are gone through,

    V ← Σ p V̂*(s₃),  g₂ ← Σ p V̂*(s₃) (ψ(s₁, a₁) + ψ(s₂, a₂)),  p = π(s₁, a₁) π(s₂, a₂)
    θ ← θ + α (V̂*(s₁) − V) g₂

As Σ_b π ψ = 0, a constant may be taken from V̂* in each sum: with V₂(a₁) = Σ π(s₂, a₂) V̂*(s₃),
g₂ = Σ_a₁ π (V₂(a₁) − V) φ(s₁, a₁) + Σ_a₁ π Σ_a₂ π (V̂*(s₃) − V₂(a₁)) φ(s₂, a₂).

cooling: beyond the paper (`rates`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.games.api import facts_of, is_over, play
from playout.kernel import kernel
from playout.learn.rates import ALPHA, COOLING, check_alpha, check_cooling, in_turn, step_size
from playout.policy.softmax import SoftmaxPolicy, collect, credit, forget, probability, room_for
from playout.settings import setting

MISSING = 1e-9  # probability of answers that may be without a value


@dataclass(frozen=True)
class Leaves:
    """Values two moves after each position: rows `starts[k]` to `starts[k + 1]` are those of position k.

    First moves are all that the policy may choose, second moves likewise. The rows of a position are sorted
    by the first move. One that ends the game has one row, whatever its second move is.
    """

    starts: np.ndarray  # (positions + 1,)
    first: np.ndarray  # actions
    second: np.ndarray
    value: np.ndarray  # player 1's share of the outcome


@dataclass(frozen=True, kw_only=True)
class TwoStep:
    """How two-step balancing goes."""

    alpha: float = setting(0.1, **ALPHA)
    cooling: bool = setting(False, **COOLING)

    def __post_init__(self) -> None:
        check_alpha(self.alpha)

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)


@kernel
def two_steps(roots, work, policies, first, second, value, room, answer_room, here_by, there_by, after, sums):
    """V of the position; g₂ goes to `sums` by slot.

    policies: two of them. room, answer_room: for actions and their probabilities. here_by, there_by, after:
    scratch by action: π(s₁, a₁), π(s₂, a₂) and V₂(a₁).
    Returns V and the probability of pairs of moves that have no value.
    """
    here, there = policies[0], policies[1]
    moves, chances = room
    answers, answer_chances = answer_room
    forget(here)
    forget(there)
    here_by[:] = 0.0
    number = probability(here, roots[0], moves, chances)
    for j in range(number):
        here_by[moves[j]] = chances[j]
    mean = 0.0
    known = 0.0
    k = 0
    while k < first.size:
        a = np.uint32(first[k])
        end = k
        while end < first.size and first[end] == a:
            end += 1
        chance = here_by[a]
        after[a] = 0.0
        if chance > 0.0:
            work[0] = roots[0]
            play(work[0], a)
            count = 0 if is_over(work[0]) else probability(there, work[0], answers, answer_chances)
            for j in range(count):
                there_by[answers[j]] = answer_chances[j]
            seen = 0.0
            if is_over(work[0]):
                after[a] = value[k]
                seen = 1.0
            for i in range(k, end):
                p = there_by[second[i]]
                after[a] += p * value[i]
                seen += p
            for i in range(k, end):
                p = there_by[second[i]]
                if p > 0.0:
                    credit(there, work[0], second[i], chance * p * (value[i] - after[a]))
            for j in range(count):
                there_by[answers[j]] = 0.0
            mean += chance * after[a]
            known += chance * seen
        k = end
    k = 0
    while k < first.size:
        a = np.uint32(first[k])
        if here_by[a] > 0.0 and (k == 0 or first[k - 1] != a):
            credit(here, roots[0], a, here_by[a] * (after[a] - mean))
        k += 1
    sums[:] = 0.0
    collect(here, 1.0, 1.0, sums)
    collect(there, 1.0, 1.0, sums)
    return mean, 1.0 - known


class TwoStepLearner:
    """Balances a policy over positions and what comes two moves later."""

    def __init__(
        self,
        policy: SoftmaxPolicy,
        settings: TwoStep,
        roots: np.ndarray,
        values: np.ndarray,
        leaves: Leaves,
        seed: int = 1,
        last: int | None = None,
    ) -> None:
        check_cooling(settings.cooling, last)
        policy.player(1)  # one for a position, one for what comes after a move
        self.policy, self.settings, self.last = policy, settings, last
        self.roots, self.values, self.leaves = roots, values, leaves
        self.updates, self.seed = 0, seed
        self.rngs: list[np.ndarray] = []
        self.state = np.zeros(1)
        actions = facts_of(roots.dtype).actions
        self._work, self._sums = np.empty(1, roots.dtype), policy.sums()
        self._room, self._answer_room = room_for(roots), room_for(roots)
        self._by_action = (np.zeros(actions), np.zeros(actions), np.zeros(actions))

    def two_steps(self, k: int) -> tuple[float, np.ndarray]:
        """V and g₂, by slot, of one position."""
        rows = slice(int(self.leaves.starts[k]), int(self.leaves.starts[k + 1]))
        value, missing = two_steps(
            self.roots[k : k + 1],
            self._work,
            self.policy.records,
            self.leaves.first[rows],
            self.leaves.second[rows],
            self.leaves.value[rows],
            self._room,
            self._answer_room,
            *self._by_action,
            self._sums,
        )
        if missing > MISSING:
            raise InputError(
                f"position {k} has no values for pairs of moves that have a probability of {missing:.2g}"
            )
        return value, self._sums

    def learn(self, updates: int) -> None:
        """So many updates, the positions in an order of chance, each once before any comes again."""
        for _ in range(updates):
            k = in_turn(self.updates, len(self.values), self.seed)
            value, g = self.two_steps(k)
            alpha = step_size(self.settings.alpha, self.settings.cooling, self.updates, self.last)
            self.policy.step(g, alpha * (self.values[k] - value))
            self.updates += 1
        self.policy.check(self.updates)
