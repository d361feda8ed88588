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
from playout.games.api import play
from playout.games.go.learn.balance import in_turn
from playout.games.go.learn.positions import Leaves
from playout.games.go.learn.student import Student
from playout.games.go.policy.psi import credit_move, forget
from playout.games.go.policy.softmax import prepare
from playout.games.go.state import PASS, POINTS, STATE
from playout.kernel import kernel
from playout.learn.rates import check_alpha, check_cooling, step_size
from playout.policy.api import begin

MISSING = 1e-9  # probability of answers that may be without a value


@dataclass(frozen=True, kw_only=True)
class TwoStep:
    """How two-step balancing goes."""

    alpha: float = 0.1
    cooling: bool = False

    def __post_init__(self) -> None:
        check_alpha(self.alpha)

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)


@kernel
def two_steps(roots, work, policies, first, second, value, after, credit):
    """V of the position; g₂ goes to `credit` by slot and player. after: scratch by point.

    policies: two of them. Returns V and the probability of pairs of moves that have no value.
    """
    here, there = policies[0], policies[1]
    forget(here)
    forget(there)
    begin(here, roots[0])
    whole = prepare(here, roots[0])
    player = np.uint32(roots[0].to_play - 1)
    mean = 0.0
    known = 0.0
    k = 0
    while k < first.size:
        a = np.uint32(first[k])
        end = k
        while end < first.size and first[end] == a:
            end += 1
        chance = 1.0 if whole == 0.0 and a == PASS else 0.0
        if a != PASS:
            chance = here.preference[a, player] / whole if whole > 0.0 else 0.0
        after[a] = 0.0
        if chance > 0.0:
            work[0] = roots[0]
            play(work[0], a)
            begin(there, work[0])
            total = prepare(there, work[0])
            answerer = np.uint32(work[0].to_play - 1)
            seen = 0.0
            for i in range(k, end):
                b = np.uint32(second[i])
                p = 1.0 if total == 0.0 and b == PASS else 0.0
                if b != PASS and total > 0.0:
                    p = there.preference[b, answerer] / total
                after[a] += p * value[i]
                seen += p
            if total > 0.0:
                for i in range(k, end):
                    b = np.uint32(second[i])
                    if b != PASS and there.preference[b, answerer] > 0.0:
                        p = there.preference[b, answerer] / total
                        credit_move(there, work[0], b, chance * p * (value[i] - after[a]))
            mean += chance * after[a]
            known += chance * seen
        k = end
    if whole > 0.0:
        k = 0
        while k < first.size:
            a = np.uint32(first[k])
            if a != PASS and here.preference[a, player] > 0.0 and (k == 0 or first[k - 1] != a):
                credit_move(here, roots[0], a, here.preference[a, player] / whole * (after[a] - mean))
            k += 1
    for i in range(here.slots):
        for j in range(2):
            credit[i, j] = here.credit[i, j] + there.credit[i, j]
    return mean, 1.0 - known


class TwoStepLearner:
    """Balances a policy over positions and what comes two moves later."""

    def __init__(
        self,
        student: Student,
        settings: TwoStep,
        roots: np.ndarray,
        values: np.ndarray,
        leaves: Leaves,
        seed: int = 1,
        last: int | None = None,
    ) -> None:
        check_cooling(settings.cooling, last)
        self.student, self.settings, self.last = student, settings, last
        self.roots, self.values, self.leaves = roots, values, leaves
        self.updates, self.seed = 0, seed
        self.rngs: list[np.ndarray] = []
        self.state = np.zeros(1)
        self._work, self._after, self._credit = np.empty(1, STATE), np.zeros(POINTS), student.credit()

    def two_steps(self, k: int) -> tuple[float, np.ndarray]:
        """V and g₂, by slot and player, of one position."""
        rows = slice(int(self.leaves.starts[k]), int(self.leaves.starts[k + 1]))
        value, missing = two_steps(
            self.roots[k : k + 1],
            self._work,
            self.student.records,
            self.leaves.first[rows],
            self.leaves.second[rows],
            self.leaves.value[rows],
            self._after,
            self._credit,
        )
        if missing > MISSING:
            raise InputError(
                f"position {k} has no values for pairs of moves that have a probability of {missing:.2g}"
            )
        return value, self._credit

    def learn(self, updates: int) -> None:
        """So many updates, the positions in an order of chance, each once before any comes again."""
        for _ in range(updates):
            k = in_turn(self.updates, len(self.values), self.seed)
            value, g = self.two_steps(k)
            alpha = step_size(self.settings.alpha, self.settings.cooling, self.updates, self.last)
            self.student.step(g, alpha * (self.values[k] - value))
            self.updates += 1
        self.student.check(self.updates)
