"""Simulation policies by name."""

from playout.policy.mogo import Mogo
from playout.policy.uniform import Uniform

POLICIES: dict[str, type[Uniform] | type[Mogo]] = {"uniform": Uniform, "mogo": Mogo}

__all__ = ["POLICIES", "Mogo", "Uniform"]
