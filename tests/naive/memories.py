"""Temporal-difference search over memories of any game, slowly: a dictionary from features to weights.

Features, values and updates are written here from the thesis (6.2, 6.3, 6.7, 8.49, 10.1, 10.5.2). The game
and the default policy are asked through the package's generic functions, so that both twins see the same
simulations from the same random numbers.
"""

import math

import numpy as np

from playout.games.api import (
    chances,
    discount,
    facts_of,
    happen,
    has_chance,
    has_rewards,
    is_chance,
    is_over,
    outcome,
    play,
    reward,
    roll,
    to_play,
    tree_moves,
)
from playout.kernel import below, clone, next_u64
from playout.policy.api import begin, sample


def share(state, value):
    facts = facts_of(state.dtype)
    return (value - facts.low) / (facts.high - facts.low)


def look_up(state, name):
    """A variable by its name, as Python reads it."""
    bit = None
    if name.endswith(">"):
        name, _, digits = name[:-1].partition("<")
        bit = int(digits)
    field, _, rest = name.partition("[")
    value = state[field]
    if rest:
        value = value[tuple(int(word) for word in rest[:-1].split(","))]
    value = tuple(value.tolist()) if value.shape else value.item()
    return value if bit is None else value >> bit & 1


class Groups:
    """All configurations of groups of variables (10.5.2); tiles: by variable, (where they begin, width)."""

    def __init__(self, groups, tiles=None, tilings=8, by_player=True):
        self.groups, self.tiles, self.tilings, self.by_player = groups, tiles or {}, tilings, by_player

    def begin(self, state):
        pass

    def act(self, state, action):
        pass

    def features(self, state, theta):
        found = []
        for g, group in enumerate(self.groups):
            for tiling in range(self.tilings if any(name in self.tiles for name in group) else 1):
                values, reals = [], 0
                for name in group:
                    value = look_up(state, name)
                    if name in self.tiles:
                        first, width = self.tiles[name]
                        part = (2 * reals + 1) * tiling % self.tilings / self.tilings
                        value = math.floor((value - first) / width + part)
                        reals += 1
                    values.append(value)
                player = int(to_play(state)) if self.by_player else 0
                found.append((g, tiling, player, *values))
        return found

    def after(self, before, state, action, theta):
        return [feature for feature in self.features(state, theta) if feature in theta]


class Table:
    """One feature for each state of the table, which grows by some states a simulation (6.7)."""

    def __init__(self, grows=1):
        self.grows, self.grown = grows, 0

    @staticmethod
    def name(state):
        return (*(state[field].tobytes() for field in state.dtype.names), int(to_play(state)))

    def begin(self, state):
        self.grown = 0

    def act(self, state, action):
        pass

    def features(self, state, theta):
        name = self.name(state)
        if name not in theta and (self.grows == 0 or self.grown < self.grows):
            theta[name] = 0.0
            self.grown += 1
        return [name] if name in theta else []

    def after(self, before, state, action, theta):
        return [name for name in [self.name(state)] if name in theta]


def squash(x):
    return 1 / (1 + math.exp(-x))


def dot(theta, features):
    return sum(theta.get(feature, 0.0) for feature in features)


def with_pay(state, value):
    """r + γ V, as a share."""
    if not has_rewards(state):
        return value
    facts, gamma = facts_of(state.dtype), float(discount(state))
    paid = float(reward(state)) + (gamma - 1) * facts.low
    return paid / (facts.high - facts.low) + gamma * value


def action_value(memory, theta, state, action):
    """V after an action, as a share: the mean over what chance may do."""
    after = clone(np.array([state], state.dtype))
    play(after[0], action)

    def value(s):
        return (
            share(s, outcome(s)) if is_over(s) else squash(dot(theta, memory.after(state, s, action, theta)))
        )

    if has_chance(after[0]) and is_chance(after[0]) and not is_over(after[0]):
        likely = np.zeros(facts_of(state.dtype).events)
        total = 0.0
        for event in range(chances(after[0], likely)):
            later = clone(after)
            happen(later[0], event)
            total += float(likely[event]) * with_pay(later[0], value(later[0]))
        return with_pay(after[0], total)
    return with_pay(after[0], value(after[0]))


def epsilon_greedy(memory, theta, state, epsilon, rng):
    """A random move with probability ε, else the best after-state for the mover; of equals the last."""
    buffer = np.zeros(facts_of(state.dtype).most_choices, np.uint16)
    moves = [int(a) for a in buffer[: tree_moves(state, buffer)]]
    if epsilon > 0 and (int(next_u64(rng[0])) >> 11) / 2**53 < epsilon:
        return moves[int(below(rng[0], len(moves)))]
    sign = 1 if to_play(state) == 1 else -1
    best, best_value = None, -math.inf
    for move in moves:
        value = sign * action_value(memory, theta, state, move)
        if value >= best_value - 1e-7:
            best, best_value = move, max(value, best_value)
    return best


