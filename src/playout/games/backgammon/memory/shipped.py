"""Networks of backgammon: those that come with the package, and those of files."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from playout.games.backgammon.bearoff.files import bearoff_tables
from playout.games.backgammon.encoding import ENCODINGS, SIZES
from playout.games.backgammon.memory.network import NETWORK
from playout.memory.network import fill
from playout.memory.network_files import Network, load

SHIPPED = "shipped"
GAME_NAME = "backgammon"
INPUTS = {name: SIZES[number] for name, number in ENCODINGS.items()}


def load_network(path: str | Path) -> Network:
    """A network for backgammon from a file."""
    return load(path, GAME_NAME, INPUTS)


@cache
def shipped(name: str) -> Network:
    """A network that comes with the package: lin1, lin3, td10, td80, td."""
    with resources.as_file(resources.files(__package__).joinpath("data", f"{name}.npz")) as path:
        return load_network(path)


def network_for(word: str, name: str) -> Network:
    """The network that a setting names: ``shipped``, by the policy's own name, or a file.

    What was read once is kept, because records hold the addresses of weights.
    """
    if word == SHIPPED:
        return shipped(name)
    return _loaded(word, Path(word).stat().st_mtime_ns if Path(word).exists() else 0)


@cache
def _loaded(path: str, age: int) -> Network:
    return load_network(path)


def record_of(network: Network, noise: float = 0.0, bearoff: bool = False) -> np.ndarray:
    """The network as an array of one record. Its weights must be kept while that is used.

    bearoff: whether tables value bear-offs.
    """
    record = np.zeros(1, NETWORK)
    fill(
        record,
        network.weights,
        network.inputs,
        network.hidden,
        network.outputs,
        ENCODINGS[network.encoding],
    )
    record["noise"] = noise
    if bearoff:
        record["bearoff"] = bearoff_tables()
    return record
