"""SplitMix64 as published: Steele, Lea & Flood, "Fast splittable pseudorandom number generators" (2014).

The generator is a counter that grows by the golden gamma; each number is the counter, mixed.
"""

from collections.abc import Iterator

GOLDEN_GAMMA = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def mix64(z: int) -> int:
    """Variant 13 of Stafford's mixers, on Python's whole numbers."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def splitmix64(seed: int) -> Iterator[int]:
    """The numbers that follow from a seed."""
    while True:
        seed = (seed + GOLDEN_GAMMA) & MASK
        yield mix64(seed)
