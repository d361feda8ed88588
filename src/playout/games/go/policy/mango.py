"""MANGO's simulation policy: moves drawn by their urgency (Chaslot et al. 2008, section 2.1.3).

A move j has the urgency U_j = (V_ce + V_p) × P_md and is chosen with probability U_j / Σ U_k:

- V_ce, the capture-escape value: P_c for each stone that the move captures, and P_e for each stone of
  one's own that it takes out of atari (its chain then has two liberties or more);
- V_p, the value of the 3×3 pattern around the move, to the power P_p;
- P_md, for moves within a Manhattan distance of 1 from the previous move; elsewhere 1.

Moves that fill one's own single-point eye or are illegal have no urgency; without any other, pass.

V_p changes only around the last move and around captured stones, so the pattern values of all points are
kept for both players, with their sums by row: a draw looks at rows and then at the points of one. The
other two concern few points. They are found when asked for, as *extras* on top of the pattern values.
Pattern values are whole numbers of a small unit: sums that are kept stay exact.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from playout.games.go.policy import pattern_values as learnt
from playout.games.go.policy.mogo import note_atari, note_ataris
from playout.games.go.rules import is_playable
from playout.games.go.state import (
    AREA,
    BLACK,
    EMPTY,
    MAX_SIDE,
    PASS,
    POINTS,
    STRIDE,
    WHITE,
    in_atari,
    only_liberty,
)
from playout.games.go.tactics import has_room
from playout.games.go.view import EYE_DIAGONALS, FULL, is_eye
from playout.kernel import clone, implements, inner, kernel, record_type
from playout.kernel.rng import uniform
from playout.policy import api
from playout.settings import setting

MANGO = record_type(
    [
        ("pattern", "u8", (1 << 16, 2)),  # V_p by view of a point and player, in units; 0 for an eye
        ("kept", "u8", (POINTS, 2)),  # V_p of the empty points for either player
        ("rows", "u8", (MAX_SIDE + 2, 2)),  # their sums by row
        ("whole", "u8", (2,)),  # and over the board
        ("extra", "f8", (2 * AREA,)),  # what V_ce and P_md add to a point's urgency, in units
        ("extra_at", "u2", (2 * AREA,)),
        ("ataris", "u2", (POINTS,)),  # heads of chains that may be in atari
        ("listed", "u1", (POINTS,)),  # by head: whether it is among them
        ("set_aside", "u2", (AREA,)),  # points that were drawn and may not be played
        ("aside_value", "u8", (AREA,)),
        ("capture", "f8"),  # P_c and P_e in units
        ("escape", "f8"),
        ("proximity", "f8"),  # P_md
        ("units", "f8"),  # so many units are 1
        ("n_ataris", "u2"),
        ("tail", "i4"),  # where in the list of empty points the next captured stones will stand
        ("diagonals", "u1"),
    ]
)
AROUND = np.array([-STRIDE, -1, 1, STRIDE, -STRIDE - 1, -STRIDE + 1, STRIDE - 1, STRIDE + 1])
UNITS = 1024.0  # so fine are pattern values kept, unless they are too large for it
LARGEST = 2**53 // AREA  # so that a sum over the board is exact as a float too


@dataclass(frozen=True, kw_only=True)
class Mango:
    """Settings of MANGO's urgencies; the defaults are the paper's (Table 3)."""

    capture_value: float = setting(5000.0, "P_c: urgency for each stone captured", low=0, high=1e6)
    escape_value: float = setting(500.0, "P_e: urgency for each stone taken out of atari", low=0, high=1e6)
    pattern_exponent: float = setting(1.0, "P_p: power of the pattern values", low=0, high=4)
    proximity_factor: float = setting(
        150.0, "P_md: factor for moves next to the previous one", low=1, high=1e6
    )
    diagonals: bool = setting(False, "P_md also for points diagonally next to the previous move")

    def record(self) -> np.ndarray:
        """The policy as an array of one record."""
        return clone(_prepared(self))


@lru_cache(maxsize=4)
def _prepared(settings: Mango) -> np.ndarray:
    """The record of a policy, to be copied: making it takes some milliseconds."""
    policy = np.zeros(1, MANGO)
    values = pattern_table(settings.pattern_exponent)
    units = min(UNITS, LARGEST / values.max())
    # A value below half a unit is no zero: such moves stay possible.
    policy["pattern"] = np.where(values > 0, np.clip(np.rint(values * units), 1, LARGEST), 0)
    policy["units"] = units
    policy["capture"] = settings.capture_value * units
    policy["escape"] = settings.escape_value * units
    policy["proximity"] = settings.proximity_factor
    policy["diagonals"] = settings.diagonals
    return policy


def pattern_table(exponent: float) -> np.ndarray:
    """V_p by the view of a point and the player less one; 0 where that fills the player's eye."""
    values = learnt.table(learnt.shipped()) ** exponent
    codes = np.arange(1 << 16)
    for player in (BLACK, WHITE):  # as `is_eye` sees it
        full = (codes & FULL[player]) == FULL[player]
        values[full & (EYE_DIAGONALS[codes >> 8] >> player & 1 != 0), player - 1] = 0.0
    return values


