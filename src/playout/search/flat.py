"""Simple Monte-Carlo search: for every candidate move the same number of simulations (Silver 2009,
section 3.3; the players of simulation balancing). No tree: the values are those of the policy.
"""

from playout.games.api import play
from playout.kernel import kernel
from playout.search.simulation import simulate


@kernel
def rollouts(roots, work, policies, moves, simulations, rng, totals):
    """Add to totals[k] the outcomes, for player 1, of simulations that begin with moves[k].

    Returns how many moves they took.

    roots, work, policies, rng: arrays of one record each.
    """
    policy = policies[0]
    made = 0
    for k in range(moves.size):
        for _ in range(simulations):
            work[0] = roots[0]
            play(work[0], moves[k])
            z, length = simulate(work[0], policy, rng[0])
            totals[k] += z
            made += 1 + length
    return made
