"""What the tests of learners share: positions, and naive numbers as arrays."""

import numpy as np
from draw import empty_board, to_point
from naive.go import Go
from naive_names import known

from playout.games.api import play
from playout.games.go.board import Board
from playout.games.go.policy.shape_policy import ShapePolicy
from playout.games.go.policy.uniform import UNIFORM
from playout.games.go.state import STATE
from playout.kernel import kernel, new_rng
from playout.policy.api import begin, sample

SIZES, RULE = (1, 2), "both"


def shape_policy(side, scale=1.0, records=2):
    """A policy with random weights, and these by naive names."""
    features, theta, by_name = known(side)
    policy = ShapePolicy(features.shapes, theta * scale, records)
    return policy, {name: scale * x for name, x in by_name.items()}


def tiny(limit, komi=0.5):
    """The empty 2×2 board, where games end in a draw after some moves; and its naive twin."""
    root = np.zeros(1, STATE)
    root[0] = empty_board(2)
    root["limit"], root["komi"] = limit, komi
    return root, Go(2)


@kernel
def wander(states, policies, rng):
    """Play evenly, to a random length."""
    for k in range(states.size):
        begin(policies[0], states[k])
        for _ in range(k % 14):
            p = sample(policies[0], states[k], rng[0])
            if p == 0:
                break
            play(states[k], p)


def positions(side, count, seed=1):
    """Positions of random games, of all lengths up to 13 moves."""
    roots = np.repeat(Board(side, 0.5).simulation_root(), count)
    wander(roots, np.zeros(1, UNIFORM), new_rng(seed))
    roots["moves"] = 0
    return roots


def gradient_of(policy, sums):
    """Sums by slot as a gradient by weight."""
    return policy.by_weight(sums)


def point(move):
    return 0 if move is None else to_point(*move)


def leaves_of(game, dice):
    """Random values two moves later: first and second moves and values."""
    rows = []
    for a in game.policy_moves():
        after = game.copy()
        after.play(a)
        rows += [(point(a), point(b), dice.random()) for b in after.policy_moves()]
    return rows
