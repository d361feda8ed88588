"""The local shape prior: H(s, a) = Q_rlgo(s, a), the learnt value after a move (Silver 2009, section 8.6)."""

import math
from dataclasses import dataclass

import numpy as np

from playout.games.go.memory.codes import FROZEN_FIELDS, frozen_memory, value_after, worth_of_all
from playout.games.go.memory.shipped import SHIPPED, frozen_for
from playout.kernel import implements, inner, record_type
from playout.memory.api import look
from playout.search.nodes import heuristic
from playout.settings import setting

SHAPE_PRIOR = record_type([("shape_sharpness", "f8"), *FROZEN_FIELDS])
frozen_memory(SHAPE_PRIOR)


@dataclass(frozen=True, kw_only=True)
class ShapePrior:
    """Learnt values of local shapes."""

    sharpness: float = setting(1.0, "what φ·θ is multiplied by before it is squashed", low=0, high=100)
    weights: str = setting(SHIPPED, "learnt weights: 'shipped' or a file", file_unless=(SHIPPED,))

    def record_for(self, root: np.ndarray) -> np.ndarray:
        """The prior for a board size, as an array of one record."""
        prior = frozen_for(self, root, SHAPE_PRIOR)
        prior["shape_sharpness"] = self.sharpness
        return prior


@inner
def set_priors(prior, sharpness, board, nodes, first, count):
    """Give each new node the value after its move, by a frozen memory."""
    look(prior, prior.frozen, prior.frozen, board)
    now = worth_of_all(prior)
    me = board.to_play
    for k in range(count):
        node = nodes[first + np.uint32(k)]
        x = value_after(prior, prior.frozen, prior.frozen, board, node.action, me, now) * sharpness
        node.prior = 1.0 / (1.0 + math.exp(-x if me == 1 else x))


@implements(heuristic, SHAPE_PRIOR)
def shape_prior(prior, board, nodes, first, count, selection, grandparent):
    set_priors(prior, prior.shape_sharpness, board, nodes, first, count)
