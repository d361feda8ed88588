"""Dyna-2 against Algorithm 6 in plain Python, and the algorithms that are its special cases."""

import chain
import numpy as np
import pytest
from naive.dyna2 import Dyna2 as Naive
from naive.heuristic_mcts import Tree
from naive.sarsa import Sarsa as NaiveSarsa
from toy_memories import Keyed, Toy

from playout.errors import InputError
from playout.games import api as game
from playout.games.api import facts_of
from playout.games.toy import tictactoe
from playout.kernel import new_rng, spawn
from playout.learn.sarsa import Sarsa, SarsaControl
from playout.learn.td import GREEDY_TO_THE_END, train
from playout.memory.table import Table
from playout.memory.td import EXPERIENCE, Learner
from playout.policy.random import Random
from playout.search.dyna2 import Dyna2, Dyna2Settings
from playout.search.learnt_model import Model
from playout.search.self_play import Episode
from playout.search.td_search import TDSearch, TDSettings

EMPTY = Keyed((0, 0))  # φ = ∅
LEARNING = Sarsa(alpha=0.3, epsilon=0.3, lam=0.6)


def chain_values(agent, **long_term):
    places = range(chain.LAST + 1)
    return np.concatenate([agent.values(chain.start(p), chain.actions(p), **long_term) for p in places])


@pytest.mark.small
@pytest.mark.parametrize(("long", "short"), [((3, 0), (1, 0)), ((1, 0), (2, 3))], ids=str)
def test_it_learns_and_searches_as_algorithm_6_says(long, short):
    agent = Dyna2(
        Keyed(long),
        Keyed(short),
        Dyna2Settings(simulations=3, learning=LEARNING, search=LEARNING),
        seed=4,
    )
    world, (dreams,) = new_rng(4), spawn(4, 1)
    naive = Naive(
        Keyed(long).naive,
        Keyed(short).naive,
        world,
        dreams,
        alpha=0.3,
        epsilon=0.3,
        lam=0.6,
        simulations=3,
    )
    returns = agent.learn(chain.start(), 5)
    assert returns == pytest.approx([naive.episode(chain.start()) for _ in range(5)], abs=1e-4)
    pairs = [(chain.start(p), a) for p in range(chain.LAST + 1) for a in chain.actions(p)]
    assert chain_values(agent) == pytest.approx([naive.short.q(*pair) for pair in pairs], abs=1e-3)
    wanted = [naive.long.q(*pair) for pair in pairs]
    assert chain_values(agent, long_term=True) == pytest.approx(wanted, abs=1e-3)


@pytest.mark.small
def test_without_short_term_memory_it_is_linear_sarsa():
    agent = Dyna2(Keyed((2, 3)), EMPTY, Dyna2Settings(simulations=2, learning=LEARNING), seed=6)
    sarsa = SarsaControl(Keyed((2, 3)), LEARNING, seed=6)
    assert agent.learn(chain.start(), 12) == pytest.approx(sarsa.returns(chain.start(), 12))
    assert np.array_equal(agent.long_term_weights, sarsa.weights)
    assert not agent.short_term_weights.any()


@pytest.mark.small
def test_without_long_term_memory_it_is_linear_td_search():
    agent = Dyna2(EMPTY, Keyed((2, 3)), Dyna2Settings(search=LEARNING), seed=6)
    agent.search(chain.start(2), 10)
    agent.search(chain.start(4), 10)  # what was learnt is kept
    facts = facts_of(chain.CHAIN)
    naive = NaiveSarsa(
        Keyed((2, 3)).naive,
        spawn(6, 1)[0],
        rule="linear",
        alpha=0.3,
        epsilon=0.3,
        lam=0.6,
        traces="accumulating",
        initial=0.0,
        low=facts.low,
        high=facts.high,
    )
    for place in (2, 4):
        for _ in range(10):
            naive.episode(chain.start(place))
    wanted = [naive.q(chain.start(p), a) for p in range(chain.LAST + 1) for a in chain.actions(p)]
    assert chain_values(agent) == pytest.approx(wanted, abs=1e-3)
    assert not agent.long_term_weights.any()


@pytest.mark.small
def test_memories_are_cleared_kept_and_left_alone():
    agent = Dyna2(Keyed((3, 0)), Keyed((1, 0)), Dyna2Settings(simulations=5), seed=1)
    agent.learn(chain.start(), 3)
    long = agent.long_term_weights.copy()
    assert long.any()
    agent.clear()
    assert not agent.short_term_weights.any()
    agent.search(chain.start(), 20)
    once = agent.short_term_weights.copy()
    assert once.any()
    agent.search(chain.start(), 1)  # the next step of the same episode
    changed = np.flatnonzero(agent.short_term_weights != once)
    assert 0 < changed.size < np.count_nonzero(once)
    assert np.array_equal(agent.long_term_weights, long)


@pytest.mark.small
def test_the_same_seed_gives_the_same_weights():
    one, two = (Dyna2(Keyed((3, 0)), Keyed((1, 0)), Dyna2Settings(simulations=5), seed=1) for _ in range(2))
    assert np.array_equal(one.learn(chain.start(), 3), two.learn(chain.start(), 3))
    assert np.array_equal(one.long_term_weights, two.long_term_weights)
    assert np.array_equal(one.short_term_weights, two.short_term_weights)


