"""Temporal-difference search against Algorithm 5, and what it finds."""

import numpy as np
import pytest
from naive import td_search as naive
from naive.step_sizes import Steps

from playout.errors import InputError
from playout.games.api import play
from playout.games.go.board import Board
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.shipped import shipped
from playout.games.go.memory.short_term import ShortTerm, spread
from playout.games.go.memory.squares import Squares
from playout.games.go.policy import Mogo, Tactical, Uniform
from playout.games.registry import find_game
from playout.kernel import kernel, spawn
from playout.memory.api import active, look, virtual_count
from playout.memory.groups import Groups
from playout.memory.table import Table
from playout.policy.random import Random
from playout.search.td_search import TDSearch, TDSettings


def by_feature(pairs, shapes):
    """The weights that are not 0, by feature, as the naive twin names them."""
    features = features_of(shapes)
    theta = features.theta(pairs)
    found = {}
    for number in np.flatnonzero(theta):
        shape = features.example(int(number))
        found[shape.size, *shape.place, "".join(shape.rows())] = float(theta[number])
    return found


@pytest.mark.parametrize("online", [False, True], ids=["swept", "online"])
@pytest.mark.parametrize(
    ("seed", "epsilon", "switch", "policy", "mixed"),
    [
        (1, 1.0, 4, Mogo(), {}),
        (2, 1.0, 0, Uniform(), {}),
        (3, 0.3, 3, Mogo(), {}),
        (4, 0.1, 6, Uniform(), {}),
        (5, 0.0, 2, Mogo(), {}),
        (6, 0.2, 5, Mogo(), {"policy_epsilon": 0.4}),
        (7, 0.1, 2, Mogo(), {"late_epsilon": 0.5}),
        (12, 0.12, 4, Tactical(), {"policy_epsilon": 0.18, "late_epsilon": 0.4}),
    ],
)
def test_weights_are_those_of_the_pseudocode(seed, epsilon, switch, policy, mixed, online):
    board = Board(4, komi=1.5).play("B2").play("C3").play("B3")
    settings = TDSettings(alpha=0.3, epsilon=epsilon, switch=switch, online=online, **mixed)
    memory = ShortTerm(sizes=(1, 2, 3))
    search = TDSearch(memory, policy, settings, seed=seed)
    root = board.simulation_root()
    search.start(root)
    search.run(6)
    found = by_feature(search.weights, Shapes(side=4, sharing="none"))
    (rng,) = spawn(seed, 1)
    wanted = naive.search(
        {},
        root,
        policy.record(),
        rng,
        6,
        sizes=(1, 2, 3),
        alpha=0.3,
        epsilon=epsilon,
        switch=switch,
        online=online,
        **mixed,
    )
    wanted = {feature: weight for feature, weight in wanted.items() if weight}
    assert found.keys() == wanted.keys()
    assert found == pytest.approx(wanted, abs=2e-5)
    moves = board.candidates()[:-1]
    after = [
        naive.value(wanted, naive.features(board.copy().play(m).simulation_root()[0], (1, 2, 3)))
        for m in moves
    ]
    assert search.values(moves) == pytest.approx(after, abs=1e-4)
    # the negative of each weight beside it
    assert np.array_equal(search.weights[::2], -search.weights[1::2])


@pytest.mark.parametrize("rule", ["decaying", "per-feature", "kalman"])
def test_step_sizes_that_adapt_are_those_of_the_equations(rule):
    board = Board(4, komi=1.5).play("B2").play("C3").play("B3")
    root = board.simulation_root()
    settings = TDSettings(alpha=0.7, epsilon=1.0, switch=3, steps=rule, halving=3.0, variance=0.05)
    search = TDSearch(ShortTerm(), Mogo(), settings, seed=5)
    search.start(root)
    search.run(12)
    steps = Steps(rule, 0.7, 3.0, 0.05)
    (rng,) = spawn(5, 1)
    simulation = {"sizes": (1, 2, 3), "alpha": 0.7, "epsilon": 1.0, "switch": 3, "online": False}
    wanted = naive.search({}, root, Mogo().record(), rng, 12, steps=steps, **simulation)
    found = by_feature(search.weights, Shapes(side=4, sharing="none"))
    assert found == pytest.approx({f: w for f, w in wanted.items() if w}, abs=2e-5)


