"""What a network sees of a position: the raw board, chances to be hit, and what players look at.

All inputs are as the player to move (who rolls next) sees them, of about the size of 1. For each player:

- raw, of each point and the bar: one checker; two or more; three or more; half of those above three. And the
  checkers off, in three steps of five. This is the raw board with counts as units, as in TD-Gammon.
- hits: how many rolls hit one of his checkers, and what that costs him.
- rich: pips, primes, how well the other's last checkers can get away, anchors, blots, how spread and how
  stacked his checkers are, how much he can move before his board breaks.
"""

from __future__ import annotations

import numpy as np

from playout.games.backgammon.bits import highest, lowest, size_of
from playout.games.backgammon.escapes import AHEAD, FAR, PAST
from playout.games.backgammon.hits import shots
from playout.games.backgammon.state import BAR, CHECKERS, HOME, OFF
from playout.kernel import inner

RAW, HITS, RICH = 0, 1, 2
ENCODINGS = {"raw": RAW, "hits": HITS, "rich": RICH}
UNITS = 4  # inputs a point
OFF_UNITS = 3
RAW_SIDE = UNITS * BAR + OFF_UNITS
RAW_INPUTS = 2 * RAW_SIDE
HIT_SIDE = 4
HIT_INPUTS = RAW_INPUTS + 2 * HIT_SIDE
RICH_SIDE = 22
RICH_INPUTS = HIT_INPUTS + 2 * RICH_SIDE + 3
SIZES = {RAW: RAW_INPUTS, HITS: HIT_INPUTS, RICH: RICH_INPUTS}
# By the number of checkers: one; two or more; three or more; half of those above three.
POINT_UNITS = np.array([(n == 1, n >= 2, n >= 3, max(0, n - 3) / 2) for n in range(CHECKERS + 1)], np.float32)
OFF_PARTS = np.array(
    [[min(max(n - 5 * k, 0), 5) / 5 for k in range(OFF_UNITS)] for n in range(CHECKERS + 1)], np.float32
)
MEAN_REACH = FAR[0]


@inner
def raw_side(points, x, at):
    """The raw inputs of one player's checkers, from place `at` on."""
    for point in range(1, BAR + 1):
        n = np.uint32(points[np.uint32(point)])
        place = np.uint32(at) + np.uint32(UNITS * (point - 1))
        x[place] = POINT_UNITS[n, np.uint32(0)]
        x[place + np.uint32(1)] = POINT_UNITS[n, np.uint32(1)]
        x[place + np.uint32(2)] = POINT_UNITS[n, np.uint32(2)]
        x[place + np.uint32(3)] = POINT_UNITS[n, np.uint32(3)]
    off = np.uint32(points[np.uint32(OFF)])
    place = np.uint32(at + UNITS * BAR)
    x[place] = OFF_PARTS[off, np.uint32(0)]
    x[place + np.uint32(1)] = OFF_PARTS[off, np.uint32(1)]
    x[place + np.uint32(2)] = OFF_PARTS[off, np.uint32(2)]


@inner
def wall_before(made, point):
    """What the other player has made on the points ahead of a checker, the next one as bit 0.

    made: as the other counts; his point 26 − p is the next one of a checker on p.
    """
    inside = np.int64(made) & ((1 << BAR) - 2)
    return np.uint32(inside >> (BAR + 1 - point)) & np.uint32((1 << AHEAD) - 1)


@inner
def longest_run(made):
    """The longest row of points that are made, one after the other."""
    left = made
    length = 0
    while left:
        left &= left >> 1
        length += 1
    return length


