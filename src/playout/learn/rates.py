"""Numbers that learners are given, and their ranges."""

from __future__ import annotations

import math

from playout.errors import InputError

MOST_SIMULATIONS = 1_000_000
LARGEST_ALPHA = 1000.0


def check_alpha(alpha: float) -> None:
    """A step size."""
    if not (math.isfinite(alpha) and 0 < alpha <= LARGEST_ALPHA):
        raise InputError(f"alpha: {alpha:g} is not a step size above 0 and up to {LARGEST_ALPHA:,.0f}")


def check_count(name: str, count: int, most: int = MOST_SIMULATIONS) -> None:
    """A number of simulations."""
    if not 1 <= count <= most:
        raise InputError(f"{name}: {count} is not a number from 1 to {most:,}")
