"""Weights in files: there and back, and what is not believed."""

import contextlib
import io
import itertools
import json
import zipfile

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.shipped import policy_weights, shipped, weights_for
from playout.games.go.memory.store import Weights, load
from playout.memory.archives import read_arrays, write_arrays

pytestmark = pytest.mark.small

SMALL = Shapes(side=5, sizes=(1, 2))


def some(shapes=SMALL, seed=1):
    theta = np.random.default_rng(seed).normal(size=features_of(shapes).unique).astype(np.float32)
    return Weights(shapes, theta, {"games": 3})


def test_there_and_back(tmp_path):
    weights = some()
    weights.save(tmp_path / "w.npz")
    found = load(tmp_path / "w.npz")
    assert found.shapes == SMALL
    assert found.how == {"games": 3}
    assert np.array_equal(found.theta, weights.theta)
    assert json.loads((tmp_path / "w.json").read_text())["weights"] == 107


def test_half_precision_is_near_and_small(tmp_path):
    weights = some(Shapes(side=5))
    weights.save(tmp_path / "whole.npz")
    weights.save(tmp_path / "half.npz", half=True)
    assert load(tmp_path / "half.npz").theta == pytest.approx(weights.theta, rel=1e-3, abs=1e-4)
    assert (tmp_path / "half.npz").stat().st_size < 0.7 * (tmp_path / "whole.npz").stat().st_size


def test_a_truncated_file_is_refused(tmp_path):
    some().save(tmp_path / "w.npz")
    whole = (tmp_path / "w.npz").read_bytes()
    for length in range(0, len(whole) - 1, 37):
        (tmp_path / "cut.npz").write_bytes(whole[:length])
        with pytest.raises(InputError, match=r"cut\.npz is not a weight file of playout"):
            load(tmp_path / "cut.npz")


def test_damaged_bytes_are_refused_or_harmless(tmp_path):
    some().save(tmp_path / "w.npz")
    whole = bytearray((tmp_path / "w.npz").read_bytes())
    dice = np.random.default_rng(1)
    for _ in range(300):
        damaged = whole.copy()
        damaged[int(dice.integers(len(damaged)))] ^= 1 << int(dice.integers(8))
        (tmp_path / "bad.npz").write_bytes(damaged)
        with contextlib.suppress(InputError):  # anything else is an error of ours
            assert np.all(np.isfinite(load(tmp_path / "bad.npz").theta))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text.npz", b"hello"),
        ("empty.npz", b""),
        ("picture.npz", b"\x89PNG\r\n\x1a\n" + bytes(100)),
    ],
)
def test_other_files_are_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match="not a weight file of playout"):
        load(tmp_path / name)


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(InputError, match="there is no weight file"):
        load(tmp_path / "nothing.npz")
    with pytest.raises(InputError, match="is a folder"):
        load(tmp_path)


def archive(path, facts, **arrays):
    write_arrays(path, facts, arrays)
    return path


def test_another_version_kind_size_or_number(tmp_path):
    facts = some().facts()
    theta = some().theta
    path = tmp_path / "w.npz"
    wrong = [
        ({**facts, "version": 2}, theta, "is of version 2; this playout reads version 1"),
        (
            {**facts, "kind": "weights of a net"},
            theta,
            "'weights of a net'; 'weights of local shapes' were expected",
        ),
        (
            {**facts, "shapes": {**facts["shapes"], "side": 6}},
            theta,
            "107 weights; the features that it names have 155",
        ),
        ({**facts, "shapes": {**facts["shapes"], "side": 600}}, theta, "features that we do not know"),
        ({**facts, "shapes": {**facts["shapes"], "sizes": "x"}}, theta, "w.npz"),
        (
            {**facts, "shapes": {**facts["shapes"], "sizes": [1.0, 2.0]}},
            theta,
            "features that we do not know",
        ),
        ({**facts, "shapes": {**facts["shapes"], "stage": 0.5}}, theta, "features that we do not know"),
        ({**facts, "shapes": {**facts["shapes"], "side": "5"}}, theta, "w.npz"),
        ({**facts, "shapes": {**facts["shapes"], "colour": ["own"]}}, theta, "features that we do not know"),
        ({**facts, "shapes": {**facts["shapes"], "more": 1}}, theta, "does not say which features"),
        ({**facts, "shapes": 3}, theta, "does not say which features"),
        ({k: v for k, v in facts.items() if k != "shapes"}, theta, "does not say which features"),
        (facts, theta[:-1], "106 weights"),
        (facts, theta.reshape(1, -1), "107 weights"),
        (facts, np.where(np.arange(107) == 3, np.nan, theta), "not numbers"),
        (facts, theta.astype(np.int32), "weights"),
    ]
    for words, values, message in wrong:
        with pytest.raises(InputError, match=message):
            load(archive(path, words, theta=values))
    with pytest.raises(InputError, match="does not say which"):
        load(archive(path, facts))


