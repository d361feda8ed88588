"""MANGO: UCT with progressive bias and widening over urgency simulations (Chaslot et al. 2008)."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from playout.games.go.policy import Mango
from playout.player.searcher import TreePlayer, TreeSettings
from playout.search.mcts import Selection
from playout.settings import like, setting


@dataclass(frozen=True, kw_only=True)
class MangoSettings(TreeSettings):
    """Settings of a tree search with MANGO's eleven parameters; the defaults are those of Table 3."""

    policy: str = setting("mango", "simulation policy, or a file of softmax weights")
    prior: str = setting("urgency", "heuristic H for new nodes")
    urgency: float = setting(
        1e6, "value of a move without experience, before its bias (first-play urgency)", low=-1e6, high=1e6
    )
    exploration: float = setting(
        0.7, "C: UCT exploration coefficient, of values from -1 to 1", low=0, high=100
    )
    expand: int = setting(10, "T: visits at which a leaf gets children", low=0, high=1_000_000)
    capture_value: float = like(Mango, "capture_value")
    escape_value: float = like(Mango, "escape_value")
    pattern_exponent: float = like(Mango, "pattern_exponent")
    proximity_factor: float = like(Mango, "proximity_factor")
    pb_factor: float = setting(8.0, "PB_f: factor of the progressive bias; 0: none", low=0, high=1e6)
    pb_exponent: float = setting(1.0, "PB_e: power of the heuristic in it", low=0, high=100)
    pw_initial: int = setting(
        5, "k_init: children that progressive widening begins with; 0: all of them", low=0, high=1000
    )
    pw_factor: float = setting(40.0, "A: visits at which it goes on", low=0, high=1e9)
    pw_base: float = setting(1.2, "B: how many times more visits for each further child", low=1, high=1000)


class MangoPlayer(TreePlayer):
    """Searches a tree with the progressive strategies."""

    settings: MangoSettings

    def _selection(self, silent: int) -> Selection:
        s = self.settings
        return dataclasses.replace(
            super()._selection(silent),
            # The paper's values go from -1 to 1 and the tree's from 0 to 1: halve what is added to them.
            # And UCB1 has a 2 under its root in the tree, the paper's formula (1) has none.
            exploration=s.exploration / 2 / (math.sqrt(2) if s.rave == "none" else 1),
            pb_factor=s.pb_factor / 2,
            pb_exponent=s.pb_exponent,
            pw_initial=s.pw_initial,
            pw_factor=s.pw_factor,
            pw_base=s.pw_base,
        )
