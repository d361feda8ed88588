"""Arrays in files: a NumPy archive without pickled objects, and a JSON beside it that people can read.

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.files import Kind, check_output, json_kind, write_bytes, write_text

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
