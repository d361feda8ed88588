"""Random numbers: SplitMix64 (Steele, Lea & Flood 2014) in a record.

The next number is always ready before anybody asks for it: a simulation waits for its random numbers,
and the two multiplications behind each one then run beside other work (a tenth of a light playout's
time). A record, unlike an array, is not reference-counted when it is handed down a loop. The padding
keeps two threads' generators on different cache lines.

Seeds come from ``numpy.random.SeedSequence``, whose children are independent.
"""

import numpy as np

from playout.kernel.generic import inner, kernel, record_type

STEP = np.uint64(0x9E3779B97F4A7C15)
RNG = record_type([("word", "u8"), ("ready", "u8"), ("padding", "u8", (14,))])


def new_rng(seed: int | np.random.SeedSequence | None = None) -> np.ndarray:
    """A generator, as an array of one record; None takes entropy from the system.

    >>> bool(next_u64(new_rng(1)[0]) == next_u64(new_rng(1)[0]))
    True
    """
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    rng = np.zeros(1, RNG)
    # As next_u64 does, but on arrays and not compiled: a program that has not played yet starts fast.
    rng["word"] = sequence.generate_state(1, np.uint64) + STEP
    rng["ready"] = getattr(mix, "py_func", mix)(rng["word"])
    return rng


def spawn(seed: int | np.random.SeedSequence | None, count: int) -> list[np.ndarray]:
    """Independent generators, one a thread."""
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return [new_rng(child) for child in sequence.spawn(count)]


@inner
def mix(x):
    """SplitMix64's finaliser: spreads a counter over 64 bits."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@inner
def stream(seed, number, kind):
    """A word that begins a stream of random numbers, by a seed, a number and a kind (below 2^32)."""
    return mix(seed ^ mix(np.uint64(number) * STEP ^ np.uint64(kind) << np.uint64(32)))


@inner
def restart(rng, word):
    """Let a generator begin at a word, as `stream` gives it."""
    rng.word = word
    rng.ready = mix(word)


@kernel
def next_u64(rng):
    """64 random bits."""
    ready = rng.ready
    word = rng.word + STEP
    rng.word = word
    rng.ready = mix(word)
    return ready


@kernel
def below(rng, n):
    """A random whole number in [0, n), n below 2^32; off uniform by less than n / 2^32."""
    return np.uint32(((next_u64(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@inner
def uniform(rng):
    """A random float in [0, 1)."""
    return (next_u64(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
