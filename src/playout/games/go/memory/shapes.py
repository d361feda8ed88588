"""Local shape features: every configuration of every small square of the board (Silver 2009, ch. 5.3, 5.4).

A *region* is a square of 1×1, 2×2 or 3×3 points at one place; its *code* is what stands in it, a number in
base 3 (0 empty, 1 Black, 2 White). In each region exactly one of the 3^(m×m) features is active.

Features share weights. Rotation, reflection and exchange of colours make classes of equal shapes; the
exchanged ones have the negative weight, and a shape that is its own exchange is *neutral*: it would have
θ = -θ, so it has no weight. Location-dependent weights keep the place of a region (up to symmetry of the
board), location-independent ones do not.

The symmetries of the board are dealt with once, in the order in which a region's points are read: a region
is read as its mirror image in one eighth of the board is. Equal shapes at mirrored places then have equal
codes, and only an `index` over (place in that eighth, code) remains, which gives each feature's weight.

>>> features = Features(Shapes(side=9))
>>> features.total, features.unique, features.max_active
(969894, 63303, 388)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from playout.errors import InputError, near
from playout.games.go.coords import parse_side
from playout.settings import setting

SIZES = (1, 2, 3)
SHARING = ("both", "dependent", "independent", "none")
COLOURS = ("either", "own", "all")
LATEST_STAGE = 2  # moves beyond so many times the board's points are all in the last stage
_SHARES = {  # which weights each rule has, in this order
    "both": ("independent", "dependent"),
    "dependent": ("dependent",),
    "independent": ("independent",),
    "none": ("none",),
}
_LETTERS = ".XO"
INDEPENDENT_BITS = 12  # of a word of the index; the dependent weight has the rest

Place = tuple[int, int] | None  # row and column of a region's upper left point; None for any place


@dataclass(frozen=True, kw_only=True)
class Shapes:
    """Which features there are and how they share weights; the defaults are the paper's."""

    side: int = setting(9, "board size, 2 to 19")
    sizes: tuple[int, ...] = setting(SIZES, "sizes of shapes, of 1, 2 and 3")
    sharing: str = setting(
        "both", "weights by location: dependent, independent, both, or none shared at all", choices=SHARING
    )
    # [φ^BW], [φ^B; φ^W] (own) or [φ^B; φ^W; φ^BW] (all), section 5.7.8
    colour: str = setting(
        "either", "features by colour to play: either (not told apart), own, all (both)", choices=COLOURS
    )
    # T: moves that a stage of the game lasts; 0: the stages are not told apart
    stage: int = setting(0, "features by stage of the game: moves a stage; 0 for none")

    def __post_init__(self) -> None:
        parse_side(self.side)
        if not self.sizes:
            raise InputError(f"sizes: no size of shape is given; they are {_listed(SIZES)}")
        for size in self.sizes:
            if type(size) is not int or size not in SIZES:
                raise InputError(f"sizes: {size!r} is not one of {_listed(SIZES)}")
            if size > self.side:
                raise InputError(
                    f"sizes: a {size}×{size} shape does not fit on a {self.side}×{self.side} board"
                )
        if len(set(self.sizes)) < len(self.sizes):
            raise InputError(f"sizes: {_listed(self.sizes)} has a size twice")
        for name, value, known in (("sharing", self.sharing, SHARING), ("colour", self.colour, COLOURS)):
            if value not in known:
                raise InputError(f"{name}: {value!r} is not one of them{near(str(value), known)}")
        if type(self.stage) is not int or not 0 <= self.stage <= 1000:
            raise InputError(f"stage: {self.stage!r} is not a number of moves from 0 to 1,000")
        object.__setattr__(self, "sizes", tuple(sorted(self.sizes)))

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return {**asdict(self), "sizes": list(self.sizes)}


def parse_sizes(words: str) -> tuple[int, ...]:
    """Sizes from words.

    >>> parse_sizes("1,3")
    (1, 3)
    >>> parse_sizes("1,x")
    Traceback (most recent call last):
    ...
    playout.errors.InputError: sizes: 'x' is not one of 1, 2, 3
    """
    found = []
    for word in filter(None, (word.strip() for word in words.split(","))):
        if not word.isascii() or not word.isdigit() or len(word) > 3:
            raise InputError(f"sizes: {word[:40]!r} is not one of {_listed(SIZES)}")
        found.append(int(word))
    if not found:
        raise InputError(f"sizes: no size of shape is given; they are {_listed(SIZES)}")
    return tuple(found)


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes))


