"""A table of weights, found by 64-bit keys: room for the features that occur, of however many there might be.

A feature is a key. Its weight lies where the key lies in a table with open addressing: the key is stored, so
two keys never share a weight. (Keys are mixed from what a feature is made of; that two features have the same
64 bits is not impossible, and is never seen.)

The table does not grow. When it holds as many keys as it has room for, a new feature gets no weight: it is
never active, and each time that it would have been is counted (`refused`). What is known stays known.

`index` of `memory.api` is the table of keys, with three numbers behind it; slot k has the weights 2 k + 2 and
2 k + 3. Threads share it without locks: two that put a key into the same slot at the same moment leave one of
both there, and the other finds its own place the next time.

>>> index, weights = new_table(100)
>>> held(index), refused(index), weights.size
(0, 0, 514)
"""

from __future__ import annotations

import numpy as np

from playout.errors import InputError
from playout.kernel import inner, kernel

MOST = 1 << 27  # keys: more than any memory we run on
FULL = 3 / 4  # of the slots: beyond that keys are looked for long
HEADER = 3  # behind the keys: how many are held, how many were refused, how many there is room for
HELD, REFUSED, ROOM = -3, -2, -1
ONE = np.uint64(1)


def new_table(capacity: int) -> tuple[np.ndarray, np.ndarray]:
    """An empty table with room for so many keys, and their weights in pairs, all 0."""
    if not 1 <= capacity <= MOST:
        raise InputError(f"capacity: {capacity} is not a number of features from 1 to {MOST:,}")
    slots = 1 << max(3, int(np.ceil(np.log2(capacity / FULL))))
    index = np.zeros(slots + HEADER, np.uint64)
    index[ROOM] = capacity
    return index, np.zeros(2 * (slots + 1), np.float32)


def held(index: np.ndarray) -> int:
    """How many keys a table holds."""
    return int(index[HELD])


def refused(index: np.ndarray) -> int:
    """How often a feature got no weight because the table was full."""
    return int(index[REFUSED])


def contents(index: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The keys of a table, in order, and the weight of each."""
    slots = np.flatnonzero(index[:-HEADER])
    order = slots[np.argsort(index[slots])]
    return index[order], weights[2 * order + 2]


def fill(index: np.ndarray, weights: np.ndarray, keys: np.ndarray, theta: np.ndarray) -> None:
    """Put keys with their weights into a table; all must find room."""
    if keys.size + held(index) > int(index[ROOM]):
        raise InputError(
            f"{keys.size:,} weights do not fit into a table for {int(index[ROOM]):,}: raise its capacity"
        )
    _fill(index, weights, keys, theta)


@kernel
def _fill(index, weights, keys, theta):
    for k in range(keys.size):
        place = claim(index, keys[k])
        weights[place] = theta[k]
        weights[place + np.uint32(1)] = -theta[k]


@inner
def find(index, key):
    """The place of a key's weight; 0, where a weight is always 0, if the table does not hold it."""
    slots = np.uint64(index.size - HEADER)
    if key == np.uint64(0):
        key = ONE  # 0 is an empty slot
    at = key & (slots - ONE)
    for _ in range(slots):
        if index[at] == key:
            return np.uint32(at + ONE) << np.uint32(1)
        if index[at] == np.uint64(0):
            break
        at = (at + ONE) & (slots - ONE)
    return np.uint32(0)


@inner
def claim(index, key):
    """The place of a key's weight, which gets one if it has none; 0 if the table is full."""
    slots = np.uint64(index.size - HEADER)
    if key == np.uint64(0):
        key = ONE
    at = key & (slots - ONE)
    for _ in range(slots):
        if index[at] == key:
            return np.uint32(at + ONE) << np.uint32(1)
        if index[at] == np.uint64(0):
            if index[slots] >= index[slots + np.uint64(2)]:
                break
            index[at] = key
            index[slots] += ONE
            return np.uint32(at + ONE) << np.uint32(1)
        at = (at + ONE) & (slots - ONE)
    index[slots + ONE] += ONE
    return np.uint32(0)
