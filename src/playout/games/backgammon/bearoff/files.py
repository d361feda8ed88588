"""Where the tables of bear-offs are kept: in the user's cache folder, made on first use in a second or two.

A file has a line that says what it is, a digest, and the numbers of all tables one after the other, so that
it can be mapped into memory: all processes then share it. Its name carries a hash of the sources that it
follows from. What is not whole is made again. Files are replaced as a whole, so two processes that make one
at once do no harm. Where nothing can be written, the tables stay in memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from functools import cache
from pathlib import Path

import numba
import numpy as np

from playout.files import write_bytes
from playout.games.backgammon.bearoff.chances import FEW, LENGTH, TABLES
from playout.kernel import cache as kernel_cache
from playout.kernel.address import address_of

TITLE = b"playout bear-off tables 1\n"
HEAD = 64  # bytes before the numbers: the title, zeros, the digest
SOURCES = ("bearoff/chances.py", "bearoff/maker.py", "bits.py", "rules.py", "state.py")

_lock = threading.Lock()


@cache
def _source_hash() -> str:
    digest = hashlib.sha256()
    folder = Path(__file__).parents[1]
    for name in SOURCES:
        digest.update(hashlib.sha256((folder / name).read_bytes()).digest())
    return digest.hexdigest()[:20]


def path_of() -> Path:
    """The file of this version's tables; it need not be there."""
    return kernel_cache.root() / f"bearoff-{_source_hash()}.tables"


def make_row() -> np.ndarray:
    """All tables, one after the other."""
    if numba.config.DISABLE_JIT:
        return _made_elsewhere()
    from playout.games.backgammon.bearoff.maker import make_none_off, make_pairs, make_tails

    tables = make_tails()[0], make_none_off()[0], make_pairs(FEW)
    return np.concatenate([table.ravel() for table in tables]).astype(np.float32)


def _made_elsewhere() -> np.ndarray:
    """The same from a process of its own: where nothing is compiled, they would take hours."""
    code = "import sys; from pathlib import Path; from playout.games.backgammon.bearoff import files\n"
    code += "files.write_row(Path(sys.argv[1]), files.make_row())"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "row"
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "0"}
        subprocess.run([sys.executable, "-c", code, str(path)], env=environment, check=True)
        return np.fromfile(path, np.float32, offset=HEAD)


def write_row(path: Path, row: np.ndarray) -> None:
    """Write a file of tables as a whole."""
    content = row.tobytes()
    digest = hashlib.sha256(content).digest()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_bytes(path, TITLE.ljust(HEAD - len(digest), b"\0") + digest + content)


def read_row(path: Path) -> np.ndarray | None:
    """The tables of a file, mapped into memory; None where there is none or it is not whole."""
    try:
        content = np.memmap(path, np.uint8, "r")
    except (OSError, ValueError):
        return None
    if len(content) != HEAD + 4 * LENGTH or not content[:HEAD].tobytes().startswith(TITLE):
        return None
    digest = hashlib.sha256(content.data[HEAD:]).digest()
    if digest != content[HEAD - len(digest) : HEAD].tobytes():
        return None
    return content[HEAD:].view(np.float32)


def _prune(current: Path) -> None:
    """Remove the tables of other versions that have not been made within the hour."""
    for path in current.parent.glob("bearoff-*.tables"):
        with contextlib.suppress(OSError):
            if path != current and time.time() - path.stat().st_mtime > kernel_cache.FRESH_SECONDS:
                path.unlink()


@cache
def _row_at(path: Path) -> np.ndarray:
    row = read_row(path)
    if row is None:
        row = make_row()
        try:
            write_row(path, row)
            _prune(path)
        except OSError:
            kernel_cache.warn()
            return row
        mapped = read_row(path)
        row = row if mapped is None else mapped
    return row


def bearoff_row() -> np.ndarray:
    """All tables as one row of numbers: read, or made where there are none. It never goes away."""
    with _lock:
        return _row_at(path_of())


def bearoff_tables() -> np.ndarray:
    """An array of one record that says where the tables are, for a policy's own record.

    It is of no use in another process, which has them elsewhere.
    """
    return np.array([(address_of(bearoff_row()),)], TABLES)
