"""Escapes over walls, against the plays of a checker that is alone."""

import numpy as np
import pytest
from naive import backgammon as naive

from playout.games.backgammon.escapes import AHEAD, ESCAPES, escapes
from playout.games.backgammon.rules import ROLLS
from playout.kernel import kernel


@kernel
def ask(blocked, point):
    return escapes(blocked, point)


def by_plays(blocked, point):
    """The same from the naive twin's plays; blocked: the points of the wall."""
    mine, theirs = [0] * 26, [0] * 26
    mine[point] = 1
    for wall in blocked:
        theirs[25 - wall] = 2
    total = 0
    for high, low in ROLLS.tolist():
        plays = naive.plays((tuple(mine), tuple(theirs)), (high, low))
        escaped = any(not any(after[min(blocked, default=point) :]) for after, _ in plays)
        total += escaped * (1 if high == low else 2)
    return total


@pytest.mark.small
def test_escapes_are_those_of_the_plays():
    rng = np.random.default_rng(1)
    for number in rng.integers(1 << AHEAD, size=150).tolist():
        blocked = [12 + bit for bit in range(AHEAD) if number >> bit & 1]
        assert ESCAPES[number] == by_plays(blocked, 24), blocked
        assert ask(sum(1 << wall for wall in blocked), 24) == ESCAPES[number]


@pytest.mark.small
def test_only_the_points_in_front_count():
    wall = sum(1 << point for point in (20, 19, 18, 17, 16))
    assert ask(wall, 21) == 11  # a six
    assert ask(wall | 1 << 15, 21) == 0
    assert ask(wall | 1 << 25 | 1 << 22 | 1 << 8, 21) == 11  # behind it, or far ahead
    assert ask(wall, 15) == 36
    assert ask(1 << 3, 5) == by_plays([3], 5)
