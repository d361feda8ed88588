"""A training run of a network in a folder: a checkpoint that is always whole, and weights for players.

The folder holds ``checkpoint.npz``, from which the same command goes on after Ctrl-C or a kill, and at the
end ``weights.npz`` with its facts as JSON beside it: policies take it as their setting ``weights``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import playout
from playout.errors import Diverged, InputError
from playout.files import begin_folder
from playout.games.backgammon.encoding import ENCODINGS
from playout.games.backgammon.memory.network import OUTPUTS
from playout.games.backgammon.memory.shipped import GAME_NAME, INPUTS, record_of
from playout.memory.archives import read_arrays, write_arrays
from playout.memory.network import MOST_HIDDEN, first_weights
from playout.memory.network_files import Network, network_of
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


class NetworkRun(ABC):
    """A run in a folder; made anew or taken up where it stopped."""

    what = "a run of playout train backgammon"

    def __init__(self, folder: str | Path, plan: NetworkPlan) -> None:
        self.folder, self.plan = Path(folder), plan
        self.seconds = 0.0
        self.network = self.first_network(np.random.default_rng(plan.seed))
        if self.checkpoint.exists():
            self._resume()
        else:
            begin_folder(self.folder, self.what)
        self.record = record_of(self.network, bearoff=plan.outputs == OUTPUTS)
        if not self.checkpoint.exists():
            self.save()

    @property
    def checkpoint(self) -> Path:
        """The file that a run goes on from."""
        return self.folder / "checkpoint.npz"

    def first_network(self, rng: np.random.Generator) -> Network:
        """What it begins as."""
        plan = self.plan
        inputs = INPUTS[plan.encoding]
        weights = first_weights(inputs, plan.hidden, plan.outputs, rng)
        return Network(GAME_NAME, plan.encoding, inputs, plan.hidden, plan.outputs, weights)

    @abstractmethod
    def state(self) -> dict[str, np.ndarray]:
        """What else the run needs to go on."""

    @abstractmethod
    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from there; KeyError, ValueError or TypeError where that cannot be."""

    @abstractmethod
    def how(self) -> dict[str, Any]:
        """How the weights were made, with the command."""

    def save(self) -> None:
        """Write the checkpoint."""
        largest = float(np.max(np.abs(self.network.weights)))
        if not largest < DIVERGED:
            raise Diverged(f"the weights have diverged (one is {largest:g}): a smaller alpha is needed")
        facts = {**self.network.facts(), "plan": self.plan.facts(), "seconds": self.seconds}
        write_arrays(self.checkpoint, facts, {**self.network.arrays(), **self.state()})

    def _resume(self) -> None:
        facts, arrays = read_arrays(self.checkpoint)
        found = network_of(self.checkpoint, facts, arrays, GAME_NAME, INPUTS)
        before, now = facts.get("plan"), self.plan.facts()
        if before != now:
            words = [
                f"{name} was {before.get(name)!r} and is {value!r}"
                for name, value in now.items()
                if isinstance(before, dict) and before.get(name) != value
            ]
            said = "; ".join(words) or "it does not say which"
            raise InputError(f"{self.folder} is a run with other settings: {said}")
        self.network = found
        self.seconds = float(facts.get("seconds", 0.0))
        try:
            self.restore(arrays)
        except (KeyError, ValueError, TypeError):
            raise InputError(f"{self.checkpoint} is not a checkpoint that a run can go on from") from None

    def weights(self) -> Network:
        """The network so far, with how it was made."""
        how = {**self.plan.facts(), **self.how(), "playout": playout.__version__}
        return Network(**{**self.network.__dict__, "how": {**how, "seconds": round(self.seconds, 1)}})

    def finish(self) -> None:
        """Write the weights where players look for them."""
        self.weights().save(self.folder / "weights.npz")
