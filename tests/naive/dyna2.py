"""Episodic Dyna-2 as Algorithm 6 of Silver (2009) has it, with the world as the model; dictionaries.

Traces are updated before weights, as in Algorithm 1. Values are linear and in the game's own units.
"""

from naive.sarsa import Sarsa
from naive.sparse import step
from playout.games import api as game


class Sum(Sarsa):
    """Q̄ = Q + φ̄·θ̄ (7.2): simulated experience changes θ̄ alone."""

    def __init__(self, long, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.long = long

    def q(self, state, action):
        return self.long.q(state, action) + sum(self.theta.get(f, 0.0) for f in self.phi(state, action))


class Dyna2:
    def __init__(self, long_features, short_features, world, dreams, *, alpha, epsilon, lam, simulations):
        settings = {
            "rule": "linear",
            "traces": "accumulating",
            "alpha": alpha,
            "epsilon": epsilon,
            "lam": lam,
            "low": 0.0,
            "high": 1.0,
        }
        self.long = Sarsa(long_features, world, initial=0.0, **settings)
        self.short = Sum(self.long, short_features, dreams, initial=0.0, **settings)
        self.world, self.dreams, self.simulations = world, dreams, simulations

    def choose(self, state):
        """ε-greedy(s; Q̄), with real dice."""
        self.short.rng = self.world
        action = self.short.choose(state)
        self.short.rng = self.dreams
        return action

    def search(self, state):
        for _ in range(self.simulations):
            self.short.episode(state)

    def episode(self, root):
        long, state, trace, total, weight = self.long, root.copy(), {}, 0.0, 1.0
        self.short.theta = {}
        self.search(state)
        action = self.choose(state)
        while True:
            after, paid, gamma = step(state, action, self.world)
            total, weight = total + weight * paid, weight * gamma
            over = bool(game.is_over(after[0]))
            if over:
                next_action, value = None, float(game.outcome(after[0]))
            else:
                self.search(after)
                next_action = self.choose(after)
                value = long.q(after, next_action)
            delta = paid + gamma * value - long.q(state, action)
            active = long.phi(state, action)
            for f in active:
                trace[f] = trace.get(f, 0.0) + 1 / len(active)
            for f in trace:
                long.theta[f] = long.theta.get(f, 0.0) + long.alpha * delta * trace[f]
                trace[f] *= long.lam * gamma
            state, action = after, next_action
            if over:
                return total + weight * value
