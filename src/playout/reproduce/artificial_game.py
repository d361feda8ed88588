"""Figure 1 of Silver & Tesauro (2009): a strong policy out of balance against a weak one in balance.

Each player of the artificial game (`games.toy.errors`) errs at every move, by an error that is exponentially
distributed with rate λ₁ or λ₂. Simulations start in a state of minimax value 0, so what they show on average
is how far off a Monte-Carlo value would be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.games.api import play
from playout.games.toy.erring import Erring
from playout.games.toy.errors import ERRORS, start
from playout.kernel import kernel, spawn
from playout.learn.measures import Measures, measures
from playout.policy.api import sample

SIMULATIONS, STEPS = 30, 100
MOST = 10_000_000  # values that we keep
STRONG, WEAK = Erring(first=10, second=5), Erring(first=2, second=2)


@dataclass(frozen=True)
class Experiment:
    """Simulations with one pair of players: V* by simulation and time."""

    policy: Erring
    values: np.ndarray  # (simulations, steps + 1)

    @property
    def outcomes(self) -> np.ndarray:
        """Where the simulations ended."""
        return self.values[:, -1]

    @property
    def monte_carlo_value(self) -> float:
        """What a search would take for the value, which is 0."""
        return float(self.outcomes.mean())

    @property
    def measures(self) -> Measures:
        """J, B₂ and B∞ in the state that the simulations start from, over the moves of both players.

        Both move in turns, so J is over the first two moves.
        """
        moves = np.diff(self.values, axis=1)
        first = moves[:, :2].reshape(1, -1)
        return measures([0.0], first, self.values[None, :, 2], self.outcomes[None])

    def facts(self) -> dict[str, Any]:
        """What comes out, as plain numbers."""
        found, steps = self.measures, self.values.shape[1] - 1
        firsts, seconds = (steps + 1) // 2, steps // 2
        return {
            "lambda_1": self.policy.first,
            "lambda_2": self.policy.second,
            "monte_carlo_value": self.monte_carlo_value,
            "expected_value": seconds / self.policy.second - firsts / self.policy.first,
            "standard_deviation": float(self.outcomes.std(ddof=1)),
            "J": found.strength,
            "B2": found.two_step,
            "B_infinity": found.full,
        }


@kernel
def _watch(roots, work, policies, rng, values):
    """Simulations from a state, a row each: the minimax value at every step."""
    for k in range(values.shape[0]):
        work[0] = roots[0]
        values[k, 0] = work[0].minimax
        for t in range(1, values.shape[1]):
            play(work[0], sample(policies[0], work[0], rng[0]))
            values[k, t] = work[0].minimax


def simulate(
    policies: Iterable[Erring] = (STRONG, WEAK),
    *,
    simulations: int = SIMULATIONS,
    steps: int = STEPS,
    seed: int = 1,
) -> list[Experiment]:
    """The experiment for each pair of players."""
    if simulations < 2 or steps < 2:
        raise InputError("the artificial game takes two simulations of two steps or more")
    if simulations * (steps + 1) > MOST:
        raise InputError(f"{simulations:,} simulations of {steps:,} steps are more than {MOST:,} values")
    pairs = list(policies)
    root = start(steps)
    found = []
    for policy, rng in zip(pairs, spawn(seed, len(pairs)), strict=True):
        values = np.zeros((simulations, steps + 1))
        _watch(root, np.empty(1, ERRORS), policy.record(), rng, values)
        found.append(Experiment(policy, values))
    return found


def draw(experiments: list[Experiment], path: str | Path, force: bool = False) -> Path:
    """Figure 1: every simulation and their mean, one picture a pair of players on one scale."""
    from playout.plots import draw_simulations

    panels = {}
    for letter, experiment in zip("abcdefgh", experiments, strict=False):
        rates = experiment.policy
        panels[f"{letter}) λ₁ = {rates.first:g}, λ₂ = {rates.second:g}"] = experiment.values
    return draw_simulations(panels, path, force)
