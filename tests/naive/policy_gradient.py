"""REINFORCE and actor–critic with dictionaries (Silver 2009, 2.31 and 2.32, with log and ∇ in order)."""

import math

import numpy as np

from naive.sparse import step
from playout.games import api as game
from playout.kernel import next_u64


class Policy:
    """Softmax over features of pairs, and linear values of states; all values are shares."""

    def __init__(
        self, features, rng, *, method, beta, alpha, baseline, unknown, low, high, critic="td-error"
    ):
        self.critic, self.w = critic, {}
        self.features, self.rng, self.method = features, rng, method
        self.beta, self.alpha, self.baseline, self.unknown = beta, alpha, baseline, unknown
        self.low, self.high = low, high
        self.p, self.theta = {}, {}

    def moves(self, state):
        buffer = np.zeros(64, np.uint16)
        return buffer[: int(game.legal_moves(state[0], buffer))].tolist()

    def pi(self, state):
        prefer = [sum(self.p.get((*f, a), 0.0) for f in self.features(state[0])) for a in self.moves(state)]
        weights = [math.exp(x) for x in prefer]
        return [w / sum(weights) for w in weights]

    def v(self, state):
        return self.unknown + sum(self.theta.get(f, 0.0) for f in self.features(state[0]))

    def share(self, value):
        return (value - self.low) / (self.high - self.low)

    def psi(self, state, action):
        """∇ log π(s, a), divided by the active features."""
        pi, features = self.pi(state), self.features(state[0])
        return {
            (*f, b): ((b == action) - pi[k]) / len(features)
            for k, b in enumerate(self.moves(state))
            for f in features
        }

    def judge(self, state, action, error):
        """Q_w − V = w ∇ log π, after which Δw = α (δ − w ∇ log π) ∇ log π."""
        if self.critic == "td-error":
            return error
        psi, size = self.psi(state, action), len(self.features(state[0]))
        judged = sum(self.w.get(f, 0.0) * x * size for f, x in psi.items())
        for f, x in psi.items():
            self.w[f] = self.w.get(f, 0.0) + self.alpha * (error - judged) * x
        return judged

    def learn(self, state, action, judged, error):
        """Δp = β (…) ∇ log π, Δθ = α (…) φ."""
        pi, features = self.pi(state), self.features(state[0])
        sign = 1 if game.to_play(state[0]) == 1 else -1
        for k, b in enumerate(self.moves(state)):
            for f in features:
                psi = (b == action) - pi[k]
                self.p[(*f, b)] = self.p.get((*f, b), 0.0) + sign * self.beta * judged * psi / len(features)
        for f in features:
            self.theta[f] = self.theta.get(f, 0.0) + self.alpha * error / len(features)

    def episode(self, root):
        state, way = root.copy(), []
        while not game.is_over(state[0]):
            left, moves, pi = (int(next_u64(self.rng[0])) >> 11) / 2**53, self.moves(state), self.pi(state)
            k = 0
            while k < len(moves) - 1 and left >= pi[k]:
                left, k = left - pi[k], k + 1
            after, paid, gamma = step(state, moves[k], self.rng)
            way.append((state, moves[k], paid, gamma))
            if self.method == "actor-critic":
                rest = game.outcome(after[0]) if game.is_over(after[0]) else self.v(after)
                if not game.is_over(after[0]):
                    rest = self.low + rest * (self.high - self.low)
                delta = self.share(paid + gamma * float(rest)) - self.v(state)
                self.learn(state, moves[k], self.judge(state, moves[k], delta), delta)
            state = after
        z, returns = float(game.outcome(state[0])), []
        for _, _, paid, gamma in reversed(way):
            z = paid + gamma * z
            returns.append(z)
        if self.method == "reinforce":
            for (state, action, _, _), z in zip(way, reversed(returns), strict=True):
                error = self.share(z) - self.v(state)
                self.learn(state, action, error if self.baseline == "value" else self.share(z), error)
        return returns[-1]
