"""Copies of environments that can be trusted: the whole state, and the luck.

A copy is made by pickling, which is several times as fast as `copy.deepcopy`; by that where an environment
cannot be pickled. Generators of random numbers inside it are found on the way: a copy gets the same ones, or
fresh ones, so that a search does not see the luck to come.

`fault` says whether copies are faithful, by replaying: under the same actions two copies, and after them the
environment itself, must go the same way, and so must two games that begin with the same seed.
"""

from __future__ import annotations

import copy
import io
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np

GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
EPISODES, LOOKS, STEPS = 8, 3, 24  # of the replay: in an episode so many looks, from each so many steps
UNSEEDED = "after reset(seed=1) the same actions do not always lead to the same: its luck is not the seed's"
SHARED = "its copies go other ways than itself: part of its state is not in them, or they share it"

Renew = Callable[[Any], Any]  # from a generator to the one that a copy gets in its place


def fresh(draw: random.Random) -> Renew:
    """Generators of the same kind with seeds of their own."""

    def renew(generator: Any) -> Any:
        seed = draw.getrandbits(32)
        if isinstance(generator, np.random.Generator):
            return np.random.Generator(type(generator.bit_generator)(seed))
        return type(generator)(seed)

    return renew


class Pickled:
    """An environment as bytes, with its generators beside them."""

    def __init__(self, original: Any) -> None:
        self._generators: list[Any] = []
        out = io.BytesIO()
        _Pickler(out, self._generators).dump(original)
        self._bytes = out.getvalue()
        # The original goes on with its own.
        self._generators = [copy.deepcopy(generator) for generator in self._generators]

    def restore(self, renew: Renew = copy.deepcopy) -> Any:
        """A copy of the environment as it was."""
        return _Unpickler(io.BytesIO(self._bytes), [renew(known) for known in self._generators]).load()


class _Pickler(pickle.Pickler):
    def __init__(self, out: io.BytesIO, generators: list[Any]) -> None:
        super().__init__(out, pickle.HIGHEST_PROTOCOL)
        self._generators = generators

    def persistent_id(self, value: Any) -> int | None:
        """Where a generator is kept; None for all else, which is pickled."""
        if not isinstance(value, GENERATORS):
            return None
        for k, known in enumerate(self._generators):
            if known is value:
                return k
        self._generators.append(value)
        return len(self._generators) - 1


class _Unpickler(pickle.Unpickler):
    def __init__(self, source: io.BytesIO, generators: list[Any]) -> None:
        super().__init__(source)
        self._generators = generators

    def persistent_load(self, pid: Any) -> Any:
        """The generator that a copy gets."""
        return self._generators[pid]


class Copied:
    """An environment as a copy that nobody steps, with its generators."""

    def __init__(self, original: Any) -> None:
        memo: dict[int, Any] = {}
        self._kept = copy.deepcopy(original, memo)
        self._generators = [made for made in memo.values() if isinstance(made, GENERATORS)]

    def restore(self, renew: Renew = copy.deepcopy) -> Any:
        """A copy of the environment as it was."""
        return copy.deepcopy(self._kept, {id(known): renew(known) for known in self._generators})


def faithful(make: Callable[[], Any]) -> tuple[type[Pickled] | type[Copied] | None, str]:
    """How an environment can be copied faithfully; else None and the reason. make: makes one."""
    reason = ""
    for keep in (Pickled, Copied):
        try:
            reason = fault(make(), keep)
        except Exception as error:  # whatever an environment or its copying may raise
            reason = f"copying it fails with {type(error).__name__}: {' '.join(str(error).split())[:160]}"
        if not reason:
            return keep, ""
    return None, reason


def fault(env: Any, keep: type[Pickled] | type[Copied]) -> str:
    """What is wrong with the copies of an environment; nothing where they are faithful."""
    draw = random.Random(1)
    for seed in range(1, EPISODES + 1):
        actions, ways = _some(env, draw), []
        for _ in range(2):
            env.reset(seed=seed)
            ways.append(walk(env, actions))
        if not same(*ways):
            return UNSEEDED
    for seed in range(1, EPISODES + 1):
        env.reset(seed=seed)
        for _ in range(LOOKS):
            actions, kept = _some(env, draw), keep(env)
            copies = [walk(kept.restore(), actions) for _ in range(2)]
            forks = [walk(kept.restore(fresh(random.Random(seed))), actions) for _ in range(2)]
            # Now the environment itself: if stepping copies has touched it, it goes another way.
            itself = walk(env, actions)
            if not (same(copies[0], itself) and same(copies[1], itself) and same(*forks)):
                return SHARED
            if any(itself[-1][2:]):
                break
    return ""


def _some(env: Any, draw: random.Random) -> list[int]:
    """Random actions, counted from the first of the space."""
    return [draw.randrange(int(env.action_space.n)) for _ in range(STEPS)]


def walk(env: Any, actions: list[int]) -> list[tuple[Any, float, bool, bool]]:
    """What actions lead to, up to an end: observations, rewards, ends."""
    seen = []
    for action in actions:
        observation, reward, terminated, truncated, _ = env.step(int(env.action_space.start) + action)
        seen.append((copy.deepcopy(observation), float(reward), bool(terminated), bool(truncated)))
        if terminated or truncated:
            break
    return seen


def same(one: Any, two: Any) -> bool:
    """Whether two observations, of whatever arrays, numbers and containers, are equal."""
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(two, list | tuple):
        return len(one) == len(two) and all(same(a, b) for a, b in zip(one, two, strict=True))
    a, b = np.asarray(one), np.asarray(two)
    if a.dtype.kind in "fc" and b.dtype.kind in "fc":
        return np.array_equal(a, b, equal_nan=True)
    return np.array_equal(a, b)
