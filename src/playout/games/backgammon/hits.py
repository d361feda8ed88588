"""Of the 36 throws, how many hit: what a network sees of the danger that blots are in.

Everything is found from sets of points, as in `rules`, and is exact: a throw counts if a legal play of it
hits. A play may hit more than one blot. By a hit the other side loses as many pips as the number of the
point, as the player who hits counts it.

Two different dice: a play is legal if it plays both. So one that hits with the first move counts if the other
die can be played after it; where no play has both dice, the larger one comes first.

A double: whichever moves come first, the others stay possible. So every sequence of moves is the beginning of
a legal play, and a blot is hit if a checker can come to it in time.
"""

import numpy as np

from playout.games.backgammon.bits import highest, lowest, mirrored, size_of
from playout.games.backgammon.rules import moved, sources
from playout.games.backgammon.state import BAR
from playout.kernel import inner

FAR = 19  # from here on, the points of the other's home board
# What a throw can do, packed: pips in the lowest bits, then the number of blots, then whether one is far.
_BLOT, _FAR = 8, 12


@inner
def worth_of_hits(hit):
    """Pips that the other loses by hits on a set of points, the number of blots, whether one is far."""
    pips = 0
    left = hit
    while left:
        pips += lowest(left)
        left &= left - 1
    return pips | size_of(hit) << _BLOT | (1 if hit >> FAR else 0) << _FAR


@inner
def better(one, two):
    """The most of each that two plays can do."""
    pips = max(one & 255, two & 255)
    blots = max(one & 15 << _BLOT, two & 15 << _BLOT)
    return pips | blots | (one | two) & 1 << _FAR


@inner
def hits_in_order(held, made, blocked, blots, die, other):
    """What plays can hit that begin with a hit by a die: with both dice, and with this one alone."""
    both, alone = 0, 0
    first = sources(held, blocked, die) & blots << die
    while first:
        source = lowest(first)
        first &= first - 1
        hit = blots & 1 << (source - die)
        second = sources(moved(held, made, source, die), blocked, other)
        if second:
            also = second >> other & blots & ~hit
            if also:
                hit |= 1 << highest(also)
            both = better(both, worth_of_hits(hit))
        else:
            alone = better(alone, worth_of_hits(hit))
    return both, alone


@inner
def both_dice_begin(held, made, blocked, die, other):
    """Whether some play begins with a die and goes on with the other."""
    first = sources(held, blocked, die)
    while first:
        if sources(moved(held, made, lowest(first), die), blocked, other):
            return True
        first &= first - 1
    return False


@inner
def hits_of_two(held, made, blocked, blots, large, small):
    """What the plays of two different dice can hit, nothing on the bar."""
    first, by_large = hits_in_order(held, made, blocked, blots, large, small)
    second, by_small = hits_in_order(held, made, blocked, blots, small, large)
    found = better(first, second)
    # One checker with both dice, over a free point.
    through = (sources(held, blocked, large) & (-2 << large)) >> large >> small
    through |= (sources(held, blocked, small) & (-2 << small)) >> small >> large
    left = through & blots
    while left:
        found = better(found, worth_of_hits(left & -left))
        left &= left - 1
    if found == 0 and by_large | by_small:
        if both_dice_begin(held, made, blocked, large, small):
            return 0
        if both_dice_begin(held, made, blocked, small, large):
            return 0
        return by_large if sources(held, blocked, large) else by_small
    return found


@inner
def hits_from_bar(held, made, blocked, blots, large, small):
    """What the plays of two different dice can hit, with a checker on the bar or more."""
    enter, other = 1 << (BAR - large) & ~blocked, 1 << (BAR - small) & ~blocked
    if made >> BAR:  # both dice enter, or the one that can
        return worth_of_hits((enter | other) & blots)
    board = held & ~(1 << BAR)
    # Where the second die leads to, after the first has entered. Nobody bears off then.
    then = (board | enter) >> small & ~blocked & -2 if enter else 0
    other_then = (board | other) >> large & ~blocked & -2 if other else 0
    if then == 0 and other_then == 0:  # one die: the larger one, if it enters
        return worth_of_hits((enter if enter else other) & blots)
    found = 0
    if then:
        hit = enter & blots
        also = then & blots & ~hit
        found = worth_of_hits(hit | 1 << highest(also) if also else hit)
    if other_then:
        hit = other & blots
        also = other_then & blots & ~hit
        found = better(found, worth_of_hits(hit | 1 << highest(also) if also else hit))
    return found


