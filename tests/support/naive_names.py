"""Weights of local shapes by the names that the naive twin gives them."""

import numpy as np
from draw import show
from naive import shapes as naive_shapes
from naive.go import all_points
from naive.shapes import sharing

from playout.games.go.memory.shapes import Shapes, features_of

KNOWN = {}


def theta_of(features, rule, side):
    """Random weights, and the same by the naive names of their classes."""
    dice = np.random.default_rng(5)
    theta = dice.normal(size=features.unique)
    by_name = {}
    for k, weight in enumerate(theta):
        shape = features.example(k)
        feature = (shape.size, *(shape.place or (0, 0)), "".join(shape.rows()))
        name, sign = sharing(feature, side, shape.sharing)
        by_name[shape.sharing, name] = sign * weight
    return theta, by_name


def known(side, sizes=(1, 2), rule="both"):
    """Features, random weights, and these by their naive names; made once."""
    key = side, sizes, rule
    if key not in KNOWN:
        features = features_of(Shapes(side=side, sizes=sizes, sharing=rule))
        theta, by_name = theta_of(features, rule, side)
        KNOWN[key] = features, theta, by_name
    return KNOWN[key]


def by_number(found, features):
    """A dictionary by naive names as an array by weight."""
    numbers = np.zeros(features.unique)
    for k in range(features.unique):
        shape = features.example(k)
        feature = (shape.size, *(shape.place or (0, 0)), "".join(shape.rows()))
        name, sign = sharing(feature, features.shapes.side, shape.sharing)
        numbers[k] = sign * found.get((shape.sharing, name), 0.0)
    return numbers


def naive_phi(features, sharing):
    """φ(s) of a state and the number of active features, read by the naive twin."""
    number = {}
    for weight in range(features.unique):
        shape = features.example(weight)
        example = (shape.size, *(shape.place or (0, 0)), "".join(shape.rows()))
        name, sign = naive_shapes.sharing(example, features.shapes.side, shape.sharing)
        number[shape.sharing, name] = weight, sign
    side = features.shapes.side

    def phi_of(state):
        board = dict(zip(all_points(side), show(state).replace("\n", " ").split(" "), strict=True))
        phi, active = np.zeros(features.unique), 0
        for kind in naive_shapes.rules_of(sharing):
            for feature in naive_shapes.active(board, side, features.shapes.sizes):
                name, sign = naive_shapes.sharing(feature, side, kind)
                if sign:
                    weight, own = number[kind, name]
                    phi[weight] += sign * own
                    active += 1
        return phi, active

    return phi_of
