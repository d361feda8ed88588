"""MANGO's heuristic for new nodes: urgencies, relative to the highest (Chaslot et al. 2008, section 2.2).

The urgency here is (V_ce + V_p) × proximity as in the simulations (`policy.mango`), with more knowledge,
since a node is judged once and not at every move. MANGO had large patterns for that, which are not
published; we have two factors that were learnt together with our pattern values: V_p is multiplied by
one for the line of the move, and proximity is one for its distance from the last move.
"""

from dataclasses import dataclass

import numpy as np

from playout.games.go.policy import pattern_values as learnt
from playout.games.go.policy.mango import Mango, pattern_table
from playout.games.go.state import MAX_SIDE, PASS, STRIDE
from playout.games.go.tactics import has_room, stones_in_atari
from playout.kernel import implements, inner, record_type
from playout.search.nodes import heuristic
from playout.settings import like

FARTHEST = 3 * (MAX_SIDE - 1)  # the distance from corner to corner
PASSING = 1.0  # the urgency of a pass: that of the worst pattern

URGENCY = record_type(
    [
        ("pattern_value", "f4", (1 << 16, 2)),  # V_p by view of a point and player
        ("line_factor", "f4", (MAX_SIDE + 1,)),
        ("distance_factor", "f4", (FARTHEST + 1,)),
        ("capture_value", "f8"),
        ("escape_value", "f8"),
    ]
)


@dataclass(frozen=True, kw_only=True)
class Urgency:
    """Settings of MANGO's heuristic; the defaults are the paper's."""

    capture_value: float = like(Mango, "capture_value")
    escape_value: float = like(Mango, "escape_value")
    pattern_exponent: float = like(Mango, "pattern_exponent")

    def record(self) -> np.ndarray:
        """The prior as an array of one record."""
        prior = np.zeros(1, URGENCY)
        prior["pattern_value"] = pattern_table(self.pattern_exponent)
        for name, factors in (
            ("line_factor", learnt.shipped().lines),
            ("distance_factor", learnt.shipped().distances),
        ):
            prior[name] = 1.0
            for place, factor in factors.items():
                prior[name][0, place] = factor
        prior["capture_value"] = self.capture_value
        prior["escape_value"] = self.escape_value
        return prior


@inner
def _urgency(prior, board, p, me):
    """(V_ce + V_p) × proximity of a point."""
    row, column = np.int64(p) // STRIDE, np.int64(p) % STRIDE
    line = min(row, column, board.side + 1 - row, board.side + 1 - column)
    value = prior.pattern_value[np.uint32(board.around[p]), np.uint32(me - 1)] * prior.line_factor[line]
    value += prior.capture_value * stones_in_atari(board, p, np.uint8(3 - me))
    own = stones_in_atari(board, p, me)
    if own > 0 and has_room(board, p, me):
        value += prior.escape_value * own
    last = np.int64(board.last)
    if last != PASS:
        across, along = abs(row - last // STRIDE), abs(column - last % STRIDE)
        value *= prior.distance_factor[across + along + max(across, along)]
    return value


@implements(heuristic, URGENCY)
def relative_urgencies(prior, board, nodes, first, count, selection, grandparent):
    highest = 0.0
    for k in range(count):
        node = nodes[first + np.uint32(k)]
        p = np.uint32(node.action)
        node.prior = PASSING if p == PASS else _urgency(prior, board, p, board.to_play)
        highest = max(highest, node.prior)
    for k in range(count):
        nodes[first + np.uint32(k)].prior /= highest
