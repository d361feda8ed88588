"""Policy-gradient reinforcement learning of a softmax policy by self-play (Silver & Tesauro 2009, 4.2).

After each game

    Δθ = α / T Σ_t (z_t − b) ψ(s_t, a_t)                                                   (10)

where z_t is 1 if who moved at t has won, −1 if he has lost, 0 for a draw. One policy plays both sides, so
each move is judged by what it did for its mover: with z as Black sees it in all terms, White would learn to
lose.

baseline: b, beyond the paper. `mean` is the running mean of the outcome for the mover's colour. It leaves the
direction as it is on average and takes the part out of each step that does not depend on the moves.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from playout.errors import InputError, near
from playout.games.go.board import Board
from playout.games.go.learn.student import Student, ascend, renew
from playout.games.go.policy.psi import forget
from playout.games.go.policy.softmax import settle
from playout.games.go.state import STATE
from playout.kernel import kernel, new_rng
from playout.learn.rates import check_alpha
from playout.search.simulation import simulate

BASELINES = ("none", "mean")
MEMORY = 0.01  # part of each game in the running mean


def check_baseline(name: str) -> None:
    """A baseline by name."""
    if name not in BASELINES:
        raise InputError(f"baseline: {name!r} is not one of them{near(str(name), BASELINES)}")


@dataclass(frozen=True, kw_only=True)
class Reinforce:
    """How policy-gradient reinforcement learning goes."""

    alpha: float = 0.02  # a larger step plays no better and simulates worse
    baseline: str = "none"

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        check_baseline(self.baseline)

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)


@kernel
def self_play(roots, work, policies, theta, pairs, terms, gradient, alpha, baseline, mean, games, rng):
    """Games from one state, an update after each. mean: an array of one, Black's running mean of z.

    Returns the sum of Black's outcomes and the moves made.
    """
    policy = policies[0]
    wins = 0.0
    moves = 0
    for _ in range(games):
        work[0] = roots[0]
        forget(policy)
        outcome, length = simulate(work[0], policy, rng[0])
        settle(policy)
        z = 2.0 * outcome - 1.0
        ascend(theta, terms, policy.credit, alpha * (z - mean[0]) / max(length, 1), gradient)
        renew(theta, pairs, terms, policy.factor)
        if baseline:
            mean[0] += MEMORY * (z - mean[0])
        wins += outcome
        moves += length
    return wins, moves


class ReinforceLearner:
    """Learns from games that begin at one state, by default the empty board."""

    def __init__(
        self, student: Student, settings: Reinforce, root: np.ndarray | None = None, seed: int = 1
    ) -> None:
        self.student, self.settings = student, settings
        self.root = Board(student.features.shapes.side).simulation_root() if root is None else root
        self.rngs = [new_rng(seed)]
        self.state = np.zeros(1)  # the running mean
        self.updates = 0
        self._work = np.empty(1, STATE)
        student.policies[0]["sign"] = (1.0, -1.0)

    def learn(self, updates: int) -> None:
        """So many games."""
        s = self.student
        self_play(
            self.root,
            self._work,
            s.policies[0],
            s.theta,
            s.pairs,
            s.terms,
            s.gradient,
            self.settings.alpha,
            self.settings.baseline == "mean",
            self.state,
            updates,
            self.rngs[0],
        )
        self.updates += updates
        s.check(self.updates)
