"""Sets of points as bits of a whole number: bit i is point i, bit 25 the bar.

A processor finds the first point of a set, counts a set and turns it round in an instruction or few. Where
nothing is compiled, plain Python does the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.extending import intrinsic, overload

from playout.kernel.generic import INNER_FLAGS

WIDTH = 26  # points of a set: off, 24 points, the bar
_UNUSED = 32 - WIDTH


def lowest(points: Any) -> Any:
    """The lowest point of a set that is not empty.

    >>> lowest(0b10100)
    2
    """
    return (int(points) & -int(points)).bit_length() - 1


def highest(points: Any) -> Any:
    """The highest point of a set that is not empty.

    >>> highest(0b10100)
    4
    """
    return int(points).bit_length() - 1


def size_of(points: Any) -> Any:
    """How many points a set has.

    >>> size_of(0b10100)
    2
    """
    return int(points).bit_count()


def mirrored(points: Any) -> Any:
    """A set as the other player counts: point i is 25 − i.

    >>> mirrored(0b11) == 0b11 << 24
    True
    """
    return int(f"{int(points):0{WIDTH}b}"[::-1], 2)


def _instruction(build: Callable[[Any, Any], Any], width: int) -> Any:
    """An intrinsic on words of so many bits that gives 64."""

    @intrinsic
    def compute(typing_context: Any, points: Any) -> Any:
        if not isinstance(points, numba.types.Integer):
            return None
        word = numba.types.uint64 if width == 64 else numba.types.uint32

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.zext(build(builder, arguments[0]), context.get_value_type(numba.types.int64))

        def same(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return build(builder, arguments[0])

        return numba.types.int64(word), same if width == 64 else code

    return compute


def _flag(builder: Any) -> Any:
    from llvmlite import ir  # type: ignore[import-untyped]

    return ir.Constant(ir.IntType(1), 1)  # nobody asks of an empty set


_trailing = _instruction(lambda builder, points: builder.cttz(points, _flag(builder)), 64)
_leading = _instruction(lambda builder, points: builder.ctlz(points, _flag(builder)), 64)
_count = _instruction(lambda builder, points: builder.ctpop(points), 64)
_reversed = _instruction(lambda builder, points: builder.bitreverse(points), 32)


@overload(lowest, jit_options=INNER_FLAGS, strict=False)
def _lowest(points: Any) -> Any:
    return lambda points: _trailing(np.uint64(points))


@overload(highest, jit_options=INNER_FLAGS, strict=False)
def _highest(points: Any) -> Any:
    return lambda points: 63 - _leading(np.uint64(points))


@overload(size_of, jit_options=INNER_FLAGS, strict=False)
def _size_of(points: Any) -> Any:
    return lambda points: _count(np.uint64(points))


@overload(mirrored, jit_options=INNER_FLAGS, strict=False)
def _mirrored(points: Any) -> Any:
    return lambda points: _reversed(np.uint32(points)) >> _UNUSED
