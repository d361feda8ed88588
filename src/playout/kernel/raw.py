"""The bytes of any record: where its variables lie, and compiled readers of them.

A user declares features by the names of fields. What a name means is found once, in Python (`places_of`);
compiled code then reads numbers at offsets that it is handed, of a record of any type. A read never leaves
the record: a place outside of it reads as 0.

A variable is named as Python writes it: ``turn``, ``cells[3]``, ``board[1,2]``, ``players[0].gold``. The
name of an array alone stands for all its elements, and ``own<5>`` is bit 5 of a whole number.

>>> from playout.kernel import record_type
>>> ROOM = record_type([("doors", "u1", (3,)), ("warmth", "f4")])
>>> [place.name for place in places_of(ROOM, ["doors", "warmth"])]
['doors[0]', 'doors[1]', 'doors[2]', 'warmth']
>>> places_of(ROOM, ["windows"])
Traceback (most recent call last):
...
playout.errors.InputError: a state has no variable 'windows'; known: doors, warmth
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from playout.errors import InputError, near, shown
from playout.kernel.generic import INNER_FLAGS, inner
from playout.kernel.rng import STEP, mix

KINDS = ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8")  # of a place, by number; b1 reads as u1
REALS = KINDS.index("f4")  # from here on they are real
NO_BIT = 255
MOST_PLACES = 1 << 16
_STEP = re.compile(r"\.?([^\W\d]\w*)|\[\s*(\d+(?:\s*,\s*\d+)*)\s*\]")
_BIT = re.compile(r"<(\d+)>$")


class Place(NamedTuple):
    """Where a variable lies in a record. kind: its number in KINDS. bit: which one of it, or NO_BIT: all."""

    name: str
    offset: int
    kind: int
    bit: int = NO_BIT

    @property
    def is_real(self) -> bool:
        """Whether it is no whole number."""
        return self.kind >= REALS

    @property
    def bits(self) -> int:
        """How many bits tell its values apart."""
        return 1 if self.bit != NO_BIT else 8 * int(KINDS[self.kind][1])

    def values(self, records: np.ndarray) -> np.ndarray:
        """What it was in each of some records."""
        plain = np.ndarray(
            records.shape, KINDS[self.kind], records.view(np.uint8), self.offset, (records.dtype.itemsize,)
        )
        return plain.copy() if self.bit == NO_BIT else plain >> plain.dtype.type(self.bit) & 1


def fields_of(dtype: np.dtype) -> list[str]:
    """The names of the fields that hold something."""
    return [name for name in dtype.names or () if dtype[name].itemsize > 0]


def places_of(dtype: np.dtype, names: Iterable[str] | None = None) -> list[Place]:
    """Where the variables of some names lie, in their order; all that there are where none are named."""
    found: list[Place] = []
    for name in fields_of(dtype) if names is None else names:
        found += _named(dtype, name)
        if len(found) > MOST_PLACES:
            raise InputError(f"more than {MOST_PLACES:,} variables of a state are too many")
    return found


def _named(dtype: np.dtype, name: str) -> list[Place]:
    """The variables that one name stands for."""
    bit = _BIT.search(name)
    rest = name[: bit.start()] if bit else name
    kind, offset, spelled = dtype, 0, ""
    while rest:
        step = _STEP.match(rest)
        if step is None or (step.group(1) is not None and rest[0] != "." and spelled):
            raise InputError(f"{shown(name)} is no name of a variable, as cells[3], board[1,2] or own<5> are")
        rest = rest[step.end() :]
        if step.group(1) is not None:
            offset += _field(kind, step.group(1), spelled, name)
            kind = kind.fields[step.group(1)][0]  # type: ignore[index]
            spelled += f".{step.group(1)}" if spelled else step.group(1)
        else:
            at = tuple(int(word) for word in step.group(2).split(","))
            shape = kind.shape
            if len(at) != len(shape) or any(i >= n for i, n in zip(at, shape, strict=False)):
                has = f"{'×'.join(map(str, shape))} elements" if shape else "no elements"
                raise InputError(f"a state has no variable {shown(name)}: {spelled} has {has}")
            offset += int(np.ravel_multi_index(at, shape)) * kind.base.itemsize
            kind = kind.base
            spelled += f"[{','.join(map(str, at))}]"
    if not spelled:
        raise InputError(f"{shown(name)} is no name of a variable, as cells[3], board[1,2] or own<5> are")
    places = _elements(kind, offset, spelled)
    return [_bit_of(place, int(bit.group(1))) for place in places] if bit else places


def _field(kind: np.dtype, word: str, spelled: str, name: str) -> int:
    """Where a field of a record begins."""
    if kind.shape:
        raise InputError(f"a state has no variable {shown(name)}: {spelled} is an array, as in {spelled}[0]")
    known = [n if not spelled else f"{spelled}.{n}" for n in fields_of(kind)]
    if word not in fields_of(kind):
        raise InputError(f"a state has no variable {shown(name)}{near(name, known)}")
    return int(kind.fields[word][1])  # type: ignore[index]


def _elements(kind: np.dtype, offset: int, spelled: str) -> list[Place]:
    """All that lies in a field: itself, or its elements, or their fields."""
    if kind.shape:
        found = []
        for number, at in enumerate(np.ndindex(*kind.shape)):
            inside = f"{spelled}[{','.join(map(str, at))}]"
            found += _elements(kind.base, offset + number * kind.base.itemsize, inside)
        return found
    if kind.names:
        return [
            place
            for name in fields_of(kind)
            for place in _elements(kind[name], offset + int(kind.fields[name][1]), f"{spelled}.{name}")  # type: ignore[index]
        ]
    word = "u1" if kind.kind == "b" else kind.str[1:]
    if word not in KINDS:
        raise InputError(f"{spelled} is of type {kind}, which is no number that can be read")
    return [Place(spelled, offset, KINDS.index(word))]


def _bit_of(place: Place, bit: int) -> Place:
    if place.is_real or bit >= place.bits:
        what = "a real number" if place.is_real else f"a number of {place.bits} bits"
        raise InputError(f"a state has no variable '{place.name}<{bit}>': {place.name} is {what}")
    return Place(f"{place.name}<{bit}>", place.offset, place.kind, bit)


# -- compiled readers -----------------------------------------------------------------------------------


def _loader(numba_type: Any) -> Any:
    """The intrinsic that reads a number of one kind from any place of a record."""

    @intrinsic
    def load(typing_context: Any, record: Any, offset: Any) -> Any:
        if not isinstance(record, numba.types.Record) or not isinstance(offset, numba.types.Integer):
            return None

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            start = builder.bitcast(arguments[0], ir.IntType(8).as_pointer())
            place = builder.gep(start, [arguments[1]])
            kind = context.get_data_type(numba_type)
            found = builder.load(builder.bitcast(place, kind.as_pointer()))
            found.align = 1  # wherever it lies
            return found

        return numba_type(record, numba.types.uint64), code

    return load


_u1 = _loader(numba.types.uint8)
_u2 = _loader(numba.types.uint16)
_u4 = _loader(numba.types.uint32)
_u8 = _loader(numba.types.uint64)
_i1 = _loader(numba.types.int8)
_i2 = _loader(numba.types.int16)
_i4 = _loader(numba.types.int32)
_f4 = _loader(numba.types.float32)
_f8 = _loader(numba.types.float64)


def _read(record: Any, offset: int, word: str) -> Any:
    """The same where nothing is compiled."""
    return np.frombuffer(record.tobytes(), word, 1, int(offset))[0]


def _itemsize(record: Any) -> int:
    """Bytes of a Numba record."""
    if not isinstance(record, numba.types.Record):
        raise TypingError(f"bytes are read of records, and {record} is none")
    return int(record.size)


def integer_at(record: Any, offset: Any, kind: Any) -> Any:
    """The whole number of a kind at a place of a record, as 64 bits without a sign; 0 beyond its end."""
    word = KINDS[int(kind)]
    if not 0 <= int(offset) <= record.dtype.itemsize - int(word[1]):
        return np.uint64(0)
    return (
        np.array([_read(record, offset, word)])
        .astype(np.int64 if word[0] == "i" else np.uint64)
        .view("u8")[0]
    )


@overload(integer_at, jit_options=INNER_FLAGS, strict=False)
def _integer_at(record: Any, offset: Any, kind: Any) -> Any:
    room = np.uint64(_itemsize(record))

    def read(record, offset, kind):
        at = np.uint64(offset)
        left = room - at if at < room else np.uint64(0)
        if kind == 0 and left >= np.uint64(1):
            return np.uint64(_u1(record, at))
        if kind == 1 and left >= np.uint64(2):
            return np.uint64(_u2(record, at))
        if kind == 2 and left >= np.uint64(4):
            return np.uint64(_u4(record, at))
        if kind == 4 and left >= np.uint64(1):
            return np.uint64(np.int64(_i1(record, at)))
        if kind == 5 and left >= np.uint64(2):
            return np.uint64(np.int64(_i2(record, at)))
        if kind == 6 and left >= np.uint64(4):
            return np.uint64(np.int64(_i4(record, at)))
        if (kind == 3 or kind == 7) and left >= np.uint64(8):
            return _u8(record, at)
        return np.uint64(0)

    return read


def real_at(record: Any, offset: Any, kind: Any) -> Any:
    """The real number of a kind at a place of a record; 0 beyond its end."""
    word = KINDS[int(kind)]
    if not 0 <= int(offset) <= record.dtype.itemsize - int(word[1]):
        return 0.0
    return float(_read(record, offset, word))


@overload(real_at, jit_options=INNER_FLAGS, strict=False)
def _real_at(record: Any, offset: Any, kind: Any) -> Any:
    room = np.uint64(_itemsize(record))

    def read(record, offset, kind):
        at = np.uint64(offset)
        left = room - at if at < room else np.uint64(0)
        if kind == 8 and left >= np.uint64(4):
            return np.float64(_f4(record, at))
        if kind == 9 and left >= np.uint64(8):
            return _f8(record, at)
        return 0.0

    return read


# -- all bytes of a record ------------------------------------------------------------------------------

RUNS = 32  # of bytes that hold something, in a record
# Fields of a record that knows them. (A record inside a record would have to lie at its beginning.)
RUNS_FIELDS = [
    ("runs", "u4"),
    ("run_from", "u4", (RUNS,)),
    ("run_words", "u4", (RUNS,)),  # whole words of 8 bytes in it
    ("run_rest", "u1", (RUNS,)),  # bytes after them
]


def held_bytes(dtype: np.dtype) -> np.ndarray:
    """Which bytes of a record hold something; the others only align it, and anything may stand in them."""
    held = np.zeros(dtype.itemsize, bool)
    for place in places_of(dtype):
        held[place.offset : place.offset + place.bits // 8] = True
    return held


def write_runs(made: np.ndarray, dtype: np.dtype) -> None:
    """Write into RUNS_FIELDS which bytes of a record hold something, without those that only align it.

    What lies in those is up to whoever made the record. One with more than RUNS gaps is taken as a whole.
    """
    held = held_bytes(dtype)
    runs = np.flatnonzero(np.diff(np.concatenate(([0], held, [0])).astype(np.int8))).reshape(-1, 2)
    if len(runs) > RUNS:
        runs = np.array([[0, dtype.itemsize]])
    made["runs"] = len(runs)
    lengths = runs[:, 1] - runs[:, 0]
    for name, values in (("run_from", runs[:, 0]), ("run_words", lengths // 8), ("run_rest", lengths % 8)):
        made[name][0, : len(runs)] = values


@inner
def bytes_key(runs, record, key):
    """64 bits that stand for all that a record holds, and for a number. runs: has RUNS_FIELDS."""
    for k in range(runs.runs):
        at = np.uint64(runs.run_from[k])
        for _ in range(runs.run_words[k]):
            key = mix((key ^ integer_at(record, at, 3)) + STEP)
            at += np.uint64(8)
        last = np.uint64(0)
        for _ in range(runs.run_rest[k]):
            last = (last << np.uint64(8)) | integer_at(record, at, 0)
            at += np.uint64(1)
        if runs.run_rest[k]:
            key = mix((key ^ last) + STEP)
    return key
