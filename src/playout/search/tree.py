"""Monte-Carlo tree search: greedy, UCT, MC–RAVE and UCT–RAVE, with heuristic priors (Silver 2009, ch. 3, 8).

One tree for every game. A node stands for a state and for the action that led to it; the children of a node
lie side by side in the pool. Values are kept for the player who chose the action, so that selection maximises
at every node.

A child a of a node s has these estimates (M: equivalent experience of the prior H):

- N(s, a) = visits + M, Q(s, a) = (wins + M H) / N(s, a)                                 (8.42, 8.43)
- Ñ(s, a) = amaf_visits + M̃, Q̃(s, a) = (amaf_wins + M̃ H) / Ñ(s, a)                     (8.44, 8.45)

Two progressive strategies for heuristics that know more than a prior can say (Chaslot et al. 2008,
section 2.2, their formula numbers with a C): progressive bias adds PB_f H^PB_e / (visits + 1) to a child's
value, and progressive widening looks only at the children with the highest H while a node has few visits.

The tree reckons with shares from 0 to 1 of what the game declares (`games.api.share`), so that settings mean
the same in every game. With rewards on the way a node's value is its return: what its action pays, and γ
times what comes after. Values of a game with one player are his.

What chance does in a tree is in `chance`, what a node is in `nodes`.

Threads share a tree without locks: each takes new nodes from a part of the pool of its own, and an
update that another one overwrites is lost, which costs a simulation and nothing else.
"""

import math

import numpy as np

from playout.games.api import (
    GameError,
    counts_points,
    discount,
    for_player,
    has_chance,
    has_rewards,
    is_over,
    lead,
    most_actions,
    outcome,
    play,
    reward,
    share,
    to_play,
    tree_moves,
)
from playout.kernel import inner, kernel, unfolded
from playout.policy.api import begin, sample
from playout.search.chance import (
    add_events,
    add_every_action,
    follow_event,
    is_event,
    is_open_loop,
    select_legal,
    siblings,
    turn,
)
from playout.search.nodes import (
    ACTION_MASK,
    CHANCE,
    INVERSE_ROOT,
    KNOWN,
    MAX_DEPTH,
    MAX_LENGTH,
    NO_NODE,
    NO_RAVE,
    NOT_EXPANDED,
    PLAYER_BIT,
    ROOT,
    ROOT_OF_LOG,
    clear,
    evaluate,
    heuristic,
    progressive_bias,
    take_nodes,
)
from playout.search.simulation import is_cut, make_chance_moves, take_turn


@inner
def width(selection, visits, children):
    """Progressive widening: the k-th child is looked at when visits surpass A × B^(k − k_init) (C 2.2.2)."""
    count = np.int64(selection.pw_initial)
    threshold = selection.pw_factor * selection.pw_base
    while count < children and visits > threshold:
        count += 1
        threshold *= selection.pw_base
    return min(count, np.int64(children))


@unfolded
def select_plain(nodes, first, count, visits, selection):
    """The child with the highest value by UCB1 alone (3.5), the first of equals: no prior, no AMAF values.

    c √(2 log N(s) / N(s, a)) = c √(2 log N(s)) × 1 / √N(s, a), both of which are known for small numbers.
    """
    known = np.uint32(visits) < KNOWN
    root = ROOT_OF_LOG[np.uint32(visits)] if known else math.sqrt(2.0 * math.log(np.float64(visits)))
    width_of_interval = selection.exploration * root
    best = first
    best_value = -np.inf
    for k in range(count):
        child = nodes[first + np.uint32(k)]
        n = np.uint32(child.visits)
        value = selection.urgency
        if n > 0:
            each = INVERSE_ROOT[n] if n < KNOWN else 1.0 / math.sqrt(np.float64(n))
            value = child.wins / n + width_of_interval * each
        if value > best_value:
            best_value = value
            best = np.uint32(first + np.uint32(k))
    return best


