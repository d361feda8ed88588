"""What the tables of bear-offs say, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.backgammon.bearoff.chances import (
    CENTRED_CUBE,
    CUBELESS,
    EQUITIES,
    OTHERS_CUBE,
    OWN_CUBE,
    PAIRED,
    PAIRS,
    PLACES,
    ROLLS,
    place_of,
)
from playout.games.backgammon.bearoff.files import bearoff_row
from playout.games.backgammon.state import CHECKERS, HOME
from playout.kernel import kernel


@dataclass(frozen=True)
class MoneyEquities:
    """Exact equities for money of the side that rolls now and does not double, in units of the cube.

    cubeless: nobody ever doubles. The others by where the cube is: in the middle, the side's own, the
    other's. Who doubles gets 2 × `others` if that is taken, and 1 if it is not.
    """

    cubeless: float
    centred: float
    own: float
    others: float


@kernel
def _place(points):
    return place_of(points)


def _place_of(side: Sequence[int]) -> int:
    """The place of a side's checkers, which are given by point from 1 to 6."""
    counts = [int(count) for count in side]
    if len(counts) > HOME or min(counts, default=0) < 0 or sum(counts) > CHECKERS:
        raise InputError(
            f"a bear-off is up to {CHECKERS} checkers on the points 1 to {HOME}, and not {list(side)}"
        )
    return int(_place(np.array([0, *counts, *(HOME - len(counts)) * [0]], np.int64)))


def rolls_to_bear_off(side: Sequence[int]) -> np.ndarray:
    """The chance that a side is off by exactly n rolls, from n = 0 on, if it plays for the fewest on average.

    side: its checkers on the points 1 to 6.

    >>> chances = rolls_to_bear_off([0, 0, 0, 0, 0, 1])
    >>> chances[:4].round(4).tolist()
    [0.0, 0.75, 0.25, 0.0]
    """
    place = _place_of(side)
    tails = bearoff_row()[: PLACES * ROLLS].reshape(PLACES, ROLLS)[place].astype(np.float64)
    return np.append(1.0, tails[:-1]) - tails


def money_equities(mine: Sequence[int], theirs: Sequence[int]) -> MoneyEquities | None:
    """Exact equities where both sides have up to six checkers, all at home; None where one has more.

    mine: the checkers of the side on roll on the points 1 to 6.

    >>> money_equities([0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1])
    MoneyEquities(cubeless=0.625, centred=0.5, own=0.625, others=0.5)
    """
    first, second = _place_of(mine), _place_of(theirs)
    if first >= PAIRED or second >= PAIRED:
        return None
    found = bearoff_row()[PAIRS:].reshape(PAIRED, PAIRED, EQUITIES)[first, second].tolist()
    return MoneyEquities(found[CUBELESS], found[CENTRED_CUBE], found[OWN_CUBE], found[OTHERS_CUBE])
