"""What a move looks like before any simulation: its 3×3 pattern, its place, and what reading tells of it.

The names and what they mean are those of `policy.move_features`. A move has one feature for its line from the
edge, one for its steps from the last move along chains and one for the distance, and any number of flags. The
value of the pattern is a feature with a number, its logarithm.
"""

from functools import cache

import numpy as np

from playout.games.go.policy import pattern_values
from playout.games.go.policy.move_features import DISTANCES, FAR, LINES, PRIOR, names_for
from playout.games.go.rules import fills, put_stone
from playout.games.go.state import AREA, EDGE, EMPTY, PASS, POINTS, STATE, STRIDE
from playout.games.go.tactics import (
    few_liberties,
    hunt,
    is_lonely,
    liberties_after,
    runs_free,
    stones_after,
    vital_point_of,
)
from playout.games.go.view import neighbour
from playout.kernel import inner, kernel, record_type

FLAGS = (
    "self_atari",
    "big_self_atari",
    "capture",
    "big_capture",
    "atari",
    "catch",
    "big_catch",
    "escape",
    "big_escape",
    "hopeless",
    "extend",
    "defend",
    "vital",
)
NAMES = names_for(PRIOR)
PATTERN = 0
LINE_1, STEPS_1, DISTANCE_2, LONELY_1, PASSING = (
    np.uint32(NAMES.index(name)) for name in ("line 1", "steps 1", "distance 2", "lonely 1", "pass")
)
(
    SELF_ATARI,
    BIG_SELF_ATARI,
    CAPTURE,
    BIG_CAPTURE,
    ATARI,
    CATCH,
    BIG_CATCH,
    ESCAPE,
    BIG_ESCAPE,
    HOPELESS,
    EXTEND,
    DEFEND,
    VITAL,
) = (np.uint32(NAMES.index(name)) for name in FLAGS)

# What looking takes; a prior that looks has these fields among its own.
LOOKING = [
    ("reading", STATE, (1,)),  # where ladders are read
    ("log_pattern", "f4", (1 << 16, 2)),  # by the view of a point and the player, less one
    ("steps", "u1", (POINTS,)),  # from the last move, along chains
    ("reached", "u2", (AREA,)),  # points in the order of their steps
    ("found", "u1", (len(NAMES),)),  # the features of the move at hand
    ("is_found", "u1", (len(NAMES),)),
    ("vital", "u1", (POINTS,)),  # by point: whether it decides an eye space
    ("n_found", "u4"),
]
EYES = record_type(LOOKING)


@cache
def _log_patterns() -> np.ndarray:
    """The logarithms of pattern values: they take longer than a search of some hundred simulations."""
    values = np.log(pattern_values.table(pattern_values.shipped()))
    return np.asarray(values - values.mean(), np.float32)


def open_eyes(eyes: np.ndarray) -> np.ndarray:
    """Tell a new record what pattern values there are."""
    eyes["log_pattern"] = _log_patterns()
    return eyes


@inner
def _reach(eyes, board, p, steps, n):
    """Note a point, or all stones of its chain, as so many steps away; return how many are noted."""
    stone = p
    while True:
        eyes.steps[stone] = steps
        eyes.reached[np.uint32(n)] = stone
        n += 1
        stone = np.uint32(board.following[stone])
        if stone == p or board.color[p] == EMPTY:
            return n


@inner
def look_round(eyes, board):
    """Look at a position before looking at its moves: steps from the last move, and the vital points."""
    for row in range(1, board.side + 1):
        for column in range(1, board.side + 1):
            p = np.uint32(row * STRIDE + column)
            eyes.steps[p] = FAR
            eyes.vital[p] = 0
    for row in range(1, board.side + 1):
        for column in range(1, board.side + 1):
            p = np.uint32(row * STRIDE + column)
            if board.color[p] == EMPTY:
                vital, _ = vital_point_of(board, p, eyes.reached)
                eyes.vital[vital] |= vital != 0
    last = np.uint32(board.last)
    if last == PASS:
        return
    n = _reach(eyes, board, last, np.int64(0), np.int64(0))
    k = 0
    while k < n:
        p = np.uint32(eyes.reached[np.uint32(k)])
        k += 1
        steps = eyes.steps[p] + 1
        if steps == FAR:
            break
        for i in range(4):
            q = np.uint32(neighbour(p, i))
            if board.color[q] != EDGE and eyes.steps[q] == FAR:
                n = _reach(eyes, board, q, steps, n)


