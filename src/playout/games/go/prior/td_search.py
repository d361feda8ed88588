"""Temporal-difference search as prior: H(s, a) = V(s∘a) by what a short search at the root has learnt (10.2).

Silver (2009) tried it in vain: what the search learns is of positions up to six moves on (6.9.5), and the
tree is deeper. A tree that is taken over from move to move has a new search for its new nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from playout.games.api import is_over
from playout.games.go.memory.codes import LOOKING, frozen_memory, start_record
from playout.games.go.memory.shapes import SIZES, Shapes, features_of
from playout.games.go.memory.shipped import SHIPPED, age
from playout.games.go.memory.short_term import ShortTerm
from playout.games.go.policy.mogo import Mogo
from playout.games.go.prior.shapes import ShapePrior, set_priors
from playout.kernel import implements, record_type
from playout.player.learning import NONE
from playout.player.td_search import TDSearchSettings
from playout.search.nodes import heuristic
from playout.search.td_search import TDSearch, TDSettings
from playout.settings import like, setting

LARGEST_3X3 = 13  # the largest board with 3×3 shapes: theirs are nearly all the features that there are
MOST = sum((LARGEST_3X3 + 1 - size) ** 2 * 3 ** (size * size) for size in SIZES)
TD_PRIOR = record_type([("td_sharpness", "f8"), *LOOKING, ("frozen", "f4", (MOST,))])
frozen_memory(TD_PRIOR)


@dataclass(frozen=True, kw_only=True)
class TDSearchPrior:
    """What temporal-difference search has learnt at the root."""

    td_sims: int = setting(1000, "simulations of the search at the root", low=1, high=1_000_000)
    shapes: str = setting(
        "1+2+3", f"sizes of local shapes; 3×3 ones on boards up to {LARGEST_3X3}×{LARGEST_3X3}"
    )
    long_term: str = setting(
        SHIPPED, "weights that the search begins with: none, 'shipped' or a file", file_unless=(SHIPPED, NONE)
    )
    alpha: float = like(TDSearchSettings, "alpha")
    switch: int | None = like(TDSearchSettings, "switch")
    sharpness: float = like(ShapePrior, "sharpness")
    seed: int | None = like(TDSearchSettings, "seed")

    def __post_init__(self) -> None:
        self.memory()  # refuses what cannot be

    def memory(self) -> ShortTerm:
        """What the search learns into."""
        return ShortTerm.named(self.shapes, self.long_term)

    def record_for(self, root: np.ndarray) -> np.ndarray:
        """The prior for the tree of a root, as an array of one record."""
        return _learnt(self, age(self.long_term), root.tobytes(), root.dtype)


@lru_cache(maxsize=2)
def _learnt(prior: TDSearchPrior, written: int, state: bytes, dtype: np.dtype) -> np.ndarray:
    """The same again for the same root: of a search with a seed it would be the same anyway."""
    root = np.frombuffer(bytearray(state), dtype)
    side = int(root["side"][0])
    memory = prior.memory()
    sizes = tuple(size for size in memory.sizes if size <= (2 if side > LARGEST_3X3 else side))
    features = features_of(Shapes(side=side, sizes=sizes, sharing="none"))
    settings = TDSettings(alpha=prior.alpha, switch=prior.switch)
    search = TDSearch(ShortTerm(sizes=sizes, long_term=memory.long_term), Mogo(), settings, seed=prior.seed)
    search.start(root)
    if not bool(is_over(root[0])):
        search.run(prior.td_sims)
    record = start_record(np.zeros(1, TD_PRIOR), features)
    record["td_sharpness"] = prior.sharpness
    record["frozen"][0, : features.total] = features.theta(search.weights)
    return record


@implements(heuristic, TD_PRIOR)
def td_search_prior(prior, board, nodes, first, count, selection, grandparent):
    set_priors(prior, prior.td_sharpness, board, nodes, first, count)
