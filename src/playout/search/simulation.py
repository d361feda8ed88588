"""One simulation: a policy plays both sides from a state to the end of the game."""

from playout.games.api import is_over, outcome, play
from playout.kernel import inner, kernel
from playout.policy.api import begin, sample


@inner
def simulate(state, policy, rng):
    """Play to the end, changing the state; return the outcome for player 1 and the number of moves."""
    begin(policy, state)
    moves = 0
    while not is_over(state):
        play(state, sample(policy, state, rng))
        moves += 1
    return outcome(state), moves


@kernel
def evaluate(roots, work, policies, simulations, rng):
    """The summed outcome of simulations from one state, and the moves they took.

    roots, work, policies, rng: arrays of one record each.
    """
    root = roots[0]
    policy = policies[0]
    total = 0.0
    moves = 0
    for _ in range(simulations):
        work[0] = root
        z, length = simulate(work[0], policy, rng[0])
        total += z
        moves += length
    return total, moves
