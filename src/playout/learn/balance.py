"""Policy-gradient simulation balancing (Silver & Tesauro 2009, Algorithm 1).

The mean outcome of simulations from a position is to be its minimax value: the imbalance
B∞ = E_ρ[(V*(s) − E[z | s])²] is minimised by gradient descent. For each training position s₁ in turn

    V ← mean of z over M simulations
    g ← 1/N Σ z/T Σ_t ψ(s_t, a_t) over N other simulations                              (13)
    θ ← θ + α (V̂*(s₁) − V) g

with z player 1's outcome, as a share of what lies between the game's bounds. M and N are independent samples,
so that the product is unbiased.

Beyond the paper: `baseline=mean` has z − V in place of z in g, V being from the M other simulations: the same
direction on average (but for the division by T), with less noise. `per_move=False` leaves out the division by
T: then g estimates exactly the gradient of E[z] (9). cooling: see `rates`.

Simulations are dealt to two samplers, each with a generator of its own; so two threads give the same bits as
one.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from playout.games.api import bounds
from playout.kernel import kernel, spawn
from playout.learn.rates import (
    ALPHA,
    BASELINE,
    COOLING,
    COUNT,
    check_alpha,
    check_baseline,
    check_cooling,
    check_count,
    in_turn,
    step_size,
)
from playout.policy.softmax import SoftmaxPolicy, collect, forget, settle
from playout.search.simulation import evaluate, simulate
from playout.settings import setting

SAMPLERS = 2


@dataclass(frozen=True, kw_only=True)
class Balance:
    """How simulation balancing goes; M and N are the paper's."""

    alpha: float = setting(5.0, **ALPHA)
    m: int = setting(100, "simulations for the bias, M", **COUNT)
    n: int = setting(100, "other simulations for the gradient, N", **COUNT)
    baseline: str = setting("none", **BASELINE)
    per_move: bool = setting(True, "divide each simulation's gradient by its moves, as the paper does")
    cooling: bool = setting(False, **COOLING)

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
    """Add z/T Σψ of every simulation to `weighted` and 1/T Σψ to `plain`, by slot.

    Returns the sum of the outcomes and the moves made.
    """
    policy = policies[0]
    low, high = bounds(roots[0])
    total = 0.0
    moves = 0
    for _ in range(simulations):
        work[0] = roots[0]
        forget(policy)
        outcome, length = simulate(work[0], policy, rng[0])
        settle(policy)
        z = (outcome - low) / (high - low)
        part = 1.0 / max(length, 1) if per_move else 1.0
        collect(policy, 1.0, part, plain)
        collect(policy, z, part, weighted)
        total += z
        moves += length
    return total, moves


@kernel
def share(roots, value):
    """A value as a share of what lies between a game's bounds."""
    low, high = bounds(roots[0])
    return (value - low) / (high - low)


class Sampler:
    """What one thread simulates with."""

    def __init__(self, policy: SoftmaxPolicy, number: int, rng: np.ndarray, dtype: np.dtype) -> None:
        self.policy, self.rng = policy.player(number), rng
        self.work = np.empty(1, dtype)
        self.weighted, self.plain = policy.sums(), policy.sums()

    def estimate(self, root: np.ndarray, m: int, n: int, per_move: bool) -> float:
        """The sum of outcomes over m simulations; and over n others what the gradient is made of."""
        self.policy["learning"] = 0
        total = float(evaluate(root, self.work, self.policy, m, self.rng)[0])
        self.policy["learning"] = 1
        self.weighted[:] = 0.0
        self.plain[:] = 0.0
        policy_gradient(root, self.work, self.policy, n, per_move, self.rng, self.weighted, self.plain)
        return total


class BalanceLearner:
    """Balances a policy over positions.

    roots: states to simulate from. values: V̂*, player 1's share of the outcome, of each.
    """

    def __init__(
        self,
        policy: SoftmaxPolicy,
        settings: Balance,
        roots: np.ndarray,
        values: np.ndarray,
        seed: int = 1,
        threads: int = 1,
        last: int | None = None,
    ) -> None:
        check_cooling(settings.cooling, last)
        self.policy, self.settings, self.last = policy, settings, last
        self.roots, self.values = roots, values
        self.rngs = spawn(seed, SAMPLERS)
        self.updates, self.seed = 0, seed
        self.state = np.zeros(1)
        self._samplers = [Sampler(policy, k, rng, roots.dtype) for k, rng in enumerate(self.rngs)]
        self._pool = ThreadPoolExecutor(SAMPLERS) if threads > 1 else None

    def estimate(self, root: np.ndarray) -> tuple[float, np.ndarray]:
        """V, and g by slot."""
        s = self.settings

        def work(k: int) -> float:
            m, n = (count // SAMPLERS + (k < count % SAMPLERS) for count in (s.m, s.n))
            return self._samplers[k].estimate(root, m, n, s.per_move)

        run: Callable[..., Any] = map if self._pool is None else self._pool.map
        value = share(root, sum(run(work, range(SAMPLERS))) / s.m)
        credit = sum(sampler.weighted for sampler in self._samplers)
        if s.baseline == "mean":
            credit = credit - value * sum(sampler.plain for sampler in self._samplers)
        return value, np.asarray(credit) / s.n  # (13)

    def learn(self, updates: int) -> None:
        """So many updates, the positions in an order of chance, each once before any comes again."""
        for _ in range(updates):
            k = in_turn(self.updates, len(self.values), self.seed)
            value, g = self.estimate(self.roots[k : k + 1])
            alpha = step_size(self.settings.alpha, self.settings.cooling, self.updates, self.last)
            self.policy.step(g, alpha * (self.values[k] - value))
            self.updates += 1
        self.policy.check(self.updates)
