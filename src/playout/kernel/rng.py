"""Random numbers: SplitMix64 in a ``uint64`` array.

The state is the first word; the rest of the array is padding, so that two threads' generators never
share a cache line. Seeds come from ``numpy.random.SeedSequence``, whose children are independent.

S. Vigna, sebastiano.vigna.it/papers: SplitMix64 passes BigCrush; its state is a counter, so the
processor can run ahead of the search.
"""

import numpy as np

from playout.kernel.generic import inner

WORDS = 16  # two cache lines


def new_rng(seed: int | np.random.SeedSequence | None = None) -> np.ndarray:
    """A generator; the same seed gives the same numbers, None takes entropy from the system.

    >>> int(new_rng(1)[0]) == int(new_rng(1)[0])
    True
    """
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    rng = np.zeros(WORDS, np.uint64)
    rng[0] = sequence.generate_state(1, np.uint64)[0]
    return rng


def spawn(seed: int | np.random.SeedSequence | None, count: int) -> list[np.ndarray]:
    """Independent generators, one a thread."""
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return [new_rng(child) for child in sequence.spawn(count)]


@inner
def next_u64(rng):
    """64 random bits."""
    x = rng[0] + np.uint64(0x9E3779B97F4A7C15)
    rng[0] = x
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@inner
def below(rng, n):
    """A random whole number in [0, n), n below 2^32; off uniform by less than n / 2^32."""
    return np.uint32(((next_u64(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@inner
def uniform(rng):
    """A random float in [0, 1)."""
    return (next_u64(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
