"""Weights of the features of moves (`policy.move_features`) in files (`memory.archives`), for any board."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.memory.archives import Archives, write_arrays

KIND, VERSION = "weights of features of moves", 1
FILES = Archives("a weight file", KIND)


@cache
def _names() -> tuple[tuple[str, ...], str]:
    """The names of the features, and a word that is another one for others."""
    from playout.games.go.policy.move_features import (
        simulation_names,  # stands above: it knows patterns and views
    )

    names = simulation_names()
    return names, hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class MoveWeights:
    """Learnt weights of features of moves, and how they were made."""

    theta: np.ndarray
    how: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"MoveWeights({self.theta.size:,} of features of moves)"

    def facts(self) -> dict[str, Any]:
        """What the file says of itself."""
        return {
            "kind": KIND,
            "version": VERSION,
            "features": _names()[1],
            "weights": int(self.theta.size),
            "how": self.how,
        }

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the archive and, beside it, its facts as JSON. force: also over files that are no weights."""
        facts = self.facts()
        FILES.check(path, force)
        FILES.write_facts(path, facts)  # first: the archive says that all is done
        write_arrays(path, facts, {"theta": self.theta.astype(np.float32)})

    @property
    def names(self) -> tuple[str, ...]:
        """What each is the weight of."""
        return _names()[0]

    def sets(self) -> dict[str, np.ndarray]:
        """The numbers of the features, those of 3×3 patterns apart."""
        is_pattern = np.array([name.startswith("pattern ") for name in self.names])
        return {
            "features of moves": np.flatnonzero(~is_pattern),
            "3×3 patterns": np.flatnonzero(is_pattern),
        }


def is_of_moves(facts: dict[str, Any]) -> bool:
    """Whether a file's facts are of weights of this kind."""
    return facts.get("kind") == KIND


def move_weights_of(path: str | Path, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> MoveWeights:
    """Weights from what a file holds, if it holds what it should."""
    names, word = _names()
    if facts.get("version") != VERSION or facts.get("features") != word:
        raise InputError(f"{path} has weights of other features of moves than this playout knows")
    theta = arrays.get("theta")
    if theta is None or theta.dtype.kind != "f" or theta.shape != (len(names),):
        raise InputError(f"{path} does not have a weight for each of the {len(names):,} features of moves")
    if not np.all(np.isfinite(theta)):
        raise InputError(f"{path} has weights that are not numbers")
    how = facts.get("how")
    return MoveWeights(theta.astype(np.float32), how if isinstance(how, dict) else {})
