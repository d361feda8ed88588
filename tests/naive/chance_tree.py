"""UCT and MC–RAVE (Silver 2009, Algorithms 2 and 8) where chance moves and steps pay, slowly.

A simulation is the list of its steps, one for every move of a player or of chance, each with what it pays and
how it discounts the rest. A node is a dictionary of its children: by action, by event where chance moves and
its events have numbers, and in an open loop by who moves and what he does.

The game, chance and the default policy are asked through the package's generic functions, so that both twins
see the same simulations from the same random numbers; the tree and its returns are written here.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from playout.games import api
from playout.kernel import clone
from playout.policy.api import begin, sample

CHANCE = 0  # in place of a player


class Step(NamedTuple):
    """A move of a player or of chance."""

    player: int
    action: int
    reward: float
    discount: float


@dataclass
class Node:
    """A node and the edge to it; wins are those of the player who chose it, chance counts for player 1."""

    visits: int = 0
    wins: float = 0.0
    amaf_visits: int = 0
    amaf_wins: float = 0.0
    prior: float = 0.5
    children: dict = field(default_factory=dict)


class Walk:
    """A simulation under way: a state and the steps that have led to it."""

    def __init__(self, start, rng):
        self.state, self.rng, self.steps = clone(start)[0], rng, []
        self.facts = api.facts_of(start.dtype)

    def note(self, player, action):
        """Keep a step that has just been made."""
        self.steps.append(
            Step(player, action, float(api.reward(self.state)), float(api.discount(self.state)))
        )

    def make(self, action):
        player = int(api.to_play(self.state))
        api.play(self.state, action)
        self.note(player, action)

    def spin(self):
        """Let chance make one move; return the number of it."""
        event = int(api.roll(self.state, self.rng))
        self.note(CHANCE, event)
        return event

    @property
    def ended(self):
        """Whether the game is over, or is cut off at the length that it declares."""
        return bool(api.is_over(self.state)) or len(self.steps) >= self.facts.moves

    @property
    def at_chance(self):
        return not self.ended and bool(api.is_chance(self.state))

    def settle(self):
        """Let chance move until a player is to."""
        while self.at_chance:
            self.spin()

    def legal(self):
        moves = np.zeros(self.facts.most_choices, np.uint16)
        return [int(move) for move in moves[: api.legal_moves(self.state, moves)]]

    def finish(self, policy):
        """The default policy plays to the end."""
        self.settle()
        begin(policy, self.state)
        while not self.ended:
            self.make(int(sample(policy, self.state, self.rng)))
            self.settle()

    def returns(self):
        """Player 1's return from each step on: G_t = R_{t+1} + γ G_{t+1}, and the outcome at last."""
        g = float(api.outcome(self.state)) if api.is_over(self.state) else 0.0
        found = []
        for step in reversed(self.steps):
            g = step.reward + step.discount * g
            found.append(g)
        return found[::-1]


def value(node, total, s):
    """Q⊕(s, a): equations 3.5, 8.6, 8.12, 8.13, 8.41 and 8.42–8.46."""
    n = node.visits + s.experience
    amaf_n = node.amaf_visits + s.amaf_experience if s.rave != "none" else 0.0
    if n == 0 and amaf_n == 0:
        return s.urgency
    amaf_q = (float(node.amaf_wins) + s.amaf_experience * node.prior) / amaf_n if amaf_n else 0.0
    if n == 0:
        return amaf_q + (1e6 if s.exploration > 0 and total > 1 else 0.0)  # (8.12) has no bound there
    q = (float(node.wins) + s.experience * node.prior) / n
    beta = 0.0
    if amaf_n and s.rave == "mse":
        beta = amaf_n / (n + amaf_n + 4 * n * amaf_n * s.bias**2)
    elif amaf_n:
        beta = math.sqrt(s.equivalence / (3 * total + s.equivalence))
    factor = 2 if s.rave == "none" else 1
    bonus = s.exploration * math.sqrt(factor * math.log(total) / n) if total > 1 else 0.0
    return (1 - beta) * q + beta * amaf_q + bonus


