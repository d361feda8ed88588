"""Simulation policies by name."""

from playout.policy.mogo import Mogo
from playout.policy.tactical import Tactical
from playout.policy.uniform import Uniform

POLICIES: dict[str, type[Uniform] | type[Mogo] | type[Tactical]] = {
    "uniform": Uniform,
    "mogo": Mogo,
    "tactical": Tactical,
}

__all__ = ["POLICIES", "Mogo", "Tactical", "Uniform"]
