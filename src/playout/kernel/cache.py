"""Where machine code is kept between processes, and why what is found there is never stale.

Numba finds a cached kernel again by the kernel's own file, and does not see that a function it calls
in *another* file has changed. So the folder's name carries a hash of all sources of the package: any
edit starts an empty folder. Code from outside the package is not in that hash, so a specialisation
that contains any is compiled anew in every process and never written. The exception is a module whose
name carries a hash of its own source and which uses no other code from outside (`seal`): a user's game in one
file is such a module, and an edited one is another.

A cache is only ever a saving of time: a file that cannot be read counts as absent, a folder that
cannot be written means compiling in every process, and that is said once.
"""

import contextlib
import hashlib
import multiprocessing
import os
import shutil
import sys
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba import types
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

PACKAGE = Path(__file__).resolve().parent.parent
KEEP = 3  # how many versions' machine code stay on disk
FRESH_SECONDS = 3600.0  # a folder used within this time may belong to a running program

_foreign: set[types.Type] = set()
_sealed: set[str] = set()
_config_lock = threading.Lock()


def root() -> Path:
    """The folder that holds one folder of machine code a version; ``PLAYOUT_CACHE_DIR`` moves it."""
    chosen = os.environ.get("PLAYOUT_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("playout", appauthor=False))


@cache
def source_hash() -> str:
    """A hash of every source file of the package, and of what compiles it: versions, and checks of bounds."""
    digest = hashlib.sha256()
    digest.update(f"{sys.version}|{numba.__version__}|{numba.config.BOUNDSCHECK}".encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:20]


@cache
def directory() -> Path | None:
    """This version's folder, made and ready to write; None where none can be written."""
    path = root() / f"kernels-{source_hash()}"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.utime(path)
    except OSError:
        return None
    if not os.access(path, os.W_OK):
        return None
    prune(path)
    return path


def complaint() -> str:
    """What to say where machine code cannot be kept."""
    return (
        f"compiled code cannot be kept in {root()}, so every start compiles anew; "
        "PLAYOUT_CACHE_DIR=FOLDER names a folder that can be written"
    )


@cache
def warn() -> None:
    """Say once, on stderr, that machine code is not kept; processes that we start leave it to us."""
    if multiprocessing.parent_process() is None and sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(f"playout: {complaint()}", file=sys.stderr, flush=True)


def prune(current: Path) -> None:
    """Remove the folders of other versions, except the newest few and any used within the hour."""
    others: list[tuple[float, Path]] = []
    for path in current.parent.glob("kernels-*"):
        with contextlib.suppress(OSError):
            if path != current:
                others.append((path.stat().st_mtime, path))
    others.sort(reverse=True)
    for used, path in others[KEEP - 1 :]:
        if time.time() - used > FRESH_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


def in_package(module: str) -> bool:
    """Whether a module's sources are in the hash that names the folder."""
    return module == "playout" or module.startswith("playout.")


def seal(module: str) -> None:
    """Say that a module's name carries a hash of all its code."""
    _sealed.add(module)


def may_keep(module: str) -> bool:
    """Whether machine code of a module's functions can be told apart from that of an older version."""
    return in_package(module) or module in _sealed


def mark_foreign(numba_type: types.Type) -> None:
    """Say that code from outside the package is compiled into whatever handles this type."""
    _foreign.add(numba_type)


def is_foreign(numba_type: Any) -> bool:
    """Whether a type, or a type inside it, is handled by code from outside the package."""
    if numba_type in _foreign:
        return True
    if isinstance(numba_type, types.BaseTuple):
        return any(is_foreign(part) for part in numba_type)
    if isinstance(numba_type, types.Record):
        return any(is_foreign(field.type) for field in numba_type.fields.values())
    inner = getattr(numba_type, "dtype", None)
    return isinstance(inner, types.Type) and inner is not numba_type and is_foreign(inner)


def is_kept(dispatcher: Any, args: Iterable[Any]) -> bool:
    """Whether what is compiled for these types stays for the next process."""
    return isinstance(dispatcher._cache, KernelCache) and not any(is_foreign(argument) for argument in args)


class _UniquelyNamed(IndexDataCacheFile):
    """Data files with names of their own.

    Numba numbers them. Two processes that fill one empty cache then write different specialisations
    under one number, and the index of the one leads to the machine code of the other.
    """

    def _data_name(self, number: int) -> str:
        return super()._data_name(number).removesuffix(".nbc") + f".{uuid.uuid4().hex[:12]}.nbc"


class _Unkept(NullCache):
    """No cache, where there should be one."""

    def save_overload(self, sig: Any, data: Any) -> None:
        warn()


class KernelCache(FunctionCache):
    """Numba's cache of one function, in our folder, without foreign code, quiet about broken files."""

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _UniquelyNamed(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if any(is_foreign(argument) for argument in sig):
            return None
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged pickle can raise anything
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if any(is_foreign(argument) for argument in sig):
            return
        try:
            super().save_overload(sig, data)
        except OSError:
            warn()
        except Exception:  # the index that the file should be added to is damaged: begin a new one
            with contextlib.suppress(Exception):
                self._cache_file.flush()
                super().save_overload(sig, data)


@contextlib.contextmanager
def _cache_dir(path: Path) -> Iterator[None]:
    """Numba's global setting, ours only for as long as it takes to read it."""
    with _config_lock:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(path)
        try:
            yield
        finally:
            numba.config.CACHE_DIR = before


def attach(dispatcher: Any) -> None:
    """Give a compiled function of this package its place in the cache."""
    if not may_keep(dispatcher.py_func.__module__):
        return
    path = directory()
    if path is None:
        dispatcher._cache = _Unkept()
        return
    with _cache_dir(path):
        dispatcher._cache = KernelCache(dispatcher.py_func)