@unfolded
def select(nodes, node, selection):
    """The child of a node with the highest value; the first of equals."""
    parent = nodes[node]
    first = np.uint32(parent.first)
    count = np.int64(parent.children)
    if selection.pw_initial > 0:
        count = width(selection, parent.visits, count)
    biased = selection.pb_factor > 0.0
    if selection.schedule == NO_RAVE and selection.experience == 0.0 and not biased:
        return select_plain(nodes, first, count, parent.visits, selection)
    total = parent.visits + selection.experience * parent.children  # N(s), (8.46)
    log_total = math.log(total) if total > 1.0 else 0.0
    if selection.schedule == NO_RAVE:
        log_total *= 2.0  # UCB1 as in (3.5); UCT–RAVE has no factor (8.12)
    best = first
    best_value = -np.inf
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
def find_grandparent(scratch, depth, player):
    """The node two plies above the end of the path, if this player was to move there, or NO_NODE."""
    if (
        depth >= 2
        and scratch.history[depth - 1] != CHANCE
        and scratch.history[depth - 2] != CHANCE
        and scratch.history[depth - 2] >> np.uint16(PLAYER_BIT) == player - np.uint16(1)
    ):
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
    if count < 1 or count > scratch.buffer.size:
        raise GameError("legal_moves or tree_moves gives no action, or more than the game declares (choices)")
    first = take_nodes(scratch, count)
    if first == NO_NODE:
        return
    for k in range(count):
        if scratch.buffer[k] >= most_actions(state):
            raise GameError("an action has a number beyond those that the game declares (actions)")
        clear(nodes[first + np.uint32(k)], scratch.buffer[k])
    heuristic(prior, state, nodes, first, count, selection, grandparent)
    if selection.pw_initial > 0:
        sort_children(nodes, first, count)
    nodes[node].children = count
    nodes[node].first = first


@unfolded
def step(nodes, node, state, selection, scratch, depth, moves, rng):
    """One step down the tree: an action, or what chance does; return the node it leads to and the moves."""
    if is_event(state):
        scratch.history[depth] = CHANCE
        child = follow_event(nodes, node, state, rng)
    else:
        if is_open_loop(state):
            child = select_legal(nodes, node, selection, state, scratch)
        else:
            child = select(nodes, node, selection)
        action = nodes[child].action
        scratch.history[depth] = action | ((to_play(state) - np.uint16(1)) << np.uint16(PLAYER_BIT))
        if is_open_loop(state):
            moves = turn(state, action, scratch, depth, moves, rng)
        else:
            play(state, action)
    nodes[child].visits += selection.virtual_loss
    if is_open_loop(state):
        return child, moves
    if has_rewards(state):
        scratch.paid[depth] = reward(state)
        scratch.fade[depth] = discount(state)
    return child, moves + 1


@inner
def descend(nodes, state, prior, selection, scratch, rng):
    """SIMTREE: follow the tree policy to a leaf and expand it; return the depth reached and the moves."""
    node = np.uint32(ROOT)
    depth = 0
    moves = 0
    scratch.path[0] = ROOT
    while (
        nodes[node].first != NOT_EXPANDED
        and depth < MAX_DEPTH - 1
        and not is_over(state)
        and not is_cut(state, moves)
    ):
        node, moves = step(nodes, node, state, selection, scratch, depth, moves, rng)
        depth += 1
        scratch.path[depth] = node
    leaf = nodes[node]
    if (
        leaf.first == NOT_EXPANDED
        and leaf.visits >= selection.expand_at
        and not is_over(state)
        and not is_cut(state, moves)
    ):
        if is_event(state):
            add_events(nodes, node, state, scratch)
        elif is_open_loop(state):
            add_every_action(nodes, node, state, prior, selection, scratch)
        else:
            count = tree_moves(state, scratch.buffer)
            grandparent = find_grandparent(scratch, depth, to_play(state))
            add_children(nodes, node, state, prior, selection, scratch, count, grandparent)
    return depth, moves


