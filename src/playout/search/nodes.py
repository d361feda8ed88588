"""The nodes of a search tree: what is kept of a child, what it is worth, the pool that nodes come from."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from playout.games.api import Facts
from playout.kernel import generic, inner, record_type

ROOT = 0
NOT_EXPANDED = 0  # no node has the root for a child
MAX_DEPTH = 512
MAX_LENGTH = 4096
PLAYER_BIT = 15  # of an action in a history: set for player 2
ACTION_MASK = np.uint16((1 << PLAYER_BIT) - 1)
CHANCE = ACTION_MASK  # in place of an action in a history: chance has moved
NO_NODE = (1 << 32) - 1

UNTRIED = 1e6  # what c √(log N(s) / N(s, a)) comes to where N(s, a) is 0: more than any other value

KNOWN = 4096  # numbers of visits whose roots and logarithms are in a table
ROOT_OF_LOG = np.array([math.sqrt(2.0 * math.log(max(1, n))) for n in range(KNOWN)])
INVERSE_ROOT = np.array([1.0 / math.sqrt(max(1, n)) for n in range(KNOWN)])

NODE = record_type(
    [
        ("first", "u4"),  # first child, or NOT_EXPANDED
        ("visits", "u4"),  # N(s, a) without the prior
        ("wins", "f8"),  # for the player who chose the action; 24 bits lose a small share added to many
        ("amaf_visits", "u4"),
        ("amaf_wins", "f4"),
        ("prior", "f4"),  # H(s, a)
        ("action", "u2"),
        ("children", "u2"),
    ]
)

# How the Monte-Carlo and the all-moves-as-first values are weighed.
NO_RAVE, HEURISTIC, MINIMUM_MSE = 0, 1, 2

SELECTION = record_type(
    [
        ("exploration", "f8"),  # c of UCB1
        ("urgency", "f8"),  # value of a child without any experience (first-play urgency)
        ("bias", "f8"),  # RAVE's bias b̃ of the minimum-MSE schedule
        ("equivalence", "f8"),  # k of the heuristic schedule
        ("experience", "f8"),  # M: what the prior counts among the Monte-Carlo values
        ("amaf_experience", "f8"),  # M̃: and among the AMAF values
        ("pb_factor", "f8"),  # PB_f of progressive bias, as a share of wins; 0: none
        ("pb_exponent", "f8"),  # PB_e
        ("pw_factor", "f8"),  # A of progressive widening
        ("pw_base", "f8"),  # B
        ("pw_initial", "u4"),  # k_init; 0: no widening, all children from the beginning
        ("expand_at", "u4"),  # visits at which a leaf gets children
        ("virtual_loss", "u4"),  # losses counted while a simulation is under way
        ("silent", "u2"),  # an action without an AMAF value, or NO_ACTION
        ("first_only", "u1"),  # whether only the first to play at a point counts, of either colour
        ("schedule", "u1"),  # NO_RAVE, HEURISTIC or MINIMUM_MSE
    ]
)


@cache
def scratch_type(facts: Facts) -> np.dtype:
    """What one thread works with: the nodes it may take and the way of its simulation.

    As large as the game declares that it must be.
    """
    return record_type(
        [
            ("next", "u4"),  # first unused node of the thread's part of the pool
            ("end", "u4"),
            ("path", "u4", (MAX_DEPTH,)),
            ("history", "u2", (MAX_LENGTH,)),  # the actions of a simulation, with who made them
            ("played", "u1", (facts.actions,)),  # by action: which players made it from here on
            ("buffer", "u2", (max(facts.most_choices, facts.actions),)),
            ("paid", "f8", (MAX_DEPTH,)),  # by each step in the tree, where there are rewards
            ("fade", "f8", (MAX_DEPTH,)),  # γ of each step
            ("keeps_leads", "u1"),  # whether somebody wants to know, in a game of points
            ("led", "u4", (max(facts.most_choices, facts.actions),)),  # by child of the root: simulations
            ("leads", "f8", (max(facts.most_choices, facts.actions),)),  # and player 1's summed leads
        ],
        tag=f"tree of {facts.actions} actions, {facts.most_choices} in a state",
    )


@generic
def heuristic(prior, state, nodes, first, count, selection, grandparent):
    """Write H(s, a) into `count` new nodes from `first` on: 1 good, 0 bad, 0.5 unknown to the mover.

    grandparent: the node two plies above the new nodes' parent, where the same player was to move, or
    NO_NODE; its children hold what is known of the same actions.
    """


@inner
def schedule(selection, total, n, amaf_n):
    """β(s, a): how much the all-moves-as-first value counts."""
    if selection.schedule == MINIMUM_MSE:
        return amaf_n / (n + amaf_n + 4.0 * n * amaf_n * selection.bias * selection.bias)  # (8.41)
    return math.sqrt(selection.equivalence / (3.0 * total + selection.equivalence))  # (8.13)


@inner
def progressive_bias(child, selection):
    """What the heuristic adds to a child's value, less and less as it is visited (C2)."""
    h = child.prior if selection.pb_exponent == 1.0 else child.prior**selection.pb_exponent
    return selection.pb_factor * h / (child.visits + 1.0)


@inner
def evaluate(child, selection, total, log_total):
    """Q⊕(s, a): the value of a child, with RAVE and exploration where they are on (3.5, 8.6, 8.12)."""
    n = child.visits + selection.experience
    amaf_n = 0.0
    if selection.schedule != NO_RAVE:
        amaf_n = child.amaf_visits + selection.amaf_experience
    if n <= 0.0 and amaf_n <= 0.0:
        return selection.urgency
    amaf_q = 0.0
    if amaf_n > 0.0:
        amaf_q = (child.amaf_wins + selection.amaf_experience * child.prior) / amaf_n
        if n <= 0.0:  # (8.12) has no bound there: all actions are tried, the best by AMAF first
            return amaf_q + (UNTRIED if selection.exploration > 0.0 and log_total > 0.0 else 0.0)
    q = (child.wins + selection.experience * child.prior) / n
    beta = schedule(selection, total, n, amaf_n) if amaf_n > 0.0 else 0.0
    bonus = selection.exploration * math.sqrt(log_total / n) if selection.exploration > 0.0 else 0.0
    return (1.0 - beta) * q + beta * amaf_q + bonus


@inner
def clear(node, action):
    """A node that knows nothing yet."""
    node.first = NOT_EXPANDED
    node.children = 0
    node.visits = 0
    node.wins = 0.0
    node.amaf_visits = 0
    node.amaf_wins = 0.0
    node.prior = 0.5
    node.action = action


@inner
def take_nodes(scratch, count):
    """So many unused nodes: the first of them, or NO_NODE where the pool is full."""
    first = np.uint32(scratch.next)
    if first + np.uint32(count) > scratch.end:
        return np.uint32(NO_NODE)
    scratch.next = first + np.uint32(count)
    return first
