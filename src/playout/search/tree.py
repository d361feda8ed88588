"""Monte-Carlo tree search: greedy, UCT, MC–RAVE and UCT–RAVE, with heuristic priors (Silver 2009, ch. 3, 8).

One tree for every two-player game. A node stands for a state and for the action that led to it; the
children of a node lie side by side in the pool. Values are kept for the player who chose the action, so
that selection maximises at every node.

A child a of a node s has these estimates (M: equivalent experience of the prior H):

- N(s, a) = visits + M, Q(s, a) = (wins + M H) / N(s, a)                                 (8.42, 8.43)
- Ñ(s, a) = amaf_visits + M̃, Q̃(s, a) = (amaf_wins + M̃ H) / Ñ(s, a)                     (8.44, 8.45)

Two progressive strategies for heuristics that know more than a prior can say (Chaslot et al. 2008,
section 2.2, their formula numbers with a C): progressive bias adds PB_f H^PB_e / (visits + 1) to a child's
value, and progressive widening looks only at the children with the highest H while a node has few visits.

Threads share a tree without locks: each takes new nodes from a part of the pool of its own, and an
update that another one overwrites is lost, which costs a simulation and nothing else.
"""

import math

import numpy as np

from playout.games.api import MAX_ACTIONS, is_over, outcome, play, to_play, tree_moves
from playout.kernel import generic, inner, kernel, record_type
from playout.policy.api import begin, sample

ROOT = 0
NOT_EXPANDED = 0  # no node has the root for a child
MAX_DEPTH = 512
MAX_LENGTH = 4096
PLAYER_BIT = 15  # of an action in a history: set for player 2
ACTION_MASK = np.uint16((1 << PLAYER_BIT) - 1)
NO_ACTION = (1 << 16) - 1
NO_NODE = (1 << 32) - 1

