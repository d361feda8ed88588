"""Weights in files: a NumPy archive without pickled objects, and a JSON beside it that people can read.

The archive has its facts inside as well, so one file is enough to use it. A file that somebody sends us is
read with suspicion: what it says of itself is checked before anything of its size is believed.
"""

from __future__ import annotations

import io
import json
import lzma
import math
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import InputError, shown
from playout.files import Kind, check_output, json_kind, write_bytes, write_text
from playout.games.go.memory.shapes import Features, Shapes, features_of

KIND, VERSION = "weights of local shapes", 1
LARGEST = 1 << 29  # bytes of an array that we believe
MOST_ARRAYS = 16
FACTS = "facts"
# What Python's zip and NumPy's readers raise at bytes that make no sense.
_BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    struct.error,
)


@dataclass(frozen=True)
class Archives:
    """Archives of a kind, each with its facts inside and as JSON beside it.

    name: as in "that is not NAME"; kind: as the facts have it.
    """

    name: str
    kind: str

    def check(self, path: str | Path, force: bool = False) -> None:
        """Refuse a path where the archive or its JSON would take the place of something else."""
        check_output(path, Kind(self.name, self.is_ours), force)
        check_output(_beside(path), json_kind(f"the JSON of {self.name}", kind=self.kind), force)

    def is_ours(self, path: Path) -> bool:
        """Whether a file is such an archive."""
        try:
            with zipfile.ZipFile(path) as archive:
                facts = json.loads(_read(archive, archive.getinfo(f"{FACTS}.npy")).tobytes())
        except (*_BROKEN, RecursionError):
            return False
        return isinstance(facts, dict) and facts.get("kind") == self.kind

    def write_facts(self, path: str | Path, facts: Mapping[str, Any]) -> None:
        """Write the JSON."""
        write_text(_beside(path), json.dumps(facts, indent=1, ensure_ascii=False) + "\n")


def _beside(path: str | Path) -> Path:
    return Path(path).with_suffix(".json")


def write_arrays(path: str | Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write an archive as a whole: a kill at any moment leaves the old one or the new one."""
    text = json.dumps(facts, ensure_ascii=False, allow_nan=False)
    content = io.BytesIO()
    np.savez_compressed(
        content, allow_pickle=False, **{FACTS: np.frombuffer(text.encode(), np.uint8)}, **arrays
    )
    write_bytes(path, content.getvalue())


def read_arrays(path: str | Path, what: str = "weight file") -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The facts and the arrays of an archive; whatever is wrong with it is said in one sentence."""
    name = str(path)
    if Path(path).is_dir():
        raise InputError(f"{name} is a folder and not a {what}")
    if not Path(path).exists():
        raise InputError(f"there is no {what} {name}")
    if Path(path).stat().st_size > LARGEST:
        raise InputError(f"{name} has {Path(path).stat().st_size:,} bytes, more than any {what} of playout")
    content = Path(path).read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if len(archive.infolist()) > MOST_ARRAYS:
                raise ValueError(f"it holds {len(archive.infolist())} arrays")
            arrays = {
                member.filename.removesuffix(".npy"): _read(archive, member) for member in archive.infolist()
            }
    except _BROKEN as error:
        raise InputError(f"{name} is not a {what} of playout, or it is cut short: {error}") from None
    try:
        facts = json.loads(arrays.pop(FACTS).tobytes().decode("utf-8"))
    except (KeyError, ValueError, RecursionError):
        raise InputError(f"{name} is not a {what} of playout: it does not say what it holds") from None
    if not isinstance(facts, dict):
        raise InputError(f"{name} is not a {what} of playout: it does not say what it holds")
    return facts, arrays


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """One array; its header must fit its size before memory is given to it."""
    if member.file_size > LARGEST:
        raise ValueError(f"{member.filename[:40]!r} has {member.file_size:,} bytes, more than any of ours")
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"{member.filename[:40]!r} is an array of an unknown format")
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, fortran, dtype = read(file)
        if dtype.hasobject:
            raise ValueError(f"{member.filename[:40]!r} holds Python objects, which we never load")
        content = file.read(LARGEST + 1)
    if math.prod(shape) * dtype.itemsize != len(content) or dtype.itemsize == 0:
        raise ValueError(f"{member.filename[:40]!r} is not as long as it says")
    return np.frombuffer(content, dtype).reshape(shape, order="F" if fortran else "C").copy()


