"""Records and numbers that lie elsewhere in memory: a record says where, and compiled code finds them there.

A record cannot hold an array of any length. It can hold the address of one, as 8 bytes. Who makes such a
record keeps the array alive for as long as the record is used, and knows how many records there are.

>>> from playout.kernel import record_type
>>> CUP = record_type([("tea", "u4")])
>>> cups = np.zeros(3, CUP)
>>> cups["tea"] = 5, 6, 7
>>> int(record_at(address_of(cups), 1, CUP).tea)
6
>>> numbers = np.array([0.5, 1.5], np.float32)
>>> float(floats_at(address_of(numbers), 2)[1])
1.5
"""

from __future__ import annotations

import ctypes
from typing import Any

import numba
import numpy as np
from numba.extending import intrinsic, overload

from playout.kernel.generic import INNER_FLAGS


def address_of(array: np.ndarray) -> int:
    """Where an array begins; it must not move or go away."""
    return int(array.ctypes.data)


def record_at(address: int, number: int, dtype: np.dtype) -> Any:
    """The record of a number among those of a type that begin at an address."""
    place = int(address) + int(number) * dtype.itemsize
    buffer: Any = (ctypes.c_char * dtype.itemsize).from_address(place)
    return np.frombuffer(buffer, dtype)[0]


@intrinsic
def _record_at(typing_context: Any, address: Any, number: Any, dtype: Any) -> Any:
    kind = dtype.dtype

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        step = builder.mul(arguments[1], arguments[1].type(kind.size))
        return builder.inttoptr(builder.add(arguments[0], step), context.get_value_type(kind))

    return kind(numba.types.uint64, numba.types.uint64, dtype), code


@overload(record_at, jit_options=INNER_FLAGS, strict=False)
def _compiled(address: Any, number: Any, dtype: Any) -> Any:
    return lambda address, number, dtype: _record_at(np.uint64(address), np.uint64(number), dtype)


def floats_at(address: Any, count: Any) -> np.ndarray:
    """So many numbers of four bytes that begin at an address, as an array; compiled, as a pointer to them."""
    buffer: Any = (ctypes.c_char * (4 * int(count))).from_address(int(address))
    return np.frombuffer(buffer, np.float32)


@intrinsic
def _pointer(typing_context: Any, address: Any) -> Any:
    kind = numba.types.CPointer(numba.types.float32)

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(kind))

    return kind(numba.types.uint64), code


@overload(floats_at, jit_options=INNER_FLAGS, strict=False)
def _floats(address: Any, count: Any) -> Any:
    return lambda address, count: _pointer(np.uint64(address))
