"""A model that is learnt: what it remembers, what it draws, and how searches plan with it."""

from collections import Counter

import chain
import numpy as np
import pytest
from naive.sparse import step

from playout.errors import InputError
from playout.games import api as game
from playout.games.toy import random_walk, tictactoe
from playout.kernel import new_rng
from playout.memory.table import Table
from playout.policy.random import Random
from playout.search.learnt_model import LearntModel, Model
from playout.search.models import observed
from playout.search.td_search import TDSearch, TDSettings


def experience(model, steps, seed=1):
    """Random steps in the chain, from everywhere; what came of each pair, counted."""
    dice, rng, seen = np.random.default_rng(seed), new_rng(seed), {}
    for _ in range(steps):
        place = int(dice.integers(chain.LAST + 1))
        action = int(dice.choice(chain.actions(place)))
        after, paid, fade = step(chain.start(place), action, rng)
        model.update(chain.start(place), action, paid, fade, after)
        seen.setdefault((place, action), Counter())[paid, fade, int(after["place"][0])] += 1
    return seen


@pytest.mark.small
def test_it_draws_by_what_was_counted():
    model = LearntModel(chain.start())
    seen = experience(model, 300)
    for (place, action), came in seen.items():
        state = model.root(chain.start(place))
        game.play(state[0], action)
        assert game.is_chance(state[0])
        probabilities = np.zeros(16)
        count = int(game.chances(state[0], probabilities))
        found = {}
        for event in range(count):
            after = state.copy()
            game.happen(after[0], event)
            there = int(observed(after[0])["place"])
            paid, fade = float(game.reward(after[0])), float(game.discount(after[0]))
            found[paid, fade, there] = probabilities[event]
            assert game.is_over(after[0]) == (there < 0 or there > chain.LAST)
        total = sum(came.values())
        assert found == pytest.approx({key: times / total for key, times in came.items()})


@pytest.mark.small
def test_what_was_never_seen_ends_a_simulation():
    model = LearntModel(chain.start(), Model(unknown=-3.0))
    model.update(chain.start(3), chain.RIGHT, 0.0, 0.9, chain.start(4))
    state = model.root(chain.start(3))
    assert not game.is_over(state[0])
    tried = state.copy()
    game.play(tried[0], chain.LEFT)  # an action that was not made
    assert game.is_over(tried[0])
    assert game.outcome(tried[0]) == -3.0
    game.play(state[0], chain.RIGHT)
    game.roll(state[0], new_rng(1)[0])
    assert int(observed(state[0])["place"]) == 4
    assert float(game.discount(state[0])) == 0.9
    game.play(state[0], chain.LEFT)  # a state that was never left
    assert game.is_over(state[0])
    moves = np.zeros(3, np.uint16)
    assert int(game.legal_moves(model.root(chain.start(0))[0], moves)) == 2


def test_td_search_plans_with_it():
    model, dice = LearntModel(random_walk.start(states=5)), np.random.default_rng(1)
    for _ in range(200):
        state = random_walk.start(states=5)
        while not game.is_over(state[0]):
            before, action = state.copy(), int(dice.integers(2))
            game.play(state[0], action)
            model.update(before, action, float(game.reward(state[0])), 1.0, state)
    search = TDSearch(Table(grows=0), Random(), TDSettings(switch=None, plies=1, alpha=0.2), seed=1)
    search.start(model.root(random_walk.start(states=5)))
    search.run(500)
    left, right = search.values([0, 1])
    assert right > 0.9
    assert right > left


@pytest.mark.small
def test_it_says_when_it_is_full():
    for room, sentence in (
        (Model(states=2), "full with 2 states"),
        (Model(transitions=3), "full with 3 transitions"),
        (Model(events=1), "more than 1 different things"),
    ):
        with pytest.raises(InputError, match=sentence):
            experience(LearntModel(chain.start(), room), 100)
    with pytest.raises(InputError, match="one game"):
        LearntModel(chain.start()).update(tictactoe.start(), 0, 0.0, 1.0, tictactoe.start())