def let_chance_move(state, rng, moves=0):
    paid, fade = 0.0, 1.0
    while (
        has_chance(state) and not is_over(state) and is_chance(state) and moves < facts_of(state.dtype).moves
    ):
        roll(state, rng[0])
        moves += 1
        paid, fade = paid + fade * float(reward(state)), fade * float(discount(state))
    return paid, fade


def search(memory, root, policy, rng, simulations, *, alpha, epsilon, switch, plies, online=False):
    """SEARCH: the weights after some simulations from a root. online: update in the middle of them."""
    theta = {}
    facts = facts_of(root.dtype)
    for _ in range(simulations):
        states = clone(root)
        state = states[0]
        active, values, paid, fade, t, updates = [], [], [], [], 0, []
        let_chance_move(state, rng)
        memory.begin(state)

        def target(u, t, value, paid=paid, fade=fade):
            for k in range(t - 1, u - 1, -1):
                if has_rewards(root[0]):
                    value = (paid[k] + (fade[k] - 1) * facts.low) / (facts.high - facts.low) + fade[k] * value
            return value

        def update(u, wanted, active=active, values=values, updates=updates):
            step = alpha / max(1, len(active[u])) * (wanted - values[u])  # (6.3)
            for feature in active[u]:
                if online:
                    theta[feature] = theta.get(feature, 0.0) + step
                else:
                    updates.append((feature, step))

        while not is_over(state) and t <= facts.moves:  # a problem with rewards is cut off there
            active.append(memory.features(state, theta))
            for feature in active[t]:
                theta.setdefault(feature, 0.0)
            values.append(squash(dot(theta, active[t])))
            if online and t >= plies:
                update(t - plies, target(t - plies, t, values[t]))
            if t < switch:
                action = epsilon_greedy(memory, theta, state, epsilon, rng)
            else:
                if t == switch:
                    begin(policy[0], state)
                action = int(sample(policy[0], state, rng[0]))
            memory.act(state, action)
            play(state, action)
            r, gamma = float(reward(state)), float(discount(state))
            later, later_gamma = let_chance_move(state, rng, t + 1)
            paid.append(r + gamma * later)
            fade.append(gamma * later_gamma)
            t += 1
        z = share(state, outcome(state) if is_over(state) else 0.0)
        for u in range(max(0, t - plies) if online else 0, t):
            end = min(u + plies, t)
            update(u, target(u, end, z if end == t else values[end]))
        for feature, step in updates:
            theta[feature] += step
    return theta


class Rave:
    """Features of a state S of the tree and an action below it (8.49); the tree grows by one a simulation."""

    def __init__(self):
        self.tree = set()

    def begin(self, state):
        self.path, self.last, self.grown = [], None, False

    def act(self, state, action):
        name = Table.name(state)
        if name not in self.tree and not self.grown:
            self.tree.add(name)
            self.grown = True
        if name in self.tree and name not in self.path:
            self.path.append(name)
        self.last = int(to_play(state)), action

    def features(self, state, theta):
        return [(name, *self.last) for name in self.path] if self.last else []

    def after(self, before, state, action, theta):
        name = Table.name(before)
        passed = [*self.path, name] if name in self.tree and name not in self.path else self.path
        return [(s, int(to_play(before)), action) for s in passed]


class Sequences:
    """Features of actions in a row, anywhere in the history (10.1), one new of each length a simulation.

    The sequence of no action is there from the beginning.
    """

    def __init__(self, length):
        self.length, self.known = length, {()}

    def begin(self, state):
        self.history, self.lengths_added = [], set()

    def occurred(self, history):
        rows = [
            tuple(history[end - length : end])
            for length in range(self.length + 1)
            for end in range(length, len(history) + 1)
        ]
        return [row for row in dict.fromkeys(rows) if row in self.known]

    def act(self, state, action):
        self.history.append((int(to_play(state)), action))
        for length in range(1, min(self.length, len(self.history)) + 1):
            row = tuple(self.history[-length:])
            if row not in self.known and length not in self.lengths_added:
                self.known.add(row)
                self.lengths_added.add(length)

    def features(self, state, theta):
        return self.occurred(self.history)

    def after(self, before, state, action, theta):
        return self.occurred([*self.history, (int(to_play(before)), action)])
