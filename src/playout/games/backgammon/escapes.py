"""How well a checker gets away, by the blocked points among the twelve in front of it.

The checker moves alone, with one die or both, or up to four times by a double, over points that are not
blocked, and as far as it can. What lies further ahead than twelve points is taken to be free.

A set of blocked points is a number below 4,096: bit 0 is the next point in front, bit 11 the twelfth.

>>> round(36 * float(PAST[0b111110]))  # five in a row behind a free point: 6-1 and 1-6
2
"""

import numpy as np

from playout.games.backgammon.rules import ROLLS

AHEAD = 12  # points in front of a checker that count


def _tables() -> tuple[np.ndarray, np.ndarray]:
    """By the set of blocked points: how far it gets on average, and the share of throws that lead past it."""
    walls = np.arange(1 << AHEAD)
    blocked = np.zeros((5 * 6, len(walls)), bool)  # by how far ahead
    end = np.zeros(len(walls), int)  # the furthest blocked point
    for distance in range(1, AHEAD + 1):
        blocked[distance] = walls >> (distance - 1) & 1 == 1
        end[blocked[distance]] = distance
    pips, throws = np.zeros(len(walls)), np.zeros(len(walls))
    for large, small in ROLLS.tolist():
        reached = np.zeros(len(walls), int)
        if large == small:
            free = np.ones(len(walls), bool)
            for distance in range(large, 5 * large, large):
                free &= ~blocked[distance]
                reached[free] = distance
        else:
            reached[~blocked[small]] = small
            reached[~blocked[large]] = large
            reached[(reached > 0) & ~blocked[large + small]] = large + small
        times = 1 if large == small else 2
        pips += times * reached
        throws += times * (reached > end)
    return (pips / 36).astype(np.float32), (throws / 36).astype(np.float32)


FAR, PAST = _tables()
