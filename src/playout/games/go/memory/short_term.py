"""Short-term memory of local shapes: learnt by a search, from the present position (Silver 2009, 6.8 and
7.4).

No weights are shared, because a search begins in one position, which has no symmetries; shapes of nothing
but empty points are left out. The weights begin at 0, or as those of a long-term memory, which were
learnt before: with the same features in both, the sum of the two memories is one memory that begins there
(7.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from playout.games.go.memory import log  # noqa: F401  what makes the memory's log cheap
from playout.games.go.memory.codes import LOW_BITS, LOW_MASK, REGION_BITS, REGION_MASK, SHAPES, shapes_record
from playout.games.go.memory.shapes import SIZES, Features, Shapes, features_of, parse_sizes
from playout.games.go.memory.shipped import SHIPPED, age, weights_for
from playout.games.go.memory.store import Weights, load
from playout.games.go.policy.uniform import sample_uniform
from playout.games.go.state import PASS
from playout.kernel import implements
from playout.memory.api import Parts, any_choice, virtual_count
from playout.player.learning import NONE


@dataclass(frozen=True, kw_only=True)
class ShortTerm:
    """sizes: of the shapes. long_term: weights to begin with, ``shipped`` or a file; empty: none."""

    sizes: tuple[int, ...] = SIZES
    long_term: str = ""

    def __post_init__(self) -> None:
        Shapes(sizes=self.sizes)  # refuses what is no size

    @classmethod
    def named(cls, shapes: str, long_term: str) -> ShortTerm:
        """From the words of settings: sizes with + between them; ``none``, ``shipped`` or a file.

        >>> ShortTerm.named("1+2", "none")
        ShortTerm(sizes=(1, 2), long_term='')
        """
        word = "" if long_term == NONE else long_term
        if word not in ("", SHIPPED):
            load(word, "values")  # a wrong file is refused at once
        return cls(sizes=parse_sizes(shapes.replace("+", ",")), long_term=word)

    def parts_for(self, root: np.ndarray) -> Parts:
        """The memory for a board size, with the weights of a new game; larger shapes are left out."""
        side = int(root["side"][0])
        sizes = tuple(size for size in self.sizes if size <= side)
        features = features_of(Shapes(side=side, sizes=sizes, sharing="none"))
        if self.long_term:
            weights = _spread(self.long_term, age(self.long_term), side, sizes).copy()
        else:
            weights = np.zeros(2 * (features.per_set + 1), np.float32)
        return Parts(
            shapes_record(features, ignores_empty=True), features.index, weights, features.max_active
        )


@lru_cache(maxsize=2)
def _spread(word: str, age: int, side: int, sizes: tuple[int, ...]) -> np.ndarray:
    features = features_of(Shapes(side=side, sizes=sizes, sharing="none"))
    return spread(weights_for(word, side), features)


def spread(weights: Weights, features: Features) -> np.ndarray:
    """Shared weights as those of features without sharing, in pairs: each has the sum of what it shared.

    Shapes of sizes that the weights do not have get 0.
    """
    shared = weights.features
    own = weights.pairs()
    worth = own[shared.index & LOW_MASK] + own[shared.index >> LOW_BITS]
    there = {region: k for k, region in enumerate(shared.regions)}
    theta = np.zeros(features.per_set, np.float32)
    digits_here, digits_there = _digits(features), _digits(shared)
    for k, region in enumerate(features.regions):
        if region not in there:
            continue
        j = there[region]
        points = region[0] ** 2
        codes = np.arange(3**points)
        start, other = int(features.starts[k]), int(shared.starts[j])
        turned = np.zeros_like(codes)
        for point, value in digits_here[k].items():
            turned += codes // value % 3 * digits_there[j][point]
        theta[start + codes] = worth[other + turned]
        theta[start] = 0.0  # nothing but empty points
    return features.pairs(theta)


def _digits(features: Features) -> list[dict[tuple[int, int], int]]:
    """By region: the value of each of its points' digit in the code."""
    found: list[dict[tuple[int, int], int]] = [{} for _ in features.regions]
    side = features.shapes.side
    for row in range(side):
        for column in range(side):
            for number, value in features.touching(row, column):
                found[number][row, column] = value
    return found


@implements(any_choice, SHAPES)
def any_choice_shapes(memory, board, actions, rng):
    return sample_uniform(board, False, rng)


@implements(virtual_count, SHAPES)
def virtual_count_shapes(memory, index, known, board, action):
    """The mean over the shapes that a stone brings about, captures left out of account."""
    p = np.uint32(action)
    if p == PASS or memory.touching[p] == 0:
        return 0.0
    me = np.uint32(board.to_play)
    seen = np.float32(0.0)
    for k in range(memory.touching[p]):
        word = memory.touched[p, np.uint32(k)]
        spot = np.uint32(memory.spots[np.uint32(word & REGION_MASK)] + np.uint32(word >> REGION_BITS) * me)
        seen += known[0, spot + np.uint32(1)]
    return np.float64(seen / memory.touching[p])
