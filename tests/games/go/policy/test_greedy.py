"""Policies over learnt values: what they choose, and how often."""

import math

import numpy as np
import pytest
from draw import empty_board

from playout.errors import InputError
from playout.games.api import is_over, play
from playout.games.go.board import Board
from playout.games.go.memory.shipped import shipped
from playout.games.go.policy import Greedy
from playout.kernel import kernel, new_rng
from playout.player.registry import make_player
from playout.policy.api import Copies, sample
from playout.search.simulation import evaluate


@kernel
def draw_many(policies, state, counts, times, rng):
    for _ in range(times):
        counts[sample(policies[0], state, rng[0])] += 1


def position(side=5, moves=8, seed=3):
    board = Board(side)
    dice = np.random.default_rng(seed)
    for _ in range(moves):
        board.play(int(dice.choice(board.legal_moves()[:-1])))
    return board


def shares(board, times=40_000, **settings):
    """How often each move is drawn."""
    root = board.simulation_root()
    counts = np.zeros(500, np.int64)
    draw_many(Copies(Greedy(**settings)).at(root)[0], root[0], counts, times, new_rng(1))
    return counts / times


def values(board):
    """Q(s, a) of the candidates for the side to move, by the player of the same weights."""
    moves, x = make_player("shapes").values(board)
    return np.array(moves), 1 / (1 + np.exp(-x.astype(float)))


@pytest.mark.parametrize("moves", [0, 7, 8])
def test_epsilon_greedy(moves):
    board = position(moves=moves)
    found = shares(board, epsilon=0.4)
    candidates, q = values(board)
    n = len(candidates)
    best = candidates[np.flatnonzero(q == q.max())]
    assert found[best].sum() == pytest.approx(0.6 + 0.4 * len(best) / n, abs=0.015)
    others = np.setdiff1d(candidates, best)
    assert found[others] == pytest.approx(np.full(n - len(best), 0.4 / n), abs=0.01)


def test_without_chance_it_is_greedy():
    board = position()
    candidates, q = values(board)
    for settings in ({"epsilon": 0.0}, {"chance": "noise", "sigma": 0.0}):
        assert shares(board, 50, **settings)[candidates[q.argmax()]] == 1


def test_softmax():
    board = position()
    candidates, q = values(board)
    expected = np.exp(q / 0.1)
    assert shares(board, chance="softmax", tau=0.1)[candidates] == pytest.approx(
        expected / expected.sum(), abs=0.012
    )


def test_softmax_with_little_chance_is_greedy():
    """Values far below 1 must not all become 0 in single precision."""
    board = position()
    candidates, q = values(board)
    assert shares(board, 200, chance="softmax", tau=0.0001)[candidates[q.argmax()]] > 0.9
    assert shares(board, 200, chance="softmax", tau=0.002)[candidates[q.argmax()]] > 0.3


def test_noise():
    board = position()
    candidates, q = values(board)
    found = shares(board, chance="noise", sigma=0.1)[candidates]
    dice = np.random.default_rng(2)
    noisy = q + 0.1 * dice.normal(size=(40_000, len(q)))
    expected = np.bincount(noisy.argmax(axis=1), minlength=len(q)) / 40_000
    assert found == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize("chance", ["epsilon", "noise", "softmax"])
def test_games_end(chance):
    board = Board(5)
    root = board.simulation_root()
    policy = Copies(Greedy(chance=chance)).at(root)[0]
    total, moves = evaluate(root, root.copy(), policy, 100, new_rng(1))
    assert 0 <= total <= 100
    assert 1000 < moves < 7500


def test_one_policy_for_many_games_and_positions():
    """What it has seen of one game does not disturb another."""
    root = Board(5).simulation_root()
    policy = Copies(Greedy(epsilon=0.0)).at(root)[0]
    state = empty_board(5)
    moves = []
    for _ in range(40):
        if is_over(state):
            break
        p = int(sample(policy[0], state, new_rng(1)[0]))
        fresh = Copies(Greedy(epsilon=0.0)).at(root)[0]
        assert p == int(sample(fresh[0], state, new_rng(1)[0]))
        moves.append(p)
        play(state, p)
    assert len(set(moves)) > 10


def test_a_board_size_has_its_own_weights():
    copies = Copies(Greedy())
    nine = copies.at(Board(9).record)[0]
    again = copies.at(Board(9).record)[0]
    assert nine is again
    five = copies.at(Board(5).record)[0]
    assert int(five["shape_side"][0]) == 5
    assert int(nine["shape_side"][0]) == 9


def test_weights_of_another_board_are_refused(tmp_path):
    shipped(5).save(tmp_path / "w.npz")
    player = make_player(f"flat:policy=shapes,policy.weights={tmp_path / 'w.npz'},sims=1")
    assert player.choose_action(Board(5)) >= 0
    if shipped(5).shapes.sharing != "independent":
        with pytest.raises(InputError, match="for 5×5 boards"):
            player.choose(Board(9))


def test_q_is_the_squashed_value():
    _, q = values(position())
    assert np.all((q > 0) & (q < 1))
    assert math.isclose(float(q.max()), float(max(q)))
