"""A training run of a network in a folder (`runs.FolderRun`): what every one has, and weights for players.

The folder holds ``checkpoint.npz``, from which the same command goes on after Ctrl-C or a kill, and at the
end ``weights.npz`` with its facts as JSON beside it: policies take it as their setting ``weights``.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import playout
from playout.errors import Diverged, InputError
from playout.games.backgammon.encoding import ENCODINGS
from playout.games.backgammon.memory.network import OUTPUTS
from playout.games.backgammon.memory.shipped import GAME_NAME, INPUTS, record_of
from playout.memory.network import MOST_HIDDEN, first_weights
from playout.memory.network_files import Network, network_of
from playout.runs import FolderRun
from playout.settings import setting

DIVERGED = 1e4  # a weight beyond this has lost all meaning


@dataclass(frozen=True, kw_only=True)
class NetworkPlan:
    """Which network is to learn."""

    encoding: str = setting("rich", "what the network sees", choices=tuple(ENCODINGS))
    hidden: int = setting(80, "hidden units; 0: none, a linear function", low=0, high=MOST_HIDDEN)
    outputs: int = setting(
        OUTPUTS, "5: chances of wins and gammons; 1: the equity alone", low=1, high=OUTPUTS
    )
    seed: int = setting(1, "random seed", low=0)

    def __post_init__(self) -> None:
        if self.outputs not in (1, OUTPUTS):
            raise InputError(f"outputs: {self.outputs} is not 1 or {OUTPUTS}")

    def facts(self) -> dict[str, Any]:
        """All that a result depends on, but for how long it is learnt."""
        return asdict(self)


class NetworkRun(FolderRun):
    """A run in a folder; made anew or taken up where it stopped."""

    what = "a run of playout train backgammon"

    def __init__(self, folder: str | Path, plan: NetworkPlan) -> None:
        super().__init__(folder)
        self.plan = plan
        self.network = self.first_network(np.random.default_rng(plan.seed))
        self.open()
        self.record = record_of(self.network, bearoff=plan.outputs == OUTPUTS)

    def first_network(self, rng: np.random.Generator) -> Network:
        """What it begins as."""
        plan = self.plan
        inputs = INPUTS[plan.encoding]
        weights = first_weights(inputs, plan.hidden, plan.outputs, rng)
        return Network(GAME_NAME, plan.encoding, inputs, plan.hidden, plan.outputs, weights)

    @abstractmethod
    def progress_so_far(self) -> dict[str, np.ndarray]:
        """What the run needs to go on, beside the network."""

    @abstractmethod
    def go_on(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from there; KeyError, ValueError or TypeError where that cannot be."""

    @abstractmethod
    def how(self) -> dict[str, Any]:
        """How the weights were made, with the command."""

    def plan_facts(self) -> dict[str, Any]:
        return self.plan.facts()

    def check(self, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        network_of(self.checkpoint, facts, arrays, GAME_NAME, INPUTS)

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        largest = float(np.max(np.abs(self.network.weights)))
        if not largest < DIVERGED:
            raise Diverged(f"the weights have diverged (one is {largest:g}): a smaller alpha is needed")
        weights = {name: array.copy() for name, array in self.network.arrays().items()}
        return self.network.facts(), {**weights, **self.progress_so_far()}

    def restore(self, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.network = network_of(self.checkpoint, facts, arrays, GAME_NAME, INPUTS)
        self.go_on(arrays)

    def weights(self) -> Network:
        """The network so far, with how it was made."""
        how = {**self.plan.facts(), **self.how(), "playout": playout.__version__}
        return Network(**{**self.network.__dict__, "how": {**how, "seconds": round(self.seconds, 1)}})

    def finish(self) -> None:
        """Write the weights where players look for them."""
        self.weights().save(self.folder / "weights.npz")
