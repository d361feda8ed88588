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

One that most types need not say anything about is ``@defaulted``: its own body is what it does for the
others. A *constant* is what is known of a type when code is compiled: a branch on it costs nothing, because
the compiler sees only the side that is taken.

``kernel`` is for functions entered from Python (their machine code is kept on disk), ``inner`` for the
functions they call, ``allocating`` for those among them that make arrays. What is implemented in this package
makes none.
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
    "_nrt": True,  # arrays can be made; said aloud, because a callee else takes over what its caller has
}
# A function that makes no arrays need not count who holds those that it is handed. Counting is atomic: it
# takes a tenth of a simulation, and threads that share an array wait for each other.
INNER_FLAGS: dict[str, Any] = {
    **FLAGS,
    "no_cpython_wrapper": True,
    "pipeline_class": InnerCompiler,
    "_nrt": False,
}
# Ours is tested with checks on. What others write keeps them: a wrong index is an error, not other memory.
# And it may make arrays.
FOREIGN: dict[str, Any] = {"boundscheck": True, "_nrt": True}

F = TypeVar("F", bound=Callable[..., Any])
_NUMPY_OWNS = frozenset(dir(np.record)) - {"dtype"}


_made: list[np.dtype] = []  # every record type so far


def record_type(fields: Sequence[tuple[Any, ...]], tag: str | None = None) -> np.dtype:
    """The dtype of a state, policy or memory: aligned, with attribute access also when not compiled.

    A record inside begins at a multiple of 8 bytes, and one with records in it ends there, as Numba expects;
    NumPy forgets how those inside are aligned. A tag is a last field of no size: records with equal fields
    and different tags are of two types.

    Numba takes a record for another one whose fields are the first of its own. So such types are refused.

    >>> record_type([("stones", "u2"), ("colour", "u1", (4,))]).itemsize
    6
    >>> record_type([("before", record_type([("eyes", "u8")]), (2,)), ("ko", "u2")]).itemsize
    24
    >>> record_type([("ko_at", "u2"), ("after", record_type([("eyes", "u8")]))]).fields["after"][1]
    8
    >>> record_type([("size", "u2")])
    Traceback (most recent call last):
    ...
    ValueError: field 'size' is an attribute of every NumPy record and would hide behind it: rename it
    >>> record_type([("stones", "u2")])
    Traceback (most recent call last):
    ...
    TypeError: a record begins with the same fields as another one (stones): rename a field
    """
    for name, *_ in fields:
        if name in _NUMPY_OWNS:
            raise ValueError(
                f"field {name!r} is an attribute of every NumPy record and would hide behind it: rename it"
            )
    fields = _with_gaps(fields)
    aligned = np.dtype(list(fields), align=True)
    unused = -aligned.itemsize % 8
    if unused and any(np.dtype(field).fields for _, field, *_ in fields):
        fields = [*fields, ("unused", "u1", (unused,))]
    if tag is not None:
        fields = [*fields, (f"of {tag}", "u1", (0,))]
    made = np.dtype((np.record, np.dtype(list(fields), align=True)))
    _refuse_alike(made)
    return made


