"""Players that look one ply ahead: the play that leaves the position which a network likes best.

Tesauro & Galperin's base players: `lin1` sees the raw board and has no hidden layer, `lin2` is the same with
noise added to what it thinks of plays, `lin3` also sees chances to be hit; `td10` and `td80` have a hidden
layer and a rich encoding, `td` is the best network that comes with the package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from playout.games.backgammon.memory.network import NETWORK, OUTPUTS
from playout.games.backgammon.memory.shipped import SHIPPED, network_for, record_of
from playout.kernel import implements
from playout.memory.network import best_action, turned, value_of
from playout.policy import api
from playout.settings import setting


@implements(api.sample, NETWORK)
def sample(net, state, rng):
    return best_action(net, state, rng)


@implements(api.estimate, NETWORK)
def estimate(net, state, chances):
    value = value_of(net, state)
    second = state.turn == 2
    if net.outputs == 1:  # one number says nothing of gammons: what it is worth as plain wins and losses
        chances[0] = (1.0 + max(-1.0, min(1.0, -value if second else value))) / 2.0
        for k in range(1, OUTPUTS):
            chances[k] = 0.0
        return -value if second else value
    if second:
        turned(net, net.y, net.y)
    for k in range(OUTPUTS):
        chances[k] = np.float64(net.y[k])
    return -value if second else value


@dataclass(frozen=True, kw_only=True)
class ByNetwork:
    """Settings of a policy that plays by a network."""

    name: ClassVar[str] = "td"
    weights: str = setting(SHIPPED, "weights of the network: a file, or 'shipped'", file_unless=(SHIPPED,))

    bearoff: bool = setting(True, "values of bear-offs from exact tables")

    def record(self) -> np.ndarray:
        """The policy as an array of one record."""
        return record_of(network_for(self.weights, self.name), getattr(self, "noise", 0.0), self.bearoff)


@dataclass(frozen=True, kw_only=True)
class Lin3(ByNetwork):
    """Settings of lin3."""

    name: ClassVar[str] = "lin3"
    bearoff: bool = setting(False, "values of bear-offs from exact tables")


@dataclass(frozen=True, kw_only=True)
class Td10(ByNetwork):
    """Settings of td10."""

    name: ClassVar[str] = "td10"


@dataclass(frozen=True, kw_only=True)
class Td80(ByNetwork):
    """Settings of td80."""

    name: ClassVar[str] = "td80"


@dataclass(frozen=True, kw_only=True)
class Td(ByNetwork):
    """Settings of td, the best network."""