def test_python_objects_are_never_loaded(tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "owned"), "w"))

    content = io.BytesIO()
    np.savez(content, theta=np.array([Trap()], object), facts=np.zeros(2, np.uint8))
    (tmp_path / "trap.npz").write_bytes(content.getvalue())
    with pytest.raises(InputError, match="trap"):
        load(tmp_path / "trap.npz")
    assert not (tmp_path / "owned").exists()


def test_a_header_that_promises_more_than_there_is(tmp_path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f4", "fortran_order": False, "shape": (1 << 40,)}
    )
    with zipfile.ZipFile(tmp_path / "big.npz", "w") as file:
        file.writestr("theta.npy", header.getvalue() + b"1234")
    with pytest.raises(InputError, match="not as long as it says"):
        load(tmp_path / "big.npz")


def test_weights_on_another_board_size():
    with pytest.raises(InputError, match="for 5×5 boards and depend on the place"):
        some().on(9)
    weights = some(Shapes(side=5, sharing="independent"))
    assert weights.on(9).shapes.side == 9
    assert np.array_equal(weights.on(9).theta, weights.theta)
    with pytest.raises(InputError, match="stage"):
        some(Shapes(side=5, sharing="independent", stage=5)).on(9)


@pytest.mark.parametrize("side", [5, 6, 7, 9, 13, 19])
def test_there_are_weights_for_every_board(side):
    weights = shipped(side)
    assert weights.shapes.side == side
    assert np.abs(weights.theta).max() > 0.05
    assert weights.how["command"].startswith("playout train td")


def test_shipped_weights_of_9x9_are_from_a_million_games():
    assert shipped(9).how["games"] >= 1_000_000


@pytest.mark.parametrize(
    ("learner", "side"),
    [
        *itertools.product(["regression", "mm", "reinforce", "balanced"], [5, 6, 9]),
        ("two-step", 5),
        ("two-step", 6),
    ],
)
def test_policies_that_come_with_the_package(learner, side):
    weights = policy_weights(learner, side)
    assert weights.shapes.side == side
    assert weights.shapes.sizes == (1, 2)
    assert weights.how["learner"] == learner.replace("balanced", "balance")
    assert np.abs(weights.theta).max() > 0.5


def test_weights_by_the_word_of_a_setting(tmp_path):
    some().save(tmp_path / "w.npz")
    assert weights_for(str(tmp_path / "w.npz"), 5).theta.size == 107
    with pytest.raises(InputError, match="5×5"):
        weights_for(str(tmp_path / "w.npz"), 9)
    some(seed=2).save(tmp_path / "w.npz")  # written anew, it is read anew
    assert weights_for(str(tmp_path / "w.npz"), 5).theta[0] == pytest.approx(some(seed=2).theta[0])


def test_facts_that_are_no_object(tmp_path):
    write_arrays(tmp_path / "w.npz", [1, 2], {})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="does not say what it holds"):
        read_arrays(tmp_path / "w.npz")
