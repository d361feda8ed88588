"""A small network as a value function: inputs, one hidden layer or none, outputs that are chances.

    z = b + Σ_i x_i W_i,   h = z / (1 + |z|),   y = σ(c + Σ_j h_j U_j)

Without a hidden layer y = σ(b + Σ_i x_i W_i): logistic regression, the linear function of the seam.

A state is seen by the player to move: so one network serves both players, and what it says of a state is
turned round for the other one (`turned`). One output is a share of what lies between the game's bounds, for
the player to move. More of them are what the game says of them: see `worth`.

What a game implements is `encode`, for a record type of its own (`network_type`). The weights lie in one
array, whose address is in the record; its rows are as wide as vectors of the processor, and what is beyond
the units is 0 and stays so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from playout.games.api import (
    GameError,
    bounds,
    is_over,
    legal_moves,
    outcome,
    play,
    share,
    to_play,
)
from playout.kernel import defaulted, generic, inner, record_type, uniform
from playout.kernel.address import floats_at

LANES = 8  # outputs are padded to so many, and hidden units to a multiple
MOST_INPUTS = 384
MOST_HIDDEN = 512


def network_type(state: np.dtype, choices: int, tag: str, more: Sequence[tuple[Any, ...]] = ()) -> np.dtype:
    """The record of networks of a game: where the weights are, and room to compute in.

    choices: how many actions there may be in a state. more: fields of the game's own.
    """
    return record_type(
        [
            ("network_rooms", state, (1,)),
            ("weights_at", "u8"),
            ("inputs", "u4"),
            ("width", "u4"),  # of the first layer's rows
            ("hidden", "u4"),  # units, padded; 0: no hidden layer
            ("outputs", "u4"),
            ("encoding", "u4"),  # which of the game's ways to see a state
            ("noise", "f4"),  # standard deviation of what is added to the worth of each choice
            ("first_x", "f4", (MOST_INPUTS,)),
            ("x", "f4", (MOST_INPUTS,)),
            ("first_z", "f4", (MOST_HIDDEN,)),
            ("z", "f4", (MOST_HIDDEN,)),
            ("h", "f4", (MOST_HIDDEN,)),
            ("y", "f4", (LANES,)),
            ("error", "f4", (LANES,)),
            ("values", "f4", (choices,)),
            ("choices", "u2", (choices,)),
            *more,
        ],
        tag=tag,
    )


def padded(units: int) -> int:
    """Units as a multiple of the lanes.

    >>> padded(10)
    16
    """
    return -(-units // LANES) * LANES


def length_of(inputs: int, hidden: int) -> int:
    """How many numbers the weights are."""
    width = padded(hidden) or LANES
    return (inputs + 1) * width + (LANES * (width + 1) if hidden else 0)


def fill(
    record: np.ndarray, weights: np.ndarray, inputs: int, hidden: int, outputs: int, encoding: int
) -> None:
    """Say to a record which network it is. The weights must stay where they are while it is used."""
    if weights.dtype != np.float32 or weights.size != length_of(inputs, hidden):
        raise ValueError("the weights are not those of such a network")
    if inputs > MOST_INPUTS or hidden > MOST_HIDDEN or not 1 <= outputs <= LANES:
        raise ValueError("the network is too large")
    record["weights_at"] = weights.ctypes.data
    record["inputs"], record["hidden"], record["outputs"] = inputs, padded(hidden), outputs
    record["width"], record["encoding"] = padded(hidden) or LANES, encoding


def first_weights(inputs: int, hidden: int, outputs: int, rng: np.random.Generator) -> np.ndarray:
    """Weights to begin with: small random ones to the hidden units, 0 elsewhere."""
    weights = np.zeros(length_of(inputs, hidden), np.float32)
    if hidden:
        width = padded(hidden)
        rows = weights[: inputs * width].reshape(inputs, width)
        rows[:, :hidden] = rng.normal(0.0, 0.1, (inputs, hidden))
        out = weights[(inputs + 1) * width : (inputs + 1) * width + hidden * LANES].reshape(hidden, LANES)
        out[:, :outputs] = rng.normal(0.0, 0.1, (hidden, LANES))[:, :outputs]
    return weights


def widened(weights: np.ndarray, inputs: int, hidden: int, to: int, rng: np.random.Generator) -> np.ndarray:
    """The weights of a network that says the same with more hidden units; the new ones have no say yet."""
    found = first_weights(inputs, to, LANES, rng)
    old, new = tensors(weights, inputs, hidden), tensors(found, inputs, to)
    new["W"][:, :hidden], new["b"][:hidden] = old["W"][:, :hidden], old["b"][:hidden]
    new["U"][:], new["c"][:] = 0.0, old["c"]
    new["U"][:hidden] = old["U"][:hidden]
    return found


# -- what a game says ----------------------------------------------------------------------------------------


@generic
def encode(network, state, x):
    """Write the inputs of a state as the player to move sees it; all of them."""


@defaulted
def worth(network, state, y):
    """The outcome that the outputs promise the player to move, in the game's units."""
    low, high = bounds(state)
    return low + (high - low) * np.float64(y[0])


