"""Values of 3×3 patterns: how much a move is worth by the eight points around it.

A pattern is seen by the player to move: ``X`` is one's own stone, ``O`` the other's, ``.`` empty, ``#``
the edge; three rows, the move in the middle. Patterns that are turns and mirrors of each other are one
class and share a value.

MANGO's values were learnt elsewhere and are not published. Ours are our own, learnt from games of our own
tree search by `playout.games.go.learn.patterns`; the file says how.
"""

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from playout.games.go.policy.patterns import SHIFTS
from playout.games.go.state import BLACK, EDGE, WHITE

FILE = "pattern_values.json"
CODES = 1 << 16
HIGHEST = 2433.0  # MANGO's values range from 1 to this (Chaslot et al. 2008, section 2.1.3)
_LETTERS = ".XO#"


@dataclass(frozen=True)
class Values:
    """What has been learnt. Factors multiply the value of a pattern; what is missing counts 1."""

    patterns: dict[str, float]
    unknown: float = 1.0  # of a pattern that has not been seen
    lines: dict[int, float] = field(default_factory=dict)  # by line from the edge
    distances: dict[int, float] = field(default_factory=dict)  # by `distance` from the last move
    how: dict[str, Any] = field(default_factory=dict)  # how they were made

    def text(self) -> str:
        """The values as the text of a file."""
        return json.dumps(self.__dict__, indent=0, ensure_ascii=False) + "\n"

    @classmethod
    def from_text(cls, text: str) -> "Values":
        """The values of a file's text."""
        found = json.loads(text)
        for name in ("lines", "distances"):
            found[name] = {int(key): value for key, value in found[name].items()}
        return cls(**found)


@cache
def shipped() -> Values:
    """The values that come with the package."""
    return Values.from_text(resources.files(__package__).joinpath("data", FILE).read_text("utf-8"))


def _swapped(codes: np.ndarray) -> np.ndarray:
    """Views with the colours exchanged; empty and edge stay."""
    low, high = codes & 0x5555, codes >> 1 & 0x5555
    return high | low << 1


@cache
def classes() -> np.ndarray:
    """By the view of a point: the class of its pattern for Black to play, a view itself."""
    codes = np.arange(CODES)
    places = {spot: shift for spot, shift in np.ndenumerate(np.array(SHIFTS)) if shift is not None}
    spots = np.arange(9).reshape(3, 3)
    lowest = codes.copy()
    for turn in range(8):
        turned = np.rot90(spots if turn < 4 else spots.T, turn)
        seen = np.zeros_like(codes)
        for spot, shift in places.items():
            origin = divmod(int(turned[spot]), 3)
            seen |= (codes >> places[origin] & 3) << shift
        lowest = np.minimum(lowest, seen)
    return lowest


def classes_for(codes: np.ndarray, player: int) -> np.ndarray:
    """The classes of views for a player to move.

    >>> black, white = 0b01, 0b10  # a stone to the north
    >>> int(classes_for(np.array([black]), 1)[0]) == int(classes_for(np.array([white]), 2)[0])
    True
    """
    return classes()[codes if player == BLACK else _swapped(np.asarray(codes))]


def drawing(code: int) -> str:
    """A view as a pattern for Black to play.

    >>> drawing(0b01)
    '.X. ... ...'
    """
    return " ".join(
        "".join("." if shift is None else _LETTERS[code >> shift & 3] for shift in row) for row in SHIFTS
    )


@cache
def real_classes() -> tuple[int, ...]:
    """The classes that occur on boards: the edge is nowhere, at one side, or at two sides that meet."""
    everywhere = range(3)
    edges = {frozenset(side) for side in ((), ((0, 0), (0, 1), (0, 2)))}
    edges.add(frozenset(((0, 0), (0, 1), (0, 2), (1, 0), (2, 0))))
    all_codes = np.arange(CODES)
    found: set[int] = set()
    for edge in edges:
        fits = np.ones(CODES, bool)
        for row in everywhere:
            for column in everywhere:
                shift = SHIFTS[row][column]
                if shift is not None:
                    fits &= ((all_codes >> shift & 3) == EDGE) == ((row, column) in edge)
        found.update(np.unique(classes()[fits]).tolist())
    return tuple(sorted(found))


@cache
def _drawings() -> tuple[str, ...]:
    """The drawings of `real_classes`: they take long, and every player asks for them."""
    return tuple(drawing(code) for code in real_classes())


def table(values: Values) -> np.ndarray:
    """V_p by the view of a point and the player to move, less one: shape (65536, 2)."""
    by_class = np.full(CODES, values.unknown)
    for code, drawn in zip(real_classes(), _drawings(), strict=True):
        by_class[code] = values.patterns.get(drawn, values.unknown)
    codes = np.arange(CODES)
    return np.stack([by_class[classes_for(codes, player)] for player in (BLACK, WHITE)], axis=1)


def distance(rows: int, columns: int) -> int:
    """How far two points are, as Go players see it: a step aside is 2, a diagonal one 3.

    >>> distance(0, -1), distance(1, 1), distance(0, 2)
    (2, 3, 4)
    """
    across, along = abs(rows), abs(columns)
    return across + along + max(across, along)
