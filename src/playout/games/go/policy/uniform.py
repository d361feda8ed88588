"""Uniform random play that fills no eyes (Bouzy & Helmstetter 2003; Silver 2009, section 5.6).

Every legal move that does not fill one's own single-point eye is equally likely; pass only when there
is none.
"""

from dataclasses import dataclass

import numpy as np

from playout.games.go.rules import leaves_liberty
from playout.games.go.state import PASS
from playout.games.go.tactics import has_room
from playout.games.go.view import has_empty_neighbour, is_eye
from playout.kernel import below, implements, inner, record_type
from playout.policy import api

UNIFORM = record_type([("uniform_policy", "u1")])


@dataclass(frozen=True, kw_only=True)
class Uniform:
    """Settings of uniform play: none."""

    def record(self) -> np.ndarray:
        """The policy as an array of one record."""
        return np.zeros(1, UNIFORM)


@inner
def sample_uniform(board, careful, rng):
    """Draw empty points without replacement until one may be played; pass if none may.

    careful: leave out moves that put one's own stones into atari.
    """
    me = board.to_play
    n = np.uint32(board.n_empty)
    while n > 0:
        k = below(rng, n)
        p = np.uint32(board.empty[k])
        around = board.around[p]
        if (
            has_empty_neighbour(around)
            or (not is_eye(around, me) and p != board.ko and leaves_liberty(board, p, me))
        ) and not (careful and not has_room(board, p, me)):
            return p
        n -= np.uint32(1)
        other = board.empty[n]
        board.empty[n] = p
        board.place[p] = n
        board.empty[k] = other
        board.place[other] = k
    return np.uint32(PASS)


@implements(api.begin, UNIFORM)
def begin(policy, state):
    pass


@implements(api.sample, UNIFORM)
def sample(policy, board, rng):
    return sample_uniform(board, False, rng)
