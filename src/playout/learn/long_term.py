"""Long-term memory for any game: what temporal-difference search learns from the first state, in a folder.

Dyna-2 begins a game with weights that were learnt before (Silver 2009, chapter 7). They are learnt here by
simulations from the first state, with the features and the settings of the player that will use them, and
end in ``weights.npz`` (`memory.saved`), which players take as ``long_term=FILE``. The checkpoint has the
tables as they are and the random generators, so with one thread a run that was stopped goes on to the bit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import Diverged
from playout.memory.hashed import held, refused
from playout.memory.saved import Saved, load, save
from playout.runs import FolderRun, Pace
from playout.search.td_search import TDSearch

DIVERGED = 1e6  # a weight beyond this has lost all meaning


class LongTermRun(FolderRun):
    """Simulations from one state, made anew or taken up where they stopped.

    search: which learns. memory: its features. root: the state, as an array of one record. plan: all that the
    result depends on beside them. simulations: how many there are to be.
    """

    what = "a run of playout train long-term"

    def __init__(
        self,
        folder: str | Path,
        search: TDSearch,
        memory: Any,
        root: np.ndarray,
        plan: Mapping[str, Any],
        simulations: int,
    ) -> None:
        super().__init__(folder)
        self._search, self._root, self._plan, self.wanted = search, root, dict(plan), simulations
        self._memory = memory
        search.start(root)
        self._pace = Pace()
        self.open()

    @property
    def simulations(self) -> int:
        """Simulations so far."""
        return self._search.simulations

    def plan_facts(self) -> dict[str, Any]:
        return self._plan

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        return {"simulations": self.simulations}, {
            name: array.copy() for name, array in self._search.state().items()
        }

    def restore(self, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self._search.restore(int(facts["simulations"]), arrays)

    def pieces(self) -> Iterator[None]:
        while self.simulations < self.wanted:
            began = time.monotonic()
            count = min(self._pace.count, self.wanted - self.simulations)
            self._search.run(count)
            took = time.monotonic() - began
            self.seconds += took
            self._pace.took(took, count)
            largest = float(np.abs(self._search.weights).max())
            if not largest < DIVERGED:
                raise Diverged(
                    f"the weights have diverged after {self.simulations:,}: a smaller alpha is needed"
                )
            yield

    def finish(self) -> None:
        how = {**self._plan, "simulations": self.simulations, "seconds": round(self.seconds, 1)}
        save(self.folder / "weights.npz", self._memory, self._root, self._search.parts, how, force=True)

    def weights(self) -> Saved:
        """The weights as players read them."""
        return load(self.folder / "weights.npz")

    def words(self) -> str:
        """How it goes."""
        index = self._search.parts.index
        said = f"{held(index):,} features"
        if refused(index):
            said += " (there was no room for more: raise features.capacity)"
        return said