def test_a_search_finds_the_values_of_the_best_soft_policy():
    """By dynamic programming; whatever the long-term memory says before."""
    learning = Sarsa(alpha=0.3, epsilon=1.0)
    agent = Dyna2(
        Keyed((3, 0)),
        Keyed((1, 0)),
        Dyna2Settings(simulations=0, learning=learning, search=Sarsa(alpha=0.005, epsilon=0.3, lam=0.5)),
        seed=2,
    )
    agent.learn(chain.start(), 20)
    long = agent.long_term_weights.copy()
    for _ in range(10):
        for place in range(chain.LAST + 1):
            agent.search(chain.start(place), 3000)
    assert chain_values(agent) == pytest.approx(np.concatenate(chain.soft(0.3)), abs=0.3)
    assert np.abs(chain_values(agent, long_term=True) - np.concatenate(chain.soft(0.3))).max() > 1
    assert np.array_equal(agent.long_term_weights, long)


# -- Monte-Carlo tree search ------------------------------------------------------------------------------


def opening(*cells):
    state = tictactoe.start()
    for cell in cells:
        game.play(state[0], cell)
    return state


@pytest.mark.parametrize("confidence", [0, 5], ids=["plain", "heuristic"])
def test_a_growing_table_is_monte_carlo_tree_search(confidence):
    """Plain (6.7), and with a heuristic that counts for C visits (8.11.1)."""
    long = Toy("cells", seed=1 if confidence else None)
    by_counts = Sarsa(
        alpha=1 / (confidence + 1) if confidence else 1.0,
        halving=confidence + 1 if confidence else 1.0,
        steps="per-feature",
        lam=1.0,
        epsilon=0.2,
    )
    agent = Dyna2(
        long, Table(), Dyna2Settings(search=by_counts, by_action=True, leaves=True), Random(), seed=8
    )
    root = opening(4, 0)
    agent.search(root, 80)  # fewer than it takes for rounding to part equal means

    def heuristic(state, action):
        x = sum(theta.get(f, 0.0) for f in Toy("cells").naive(state))
        return 0.5 + x

    theta = Toy("cells").by_name(long.parts_for(root).weights)
    tree = Tree(spawn(8, 1)[0], epsilon=0.2, heuristic=heuristic, confidence=confidence)
    for _ in range(80):
        tree.simulate(root)
    for cells in [(4, 0), (4, 0, 8), (4, 0, 1), (4, 0, 2, 6)]:
        state = opening(*cells)
        moves = tree.moves(state)
        if (tree.key(state), moves[0]) in tree.q:
            wanted = [tree.q[tree.key(state), move] for move in moves]
            assert agent.values(state, moves) == pytest.approx(wanted, abs=1e-4)
    assert max(tree.n.values()) > 10


# -- two players, by states (Algorithm 7) --------------------------------------------------------------------


def test_two_players_without_long_term_memory_are_td_search():
    search = Sarsa(rule="logistic", alpha=0.3, epsilon=0.3, plies=2)
    agent = Dyna2(None, Toy("cells"), Dyna2Settings(learning=search, search=search), seed=3)
    other = TDSearch(
        Toy("cells"), Random(), TDSettings(alpha=0.3, epsilon=0.3, switch=None, online=True), seed=3
    )
    root = opening(4, 0)
    agent.search(root, 40)
    other.start(root)
    other.run(40)
    assert np.array_equal(agent.short_term_weights, other.weights)
    assert agent.values(root, [1, 2, 3]) == pytest.approx(other.values([1, 2, 3]), abs=1e-7)


def test_two_players_without_short_term_memory_learn_by_self_play():
    learning = Sarsa(rule="logistic", alpha=0.3, epsilon=0.3, plies=2)
    agent = Dyna2(Toy("cells"), None, Dyna2Settings(learning=learning), seed=3)
    agent.learn(tictactoe.start(), 15)
    parts, learner, root = Toy("cells").parts_for(None), Learner(alpha=0.3, epsilon=0.3), tictactoe.start()
    train(
        root,
        root.copy(),
        parts.memory,
        parts.index,
        parts.weights,
        parts.weights,
        learner.record(),
        GREEDY_TO_THE_END,
        Episode.of(learner, parts.weights, 9, 9, 9).arrays(),
        np.zeros(1, EXPERIENCE),
        new_rng(3),
        15,
    )
    assert np.array_equal(agent.long_term_weights, parts.weights)


# -- wrong input ---------------------------------------------------------------------------------------------


@pytest.mark.small
def test_wrong_settings_get_a_sentence():
    for wrong, sentence in (
        ({"simulations": -1}, "simulations='-1'"),
        ({"switch": -1}, "switch='-1'"),
        ({"leaves": True}, "per-feature"),
    ):
        with pytest.raises(InputError, match=sentence):
            Dyna2Settings(**wrong)
    agent = Dyna2(Keyed(), Keyed())
    agent.search(chain.start(), 0)
    with pytest.raises(InputError, match="belong to one game"):
        agent.learn(tictactoe.start(), 1)
    with pytest.raises(InputError, match="values of actions"):
        Dyna2(None, None, Dyna2Settings(model=Model())).learn(tictactoe.start(), 1)
