"""Simulation policies by name."""

from playout.policy.greedy import Greedy
from playout.policy.mango import Mango
from playout.policy.mogo import Mogo
from playout.policy.softmax import Softmax
from playout.policy.tactical import Tactical
from playout.policy.uniform import Uniform

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
