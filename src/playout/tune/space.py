"""What is tuned: parameters with their ranges, and the scale on which the tuner sees them.

The tuner works on vectors of numbers: logarithms where a scale is logarithmic (section 3.3 of Chaslot et al.
2008), the number of a choice where there are choices. Whole numbers are rounded on the way out, which the
paper counts as part of the fitness.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from playout.errors import InputError

Value = float | int | str
SCALES = ("linear", "log")
KINDS = ("real", "integer", "choice")
DIGITS = 6  # of a real number that an engine is given


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter. choices: its words, where it is one of several; else it is a number of a range.

    setting: the key of one of our players; gtp: or a GTP command with {value} in it. With neither it is a
    place {NAME} in the player's command line.

    >>> c = Parameter(name="c", low=0.1, high=100, default=8, scale="log")
    >>> round(c.value(c.bounds[0] / 2 + c.bounds[1] / 2), 2)
    3.16
    """

    name: str
    low: float = 0.0
    high: float = 1.0
    scale: str = "linear"
    kind: str = "real"
    choices: tuple[str, ...] = ()
    default: Value = 0.0
    setting: str | None = None
    gtp: str | None = None

    def __post_init__(self) -> None:
        if self.kind == "choice":
            self._check_choices()
            return
        low, high = self.low, self.high
        if not (math.isfinite(low) and math.isfinite(high)):
            raise InputError(f"parameter {self.name}: the range {low:g} to {high:g} has no end")
        if low == high:
            raise InputError(f"parameter {self.name}: the range {low:g} to {high:g} is empty")
        if low > high:
            raise InputError(f"parameter {self.name}: the range {low:g} to {high:g} is the wrong way round")
        if self.scale == "log" and low <= 0:
            through = "through 0" if high > 0 else "below 0"
            raise InputError(
                f"parameter {self.name}: a logarithmic scale cannot go {through}, as {low:g} to {high:g} does"
            )
        if self.kind == "integer" and (low != round(low) or high != round(high)):
            raise InputError(
                f"parameter {self.name}: a whole number has whole bounds, not {low:g} and {high:g}"
            )
        if isinstance(self.default, str) or not low <= self.default <= high:
            raise InputError(
                f"parameter {self.name}: the default {self.default} is not from {low:g} to {high:g}"
            )
        if self.kind == "integer" and self.default != round(self.default):
            raise InputError(f"parameter {self.name}: the default {self.default} is not a whole number")

    def _check_choices(self) -> None:
        if len(set(self.choices)) < 2 or len(set(self.choices)) < len(self.choices):
            raise InputError(f"parameter {self.name}: choices are two words or more, each given once")
        if self.default not in self.choices:
            raise InputError(
                f"parameter {self.name}: the default {self.default!r} is not one of {', '.join(self.choices)}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """Its range on the tuner's scale."""
        if self.kind == "choice":
            return 0.0, float(len(self.choices) - 1)
        return (math.log(self.low), math.log(self.high)) if self.scale == "log" else (self.low, self.high)

    def value(self, x: float) -> Value:
        """What an engine is given for a number of the tuner's."""
        if self.kind == "choice":
            return self.choices[int(x)]
        number = math.exp(x) if self.scale == "log" else x
        number = min(max(number, self.low), self.high)  # exp(log(high)) may be beyond
        if self.kind == "integer":
            return math.floor(number + 0.5)  # to the closest integer (section 3.3)
        return float(f"{number:.{DIGITS}g}")

    def number(self, value: Value) -> float:
        """The other way round."""
        if self.kind == "choice":
            return float(self.choices.index(str(value)))
        assert not isinstance(value, str)
        return math.log(value) if self.scale == "log" else float(value)

    def ends(self) -> list[Value]:
        """Values that an engine must take, if it is to take all."""
        if self.kind == "choice":
            return list(self.choices)
        return [self.value(x) for x in self.bounds]


def word(value: Value) -> str:
    """A value as it is written in specs and commands.

    >>> word(0.43), word(3), word("mogo")
    ('0.43', '3', 'mogo')
    """
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Space:
    """All parameters; a point is a vector with a number for each."""

    parameters: tuple[Parameter, ...]

    def __post_init__(self) -> None:
        if not self.parameters:
            raise InputError("there are no parameters to tune")

    @cached_property
    def low(self) -> np.ndarray:
        """The lower bounds."""
        return np.array([parameter.bounds[0] for parameter in self.parameters])

    @cached_property
    def high(self) -> np.ndarray:
        """The upper bounds."""
        return np.array([parameter.bounds[1] for parameter in self.parameters])

    @cached_property
    def choices(self) -> np.ndarray:
        """How many choices there are at each place; 0 for a number."""
        return np.array([len(parameter.choices) for parameter in self.parameters])

    @property
    def default(self) -> np.ndarray:
        """The point of the default values."""
        return np.array([parameter.number(parameter.default) for parameter in self.parameters])

    def values(self, x: Sequence[float] | np.ndarray) -> dict[str, Value]:
        """The values of a point, by name."""
        return {
            parameter.name: parameter.value(float(number))
            for parameter, number in zip(self.parameters, x, strict=True)
        }

    def point(self, values: Mapping[str, Value]) -> np.ndarray:
        """The point of values by name."""
        return np.array([parameter.number(values[parameter.name]) for parameter in self.parameters])
