"""Local shapes as a move sees them: the four 2×2 squares around a point, and the point itself.

A stone changes the 2×2 squares that its point lies in, its *corners*, and its 1×1 square. By how much it
changes φ·θ is a sum of four numbers, one for each corner; a number is known by its *slot*: which square of
the board (up to symmetry), which of its four points is played, what stands on the other three. The first two
say which point it is (up to symmetry), so the 1×1 shape needs no number of its own: the corners of a point
share it. There are few slots, 325 on 5×5, so what depends on the weights is a small table; and the slots of a
point change only when a stone comes or goes next to it.

A slot has a number for each player, from his own point of view: exchanged colours have negative weights, so
a stone of White's is worth to White what a black one is worth to Black where all colours are exchanged. It
follows that taking an enemy's stone off is worth what the enemy would gain by putting it there. So captures
need no numbers of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from playout.errors import InputError
from playout.games.go.memory.shapes import INDEPENDENT_BITS, Features, features_of
from playout.games.go.state import BLACK, POINTS, STRIDE, WHITE
from playout.kernel import inner

SQUARES = 45  # places of 2×2 squares in one eighth of the largest board
CODES = 27  # what can stand on three points
NOWHERE = 0  # the slot of a square that is not on the board
MOST_SLOTS = 1 + SQUARES * 4 * CODES
PARTS = 4  # slots of a point
TERMS = 6  # weights of a slot's number: two of the square after the stone, two before, two of the point
HALVINGS = 30  # from this bit on a term says how often it is halved: a point has 1, 2 or 4 corners
PLACE = np.uint32((1 << HALVINGS) - 1)  # the bits that say where it lies
SHARE = np.array([1.0, 0.5, 0.25])  # by halvings
LARGEST = 60.0  # a slot's number beyond this is as good as certain; products of them stay finite

# The corners of a point are the squares up left, up right, down left and down right of it. In the square
# at corner j it is cell 3 - j, the cells being in reading order.
CELLS = (0, 1, STRIDE, STRIDE + 1)
# A stone at p is seen by three other points in each of its four corners: where they are, and at which of
# their corners they see it.
_SEEN = [(j, m) for j in range(4) for m in range(4) if m != 3 - j]
REACH = np.array([CELLS[m] - CELLS[3 - j] for j, m in _SEEN], np.int64)
WHOSE = np.array([3 - m for _, m in _SEEN], np.uint32)

# The fields of a record that sees corners.
SEEING = [
    ("corner", "u2", (POINTS, PARTS)),  # the slots of a point now
    ("bare", "u2", (POINTS, PARTS)),  # and on an empty board
    ("step", "u1", (POINTS, len(_SEEN))),  # by how much a stone here changes the slots of those who see it
    ("corner_side", "u2"),
]


class Corners:
    """The slots of a board size, and which weights make their numbers.

    terms: by slot and player, places in the array of pairs (`memory.api`); the number is the sum of what lies
    there, halved as often as the term says.
    """

    def __init__(self, features: Features) -> None:
        shapes = features.shapes
        if features.sets > 1 or shapes.sharing == "none" or max(shapes.sizes) > 2:
            raise InputError(
                "a softmax policy needs weights of 1×1 and 2×2 shapes that are shared, and not by colour to "
                "play or stage of the game; these have "
                f"sizes {', '.join(map(str, shapes.sizes))}, sharing {shapes.sharing}, "
                f"colour {shapes.colour}, stage {shapes.stage}"
            )
        self.features = features
        self.bare = np.zeros((POINTS, PARTS), np.uint16)
        self.step = np.zeros((POINTS, len(_SEEN)), np.uint8)
        self._weighted = 2 in shapes.sizes  # else squares are there to say where a point is
        squares = features if self._weighted else features_of(replace(shapes, sizes=(2,)))
        self._centre = _starts_of_points(features)
        self._corners: dict[int, int] = {}  # by point: how many
        cells: dict[int, list[tuple[int, int]]] = {}  # by square: its points and their digits, in order
        for p, row, column in _points(shapes.side):
            for region, value in squares.touching(row, column):
                if squares.regions[region][0] == 2:
                    self._corners[p] = self._corners.get(p, 0) + 1
                    cells.setdefault(region, []).append((p, round(math.log(value, 3))))
        self._terms = [np.zeros((2, TERMS), np.uint32)]
        self._firsts: dict[tuple[object, ...], int] = {}
        for region, square in cells.items():
            first = self._first(int(squares.starts[region]), square)
            for m, (p, digit) in enumerate(square):
                self.bare[p, 3 - m] = first + CODES * digit
                for other, (_, seen) in enumerate(square):
                    if other != m:  # what a stone at p changes for the point of another cell
                        k = _SEEN.index((3 - m, other))
                        self.step[p, k] = 3 ** (digit - (digit > seen))
        self.terms = np.array(self._terms)

    @property
    def slots(self) -> int:
        """How many there are."""
        return len(self.terms)

    def _first(self, start: int, square: list[tuple[int, int]]) -> int:
        """The first slot of a square whose codes begin at `start`; those with equal weights have the same."""
        points = [p for _, p in sorted((digit, p) for p, digit in square)]
        key = (start, *((self._centre.get(p, 0), self._corners[p]) for p in points))
        if key not in self._firsts:
            self._firsts[key] = len(self._terms)
            for digit, p in enumerate(points):
                for code in range(CODES):
                    low, high = code % 3**digit, code // 3**digit
                    self._terms.append(self._slot(start + low + high * 3 ** (digit + 1), 3**digit, p))
        return self._firsts[key]

    def _slot(self, before: int, digit: int, p: int) -> np.ndarray:
        """Where the weights lie whose sum says what a stone is worth: those after it less those before.

        A point's share of its 1×1 shape is among them; an empty point has no weight.
        """
        terms = np.zeros((2, TERMS), np.uint32)
        halvings = self._corners[p].bit_length() - 1
        for color in (BLACK, WHITE):
            minus = color == WHITE  # who wants the opposite
            if self._weighted:
                terms[color - 1, :2] = self._pair(before + color * digit, minus)
                terms[color - 1, 2:4] = self._pair(before, not minus)
            if p in self._centre:
                terms[color - 1, 4:] = self._pair(self._centre[p] + color, minus)
                terms[color - 1, 4:] |= halvings << HALVINGS
        return terms

    def _pair(self, code: int, minus: bool) -> tuple[int, int]:
        """Where the two weights of a shape lie, or those of the opposite one."""
        word = int(self.features.index[code])
        return (word & ((1 << INDEPENDENT_BITS) - 1)) ^ minus, (word >> INDEPENDENT_BITS) ^ minus

    def fill(self, record: np.ndarray) -> None:
        """Write the fields of `SEEING`, as on an empty board."""
        record["bare"], record["step"] = self.bare, self.step
        record["corner"] = self.bare
        record["corner_side"] = self.features.shapes.side


def _points(side: int) -> Iterator[tuple[int, int, int]]:
    """The points of a board, with row and column."""
    for row in range(side):
        for column in range(side):
            yield (row + 1) * STRIDE + column + 1, row, column


def _starts_of_points(features: Features) -> dict[int, int]:
    """By point: where the codes of its 1×1 shape begin, if there are such shapes."""
    return {
        p: int(features.starts[region])
        for p, row, column in _points(features.shapes.side)
        for region, _ in features.touching(row, column)
        if features.regions[region][0] == 1
    }


@lru_cache(maxsize=16)
def corners_of(features: Features) -> Corners:
    """The corners of some features, made once."""
    return Corners(features)


@inner
def put(seer, p, color):
    """A stone appears at p."""
    for i in range(12):
        q = np.uint32(np.int64(p) + REACH[i])
        seer.corner[q, WHOSE[i]] += np.uint16(seer.step[p, np.uint32(i)]) * np.uint16(color)


@inner
def take(seer, p, color):
    """A stone disappears from p."""
    for i in range(12):
        q = np.uint32(np.int64(p) + REACH[i])
        seer.corner[q, WHOSE[i]] -= np.uint16(seer.step[p, np.uint32(i)]) * np.uint16(color)


@inner
def _weight(theta, place):
    """The weight at a place of the array of pairs: 0, 0, θ_1, −θ_1, θ_2, …"""
    if place < np.uint32(2):
        return 0.0
    x = theta[(place >> np.uint32(1)) - np.uint32(1)]
    return -x if place & np.uint32(1) else x


@inner
def weigh_slots(terms, theta, scale, factor):
    """factor ← exp(scale × number) of every slot and player."""
    for k in range(terms.shape[0]):
        for player in range(2):
            x = 0.0
            for j in range(TERMS):
                term = terms[k, player, j]
                x += SHARE[term >> np.uint32(HALVINGS)] * _weight(theta, term & PLACE)
            factor[k, player] = math.exp(min(max(scale * x, -LARGEST), LARGEST))


@inner
def weights_of_slots(terms, sums, gradient):
    """gradient += the derivative of Σ sums × number by every weight. sums: by slot and player."""
    for k in range(terms.shape[0]):
        for player in range(2):
            x = sums[2 * k + player]
            if x != 0.0:
                for j in range(TERMS):
                    term = terms[k, player, j]
                    place = term & PLACE
                    if place > 1:
                        amount = SHARE[term >> np.uint32(HALVINGS)] * x
                        gradient[(place >> np.uint32(1)) - np.uint32(1)] += (
                            amount if place & np.uint32(1) == np.uint32(0) else -amount
                        )