def is_open(walk):
    """Whether chance has no numbers, so that nodes do not tell apart what it did."""
    return walk.facts.events == 0


def key_of(walk, player, action):
    return (player, action) if is_open(walk) else action


def grow(node, walk, actions):
    """Give a leaf its children."""
    if is_open(walk):
        players = range(1, walk.facts.players + 1)
        keys = [(player, action) for player in players for action in range(walk.facts.actions)]
    elif walk.at_chance:
        keys = range(walk.facts.events)
    else:
        keys = actions
    node.children = {key: Node() for key in keys}


def inherit(node, walk, edges, s):
    """Q_grand (8.6): a new child's prior is what its mover's last choice, two plies ago, thought of it.

    There is none where chance moved in between, or another player then.
    """
    before = [(parent, walk.steps[first].player) for parent, _, _, first in edges[-2:]]
    if len(before) < 2 or before[1][1] == CHANCE or before[0][1] != int(api.to_play(walk.state)):
        return
    for key, child in node.children.items():
        old = before[0][0].children.get(key)
        if old is not None:
            n = old.visits + s.experience
            q = (float(old.wins) + s.experience * old.prior) / n if n else old.prior
            child.prior = float(np.float32(q))


def descend(node, walk, s, grandfather):
    """Follow the tree to a leaf; return the edges: (parent, key, child, number of the first step)."""
    edges = []
    while node.children and not walk.ended:
        first = len(walk.steps)
        if walk.at_chance:
            key = walk.spin()
        else:
            player = int(api.to_play(walk.state))
            actions = walk.legal() if is_open(walk) else list(node.children)
            total = node.visits + s.experience * len(actions)
            action = max(actions, key=lambda a: value(node.children[key_of(walk, player, a)], total, s))
            key = key_of(walk, player, action)
            walk.make(action)
            if is_open(walk):
                walk.settle()
        edges.append((node, key, node.children[key], first))
        node = node.children[key]
    if not node.children and node.visits >= s.expand_at and not walk.ended:
        grow(node, walk, walk.legal())
        if grandfather and not walk.at_chance:
            inherit(node, walk, edges, s)
    return edges


def share(walk, player, z):
    """A return as the tree counts it: a number from 0 to 1, the higher the better for the player."""
    part = (z - walk.facts.low) / (walk.facts.high - walk.facts.low)
    return 1.0 - part if player == 2 else part


def back_up(root, edges, walk, s):
    """Every node that was passed gets its return; actions made later count for their siblings (RAVE)."""
    returns = walk.returns()
    root.visits += 1
    for parent, _, child, first in edges:
        player = walk.steps[first].player
        worth = share(walk, player, returns[first])
        child.visits += 1
        child.wins += worth
        if s.rave == "none" or player == CHANCE:
            continue
        for action in {step.action for step in walk.steps[first:] if step.player == player}:
            other = parent.children.get(key_of(walk, player, action))
            if other is not None:
                other.amaf_visits += 1
                other.amaf_wins = float(np.float32(other.amaf_wins + worth))  # kept in single precision


def search(start, actions, policy, rng, simulations, s, grandfather=False):
    """The tree after some simulations from a state where a player is to move.

    grandfather: whether new nodes have that prior, else an even one.
    """
    root = Node()
    walk = Walk(start, rng)
    player = int(api.to_play(walk.state))
    choices = range(walk.facts.actions) if is_open(walk) else actions
    root.children = {key_of(walk, player, action): Node() for action in choices}
    for _ in range(simulations):
        walk = Walk(start, rng)
        edges = descend(root, walk, s, grandfather)
        walk.finish(policy)
        back_up(root, edges, walk, s)
    return root


def evaluate(start, policy, rng, simulations, action=None):
    """The summed returns of simulations, that begin with an action if there is one, and their steps."""
    total, steps = 0.0, 0
    for _ in range(simulations):
        walk = Walk(start, rng)
        if action is not None:
            walk.make(action)
        walk.finish(policy)
        total += (walk.returns() or [float(api.outcome(walk.state))])[0]
        steps += len(walk.steps)
    return total, steps