@inner
def _value_around(policy, board, p):
    """Look anew at a point and at the eight around it; the edge keeps a value of 0."""
    row = p // np.uint32(STRIDE) - np.uint32(1)
    q = p - np.uint32(STRIDE + 1)
    for _ in range(3):
        black = white = np.uint64(0)  # changes: they wrap around, and so do the sums
        for _ in range(3):
            black -= policy.kept[q, BLACK - 1]
            white -= policy.kept[q, WHITE - 1]
            policy.kept[q, BLACK - 1] = policy.kept[q, WHITE - 1] = 0
            if board.color[q] == EMPTY:
                code = np.uint32(board.around[q])
                policy.kept[q, BLACK - 1] = policy.pattern[code, BLACK - 1]
                policy.kept[q, WHITE - 1] = policy.pattern[code, WHITE - 1]
                black += policy.pattern[code, BLACK - 1]
                white += policy.pattern[code, WHITE - 1]
            q += np.uint32(1)
        policy.rows[row, BLACK - 1] += black
        policy.rows[row, WHITE - 1] += white
        policy.whole[BLACK - 1] += black
        policy.whole[WHITE - 1] += white
        row += np.uint32(1)
        q += np.uint32(STRIDE - 3)


@implements(api.begin, MANGO)
def begin(policy, board):
    for k in range(policy.n_ataris):
        policy.listed[policy.ataris[np.uint32(k)]] = 0
    policy.n_ataris = 0
    policy.tail = board.n_empty  # nothing was captured since
    policy.whole[BLACK - 1] = policy.whole[WHITE - 1] = 0
    for row in range(board.side + 2):  # with the edge around the board
        black = white = np.uint64(0)
        for column in range(board.side + 2):
            p = np.uint32(row * STRIDE + column)
            policy.kept[p, BLACK - 1] = policy.kept[p, WHITE - 1] = 0
            if board.color[p] == EMPTY:
                code = np.uint32(board.around[p])
                policy.kept[p, BLACK - 1] = policy.pattern[code, BLACK - 1]
                policy.kept[p, WHITE - 1] = policy.pattern[code, WHITE - 1]
                black += policy.pattern[code, BLACK - 1]
                white += policy.pattern[code, WHITE - 1]
            elif board.chain[p] == p:  # the edge is never in atari
                note_atari(policy, board, p)
        policy.rows[np.uint32(row), BLACK - 1] = black
        policy.rows[np.uint32(row), WHITE - 1] = white
        policy.whole[BLACK - 1] += black
        policy.whole[WHITE - 1] += white


@inner
def _catch_up(policy, board):
    """Take in the last move: what it changed, and which chains it put into atari."""
    last = np.uint32(board.last)
    tail = policy.tail
    policy.tail = np.int32(board.n_empty) - 1
    if last == PASS:
        return
    _value_around(policy, board, last)
    # The move left the list of empty points, then captured stones were put to its end.
    for i in range(tail, board.n_empty):
        _value_around(policy, board, np.uint32(board.empty[np.uint32(i)]))
    note_ataris(policy, board, last)


@inner
def _is_near(policy, p, last):
    """Whether two points are next to each other; not so if the last move was a pass."""
    if last == PASS:
        return False
    steps = abs(np.int64(p) - np.int64(last))
    return steps in (1, STRIDE) or (policy.diagonals != 0 and steps in (STRIDE - 1, STRIDE + 1))


