"""Policy-gradient simulation balancing (Silver & Tesauro 2009, Algorithm 1).

The mean outcome of simulations from a position is to be its minimax value: the imbalance
B∞ = E_ρ[(V*(s) − E[z | s])²] is minimised by gradient descent. For each training position s₁ in turn

    V ← mean of z over M simulations
    g ← 1/N Σ z/T Σ_t ψ(s_t, a_t) over N other simulations                              (13)
    θ ← θ + α (V̂*(s₁) − V) g

with z Black's outcome, 0 to 1. M and N are independent samples, so that the product is unbiased.

Beyond the paper: `baseline=mean` has z − V in place of z in g, V being from the M other simulations: the same
direction on average (but for the division by T), with less noise. `per_move=False` leaves out the division by
T: then g estimates exactly the gradient of E[z] (9). cooling: see `rates`.

Simulations are dealt to lanes, each with a generator of its own; so two threads give the same bits as one.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from playout.games.go.learn.reinforce import check_baseline
from playout.games.go.learn.student import Student
from playout.games.go.policy.psi import forget
from playout.games.go.policy.softmax import settle
from playout.games.go.state import STATE
from playout.kernel import kernel, spawn
from playout.learn.rates import check_alpha, check_cooling, check_count, step_size
from playout.search.simulation import evaluate, simulate

LANES = 2


@dataclass(frozen=True, kw_only=True)
class Balance:
    """How simulation balancing goes; M and N are the paper's."""

    alpha: float = 5.0
    m: int = 100
    n: int = 100
    baseline: str = "none"
    per_move: bool = True
    cooling: bool = False

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        check_count("M", self.m)
        check_count("N", self.n)
        check_baseline(self.baseline)

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)


@kernel
def policy_gradient(roots, work, policies, simulations, per_move, rng, weighted, plain):
    """Add z/T Σψ of every simulation to `weighted` and 1/T Σψ to `plain`, by slot and player.

    Returns the sum of the outcomes and the moves made.
    """
    policy = policies[0]
    total = 0.0
    moves = 0
    for _ in range(simulations):
        work[0] = roots[0]
        forget(policy)
        z, length = simulate(work[0], policy, rng[0])
        settle(policy)
        part = 1.0 / max(length, 1) if per_move else 1.0
        for k in range(policy.slots):
            for player in range(2):
                x = part * policy.credit[k, player]
                plain[k, player] += x
                weighted[k, player] += z * x
        total += z
        moves += length
    return total, moves


class Lane:
    """What one thread simulates with."""

    def __init__(self, student: Student, number: int, rng: np.ndarray) -> None:
        self.policy, self.rng = student.policies[number], rng
        self.work = np.empty(1, STATE)
        self.weighted, self.plain = student.credit(), student.credit()

    def estimate(self, root: np.ndarray, m: int, n: int, per_move: bool) -> float:
        """The sum of z over m simulations; and over n others what the gradient is made of."""
        self.policy["learning"] = 0
        total = float(evaluate(root, self.work, self.policy, m, self.rng)[0])
        self.policy["learning"] = 1
        self.weighted[:] = 0.0
        self.plain[:] = 0.0
        policy_gradient(root, self.work, self.policy, n, per_move, self.rng, self.weighted, self.plain)
        return total


class BalanceLearner:
    """Balances a policy over positions.

    roots: states to simulate from. values: V̂*, the probability that Black wins, of each.
    """

    def __init__(
        self,
        student: Student,
        settings: Balance,
        roots: np.ndarray,
        values: np.ndarray,
        seed: int = 1,
        threads: int = 1,
        last: int | None = None,
    ) -> None:
        check_cooling(settings.cooling, last)
        self.student, self.settings, self.last = student, settings, last
        self.roots, self.values = roots, values
        self.rngs = spawn(seed, LANES)
        self.updates, self.seed = 0, seed
        self.state = np.zeros(1)
        self._lanes = [Lane(student, k, rng) for k, rng in enumerate(self.rngs)]
        self._pool = ThreadPoolExecutor(LANES) if threads > 1 else None

    def estimate(self, root: np.ndarray) -> tuple[float, np.ndarray]:
        """V, and g by slot and player."""
        s = self.settings

        def work(k: int) -> float:
            m, n = (count // LANES + (k < count % LANES) for count in (s.m, s.n))
            return self._lanes[k].estimate(root, m, n, s.per_move)

        run: Callable[..., Any] = map if self._pool is None else self._pool.map
        value = sum(run(work, range(LANES))) / s.m
        credit = sum(lane.weighted for lane in self._lanes)
        if s.baseline == "mean":
            credit = credit - value * sum(lane.plain for lane in self._lanes)
        return value, np.asarray(credit) / s.n

    def learn(self, updates: int) -> None:
        """So many updates, the positions in an order of chance, each once before any comes again."""
        for _ in range(updates):
            k = in_turn(self.updates, len(self.values), self.seed)
            value, g = self.estimate(self.roots[k : k + 1])
            alpha = step_size(self.settings.alpha, self.settings.cooling, self.updates, self.last)
            self.student.step(g, alpha * (self.values[k] - value))
            self.updates += 1
        self.student.check(self.updates)


_ORDERS: dict[tuple[int, int, int], np.ndarray] = {}


def in_turn(update: int, count: int, seed: int) -> int:
    """Which of so many examples an update takes: a new order of chance each time that all were taken.

    >>> sorted(in_turn(k, 5, seed=1) for k in range(5, 10))
    [0, 1, 2, 3, 4]
    """
    key = (update // count, count, seed)
    if key not in _ORDERS:
        _ORDERS.clear()
        _ORDERS[key] = np.random.default_rng([seed, key[0]]).permutation(count)
    return int(_ORDERS[key][update % count])
