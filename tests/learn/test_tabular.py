"""Control by table look-up: against dictionaries, against dynamic programming, and at tic-tac-toe."""

import chain
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.tabular import Table

from playout.errors import InputError
from playout.games import api as game
from playout.games.api import Facts, declare
from playout.games.toy import tictactoe
from playout.kernel import implements, new_rng, record_type
from playout.learn.tabular import Tabular, TabularControl
from playout.memory.blank import Blank
from playout.search.alphabeta import AlphaBeta

PAIRS = 16_167  # of an unfinished position of tic-tac-toe and a move
KINDS = [
    {"method": "monte-carlo", "alpha": None},
    {"method": "monte-carlo", "alpha": 0.2},
    {"method": "q-learning", "alpha": 0.3},
    {"method": "sarsa", "alpha": 0.3},
    {"method": "sarsa", "alpha": None, "lam": 0.7},
    {"method": "sarsa", "alpha": 0.3, "lam": 0.7},
    {"method": "sarsa", "alpha": 0.3, "lam": 0.7, "traces": "replacing"},
]


def compare(kind, root, initial, seed, episodes, longest=10_000):
    """Learn with both, and compare all that was learnt."""
    kind = {"epsilon": 0.3, "longest": longest, **kind}
    learner = TabularControl(Tabular(**kind), seed)
    naive = Table(rng=new_rng(seed), initial=initial, **kind)
    learner.learn(root, episodes)
    for _ in range(episodes):
        naive.episode(root)
    return learner, naive


def check_chain(kind, place, seed, episodes, longest=10_000):
    learner, naive = compare(kind, chain.start(place), 0.0, seed, episodes, longest)
    for place in range(chain.LAST + 1):
        for action, q, n in zip(
            chain.actions(place),
            learner.values(chain.start(place), chain.actions(place)),
            learner.visits(chain.start(place), chain.actions(place)),
            strict=True,
        ):
            assert n == naive.n[place, action]
            assert q == pytest.approx(naive.q[place, action], rel=1e-9)
    assert learner.learnt.steps == sum(naive.n.values())
    return learner


@pytest.mark.parametrize("kind", KINDS, ids=str)
@settings(max_examples=10, deadline=None)
@given(st.integers(0, chain.LAST), st.integers(0, 2**32))
def test_rewards_against_the_naive_twin(kind, place, seed):
    check_chain(kind, place, seed, 20)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_two_players_against_the_naive_twin(kind):
    learner, naive = compare(kind, tictactoe.start(), 0.5, 11, 150)
    state = tictactoe.start()
    for cell in (4, 0, 8):
        found = learner.values(state, range(9))
        key = int(game.position_key(state[0]))
        assert found.tolist() == pytest.approx([naive.q[key, a] for a in range(9)], rel=1e-9)
        game.play(state[0], cell)
    assert learner.learnt.pairs == len(naive.n)


@pytest.mark.small
@pytest.mark.parametrize("kind", [KINDS[0], KINDS[2], KINDS[5]], ids=str)
def test_a_few_episodes(kind):
    check_chain(kind, 4, 1, 3)


@pytest.mark.small
@pytest.mark.parametrize("kind", [KINDS[0], KINDS[5]], ids=str)
def test_long_episodes_are_cut_off(kind):
    learner = check_chain(kind, 3, 1, 6, longest=2)
    assert learner.learnt.steps == 12
    assert learner.learnt.cut == 6


# -- dynamic programming ---------------------------------------------------------------------------------


def learn_chain(episodes, **kind):
    learner = TabularControl(Tabular(**kind), seed=2)
    for _ in range(10):
        for place in range(chain.LAST + 1):
            learner.learn(chain.start(place), episodes)
    return [learner.values(chain.start(place), chain.actions(place)) for place in range(chain.LAST + 1)]


def test_q_learning_finds_the_optimal_values():
    for found, expected in zip(
        learn_chain(10_000, method="q-learning", alpha=0.002, epsilon=0.5), chain.optimal(), strict=True
    ):
        assert found == pytest.approx(expected, abs=0.25)


@pytest.mark.parametrize("kind", [{}, {"lam": 0.8}, {"lam": 0.8, "traces": "replacing"}], ids=str)
def test_sarsa_finds_the_values_of_the_best_soft_policy(kind):
    for found, expected in zip(
        learn_chain(10_000, method="sarsa", alpha=0.002, epsilon=0.3, **kind), chain.soft(0.3), strict=True
    ):
        assert found == pytest.approx(expected, abs=0.25)


