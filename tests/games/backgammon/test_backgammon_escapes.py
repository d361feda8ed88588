"""How well a checker gets away, against the plays of one that is alone."""

import numpy as np
import pytest
from naive import backgammon as naive

from playout.games.backgammon.escapes import AHEAD, FAR, PAST
from playout.games.backgammon.rules import ROLLS


def by_plays(wall):
    """Pips on average and the share of throws past the wall, of a checker on 24 by the naive twin's plays."""
    mine, theirs = [0] * 26, [0] * 26
    mine[24] = 1
    blocked = [23 - bit for bit in range(AHEAD) if wall >> bit & 1]
    for point in blocked:
        theirs[25 - point] = 2
    pips = past = 0
    for high, low in ROLLS.tolist():
        plays = naive.plays((tuple(mine), tuple(theirs)), (high, low))
        furthest = min(after.index(1) for after, _ in plays)
        times = 1 if high == low else 2
        pips += times * (24 - furthest)
        past += times * (furthest < min(blocked, default=24))
    return pips / 36, past / 36


@pytest.mark.small
def test_escapes_are_those_of_the_plays():
    for wall in [0, *np.random.default_rng(1).integers(1 << AHEAD, size=150).tolist()]:
        assert (FAR[wall], PAST[wall]) == pytest.approx(by_plays(wall), abs=1e-6), bin(wall)


@pytest.mark.small
def test_known_walls():
    assert PAST[0] == 1.0
    assert FAR[0] == pytest.approx(49 / 6)  # the pips of a throw, on average
    assert PAST[0b11111] == pytest.approx(11 / 36)  # five in a row right in front: a six
    assert PAST[0b111111] == 0.0
    assert FAR[0b111111] == 0.0
