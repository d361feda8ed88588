"""Pictures of a tuning: numbers on a logarithmic axis that people read."""

import pytest

from playout.reproduce.tuner import landscape
from playout.tune.pictures import MOST_TICKS, _ticks
from playout.tune.space import Parameter

RANGES = [(1e-8, 1e9), (1, 1.0001), (300, 400), (0.01, 0.02), (9, 11)]


@pytest.mark.parametrize(
    "parameter",
    [
        *landscape(1).space.parameters,
        *(Parameter(name="x", low=low, high=high, default=low, scale="log") for low, high in RANGES),
    ],
    ids=lambda parameter: f"{parameter.low:g}-{parameter.high:g}",
)
def test_a_logarithmic_axis_has_a_few_round_numbers_in_its_range(parameter):
    found = _ticks(parameter)
    assert 2 <= len(found) <= MOST_TICKS
    assert parameter.low <= found[0] < found[-1] <= parameter.high
    assert found == sorted(found)
    assert all(len(f"{tick:g}") <= 7 for tick in found)
