"""Incremental shape features against their naive twin."""

import numpy as np
import pytest
from naive import td_search as naive

from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.memory.squares import Squares, square_key
from playout.games.go.policy import Mogo, Uniform
from playout.kernel import kernel, spawn
from playout.memory.hashed import contents, held, refused
from playout.search.td_search import TDSearch, TDSettings


@kernel
def key_of(r, code):
    return square_key(r, code)


def keys_of(side, sizes):
    """By the twin's name of a feature: its key."""

    def key(feature):
        size, row, column, stones = feature
        before = sum((side + 1 - s) ** 2 for s in sizes if s < size)
        number = before + row * (side + 1 - size) + column
        code = sum(".XO".index(stone) * 3**k for k, stone in enumerate(stones))
        return int(key_of(np.uint32(number), np.uint64(code)))

    return key


@pytest.mark.parametrize("online", [False, True], ids=["swept", "online"])
@pytest.mark.parametrize(
    ("seed", "epsilon", "sizes", "policy"),
    [(1, 1.0, (1, 2, 3), Mogo()), (2, 0.4, (2, 4), Uniform()), (3, 0.2, (1, 3, 4), Mogo())],
)
def test_weights_are_those_of_the_twin(seed, epsilon, sizes, policy, online):
    board = Board(4, komi=1.5).play("B2").play("C3").play("B3")
    root = board.simulation_root()
    search = TDSearch(
        Squares(sizes="+".join(map(str, sizes)), capacity=20_000),
        policy,
        TDSettings(alpha=0.3, epsilon=epsilon, switch=4, online=online),
        seed=seed,
    )
    search.start(root)
    search.run(8)
    (rng,) = spawn(seed, 1)
    growing = naive.Growing()
    simulation = {"sizes": sizes, "alpha": 0.3, "epsilon": epsilon, "switch": 4, "online": online}
    theta = naive.search({}, root, policy.record(), rng, 8, growing=growing, **simulation)
    _, index, weights = search.reading()
    keys, found = contents(index, weights)
    key = keys_of(4, sizes)
    wanted = {key(feature): theta.get(feature, 0.0) for feature in growing.known}
    assert dict(zip(keys.tolist(), found.tolist(), strict=True)) == pytest.approx(wanted, abs=2e-5)
    assert refused(index) == 0
    moves = board.candidates()[:-1]
    after = [
        naive.value(theta, naive.features(board.copy().play(m).simulation_root()[0], sizes)) for m in moves
    ]
    assert search.values(moves) == pytest.approx(after, abs=1e-4)


def test_a_full_table_takes_no_more():
    search = TDSearch(Squares(sizes="3", capacity=50), Uniform(), TDSettings(), seed=1)
    search.start(Board(5).simulation_root())
    search.run(40)
    _, index, weights = search.reading()
    assert held(index) == 50
    assert refused(index) > 0
    assert np.isfinite(weights).all()


@pytest.mark.parametrize("sizes", ["", "0", "6", "1,2", "1++2", "x"])
def test_wrong_sizes_are_refused(sizes):
    with pytest.raises(InputError, match="is not sides from 1 to 5, such as 1"):
        Squares(sizes=sizes)
