"""Softmax over local shapes, slowly: every position after a move is described anew (Silver & Tesauro 2009).

Weights are a dictionary by the names of `naive.shapes`.
"""

import math

from naive import shapes
from naive.go import PASS, WHITE, Go, Point

Weights = dict[object, float]


def features(game: Go, move: Point | None, sizes, rule) -> dict[object, int]:
    """φ(s, a): the shapes after the move as the mover sees them; White sees all colours exchanged."""
    after = game.copy()
    after.play(move)
    found = shapes.weights(after.board, game.side, sizes, rule)
    return {name: -count if game.to_play == WHITE else count for name, count in found.items()}


def dot(phi, theta: Weights) -> float:
    """φ·θ."""
    return sum(theta[name] * count for name, count in phi.items())


def probabilities(game: Go, theta: Weights, sizes, rule) -> dict[Point | None, float]:
    """π(s, a) of every move (eq. 5)."""
    values = {
        move: 0.0 if move is PASS else dot(features(game, move, sizes, rule), theta)
        for move in game.policy_moves()
    }
    highest = max(values.values())
    terms = {move: math.exp(value - highest) for move, value in values.items()}
    return {move: term / sum(terms.values()) for move, term in terms.items()}


def psi(game: Go, chosen: Point | None, theta: Weights, sizes, rule) -> Weights:
    """ψ(s, a) = φ(s, a) − Σ_b π(s, b) φ(s, b) (eq. 6)."""
    found: Weights = {}
    for move, chance in probabilities(game, theta, sizes, rule).items():
        for name, count in features(game, move, sizes, rule).items():
            found[name] = found.get(name, 0.0) + ((move == chosen) - chance) * count
    return found
