"""Intervals of means."""

from __future__ import annotations

import math

import numpy as np

from playout.arena.elo import Z95

STUDENT = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706)  # 97.5 % quantiles of t with 1 to 5 degrees of freedom


def mean_interval(errors: np.ndarray, most: float = 1.0, least: float = 0.0) -> tuple[float, float]:
    """The 95 % interval of the mean of numbers between the least and the most they can be, by Student's t.

    >>> [round(end, 3) for end in mean_interval(np.array([0.1, 0.2, 0.3, 0.2]))]
    [0.07, 0.33]
    >>> mean_interval(np.array([0.2]))
    (0.0, 1.0)
    """
    n = errors.size
    if n < 2:
        return least, most
    half = student(n - 1) * float(errors.std(ddof=1)) / math.sqrt(n)
    mean = float(errors.mean())
    return max(least, mean - half), min(most, mean + half)


def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: from a table, then by Fisher's expansion, right to 0.1 %."""
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    z, v = Z95, float(freedom)
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )
