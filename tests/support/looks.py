"""What priors, features and policies of Go make of a position."""

import numpy as np
from draw import to_place

from playout.games.go.policy import Uniform
from playout.games.go.prior.features import EYES, NAMES, PATTERN, open_eyes, see
from playout.kernel import kernel
from playout.policy.api import sample
from playout.search.mcts import Selection, TreeSearch

EYES_OPEN = open_eyes(np.zeros(1, EYES))


def priors(board, prior):
    """H(s, a) by point at the root of a new tree."""
    search = TreeSearch(Selection(), Uniform(), prior, nodes=1000, seed=1)
    search.start(board.simulation_root(), board.legal_moves())
    return {to_place(int(node["action"])): float(node["prior"]) for node in search.children()}


def seen(board):
    """The features of each legal move, by its place, and the number of its pattern."""
    moves = np.array(board.legal_moves(), np.uint16)
    table = np.zeros((len(moves), len(NAMES)), np.float32)
    see(EYES_OPEN, board.simulation_root(), moves, table)
    return {
        to_place(int(move)): ({NAMES[k] for k in np.flatnonzero(row) if k != PATTERN}, float(row[PATTERN]))
        for move, row in zip(moves, table, strict=True)
    }


@kernel
def draw_many(policies, work, state, rng, chosen):
    """Ask for a move many times, each time of an unused copy of policy and state."""
    for k in range(chosen.size):
        policies[1] = policies[0]
        work[0] = state
        chosen[k] = sample(policies[1], work[0], rng[0])


def suggestions(policy, state, rng, draws):
    """The moves that a policy in the midst of a game chooses among."""
    policies = np.array([policy[0], policy[0]], policy.dtype)
    work = np.zeros(1, state.dtype)
    chosen = np.zeros(draws, np.int64)
    draw_many(policies, work, state, rng, chosen)
    return {to_place(int(p)) for p in chosen}