@inner
def roll_out(state, policy, selection, scratch, depth, moves, rng):
    """SIMDEFAULT: the default policy plays on; return the simulation's length and its return from here.

    What it plays is only remembered for AMAF values.
    """
    length = depth
    most = MAX_LENGTH if selection.schedule != NO_RAVE else depth
    total, weight, moves = make_chance_moves(state, rng, moves)
    begin(policy, state)
    while not is_over(state) and not is_cut(state, moves):
        action = sample(policy, state, rng)
        if action >= most_actions(state):
            raise GameError("a policy chose an action beyond those that the game declares (actions)")
        if length < most:
            scratch.history[length] = action | ((to_play(state) - np.uint16(1)) << np.uint16(PLAYER_BIT))
            length += 1
        paid, fade, moves = take_turn(state, action, rng, moves)
        if has_rewards(state):
            total += weight * paid
            weight *= fade
    if has_rewards(state):
        return length, total + (weight * outcome(state) if is_over(state) else 0.0)
    return length, float(outcome(state))


@inner
def back_up(nodes, state, selection, scratch, depth, length, z):
    """BACKUP: the return into every node passed, and into their other children that were played later.

    Backwards through the simulation, so that `played` holds at each node what came after it: each
    action of a player once, however often it was made (8.10, 8.11).
    """
    rave = selection.schedule != NO_RAVE
    for t in range(length - 1, -1, -1):
        action = np.uint32(scratch.history[t] & ACTION_MASK)
        player = np.uint8(1) + np.uint8(scratch.history[t] >> np.uint16(PLAYER_BIT))
        if rave and action != selection.silent and not (has_chance(state) and action == CHANCE):
            before = np.uint8(0) if selection.first_only else scratch.played[action]
            scratch.played[action] = before | player
        if t >= depth:
            continue
        if has_rewards(state):
            z = scratch.paid[t] + scratch.fade[t] * z
        worth = for_player(share(state, z), player)
        child = nodes[scratch.path[t + 1]]
        child.visits += np.uint32(1) - selection.virtual_loss  # (8.8)
        child.wins += worth  # (8.9)
        if rave and not (has_chance(state) and action == CHANCE):
            first, count = siblings(nodes, scratch.path[t], state, player)
            for k in range(count):
                other = nodes[first + np.uint32(k)]
                if scratch.played[other.action] & player:
                    other.amaf_visits += np.uint32(1)
                    other.amaf_wins += worth
    for t in range(length if rave else 0):
        if not (has_chance(state) and scratch.history[t] == CHANCE):
            scratch.played[scratch.history[t] & ACTION_MASK] = 0
    nodes[ROOT].visits += np.uint32(1)  # (8.7)


@inner
def keep_lead(nodes, state, scratch):
    """Add the lead at the end of a simulation to those of its first action, a child of the root."""
    k = np.uint32(scratch.path[1]) - np.uint32(nodes[ROOT].first)
    scratch.led[k] += np.uint32(1)
    scratch.leads[k] += lead(state)


@inner
def plant(nodes, root, prior, selection, scratch, actions):
    """Start a tree whose root has the given actions."""
    if actions.size > scratch.buffer.size:
        raise GameError("a root has more actions than the game declares (choices)")
    clear(nodes[ROOT], np.uint16(0))
    if is_open_loop(root):
        add_every_action(nodes, np.uint32(ROOT), root, prior, selection, scratch)
        return
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
        depth, moves = descend(nodes, work[0], priors[0], selections[0], scratches[0], rng[0])
        length, z = roll_out(work[0], policies[0], selections[0], scratches[0], depth, moves, rng[0])
        back_up(nodes, work[0], selections[0], scratches[0], depth, length, z)
        if counts_points(work[0]) and scratches[0].keeps_leads and depth > 0:
            keep_lead(nodes, work[0], scratches[0])


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
