"""Small networks against a naive twin: forward, the gradient, changes of inputs, files that are not right."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import network as naive

from playout.errors import InputError
from playout.games.backgammon.memory.network import NETWORK, OUTPUTS
from playout.games.backgammon.memory.shipped import INPUTS, load_network
from playout.kernel import kernel
from playout.memory import network
from playout.memory.archives import read_arrays, write_arrays
from playout.memory.network_files import Network

KINDS = st.sampled_from([(0, 1), (0, 5), (3, 5), (10, 1), (16, 5)])


@kernel
def _forward(networks, x, y):
    network.sum_inputs(networks[0], x, networks[0].z)
    network.finish(networks[0], networks[0].z, networks[0].h, y)


@kernel
def _change(networks, old, x, y):
    net = networks[0]
    network.sum_inputs(net, old, net.first_z)
    network.change_inputs(net, old, x, net.first_z, net.z)
    network.finish(net, net.z, net.h, y)


@kernel
def _learn(networks, x, target, alpha):
    net = networks[0]
    network.sum_inputs(net, x, net.z)
    network.finish(net, net.z, net.h, net.y)
    network.learn(net, x, target, alpha)


def some_network(hidden, outputs, seed, scale=0.3):
    """A network with random weights, its record, and a generator for more."""
    rng = np.random.default_rng(seed)
    inputs = INPUTS["raw"]
    weights = np.zeros(network.length_of(inputs, hidden), np.float32)
    made = Network("backgammon", "raw", inputs, hidden, outputs, weights)
    for room in made.arrays().values():
        room[:] = rng.normal(0, scale, room.shape)
    record = np.zeros(1, NETWORK)
    network.fill(record, weights, inputs, hidden, outputs, 0)
    return made, record, rng


def some_inputs(made, rng):
    """Inputs of which most are 0."""
    x = np.zeros(network.MOST_INPUTS, np.float32)
    active = rng.choice(made.inputs, 25, replace=False)
    x[active] = rng.choice([0.5, 1.0, 1.0, 2.0], 25)
    return x


@pytest.mark.small
@settings(deadline=None, max_examples=20)
@given(KINDS, st.integers(0, 1000))
def test_outputs_are_those_of_the_equations(kind, seed):
    made, record, rng = some_network(*kind, seed)
    x, old = some_inputs(made, rng), some_inputs(made, rng)
    wanted = naive.outputs(made.arrays(), x[: made.inputs].astype(float))
    y = np.zeros(network.LANES, np.float32)
    _forward(record, x, y)
    assert y[: made.outputs] == pytest.approx(wanted, abs=2e-6)
    _change(record, old, x, y)  # from other inputs
    assert y[: made.outputs] == pytest.approx(wanted, abs=5e-6)


@pytest.mark.small
@settings(deadline=None, max_examples=10)
@given(KINDS, st.integers(0, 1000))
def test_a_step_goes_down_the_gradient(kind, seed):
    made, record, rng = some_network(*kind, seed)
    x = some_inputs(made, rng)
    target = np.zeros(network.LANES, np.float32)
    target[: made.outputs] = rng.random(made.outputs)
    before = {name: room.copy() for name, room in made.arrays().items()}
    _learn(record, x, target, 1.0)
    seen = x[: made.inputs].astype(float)
    for name, room in made.arrays().items():
        step = room.astype(float) - before[name]
        if name == "W":
            assert np.all(step[seen == 0] == 0)  # an input of 0 teaches nothing
        active = np.flatnonzero(seen) if name == "W" else np.arange(len(room))
        for _ in range(6):
            place = (int(rng.choice(active)), *(int(rng.integers(n)) for n in room.shape[1:]))
            slope = naive.gradient(before, seen, target[: made.outputs].astype(float), name, place)
            assert step[place] == pytest.approx(-slope, abs=2e-4), (name, place)


@pytest.mark.small
def test_what_fills_up_rows_stays_0():
    made, record, rng = some_network(3, 5, 1)
    for _ in range(5):
        _learn(record, some_inputs(made, rng), np.full(network.LANES, 0.9, np.float32), 0.5)
    rows = network.tensors(made.weights, made.inputs, 3)
    assert not rows["W"][:, 3:].any()
    assert not rows["U"][3:].any()
    assert not rows["b"][3:].any()


def test_learning_reaches_its_target():
    made, record, rng = some_network(10, 5, 2)
    x, y = some_inputs(made, rng), np.zeros(network.LANES, np.float32)
    target = np.array([0.7, 0.2, 0.01, 0.1, 0.02, 0, 0, 0], np.float32)
    for _ in range(3000):
        _learn(record, x, target, 0.1)
    _forward(record, x, y)
    assert y[:5] == pytest.approx(target[:5], abs=0.01)


def test_files_give_back_what_was_saved(tmp_path):
    made, _, _ = some_network(10, 5, 3)
    made.save(tmp_path / "net.npz")
    again = load_network(tmp_path / "net.npz")
    assert repr(again) == "Network(backgammon, raw: 206–10–5)"
    assert again.weights.tobytes() == made.weights.tobytes()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"game": "go"}, "is a network for 'go' and not for backgammon"),
        ({"encoding": "poor"}, "is another network: it sees 'poor'"),
        ({"inputs": 300}, "is another network: it sees 'raw', 300 inputs"),
        ({"hidden": 11}, r"is another network: its weights W are not \(206, 11\)"),
        ({"hidden": 1 << 40}, "is another network"),
        ({"outputs": -1}, "is another network"),
        ({"kind": "weights of local shapes"}, "'weights of a network' were expected"),
        ({"version": 99}, "is of version .99"),
    ],
)
def test_other_networks_are_refused(tmp_path, change, says):
    made, _, _ = some_network(10, 5, 3)
    made.save(tmp_path / "net.npz")
    facts, arrays = read_arrays(tmp_path / "net.npz")
    write_arrays(tmp_path / "other.npz", {**facts, **change}, arrays)
    with pytest.raises(InputError, match=says):
        load_network(tmp_path / "other.npz")


def test_weights_that_are_no_numbers_are_refused(tmp_path):
    made, _, _ = some_network(0, 1, 3)
    made.arrays()["b"][0] = np.nan
    made.save(tmp_path / "net.npz")
    with pytest.raises(InputError, match="weights that are not numbers"):
        load_network(tmp_path / "net.npz")


def test_records_refuse_weights_of_another_size():
    record = np.zeros(1, NETWORK)
    with pytest.raises(ValueError, match="not those of such a network"):
        network.fill(record, np.zeros(7, np.float32), 206, 10, OUTPUTS, 0)
    too_many = network.length_of(206, 1000)
    with pytest.raises(ValueError, match="too large"):
        network.fill(record, np.zeros(too_many, np.float32), 206, 1000, OUTPUTS, 0)
