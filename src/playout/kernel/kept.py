"""Inner functions on disk: typed and lowered once a version, not once a process.

Most of the time that it takes to compile a kernel goes into the functions that it calls, and other kernels
call most of them too. So what is known of an inner function when it has been compiled lies in a file of its
own: its types, its code before it is optimised with its callers', and which inner functions it calls. The
file is named by a hash of all that decides what is in it: the function's place in the sources (the folder's
name is a hash of what stands there), the values that it closes over, the types of its arguments, flags and
processor. The same hash is in the function's symbol, so functions of different processes fit together.

What is not known through and through is not kept: a type or a function from outside the package, a value
closed over that is more than numbers and names, code that leads to an address or to Python objects of others.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import uuid
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

from playout.kernel.cache import directory, is_foreign, may_keep, warn


class _UnknownError(Exception):
    """Another process might see this differently."""


def _known(value: Any) -> Any:
    """What a value is, in words that mean the same in every process."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return value.dtype.str, value.tobytes()
    if type(value) is tuple:
        return "tuple", *map(_known, value)
    if isinstance(value, Dispatcher):
        return "compiled", str(value.targetoptions), _known(value.py_func)
    if isinstance(value, FunctionType) and may_keep(value.__module__):
        inside = (value.__defaults__, *(cell.cell_contents for cell in value.__closure__ or ()))
        return value.__module__, value.__qualname__, _written(value.__code__), *map(_known, inside)
    raise _UnknownError


def _written(code: CodeType) -> Any:
    """What a function is, among others in the same line of the same sources."""
    constants = (_written(part) if isinstance(part, CodeType) else repr(part) for part in code.co_consts)
    return code.co_firstlineno, code.co_code, code.co_names, *constants


def _name(kind: types.Type) -> str:
    if isinstance(kind, types.Callable) or is_foreign(kind):
        raise _UnknownError
    return kind.name


def key_of(function: Any, state: Any) -> str | None:
    """The name under which a function, compiled as a pipeline's state says, is kept; None if it is not."""
    if state.return_type is not None or state.locals:
        return None
    try:
        known = _known(function), [_name(kind) for kind in state.args]
    except _UnknownError:
        return None
    words = repr((known, state.flags.summary(), state.targetctx.codegen().magic_tuple()))
    return hashlib.sha256(words.encode()).hexdigest()[:32]


@cache
def _folder() -> Path | None:
    """Where the files lie; None where none can."""
    path = directory()
    if path is not None:
        path = path / "inner"
        try:
            path.mkdir(mode=0o700, exist_ok=True)
        except OSError:
            return None
    return path


def read(key: str) -> tuple[Any, ...] | None:
    """What was kept under a name; a file that cannot be read counts as absent."""
    folder = _folder()
    if folder is None:
        return None
    try:
        return pickle.loads((folder / key).read_bytes())
    except Exception:  # a damaged pickle can raise anything
        return None


def write(key: str, found: tuple[Any, ...]) -> None:
    """Keep something under a name."""
    folder = _folder()
    if folder is None:
        return
    begun = folder / f"{key}.{uuid.uuid4().hex[:12]}"
    try:
        begun.write_bytes(dumps(found))
        os.replace(begun, folder / key)
    except OSError:
        with contextlib.suppress(OSError):
            begun.unlink()
        warn()