@inner
def playable(held, made, blocked, die):
    """The points that a die can be played from, and in bit 0 whether that stays so after any other move."""
    found = sources(held, blocked, die)
    if found & (found - 1) or found & made:
        found |= 1
    return found


@inner
def hits_of_free_two(made, blots, large, small, first, second):
    """What the plays of two different dice can hit where one die never spoils the other.

    Nothing is on the bar. first, second: where the larger and the smaller one are played from.
    -1 where it is not so simple.
    """
    by_large, by_small = first >> large & blots, second >> small & blots
    through = ((first & (-2 << large)) >> large >> small | (second & (-2 << small)) >> small >> large) & blots
    hit = by_large | by_small | through
    if hit == 0:
        return 0
    if by_large | by_small == 0:
        return highest(hit) | 1 << _BLOT | (1 if hit >> FAR else 0) << _FAR
    if not (first & second & 1):
        return -1
    pips, count = highest(hit), 1
    if by_large and by_small:
        x, y = highest(by_large), highest(by_small)
        if x == y or (x + large == y + small and not (made >> (x + large) & 1)):
            if by_large & (by_large - 1) or by_small & (by_small - 1):
                return -1
        else:
            pips, count = max(pips, x + y), 2
    chain = by_large & (blots << small)  # one checker hits twice
    if chain:
        pips, count = max(pips, 2 * highest(chain) - small), 2
    chain = by_small & (blots << large)
    if chain:
        pips, count = max(pips, 2 * highest(chain) - large), 2
    return pips | count << _BLOT | (1 if hit >> FAR else 0) << _FAR


@inner
def throws_that_hit_one(at, blocked, blot):
    """How many throws hit the only blot, where nothing is on the bar and no die spoils another.

    at: by die, where it is played from.
    """
    throws = 0
    for large in range(1, 7):
        by_large = (at[large - 1] & (-2 << large)) >> large
        reached, hit = by_large, by_large
        for _ in range(3):
            reached = reached >> large & ~blocked
            hit |= reached
        throws += hit >> blot & 1
        for small in range(1, large):
            by_small = (at[small - 1] & (-2 << small)) >> small
            hit = by_large | by_small | by_large >> small | by_small >> large
            throws += (hit >> blot & 1) << 1
    return throws


@inner
def last_hit(held, within, blots, die, hit):
    """What is hit in all, if one more move is made from some of the points."""
    also = (held & within) >> die & blots & ~hit
    return worth_of_hits(hit | 1 << highest(also)) if also else 0


@inner
def hits_of_four(a1, a2, a3, a4, blocked, blots, die, most, entered):
    """What so many moves of a double can hit, where several blots are in reach: two moves or more.

    a₁ … a₄ are the sets of points with at least so many checkers; u₁ … u₄ those from where a checker comes to
    a blot by so many moves. entered: the blot that was hit from the bar. Moves go from high points
    to low ones.
    """
    u1 = blots << die
    u2 = u1 | (u1 & ~blocked) << die
    u3 = u1 | (u2 & ~blocked) << die
    u4 = u1 | (u3 & ~blocked) << die
    found = last_hit(a1, u1, blots, die, entered)
    first = a1 & (u4 if most > 3 else u3 if most > 2 else u2)
    while first:
        p = highest(first)
        gone, come = 1 << p, 1 << (p - die)
        first ^= gone
        b1, b2, b3 = a1 & ~gone | a2 & gone, a2 & ~gone | a3 & gone, a3 & ~gone | a4 & gone
        b1, b2, b3 = b1 | come, b2 | a1 & come, b3 | a2 & come
        one = entered | come & blots
        below = (gone << 1) - 1
        found = better(found, last_hit(b1, below, blots, die, one))
        if most == 2:
            continue
        second = b1 & (u3 if most > 3 else u2) & below
        while second:
            q = highest(second)
            gone, come = 1 << q, 1 << (q - die)
            second ^= gone
            c1, c2 = b1 & ~gone | b2 & gone, b2 & ~gone | b3 & gone
            c1, c2 = c1 | come, c2 | b1 & come
            two = one | come & blots
            below = (gone << 1) - 1
            found = better(found, last_hit(c1, below, blots, die, two))
            if most == 3:
                continue
            third = c1 & u2 & below
            while third:
                r = highest(third)
                gone, come = 1 << r, 1 << (r - die)
                third ^= gone
                d1 = c1 & ~gone | c2 & gone | come
                found = better(found, last_hit(d1, (gone << 1) - 1, blots, die, two | come & blots))
    return found


