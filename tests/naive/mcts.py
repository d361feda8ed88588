"""Heuristic MC–RAVE (Silver 2009, Algorithm 8) and UCT (Algorithm 2), slowly: dictionaries and equations.

With the progressive bias and widening of Chaslot et al. 2008, section 2.2.

The game and the default policy are asked through the package's generic functions, so that both twins see
the same simulations from the same random numbers; everything about the tree is written here.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from playout.games.api import is_over, outcome, play, to_play, tree_moves
from playout.kernel import clone
from playout.policy.api import begin, sample


@dataclass
class Node:
    """A state in the tree: its count, and for every action the counts, wins and priors."""

    count: int = 0
    actions: list[int] = field(default_factory=list)
    mc_count: dict[int, int] = field(default_factory=dict)
    mc_wins: dict[int, float] = field(default_factory=dict)
    amaf_count: dict[int, int] = field(default_factory=dict)
    amaf_wins: dict[int, float] = field(default_factory=dict)
    prior: dict[int, float] = field(default_factory=dict)
    child: dict[int, "Node"] = field(default_factory=dict)

    def grow(self, actions, s, prior):
        """Give a leaf its actions, the most promising first where only some are looked at.

        prior: what is known of them beforehand, else a half.
        """
        actions = list(actions)
        self.prior = {action: prior.get(action, 0.5) for action in actions}
        self.actions = sorted(actions, key=lambda a: -self.prior[a]) if s.pw_initial else actions
        for table in (self.mc_count, self.amaf_count):
            table.update(dict.fromkeys(self.actions, 0))
        for table in (self.mc_wins, self.amaf_wins):
            table.update(dict.fromkeys(self.actions, 0.0))


def value(node, action, s):
    """Formula 2 of Chaslot et al.: the value of an action and its progressive bias."""
    h = node.prior[action] ** s.pb_exponent
    return mc_rave(node, action, s) + s.pb_factor * h / (node.mc_count[action] + 1)


def candidates(node, s):
    """Progressive widening: child k, from 1 on, once the visits surpass A × B^(k − k_init)."""
    if s.pw_initial == 0:
        return node.actions
    return [
        action
        for k, action in enumerate(node.actions, start=1)
        if k <= s.pw_initial or node.count > s.pw_factor * s.pw_base ** (k - s.pw_initial)
    ]


def mc_rave(node, action, s):
    """Q⊕(s, a), equations 3.5, 8.6, 8.12, 8.13 and 8.41, with priors as in 8.42–8.46."""
    prior = node.prior[action]
    n = node.mc_count[action] + s.experience
    total = node.count + s.experience * len(node.actions)
    amaf_n = node.amaf_count[action] + s.amaf_experience if s.rave != "none" else 0.0
    if n == 0 and amaf_n == 0:
        return s.urgency
    amaf_q = (node.amaf_wins[action] + s.amaf_experience * prior) / amaf_n if amaf_n else 0.0
    if n == 0:  # c √(log N(s) / 0) is infinite, and 0 if there is no exploration yet
        return amaf_q + (1e6 if s.exploration > 0 and total > 1 else 0.0)
    q = (node.mc_wins[action] + s.experience * prior) / n
    if not amaf_n:
        beta = 0.0
    elif s.rave == "mse":
        beta = amaf_n / (n + amaf_n + 4 * n * amaf_n * s.bias**2)
    else:
        beta = math.sqrt(s.equivalence / (3 * total + s.equivalence))
    factor = 2 if s.rave == "none" else 1  # (3.5) has it, (8.12) has not
    bonus = s.exploration * math.sqrt(factor * math.log(total) / n) if total > 1 else 0.0
    return (1 - beta) * q + beta * amaf_q + bonus


def even(nodes, state, actions, s):
    """Q_even: nothing is known of any action."""
    return {}


def grandfather(nodes, state, actions, s):
    """Q_grand(s_t, a) = Q(s_{t-2}, a) by action, for a new node below the nodes of a path.

    Q starts as the prior, which counts as `experience` simulations (8.42, 8.43). A tree keeps priors in
    single precision.
    """
    if len(nodes) < 2:
        return {}
    old = nodes[-2]
    found = {}
    for action in old.actions:
        n = old.mc_count[action] + s.experience
        wins = old.mc_wins[action] + s.experience * old.prior[action]
        found[action] = float(np.float32(wins / n if n else old.prior[action]))
    return found


def simulate(root, state, policy, rng, s, heuristic):
    """One simulation: down the tree, out with the default policy, and back up."""
    node, nodes, moves = root, [], []
    while node.actions and not is_over(state):
        action = max(candidates(node, s), key=lambda a: value(node, a, s))
        nodes.append(node)
        moves.append((int(to_play(state)), action))
        play(state, action)
        node = node.child.setdefault(action, Node())
    if not node.actions and node.count >= s.expand_at and not is_over(state):
        buffer = np.zeros(512, np.uint16)
        actions = [int(a) for a in buffer[: tree_moves(state, buffer)]]
        node.grow(actions, s, heuristic(nodes, state, actions, s))
    leaf = node
    begin(policy, state)
    while not is_over(state):
        action = int(sample(policy, state, rng))
        moves.append((int(to_play(state)), action))
        play(state, action)
    back_up(nodes, leaf, moves, float(outcome(state)), s)


def back_up(nodes, leaf, moves, z, s):
    """Equations 8.7–8.11; the leaf's own count too."""
    for t, node in enumerate(nodes):
        player, action = moves[t]
        reward = z if player == 1 else 1.0 - z
        node.count += 1
        node.mc_count[action] += 1
        node.mc_wins[action] += reward
        touched = set()
        for later_player, later in moves[t:]:
            key = later if s.first_only else (later_player, later)
            if key in touched or later == s.silent:
                continue
            touched.add(key)
            if later_player == player and later in node.amaf_count and s.rave != "none":
                node.amaf_count[later] += 1
                node.amaf_wins[later] += reward
    leaf.count += 1


def search(start, actions, policy, rng, simulations, s, heuristic=even):
    """The tree after some simulations from a state; heuristic: H(s, a) of the actions of a new node."""
    root = Node()
    root.grow(actions, s, heuristic([], clone(start)[0], actions, s))
    for _ in range(simulations):
        simulate(root, clone(start)[0], policy, rng, s, heuristic)
    return root
