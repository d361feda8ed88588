"""Of the 36 throws, how many bring a checker beyond a wall of blocked points.

The wall is all blocked points among the twelve in front of it. The checker moves alone, with one die or both,
or up to four times by a double, over points that are not blocked. What lies further ahead is taken to be
free.
"""

import numpy as np

from playout.games.backgammon.rules import ROLLS
from playout.kernel import inner

AHEAD = 12  # points in front of a checker that count


def _escapes() -> np.ndarray:
    """The number of throws, by the set of blocked points: bit 11 is the next one ahead, bit 0 the twelfth."""
    sets = np.arange(1 << AHEAD)
    last = np.zeros(len(sets), int)  # the furthest point of the wall
    for distance in range(1, AHEAD + 1):
        last[sets >> (AHEAD - distance) & 1 == 1] = distance

    def free(distance: int) -> np.ndarray:
        return np.ones(len(sets), bool) if distance > AHEAD else sets >> (AHEAD - distance) & 1 == 0

    throws = np.zeros(len(sets), np.uint8)
    for large, small in ROLLS.tolist():
        come = np.zeros(len(sets), int)  # how far it comes
        if large == small:
            still = np.ones(len(sets), bool)
            for distance in range(large, 5 * large, large):
                still &= free(distance)
                come[still] = distance
        else:
            for die in (small, large):
                come[free(die)] = die
            come[(free(large) | free(small)) & free(large + small)] = large + small
        throws += (come > last).astype(np.uint8) * (1 if large == small else 2)
    return throws


ESCAPES = _escapes()


@inner
def escapes(blocked, point):
    """Of 36 throws, how many bring a checker on a point beyond the blocked points in front of it.

    blocked: a set of points, as the checker's owner counts. point: 1 to 24, or the bar.
    """
    ahead = blocked & -2
    ahead = ahead >> (point - AHEAD) if point > AHEAD else ahead << (AHEAD - point)
    return np.int64(ESCAPES[np.uint32(ahead & (1 << AHEAD) - 1)])
