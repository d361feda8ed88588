"""The rules: which plays a roll allows, what they do, who has won how much.

An action is a whole play, as a number below `ACTIONS`.

- Of two different dice: 26 × (the point that the larger die is played from) + (the one of the smaller), 0 for
  a die that cannot be played. Two orders lead to one position, but for a checker that moves with both dice:
  it may hit on the way. Which die it moves with first follows from the points.
- Of a double: the rank of the points that checkers are moved from, p₁ ≥ p₂ ≥ p₃ ≥ p₄, again 0 for none, among
  all such sequences: C(p₁ + 3, 4) + C(p₂ + 2, 3) + C(p₃ + 1, 2) + p₄. What can be played in any order can be
  played from high points to low ones.

0 is no move at all. So an action needs no list to be understood, and different actions lead to different
positions: duplicates are left out by what is known of them, not by comparing positions.

Two plays of different dice lead to the same position only if
- both move one checker, with the larger or the smaller die first, and neither hits on the way;
- both bear off the same two checkers, with the dice exchanged.

Where the cube is in use, the numbers from `PLAYS` on are what a player does with it (`doubling`). An outcome
is in units of the cube as it shows at the end; who passes a double loses one unit of what it showed before.
"""

from math import comb

import numpy as np

from playout.games import api
from playout.games.backgammon.bits import highest, lowest, mirrored, size_of
from playout.games.backgammon.doubling import (
    DOUBLE,
    PASS,
    PLAYS,
    ROLL,
    TAKE,
    WAYS,
    handle_cube,
    may_double,
)
from playout.games.backgammon.state import (
    BAR,
    CENTRED,
    CHECKERS,
    DROPPED,
    HOME,
    MAY_DOUBLE,
    NOTHING,
    OFF,
    OFFERED,
    STATE,
    UNUSED,
)
from playout.kernel import below, implements, inner, kernel
from playout.kernel.rng import mix

