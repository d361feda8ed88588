"""Data sets in files: what was written comes back, and what others send is looked at with suspicion."""

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.go.learn.position_maker import make, random_position
from playout.games.go.learn.positions import KIND, VERSION, Recipe, load
from playout.games.go.policy import Uniform
from playout.games.go.state import PASS
from playout.kernel import new_rng
from playout.memory.archives import read_arrays, write_arrays
from playout.search.simulation import evaluate

RECIPE = Recipe(size=4, komi=0.5, sims=1, leaf_sims=1)


def middle(root, simulations, seed):
    return 0.5, PASS


@pytest.fixture(scope="module")
def data():
    return make(RECIPE, 6, middle)


@pytest.fixture
def path(data, tmp_path):
    data.save(tmp_path / "set.npz")
    return tmp_path / "set.npz"


def test_states_can_be_played_on(path):
    """The records are whole: simulations from them and from the boards they come from go alike."""
    found = load(path, size=4)
    for k in range(len(found)):
        board = random_position(RECIPE, k)[0]
        root = found.roots[k : k + 1]
        for name in (
            "color",
            "to_play",
            "ko",
            "last",
            "passes",
            "zobrist",
            "margin",
            "n_empty",
            "komi",
            "limit",
        ):
            assert np.array_equal(root[name], board.simulation_root()[name]), name
        work = np.empty(1, root.dtype)
        ours, _ = evaluate(root, work, Uniform().record(), 4000, new_rng(1))
        theirs, _ = evaluate(board.simulation_root(), work, Uniform().record(), 4000, new_rng(2))
        assert ours / 4000 == pytest.approx(theirs / 4000, abs=0.06)


def test_a_ko_is_kept():
    for k in range(500):
        board = random_position(RECIPE, k)[0]
        if int(board.record["ko"][0]):
            break
    found = make(RECIPE, 1, middle, first=k)
    assert found.roots["ko"][0] == board.record["ko"][0] != 0


def test_facts_beside_the_archive(path, data):
    text = path.with_suffix(".json").read_text()
    assert KIND in text
    assert data.facts()["positions"] == 6
    assert data.facts()["leaves"] == len(data.leaves.value)


def test_another_size_is_wanted(path):
    with pytest.raises(InputError, match="positions of 4×4 boards; 5×5 ones are wanted"):
        load(path, size=5)


def test_a_file_cut_short(path):
    whole = path.read_bytes()
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError, match="not a data set of playout, or it is cut short"):
            load(path)


def test_bytes_that_have_changed(path):
    """Never anything but a data set or one sentence."""
    whole = path.read_bytes()
    dice = np.random.default_rng(1)
    said = []
    for _ in range(60):
        broken = bytearray(whole)
        broken[int(dice.integers(len(whole)))] ^= int(dice.integers(1, 256))
        path.write_bytes(broken)
        try:
            assert len(load(path)) == 6
        except InputError as error:
            said.append(str(error))
    assert len(said) > 30
    assert all(len(words.splitlines()) == 1 for words in said)


def changed(path, facts=None, **arrays):
    """Write the file again with something else in it; None takes an array out."""
    old_facts, old = read_arrays(path)
    new = {name: array for name, array in {**old, **arrays}.items() if array is not None}
    write_arrays(path, {**old_facts, **(facts or {})}, new)


def nothing(n):
    """The arrays of an empty data set."""
    return {
        "color": np.zeros((n, 16), np.uint8),
        **{name: np.zeros(n, np.uint8) for name in ("to_play", "passes")},
    }


@pytest.mark.parametrize(
    ("facts", "arrays", "message"),
    [
        ({"kind": "weights"}, {}, "holds 'weights'"),
        ({"version": VERSION + 1}, {}, "this playout reads version"),
        ({"recipe": None}, {}, "does not say how"),
        ({"recipe": {"size": 4, "colour": 1}}, {}, "does not say how"),
        ({"recipe": {"size": 4, "sims": -1}}, {}, "was not made by us"),
        ({}, nothing(0), "has no positions"),
        ({}, {"to_play": None}, "has no positions"),
        ({}, {"color": None}, "not whole: it has no color"),
        ({}, {"color": np.zeros((6, 25), np.uint8)}, "not whole: color"),
        ({}, {"color": np.full((6, 16), 3, np.uint8)}, "color out of range"),
        ({}, {"color": np.full((6, 16), 1, np.uint8)}, "a chain has no liberty"),
        ({}, {"searched": np.zeros(5, np.float32)}, "not whole: searched"),
        ({}, {"searched": np.full(6, 1.5, np.float32)}, "searched out of range"),
        ({}, {"searched": np.full(6, np.nan, np.float32)}, "not a number"),
        ({}, {"action": np.full(6, 16, np.int16)}, "action out of range"),
        ({}, {"ko": np.full(6, -2, np.int16)}, "ko out of range"),
        (
            {},
            {"color": np.zeros((6, 16), np.uint8), "last": np.zeros(6, np.int16)},
            "last move where no stone stands",
        ),
        ({}, {"passes": np.full(6, 2, np.uint8)}, "passes out of range"),
        ({}, {"exact": np.full(6, 17, np.int8)}, "exact out of range"),
        ({}, {"winner": np.full(6, 2, np.float32)}, "winner out of range"),
        ({}, {"leaf_value": None}, "it has no leaf_value"),
        ({}, {"leaf_starts": np.zeros(7, np.int64)}, "leaves do not belong"),
        ({}, {"leaf_first": np.zeros(3, np.int16)}, "not whole: leaf_first"),
    ],
)
def test_other_things_in_the_file(path, facts, arrays, message):
    changed(path, facts, **arrays)
    with pytest.raises(InputError, match=message):
        load(path)


def test_no_file(tmp_path):
    with pytest.raises(InputError, match="there is no data set"):
        load(tmp_path / "nothing.npz")
    with pytest.raises(InputError, match="is a folder and not a data set"):
        load(tmp_path)
