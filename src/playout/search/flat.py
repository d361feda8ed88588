"""Simple Monte-Carlo search: for every candidate action the same number of simulations (Silver 2009, section
3.3; Tesauro & Galperin 1996; the players of simulation balancing). No tree: the values are those of the
policy, and the best of them is an improvement of it, for one player or two, with chance or without.
"""

import numpy as np

from playout.games.api import counts_points, has_rewards, lead
from playout.kernel import kernel
from playout.search.simulation import play_out, take_turn

NO_LEADS = np.empty(0)


@kernel
def rollouts(roots, work, policies, moves, simulations, rng, totals, leads):
    """Add to totals[k] the returns, for player 1, of simulations that begin with moves[k].

    Returns how many moves they took. leads: where it has room, the same for player 1's leads in points.

    roots, work, policies, rng: arrays of one record each.
    """
    policy = policies[0]
    made = 0
    for k in range(moves.size):
        for _ in range(simulations):
            work[0] = roots[0]
            paid, fade, taken = take_turn(work[0], moves[k], rng[0], 0)
            z, length = play_out(work[0], policy, rng[0], taken)
            if has_rewards(work[0]):
                z = paid + fade * z
            totals[k] += z
            if counts_points(work[0]) and leads.size > 0:
                leads[k] += lead(work[0])
            made += length
    return made
