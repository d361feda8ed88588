"""Files that are never half written."""

from __future__ import annotations

import os
import uuid
from pathlib import Path


def write_text(path: str | Path, text: str) -> None:
    """Write a file as a whole: a kill at any moment leaves the old one or the new one.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_text(Path(folder) / "note.txt", "five")
    ...     (Path(folder) / "note.txt").read_text()
    'five'
    """
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | Path, data: bytes) -> None:
    """The same for bytes."""
    target = Path(os.path.realpath(path))  # a link stays a link
    if target.exists() and not target.is_file():
        target.write_bytes(data)  # a terminal or a pipe; a folder refuses
        return
    part = target.with_name(f".{target.name[:200]}.{uuid.uuid4().hex[:8]}.part")
    try:
        with open(part, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except FileNotFoundError as error:
        raise FileNotFoundError(error.errno, error.strerror, str(path)) from None  # not the part's name
    except BaseException:
        part.unlink(missing_ok=True)
        raise
