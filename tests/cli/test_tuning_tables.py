"""Tables of a tuning: all parameters are in it, however many there are."""

import numpy as np
import pytest
from rich.console import Console

from playout.cli.tuning_tables import generations_table
from playout.tune.analytic import Hill
from playout.tune.cross_entropy import CrossEntropy, CrossEntropySettings
from playout.tune.space import Parameter, Space
from playout.tune.tuner import Batches, Tuning


@pytest.mark.parametrize("count", [1, 4, 5, 11])
def test_every_parameter_is_in_the_table(count):
    names = [f"parameter_{k}" for k in range(count)]
    space = Space(tuple(Parameter(name=name, low=1, high=9, default=3, scale="log") for name in names))
    hill = Hill(space, np.zeros(count), np.full(count, 50.0), 0.0)
    method = CrossEntropy(space, CrossEntropySettings(samples=10, generations=2), 1)
    tuning = Tuning(space, method, Batches(batch=4), hill)
    list(tuning.run())
    screen = Console(width=110)
    with screen.capture() as capture:
        screen.print(generations_table(tuning))
    said = capture.get()
    assert [name for name in names if name not in said] == []
    assert "×÷" in said
