"""The tactical prior: H(s, a) from what a move looks like, with weights that were learnt from searches.

The features of a move (`features`) have weights; their sum z(s, a) makes a softmax that tells where a
search will spend its simulations:

    π(s, a) = exp z(s, a) / Σ_b exp z(s, b),    H(s, a) = 1/2 + scale × log(n π(s, a))

with n the number of moves, so that a move like any other is worth a half; H is kept between `lowest` and
1. The weights that come with the package were made by `playout.games.go.learn.moves`; their file says how.
"""

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from playout.games.go.prior.features import LOOKING, NAMES, PATTERN, look_at, look_round, open_eyes
from playout.kernel import implements, inner, record_type
from playout.search.nodes import heuristic
from playout.settings import setting

FILE = "move_weights.json"
TACTICAL_PRIOR = record_type([*LOOKING, ("weights", "f8", (len(NAMES),)), ("scale", "f8"), ("lowest", "f8")])


@cache
def shipped() -> dict[str, float]:
    """The weights that come with the package, by name of feature."""
    text = resources.files(__package__).joinpath("data", FILE).read_text("utf-8")
    return {name: float(weight) for name, weight in json.loads(text)["weights"].items()}


@dataclass(frozen=True, kw_only=True)
class TacticalPrior:
    """How much the prior says."""

    scale: float = setting(0.15, "how far H leaves a half", low=0, high=10)
    lowest: float = setting(0.02, "the lowest H of a move", low=0, high=0.5)

    def record(self) -> np.ndarray:
        """The prior as an array of one record."""
        prior = open_eyes(np.zeros(1, TACTICAL_PRIOR))
        prior["weights"] = [shipped()[name] for name in NAMES]
        prior["scale"], prior["lowest"] = self.scale, self.lowest
        return prior


@inner
def _weigh(prior, board, p, me):
    """z(s, a)."""
    z = prior.weights[PATTERN] * look_at(prior, board, p, me)
    for j in range(prior.n_found):
        z += prior.weights[prior.found[np.uint32(j)]]
    return z


@implements(heuristic, TACTICAL_PRIOR)
def tactical(prior, board, nodes, first, count, selection, grandparent):
    look_round(prior, board)
    total = 0.0
    for k in range(count):
        node = nodes[first + np.uint32(k)]
        z = _weigh(prior, board, np.uint32(node.action), board.to_play)
        node.prior = z
        total += math.exp(z)
    even = math.log(total / count)
    for k in range(count):
        node = nodes[first + np.uint32(k)]
        node.prior = min(1.0, max(prior.lowest, 0.5 + prior.scale * (node.prior - even)))
