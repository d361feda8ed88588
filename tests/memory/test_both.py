"""The sum of two memories against dictionaries, and as the single-memory shortcut of section 7.4."""

import numpy as np
import pytest
from naive.both import Sum
from toy_memories import Toy

from playout.errors import InputError
from playout.games import api as game
from playout.games.toy import tictactoe
from playout.kernel import spawn
from playout.memory.both import Both
from playout.policy.random import Random
from playout.search.td_search import TDSearch, TDSettings


def search(memory, simulations, seed=3, **settings):
    found = TDSearch(memory, Random(), TDSettings(switch=None, **settings), seed=seed)
    found.start(opening())
    found.run(simulations)
    return found


def opening():
    state = tictactoe.start()
    for cell in (4, 0):
        game.play(state[0], cell)
    return state


@pytest.mark.small
@pytest.mark.parametrize("lam", [0.0, 0.7])
@pytest.mark.parametrize(("long", "short"), [("rows", "cells"), ("cells", "rows")])
def test_the_sum_is_learnt_as_the_pseudocode_says(long, short, lam):
    both = Both(Toy(long, seed=1), Toy(short))
    found = search(both, 8, alpha=0.3, epsilon=0.3, lam=lam, online=True)
    theta = Toy(long).by_name(both.long_term_parts.weights)
    naive = Sum(Toy(long).naive, theta, Toy(short).naive)
    (rng,) = spawn(3, 1)
    for _ in range(8):
        naive.simulate(opening(), rng, alpha=0.3, epsilon=0.3, lam=lam)
    learnt = Toy(short).by_name(found.weights)
    assert learnt == pytest.approx({f: w for f, w in naive.bar.items() if w}, abs=1e-5)
    moves = [1, 2, 3, 5]
    after = []
    for move in moves:
        state = opening()
        game.play(state[0], move)
        after.append(1 / (1 + np.exp(-naive.x(state[0]))))
    assert found.values(moves) == pytest.approx(after, abs=1e-5)


@pytest.mark.small
@pytest.mark.parametrize("online", [False, True])
def test_with_the_same_features_it_is_one_memory_that_begins_with_the_long_term_weights(online):
    settings = {"alpha": 0.2, "epsilon": 0.5, "online": online}
    both = Both(Toy("cells", seed=2), Toy("cells"))
    two = search(both, 20, **settings)
    one = search(Toy("cells", seed=2), 20, **settings)
    long = both.long_term_parts.weights
    assert two.weights[: long.size] + long == pytest.approx(one.weights, abs=1e-5)
    assert two.values([1, 2, 3]) == pytest.approx(one.values([1, 2, 3]), abs=1e-6)


@pytest.mark.small
def test_a_search_leaves_the_long_term_memory_alone_and_a_new_game_clears_the_other():
    both = Both(Toy("rows", seed=4), Toy("cells"))
    found = search(both, 10)
    size = both.long_term_parts.weights.size
    assert np.array_equal(found.weights[-size:], Toy("rows", seed=4).parts_for(opening()).weights)
    assert found.weights[:-size].any()
    before = found.weights.copy()
    found.start(opening())  # the next move of the same game
    assert np.array_equal(found.weights, before)
    both.long_term_parts.weights[2:4] = 1, -1  # real experience
    found.clear()
    found.start(opening())
    assert not found.weights[:-size].any()
    assert found.weights[-size:][2] == 1
    # its step is divided by the short-term features alone
    assert found.reading()[0]["short_weights"][0] == found.weights.size - size


@pytest.mark.small
def test_the_same_seed_gives_the_same_weights():
    one, two = (search(Both(Toy("rows", seed=4), Toy("cells")), 30, seed=5).weights for _ in range(2))
    assert np.array_equal(one, two)


@pytest.mark.small
def test_it_has_no_parts_before_there_is_a_game():
    with pytest.raises(InputError, match="ask for its parts first"):
        Both(Toy(), Toy()).long_term_parts  # noqa: B018
