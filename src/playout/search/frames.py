"""The stack of alpha-beta search: one frame a node that is being searched, and what nodes leave behind.

Kept beside the stack: a transposition table, with what has been found out about positions, and killer moves,
which have refuted a neighbour before. `search.alphabeta` walks over the frames.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from playout.games.api import NO_ACTION
from playout.kernel import inner, record_type
from playout.memory.api import DECIDED

MAX_DEPTH = 64
STACK = MAX_DEPTH + 2  # frames of a search without chance
CHANCE_STACK = 4 * STACK  # and with moves of chance in between
# What a frame does next: begin, hear of the null move, go through the moves, or through what may happen.
ENTER, NULL, MOVES, EVENTS = 0, 1, 2, 3
UNKNOWN, EXACT, AT_LEAST, AT_MOST = 0, 1, 2, 3

ENTRY = record_type(
    [("entry_key", "u8"), ("bound", "f4"), ("entry_depth", "i2"), ("entry_move", "u2"), ("entry_kind", "u1")]
)
CONTROL = record_type(
    [
        ("ply", "i4"),  # of the frame that works; -1 when the search is over
        ("value", "f4"),  # of the frame that ended last
        ("nodes", "u8"),
        ("evaluations", "u8"),
        ("killer", "u2", (CHANCE_STACK, 2)),  # by ply: the last two moves that cut
        ("use_table", "u1"),
        ("use_killers", "u1"),
        ("use_null", "u1"),
        ("use_order", "u1"),
    ]
)


@cache
def frame_type(choices: int, events: int) -> np.dtype:
    """A node that is being searched, with room for so many actions and for so much that may happen."""
    return record_type(
        [
            ("lower", "f4"),  # α: what player 1 has already
            ("upper", "f4"),  # β: what player 2 has already
            ("first_lower", "f4"),  # both as they were at the beginning
            ("first_upper", "f4"),
            ("best", "f4"),
            ("best_move", "u2"),
            ("depth_left", "i2"),
            ("next_move", "u2"),  # or event, where chance moves
            ("n_moves", "u2"),
            ("phase", "u1"),
            ("after_null", "u1"),
            ("key", "u8"),
            ("expectation", "f8"),  # of the events that were searched
            ("moves_here", "u2", (choices,)),
            ("static", "f4", (choices,)),
            ("likely", "f8", (max(1, events),)),  # probabilities of the events
        ],
        tag=f"alpha-beta of {choices} choices, {events} events",
    )


@inner
def open_frame(frame, depth, lower, upper, after_null):
    """A node that has not been looked at yet."""
    frame.depth_left = depth
    frame.lower = frame.first_lower = lower
    frame.upper = frame.first_upper = upper
    frame.after_null = after_null
    frame.phase = ENTER
    frame.next_move = 0
    frame.n_moves = 0
    frame.best_move = NO_ACTION


@inner
def close_frame(control, value):
    """The value of the node is known; its parent hears of it."""
    control.value = value
    control.ply -= 1


@inner
def store(frame, table, control):
    """Remember what has been found out about a node."""
    if not control.use_table:
        return
    entry = table[np.uint32(frame.key & np.uint64(table.size - 1))]
    entry.entry_key = frame.key
    entry.entry_depth = frame.depth_left
    entry.entry_move = frame.best_move
    entry.bound = frame.best
    if frame.best >= frame.first_upper:
        entry.entry_kind = AT_LEAST
    elif frame.best <= frame.first_lower:
        entry.entry_kind = AT_MOST
    else:
        entry.entry_kind = EXACT


@inner
def recall(frame, table, control):
    """What is remembered of a node: True if that is enough; else its best move comes first."""
    entry = table[np.uint32(frame.key & np.uint64(table.size - 1))]
    if entry.entry_kind == UNKNOWN or entry.entry_key != frame.key:
        return False
    frame.best_move = entry.entry_move
    if entry.entry_depth != frame.depth_left:  # a deeper search would be another search
        return False
    if (
        entry.entry_kind == EXACT
        or (entry.entry_kind == AT_LEAST and entry.bound >= frame.upper)
        or (entry.entry_kind == AT_MOST and entry.bound <= frame.lower)
    ):
        frame.best = entry.bound
        return True
    return False


@inner
def prefer(frame, control, ply, remembered, first):
    """Turn static values into an order: higher comes first; remembered and killer moves before all."""
    for k in range(frame.n_moves):
        j = np.uint32(k)
        move = frame.moves_here[j]
        score = np.float32(0.0)
        if control.use_order:
            score = frame.static[j] if first else -frame.static[j]
        if move == remembered:
            score += np.float32(8 * DECIDED)
        elif control.use_killers and move in (control.killer[ply, 0], control.killer[ply, 1]):
            score += np.float32(4 * DECIDED)
        frame.static[j] = score


@inner
def take_best(frame):
    """The next move in order: the first of those not tried yet with the highest score."""
    at = np.uint32(frame.next_move)
    best = at
    for k in range(at + np.uint32(1), frame.n_moves):
        if frame.static[np.uint32(k)] > frame.static[best]:
            best = np.uint32(k)
    move, score = frame.moves_here[best], frame.static[best]
    # The others keep their order, so that equals stay as they were.
    for k in range(best, at, -1):
        frame.moves_here[np.uint32(k)] = frame.moves_here[np.uint32(k - 1)]
        frame.static[np.uint32(k)] = frame.static[np.uint32(k - 1)]
    frame.moves_here[at] = move
    frame.static[at] = score
    frame.next_move += np.uint16(1)
    return move


@inner
def consider(frame, value, move, first):
    """A move is worth so much: keep the best and narrow the window."""
    if (value > frame.best) if first else (value < frame.best):
        frame.best = value
        frame.best_move = move
    if first:
        frame.lower = max(frame.lower, frame.best)
    else:
        frame.upper = min(frame.upper, frame.best)


@inner
def refute(control, ply, move):
    """Remember a move that made the others unnecessary."""
    if control.killer[ply, 0] != move:
        control.killer[ply, 1] = control.killer[ply, 0]
        control.killer[ply, 0] = move
