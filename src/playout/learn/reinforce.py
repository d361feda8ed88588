"""Policy-gradient reinforcement learning of a softmax policy by self-play (Silver & Tesauro 2009, 4.2).

After each game

    Δθ = α / T Σ_t (z_t − b) ψ(s_t, a_t)                                                   (10)

where z_t is 1 if who moved at t has won, −1 if he has lost, 0 for a draw; other outcomes lie between, as they
do between the game's bounds. One policy plays both sides, so each move is judged by what it did for its
mover: with z as player 1 sees it in all terms, player 2 would learn to lose.

baseline: b, beyond the paper. `mean` is the running mean of the outcome for the mover's colour. It leaves the
direction as it is on average and takes the part out of each step that does not depend on the moves.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from playout.games.api import bounds
from playout.kernel import kernel, new_rng
from playout.learn.rates import ALPHA, BASELINE, check_alpha, check_baseline
from playout.policy.softmax import SoftmaxPolicy, forget, settle, step_by_credit
from playout.search.simulation import simulate
from playout.settings import setting

MEMORY = 0.01  # part of each game in the running mean


@dataclass(frozen=True, kw_only=True)
class Reinforce:
    """How policy-gradient reinforcement learning goes."""

    alpha: float = setting(0.02, **ALPHA)  # a larger step plays no better and simulates worse
    baseline: str = setting("none", **BASELINE)

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        check_baseline(self.baseline)

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)


@kernel
def self_play(roots, work, policies, index, theta, sums, found, alpha, baseline, mean, games, rng):
    """Games from one state, an update after each. mean: an array of one, player 1's running mean of z.

    Returns the sum of player 1's outcomes and the moves made.
    """
    policy = policies[0]
    low, high = bounds(roots[0])
    wins = 0.0
    moves = 0
    for _ in range(games):
        work[0] = roots[0]
        forget(policy)
        outcome, length = simulate(work[0], policy, rng[0])
        settle(policy)
        z = 2.0 * ((outcome - low) / (high - low)) - 1.0
        step_by_credit(policy, index, theta, sums, found, alpha * (z - mean[0]) / max(length, 1))  # (10)
        if baseline:
            mean[0] += MEMORY * (z - mean[0])
        wins += outcome
        moves += length
    return wins, moves


class ReinforceLearner:
    """Learns from games that begin at one state."""

    def __init__(self, policy: SoftmaxPolicy, settings: Reinforce, root: np.ndarray, seed: int = 1) -> None:
        self.policy, self.settings, self.root = policy, settings, root
        self.rngs = [new_rng(seed)]
        self.state = np.zeros(1)  # the running mean
        self.updates = 0
        self._work = np.empty(1, root.dtype)

    def learn(self, updates: int) -> None:
        """So many games."""
        p = self.policy
        sign = p.policies[0]["sign"].copy()
        p.policies[0]["sign"] = (1.0, -1.0)  # each move by what it did for its mover
        self_play(
            self.root,
            self._work,
            p.policies[0],
            p.index,
            p.theta,
            p.room,
            p.found,
            self.settings.alpha,
            self.settings.baseline == "mean",
            self.state,
            updates,
            self.rngs[0],
        )
        p.policies[0]["sign"] = sign
        self.updates += updates
        p.check(self.updates)