def test_optimism_prefers_what_was_seldom_seen():
    """Black stones are about as frequent everywhere; without a bonus the first move is the same each time."""

    def black_stones(optimism):
        settings = TDSettings(alpha=1e-6, epsilon=0.0, switch=1, optimism=optimism)
        search = TDSearch(ShortTerm(sizes=(1,)), Uniform(), settings, seed=3)
        search.start(Board(5, komi=0.5).simulation_root())
        search.run(300)
        return search.knowledge[0, 1:].reshape(25, 3)[:, 1]

    even, uneven = black_stones(10.0), black_stones(1e-9)
    assert even.std() < 0.5 * uneven.std()


@kernel
def ask_counts(memories, index, weights, known, states, actions, found, features):
    """The virtual count of each action; and the mean count of the features of the state after it."""
    look(memories[0], index, weights, states[0])
    for k in range(actions.size):
        found[k, 0] = virtual_count(memories[0], index, known, states[0], actions[k])
    for k in range(actions.size):
        after = states[1:]
        after[0] = states[0]
        play(after[0], actions[k])
        look(memories[0], index, weights, after[0])
        count = active(memories[0], index, after[0], features)
        for j in range(count):
            found[k, 1] += known[0, features[j] >> 1] / count


@pytest.mark.parametrize("memory", [Groups(), Table()])
def test_optimism_in_any_game(memory):
    """Virtual counts are those of the features after an action, and a bonus makes them alike."""
    spread = []
    for optimism in (1e-30, 10.0):
        settings = TDSettings(alpha=1e-6, epsilon=0.0, optimism=optimism)
        search = TDSearch(memory, Random(), settings, seed=3)
        root = find_game("tic-tac-toe").started()
        search.start(root)
        search.run(300)
        record, index, weights = search.reading()
        found, features = np.zeros((9, 2)), np.zeros(64, np.uint32)
        states, actions = np.repeat(root, 2), np.arange(9, dtype=np.uint16)
        ask_counts(record, index, weights, search.knowledge, states, actions, found, features)
        assert found[:, 0] == pytest.approx(found[:, 1])
        spread.append(found[:, 0].std())
        assert found.max() > 20
    if isinstance(memory, Table):
        assert (
            found[:, 0].sum() == 299
        )  # the first simulation adds the root, each other one begins with one of them
    assert spread[1] < 0.5 * spread[0]


def test_optimism_is_refused_where_features_are_not_counted():
    search = TDSearch(Squares(), Uniform(), TDSettings(optimism=1.0), seed=3)
    with pytest.raises(InputError, match="optimism needs features that are counted"):
        search.start(Board(5).simulation_root())


def test_captures_and_passes_are_logged_right():
    """Swept weights with long simulations of uniform play on a tiny board, full of captures and passes."""
    board = Board(3, komi=0.5)
    settings = TDSettings(alpha=0.5, epsilon=1.0, switch=5)
    search = TDSearch(ShortTerm(), Uniform(), settings, seed=9)
    search.start(board.simulation_root())
    search.run(40)
    (rng,) = spawn(9, 1)
    wanted = naive.search(
        {},
        board.simulation_root(),
        Uniform().record(),
        rng,
        40,
        sizes=(1, 2, 3),
        alpha=0.5,
        epsilon=1.0,
        switch=5,
        online=False,
    )
    found = by_feature(search.weights, Shapes(side=3, sharing="none"))
    assert found == pytest.approx({f: w for f, w in wanted.items() if w}, abs=1e-4)


