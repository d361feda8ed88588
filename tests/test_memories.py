"""Memories of any game against dictionaries, and what temporal-difference search finds with them."""

import numpy as np
import pytest
from naive import memories as naive

from playout.games.registry import find_game
from playout.kernel import spawn
from playout.memory.groups import Groups
from playout.memory.hashed import contents, held
from playout.memory.rave import Rave
from playout.memory.sequences import Sequences
from playout.memory.table import Table
from playout.policy.random import Random
from playout.search.td_search import TDSearch, TDSettings

CORNER = (("cells[0]", "cells[1]", "cells[4]"), ("cells[8]",), ("cells", "turn"))


def started(name, **options):
    game = find_game(name)
    return game.started(game.configured(options))


def twins(memory, twin, root, *, simulations=30, switch=4, epsilon=0.3, plies=2, online=False, seed=3):
    """The weights that the search has learnt and those of the naive twin, both sorted; and the search."""
    settings = TDSettings(alpha=0.4, epsilon=epsilon, switch=switch, plies=plies, online=online)
    search = TDSearch(memory, Random(), settings, seed=seed)
    search.start(root)
    search.run(simulations)
    (rng,) = spawn(seed, 1)
    wanted = naive.search(
        twin,
        root,
        Random().record_for(root),
        rng,
        simulations,
        alpha=0.4,
        epsilon=epsilon,
        switch=10**9 if switch is None else switch,
        plies=plies,
        online=online,
    )
    index = search.reading()[1]
    keys, theta = contents(index, search.weights)
    extra = len(getattr(twin, "tree", ()))  # states of a tree have a place too
    assert len(keys) == held(index) == len(wanted) + extra
    found = np.sort(theta[theta != 0])
    return found, np.sort([weight for weight in wanted.values() if weight]), search, wanted


CASES = [
    ("tic-tac-toe", {}, Groups(groups=CORNER), lambda: naive.Groups(CORNER)),
    ("tic-tac-toe", {}, Table(), naive.Table),
    ("tic-tac-toe", {}, Table(grows=0), lambda: naive.Table(0)),
    (
        "connect-four",
        {"columns": 3, "rows": 3, "line": 3},
        Groups(
            groups=(
                ("stones<0>", "own<0>"),
                ("stones<1>", "own<1>", "stones<4>", "own<4>"),
                ("stones", "own"),
            )
        ),
        lambda: naive.Groups(
            (("stones<0>", "own<0>"), ("stones<1>", "own<1>", "stones<4>", "own<4>"), ("stones", "own"))
        ),
    ),
    ("tic-tac-toe", {}, Rave(), naive.Rave),
    ("tic-tac-toe", {}, Sequences(length=3), lambda: naive.Sequences(3)),
    ("dice-race", {"squares": 6}, Table(grows=3), lambda: naive.Table(3)),
    (
        "gridworld",
        {"discount": 0.9},
        Groups(groups=(("here",),)),
        lambda: naive.Groups((("here",),), by_player=False),
    ),
]


@pytest.mark.small
@pytest.mark.parametrize("online", [False, True], ids=["swept", "online"])
@pytest.mark.parametrize(("name", "options", "memory", "twin"), CASES)
def test_weights_are_those_of_dictionaries(name, options, memory, twin, online):
    root = started(name, **options)
    one = find_game(name).players == 1
    slow = twin()
    found, wanted, search, theta = twins(
        memory,
        slow,
        root,
        simulations=8 if one else 30,
        switch=None if one else 3,
        plies=1 if one else 2,
        online=online,
    )
    assert len(found) == len(wanted)
    assert found == pytest.approx(wanted, abs=2e-5)
    position = find_game(name).new_position(find_game(name).configured(options))
    moves = position.candidates()
    slow.begin(root[0])
    values = [naive.action_value(slow, theta, root[0], move) for move in moves]
    assert search.values(moves) == pytest.approx(values, abs=1e-4)
