"""What can be said of a move at sight: one vocabulary for simulations, priors and learners.

All features are binary, but for the prior's `pattern`, whose number is the logarithm of a learnt value. Each
is told from the rules and a drawing of the position: `tests/naive/move_features.py` does so. Those of
simulations are of three kinds, by what it takes to know them in the middle of a game:

- the *view* of a point: its 3×3 pattern, whether it joins or parts chains there, and its place on the board;
  they change only where a stone comes or goes;
- chains in *atari*, of which there are few, and the chains *next to the last move*: captures, escapes,
  ladders, capturing races, eye spaces, and the distance to the last two moves;
- *self-atari*, which is asked only of a move that is about to be played.

The prior looks at every move of a position once, so it asks more: ladders anywhere, steps along chains.
Simulations say `extend`, `escape` and `vital` of chains and eye spaces next to the last move only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np

from playout.games.go.policy.pattern_values import CODES, classes_for, drawing, real_classes
from playout.games.go.state import BLACK, POINTS, STRIDE, WHITE
from playout.games.go.view import EYE_DIAGONALS, FULL

SIMULATIONS, PRIOR, BOTH = "simulations", "prior", "both"
LINES = 5  # those further in count as the fifth
FAR = 4  # steps from the last move, at most
DISTANCES = 12  # as `pattern_values.distance` tells them, from 2 on; those further off count as the last
NEAR = (2, 3, 4)  # distances to the last two moves that simulations tell: a step, a diagonal one, a jump


@dataclass(frozen=True)
class Feature:
    """A feature by its name, what it means, and who asks for it."""

    name: str
    meaning: str
    asked_by: str = BOTH


_OTHERS = """
corner 1-1      simulations  in the corner
corner 2-1      simulations  on the first line, next to the corner
corner 2-2      simulations  diagonally next to the corner
connect         simulations  its view has stones of ours that are apart there
cut             simulations  its view has stones of the enemy that are apart there
self_atari      both         it leaves one stone one liberty
big_self_atari  both         it leaves a chain of several stones one liberty
capture         both         it captures a chain of one stone
big_capture     both         it captures a chain of several stones
capture_last    simulations  it captures the stone that was played last
capture_saves   simulations  it captures a neighbour of a chain of ours in atari
atari           prior        it puts a chain of two liberties into atari, and is no self-atari
catch           prior        a ladder that it begins catches a chain of one stone
big_catch       prior        the same of several stones
atari_last      simulations  it puts the chain that moved last into atari, and is no self-atari
catch_last      simulations  a ladder that it begins catches the chain that moved last
escape          both         a stone in atari gets away by it, by a ladder read to its end
big_escape      both         the same of several stones
hopeless        both         it extends a chain in atari that does not get away
run             simulations  it gives two liberties to a chain that the last move is not next to, in atari
extend          both         it gives more than two liberties to a chain that has two
defend          prior        the same where a ladder would catch the chain
race            simulations  a liberty of the chain that moved last; it and a chain of ours beside have two
vital           both         the vital point of an eye space
pass            prior        a pass
"""


def _table() -> tuple[Feature, ...]:
    """All of them; the prior's are in the order in which its weights lie."""
    others = {}
    for line in _OTHERS.strip().splitlines():
        name, asked_by, meaning = re.split(r"  +", line, maxsplit=2)
        others[name] = Feature(name, meaning, asked_by)
    numbered = [Feature("pattern", "the logarithm of the learnt value of its 3×3 pattern", PRIOR)]
    numbered += [
        Feature(f"line {k}", f"on line {k} from the edge, at most {LINES}") for k in range(1, LINES + 1)
    ]
    numbered += [Feature(f"steps {k}", f"{k} steps from the last move", PRIOR) for k in range(1, FAR + 1)]
    for k in range(2, DISTANCES + 1):
        numbered.append(Feature(f"distance {k}", f"{k} from the last move", BOTH if k in NEAR else PRIOR))
    numbered += [Feature(f"before {k}", f"{k} from the move before the last", SIMULATIONS) for k in NEAR]
    last = others.pop("pass")
    lonely = [
        Feature(f"lonely {k}", f"no stone within two lines, on line {k}", PRIOR) for k in range(1, LINES + 1)
    ]
    return (*numbered, *others.values(), *lonely, last)


TABLE = _table()
PATTERN_OF = "pattern "  # and its drawing: simulations have a feature for each 3×3 pattern


def names_for(who: str) -> tuple[str, ...]:
    """The names of those that somebody asks for, in order.

    >>> names_for(PRIOR)[:3]
    ('pattern', 'line 1', 'line 2')
    """
    return tuple(feature.name for feature in TABLE if feature.asked_by in (who, BOTH))


@cache
def simulation_names() -> tuple[str, ...]:
    """The names of all features of simulations: those of the table, and after them the 3×3 patterns."""
    return (*names_for(SIMULATIONS), *(PATTERN_OF + drawing(code) for code in real_classes()))


def number_of(name: str) -> int:
    """The number of a feature of simulations that the table has."""
    return names_for(SIMULATIONS).index(name)


# -- the view of a point --------------------------------------------------------------------------------

# The eight neighbours in a circle, by their bit positions in `around`; every other one is orthogonal.
_CIRCLE = (8, 0, 10, 6, 14, 2, 12, 4)


def _apart(codes: np.ndarray, color: int) -> np.ndarray:
    """Whether a view has stones of a colour, orthogonal ones among them, that are not joined within it."""
    stones = np.array([(codes >> shift) & 3 == color for shift in _CIRCLE])
    groups = np.zeros(codes.size, np.int64)
    for k in range(4):  # an orthogonal stone begins a group if nothing joins it with the next one
        here, corner, there = stones[2 * k + 1], stones[(2 * k + 2) % 8], stones[(2 * k + 3) % 8]
        groups += here & ~(corner & there)
    return groups >= 2


@cache
def views() -> tuple[np.ndarray, np.ndarray]:
    """By the view of a point and the player less one: the number of its pattern, and connect (1) and cut (2).

    The number is 0 for the player's own eye, which simulations do not fill; patterns count from 1.
    """
    codes = np.arange(CODES)
    dense = np.zeros(CODES, np.uint16)
    dense[list(real_classes())] = np.arange(1, len(real_classes()) + 1)
    pattern, joins = np.zeros((CODES, 2), np.uint16), np.zeros((CODES, 2), np.uint8)
    for player in (BLACK, WHITE):
        eye = ((codes & FULL[player]) == FULL[player]) & (EYE_DIAGONALS[codes >> 8] >> player & 1 != 0)
        pattern[:, player - 1] = np.where(eye, 0, dense[classes_for(codes, player)])
        joins[:, player - 1] = _apart(codes, player) + 2 * _apart(codes, 3 - player)
    return pattern, joins


PLACES = ("corner 1-1", "corner 2-1", "corner 2-2", *(f"line {k}" for k in range(1, LINES + 1)))

NOWHERE = len(PLACES)


@cache
def places(side: int) -> np.ndarray:
    """By point: which of `PLACES` it is, and NOWHERE beyond the edge."""
    found = np.full(POINTS, NOWHERE, np.uint8)
    for row in range(1, side + 1):
        for column in range(1, side + 1):
            near = sorted((min(row, side + 1 - row), min(column, side + 1 - column)))
            corner = {(1, 1): 0, (1, 2): 1, (2, 2): 2}.get((near[0], near[1]))
            found[row * STRIDE + column] = 2 + min(LINES, near[0]) if corner is None else corner
    return found
