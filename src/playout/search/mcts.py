"""A tree search as an object: its pool of nodes, its threads, its root, and what it has found.

>>> from playout.games.toy import tictactoe
>>> from playout.policy.random import Random
>>> search = TreeSearch(Selection(exploration=0.5), Random(), Even(), nodes=10_000, seed=1)
>>> search.start(tictactoe.start(), range(9))
>>> search.run(1000)
1000
>>> int(search.children()["visits"].sum())
1000
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.games.api import NO_ACTION, GameError, counts_points, facts_of, legal_moves
from playout.kernel import spawn
from playout.policy.api import Copies
from playout.search.chance import is_open_loop
from playout.search.nodes import (
    HEURISTIC,
    MINIMUM_MSE,
    NO_RAVE,
    NODE,
    NOT_EXPANDED,
    ROOT,
    SELECTION,
    scratch_type,
)
from playout.search.prior import Even
from playout.search.tree import grow, transplant
from playout.search.workers import Workers, apart

SCHEDULES = {"none": NO_RAVE, "heuristic": HEURISTIC, "mse": MINIMUM_MSE}

NOTHING = np.empty(0, np.uint16)  # actions of a root that is there already

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

    policy, prior: settings objects with a ``record()`` or a ``record_for(root)`` (`policy.api.Copies`);
    nodes: the size of the pool; threads share the tree, each with a generator and a part of the pool of
    its own.
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
        self._policies, self._priors = Copies(policy, threads, apart), Copies(prior, threads, apart)
        self._nodes = np.empty(nodes, NODE)
        self._spare = np.empty(0, NODE)
        self._scratch: list[np.ndarray] = []
        self._rngs = spawn(seed, threads)
        self._threads = threads
        self._root: np.ndarray | None = None
        self._states: list[np.ndarray] = []  # what each thread plays on
        self._workers = Workers(threads, self._grow, "tree-search")

    def start(self, root: np.ndarray, actions: Iterable[int]) -> None:
        """Begin a tree at a state, with these actions at its root."""
        self._root = root.copy()
        facts = facts_of(root.dtype)
        if not self._states or self._states[0].dtype != root.dtype:
            self._states = [apart(root) for _ in range(self._threads)]
            self._scratch = [apart(np.zeros(1, scratch_type(facts))) for _ in range(self._threads)]
        chosen = [int(action) for action in actions]
        if any(not 0 <= action < facts.actions for action in chosen) or not chosen:
            raise GameError(
                f"the actions of a root are not from 0 to {facts.actions - 1}, as the game declares"
            )
        self._policies.at(root)
        self._priors.at(root)
        self._share(1)
        self._nodes[:1] = np.zeros(1, NODE)
        self._grow(0, 0, np.array(chosen, np.uint16))

    def follow(self, root: np.ndarray, actions: Iterable[int]) -> bool:
        """Keep the subtree that some actions lead to as the tree of a new root; False if there is none.

        In an open loop there is none: what it knows is of all that chance might have done.
        """
        if is_open_loop(root[0]):
            return False
        index = ROOT
        for action in actions:
            children = self._children(index)
            here = np.flatnonzero(children["action"] == action)
            if self._root is None or here.size == 0:
                return False
            index = int(self._nodes[index]["first"]) + int(here[0])
        if self._nodes[index]["first"] == NOT_EXPANDED:
            return False
        if index == ROOT:
            return True
        if self._spare.size != self._nodes.size:
            self._spare = np.empty(self._nodes.size, NODE)
        used = int(transplant(self._nodes, self._spare, index))
        self._nodes, self._spare = self._spare, self._nodes
        self._root = root.copy()
        self._policies.at(root)
        self._priors.at(root)
        self._share(used)
        return True

    def _share(self, used: int) -> None:
        """Give each thread a part of the unused nodes; the root is a new one."""
        parts = np.linspace(used, self._nodes.size, self._threads + 1).astype(int)
        for k, scratch in enumerate(self._scratch):
            scratch["next"], scratch["end"] = parts[k], parts[k + 1]
            scratch["keeps_leads"], scratch["led"], scratch["leads"] = False, 0, 0.0

    def keep_leads(self, wanted: bool) -> None:
        """Whether to keep, while the root stays the same, by how many points simulations end (`leads`)."""
        for scratch in self._scratch:
            scratch["keeps_leads"] = wanted

    def run(self, simulations: int, go_on: Callable[[int], bool] | None = None) -> int:
        """Make simulations, shared among the threads; how many were made.

        go_on: asked every few milliseconds, with the simulations so far; False ends the run (`Workers.run`).
        """
        return self._workers.run(simulations, go_on)

    def close(self) -> None:
        """End the threads; a later run starts them again."""
        self._workers.close()

    def _grow(self, k: int, simulations: int, actions: np.ndarray = NOTHING) -> None:
        root = self._root
        grow(
            self._nodes,
            root,
            self._states[k],
            self._policies.records[k],
            self._priors.records[k],
            self._selection,
            self._scratch[k],
            self._rngs[k],
            actions,
            simulations,
        )

    def _children(self, index: int) -> np.ndarray:
        node = self._nodes[index]
        first = int(node["first"])
        return self._nodes[first : first + int(node["children"])]

    def children(self) -> np.ndarray:
        """The nodes below the root, as they are now; in an open loop those of its legal actions."""
        return self._legal(self._children(ROOT))

    def leads(self) -> np.ndarray | None:
        """Player 1's mean lead at the end of the simulations that began with each child of the root.

        nan where there were none while `keep_leads` was on; None in a game that counts no points.
        """
        if self._root is None or not counts_points(self._root[0]):
            return None
        count = int(self._nodes[ROOT]["children"])
        led = sum(scratch["led"][0, :count].astype(np.int64) for scratch in self._scratch)
        total = sum(scratch["leads"][0, :count] for scratch in self._scratch)
        return self._legal(np.where(led > 0, total / np.maximum(1, led), np.nan))

    def _legal(self, of_children: np.ndarray) -> np.ndarray:
        """What belongs to the root's children; in an open loop only to those of legal actions."""
        if self._root is None or not is_open_loop(self._root[0]):
            return of_children
        moves = np.zeros(facts_of(self._root.dtype).most_choices, np.uint16)
        legal = moves[: legal_moves(self._root[0], moves)]
        return of_children[np.isin(self._children(ROOT)["action"], legal)]

    @property
    def visits(self) -> int:
        """Simulations behind the present root."""
        return int(self._nodes[ROOT]["visits"])

    @property
    def used(self) -> int:
        """Nodes taken from the pool."""
        size, parts = self._nodes.size, self._scratch
        return (
            0
            if not parts
            else size - sum(int(scratch["end"][0]) - int(scratch["next"][0]) for scratch in parts)
        )

    @property
    def full(self) -> bool:
        """Whether a thread has no room left for the children of another node."""
        need = int(self._nodes[ROOT]["children"])
        return any(int(scratch["end"][0]) - int(scratch["next"][0]) < need for scratch in self._scratch)

    def line(self, action: int, length: int = 12) -> tuple[int, ...]:
        """The most visited line that begins with an action at the root."""
        children = self._children(ROOT)
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
