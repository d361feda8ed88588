"""Bear-offs in plain Python with fractions: a side is its checkers on the points 1 to 6."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

Side = tuple[int, ...]
ROLLS = [(a, b) for a in range(1, 7) for b in range(1, 7)]


def moves(side: Side, die: int) -> set[Side]:
    """Where a die leads to."""
    found = set()
    for point in range(1, 7):
        if side[point - 1] and (point >= die or not any(side[point:])):
            after = list(side)
            after[point - 1] -= 1
            if point > die:
                after[point - die - 1] += 1
            found.add(tuple(after))
    return found


@cache
def plays(side: Side, roll: tuple[int, int]) -> frozenset[Side]:
    """Where a roll leads to. A die can always be played while there are checkers."""
    orders = [4 * roll[:1]] if roll[0] == roll[1] else [roll, roll[::-1]]
    found = set()
    for order in orders:
        sides = {side}
        for die in order:
            sides = {after for now in sides for after in (moves(now, die) or {now})}
        found |= sides
    return frozenset(found)


@cache
def rolls(side: Side, off: int = 15) -> Fraction:
    """Rolls on average until all checkers, or so many, are off: the fewest."""
    if sum(side) == 0 or off <= 0:
        return Fraction(0)
    total = Fraction(0)
    for roll in ROLLS:
        total += min(rolls(after, off - (sum(side) - sum(after))) for after in plays(side, roll))
    return 1 + total / 36


@cache
def wins(mine: Side, theirs: Side) -> Fraction:
    """The chance that the side on roll wins, if both play for that."""
    if sum(theirs) == 0:
        return Fraction(0)
    if sum(mine) == 0:
        return Fraction(1)
    return sum(max(1 - wins(theirs, after) for after in plays(mine, roll)) for roll in ROLLS) / Fraction(36)


def equity(mine: Side, theirs: Side, owner: int | None) -> Fraction:
    """For money and the side that is about to roll and may double before.

    owner: None the cube is in the middle, 0 the side on roll has it, 1 the other.
    """
    played = undoubled(mine, theirs, owner)
    if owner == 1 or sum(mine) == 0 or sum(theirs) == 0:
        return played
    return max(played, min(2 * undoubled(mine, theirs, 1), Fraction(1)))


@cache
def undoubled(mine: Side, theirs: Side, owner: int | None) -> Fraction:
    """The same after the decision not to double."""
    if sum(theirs) == 0:
        return Fraction(-1)
    if sum(mine) == 0:
        return Fraction(1)
    after_owner = None if owner is None else 1 - owner
    best = (max(-equity(theirs, after, after_owner) for after in plays(mine, roll)) for roll in ROLLS)
    return sum(best) / Fraction(36)
