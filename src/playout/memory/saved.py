"""Weights of any game's memories in files, and long-term memory made of them (`memory.archives`).

A file says of which game, of what record, of which features its weights are. It is believed only where all of
that is what it is here.

>>> import tempfile
>>> from playout.games.toy import nim
>>> from playout.memory.table import Table
>>> root, memory = nim.start("2-1"), Table()
>>> parts = memory.parts_for(root)
>>> with tempfile.TemporaryDirectory() as folder:
...     save(f"{folder}/nim.npz", memory, root, parts)
...     load(f"{folder}/nim.npz").game
'nim'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import InputError, shown
from playout.games.api import related_of
from playout.kernel.raw import fields_of
from playout.memory.api import Parts
from playout.memory.archives import Archives, read_arrays, write_arrays
from playout.memory.groups import Groups, layout_of
from playout.memory.hashed import contents, fill
from playout.memory.rave import Rave
from playout.memory.sequences import Sequences
from playout.memory.table import Table

KIND, VERSION = "weights of a memory", 1
FILES = Archives("a file of a memory's weights", KIND)
FEATURES: dict[str, type] = {"groups": Groups, "table": Table, "rave": Rave, "sequences": Sequences}


def word_of(memory: Any) -> str:
    """What a memory's features are called."""
    return next(word for word, kind in FEATURES.items() if isinstance(memory, kind))


def fields_as_words(dtype: np.dtype) -> list[list[Any]]:
    """The fields of a record, as plain values."""
    return [[name, dtype[name].base.str, list(dtype[name].shape)] for name in fields_of(dtype)]


def save(
    path: str | Path,
    memory: Any,
    root: np.ndarray,
    parts: Parts,
    how: Mapping[str, Any] | None = None,
    force: bool = False,
) -> None:
    """Write what was learnt. memory, root: that the parts were made by, and for. how: it was learnt."""
    keys, theta = contents(parts.index, parts.weights)
    facts = {
        "kind": KIND,
        "version": VERSION,
        "game": related_of(root.dtype).game,
        "fields": fields_as_words(root.dtype),
        "features": word_of(memory),
        "layout": memory.facts(root),
        "weights": int(keys.size),
        "how": dict(how or {}),
    }
    FILES.check(path, force)
    FILES.write_facts(path, facts)  # first: the archive says that all is done
    write_arrays(path, facts, {"keys": keys, "theta": theta.astype(np.float32)})


@dataclass(frozen=True)
class Saved:
    """Weights from a file, and of what they are."""

    path: str
    game: str
    fields: list[Any]
    features: str
    layout: dict[str, Any]
    keys: np.ndarray
    theta: np.ndarray
    how: dict[str, Any] = field(default_factory=dict)

    def facts(self) -> dict[str, Any]:
        """What they are, as plain values."""
        named = ("game", "features", "layout", "how")
        return {**{name: getattr(self, name) for name in named}, "weights": int(self.keys.size)}

    def check(self, memory: Any, dtype: np.dtype) -> None:
        """Refuse the weights where another game or other features are meant."""
        game = related_of(dtype).game
        if self.game != game:
            raise InputError(f"{self.path} holds weights for {shown(self.game)} and not for {game}")
        if self.fields != fields_as_words(dtype):
            raise InputError(
                f"{self.path} holds weights for another version of {game}: its states had other fields"
            )
        if self.features != word_of(memory):
            raise InputError(
                f"{self.path} holds weights of features={self.features} and not of features={word_of(memory)}"
            )


def load(path: str | Path) -> Saved:
    """Weights from a file, if it holds what it should."""
    facts, arrays = read_arrays(path)
    if facts.get("kind") != KIND:
        raise InputError(f"{path} holds {shown(facts.get('kind'), 60)}; {KIND!r} were expected")
    if facts.get("version") != VERSION:
        raise InputError(
            f"{path} is of version {shown(facts.get('version'))}; this playout reads version {VERSION}"
        )
    game, fields, features, layout = (facts.get(name) for name in ("game", "fields", "features", "layout"))
    if not isinstance(game, str) or not isinstance(fields, list) or not isinstance(layout, dict):
        raise InputError(f"{path} does not say which features its weights belong to")
    if not isinstance(features, str) or features not in FEATURES:
        raise InputError(f"{path} has features that we do not know: {shown(features)}")
    keys, theta = arrays.get("keys"), arrays.get("theta")
    if (
        keys is None
        or theta is None
        or keys.dtype != np.uint64
        or theta.dtype.kind != "f"
        or keys.ndim != 1
        or keys.shape != theta.shape
    ):
        raise InputError(f"{path} has no weights, or not one for each feature")
    if np.unique(keys).size != keys.size or (keys.size and keys.min() == 0):
        raise InputError(f"{path} has two weights for one feature")
    if not np.all(np.isfinite(theta)):
        raise InputError(f"{path} has weights that are not numbers")
    how = facts.get("how")
    return Saved(
        str(path),
        game,
        fields,
        features,
        layout,
        keys,
        theta.astype(np.float32),
        how if isinstance(how, dict) else {},
    )


@dataclass(frozen=True)
class LongTerm:
    """A memory that begins with weights that were learnt before: long- and short-term memory in one (7.4).

    With the same features in both, the sum of the two is one memory that begins there. Groups that nobody has
    declared are those of the file. The file's weights are copied, and stay as they are.
    """

    memory: Any
    saved: Saved

    def parts_for(self, root: np.ndarray) -> Parts:
        """The memory for games from a state, with the weights of the file."""
        saved, memory = self.saved, self.memory
        saved.check(memory, root.dtype)
        memory = replace(memory, capacity=max(memory.capacity, 2 * saved.keys.size))
        if isinstance(memory, Groups) and not memory.groups and not related_of(root.dtype).groups:
            try:
                parts = memory.parts_of(root.dtype, layout_of(saved.layout, root.dtype))
            except InputError as error:
                raise InputError(f"{saved.path} cannot be used: {error}") from None
        else:
            if memory.facts(root) != saved.layout:
                other = f"of other {saved.features}, or for another size of {saved.game}"
                raise InputError(f"{saved.path} holds weights {other}")
            parts = memory.parts_for(root)
        fill(parts.index, parts.weights, saved.keys, saved.theta)
        return parts
