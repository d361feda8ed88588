"""How far the values of simulations are from the values of positions (Silver & Tesauro 2009, section 6.2).

A policy simulates some games from each position; their mean outcome is compared with V̂* of the deep search,
and with the minimax value where the solver has found it. The mean squared error is that of Figure 4, bias and
variance together; the *imbalance* is B∞ (4), with what the number of simulations adds taken off.
"""

from __future__ import annotations

import hashlib
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.games.go.learn.positions import Positions
from playout.games.go.memory.store import Weights
from playout.games.go.policy.softmax import softmax_policy
from playout.games.go.state import STATE
from playout.kernel import clone, kernel, spawn
from playout.policy.api import Copies
from playout.search.simulation import simulate

SIMULATIONS = 100
LANES = 8  # parts of the positions, each with a generator of its own: threads do not change the result


@kernel
def mean_outcomes(roots, work, policies, simulations, rng, means):
    """The mean outcome of simulations from each state."""
    for k in range(roots.size):
        total = 0.0
        for _ in range(simulations):
            work[0] = roots[k]
            z, _ = simulate(work[0], policies[0], rng[0])
            total += z
        means[k] = total / simulations


def copies_of(policy: Any, roots: np.ndarray, count: int) -> list[np.ndarray]:
    """Records of a policy for games from states. policy: weights of a softmax policy, or settings."""
    if isinstance(policy, Weights):
        made = softmax_policy(policy)
        return [clone(made) for _ in range(count)]
    return Copies(policy, count).at(roots[:1])


class Judge:
    """Measures policies on positions, all with the same random numbers."""

    def __init__(
        self, positions: Positions, seed: int = 1, threads: int = 1, simulations: int = SIMULATIONS
    ) -> None:
        if len(positions) == 0:
            raise InputError("the data set has no positions for testing: more positions are needed")
        if simulations < 2:
            raise InputError(f"simulations: {simulations} is not a number of at least 2")
        self.positions, self.seed, self.simulations = positions, seed, simulations
        self.threads = threads
        digest = hashlib.sha256(f"{seed} {simulations} {LANES}".encode())
        for array in (
            positions.roots["color"],
            positions.roots["to_play"],
            positions.searched,
            positions.winner,
        ):
            digest.update(np.ascontiguousarray(array).tobytes())
        self.digest = digest.hexdigest()[:16]

    @staticmethod
    def word(weights: Weights) -> str:
        """A word that is another one for other weights."""
        return hashlib.sha256(weights.theta.tobytes()).hexdigest()[:16]

    def values_of(self, policy: Any) -> np.ndarray:
        """Black's share of the wins from each position; policy: weights of a softmax policy, or settings."""
        roots = self.positions.roots
        copies = copies_of(policy, roots, LANES)
        rngs = spawn(self.seed, LANES)
        means = np.zeros(len(roots))

        def work(lane: int) -> None:
            mine = np.zeros(len(means[lane::LANES]))
            own = np.ascontiguousarray(roots[lane::LANES])
            mean_outcomes(own, np.empty(1, STATE), copies[lane], self.simulations, rngs[lane], mine)
            means[lane::LANES] = mine

        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(work, range(LANES)))
        return means

    def errors_of(self, policy: Any) -> dict[str, Any]:
        """The errors of a policy's values against those of deep search, and against exact ones."""
        return self.errors(self.values_of(policy))

    def errors(self, means: np.ndarray) -> dict[str, Any]:
        """The same of values that are known already."""
        found = self._errors(self.positions.searched, means)
        exact = self._errors(self.positions.winner, means)
        return {**found, **{f"exact_{name}": value for name, value in exact.items()}}

    def _errors(self, values: np.ndarray, means: np.ndarray) -> dict[str, float]:
        """Over the positions whose value is known; nothing if there is none."""
        known = np.isfinite(values)
        if not known.any():
            return {}
        mine = means[known]
        squares = (mine - values[known].astype(float)) ** 2
        chance = mine * (1 - mine) / (self.simulations - 1)  # the variance of a mean, unbiased
        spread = float(squares.std()) / math.sqrt(len(squares))
        return {
            "mse": float(squares.mean()),
            "standard_error": spread,
            "imbalance": float((squares - chance).mean()),
        }

    def ratios(self, means: np.ndarray, others: np.ndarray) -> dict[str, float]:
        """How many times the mean squared error of others it is, with standard errors.

        Both are of the same positions, and what is hard for one is mostly hard for the other: so the ratio is
        surer than the two errors are. Nothing where there is no error to compare with.
        """
        found = {}
        for prefix, values in (("", self.positions.searched), ("exact_", self.positions.winner)):
            known = np.isfinite(values)
            mine, theirs = ((x[known] - values[known].astype(float)) ** 2 for x in (means, others))
            if not theirs.any():
                continue
            ratio = mine.mean() / theirs.mean()
            rest = (mine - ratio * theirs).std() / theirs.mean()
            found[f"{prefix}ratio"] = float(ratio)
            found[f"{prefix}ratio_standard_error"] = float(rest) / math.sqrt(len(mine))
        return found

    def facts(self) -> dict[str, Any]:
        """What was measured on."""
        data = self.positions
        told: dict[str, Any] = {
            "simulations": self.simulations,
            "test_positions": len(data),
            "test_decided": int(data.decided.sum()),
        }
        if data.recipe.sims and data.decided.any():
            squares = (data.searched[data.decided] - data.winner[data.decided]) ** 2
            told["exact_mse_of_deep_search"] = float(squares.mean())
        return told
