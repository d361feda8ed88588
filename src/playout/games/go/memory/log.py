"""The log of a simulation over local shapes: a region has an entry for each time that its code has changed.

Where no weights are shared, a region's code is its feature, and a move changes the few regions around it:
only these are looked at. A position costs what has changed in it, and all updates of a simulation one
addition an entry (`memory.td.sweep`).
"""

import numpy as np

from playout.games.go.memory.codes import (
    REGION_BITS,
    REGION_MASK,
    SHAPES,
    weigh_all,
    worth_of_all,
)
from playout.games.go.state import PASS, STRIDE
from playout.kernel import implements, inner
from playout.memory.api import end_log, log_all, look, look_and_log, value_now


@inner
def is_plain(memory):
    """Whether a region's code is its feature: no weights are shared, and there is one set of them."""
    return not memory.shared and memory.in_sets == 1 and not memory.by_colour and memory.stage == 0


@implements(look_and_log, SHAPES)
def look_and_log_shapes(memory, index, weights, board, log, logged, t, features):
    if t == 0 or not is_plain(memory):
        look(memory, index, weights, board)
        if t == 0:
            weigh_all(memory, index, weights)
        if not is_plain(memory):
            memory.now = worth_of_all(memory)
            return log_all(memory, index, board, log, logged, t, features)
        begin_log(memory)
    n = np.uint32(logged)
    if t > 0 and board.last != PASS:
        if board.n_empty + 1 == memory.free:  # a stone was put, none was taken
            n = change_and_log(memory, weights, board, np.uint32(board.last), log, n, t)
        else:
            for row in range(memory.shape_side):
                p = np.uint32((row + 1) * STRIDE + 1)
                for _ in range(memory.shape_side):
                    if memory.seen[p] != board.color[p]:
                        n = change_and_log(memory, weights, board, p, log, n, t)
                    p += np.uint32(1)
    memory.free = board.n_empty
    return np.int64(n), np.int64(memory.filled if memory.ignores_empty else memory.regions)


@inner
def begin_log(memory):
    """Nothing has changed yet."""
    memory.now = worth_of_all(memory)
    memory.filled = 0
    for k in range(memory.regions):
        r = np.uint32(k)
        memory.since[r] = 0
        memory.filled += np.uint16(memory.spots[r] != memory.empties[r])


@inner
def change_and_log(memory, weights, board, p, log, n, t):
    """Change what stands on a point to what the board has, and log the codes that were there before."""
    step = np.int64(board.color[p]) - np.int64(memory.seen[p])
    memory.seen[p] = board.color[p]
    gained = np.float32(0.0)
    for k in range(memory.touching[p]):
        word = memory.touched[p, np.uint32(k)]
        r = np.uint32(word & REGION_MASK)
        before = np.uint32(memory.spots[r])
        spot = np.uint32(np.int64(before) + np.int64(word >> REGION_BITS) * step)
        was_empty = before == memory.empties[r]
        if memory.since[r] != t:
            n = log_entry(memory, log, n, r, before, was_empty, t)
            memory.since[r] = t
        memory.filled += np.uint16(was_empty) - np.uint16(spot == memory.empties[r])
        memory.spots[r] = spot
        worth = weights[np.uint32(2) * spot + np.uint32(2)]
        gained += worth - memory.worth[r]
        memory.worth[r] = worth
    memory.now += gained
    return n


@inner
def log_entry(memory, log, n, r, spot, is_empty, t):
    """What stood in a region up to position t, if that is a feature; return the entries of the log."""
    if not (is_empty and memory.ignores_empty):
        log[n, 0] = np.uint32(2) * spot + np.uint32(2)
        log[n, 1] = memory.since[r]
        log[n, 2] = t
        n += np.uint32(1)
    return n


@implements(end_log, SHAPES)
def end_log_shapes(memory, log, logged, t):
    n = np.uint32(logged)
    if is_plain(memory):
        for k in range(memory.regions):
            r = np.uint32(k)
            spot = np.uint32(memory.spots[r])
            n = log_entry(memory, log, n, r, spot, spot == memory.empties[r], t)
    return np.int64(n)


@implements(value_now, SHAPES)
def value_now_shapes(memory, weights, features, count):
    return memory.now
