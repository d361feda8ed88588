"""Generic functions chosen by type at compile time, and the flags that everything compiled has.

A *generic function* is declared once, with its meaning, and implemented per record type::

    @generic
    def play(state, action):
        '''Make a move.'''

    @implements(play, STATE)
    def _(state, action):
        state.stones += action

    @kernel
    def algorithm(state):          # written once, specialised and inlined for every game
        play(state, 1)

Inside a kernel Numba picks the implementation from the type of the first argument and inlines it.
From plain Python the same call picks it from the record's dtype.

``kernel`` is for functions entered from Python (their machine code is kept on disk), ``inner`` for the
functions they call.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numba
import numpy as np
from numba import njit
from numba.core.errors import TypingError
from numba.core.registry import CPUDispatcher
from numba.extending import overload

from playout.kernel import cache
from playout.kernel.linking import InnerCompiler, KernelCompiler

FLAGS: dict[str, Any] = {
    "nogil": True,  # threads are the local parallelism
    "error_model": "numpy",  # division by zero gives inf or nan, not a branch in every loop
    "boundscheck": False,
    "no_cfunc_wrapper": True,  # nobody calls us from C; saves compile time
}
INNER_FLAGS: dict[str, Any] = {**FLAGS, "no_cpython_wrapper": True, "pipeline_class": InnerCompiler}

F = TypeVar("F", bound=Callable[..., Any])
_NUMPY_OWNS = frozenset(dir(np.record)) - {"dtype"}


def record_type(fields: Sequence[tuple[Any, ...]]) -> np.dtype:
    """The dtype of a state, policy or memory: aligned, with attribute access also when not compiled.

    A record with records in it ends at a multiple of 8 bytes, as Numba expects; NumPy forgets how those
    inside are aligned.

    >>> record_type([("stones", "u2"), ("colour", "u1", (4,))]).itemsize
    6
    >>> record_type([("before", record_type([("eyes", "u8")]), (2,)), ("ko", "u2")]).itemsize
    24
    >>> record_type([("size", "u2")])
    Traceback (most recent call last):
    ...
    ValueError: field 'size' is an attribute of every NumPy record and would hide behind it: rename it
    """
    for name, *_ in fields:
        if name in _NUMPY_OWNS:
            raise ValueError(
                f"field {name!r} is an attribute of every NumPy record and would hide behind it: rename it"
            )
    aligned = np.dtype(list(fields), align=True)
    unused = -aligned.itemsize % 8
    if unused and any(np.dtype(field).fields for _, field, *_ in fields):
        aligned = np.dtype([*fields, ("unused", "u1", (unused,))], align=True)
    return np.dtype((np.record, aligned))


def clone(records: np.ndarray) -> np.ndarray:
    """A copy of an array of records, as one block: NumPy's own goes field by field, 30 times slower.

    >>> clone(np.zeros(2, record_type([("stones", "u2")])))["stones"]
    array([0, 0], dtype=uint16)
    """
    return records.view(np.uint8).copy().view(records.dtype)


class _Inner(CPUDispatcher):
    """A compiled function without an entrance from Python, a sixth faster to compile."""

    def __call__(self, *arguments: object) -> None:
        raise TypeError(f"{self.__name__}() is @inner: call it from a @kernel")


def inner(fn: F) -> F:
    """Compile a function that only kernels call."""
    compiled = njit(**INNER_FLAGS)(fn)
    if not numba.config.DISABLE_JIT:
        compiled.__class__ = _Inner  # calling code that has no entrance would end the process
    return compiled


def kernel(fn: F) -> F:
    """Compile a function that is entered from Python; its machine code is found again by the next process."""
    compiled = njit(**FLAGS, pipeline_class=KernelCompiler)(fn)
    if not numba.config.DISABLE_JIT:
        cache.attach(compiled)
    return compiled


class _Table:
    """The implementations of one generic function, by NumPy dtype and by Numba type."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.compiled: dict[np.dtype, Callable[..., Any]] = {}
        self.bodies: dict[Any, Callable[..., Any]] = {}

    def missing(self, kind: object) -> str:
        return f"{self.name}() is not implemented for {kind}: write one with @implements({self.name}, DTYPE)"


def generic(fn: F) -> F:
    """Declare a generic function; the body is never run, the docstring is its meaning."""
    table = _Table(fn.__name__)

    @functools.wraps(fn)
    def dispatch(first: Any, *rest: Any) -> Any:
        chosen = table.compiled.get(getattr(first, "dtype", None))  # type: ignore[arg-type]
        if chosen is None:
            raise TypeError(table.missing(type(first).__name__))
        return chosen(first, *rest)

    def choose(*argument_types: Any) -> Callable[..., Any]:
        body = table.bodies.get(argument_types[0])
        if body is None:
            raise TypingError(table.missing(argument_types[0]))
        return body

    dispatch.__dict__["table"] = table
    overload(dispatch, jit_options=INNER_FLAGS, strict=False)(choose)
    return dispatch  # type: ignore[return-value]


def implements(generic_function: Callable[..., Any], dtype: np.dtype) -> Callable[[F], F]:
    """Register the implementation of a generic function for one record type.

    A record type is known by its fields, so two games must not have the same ones; and compiled code
    cannot be taken back, so neither may be implemented twice in one process.
    """

    def register(body: F) -> F:
        table: _Table = generic_function.__dict__["table"]
        if dtype in table.compiled:
            raise TypeError(
                f"{table.name}() is already implemented for a record with the fields "
                f"{', '.join(dtype.names or ())}: rename a field, or start a new process"
            )
        numba_type = numba.from_dtype(dtype)
        table.compiled[dtype] = kernel(body)
        table.bodies[numba_type] = body
        if not cache.in_package(body.__module__):
            cache.mark_foreign(numba_type)
        return body

    return register
