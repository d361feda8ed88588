"""Local shapes as a move sees them: the four 2×2 squares around a point, and the point itself.

A stone changes the 2×2 squares that its point lies in, its *corners*, and its 1×1 square. By how much it
changes φ·θ is a sum of five numbers, one for each; a number is known by its *slot*: which square of the board
(up to symmetry), which of its four points is played, what stands on the other three. There are few slots: 330
on 5×5, so what depends on the weights is a small table, and the slots of a point change only when a stone
comes or goes next to it.

A slot has a number for each player, from his own point of view: exchanged colours have negative weights, so
a stone of White's is worth to White what a black one is worth to Black where all colours are exchanged. It
follows that taking an enemy's stone off is worth what the enemy would gain by putting it there. So captures
need no numbers of their own.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from playout.errors import InputError
from playout.games.go.state import BLACK, POINTS, STRIDE, WHITE
from playout.kernel import inner, kernel
from playout.memory.shapes import INDEPENDENT_BITS, Features

SQUARES, CENTRES = 45, 55  # places of 2×2 and of 1×1 squares in one eighth of the largest board
CODES = 27  # what can stand on three points
NOWHERE = 0  # the slot of a square that is not on the board
MOST_SLOTS = 1 + SQUARES * 4 * CODES + CENTRES
PARTS = 5  # slots of a point: four corners and the point itself
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

    terms: by slot and player, four places in the array of pairs; the number is the sum of what lies there.
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
        self._terms = [np.zeros((2, 4), np.uint32)]
        self._firsts: dict[int, int] = {}
        cells: dict[int, list[tuple[int, int]]] = {}  # by region: its points and their digits, in order
        for row in range(shapes.side):
            for column in range(shapes.side):
                p = (row + 1) * STRIDE + column + 1
                for region, value in features.touching(row, column):
                    digit = round(math.log(value, 3))
                    if features.regions[region][0] == 1:
                        self.bare[p, 4] = self._first(int(features.starts[region]), 1)
                    else:
                        cells.setdefault(region, []).append((p, digit))
        for region, square in cells.items():
            first = self._first(int(features.starts[region]), 4)
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

    def _first(self, start: int, digits: int) -> int:
        """The first slot of a place in the eighth whose codes begin at `start`."""
        if start not in self._firsts:
            self._firsts[start] = len(self._terms)
            for digit in range(digits):
                for code in range(CODES if digits > 1 else 1):
                    low, high = code % 3**digit, code // 3**digit
                    self._terms.append(self._slot(start + low + high * 3 ** (digit + 1), 3**digit))
        return self._firsts[start]

    def _slot(self, before: int, digit: int) -> np.ndarray:
        """Where the weights lie whose sum says what a stone is worth: those after it less those before."""
        mask = (1 << INDEPENDENT_BITS) - 1
        index = self.features.index
        terms = np.zeros((2, 4), np.uint32)
        for color in (BLACK, WHITE):
            after, now = int(index[before + color * digit]), int(index[before])
            minus = color == WHITE  # who wants the opposite
            terms[color - 1] = (
                (after & mask) ^ minus,
                (after >> INDEPENDENT_BITS) ^ minus,
                (now & mask) ^ (not minus),
                (now >> INDEPENDENT_BITS) ^ (not minus),
            )
        return terms

    def fill(self, record: np.ndarray) -> None:
        """Write the fields of `SEEING`, as on an empty board."""
        record["bare"], record["step"] = self.bare, self.step
        record["corner"] = self.bare
        record["corner_side"] = self.features.shapes.side


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


@kernel
def weigh_slots(terms, pairs, scale, factor):
    """factor ← exp(scale × number) of every slot and player."""
    for k in range(terms.shape[0]):
        for player in range(2):
            x = 0.0
            for j in range(4):
                x += pairs[terms[k, player, j]]
            factor[k, player] = math.exp(min(max(scale * x, -LARGEST), LARGEST))


@kernel
def weights_of_slots(terms, credit, gradient):
    """gradient += the derivative of Σ credit × number by every weight."""
    for k in range(terms.shape[0]):
        for player in range(2):
            x = credit[k, player]
            if x != 0.0:
                for j in range(4):
                    place = terms[k, player, j]
                    if place > 1:
                        gradient[(place >> np.uint32(1)) - np.uint32(1)] += (
                            x if place & np.uint32(1) == np.uint32(0) else -x
                        )
