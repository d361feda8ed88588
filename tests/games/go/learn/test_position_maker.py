"""Data sets that are made: what is in them, in parallel, and after a kill."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from draw import show, to_place
from naive.go import Go

from playout.errors import InputError
from playout.games.api import is_over
from playout.games.go.learn import position_maker
from playout.games.go.learn.position_maker import make, produce, random_position
from playout.games.go.learn.positions import UNKNOWN, Recipe, load
from playout.games.go.solve import solve
from playout.games.go.state import PASS

QUICK = Recipe(size=4, komi=0.5, sims=10, leaf_sims=0, seed=3)


def guess(root, simulations, seed):
    """A search that takes no time: its value tells what it was asked."""
    empty = int(root["n_empty"][0])
    return (seed % 1000 + simulations / 1e6) / 1001, int(root["empty"][0, 0]) if empty else PASS


def same(one, other):
    """Whether two data sets are the same to the bit."""
    assert one.recipe == other.recipe
    for name in ("searched", "actions", "exact", "winner", "is_test", "moves"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in one.roots.dtype.names:  # field by field: between them there may be anything
        np.testing.assert_array_equal(one.roots[name], other.roots[name])
    assert (one.leaves is None) == (other.leaves is None)
    if one.leaves is not None:
        for name in ("starts", "first", "second", "value"):
            np.testing.assert_array_equal(getattr(one.leaves, name), getattr(other.leaves, name))


def test_positions_are_of_random_games_and_not_over():
    data = make(QUICK, 40, guess)
    assert len(data) == 40
    assert not any(is_over(root) for root in data.roots)
    assert len(set(data.moves.tolist())) > 10
    assert set(data.roots["to_play"].tolist()) == {1, 2}
    assert (data.roots["komi"] == 0.5).all()
    for k in range(5):
        board, _ = random_position(QUICK, k)
        assert len(board.moves) == data.moves[k]
        assert show(data.roots[k]) == "\n".join(
            " ".join(board[p] for p in range(row * 20 + 21, row * 20 + 25)) for row in range(4)
        )


def test_a_position_depends_on_its_number_only():
    data = make(QUICK, 12, guess)
    same(make(QUICK, 12, guess, threads=3), data)
    same(make(QUICK, 5, guess, first=4), data.where(np.arange(4, 9)))


def test_other_seeds_are_other_positions():
    one, other = make(QUICK, 12, guess), make(Recipe(size=4, komi=0.5, sims=10, seed=4), 12, guess)
    assert not np.array_equal(one.roots["color"], other.roots["color"])


def test_games_of_another_policy():
    """MoGo's rules save stones: chains are larger than those of random games."""

    def chains(games):
        data = make(Recipe(size=7, sims=1, games=games), 60, guess)
        stones = data.roots["stones"].astype(int)
        heads = (data.roots["chain"] == np.arange(stones.shape[1])) & np.isin(data.roots["color"], (1, 2))
        return stones[heads].mean()

    assert chains("mogo") > chains("uniform")


def test_train_and_test_are_apart():
    data = make(QUICK, 200, guess, threads=2)
    assert 20 <= data.is_test.sum() <= 65
    assert len(data.train) + len(data.test) == 200
    assert not data.train.is_test.any()
    assert data.test.is_test.all()


def test_exact_values_are_the_solvers():
    recipe = Recipe(size=3, komi=0.5, sims=0, exact_nodes=50_000)
    data = make(recipe, 10)
    assert np.isnan(data.searched).all()
    assert data.solved.sum() >= 9
    for k in np.flatnonzero(data.solved):
        value = solve(random_position(recipe, int(k))[0]).value
        assert data.exact[k] == value
        assert data.values[k] == (value > 0.5)


def test_what_is_not_solved_has_the_value_of_the_search():
    data = make(Recipe(size=5, sims=10, exact_nodes=300), 12, guess)
    assert 0 < data.solved.sum() < 12
    assert data.solved.sum() <= data.decided.sum() < 12
    np.testing.assert_array_equal(data.values[~data.decided], data.searched[~data.decided])
    assert (data.exact[~data.solved] == UNKNOWN).all()
    lead = data.exact[data.solved] - data.recipe.komi
    np.testing.assert_array_equal(data.values[data.solved], lead > 0)


def test_leaves_are_all_pairs_of_policy_moves():
    """Against the slow rules: every move and answer that the uniform policy may choose, once."""
    recipe = Recipe(size=3, komi=0.5, sims=1, leaf_sims=7)
    data = make(recipe, 8, guess)
    leaves = data.leaves
    for k in range(8):
        game = Go(3)
        game.board = dict(
            zip(game.board, show(data.roots[k]).replace(" ", "").replace("\n", ""), strict=True)
        )
        game.to_play = "X" if data.roots["to_play"][k] == 1 else "O"
        game.ko = to_place(int(data.roots["ko"][k]))
        expected = []
        for first in game.policy_moves():
            then = game.copy()
            then.play(first)
            expected += [(first, second) for second in then.policy_moves()]
        rows = slice(leaves.starts[k], leaves.starts[k + 1])
        found = [
            (to_place(int(a)), to_place(int(b)))
            for a, b in zip(leaves.first[rows], leaves.second[rows], strict=True)
        ]
        assert sorted(map(str, found)) == sorted(map(str, expected))
        assert (np.diff(leaves.first[rows].astype(int)) >= 0).all()
    some = data.where(np.array([2, 5]))
    assert some.leaves.starts[-1] == sum(np.diff(leaves.starts)[[2, 5]])
    assert some.leaves.value[0] == leaves.value[leaves.starts[2]]