@dataclass(frozen=True)
class Weights:
    """Learnt weights: of which features, and how they were made."""

    shapes: Shapes
    theta: np.ndarray
    how: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Weights({self.theta.size:,} of {self.shapes})"

    @property
    def features(self) -> Features:
        """The features that they are the weights of."""
        return features_of(self.shapes)

    def pairs(self) -> np.ndarray:
        """The weights as kernels read them."""
        return self.features.pairs(self.theta)

    def on(self, side: int) -> Weights:
        """The weights for a board of another size, where that has a meaning.

        Location-independent weights mean the same on every board; the others belong to theirs.
        """
        if side == self.shapes.side:
            return self
        if self.shapes.sharing != "independent":
            own = self.shapes.side
            raise InputError(
                f"these weights are for {own}×{own} boards and depend on the place; "
                f"on {side}×{side} only location-independent ones have a meaning"
            )
        shapes = Shapes(**{**self.shapes.facts(), "side": side, "sizes": self.shapes.sizes})
        if features_of(shapes).unique != self.theta.size:
            raise InputError(
                f"weights by stage of the game belong to {self.shapes.side}×{self.shapes.side} boards"
            )
        return Weights(shapes, self.theta, self.how)

    @property
    def purpose(self) -> str | None:
        """What they were learnt for: the values of positions, or a policy's choices; None if nobody says."""
        learner = self.how.get("learner")  # the settings of TD, or the name of what learns policies
        return "values" if isinstance(learner, dict) else "policy" if isinstance(learner, str) else None

    def save(self, path: str | Path, half: bool = False, force: bool = False) -> None:
        """Write the archive and, beside it, its facts as JSON. half: in 16 bits a weight, to be small.

        force: also over files that are no weights.
        """
        facts = self.facts()
        FILES.check(path, force)
        FILES.write_facts(path, facts)  # first: the archive says that all is done
        write_arrays(path, facts, {"theta": self.theta.astype(np.float16 if half else np.float32)})

    def facts(self) -> dict[str, Any]:
        """What the file says of itself."""
        return {
            "kind": KIND,
            "version": VERSION,
            "shapes": self.shapes.facts(),
            "weights": int(self.theta.size),
            "how": self.how,
        }


FILES = Archives("a weight file", KIND)


def load(path: str | Path, purpose: str | None = None) -> Weights:
    """Weights from a file. purpose: what they are to be of, values or a policy; else they are refused."""
    weights = weights_of(path, *read_arrays(path))
    if purpose is not None and weights.purpose not in (purpose, None):
        words = {
            "values": "weights of values, as playout train td makes them",
            "policy": f"weights of a policy ({shown(weights.how.get('learner'))})",
        }
        wanted = {"values": "weights of values are needed here", "policy": "a policy's are needed here"}
        raise InputError(f"{path} holds {words[str(weights.purpose)]}; {wanted[purpose]}")
    return weights


def weights_of(path: str | Path, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> Weights:
    """Weights from what a file holds, if it holds what it should."""
    if facts.get("kind") != KIND:
        raise InputError(f"{path} holds {str(facts.get('kind'))[:60]!r}; {KIND!r} were expected")
    if facts.get("version") != VERSION:
        raise InputError(
            f"{path} is of version {str(facts.get('version'))[:20]}; this playout reads version {VERSION}"
        )
    try:
        words = dict(facts["shapes"])
        shapes = Shapes(**{**words, "sizes": tuple(words["sizes"])})
        theta = arrays["theta"]
    except InputError as error:
        raise InputError(f"{path} has features that we do not know: {error}") from None
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{path} does not say which features its weights belong to") from None
    expected = features_of(shapes).unique
    if theta.ndim != 1 or theta.dtype.kind != "f" or theta.size != expected:
        raise InputError(
            f"{path} has {theta.size:,} weights; the features that it names have {expected:,} of them"
        )
    if not np.all(np.isfinite(theta)):
        raise InputError(f"{path} has weights that are not numbers")
    how = facts.get("how")
    return Weights(shapes, theta.astype(np.float32), how if isinstance(how, dict) else {})
