"""A network with one hidden layer or none, by NumPy, from its equations; and TD(λ) in its forward view."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def outputs(arrays, x):
    """arrays: W, b and with a hidden layer U, c."""
    z = arrays["b"].astype(float) + x @ arrays["W"].astype(float)
    if "U" not in arrays:
        return sigmoid(z)
    h = z / (1 + np.abs(z))
    return sigmoid(arrays["c"].astype(float) + h @ arrays["U"].astype(float))


def cross_entropy(arrays, x, target):
    y = outputs(arrays, x)
    return -np.sum(target * np.log(y) + (1 - target) * np.log(1 - y))


def gradient(arrays, x, target, name, place, step=1e-5):
    """By finite differences, of the cross-entropy with respect to one weight."""
    found = []
    for sign in (1, -1):
        moved = {key: value.astype(float) for key, value in arrays.items()}
        moved[name][place] += sign * step
        found.append(cross_entropy(moved, x, target))
    return (found[0] - found[1]) / (2 * step)


def step(arrays, x, target, alpha):
    """One step of gradient descent on the cross-entropy, by its formulas."""
    z = arrays["b"] + x @ arrays["W"]
    h = z / (1 + np.abs(z))
    error = target - sigmoid(arrays["c"] + h @ arrays["U"])
    back = (arrays["U"] @ error) * (1 - np.abs(h)) ** 2
    return {
        "W": arrays["W"] + alpha * np.outer(x, back),
        "b": arrays["b"] + alpha * back,
        "U": arrays["U"] + alpha * np.outer(h, error),
        "c": arrays["c"] + alpha * error,
    }


def returns(said, end, lam, turn):
    """λ-returns of positions from the last to the first; said: what the network says of each.

    turn: what the other player would say. The network learns at each, so said is asked for anew: a function.
    """
    target = end
    for t in range(len(said) - 1, -1, -1):
        target = turn(target)
        yield t, target
        target = lam * target + (1 - lam) * said[t]()
