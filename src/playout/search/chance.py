"""Chance in the search tree, for games that have it.

Where its events have numbers, a node of chance has a child for each of them, and chance chooses. Where they
have none, the tree is open loop: a node stands for the actions that lead to it, whatever chance did on the
way. It has a child for every action of either player, because chance may decide who moves, and selection
looks at those that are legal this time. At the root it is known who moves.

For a game without chance nothing of this is compiled.
"""

import math

import numpy as np

from playout.games.api import (
    GameError,
    facts_of,
    is_chance,
    most_actions,
    most_events,
    roll,
    to_play,
    tree_moves,
)
from playout.kernel import constant, inner, is_implemented, only_where
from playout.search.nodes import (
    NO_NODE,
    NO_RAVE,
    ROOT,
    clear,
    evaluate,
    heuristic,
    progressive_bias,
    take_nodes,
)
from playout.search.simulation import take_turn


@constant
def is_open_loop(dtype):
    """Whether chance moves in ways that have no numbers."""
    return is_implemented(is_chance, dtype) and facts_of(dtype).events == 0


@constant
def has_events(dtype):
    """Whether what chance does has numbers."""
    return is_implemented(is_chance, dtype) and facts_of(dtype).events > 0


@constant
def open_children(dtype):
    """How many children a node has in an open loop, below the root: the actions of every player."""
    facts = facts_of(dtype)
    return facts.actions * facts.players


@inner
def first_of(state, node, player):
    """In an open loop: where the actions of a player begin among a node's children."""
    return 0 if node == ROOT else (np.int64(player) - 1) * most_actions(state)


@only_where(is_open_loop, otherwise=lambda nodes, node, state, prior, selection, scratch: None, at=2)
def add_every_action(nodes, node, state, prior, selection, scratch):
    """Make all actions of every player the children of a leaf in an open loop; at the root the mover's."""
    count = most_actions(state) if node == ROOT else open_children(state)
    mine = first_of(state, node, to_play(state))
    if mine < 0 or mine >= count:
        raise GameError("to_play gives a player that the game does not have (players)")
    first = take_nodes(scratch, count)
    if first == NO_NODE:
        return
    for k in range(count):
        clear(nodes[first + np.uint32(k)], np.uint16(k % most_actions(state)))
    heuristic(
        prior, state, nodes, first + np.uint32(mine), most_actions(state), selection, np.uint32(NO_NODE)
    )
    nodes[node].children = count
    nodes[node].first = first


@only_where(has_events, otherwise=lambda nodes, node, state, scratch: None, at=2)
def add_events(nodes, node, state, scratch):
    """Make all that may happen the children of a leaf where chance moves."""
    count = most_events(state)
    first = take_nodes(scratch, count)
    if first == NO_NODE:
        return
    for k in range(count):
        clear(nodes[first + np.uint32(k)], np.uint16(k))
    nodes[node].children = count
    nodes[node].first = first


@only_where(is_open_loop, otherwise=lambda nodes, node, selection, state, scratch: np.uint32(node), at=3)
def select_legal(nodes, node, selection, state, scratch):
    """In an open loop: the legal child with the highest value, by its action's number."""
    count = tree_moves(state, scratch.buffer)
    if count < 1 or count > scratch.buffer.size:
        raise GameError("legal_moves or tree_moves gives no action, or more than the game declares (choices)")
    parent = nodes[node]
    mine = first_of(state, node, to_play(state))
    if mine < 0 or mine >= parent.children:
        raise GameError("to_play gives a player that the game does not have (players)")
    total = parent.visits + selection.experience * count
    log_total = math.log(total) if total > 1.0 else 0.0
    if selection.schedule == NO_RAVE:
        log_total *= 2.0
    best = np.uint32(0)
    best_value = -np.inf
    for k in range(count):
        if scratch.buffer[k] >= most_actions(state):
            raise GameError("an action has a number beyond those that the game declares (actions)")
        child = np.uint32(parent.first + np.uint32(mine) + np.uint32(scratch.buffer[k]))
        value = evaluate(nodes[child], selection, total, log_total)
        if selection.pb_factor > 0.0:
            value += progressive_bias(nodes[child], selection)
        if k == 0 or value > best_value:
            best_value = value
            best = child
    return best


@only_where(has_events, otherwise=lambda state: False)
def is_event(state):
    """Whether chance moves next, by a number."""
    return is_chance(state)


@only_where(has_events, otherwise=lambda nodes, node, state, rng: np.uint32(node), at=2)
def follow_event(nodes, node, state, rng):
    """Let chance move; return the child of the node that stands for what has happened."""
    event = roll(state, rng)
    if event < 0 or event >= nodes[node].children:
        raise GameError("roll gives a number beyond those that the game declares (events)")
    return np.uint32(nodes[node].first + np.uint32(event))


@only_where(is_open_loop, otherwise=lambda state, action, scratch, depth, moves, rng: moves)
def turn(state, action, scratch, depth, moves, rng):
    """In an open loop: an action and what chance does after it are one step; return the moves."""
    scratch.paid[depth], scratch.fade[depth], moves = take_turn(state, action, rng, moves)
    return moves


def _siblings(nodes, node, state, player):
    """Where the children of a node begin, and how many there are."""
    return np.uint32(nodes[node].first), np.int64(nodes[node].children)


@only_where(is_open_loop, otherwise=_siblings, at=2)
def siblings(nodes, node, state, player):
    """Where the children of a node that a player chooses among begin, and how many there are."""
    first = nodes[node].first + np.uint32(first_of(state, node, player))
    return np.uint32(first), np.int64(most_actions(state))