def test_weights_are_kept_between_moves_and_cleared_between_games():
    board = Board(5)
    search = TDSearch(ShortTerm(), Mogo(), TDSettings(), seed=1)
    search.start(board.simulation_root())
    search.run(50)
    before = search.weights.copy()
    assert before.any()
    search.start(board.play("C3").simulation_root())
    assert np.array_equal(search.weights, before)
    search.clear()
    search.start(board.simulation_root())
    assert not search.weights.any()


def test_same_seed_same_weights():
    found = []
    for _ in range(2):
        search = TDSearch(ShortTerm(long_term="shipped"), Mogo(), TDSettings(), seed=7)
        search.start(Board(9).simulation_root())
        search.run(30)
        found.append(search.weights.copy())
    assert np.array_equal(*found)


def test_threads_share_the_weights():
    search = TDSearch(ShortTerm(), Mogo(), TDSettings(), threads=2, seed=1)
    search.start(Board(5).simulation_root())
    assert search.run(200) == 200
    assert search.simulations == 200
    assert np.isfinite(search.weights).all()
    assert search.weights.any()
    search.close()


@pytest.mark.parametrize("side", [5, 9, 13])
def test_a_long_term_memory_is_where_the_short_term_memory_begins(side):
    """Spread weights value positions as the shared ones do, and the shared ones are left as they are."""
    weights = shipped(side)
    before = weights.theta.copy()
    board = Board(side).play("C3").play("D4").play("C4").play("E2")
    search = TDSearch(ShortTerm(long_term="shipped"), Mogo(), TDSettings(), seed=1)
    search.start(board.simulation_root())
    moves = board.candidates()[:-1]
    found = search.values(moves)
    from playout.player.registry import make_player

    chosen, values = make_player("shapes").values(board)
    assert chosen == moves
    sign = 1 if board.to_play == 1 else -1
    assert found == pytest.approx(1 / (1 + np.exp(-sign * values.astype(float))), abs=1e-4)
    search.run(100)
    assert np.array_equal(weights.theta, before)
    own = features_of(Shapes(side=side, sharing="none"))
    assert np.array_equal(spread(weights, own), spread(shipped(side), own))


def test_it_learns_the_value_of_a_small_board():
    """On 3×3 the middle wins everything; elsewhere Black has less (komi 5.5)."""
    board = Board(3, komi=5.5)
    search = TDSearch(ShortTerm(), Mogo(), TDSettings(), seed=3)
    search.start(board.simulation_root())
    search.run(3000)
    moves = board.candidates()[:-1]
    values = search.values(moves)
    assert board.spell(moves[int(values.argmax())]) == "B2"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"alpha": 0.0}, "alpha: 0 is not a step size"),
        ({"epsilon": 1.5}, "epsilon"),
        ({"lam": 2.0}, "lambda"),
        ({"traces": "red"}, "traces"),
        ({"switch": -1}, "switch: -1 is not a number of moves"),
        ({"plies": 3}, "plies"),
        ({"policy_epsilon": -0.1}, "policy_epsilon: -0.1 is not a probability"),
        ({"late_epsilon": 1.5}, "late_epsilon: 1.5 is not a probability"),
        ({"epsilon": 0.5, "policy_epsilon": 0.5}, "no move is greedy"),
        ({"steps": "kalmann"}, "steps: 'kalmann' is not one of them.*kalman"),
        ({"halving": 0.0}, "halving: 0 is not a number above 0"),
        ({"variance": float("nan")}, "variance: nan is not"),
        ({"optimism": -1.0}, "optimism: -1 is not"),
        ({"steps": "kalman", "lam": 0.5}, "need lam=0"),
        ({"optimism": 1.0, "online": True}, "need lam=0"),
    ],
)
def test_wrong_settings_are_refused(wrong, message):
    with pytest.raises(InputError, match=message):
        TDSettings(**wrong)


def test_a_finished_game_is_refused():
    search = TDSearch(ShortTerm(), Mogo(), TDSettings(), seed=1)
    with pytest.raises(InputError, match="nothing to search"):
        search.run(1)
    search.start(Board(5).play("pass").play("pass").simulation_root())
    with pytest.raises(InputError, match="nothing to search"):
        search.run(1)
