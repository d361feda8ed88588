"""What compiled code stands on: generic functions, flags, the cache of machine code, random numbers."""

from playout.kernel.generic import (
    allocating,
    clone,
    constant,
    defaulted,
    generic,
    implements,
    inner,
    is_implemented,
    kernel,
    only_where,
    record_type,
    unfolded,
)
from playout.kernel.rng import below, new_rng, next_u64, restart, spawn, stream, uniform

__all__ = [
    "allocating",
    "below",
    "clone",
    "constant",
    "defaulted",
    "generic",
    "implements",
    "inner",
    "is_implemented",
    "kernel",
    "new_rng",
    "next_u64",
    "only_where",
    "record_type",
    "restart",
    "spawn",
    "stream",
    "unfolded",
    "uniform",
]