def _with_gaps(fields: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The fields, with gaps before records, so that each begins at a multiple of 8 bytes."""
    found: list[tuple[Any, ...]] = []
    for name, kind, *shape in fields:
        if np.dtype(kind).names and found:
            end = np.dtype([*found, ("end", "u1")], align=True).fields["end"][1]  # type: ignore[index]
            if end % 8:
                found.append((f"gap before {name}", "u1", (-end % 8,)))
        found.append((name, kind, *shape))
    return found


def _refuse_alike(made: np.dtype) -> None:
    """Refuse a type that Numba would take for another one, or another one for it."""
    ours = [(name, made.fields[name][:2]) for name in made.names or ()]  # type: ignore[index]
    for other in _made:
        theirs = [(name, other.fields[name][:2]) for name in other.names or ()]  # type: ignore[index]
        shared = min(len(ours), len(theirs))
        if ours[:shared] == theirs[:shared]:
            if len(ours) == len(theirs):
                return  # the same type, made again
            names = ", ".join(name for name, _ in ours[:shared])
            raise TypeError(f"a record begins with the same fields as another one ({names}): rename a field")
    _made.append(made)


def clone(records: np.ndarray) -> np.ndarray:
    """A copy of an array of records, as one block: NumPy's own goes field by field, 30 times slower.

    >>> clone(np.zeros(2, record_type([("pebbles", "u2")])))["pebbles"]
    array([0, 0], dtype=uint16)
    """
    return records.view(np.uint8).copy().view(records.dtype)


class _Inner(CPUDispatcher):
    """A compiled function without an entrance from Python, a sixth faster to compile."""

    def __call__(self, *arguments: object) -> None:
        raise TypeError(f"{self.__name__}() is @inner: call it from a @kernel")


def is_ours(fn: Callable[..., Any]) -> bool:
    """Whether a function is of this package."""
    return cache.in_package(fn.__module__)


def inner(fn: F) -> F:
    """Compile a function that only kernels call, and that makes no arrays."""
    return _inner(fn, INNER_FLAGS if is_ours(fn) else {**INNER_FLAGS, **FOREIGN})


def allocating(fn: F) -> F:
    """Like `inner`, for a function that makes arrays."""
    return _inner(fn, {**INNER_FLAGS, "_nrt": True})


def unfolded(fn: F) -> F:
    """Like `inner`, for a small step of a hot loop: it becomes part of its caller.

    To hand an array over takes ten words on the stack. One that is large, or called in many places, takes
    long to compile.
    """
    return _inner(fn, {**INNER_FLAGS, "forceinline": True})


def _inner(fn: F, flags: dict[str, Any]) -> F:
    compiled = njit(**flags)(fn)
    if not numba.config.DISABLE_JIT:
        compiled.__class__ = _Inner  # calling code that has no entrance would end the process
    return compiled


def kernel(fn: F) -> F:
    """Compile a function that is entered from Python; its machine code is found again by the next process."""
    flags = FLAGS if is_ours(fn) else {**FLAGS, **FOREIGN}
    compiled = njit(**flags, pipeline_class=KernelCompiler)(fn)
    if not numba.config.DISABLE_JIT:
        cache.attach(compiled)
    return compiled


class _Table:
    """The implementations of one generic function, by NumPy dtype and by Numba type."""

    def __init__(self, name: str, default: Callable[..., Any] | None) -> None:
        self.name = name
        self.default = default
        self.compiled: dict[np.dtype, Callable[..., Any]] = {}
        self.bodies: dict[Any, Callable[..., Any]] = {}
        self.compiled_default: Callable[..., Any] | None = None

    def missing(self, kind: object) -> str:
        return f"{self.name}() is not implemented for {kind}: write one with @implements({self.name}, DTYPE)"

    def body(self, kind: Any) -> Callable[..., Any]:
        """What runs for a Numba type."""
        body = self.bodies.get(kind, self.default)
        if body is None or not isinstance(kind, numba.types.Record):
            raise TypingError(self.missing(kind))
        return body

    def called(self, kind: Any) -> Callable[..., Any]:
        """The same for a dtype, to be called from Python."""
        found = self.compiled.get(kind)
        if found is None and self.default is not None and isinstance(kind, np.dtype):
            if self.compiled_default is None:
                self.compiled_default = kernel(self.default)
            found = self.compiled_default
        if found is None:
            raise TypeError(self.missing(kind))
        return found


def generic(fn: F) -> F:
    """Declare a generic function; the body is never run, the docstring is its meaning."""
    return _declare(fn, None)


def defaulted(fn: F) -> F:
    """Declare a generic function whose body is what it does for types that have no implementation."""
    return _declare(fn, fn)


def _declare(fn: F, default: Callable[..., Any] | None) -> F:
    table = _Table(fn.__name__, default)

    @functools.wraps(fn)
    def dispatch(first: Any, *rest: Any) -> Any:
        kind = getattr(first, "dtype", type(first).__name__)
        return table.called(kind)(first, *rest)

    def choose(*argument_types: Any) -> Callable[..., Any] | None:
        body = table.body(argument_types[0])
        return body if is_ours(body) else None

    def choose_foreign(*argument_types: Any) -> Callable[..., Any] | None:
        body = table.body(argument_types[0])
        return None if is_ours(body) else body

    dispatch.__dict__["table"] = table
    overload(dispatch, jit_options=INNER_FLAGS, strict=False)(choose)
    overload(dispatch, jit_options={**INNER_FLAGS, **FOREIGN}, strict=False)(choose_foreign)
    return dispatch  # type: ignore[return-value]


def is_implemented(generic_function: Callable[..., Any], dtype: np.dtype) -> bool:
    """Whether a record type has an implementation of its own."""
    return dtype in generic_function.__dict__["table"].compiled


def constant(of_type: Callable[[np.dtype], Any]) -> Callable[[Any], Any]:
    """A function of a record that depends on its type alone, and is known when code is compiled.

    of_type: gives the number, or the numbers, for a dtype. It is asked once for each type in a process, the
    first time that code with it is compiled.
    """

    @functools.wraps(of_type)
    def ask(record: Any) -> Any:
        return of_type(record.dtype)

    def choose(kind: Any) -> Callable[[Any], Any]:
        if not isinstance(kind, numba.types.Record):
            raise TypingError(f"{of_type.__name__}() is asked of {kind}, which is no record")
        value = of_type(np.dtype((np.record, kind.dtype)))
        return lambda record: value

    ask.__dict__["of_type"] = of_type
    overload(ask, jit_options=INNER_FLAGS, strict=False)(choose)
    return ask


def only_where(
    condition: Callable[[Any], Any], otherwise: Callable[..., Any], at: int = 0
) -> Callable[[F], F]:
    """A function for the types of which a constant is true; for the others `otherwise` stands in its place.

    A branch on a constant costs no time when it runs, but both its sides are compiled. This leaves one out.
    at: which argument is the record.
    """

    def declare(body: F) -> F:
        @functools.wraps(body)
        def dispatch(*arguments: Any) -> Any:
            return (body if condition(arguments[at]) else otherwise)(*arguments)

        def choose(*argument_types: Any) -> Callable[..., Any]:
            dtype = np.dtype((np.record, argument_types[at].dtype))
            return body if condition.__dict__["of_type"](dtype) else otherwise

        overload(dispatch, jit_options=INNER_FLAGS, strict=False)(choose)
        return dispatch  # type: ignore[return-value]

    return declare


def implements(generic_function: Callable[..., Any], dtype: np.dtype) -> Callable[[F], F]:
    """Register the implementation of a generic function for one record type.

    Compiled code cannot be taken back, so none may be implemented twice in one process.
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
        if not cache.may_keep(body.__module__):
            cache.mark_foreign(numba_type)
        return body

    return register
