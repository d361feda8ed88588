"""TD search with TD(0) and binary features (Silver 2009, Algorithm 5), slowly: dictionaries and equations.

Two details are read by the equations, as in learning: the step is divided by the active features of the
position that is updated, and the last two positions are drawn towards the outcome. The game and the
default policy are asked through the package's generic functions, so that both twins see the same
simulations from the same random numbers; features, values and updates are written here.
"""

import math

import numpy as np
from draw import show

from naive import shapes
from naive.go import all_points
from playout.games.api import is_over, outcome, play, to_play, tree_moves
from playout.games.go.policy import Uniform
from playout.kernel import below, clone, next_u64
from playout.policy.api import begin, sample


def features(state, sizes):
    """F(s): the local shapes that are there, those of nothing but empty points left out (6.8)."""
    side = int(state.side)
    board = dict(zip(all_points(side), show(state).replace("\n", " ").split(" "), strict=True))
    return [f for f in shapes.active(board, side, sizes) if set(f[3]) != {"."}]


def value(theta, active):
    """EVAL: σ(Σ θ) (6.2)."""
    return 1 / (1 + math.exp(-sum(theta.get(feature, 0.0) for feature in active)))


def moves_of(state):
    """What a greedy player chooses among: a pass only when there is nothing else."""
    buffer = np.zeros(512, np.uint16)
    n = tree_moves(state, buffer)
    return [int(a) for a in buffer[: n - 1 if n > 1 else n]]


class Growing:
    """An incremental representation: each simulation adds a feature to each region at most (10.1.2)."""

    def __init__(self):
        self.known, self.grown = set(), set()

    def begin(self):
        self.grown = set()

    def grow(self, found):
        """The features that are known, after the new ones that may be added."""
        for feature in found:
            region = feature[:3]
            if feature not in self.known and region not in self.grown:
                self.known.add(feature)
                self.grown.add(region)
        return [feature for feature in found if feature in self.known]


def epsilon_greedy(theta, states, sizes, epsilon, rng):
    """A random move with probability ε, else the best after-state for the mover; of equals the last."""
    moves = moves_of(states[0])
    if chance(rng, epsilon):
        return moves[int(below(rng[0], len(moves)))]
    best, best_value = None, -math.inf
    sign = 1 if to_play(states[0]) == 1 else -1
    for move in moves:
        after = clone(states)
        play(after[0], move)
        found = sign * sum(theta.get(feature, 0.0) for feature in features(after[0], sizes))
        if found >= best_value - 1e-6:
            best, best_value = move, max(found, best_value)
    return best


def chance(rng, probability):
    """Whether something of a probability happens; nothing is drawn for what never does."""
    return probability > 0 and (int(next_u64(rng[0])) >> 11) / 2**53 < probability


def search(
    theta,
    root,
    policy,
    rng,
    simulations,
    *,
    sizes,
    alpha,
    epsilon,
    switch,
    online,
    policy_epsilon=0.0,
    late_epsilon=0.0,
    steps=None,
    growing=None,
):
    """SEARCH: the weights after some simulations from a root. online: update in the middle of them.

    policy_epsilon: ε′, moves of the default policy before the switch (10.3.2). late_epsilon: random moves,
    those of uniform play, after it. steps: a `naive.step_sizes.Steps` for the updates, when all are made at
    the end. growing: a representation that begins with nothing.
    """
    for _ in range(simulations):
        states = clone(root)
        active, values, t = [], [], 0
        read = theta if online else dict(theta)
        if growing is not None:
            growing.begin()

        def update(u, target, active=active, values=values):
            step = alpha / max(1, len(active[u])) * (target - values[u])  # (6.3)
            for feature in active[u]:
                theta[feature] = theta.get(feature, 0.0) + step

        while not is_over(states[0]):
            found = features(states[0], sizes)
            active.append(found if growing is None else growing.grow(found))
            values.append(value(read, active[t]))
            if t >= 2 and steps is None:
                update(t - 2, values[t])
            if t < switch and not chance(rng, policy_epsilon):
                action = epsilon_greedy(read, states, sizes, epsilon / (1 - policy_epsilon), rng)
            elif t >= switch and chance(rng, late_epsilon):
                action = int(sample(Uniform().record()[0], states[0], rng[0]))
            else:
                if t <= switch or late_epsilon:
                    begin(policy[0], states[0])
                action = int(sample(policy[0], states[0], rng[0]))
            play(states[0], action)
            t += 1
        z = float(outcome(states[0]))
        if steps is not None:
            steps.settle(theta, active, values, [*values, z, z][2 : t + 2])
            continue
        for u in range(max(0, t - 2), t):
            update(u, z)
    return theta