NODE = record_type(
    [
        ("first", "u4"),  # first child, or NOT_EXPANDED
        ("visits", "u4"),  # N(s, a) without the prior
        ("wins", "f4"),  # for the player who chose the action
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

# What one thread works with: the nodes it may take and the way of its simulation.
SCRATCH = record_type(
    [
        ("next", "u4"),  # first unused node of the thread's part of the pool
        ("end", "u4"),
        ("path", "u4", (MAX_DEPTH,)),
        ("history", "u2", (MAX_LENGTH,)),  # the actions of a simulation, with who made them
        ("played", "u1", (MAX_ACTIONS,)),  # by action: which players made it from here on
        ("buffer", "u2", (MAX_ACTIONS,)),
    ]
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
        if n <= 0.0:
            return amaf_q
    q = (child.wins + selection.experience * child.prior) / n
    beta = schedule(selection, total, n, amaf_n) if amaf_n > 0.0 else 0.0
    bonus = selection.exploration * math.sqrt(log_total / n) if selection.exploration > 0.0 else 0.0
    return (1.0 - beta) * q + beta * amaf_q + bonus


@inner
def width(selection, visits, children):
    """Progressive widening: the k-th child is looked at when visits surpass A × B^(k − k_init) (C 2.2.2)."""
    count = np.int64(selection.pw_initial)
    threshold = selection.pw_factor * selection.pw_base
    while count < children and visits > threshold:
        count += 1
        threshold *= selection.pw_base
    return min(count, np.int64(children))


@inner
def select(nodes, node, selection):
    """The child of a node with the highest value; the first of equals."""
    parent = nodes[node]
    total = parent.visits + selection.experience * parent.children  # N(s), (8.46)
    log_total = math.log(total) if total > 1.0 else 0.0
    if selection.schedule == NO_RAVE:
        log_total *= 2.0  # UCB1 as in (3.5); UCT–RAVE has no factor (8.12)
    first = np.uint32(parent.first)
    best = first
    best_value = -np.inf
    count = np.int64(parent.children)
    if selection.pw_initial > 0:
        count = width(selection, parent.visits, count)
    biased = selection.pb_factor > 0.0
    for k in range(count):
        child = nodes[first + np.uint32(k)]
        value = evaluate(child, selection, total, log_total)
        if biased:
            value += progressive_bias(child, selection)
        if value > best_value:
            best_value = value
            best = np.uint32(first + np.uint32(k))
    return best


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
def find_grandparent(scratch, depth, player):
    """The node two plies above the end of the path, if this player was to move there, or NO_NODE."""
    if depth >= 2 and scratch.history[depth - 2] >> np.uint16(PLAYER_BIT) == player - np.uint16(1):
        return np.uint32(scratch.path[depth - 2])
    return np.uint32(NO_NODE)


@inner
def sort_children(nodes, first, count):
    """Order new nodes by their heuristic value, the highest first; equals stay as they are."""
    for k in range(1, count):
        action, h = nodes[first + np.uint32(k)].action, nodes[first + np.uint32(k)].prior
        j = k
        while j > 0 and nodes[first + np.uint32(j - 1)].prior < h:
            nodes[first + np.uint32(j)].action = nodes[first + np.uint32(j - 1)].action
            nodes[first + np.uint32(j)].prior = nodes[first + np.uint32(j - 1)].prior
            j -= 1
        nodes[first + np.uint32(j)].action = action
        nodes[first + np.uint32(j)].prior = h


@inner
def add_children(nodes, node, state, prior, selection, scratch, count, grandparent):
    """Make the actions in the buffer the children of a leaf; a full pool leaves it a leaf."""
    first = np.uint32(scratch.next)
    if first + np.uint32(count) > scratch.end:
        return
    scratch.next = first + np.uint32(count)
    for k in range(count):
        clear(nodes[first + np.uint32(k)], scratch.buffer[k])
    heuristic(prior, state, nodes, first, count, selection, grandparent)
    if selection.pw_initial > 0:
        sort_children(nodes, first, count)
    nodes[node].children = count
    nodes[node].first = first


@inner
def descend(nodes, state, prior, selection, scratch):
    """SIMTREE: follow the tree policy to a leaf and expand it; return the depth reached."""
    node = np.uint32(ROOT)
    depth = 0
    scratch.path[0] = ROOT
    while nodes[node].first != NOT_EXPANDED and depth < MAX_DEPTH - 1 and not is_over(state):
        node = select(nodes, node, selection)
        action = nodes[node].action
        scratch.history[depth] = action | ((to_play(state) - np.uint16(1)) << np.uint16(PLAYER_BIT))
        nodes[node].visits += selection.virtual_loss
        play(state, action)
        depth += 1
        scratch.path[depth] = node
    leaf = nodes[node]
    if leaf.first == NOT_EXPANDED and leaf.visits >= selection.expand_at and not is_over(state):
        count = tree_moves(state, scratch.buffer)
        grandparent = find_grandparent(scratch, depth, to_play(state))
        add_children(nodes, node, state, prior, selection, scratch, count, grandparent)
    return depth


@inner
def roll_out(state, policy, scratch, length, rng):
    """SIMDEFAULT: the default policy plays on to the end; return the length of the simulation."""
    begin(policy, state)
    while not is_over(state):
        action = sample(policy, state, rng)
        if length < MAX_LENGTH:
            scratch.history[length] = action | ((to_play(state) - np.uint16(1)) << np.uint16(PLAYER_BIT))
            length += 1
        play(state, action)
    return length


@inner
def back_up(nodes, selection, scratch, depth, length, z):
    """BACKUP: the outcome into every node passed, and into their other children that were played later.

    Backwards through the simulation, so that `played` holds at each node what came after it: each
    action of a player once, however often it was made (8.10, 8.11).
    """
    rave = selection.schedule != NO_RAVE
    for t in range(length - 1, -1, -1):
        action = np.uint32(scratch.history[t] & ACTION_MASK)
        player = np.uint8(1) + np.uint8(scratch.history[t] >> np.uint16(PLAYER_BIT))
        if action != selection.silent:
            before = np.uint8(0) if selection.first_only else scratch.played[action]
            scratch.played[action] = before | player
        if t >= depth:
            continue
        reward = np.float32(z if player == 1 else 1.0 - z)
        child = nodes[scratch.path[t + 1]]
        child.visits += np.uint32(1) - selection.virtual_loss  # (8.8)
        child.wins += reward  # (8.9)
        if rave:
            parent = nodes[scratch.path[t]]
            for k in range(parent.children):
                other = nodes[parent.first + np.uint32(k)]
                if scratch.played[other.action] & player:
                    other.amaf_visits += np.uint32(1)
                    other.amaf_wins += reward
    for t in range(length):
        scratch.played[scratch.history[t] & ACTION_MASK] = 0
    nodes[ROOT].visits += np.uint32(1)  # (8.7)


@inner
def plant(nodes, root, prior, selection, scratch, actions):
    """Start a tree whose root has the given actions."""
    clear(nodes[ROOT], np.uint16(0))
    for k in range(actions.size):
        scratch.buffer[k] = actions[k]
    add_children(nodes, np.uint32(ROOT), root, prior, selection, scratch, actions.size, np.uint32(NO_NODE))


@kernel
def grow(nodes, roots, work, policies, priors, selections, scratches, rng, actions, simulations):
    """Simulations from the root state, each adding to the tree.

    nodes: the pool. actions: those of the root of a new tree; none where there is a tree already. The
    others: arrays of one record each.
    """
    if actions.size > 0:
        plant(nodes, roots[0], priors[0], selections[0], scratches[0], actions)
    for _ in range(simulations):
        work[0] = roots[0]
        depth = descend(nodes, work[0], priors[0], selections[0], scratches[0])
        length = roll_out(work[0], policies[0], scratches[0], depth, rng[0])
        back_up(nodes, selections[0], scratches[0], depth, length, outcome(work[0]))


@kernel
def transplant(nodes, fresh, index):
    """Copy the tree below a node into another pool, where that node is the root; return the nodes used."""
    fresh[ROOT] = nodes[index]
    done = np.uint32(0)
    used = np.uint32(1)
    while done < used:  # breadth first: a copied node still points to its children in the old pool
        count = np.uint32(fresh[done].children)
        if fresh[done].first != NOT_EXPANDED:
            first = np.uint32(fresh[done].first)
            for k in range(count):
                fresh[used + np.uint32(k)] = nodes[first + np.uint32(k)]
            fresh[done].first = used
            used += count
        done += np.uint32(1)
    return used
