"""Simulation policies by name."""

from playout.games.go.policy.greedy import Greedy
from playout.games.go.policy.mango import Mango
from playout.games.go.policy.mogo import Mogo
from playout.games.go.policy.softmax import Softmax
from playout.games.go.policy.tactical import Tactical
from playout.games.go.policy.uniform import Uniform

POLICIES: dict[
    str, type[Uniform] | type[Mogo] | type[Tactical] | type[Mango] | type[Greedy] | type[Softmax]
] = {
    "uniform": Uniform,
    "mogo": Mogo,
    "tactical": Tactical,
    "mango": Mango,
    "shapes": Greedy,
    "softmax": Softmax,
}

__all__ = ["POLICIES", "Greedy", "Mango", "Mogo", "Softmax", "Tactical", "Uniform"]