@inner
def hits_of_double(points, held, made, blocked, blots, die):
    """What the plays of a double can hit."""
    most, entered = 4, 0
    entry = BAR - die
    on_bar = 0
    if held >> BAR:
        if blocked >> entry & 1:
            return 0
        on_bar = int(min(4, points[np.uint32(BAR)]))
        most -= on_bar
        entered = blots & 1 << entry
        held = held & ~(1 << BAR) | 1 << entry
    reached, hit = held, 0
    for _ in range(most):
        reached = reached >> die & ~blocked & -2
        hit |= reached & blots
    hit &= ~entered
    if hit & (hit - 1) == 0:
        return worth_of_hits(hit | entered)
    if most == 1:
        return last_hit(held, -1, blots, die, entered)
    made &= ~(1 << BAR)
    a2, a3, a4 = made, 0, 0
    left = made | (1 << entry if on_bar else 0)
    while left:
        bit = left & -left
        count = np.int64(points[np.uint32(lowest(left))])
        if on_bar and bit == 1 << entry:
            count += on_bar
        if count > 1:
            a2 |= bit
        if count > 2:
            a3 |= bit
        if count > 3:
            a4 |= bit
        left &= left - 1
    return hits_of_four(held, a2, a3, a4, blocked, blots, die, most, entered)


@inner
def shots(state, player):
    """What the 36 throws of a player (1 or 2) can hit, if it is his roll; the state's own dice count nothing.

    Four whole numbers: how many can hit; how many can hit two blots or more in one play; how many can hit in
    the other's home board; the pips that the other loses by the play that costs him most, summed over
    all throws.
    """
    me = np.uint32(player - 1)
    other = np.uint32(1) - me
    blocked = mirrored(state.made[other])
    blots = mirrored(state.held[other]) & ~blocked & -2  # his bar is no point
    held, made = np.int64(state.held[me]), np.int64(state.made[me])
    hitting, twice, far, pips = 0, 0, 0, 0
    if blots == 0 or held >> lowest(blots) == 0:
        return hitting, twice, far, pips
    points = state.points[me]
    at = (
        playable(held, made, blocked, 1),
        playable(held, made, blocked, 2),
        playable(held, made, blocked, 3),
        playable(held, made, blocked, 4),
        playable(held, made, blocked, 5),
        playable(held, made, blocked, 6),
    )
    if held >> BAR == 0 and blots & (blots - 1) == 0 and at[0] & at[1] & at[2] & at[3] & at[4] & at[5] & 1:
        blot = lowest(blots)
        hitting = throws_that_hit_one(at, blocked, blot)
        return hitting, 0, hitting if blot >= FAR else 0, hitting * blot
    for large in range(1, 7):
        for small in range(1, large + 1):
            times = 2
            if large == small:
                found, times = hits_of_double(points, held, made, blocked, blots, large), 1
            elif held >> BAR:
                found = hits_from_bar(held, made, blocked, blots, large, small)
            else:
                found = hits_of_free_two(made, blots, large, small, at[large - 1], at[small - 1])
                if found < 0:
                    found = hits_of_two(held, made, blocked, blots, large, small)
            if found:
                hitting += times
                pips += times * (found & 255)
                if found >> _BLOT & 15 > 1:
                    twice += times
                if found >> _FAR:
                    far += times
    return hitting, twice, far, pips