@defaulted
def turned(network, y, into):
    """What the other player would say: the outputs, turned round."""
    into[0] = np.float32(1.0) - y[0]


@defaulted
def ended(network, state, y):
    """Write what the outputs ought to be where the game has ended, for the player to move."""
    value = share(state, outcome(state))
    y[0] = value if to_play(state) == 1 else 1.0 - value


@defaulted
def known(network, state, y):
    """Whether the outputs for a game that goes on are known without the network; if so, they are written."""
    return False


# -- forward -------------------------------------------------------------------------------------------------


@inner
def sum_inputs(network, x, z):
    """z = b + Σ x_i W_i. Most inputs are 0."""
    width = np.uint64(network.width)
    inputs = np.uint64(network.inputs)
    rows = floats_at(network.weights_at, (inputs + np.uint64(1)) * width)
    bias = inputs * width
    for j in range(width):
        z[j] = rows[bias + j]
    for i in range(inputs):
        if x[i] != np.float32(0.0):
            add_row(rows, i * width, width, x[i], z)


@inner
def add_row(rows, begin, width, factor, z):
    """z ← z + factor W_i."""
    for j in range(width):
        z[j] += factor * rows[begin + j]


@inner
def change_inputs(network, old, x, before, z):
    """z of inputs, from that of other ones: at the cost of what has changed."""
    width = np.uint64(network.width)
    inputs = np.uint64(network.inputs)
    rows = floats_at(network.weights_at, inputs * width)
    for j in range(width):
        z[j] = before[j]
    for i in range(inputs):
        change = x[i] - old[i]
        if change != np.float32(0.0):
            add_row(rows, i * width, width, change, z)


@inner
def sigmoid(x):
    """σ(x)."""
    return np.float32(1.0) / (np.float32(1.0) + np.exp(-x))


@inner
def finish(network, z, h, y):
    """The outputs from z; h: what the hidden units say, written here."""
    hidden = np.uint64(network.hidden)
    outputs = np.uint64(network.outputs)
    if hidden == 0:
        for k in range(outputs):
            y[k] = sigmoid(z[k])
        return
    begin = np.uint64(network.width) * (np.uint64(network.inputs) + np.uint64(1))
    all_of_it = begin + np.uint64(LANES) * (hidden + np.uint64(1))
    weights = floats_at(network.weights_at, all_of_it)
    for j in range(hidden):
        h[j] = z[j] / (np.float32(1.0) + abs(z[j]))
    last = begin + np.uint64(LANES) * hidden
    a0, a1, a2, a3 = weights[last], weights[last + 1], weights[last + 2], weights[last + 3]
    a4, a5, a6, a7 = weights[last + 4], weights[last + 5], weights[last + 6], weights[last + 7]
    for j in range(hidden):
        row = begin + np.uint64(LANES) * j
        s = h[j]
        a0 += s * weights[row]
        a1 += s * weights[row + 1]
        a2 += s * weights[row + 2]
        a3 += s * weights[row + 3]
        a4 += s * weights[row + 4]
        a5 += s * weights[row + 5]
        a6 += s * weights[row + 6]
        a7 += s * weights[row + 7]
    y[0] = sigmoid(a0)
    if outputs > 1:
        y[1], y[2], y[3] = sigmoid(a1), sigmoid(a2), sigmoid(a3)
        y[4] = sigmoid(a4)
    if outputs > 5:
        y[5], y[6], y[7] = sigmoid(a5), sigmoid(a6), sigmoid(a7)


@inner
def look_at(network, state):
    """The outputs of a state that goes on, in `network.y`; what led to them stays in `x`, `z` and `h`."""
    encode(network, state, network.x)
    sum_inputs(network, network.x, network.z)
    finish(network, network.z, network.h, network.y)


@inner
def to_the_other(state, value):
    """What a worth for one player is for the other."""
    low, high = bounds(state)
    return low + high - value


