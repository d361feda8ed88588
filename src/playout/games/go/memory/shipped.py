"""The weights that come with the package, and weights by the word of a setting."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from playout.errors import InputError
from playout.games.go.memory.codes import FROZEN, frozen_record, shapes_record
from playout.games.go.memory.move_weights import MoveWeights, is_of_moves, move_weights_of
from playout.games.go.memory.store import Weights, load
from playout.memory.archives import read_arrays

SHIPPED = "shipped"
ANY_SIZE = "any"
VALUES = "shapes"  # files of weights for values; those of softmax policies are named after their learner
LEARNERS = ("regression", "mm", "reinforce", "balanced", "two-step", "adjusted")
BEST_LEARNER = "balanced"
ADJUSTED = "adjusted"  # of features of moves; the others are of local shapes


@cache
def _shipped(name: str, kind: str = VALUES) -> Weights | None:
    file = resources.files(__package__).joinpath("data", f"{kind}-{name}.npz")
    if not file.is_file():
        return None
    with resources.as_file(file) as path:
        return load(path)


@cache
def _shipped_moves(name: str) -> MoveWeights | None:
    file = resources.files(__package__).joinpath("data", f"{ADJUSTED}-{name}.npz")
    if not file.is_file():
        return None
    with resources.as_file(file) as path:
        return move_weights_of(path, *read_arrays(path))


@cache
def shipped(side: int) -> Weights:
    """The weights that come with the package for a board size.

    Some sizes have weights of their own; for the others there are location-independent ones.
    """
    own = _shipped(str(side))
    if own is not None:
        return own
    weights = _shipped(ANY_SIZE)
    assert weights is not None
    return weights.on(side)


def weights_for(word: str, side: int) -> Weights:
    """The weights that a setting names, for a board size: ``shipped`` or a file."""
    return shipped(side) if word == SHIPPED else _loaded(word, age(word), "values").on(side)


def is_shipped(learner: str, side: int) -> bool:
    """Whether a learner's softmax policy for a board size comes with the package."""
    return (_shipped_moves(str(side)) if learner == ADJUSTED else _shipped(str(side), learner)) is not None


def policy_weights(word: str, side: int) -> Weights | MoveWeights:
    """The weights of a softmax policy that a setting names: ``shipped``, a learner's, or a file.

    They are of local shapes, or of features of moves.
    """
    learner = BEST_LEARNER if word == SHIPPED else word
    if learner not in LEARNERS:
        of_file = _loaded_policy(word, age(word))
        return of_file.on(side) if isinstance(of_file, Weights) else of_file
    found: Weights | MoveWeights | None
    found = _shipped_moves(str(side)) if learner == ADJUSTED else _shipped(str(side), learner)
    if found is None:
        sides = [n for n in range(2, 20) if is_shipped(learner, n)]
        there = "for " + ", ".join(f"{n}×{n}" for n in sides) if sides else "none"
        raise InputError(
            f"no {learner} weights come with playout for {side}×{side} boards (there are {there}); "
            f"playout train makes them, and policy=FILE.npz plays by them"
        )
    return found


def age(path: str) -> int:
    """When a file was last written: a new one is read again."""
    return Path(path).stat().st_mtime_ns if Path(path).exists() else 0


@lru_cache(maxsize=8)
def _loaded(path: str, age: int, purpose: str) -> Weights:
    return load(path, purpose)


@lru_cache(maxsize=8)
def _loaded_policy(path: str, age: int) -> Weights | MoveWeights:
    facts, arrays = read_arrays(path)
    return move_weights_of(path, facts, arrays) if is_of_moves(facts) else load(path, "policy")


class Settings(Hashable, Protocol):
    """Settings of something that plays by weights."""

    @property
    def weights(self) -> str:
        """Which weights."""


def frozen_for(settings: Settings, root: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A record with the fields of a frozen memory filled in for the board of a state, the others 0.

    The same array again while settings, file and board size are the same: copy it before use.
    """
    word = settings.weights
    return _frozen(settings, 0 if word == SHIPPED else age(word), int(root["side"][0]), dtype)


@lru_cache(maxsize=8)
def _frozen(settings: Settings, age: int, side: int, dtype: np.dtype) -> np.ndarray:
    weights = weights_for(settings.weights, side)
    frozen = frozen_record(weights.features, weights.pairs())
    record = np.zeros(1, dtype)
    for name in FROZEN.names or ():
        record[name] = frozen[name]
    return record


def memory_for(weights: Weights) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What kernels need to evaluate states with weights: a memory, and the index and weights beside it.

    Frozen where that can be, which is faster.
    """
    features: Any = weights.features
    pairs = weights.pairs()
    if features.sets == 1 and weights.shapes.sharing != "none":
        return frozen_record(features, pairs), features.index, pairs
    return shapes_record(features), features.index, pairs
