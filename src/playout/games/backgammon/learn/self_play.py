"""Train a network by TD(λ) in games against itself (`learn.td_network`)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from playout.games.backgammon.learn.run import NetworkPlan, NetworkRun
from playout.games.backgammon.state import STATE, start
from playout.kernel import new_rng
from playout.learn.td_network import LONGEST, self_play
from playout.memory.network import LANES
from playout.settings import setting

PIECE = 500  # games between two looks at the clock; α and λ change from piece to piece


@dataclass(frozen=True, kw_only=True)
class SelfPlayPlan(NetworkPlan):
    """How it learns from games against itself.

    α falls from alpha to last_alpha by the same factor every game, λ in a line from lam to 0: rough and far
    at the beginning, fine at the end.
    """

    games: int = setting(500_000, "games in all", low=1)
    alpha: float = setting(0.05, "step size α at the beginning", low=0, high=10)
    last_alpha: float = setting(0.001, "step size α at the end", low=0, high=10)
    lam: float = setting(0.7, "λ at the beginning; it falls to 0", low=0, high=1)

    def steps_at(self, games: int) -> tuple[float, float]:
        """α and λ after so many games.

        >>> SelfPlayPlan(games=100, alpha=0.1, last_alpha=0.001, lam=0.8).steps_at(50)
        (0.01, 0.4)
        """
        done = games / self.games
        return round(self.alpha * (self.last_alpha / self.alpha) ** done, 12), self.lam * (1 - done)


class SelfPlayRun(NetworkRun):
    """Games against itself, in a folder."""

    plan: SelfPlayPlan

    def __init__(self, folder: str | Path, plan: SelfPlayPlan) -> None:
        self.rng = new_rng(np.random.SeedSequence([plan.seed, 1]))
        self.games = 0
        self.error = float("nan")  # of the last piece: what was said and how games ended, root mean square
        super().__init__(folder, plan)
        self._positions = np.zeros(LONGEST, STATE)
        self._target = np.zeros(LANES, np.float32)

    def progress_so_far(self) -> dict[str, np.ndarray]:
        return {
            "games": np.array([self.games]),
            "rng": np.array([self.rng["word"][0], self.rng["ready"][0]], np.uint64),
        }

    def go_on(self, arrays: dict[str, np.ndarray]) -> None:
        (self.games,) = (int(n) for n in arrays["games"])
        self.rng["word"], self.rng["ready"] = arrays["rng"]

    def how(self) -> dict[str, Any]:
        plan = self.plan
        return {
            "learner": "TD(λ) in games against itself",
            "command": f"playout train backgammon --encoding {plan.encoding} --hidden {plan.hidden} "
            f"--outputs {plan.outputs} --games {plan.games} --alpha {plan.alpha:g} "
            f"--last-alpha {plan.last_alpha:g} --lambda {plan.lam:g} --seed {plan.seed}",
        }

    def pieces(self) -> Iterator[None]:
        while self.games < self.plan.games:
            began = time.monotonic()
            count = min(PIECE, self.plan.games - self.games)
            experience = np.zeros(3)
            alpha, lam = self.plan.steps_at(self.games)
            self_play(
                self.record,
                start(),
                self._positions,
                count,
                alpha,
                lam,
                self._target,
                experience,
                self.rng,
            )
            self.games += count
            self.seconds += time.monotonic() - began
            self.error = float(np.sqrt(experience[2] / max(1.0, experience[1])))
            yield

    def words(self) -> str:
        """How it goes."""
        speed = f"{self.games / self.seconds:,.0f} games/s, " if self.seconds else ""
        return f"{speed}off by {self.error:.3f} points"
