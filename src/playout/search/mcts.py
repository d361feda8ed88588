"""A tree search as an object: its pool of nodes, its threads, its root, and what it has found.

>>> from playout.games.toy import tictactoe
>>> from playout.policy.random import Random
>>> search = TreeSearch(Selection(exploration=0.5), Random(), Even(), nodes=10_000, seed=1)
>>> search.start(tictactoe.start(), range(9))
>>> search.run(1000)
>>> int(search.children()["visits"].sum())
1000
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.kernel import spawn
from playout.search.prior import Even
from playout.search.tree import (
    HEURISTIC,
    MINIMUM_MSE,
    NO_ACTION,
    NO_RAVE,
    NODE,
    NOT_EXPANDED,
    ROOT,
    SCRATCH,
    SELECTION,
    grow,
    plant,
    transplant,
)

SCHEDULES = {"none": NO_RAVE, "heuristic": HEURISTIC, "mse": MINIMUM_MSE}

__all__ = ["SCHEDULES", "Even", "Selection", "TreeSearch"]


@dataclass(frozen=True, kw_only=True)
class Selection:
    """How the tree is walked and grown; the names are those of `SELECTION`."""

    exploration: float = 0.0
    urgency: float = 1.1
    rave: str = "none"
    bias: float = 0.1
    equivalence: float = 1000.0
    experience: float = 0.0
    amaf_experience: float = 0.0
    expand_at: int = 1
    virtual_loss: int = 0
    first_only: bool = False
    silent: int = NO_ACTION
    pb_factor: float = 0.0
    pb_exponent: float = 1.0
    pw_initial: int = 0
    pw_factor: float = 40.0
    pw_base: float = 1.2

    def record(self) -> np.ndarray:
        """The settings as an array of one record."""
        record = np.zeros(1, SELECTION)
        for name, value in dataclasses.asdict(self).items():
            if name == "rave":
                record["schedule"] = SCHEDULES[value]
            else:
                record[name] = value
        return record


class TreeSearch:
    """Grows a tree from a root state.

    policy, prior: settings objects with a ``record()``; nodes: the size of the pool; threads share the
    tree, each with a generator and a part of the pool of its own.
    """

    def __init__(
        self,
        selection: Selection,
        policy: Any,
        prior: Any,
        *,
        nodes: int,
        threads: int = 1,
        seed: int | None = None,
    ) -> None:
        self._selection = selection.record()
        self._policies = [policy.record() for _ in range(threads)]
        self._prior = prior.record()
        self._nodes = np.empty(nodes, NODE)
        self._spare = np.empty(0, NODE)
        self._scratch = [np.zeros(1, SCRATCH) for _ in range(threads)]
        self._rngs = spawn(seed, threads)
        self._threads = threads
        self._root: np.ndarray | None = None

    def start(self, root: np.ndarray, actions: Iterable[int]) -> None:
        """Begin a tree at a state, with these actions at its root."""
        self._root = root.copy()
        self._share(1)
        chosen = np.array(list(actions), np.uint16)
        plant(self._nodes, self._root, self._prior, self._selection, self._scratch[0], chosen)

    def follow(self, root: np.ndarray, actions: Iterable[int]) -> bool:
        """Keep the subtree that some actions lead to as the tree of a new root; False if there is none."""
        index = ROOT
        for action in actions:
            children = self._children(index)
            here = np.flatnonzero(children["action"] == action)
            if self._root is None or here.size == 0:
                return False
            index = int(self._nodes[index]["first"]) + int(here[0])
        if self._nodes[index]["first"] == NOT_EXPANDED:
            return False
        if self._spare.size != self._nodes.size:
            self._spare = np.empty(self._nodes.size, NODE)
        used = int(transplant(self._nodes, self._spare, index))
        self._nodes, self._spare = self._spare, self._nodes
        self._root = root.copy()
        self._share(used)
        return True

    def _share(self, used: int) -> None:
        """Give each thread a part of the unused nodes."""
        parts = np.linspace(used, self._nodes.size, self._threads + 1).astype(int)
        for k, scratch in enumerate(self._scratch):
            scratch["next"], scratch["end"] = parts[k], parts[k + 1]

    def run(self, simulations: int) -> None:
        """Make simulations, shared among the threads."""
        if self._threads == 1:
            self._grow(0, simulations)
            return
        counts = [
            simulations // self._threads + (k < simulations % self._threads) for k in range(self._threads)
        ]
        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(self._grow, range(self._threads), counts))

    def _grow(self, k: int, simulations: int) -> None:
        root = self._root
        grow(
            self._nodes,
            root,
            np.empty_like(root),
            self._policies[k],
            self._prior,
            self._selection,
            self._scratch[k],
            self._rngs[k],
            simulations,
        )

    def _children(self, index: int) -> np.ndarray:
        node = self._nodes[index]
        first = int(node["first"])
        return self._nodes[first : first + int(node["children"])]

    def children(self) -> np.ndarray:
        """The nodes below the root, as they are now."""
        return self._children(ROOT)

    @property
    def visits(self) -> int:
        """Simulations behind the present root."""
        return int(self._nodes[ROOT]["visits"])

    @property
    def used(self) -> int:
        """Nodes taken from the pool."""
        size, parts = self._nodes.size, self._scratch
        return size - sum(int(scratch["end"][0]) - int(scratch["next"][0]) for scratch in parts)

    def line(self, action: int, length: int = 12) -> tuple[int, ...]:
        """The most visited line that begins with an action at the root."""
        children = self.children()
        index = int(self._nodes[ROOT]["first"]) + int(np.flatnonzero(children["action"] == action)[0])
        found = [action]
        while len(found) < length and self._nodes[index]["first"] != NOT_EXPANDED:
            children = self._children(index)
            best = int(np.argmax(children["visits"]))
            if children["visits"][best] == 0:
                break
            found.append(int(children["action"][best]))
            index = int(self._nodes[index]["first"]) + best
        return tuple(found)
