"""Sarsa(λ) with features as Algorithm 1 of Silver (2009) has it, with its lines 11 and 12 in the right order.

Weights are in a dictionary, in the game's own units, and a step is divided by the active features.
"""

import math

import numpy as np

from naive.sparse import step
from playout.games import api as game
from playout.kernel import below, next_u64


class Sarsa:
    """Q(s, a) = initial + φ(s, a)·θ, or low + (high − low) σ(x + φ·θ)."""

    def __init__(
        self, features, rng, *, rule, alpha, epsilon, lam, traces, initial, low, high, longest=10_000
    ):
        self.features, self.rng, self.rule = features, rng, rule
        self.alpha, self.epsilon, self.lam, self.replacing = alpha, epsilon, lam, traces == "replacing"
        self.initial, self.low, self.high, self.longest = initial, low, high, longest
        self.theta = {}

    def phi(self, state, action):
        """Features of the pair."""
        return [(*feature, action) for feature in self.features(state[0])]

    def q(self, state, action):
        x = sum(self.theta.get(f, 0.0) for f in self.phi(state, action))
        if self.rule == "linear":
            return self.initial + x
        share = (self.initial - self.low) / (self.high - self.low)
        return self.low + (self.high - self.low) / (1 + math.exp(-x - math.log(share / (1 - share))))

    def choose(self, state):
        buffer = np.zeros(64, np.uint16)
        moves = buffer[: int(game.legal_moves(state[0], buffer))].tolist()
        if self.epsilon and (int(next_u64(self.rng[0])) >> 11) / 2**53 < self.epsilon:
            return moves[int(below(self.rng[0], len(moves)))]
        sign = 1 if game.to_play(state[0]) == 1 else -1
        best, best_value = None, -math.inf
        for move in moves:  # of equals the last
            value = sign * self.q(state, move)
            if value >= best_value - 1e-9:
                best, best_value = move, max(value, best_value)
        return best

    def episode(self, root):
        """Play an episode and learn from it; its return, and how many steps it had."""
        state, trace, paid_so_far, weight, steps = root.copy(), {}, 0.0, 1.0, 0
        action = self.choose(state)
        while True:
            after, paid, gamma = step(state, action, self.rng)
            paid_so_far, weight, steps = paid_so_far + weight * paid, weight * gamma, steps + 1
            over = bool(game.is_over(after[0]))
            if over:
                next_action, value = None, float(game.outcome(after[0]))
            else:
                next_action = self.choose(after)
                value = self.q(after, next_action)
            delta = paid + gamma * value - self.q(state, action)  # (2.14)
            active = self.phi(state, action)
            credit = 1 / len(active)
            scale = self.high - self.low
            if self.rule != "linear":
                delta /= scale
            if self.rule == "nonlinear":
                share = (self.q(state, action) - self.low) / scale
                credit *= share * (1 - share)  # the slope of σ
            if self.replacing:
                for f in active:
                    trace[f] = 0.0
            for f in active:
                trace[f] = trace.get(f, 0.0) + credit  # line 12
            for f in trace:
                self.theta[f] = self.theta.get(f, 0.0) + self.alpha * delta * trace[f]  # line 11
                trace[f] *= self.lam * gamma  # the first half of line 12 of the next time
            state, action = after, next_action
            if over:
                return paid_so_far + weight * value, steps
            if steps >= self.longest:
                return paid_so_far, steps
