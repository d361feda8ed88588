"""The gradient of adjusting on positions of Go so small that every game can be gone through."""

import math

import draw
import numpy as np
import pytest
from naive import move_features as naive
from naive.go import BLACK, Go

from playout.games.go.policy.feature_policy import FeaturePolicy
from playout.games.go.policy.feature_softmax import COUNT
from playout.games.go.policy.move_features import simulation_names
from playout.learn.adjust import Adjust, AdjustLearner

NAMES = simulation_names()
PATTERNS = {name.removeprefix("pattern ") for name in NAMES if name.startswith("pattern ")}
MOVES = 6  # games are cut off after so many


class EveryGame:
    """Black's chance to win, and its gradient, when moves are drawn by a softmax of their features."""

    def __init__(self, theta, komi):
        self.theta, self.komi, self.known = theta, komi, {}

    def moves(self, game, last, before):
        """By move: π and φ."""
        phi = {}
        for move in game.policy_moves():
            phi[move] = np.zeros(COUNT)
            if move is not None:
                for name in naive.features(game, move, last, before, PATTERNS):
                    phi[move][NAMES.index(name)] = 1.0
        weights = {move: math.exp(self.theta @ x) for move, x in phi.items()}
        whole = sum(weights.values())
        return {move: (weights[move] / whole, phi[move]) for move in phi}

    def value(self, game, last, before, left):
        """How often Black wins from here, and the gradient."""
        if game.is_over():
            return float(game.area_score() > self.komi), np.zeros(COUNT)
        if left == 0:  # cut off: a draw
            return 0.5, np.zeros(COUNT)
        key = (str(game), game.to_play, game.ko, game.passes, last, before, left)
        if key not in self.known:
            moves = self.moves(game, last, before)
            mean = sum(chance * phi for chance, phi in moves.values())
            total, slope = 0.0, np.zeros(COUNT)
            for move, (chance, phi) in moves.items():
                after = game.copy()
                after.play(move)
                worth, worth_slope = self.value(after, move, last, left - 1)
                total += chance * worth
                slope += chance * (worth * (phi - mean) + worth_slope)
            self.known[key] = total, slope
        return self.known[key]


FIRST = (
    """
    X . X
    . X O
    . O .""",
    "O",
    -2.5,
)
SECOND = (
    """
    O . O
    . O X
    . X X""",
    "X",
    -0.5,
)
TEMPERATURE = 1.0


@pytest.mark.parametrize(
    ("drawing", "objective", "right"),
    [
        (FIRST, "square", "worst"),
        (SECOND, "square", "worst"),
        (FIRST, "margin", "worst"),
        (SECOND, "margin", "worst"),
        (SECOND, "margin", "best"),  # a margin is wanted where the right move wins most, too
    ],
)
def test_the_gradient_is_the_exact_one(drawing, objective, right):
    text, to_play, komi = drawing
    theta = 0.5 * np.random.default_rng(3).normal(size=COUNT)
    game = Go.drawn(text, to_play)
    every = EveryGame(theta, komi)
    sign = 1 if to_play == BLACK else -1
    after = {}
    for move in game.legal_points():
        twin = game.copy()
        twin.play(move)
        worth, slope = every.value(twin, move, None, MOVES - 1)
        after[move] = (worth if sign == 1 else 1 - worth), sign * slope
    moves = sorted(after, key=lambda move: after[move][0], reverse=True)
    star, other = (moves[-1], moves[0]) if right == "worst" else (moves[0], moves[1])
    error = after[other][0] - after[star][0]
    if objective == "margin":
        error = 1 / (1 + math.exp(-error / TEMPERATURE))
    expected = error * (after[other][1] - after[star][1])
    assert np.abs(expected).max() > (0.08 if objective == "square" else 0.02)

    root = draw.board(text, to_play)
    roots = np.array([root])
    roots["komi"], roots["limit"] = komi, roots["moves"] + MOVES
    made = FeaturePolicy(3, theta, records=2)
    settings = Adjust(m=40_000, n=40_000, objective=objective, temperature=TEMPERATURE)
    learner = AdjustLearner(made, settings, roots, [[draw.to_point(*star)]])
    sampler = learner._samplers[0]
    sampler.descend(roots, learner.right[0], learner.settings)
    assert made.by_weight(sampler.sums) == pytest.approx(expected, abs=0.012)