def test_monte_carlo_control_finds_them_too():
    for found, expected in zip(
        learn_chain(5_000, method="monte-carlo", alpha=None, epsilon=0.3), chain.soft(0.3), strict=True
    ):
        assert found == pytest.approx(expected, abs=0.25)


def test_the_two_policies_have_different_values():
    """So that the tests above can tell them apart."""
    differences = [
        np.abs(np.subtract(a, b)).max() for a, b in zip(chain.optimal(), chain.soft(0.3), strict=True)
    ]
    assert max(differences) > 0.5


# -- tic-tac-toe -----------------------------------------------------------------------------------------


def legal(state):
    moves = np.zeros(9, np.uint16)
    return moves[: game.legal_moves(state[0], moves)].tolist()


def results(learner, seat, games):
    """Lost, drawn and won games of greedy play against random play."""
    dice, counts = np.random.default_rng(seat), [0, 0, 0]
    for _ in range(games):
        state = tictactoe.start()
        while not game.is_over(state[0]):
            actions = legal(state)
            if state["turn"][0] == seat:
                values = learner.values(state, actions)
                action = actions[int(np.argmax(values if seat == 1 else -values))]
            else:
                action = int(dice.choice(actions))
            game.play(state[0], action)
        z = game.outcome(state[0])
        counts[int(2 * (z if seat == 1 else 1 - z))] += 1
    return counts


@pytest.mark.parametrize(
    ("kind", "most_lost"),
    [
        ({"method": "q-learning", "alpha": 0.5, "epsilon": 0.8}, 0),
        ({"method": "sarsa", "lam": 0.8, "epsilon": 0.3}, 6),
        ({"method": "monte-carlo", "alpha": None, "epsilon": 0.3}, 6),
    ],
    ids=str,
)
def test_it_learns_tic_tac_toe(kind, most_lost):
    learner = TabularControl(Tabular(**kind), seed=3)
    learner.learn(tictactoe.start(), 200_000)
    first, second = results(learner, 1, 300), results(learner, 2, 300)
    assert first[0] + second[0] <= most_lost  # random play loses, and hardly ever wins
    assert first[2] >= 285
    assert second[2] >= 210


def test_q_learning_solves_tic_tac_toe():
    learner = TabularControl(Tabular(method="q-learning", alpha=0.5, epsilon=1.0), seed=4)
    learner.learn(tictactoe.start(), 300_000)
    assert learner.learnt.pairs == PAIRS
    dice, search = np.random.default_rng(1), AlphaBeta(*Blank().parts())
    for _ in range(100):
        state = tictactoe.start()
        for _ in range(int(dice.integers(6))):
            if not game.is_over(state[0]):
                game.play(state[0], int(dice.choice(legal(state))))
        if game.is_over(state[0]):
            continue
        search.start(state, legal(state))
        values = learner.values(state, legal(state))
        best = values.max() if state["turn"][0] == 1 else values.min()
        assert 2 * best - 1 == pytest.approx(np.sign(search.deepen(9).value), abs=0.01)


# -- wrong input -----------------------------------------------------------------------------------------


@pytest.mark.small
def test_a_full_table_stops():
    learner = TabularControl(Tabular(capacity=8), seed=1)
    for _ in range(2):
        with pytest.raises(InputError, match="the table is full with 8 pairs"):
            learner.learn(chain.start(), 100)
    assert learner.learnt.pairs == 8
    places = range(chain.LAST + 1)
    known = sum(int((learner.visits(chain.start(p), chain.actions(p)) > 0).sum()) for p in places)
    assert known == 8


@pytest.mark.small
def test_wrong_settings_get_a_sentence():
    for wrong, sentence in (
        ({"method": "sarza"}, "did you mean sarsa"),
        ({"alpha": 0.0}, "alpha='0.0' is not a number"),
        ({"epsilon": 2.0}, "epsilon='2.0'"),
        ({"capacity": 0}, "capacity='0'"),
        ({"method": "q-learning", "lam": 0.5}, "q-learning has no traces"),
    ):
        with pytest.raises(InputError, match=sentence):
            Tabular(**wrong)


KEYLESS = record_type([("keyless", "u1")])
declare(KEYLESS, Facts(actions=1))
implements(game.is_over, KEYLESS)(lambda state: True)


@pytest.mark.small
def test_a_table_is_for_one_game_with_keys():
    learner = TabularControl(Tabular(capacity=9))
    with pytest.raises(InputError, match="position_key"):
        learner.learn(np.zeros(1, KEYLESS), 1)
    assert learner.values(chain.start(), [0, 1]).tolist() == [0.0, 0.0]
    with pytest.raises(InputError, match="one game"):
        learner.learn(tictactoe.start(), 1)