@inner
def _add_extra(policy, n, p, value):
    policy.extra[np.uint32(n)] = value
    policy.extra_at[np.uint32(n)] = p
    return n + 1


@inner
def _find_extras(policy, board, me):
    """What V_ce and P_md add to the urgencies of legal moves; chains that left atari leave the list."""
    last = np.uint32(board.last)
    n = 0
    kept = np.uint32(0)
    for k in range(policy.n_ataris):
        head = np.uint32(policy.ataris[np.uint32(k)])
        color = board.color[head]
        if color not in (BLACK, WHITE) or board.chain[head] != head or not in_atari(board, head):
            policy.listed[head] = 0
            continue
        policy.ataris[kept] = head
        kept += np.uint32(1)
        p = only_liberty(board, head)
        value = policy.capture
        if color == me:
            value = policy.escape
            if is_eye(board.around[p], me) or not has_room(board, p, me):
                continue
        elif p == board.ko:
            continue
        value *= board.stones[head]
        n = _add_extra(policy, n, p, value * policy.proximity if _is_near(policy, p, last) else value)
    policy.n_ataris = kept
    if last != PASS:
        player = np.uint32(me - 1)
        for i in range(8 if policy.diagonals != 0 else 4):
            p = np.uint32(np.int64(last) + AROUND[i])
            if board.color[p] == EMPTY:
                value = policy.kept[p, player] * (policy.proximity - 1.0)
                if value > 0.0 and is_playable(board, p, me):
                    n = _add_extra(policy, n, p, value)
    return n


@inner
def _draw_kept(policy, x, player):
    """The point at which the running sum of a player's pattern values passes x, row by row."""
    row = np.uint32(1)
    while x >= policy.rows[row, player]:
        x -= policy.rows[row, player]
        row += np.uint32(1)
    p = row * np.uint32(STRIDE) + np.uint32(1)
    while x >= policy.kept[p, player]:
        x -= policy.kept[p, player]
        p += np.uint32(1)
    return p


@inner
def _change(policy, p, player, value):
    """Give a point another pattern value; the former one."""
    before = policy.kept[p, player]
    policy.kept[p, player] = value
    policy.rows[p // np.uint32(STRIDE), player] += value - before
    policy.whole[player] += value - before
    return before


@implements(api.sample, MANGO)
def sample(policy, board, rng):
    _catch_up(policy, board)
    me = board.to_play
    player = np.uint32(me - 1)
    extras = _find_extras(policy, board, me)
    extra = 0.0
    for k in range(extras):
        extra += policy.extra[np.uint32(k)]
    aside = 0
    chosen = np.uint32(PASS)
    while True:
        whole = policy.whole[player]
        if whole == np.uint64(0):
            break
        x = uniform(rng) * (extra + whole)
        if x < extra:  # always a legal move
            i = np.uint32(0)
            while x >= policy.extra[i] and i < np.uint32(extras - 1):
                x -= policy.extra[i]
                i += np.uint32(1)
            chosen = np.uint32(policy.extra_at[i])
            break
        p = _draw_kept(policy, min(np.uint64(x - extra), whole - np.uint64(1)), player)
        if is_playable(board, p, me):
            chosen = p
            break
        policy.set_aside[np.uint32(aside)] = p  # and draw again among the others
        policy.aside_value[np.uint32(aside)] = _change(policy, p, player, np.uint64(0))
        aside += 1
    for k in range(aside):
        p = np.uint32(policy.set_aside[np.uint32(k)])
        _change(policy, p, player, policy.aside_value[np.uint32(k)])
    return chosen


@kernel
def urgencies(policy, board, found):
    """U of every point for the side to move, after the policy has begun or sampled up to here."""
    _catch_up(policy, board)
    me = board.to_play
    extras = _find_extras(policy, board, me)
    for i in range(found.size):
        p = np.uint32(i)
        found[p] = 0.0
        if board.color[p] == EMPTY and is_playable(board, p, me):
            found[p] = policy.kept[p, np.uint32(me - 1)]
    for k in range(extras):
        found[policy.extra_at[np.uint32(k)]] += policy.extra[np.uint32(k)]
    for i in range(found.size):
        found[i] /= policy.units