@inner
def rich_side(points, held, made, other_held, other_made, x, at):
    """The rich inputs of one player, from place `at` on; return his pips.

    Sets of points are as their owners count; `held` is never empty while a game goes on.
    """
    place = np.uint32(at)
    pips = 0
    square = 0
    behind = 0.0  # what the other's points cost my checkers in the further half, in pips
    stacked = 0
    outside = 0
    middle = 0
    back = 0
    front = BAR - highest(other_held) if other_held else 0  # behind this point, there is contact
    in_contact = 0
    to_pass = 0
    left = held
    while left:
        point = lowest(left)
        left &= left - 1
        n = int(points[np.uint32(point)])
        pips += n * point
        square += n * point * point
        if n > 3:
            stacked += n - 3
        if point > HOME:
            outside += n
            if point <= 18:
                middle += n * (point - HOME)
            else:
                back += n
        if point > 12:
            behind += n * (MEAN_REACH - FAR[wall_before(other_made, point)])
        if point > front:
            in_contact += n
            to_pass += n * (point - front)
    on_board = CHECKERS - np.int64(points[np.uint32(OFF)])
    mean = pips / on_board
    rear = highest(held)
    rest = held & ~(1 << rear)
    second = rear if made >> rear & 1 or rest == 0 else highest(rest)
    inside = made & ((1 << BAR) - 2)
    home_made = size_of(inside & ((1 << (HOME + 1)) - 2))
    window = 0
    for low in range(1, 20):
        n = size_of(inside >> low & 63)
        if n > window:
            window = n
    caught = np.float32(1.0)
    for point in range(13, BAR + 1):
        free = PAST[wall_before(other_made, point)]
        if free < caught:
            caught = free
    blots = held & ~made
    anchors = inside >> 19  # points 19 to 24: in the other's home board
    x[place] = pips / 167.0
    x[place + np.uint32(1)] = rear / 25.0
    x[place + np.uint32(2)] = home_made / 6.0
    x[place + np.uint32(3)] = (home_made / 6.0) ** 2
    x[place + np.uint32(4)] = min(longest_run(inside), 6) / 6.0
    x[place + np.uint32(5)] = window / 6.0
    x[place + np.uint32(6)] = size_of(blots & ((1 << (HOME + 1)) - 2)) / 3.0
    x[place + np.uint32(7)] = size_of(blots) / 6.0
    x[place + np.uint32(8)] = PAST[wall_before(other_made, rear)]
    x[place + np.uint32(9)] = FAR[wall_before(other_made, rear)] / 8.0
    x[place + np.uint32(10)] = PAST[wall_before(other_made, second)]
    x[place + np.uint32(11)] = behind / 20.0
    x[place + np.uint32(12)] = 1.0 - caught
    x[place + np.uint32(13)] = 1.0 if anchors else 0.0
    x[place + np.uint32(14)] = 1.0 if anchors & 7 else 0.0  # near its edge
    x[place + np.uint32(15)] = (square / on_board - mean * mean) / 60.0
    x[place + np.uint32(16)] = stacked / 6.0
    x[place + np.uint32(17)] = middle / 40.0
    x[place + np.uint32(18)] = outside / 10.0
    x[place + np.uint32(19)] = in_contact / 15.0
    x[place + np.uint32(20)] = to_pass / 100.0
    x[place + np.uint32(21)] = back / 5.0
    return pips


@inner
def hit_side(state, player, x, at):
    """What the other player's throws can hit of a player's checkers, from place `at` on."""
    hitting, twice, at_home, pips = shots(state, 3 - player)
    place = np.uint32(at)
    x[place] = hitting / 36.0
    x[place + np.uint32(1)] = twice / 18.0
    x[place + np.uint32(2)] = at_home / 18.0
    x[place + np.uint32(3)] = pips / 360.0


@inner
def write_inputs(encoding, state, x):
    """All inputs of a position as the player to move sees it."""
    me = np.uint32(state.turn - 1)
    other = np.uint32(1) - me
    raw_side(state.points[me], x, 0)
    raw_side(state.points[other], x, RAW_SIDE)
    if encoding == RAW:
        return
    hit_side(state, np.int64(me) + 1, x, RAW_INPUTS)
    hit_side(state, np.int64(other) + 1, x, RAW_INPUTS + HIT_SIDE)
    if encoding == HITS:
        return
    held, made = np.int64(state.held[me]), np.int64(state.made[me])
    his, his_made = np.int64(state.held[other]), np.int64(state.made[other])
    mine = rich_side(state.points[me], held, made, his, his_made, x, HIT_INPUTS)
    theirs = rich_side(state.points[other], his, his_made, held, made, x, HIT_INPUTS + RICH_SIDE)
    place = np.uint32(HIT_INPUTS + 2 * RICH_SIDE)
    x[place] = 1.0 if highest(held) + highest(his) > BAR else 0.0  # contact
    x[place + np.uint32(1)] = (theirs - mine) / 60.0
    x[place + np.uint32(2)] = 4.0 * (theirs - mine) / (theirs + mine)
