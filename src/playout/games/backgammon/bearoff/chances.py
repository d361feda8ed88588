"""Bear-offs: what a position is worth in which both sides have all checkers at home.

Positions of one side are numbered (`place_of`): with sₖ checkers on the k highest home points, a position's
place is C(s₁, 1) + C(s₂ + 1, 2) + … + C(s₆ + 5, 6). Those with fewer checkers come first, and every play
leads to a lower place.

The tables lie in memory as one row of numbers (`files` finds or makes them):

- `tails`: for each of the 54,264 places the chance that the side still has checkers after n rolls, if it
  plays for the fewest rolls on average;
- `none_off`: for the places with all 15 checkers the chance that none is off after n rolls, if it plays for
  that;
- `pairs`: for both sides with six checkers or fewer, by the place of the side on roll and of the other, exact
  equities for money for the side on roll, if it rolls and does not double: without a cube, with the cube in
  the middle, its own, the other's.

Where `pairs` knows a position, chances are exact. Elsewhere the sides are taken to roll each for itself: the
side on roll wins in n rolls if the other needs n or more.
"""

from __future__ import annotations

from math import comb

import numpy as np

from playout.games import api
from playout.games.backgammon.rules import expected_outcome
from playout.games.backgammon.state import CHECKERS, HOME
from playout.kernel import inner, record_type
from playout.kernel.address import floats_at

ROLLS = 32  # a side needs fewer rolls: each has three pips or more, and 15 checkers on the six point have 90
FIRST_ROLLS = 8  # the first checker is off before
FEW = 6  # checkers of a side in `pairs`
CUBELESS, CENTRED_CUBE, OWN_CUBE, OTHERS_CUBE = range(4)
EQUITIES = 4


def places_of(checkers: int) -> int:
    """How many ways there are to have at most so many checkers on the home points.

    >>> places_of(15), places_of(6)
    (54264, 924)
    """
    return comb(checkers + HOME, HOME)


PLACES, PAIRED = places_of(CHECKERS), places_of(FEW)
FIRST_PLACE = places_of(CHECKERS - 1)  # with all checkers
# Where the tables begin in the row, and where it ends.
NONE_OFF = PLACES * ROLLS
PAIRS = NONE_OFF + (PLACES - FIRST_PLACE) * FIRST_ROLLS
LENGTH = PAIRS + PAIRED * PAIRED * EQUITIES
# C(s + k − 1, k), by k − 1 and s.
_TERMS = np.array([[comb(s + k - 1, k) for s in range(CHECKERS + 1)] for k in range(1, HOME + 1)])

# What a policy's record has to find the tables: 0 where there are none.
TABLES = record_type([("bearoff_tables_at", "u8")])


@inner
def place_of(points):
    """The place of a side's checkers among all ways to have them on the home points."""
    place, checkers = 0, 0
    for k in range(HOME):
        checkers += points[np.uint32(HOME - k)]
        place += _TERMS[np.uint32(k), np.uint32(checkers)]
    return place


@inner
def in_bearoff(state):
    """Whether both sides have all checkers at home; then there is no contact."""
    return (state.held[0] | state.held[1]) >> np.uint32(HOME + 1) == 0


@inner
def tail_at(row, place, rolls):
    """The chance that a side at a place has checkers left after so many rolls."""
    return np.float64(row[np.uint64(place * ROLLS + rolls)]) if rolls < ROLLS else 0.0


@inner
def none_off_at(row, place, rolls):
    """The chance that a side has all its checkers after so many rolls."""
    if place < FIRST_PLACE or rolls >= FIRST_ROLLS:
        return 0.0
    return np.float64(row[np.uint64(NONE_OFF + (place - FIRST_PLACE) * FIRST_ROLLS + rolls)])


@inner
def wins_by_rolls(row, mine, theirs):
    """The chance that the side on roll is off first, each side for itself."""
    chance, before = 0.0, tail_at(row, mine, 0)
    for n in range(1, ROLLS):
        after = tail_at(row, mine, n)
        chance += (before - after) * tail_at(row, theirs, n - 1)
        before = after
        if before == 0.0:
            break
    return chance


@inner
def gammons_by_rolls(row, winner, loser, late):
    """The chance that a side is off before the other has a checker off.

    late: how many rolls more than the winner the loser may have had before: 0 if the winner rolls first.
    """
    chance, before = 0.0, tail_at(row, winner, 0)
    for n in range(1, FIRST_ROLLS + 1):
        after = tail_at(row, winner, n)
        chance += (before - after) * none_off_at(row, loser, n - 1 + late)
        before = after
    return chance


@inner
def pair_at(row, mine, theirs, kind):
    """An exact equity for the side on roll, both with six checkers or fewer."""
    return np.float64(row[np.uint64(PAIRS + (mine * PAIRED + theirs) * EQUITIES + kind)])


@inner
def may_double(rolling, others):
    """The equity of a side that may double before it rolls.

    rolling: if it does not; others: the same with the cube in the other's hands. The other may give up.
    """
    return max(rolling, min(2.0 * others, 1.0))


@inner
def ends(tables, state):
    """The chance of each kind of end (`rules.TALLIES`), of a game that is not over."""
    row = floats_at(tables.bearoff_tables_at, LENGTH)
    me = np.uint32(state.turn - 1)
    other = np.uint32(1) - me
    mine, theirs = place_of(state.points[me]), place_of(state.points[other])
    if mine < PAIRED and theirs < PAIRED:
        wins = 0.5 + 0.5 * pair_at(row, mine, theirs, CUBELESS)
    else:
        wins = wins_by_rolls(row, mine, theirs)
    gammon = gammons_by_rolls(row, mine, theirs, 0) if theirs >= FIRST_PLACE else 0.0
    other_gammon = gammons_by_rolls(row, theirs, mine, 1) if mine >= FIRST_PLACE else 0.0
    if me == 0:
        return wins, gammon, 0.0, other_gammon, 0.0
    return 1.0 - wins, other_gammon, 0.0, gammon, 0.0


@inner
def bearoff_value(tables, state):
    """The outcome that is expected for player 1.

    tables: a record of TABLES. state: before the roll or at the end, and `in_bearoff`.
    """
    return api.outcome(state) if api.is_over(state) else expected_outcome(state, ends(tables, state))


@inner
def bearoff_chances(tables, state, chances):
    """The same, and the chance of each kind of end is written: what `estimate` of a policy has to do."""
    for k in range(len(chances)):
        chances[k] = 0.0
    if api.is_over(state):
        api.tally(state, chances)
        return api.outcome(state)
    found = ends(tables, state)
    for k in range(len(found)):
        chances[k] = found[k]
    return expected_outcome(state, found)
