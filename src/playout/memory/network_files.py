"""Networks in files (`memory.archives`): what they see, how many units they have, how they were made."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import InputError, shown
from playout.memory.archives import Archives, read_arrays, write_arrays
from playout.memory.network import LANES, MOST_HIDDEN, MOST_INPUTS, length_of, tensors

KIND, VERSION = "weights of a network", 1
FILES = Archives("a file of a network's weights", KIND)


@dataclass(frozen=True, eq=False)
class Network:
    """A network: of which game, what it sees of a state, its sizes and its weights (`memory.network`)."""

    game: str
    encoding: str
    inputs: int
    hidden: int
    outputs: int
    weights: np.ndarray
    how: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Network({self.game}, {self.encoding}: {self.inputs}–{self.hidden}–{self.outputs})"

    def facts(self) -> dict[str, Any]:
        """What the file says of itself."""
        return {
            "kind": KIND,
            "version": VERSION,
            "game": self.game,
            "encoding": self.encoding,
            "inputs": self.inputs,
            "hidden": self.hidden,
            "outputs": self.outputs,
            "how": self.how,
        }

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights by name, without what only fills up rows."""
        found = tensors(self.weights, self.inputs, self.hidden)
        units = self.hidden or self.outputs
        cut = {"W": found["W"][:, :units], "b": found["b"][:units]}
        if self.hidden:
            cut |= {"U": found["U"][: self.hidden, : self.outputs], "c": found["c"][: self.outputs]}
        return cut

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the archive and, beside it, its facts as JSON."""
        FILES.check(path, force)
        FILES.write_facts(path, self.facts())  # first: the archive says that all is done
        write_arrays(path, self.facts(), self.arrays())


def load(path: str | Path, game: str, encodings: dict[str, int]) -> Network:
    """A network from a file, if it is one of a game. encodings: the game's, with how many inputs each has."""
    return network_of(path, *read_arrays(path), game, encodings)


def network_of(
    path: str | Path,
    facts: dict[str, Any],
    arrays: dict[str, np.ndarray],
    game: str,
    encodings: dict[str, int],
) -> Network:
    """A network from what a file holds, if it holds what it should."""
    if facts.get("kind") != KIND:
        raise InputError(f"{path} holds {shown(facts.get('kind'), 60)}; {KIND!r} were expected")
    if facts.get("version") != VERSION:
        raise InputError(
            f"{path} is of version {shown(facts.get('version'))}; this playout reads version {VERSION}"
        )
    if facts.get("game") != game:
        raise InputError(f"{path} is a network for {shown(facts.get('game'))} and not for {game}")
    encoding, inputs, hidden, outputs = (
        facts.get(key) for key in ("encoding", "inputs", "hidden", "outputs")
    )
    if not isinstance(encoding, str) or encodings.get(encoding) != inputs or not isinstance(inputs, int):
        raise InputError(f"{path} is another network: it sees {shown(encoding)}, {inputs!r:.20} inputs")
    sizes = ((hidden, 0, MOST_HIDDEN), (outputs, 1, LANES), (inputs, 1, MOST_INPUTS))
    if not all(isinstance(size, int) and low <= size <= high for size, low, high in sizes):
        raise InputError(f"{path} is another network: {shown(hidden)} hidden units, {shown(outputs)} outputs")
    assert isinstance(hidden, int)
    assert isinstance(outputs, int)
    how = facts.get("how")
    made = Network(
        game,
        encoding,
        inputs,
        hidden,
        outputs,
        np.zeros(length_of(inputs, hidden), np.float32),
        how if isinstance(how, dict) else {},
    )
    for name, room in made.arrays().items():
        given = arrays.get(name)
        if given is None or given.dtype.kind != "f" or given.shape != room.shape:
            raise InputError(f"{path} is another network: its weights {name} are not {room.shape}")
        if not np.all(np.isfinite(given)):
            raise InputError(f"{path} has weights that are not numbers")
        room[:] = given
    return made