NO_PLAY = 0
ACTIONS = PLAYS + 4
# A double moves a checker four times: so many ways there are to choose which checkers, with repetitions.
CHOICES = comb(CHECKERS + 3, 4)
FIRST = np.array([comb(p + 3, 4) for p in range(WAYS)])
SECOND = np.array([comb(p + 2, 3) for p in range(WAYS)])
THIRD = np.array([comb(p + 1, 2) for p in range(WAYS)])
# By the rank of a double's play: its four points, five bits each, the highest first; none with the cube.
SOURCES = np.array(
    [
        p | q << 5 | r << 10 | s << 15
        for p in range(WAYS)
        for q in range(p + 1)
        for r in range(q + 1)
        for s in range(r + 1)
    ]
    + [0] * (ACTIONS - PLAYS),
    np.uint32,
)
# A roll's number: (1, 1), (2, 1), (2, 2), (3, 1), …
ROLLS = np.array([(high, low) for high in range(1, 7) for low in range(1, high + 1)], np.uint8)
EVENTS = len(ROLLS)
# All 36 throws of two dice, and the 30 of different ones, by the number of their roll.
THROWS = np.array(
    [max(a, b) * (max(a, b) - 1) // 2 + min(a, b) - 1 for a in range(1, 7) for b in range(1, 7)], np.uint8
)
OPENINGS = np.array([roll for roll in THROWS if ROLLS[roll, 0] != ROLLS[roll, 1]], np.uint8)
# Kinds of ends, as player 1 sees them; a gammon is also a win, a backgammon also a gammon.
WIN, WIN_GAMMON, WIN_BACKGAMMON, LOSE_GAMMON, LOSE_BACKGAMMON = 0, 1, 2, 3, 4
TALLIES = ("win", "win gammon", "win backgammon", "lose gammon", "lose backgammon")
FACTS = api.Facts(actions=ACTIONS, choices=CHOICES, events=EVENTS, low=-3.0, high=3.0, tallies=TALLIES)
api.declare(STATE, FACTS)  # also for who uses the rules without the plug


# -- which plays there are ------------------------------------------------------------------------------


@inner
def sources(held, blocked, die):
    """The points from which a die can be played. held: the player's; blocked: the other's made points."""
    if held >> BAR:
        return (1 - (blocked >> (BAR - die) & 1)) << BAR
    found = held & ~(blocked << die) & (-2 << die)
    if held >> (HOME + 1) == 0 and held != 0:
        if held >> die & 1:
            found |= 1 << die
        elif held >> die == 0:
            found |= 1 << highest(held)
    return found


@inner
def target(source, die):
    """Where a checker comes to."""
    return source - die if source > die else OFF


@inner
def moved(held, made, source, die):
    """The points held after a checker has moved; point 0 is no point."""
    gone = ~made & (1 << source)
    return (held & ~gone | 1 << target(source, die)) & -2


@inner
def is_other_way(held, made, blocked, blots, large, small, high, low):
    """Whether a checker moves with the smaller die first, and moving it with the larger first is the same."""
    if low != high + small or low <= large:
        return False
    if (blots >> high | blots >> (low - large)) & 1:
        return False  # one way hits what the other does not
    if not (sources(held, blocked, large) >> low & 1):
        return False
    return sources(moved(held, made, low, large), blocked, small) >> (low - large) & 1 == 1


@inner
def far_plays(held, made, blocked, blots, large, small, moves):
    """The plays of two dice where nobody enters or bears off: only blocked points forbid something."""
    first = sources(held, blocked, large)
    second = sources(held, blocked, small)
    # Where a checker from here comes after both dice is free: so it is by one way if the next point is, too.
    through = held & ~(blocked << (large + small)) & (-2 << (large + small))
    same = first & second & ~(blots << large) & ~(blots << small)  # both ways lead to the same position
    n = 0
    left = first
    while left:
        high = lowest(left)
        left &= left - 1
        also = second & ~(~made & (1 << high))
        if through >> high & 1:
            also |= 1 << (high - large)
        also &= ~(same & (1 << (high + small)))  # it is found as the larger die first
        while also:
            moves[n] = WAYS * high + lowest(also)
            n += 1
            also &= also - 1
    # With the smaller die first, to a point that had no checker.
    left = second & through & ~same & ~(held << small)
    while left:
        low = lowest(left)
        moves[n] = WAYS * (low - small) + low
        n += 1
        left &= left - 1
    return n


@inner
def near_plays(held, made, blocked, blots, large, small, moves):
    """The plays of two dice in any position."""
    first = sources(held, blocked, large)
    second = sources(held, blocked, small)
    n = 0
    left = first
    while left:
        high = lowest(left)
        left &= left - 1
        also = sources(moved(held, made, high, large), blocked, small)
        while also:
            low = lowest(also)
            also &= also - 1
            if not is_other_way(held, made, blocked, blots, large, small, high, low):
                moves[n] = WAYS * high + low
                n += 1
    left = second
    while left:
        low = lowest(left)
        left &= left - 1
        also = sources(moved(held, made, low, small), blocked, large)
        while also:
            high = lowest(also)
            also &= also - 1
            if first >> high & sources(moved(held, made, high, large), blocked, small) >> low & 1:
                continue  # found above
            if high < low <= small:
                continue  # both are borne off: found with the dice exchanged
            if not is_other_way(held, made, blocked, blots, large, small, high, low):
                moves[n] = WAYS * high + low
                n += 1
    if n == 0:  # only one die can be played: the larger one if that can
        left = first if first else second
        times = WAYS if first else 1
        while left:
            moves[n] = times * lowest(left)
            n += 1
            left &= left - 1
    return n


@inner
def double_plays(points, held, made, blocked, die, moves):
    """The plays of a double: as many of four moves as possible, from high points to low ones.

    a₁ … a₄ are the sets of points with at least so many checkers; what may still be moved after k moves is
    known from the first 4 − k of them.
    """
    a1, a2, a3, a4 = held, made, 0, 0
    left = made
    while left:
        bit = left & -left
        count = points[lowest(left)]
        if count > 2:
            a3 |= bit
        if count > 3:
            a4 |= bit
        left &= left - 1
    n = 0
    longest = 0
    first = sources(a1, blocked, die)
    while first:
        p = highest(first)
        gone, come = 1 << p, 1 << target(p, die) & -2
        first ^= gone
        b1, b2, b3 = a1 & ~gone | a2 & gone, a2 & ~gone | a3 & gone, a3 & ~gone | a4 & gone
        b1, b2, b3 = b1 | come, b2 | a1 & come, b3 | a2 & come
        second = sources(b1, blocked, die) & ((gone << 1) - 1)
        if second == 0 and longest <= 1:
            n = n if longest == 1 else 0
            longest = 1
            moves[n] = FIRST[p]
            n += 1
        while second:
            q = highest(second)
            gone, come = 1 << q, 1 << target(q, die) & -2
            second ^= gone
            c1, c2 = b1 & ~gone | b2 & gone, b2 & ~gone | b3 & gone
            c1, c2 = c1 | come, c2 | b1 & come
            third = sources(c1, blocked, die) & ((gone << 1) - 1)
            if third == 0 and longest <= 2:
                n = n if longest == 2 else 0
                longest = 2
                moves[n] = FIRST[p] + SECOND[q]
                n += 1
            while third:
                r = highest(third)
                gone, come = 1 << r, 1 << target(r, die) & -2
                third ^= gone
                d1 = c1 & ~gone | c2 & gone | come
                fourth = sources(d1, blocked, die) & ((gone << 1) - 1)
                rank = FIRST[p] + SECOND[q] + THIRD[r]
                if fourth == 0 and longest <= 3:
                    n = n if longest == 3 else 0
                    longest = 3
                    moves[n] = rank
                    n += 1
                if fourth != 0 and longest < 4:
                    n = 0
                    longest = 4
                while fourth:
                    moves[n] = rank + lowest(fourth)
                    n += 1
                    fourth &= fourth - 1
    return n


@implements(api.legal_moves, STATE)
def legal_moves(state, moves):
    if state.doubling > NOTHING:
        moves[0] = ROLL if state.doubling == MAY_DOUBLE else TAKE
        moves[1] = DOUBLE if state.doubling == MAY_DOUBLE else PASS
        return 2
    me = np.uint32(state.turn - 1)
    other = np.uint32(1) - me
    held, made = np.int64(state.held[me]), np.int64(state.made[me])
    blocked = mirrored(state.made[other])
    large, small = np.int64(state.dice[0]), np.int64(state.dice[1])
    if large == small:
        n = double_plays(state.points[me], held, made, blocked, large, moves)
    else:
        blots = mirrored(state.held[other]) & ~blocked
        outside = size_of(held >> (HOME + 1)) + size_of(made >> (HOME + 1))
        n = 0
        if outside > 1 and held >> BAR == 0:
            n = far_plays(held, made, blocked, blots, large, small, moves)
        if n == 0:
            n = near_plays(held, made, blocked, blots, large, small, moves)
    if n == 0:
        moves[0] = NO_PLAY
        n = 1
    return n


# -- what a play does -----------------------------------------------------------------------------------


@inner
def step(state, me, source, die):
    """Move a checker, and send a single one of the other's to the bar."""
    other = np.uint32(1) - me
    bit = np.uint32(1) << np.uint32(source)
    left = state.points[me, np.uint32(source)] - np.uint8(1)
    state.points[me, np.uint32(source)] = left
    if left == 0:
        state.held[me] &= ~bit
    elif left == 1:
        state.made[me] &= ~bit
    to = np.uint32(target(source, die))
    count = state.points[me, to] + np.uint8(1)
    state.points[me, to] = count
    if to == OFF:
        return
    bit = np.uint32(1) << to
    state.held[me] |= bit
    if count > 1:
        state.made[me] |= bit
    there = np.uint32(BAR) - to
    if state.points[other, there] == 1:
        state.points[other, there] = 0
        state.held[other] &= ~(np.uint32(1) << there)
        bit = np.uint32(1) << np.uint32(BAR)
        state.points[other, np.uint32(BAR)] += 1
        if state.held[other] & bit:
            state.made[other] |= bit
        state.held[other] |= bit


@implements(api.play, STATE)
def play(state, action):
    if state.doubling > NOTHING or action >= PLAYS:
        handle_cube(state, action)
        return
    me = np.uint32(state.turn - 1)
    large, small = np.int64(state.dice[0]), np.int64(state.dice[1])
    if large == small:
        left = np.int64(SOURCES[action])
        while left:
            step(state, me, left & 31, large)
            left >>= 5
    else:
        high, low = np.int64(action) // WAYS, np.int64(action) % WAYS
        if high and low == high + small:  # one checker moves with both, the smaller die first
            step(state, me, low, small)
            step(state, me, high, large)
        else:
            if high:
                step(state, me, high, large)
            if low:
                step(state, me, low, small)
    state.turn = 3 - state.turn
    state.dice[0] = 0
    state.dice[1] = 0
    if state.doubling != UNUSED and may_double(state):
        state.doubling = MAY_DOUBLE


@implements(api.to_play, STATE)
def to_play(state):
    return np.int64(3 - state.turn if state.doubling == OFFERED else state.turn)


# -- dice -----------------------------------------------------------------------------------------------


@implements(api.is_chance, STATE)
def is_chance(state):
    return state.dice[0] == 0 and state.doubling <= NOTHING


@implements(api.chances, STATE)
def chances(state, probabilities):
    for event in range(EVENTS):
        double = ROLLS[event, 0] == ROLLS[event, 1]
        if state.opening:
            probabilities[event] = 0.0 if double else 1 / 15
        else:
            probabilities[event] = 1 / 36 if double else 1 / 18
    return EVENTS


@implements(api.happen, STATE)
def happen(state, event):
    state.dice[0] = ROLLS[event, 0]
    state.dice[1] = ROLLS[event, 1]
    state.opening = 0


@implements(api.roll, STATE)
def roll(state, rng):
    event = np.int64(OPENINGS[below(rng, 30)] if state.opening else THROWS[below(rng, 36)])
    state.dice[0] = ROLLS[event, 0]
    state.dice[1] = ROLLS[event, 1]
    state.opening = 0
    return event


# -- the end --------------------------------------------------------------------------------------------


@implements(api.is_over, STATE)
def is_over(state):
    return state.points[0, OFF] == CHECKERS or state.points[1, OFF] == CHECKERS or state.doubling == DROPPED


@inner
def most_worth(state, winner):
    """What a game can count at most for a winner (0 or 1): by Jacoby's rule, and by what the match needs."""
    if state.jacoby and state.owner == CENTRED:
        return 1
    if state.length:  # what is more than the match needs counts nothing
        needed = np.int64(state.length) - np.int64(state.score[winner])
        unit = np.int64(1) << np.int64(state.cube)
        return min(3, max(1, (needed + unit - 1) // unit))
    return 3


@kernel
def worth_of(state, winner):
    """What a game counts if it ends now, in units of the cube: 1, 2 a gammon, 3 a backgammon.

    winner: 0 or 1, a player's place in the record. Who gives up when a double is offered has passed it.
    """
    loser = 1 - winner
    if state.points[loser, OFF] > 0:
        return 1
    if state.doubling >= OFFERED:
        return 1
    worth = 3 if state.held[loser] >> np.uint32(BAR - HOME) else 2
    return min(worth, most_worth(state, winner))


@inner
def expected_outcome(state, chances):
    """The outcome that is expected for player 1, from the chances of each kind of end (`TALLIES`)."""
    expected = 2.0 * chances[WIN] - 1.0
    most = most_worth(state, 0)
    if most > 1:
        expected += chances[WIN_GAMMON]
    if most > 2:
        expected += chances[WIN_BACKGAMMON]
    most = most_worth(state, 1)
    if most > 1:
        expected -= chances[LOSE_GAMMON]
    if most > 2:
        expected -= chances[LOSE_BACKGAMMON]
    return expected


@inner
def has_won(state):
    """Whether player 1 has won a game that has ended."""
    return state.turn == 1 if state.doubling == DROPPED else state.points[0, OFF] == CHECKERS


@implements(api.outcome, STATE)
def outcome(state):
    if has_won(state):
        return float(worth_of(state, 0))
    return -float(worth_of(state, 1))


@implements(api.tally, STATE)
def tally(state, counts):
    won = has_won(state)
    loser = 1 if won else 0
    if won:
        counts[WIN] += 1
    if state.points[loser, OFF] == 0 and state.doubling != DROPPED:
        counts[WIN_GAMMON if won else LOSE_GAMMON] += 1
        if state.held[loser] >> np.uint32(BAR - HOME):
            counts[WIN_BACKGAMMON if won else LOSE_BACKGAMMON] += 1


# -- what some algorithms ask ---------------------------------------------------------------------------


@implements(api.position_key, STATE)
def position_key(state):
    key = np.uint64(0)
    for player in range(2):
        word = np.uint64(0)
        for point in range(1, BAR + 1):
            word = word << np.uint64(4) | np.uint64(state.points[player, point])
            if point == 13:
                key = mix(key ^ word)
                word = np.uint64(0)
        key = mix(key ^ word)
    rules = int(state.length) << 2 | int(state.crawford) << 1 | int(state.jacoby)
    scores = int(state.score[0]) << 16 | int(state.score[1])
    cube = int(state.cube) << 2 | int(state.owner)
    dice = int(state.dice[0]) << 3 | int(state.dice[1])
    turn = int(state.turn) << 1 | int(state.opening)
    doubling = np.uint64(state.doubling) << np.uint64(60)
    return mix(key ^ doubling ^ np.uint64(rules << 50 | scores << 18 | cube << 10 | dice << 4 | turn))
