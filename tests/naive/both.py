"""Search with the sum of two memories, slowly: dictionaries and equations (Silver 2009, Algorithm 7).

Any game for two without chance, features as functions of a state. `tests/naive/td_search.py` has what holds
for Algorithm 5 too: how details of the pseudocode are read.
"""

import math

import numpy as np

from playout.games.api import is_over, legal_moves, outcome, play, to_play
from playout.kernel import below, clone, next_u64

WON = 1e4


def sigma(x):
    return 1 / (1 + math.exp(-x))


class Sum:
    """Two memories: a function that gives features, and a weight for each, in a dictionary."""

    def __init__(self, long_features, theta, short_features):
        self.long_features, self.theta = long_features, dict(theta)
        self.short_features, self.bar = short_features, {}

    def x(self, state):
        """φ·θ + φ̄·θ̄ (7.2)."""
        long = sum(self.theta.get(f, 0.0) for f in self.long_features(state))
        return long + sum(self.bar.get(f, 0.0) for f in self.short_features(state))

    def choose(self, state, epsilon, rng):
        """ε-greedy; of equals the last."""
        buffer = np.zeros(64, np.uint16)
        moves = buffer[: int(legal_moves(state[0], buffer))].tolist()
        if epsilon > 0 and (int(next_u64(rng[0])) >> 11) / 2**53 < epsilon:
            return moves[int(below(rng[0], len(moves)))]
        sign = 1 if to_play(state[0]) == 1 else -1
        best, best_value = None, -math.inf
        for move in moves:
            after = clone(state)
            play(after[0], move)
            over = bool(is_over(after[0]))
            found = sign * (WON * (2 * float(outcome(after[0])) - 1) if over else self.x(after[0]))
            if found >= best_value - 1e-6:
                best, best_value = move, max(found, best_value)
        return best

    def simulate(self, root, rng, *, alpha, epsilon, lam=0.0):
        """SELFPLAY: two-ply updates on-line, of the short-term memory alone (7.4); ε-greedy to the end."""
        state, t = clone(root), 0
        active, values = [], []
        traces = [{}, {}]  # one for each parity

        def update(u, target):
            trace = traces[u % 2]
            for f in trace:
                trace[f] *= lam
            for f in active[u]:
                trace[f] = trace.get(f, 0.0) + 1 / len(active[u])
            for f in trace:
                self.bar[f] = self.bar.get(f, 0.0) + alpha * (target - values[u]) * trace[f]

        while not is_over(state[0]):
            active.append(self.short_features(state[0]))
            values.append(sigma(self.x(state[0])))
            if t >= 2 and active[t - 2]:
                update(t - 2, values[t])
            play(state[0], self.choose(state, epsilon, rng))
            t += 1
        z = float(outcome(state[0]))
        for u in range(max(0, t - 2), t):
            if active[u]:
                update(u, z)