@inner
def _catches(eyes, board, p, head, me):
    """Whether playing p catches an enemy's chain of two liberties in a ladder."""
    eyes.reading[0] = board
    reading = eyes.reading[0]
    put_stone(reading, p, me)
    return not runs_free(reading, head)


@inner
def _is_hunted(eyes, board, head, a, b):
    """Whether a chain with the liberties a and b would be caught in a ladder if the enemy began."""
    eyes.reading[0] = board
    reading = eyes.reading[0]
    return hunt(reading, a, b, board.color[head]) and not runs_free(reading, head)


@inner
def _runs_free(eyes, board, head):
    """Whether a chain in atari gets away."""
    eyes.reading[0] = board
    return runs_free(eyes.reading[0], head)


@inner
def _find(eyes, feature):
    """Note a feature, once."""
    if eyes.is_found[feature] == 0:
        eyes.is_found[feature] = 1
        eyes.found[eyes.n_found] = feature
        eyes.n_found += np.uint32(1)


@inner
def _look_at_neighbour(eyes, board, p, q, liberties, me):
    """The features of a move at p that come from the chain of the stone at q."""
    head = np.uint32(board.chain[q])
    big = board.stones[head] > 1
    if board.color[q] != me:
        if fills(board, p, head):
            _find(eyes, BIG_CAPTURE if big else CAPTURE)
        elif liberties > 1 and few_liberties(board, head)[0] == 2:
            _find(eyes, ATARI)
            if _catches(eyes, board, p, head, me):
                _find(eyes, BIG_CATCH if big else CATCH)
    elif fills(board, p, head):
        if liberties > 2 or (liberties == 2 and _runs_free(eyes, board, head)):
            _find(eyes, BIG_ESCAPE if big else ESCAPE)
        else:
            _find(eyes, HOPELESS)
    elif liberties > 2:
        n, a, b = few_liberties(board, head)
        if n == 2:
            _find(eyes, EXTEND)
            if _is_hunted(eyes, board, head, a, b):
                _find(eyes, DEFEND)


@inner
def look_at(eyes, board, p, me):
    """Note the features of a move in `found`; return the logarithm of its pattern's value, 0 for a pass."""
    for k in range(eyes.n_found):
        eyes.is_found[eyes.found[np.uint32(k)]] = 0
    eyes.n_found = 0
    if p == PASS:
        _find(eyes, PASSING)
        return 0.0
    row, column = np.int64(p) // STRIDE, np.int64(p) % STRIDE
    line = min(np.int64(LINES), row, column, board.side + 1 - row, board.side + 1 - column)
    _find(eyes, np.uint32(LINE_1 + line - 1))
    last = np.int64(board.last)
    if last != PASS:
        _find(eyes, np.uint32(STEPS_1 + eyes.steps[p] - 1))
        across, along = abs(row - last // STRIDE), abs(column - last % STRIDE)
        far = min(np.int64(DISTANCES), across + along + max(across, along))
        _find(eyes, np.uint32(DISTANCE_2 + far - 2))
    if is_lonely(board, row, column):
        _find(eyes, np.uint32(LONELY_1 + line - 1))
    else:
        liberties = liberties_after(board, p, me, np.uint32(PASS))[0]
        if liberties == 1:
            _find(eyes, SELF_ATARI if stones_after(board, p, me) == 1 else BIG_SELF_ATARI)
        for i in range(4):
            q = np.uint32(neighbour(p, i))
            if board.color[q] != EMPTY and board.color[q] != EDGE:
                _look_at_neighbour(eyes, board, p, q, liberties, me)
        if eyes.vital[p] != 0:
            _find(eyes, VITAL)
    return np.float64(eyes.log_pattern[np.uint32(board.around[p]), np.uint32(me - 1)])


@kernel
def see(eyes, boards, moves, features):
    """Write the features of each move into a row: 1 where it has one, the pattern's as its number."""
    look_round(eyes[0], boards[0])
    for k in range(moves.size):
        features[k, PATTERN] = look_at(eyes[0], boards[0], np.uint32(moves[k]), boards[0].to_play)
        for j in range(eyes[0].n_found):
            features[k, eyes[0].found[np.uint32(j)]] = 1.0