@dataclass(frozen=True)
class Shape:
    """A feature as people see it: an example of all that share a weight."""

    size: int
    sharing: str  # whose weight it is: dependent, independent or none
    place: Place  # row and column of its upper left point; None for any place
    code: int

    def rows(self) -> list[str]:
        """The shape as a drawing.

        >>> Shape(2, "independent", None, 1 + 2 * 27).rows()
        ['X.', '.O']
        """
        digits = [_LETTERS[self.code // 3**k % 3] for k in range(self.size**2)]
        return ["".join(digits[k : k + self.size]) for k in range(0, self.size**2, self.size)]


# -- symmetries ---------------------------------------------------------------------------------------

SYMMETRIES = tuple((turn, down, across) for turn in (0, 1) for down in (0, 1) for across in (0, 1))


def moved(symmetry: tuple[int, int, int], row: int, column: int, last: int) -> tuple[int, int]:
    """Where a symmetry takes a point of a square whose last row is `last`: first flips, then the diagonal."""
    turn, down, across = symmetry
    row, column = (last - row if down else row), (last - column if across else column)
    return (column, row) if turn else (row, column)


def fold(row: int, column: int, last: int) -> tuple[int, int, int]:
    """The symmetry that takes a place into one eighth of the board, where row ≤ column ≤ last / 2."""
    for symmetry in SYMMETRIES:
        r, c = moved(symmetry, row, column, last)
        if r <= c <= last - c:
            return symmetry
    raise AssertionError("every place has an image in the eighth")


@cache
def _digits(size: int) -> np.ndarray:
    """The codes of a size, a row of digits each."""
    codes = np.arange(3 ** (size * size))
    return codes[:, None] // 3 ** np.arange(size * size) % 3


@cache
def _classes(size: int, group: tuple[tuple[int, int, int], ...]) -> tuple[np.ndarray, np.ndarray]:
    """By code: the smallest code of its class under a group, and the sign there, 0 if it is neutral."""
    digits = _digits(size)
    values = 3 ** np.arange(size * size)
    opposite = np.array([0, 2, 1])[digits]
    plain, exchanged = [], []
    for symmetry in group:
        order = [0] * (size * size)
        for k in range(size * size):
            r, c = moved(symmetry, *divmod(k, size), size - 1)
            order[r * size + c] = k
        plain.append(digits[:, order] @ values)
        exchanged.append(opposite[:, order] @ values)
    same, other = np.min(plain, axis=0), np.min(exchanged, axis=0)
    return np.minimum(same, other), np.sign(other - same)


# -- the features of a board --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Block:
    """The weights of one size of shape at one place of the eighth, or at all places."""

    size: int
    sharing: str
    place: Place
    first: int  # number of its first weight
    weights: int
    pairs: np.ndarray  # by code: where its weight lies in the array of pairs, 0 if it has none


class Features:
    """All features of a board size, their weights' numbers, and the tables that kernels need."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.regions = [
            (size, row, column)
            for size in shapes.sizes
            for row in range(shapes.side - size + 1)
            for column in range(shapes.side - size + 1)
        ]
        self._build()

    def __repr__(self) -> str:
        return f"Features({self.unique:,} weights of {self.shapes})"

    def _build(self) -> None:
        """Number the weights, a block of codes at a time, and say for every place and code which it has.

        A word of the index packs where the independent weight lies in the array of pairs (the low bits)
        and where the dependent one does: one look-up finds both.
        """
        self.blocks: list[_Block] = []
        words: dict[tuple[str, int, Place], np.ndarray] = {}
        self.per_set = 0
        kinds = _SHARES[self.shapes.sharing]
        for sharing in kinds:
            for size in self.shapes.sizes:
                for place in self._places(sharing, size):
                    pairs, count = _numbers(size, self._group(sharing, size, place), self.per_set)
                    self.blocks.append(_Block(size, sharing, place, self.per_set, count, pairs))
                    words[sharing, size, place] = pairs
                    self.per_set += count
        starts, parts, filled = {}, [], 0
        for size in self.shapes.sizes:
            for place in self._places(kinds[-1], size):
                starts[size, place] = filled
                parts.append(
                    sum(
                        _packed(sharing, words[sharing, size, place if sharing == kinds[-1] else None])
                        for sharing in kinds
                    )
                )
                filled += 3 ** (size * size)
        if self.shapes.sharing == "none":
            self.index = np.zeros(1, np.uint32)  # a feature's number is its weight's: kernels need no index
        else:
            self.index = np.concatenate(parts).astype(np.uint32)
        self.places = filled
        self.starts = np.array(
            [starts[size, self._place(kinds[-1], size, row, column)] for size, row, column in self.regions],
            np.uint32,
        )

    def _places(self, sharing: str, size: int) -> Iterator[Place]:
        last = self.shapes.side - size
        if sharing == "independent":
            yield None
        elif sharing == "none":
            yield from ((row, column) for row in range(last + 1) for column in range(last + 1))
        else:
            yield from ((row, column) for column in range(last // 2 + 1) for row in range(column + 1))

    def _place(self, sharing: str, size: int, row: int, column: int) -> Place:
        """Where in the blocks a region is found."""
        last = self.shapes.side - size
        if sharing == "independent":
            return None
        return (row, column) if sharing == "none" else moved(fold(row, column, last), row, column, last)

    def _group(self, sharing: str, size: int, place: Place) -> tuple[tuple[int, int, int], ...] | None:
        """The symmetries that shapes at a place share weights by; None: no sharing at all."""
        if sharing == "none":
            return None
        last = self.shapes.side - size
        return tuple(s for s in SYMMETRIES if place is None or moved(s, *place, last) == place)

    def touching(self, row: int, column: int) -> list[tuple[int, int]]:
        """The regions that a point lies in, each with the value of the point's digit in the code."""
        return self._touching[row, column]

    @cached_property
    def _touching(self) -> dict[tuple[int, int], list[tuple[int, int]]]:
        side = self.shapes.side
        found: dict[tuple[int, int], list[tuple[int, int]]] = {
            (row, column): [] for row in range(side) for column in range(side)
        }
        for number, (size, row, column) in enumerate(self.regions):
            symmetry = fold(row, column, side - size) if self.shapes.sharing != "none" else SYMMETRIES[0]
            for r in range(size):
                for c in range(size):
                    a, b = moved(symmetry, r, c, size - 1)
                    found[row + r, column + c].append((number, 3 ** (a * size + b)))
        return found

    @property
    def total(self) -> int:
        """How many features there are, in one set."""
        return sum(3 ** (size * size) for size, _, _ in self.regions)

    @property
    def sets(self) -> int:
        """How many times the features are there, for colours to play and stages of the game."""
        return {"either": 1, "own": 2, "all": 3}[self.shapes.colour] * self.stages

    @property
    def stages(self) -> int:
        """How many stages of the game are told apart."""
        stage = self.shapes.stage
        return 1 if stage == 0 else -(-LATEST_STAGE * self.shapes.side**2 // stage)

    @property
    def unique(self) -> int:
        """How many weights there are."""
        return self.per_set * self.sets

    @property
    def stride(self) -> int:
        """From one set of weights to the next, in the array of pairs."""
        return 2 * (self.per_set + 1)

    @property
    def max_active(self) -> int:
        """The greatest number of active features."""
        kinds = len(_SHARES[self.shapes.sharing])
        return kinds * len(self.regions) * (2 if self.shapes.colour == "all" else 1)

    def facts(self) -> dict[str, Any]:
        """The counts, as in Table 5.1."""
        by_size: dict[str, Any] = {}
        for size in self.shapes.sizes:
            regions = sum(region[0] == size for region in self.regions)
            by_size[str(size)] = {
                "total": regions * 3 ** (size * size),
                "max_active": regions,
                **{
                    sharing: sum(b.weights for b in self.blocks if (b.size, b.sharing) == (size, sharing))
                    for sharing in _SHARES[self.shapes.sharing]
                },
            }
        return {"total": self.total, "unique": self.unique, "max_active": self.max_active, "by_size": by_size}

    def pairs(self, theta: np.ndarray) -> np.ndarray:
        """The array that kernels read: θ and -θ in pairs, a pair of zeros before each set."""
        table = np.zeros((self.sets, self.per_set + 1, 2), np.float32)
        table[:, 1:, 0] = np.asarray(theta).reshape(self.sets, self.per_set)
        table[:, 1:, 1] = -table[:, 1:, 0]
        return table.reshape(-1)

    def theta(self, pairs: np.ndarray) -> np.ndarray:
        """The weights out of the array that kernels read."""
        return pairs.reshape(self.sets, self.per_set + 1, 2)[:, 1:, 0].reshape(-1).copy()

    def example(self, weight: int) -> Shape:
        """A shape that has a weight, with the positive sign."""
        number = weight % self.per_set
        block = next(b for b in self.blocks if b.first <= number < b.first + b.weights)
        return Shape(block.size, block.sharing, block.place, int(np.argmax(block.pairs == 2 * (number + 1))))


def _packed(sharing: str, pairs: np.ndarray) -> np.ndarray:
    """Where weights lie, at its place in a word of the index."""
    return pairs if sharing == "independent" else pairs << INDEPENDENT_BITS


def _numbers(size: int, group: tuple[tuple[int, int, int], ...] | None, first: int) -> tuple[np.ndarray, int]:
    """By code: where its weight lies in the array of pairs; and how many weights that makes."""
    if group is None:
        count = 3 ** (size * size)
        return 2 * (np.arange(count) + first + 1), count
    canonical, sign = _classes(size, group)
    kept = np.unique(canonical[sign != 0])
    pair = 2 * (np.searchsorted(kept, canonical) + first + 1) + (sign < 0)
    return np.where(sign == 0, 0, pair), kept.size


@cache
def features_of(shapes: Shapes) -> Features:
    """The features of some settings, made once."""
    return Features(shapes)
