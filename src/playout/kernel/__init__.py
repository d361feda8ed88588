"""What compiled code stands on: generic functions, flags, the cache of machine code, random numbers."""

from playout.kernel.generic import clone, generic, implements, inner, kernel, record_type
from playout.kernel.rng import below, new_rng, next_u64, spawn, uniform

__all__ = [
    "below",
    "clone",
    "generic",
    "implements",
    "inner",
    "kernel",
    "new_rng",
    "next_u64",
    "record_type",
    "spawn",
    "uniform",
]