@inner
def value_of(network, state):
    """The outputs of a state, as the player to move sees it, in `network.y`; return what they are worth."""
    if is_over(state):
        ended(network, state, network.y)
    elif not known(network, state, network.y):
        look_at(network, state)
    return worth(network, state, network.y)


@inner
def values_after(network, state, actions, count, values):
    """What each action is worth to the player who makes it, by the state it leads to."""
    me = to_play(state)
    begun = False  # whether the first layer of an earlier choice is there to begin from
    for k in range(count):
        network.network_rooms[0] = state
        after = network.network_rooms[0]
        play(after, actions[np.uint32(k)])
        if is_over(after):
            ended(network, after, network.y)
        elif known(network, after, network.y):
            pass
        elif not begun:
            encode(network, after, network.first_x)
            sum_inputs(network, network.first_x, network.first_z)
            finish(network, network.first_z, network.h, network.y)
            begun = True
        else:
            encode(network, after, network.x)
            change_inputs(network, network.first_x, network.x, network.first_z, network.z)
            finish(network, network.z, network.h, network.y)
        value = worth(network, after, network.y)
        values[np.uint32(k)] = value if to_play(after) == me else to_the_other(state, value)


@inner
def best_action(network, state, rng):
    """The legal action that leads to the state of most worth; of equals the first."""
    actions = network.choices
    count = legal_moves(state, actions)
    if count < 1 or count > actions.size:
        raise GameError("legal_moves gives no action, or more than the game declares (choices)")
    if count == 1:
        return np.uint32(actions[np.uint32(0)])
    values = network.values
    values_after(network, state, actions, count, values)
    if network.noise > np.float32(0.0):
        for k in range(count):
            values[np.uint32(k)] += np.float32(network.noise * normal(rng))
    best = np.uint32(0)
    for k in range(1, count):
        if values[np.uint32(k)] > values[best]:
            best = np.uint32(k)
    return np.uint32(actions[best])


@inner
def normal(rng):
    """A normally distributed number of mean 0 and deviation 1 (Box and Muller 1958)."""
    return math.sqrt(-2.0 * math.log(1.0 - uniform(rng))) * math.cos(2.0 * math.pi * uniform(rng))


# -- backward ------------------------------------------------------------------------------------------------


@inner
def learn(network, x, target, alpha):
    """One step of gradient descent on the cross-entropy between target and outputs.

    The inputs x have been summed and finished: `network.z`, `network.h` and `network.y` are theirs. The
    error of an output before σ is target − y (A.12), and what reaches a hidden unit is that times its weights
    and times the slope of h, (1 − |h|)².
    """
    width = np.uint64(network.width)
    inputs = np.uint64(network.inputs)
    hidden = np.uint64(network.hidden)
    outputs = np.uint64(network.outputs)
    begin = width * (inputs + np.uint64(1))
    weights = floats_at(
        network.weights_at,
        begin + (np.uint64(LANES) * (hidden + np.uint64(1)) if hidden else np.uint64(0)),
    )
    a = np.float32(alpha)
    error = network.error
    for k in range(np.uint64(LANES)):
        error[k] = a * (target[k] - network.y[k]) if k < outputs else np.float32(0.0)
    delta = network.z
    if hidden:
        h = network.h
        for j in range(hidden):
            row = begin + np.uint64(LANES) * j
            back = np.float32(0.0)
            s = h[j]
            for k in range(outputs):
                back += error[k] * weights[row + k]
                weights[row + k] += error[k] * s
            slope = np.float32(1.0) - abs(s)
            delta[j] = back * slope * slope
        last = begin + np.uint64(LANES) * hidden
        for k in range(outputs):
            weights[last + k] += error[k]
    else:
        for k in range(np.uint64(LANES)):
            delta[k] = error[k]
    for i in range(inputs):
        if x[i] != np.float32(0.0):
            row = i * width
            s = x[i]
            for j in range(width):
                weights[row + j] += s * delta[j]
    bias = inputs * width
    for j in range(width):
        weights[bias + j] += delta[j]


def tensors(weights: np.ndarray, inputs: int, hidden: int) -> dict[str, Any]:
    """The weights by name, as views: W, b and with a hidden layer U, c."""
    width = padded(hidden) or LANES
    found = {
        "W": weights[: inputs * width].reshape(inputs, width),
        "b": weights[inputs * width : (inputs + 1) * width],
    }
    if hidden:
        rest = weights[(inputs + 1) * width :]
        found["U"] = rest[: width * LANES].reshape(width, LANES)
        found["c"] = rest[width * LANES :]
    return found
