"""Files that are never half written, and never written over what is not ours."""

from __future__ import annotations

import json
import os
import stat
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playout.errors import InputError

HEAD = 4096  # bytes that tell what a file is
PART = ".part"  # the ending of a file that is being written


@dataclass(frozen=True)
class Kind:
    """A kind of file that we write.

    name: as in "that is not NAME". is_ours: whether a file that is there, with something in it, may be
    replaced by a new one of the kind: we wrote it, or nothing else is lost.
    """

    name: str
    is_ours: Callable[[Path], bool]


def beginning(path: Path) -> bytes:
    """The first bytes of a file; none if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(HEAD)
    except OSError:
        return b""


def text_kind(name: str, *marks: str) -> Kind:
    """Texts that begin with one of these words."""
    return Kind(name, lambda path: beginning(path).startswith(tuple(mark.encode() for mark in marks)))


def json_kind(name: str, **facts: Any) -> Kind:
    """JSON objects that have these facts in them."""

    def is_ours(path: Path) -> bool:
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return False
        return isinstance(found, dict) and all(found.get(key) == value for key, value in facts.items())

    return Kind(name, is_ours)


def check_output(path: str | Path, kind: Kind, force: bool | None = False) -> None:
    """Refuse a path that must not or cannot be written, before there is anything to write.

    What is there already may be replaced if it is empty, or ours by its kind. force: any file may be, though
    nothing that is no file; None where nobody can say so. Terminals and pipes may be written to.

    >>> import tempfile
    >>> note = text_kind("a note", "note:")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "here.txt"
    ...     write_text(path, "note: five", note)
    ...     write_text(path, "note: six", note)
    ...     _ = path.write_text("something else")
    ...     try:
    ...         check_output(path, note)
    ...     except InputError as error:
    ...         print(str(error).replace(folder, ""))
    /here.txt is there already and is not a note: choose another name, or give --force to replace it
    """
    try:
        found = os.stat(path)
    except FileNotFoundError:
        _check_place(path)
        return
    except (OSError, ValueError) as error:  # a name too long, links in a circle, a zero byte
        raise InputError(f"{_named(path)} cannot be written: {_reason(error)}") from None
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"{path} is a folder and not a file to write")
    if stat.S_ISCHR(found.st_mode) or stat.S_ISFIFO(found.st_mode):
        return
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{path} is neither a file nor a pipe to write to")
    if found.st_size and not force and not kind.is_ours(Path(path)):
        advice = "choose another name" + (", or give --force to replace it" if force is not None else "")
        raise InputError(f"{path} is there already and is not {kind.name}: {advice}")
    if not os.access(path, os.W_OK):
        raise InputError(f"{path} is there already and write-protected")
    _check_place(path)


def _check_place(path: str | Path) -> None:
    """Refuse a file whose folder is not there or cannot be written."""
    folder = Path(os.path.realpath(path)).parent  # of what a link leads to
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder} to write {Path(path).name} in")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"the folder {folder} is write-protected: {Path(path).name} cannot be written in it")


def _named(path: str | Path) -> str:
    """A path that may have anything in it, in a sentence."""
    text = ascii(str(path))[1:-1]
    return text if len(text) <= 120 else text[:119] + "…"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def write_text(path: str | Path, text: str, kind: Kind | None = None, force: bool | None = False) -> None:
    """Write a file as a whole: a kill at any moment leaves the old one or the new one.

    kind, force: what may be replaced (`check_output`); without a kind anything, as in a folder of ours.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_text(Path(folder) / "note.txt", "five")
    ...     (Path(folder) / "note.txt").read_text()
    'five'
    """
    write_bytes(path, text.encode("utf-8"), kind, force)


def write_bytes(path: str | Path, data: bytes, kind: Kind | None = None, force: bool | None = False) -> None:
    """The same for bytes."""
    if kind is not None:
        check_output(path, kind, force)
    if os.path.exists(path) and not os.path.isfile(path):
        Path(path).write_bytes(data)  # a terminal or a pipe; a folder refuses
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    part = target.with_name(f".{target.name[:200]}.{uuid.uuid4().hex[:8]}{PART}")
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


def make_folder(path: str | Path) -> Path:
    """A folder to write in, made if it is not there."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise InputError(f"the folder {_named(path)!r} cannot be made: {_reason(error)}") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"the folder {str(folder)!r} is write-protected")
    return folder


def begin_folder(path: str | Path, what: str) -> Path:
    """A folder of our own, made if it is not there; one with other files in it is refused.

    what: what the folder is to be, as in "that is not WHAT". What a kill leaves before anything is in it
    counts as nothing: folders without files, and parts of files.
    """
    folder = Path(path)
    try:
        if folder.exists() and (not folder.is_dir() or _has_files(folder)):
            raise InputError(f"{folder} exists and is not {what}")
    except OSError as error:
        raise InputError(f"the folder {str(path)!r} cannot be made: {_reason(error)}") from None
    return make_folder(folder)


def _has_files(folder: Path) -> bool:
    return any(
        not (found.is_dir() or (found.name.startswith(".") and found.suffix == PART))
        for found in folder.rglob("*")
    )