def test_a_real_search_values_positions():
    from playout.player.valuer import Valuer

    recipe = Recipe(size=3, komi=0.5, search="uct:policy=uniform", sims=2000, exact_nodes=20_000)
    valuer = Valuer(recipe.search)
    data = make(recipe, 30, valuer)
    same(make(recipe, 30, valuer, threads=2), data)
    error = np.abs(data.searched - data.winner)[data.decided]
    assert error.mean() < 0.15
    for k in range(30):
        assert random_position(recipe, k)[0].is_legal(int(data.actions[k]))


def test_a_search_must_be_given_and_searches_a_tree():
    from playout.player.valuer import Valuer

    with pytest.raises(InputError, match="takes a search"):
        make(QUICK, 1)
    with pytest.raises(InputError, match="searches no tree"):
        Valuer("uniform")
    with pytest.raises(InputError, match="player"):
        Valuer("nobody")


# -- in a file ----------------------------------------------------------------------------------------


def test_a_file_holds_what_was_made(tmp_path):
    path = tmp_path / "set.npz"
    recipe = Recipe(size=3, komi=0.5, sims=5, leaf_sims=5, exact_nodes=1000)
    made = produce(path, recipe, 20, guess, threads=2)
    same(load(path), made)
    same(make(recipe, 20, guess), made)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["set.json", "set.npz"]


def test_a_set_is_made_longer_and_not_made_twice(tmp_path):
    path = tmp_path / "set.npz"
    asked = []

    def counting(root, simulations, seed):
        asked.append(seed)
        return guess(root, simulations, seed)

    produce(path, QUICK, 20, counting)
    assert len(asked) == 20
    produce(path, QUICK, 20, counting)
    assert len(asked) == 20
    longer = produce(path, QUICK, 30, counting)
    assert len(asked) == 30
    same(longer, make(QUICK, 30, guess))
    with pytest.raises(InputError, match="has 30 positions already, more than 20"):
        produce(path, QUICK, 20, counting)
    with pytest.raises(InputError, match=r"other settings \(komi, sims\)"):
        produce(path, Recipe(size=4, komi=1.5, sims=11, seed=3), 40, counting)


def test_stopped_and_taken_up_again(tmp_path, monkeypatch):
    monkeypatch.setattr(position_maker, "CHUNK", 4)
    path = tmp_path / "set.npz"
    asked = []

    def stops(root, simulations, seed):
        asked.append(seed)
        if len(asked) == 10:
            raise KeyboardInterrupt
        return guess(root, simulations, seed)

    with pytest.raises(KeyboardInterrupt):
        produce(path, QUICK, 16, stops)
    assert not path.exists()
    told = []
    made = produce(path, QUICK, 16, guess, progress=told.append)
    assert told[0] == 8
    same(made, make(QUICK, 16, guess))
    assert not (tmp_path / "set.npz.parts").exists()


SLOW = """
import sys, time
from playout.games.go.learn.position_maker import produce
from playout.games.go.learn.positions import Recipe
def slow(root, simulations, seed):
    time.sleep(0.02)
    return 0.5, 0
produce(sys.argv[1], Recipe(size=3, sims=1), 200, slow)
"""


def test_a_kill_loses_a_chunk_at_most(tmp_path):
    path = tmp_path / "set.npz"
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(path)], env=dict(os.environ))
    folder = tmp_path / "set.npz.parts"
    until = time.monotonic() + 90
    try:
        while len(list(folder.glob("0*.npz"))) < 2 and time.monotonic() < until:
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    told = []
    data = produce(path, Recipe(size=3, sims=1), 60, lambda *_: (0.5, 0), progress=told.append)
    assert told[0] >= 32
    assert len(data) == 60


def test_a_thread_that_fails_ends_the_others():
    def fails(root, simulations, seed):
        raise InputError("no")

    before = threading.active_count()
    with pytest.raises(InputError, match="no"):
        make(QUICK, 30, fails, threads=2)
    assert threading.active_count() <= before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": 1}, "board size"),
        ({"size": 9, "exact_nodes": 10}, "too large to be solved"),
        ({"sims": 0}, "takes values from"),
        ({"games": "mogoo"}, "did you mean mogo"),
        ({"sims": -1}, "sims: -1"),
        ({"leaf_sims": -1}, "leaf_sims: -1"),
        ({"exact_nodes": -1}, "exact_nodes: -1"),
        ({"test": 1.0}, "test: 1.0"),
        ({"seed": -1}, "seed: -1"),
        ({"komi": float("nan")}, "komi nan"),
    ],
)
def test_wrong_recipes(settings, message):
    with pytest.raises(InputError, match=message):
        Recipe(**settings)


def test_wrong_calls(tmp_path):
    with pytest.raises(InputError, match="1 position or more"):
        make(QUICK, 0, guess)
    with pytest.raises(InputError, match="threads: 0"):
        make(QUICK, 1, guess, threads=0)
    with pytest.raises(InputError, match=r"ends in .npz"):
        produce(tmp_path / "set.txt", QUICK, 1, guess)
    assert list(tmp_path.iterdir()) == []
