"""Figure 5.5: how often local shapes occur, against counts by hand."""

import json

import numpy as np
import pytest

from playout.cli import main
from playout.errors import InputError
from playout.games.go.memory.shapes import Features, Shapes
from playout.games.go.memory.store import Weights
from playout.reproduce.frequencies import frequencies, summary


@pytest.fixture
def tiny():
    shapes = Shapes(side=3, sizes=(1, 2))
    return Weights(shapes, np.zeros(Features(shapes).unique, np.float32), {})


def test_stones_are_counted_once_a_position_and_set(tiny):
    counts = frequencies(tiny, 50, seed=3)
    told = summary(tiny, counts)
    stones = told["1×1 location-independent"]
    # every stone of every position is one active feature of each of the two sets of 1×1 shapes
    assert stones["weights"] == 1
    assert stones["total"] == told["1×1 location-dependent"]["total"] > 50
    # a shape that is its own exchange at any place may not be so at its place on the board
    assert 0 < told["2×2 location-independent"]["total"] < told["2×2 location-dependent"]["total"]
    assert sum(row["weights"] for row in told.values()) == len(counts) == tiny.theta.size


def test_games_repeat_and_add_up(tiny):
    few, more = frequencies(tiny, 20, seed=1), frequencies(tiny, 40, seed=1)
    assert np.array_equal(few, frequencies(tiny, 20, seed=1))
    assert (more >= few).all()
    assert more.sum() > few.sum()
    with pytest.raises(InputError, match="games: 0"):
        frequencies(tiny, 0)


def test_the_command_draws(tmp_path, capsys):
    picture = tmp_path / "f.png"
    words = ["reproduce", "frequencies", "--size", "5", "--games", "5", "--output", str(picture)]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert told["sets"]["3×3 location-dependent"]["never"] > 0
    assert main(words) == 0
    assert "3×3 location-independent" in capsys.readouterr().out
