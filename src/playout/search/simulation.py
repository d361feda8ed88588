"""One simulation: a policy plays on from a state to the end of the game.

What a simulation is worth is player 1's return: the rewards of its steps, each discounted by those before it,
and the outcome of a game that has ended. A game without rewards has only the outcome.
"""

from playout.games.api import (
    UNLIMITED,
    GameError,
    discount,
    has_chance,
    has_rewards,
    is_chance,
    is_over,
    most_moves,
    outcome,
    play,
    reward,
    roll,
)
from playout.kernel import inner, kernel, only_where
from playout.policy.api import begin, sample


@inner
def is_cut(state, moves):
    """Whether a simulation ends here though its game goes on.

    A problem with rewards is cut off at the length that it declares. A game that goes on beyond it is wrong.
    """
    if most_moves(state) < UNLIMITED and moves >= most_moves(state):
        if has_rewards(state):
            return True
        raise GameError("a game goes on beyond the longest that it declares (moves)")
    return False


@only_where(has_chance, otherwise=lambda state, rng, moves: (0.0, 1.0, moves))
def make_chance_moves(state, rng, moves):
    """Let chance move until a player is to; return what that pays, γ of it, and the moves so far."""
    paid = 0.0
    fade = 1.0
    while is_chance(state) and not is_over(state) and not is_cut(state, moves):
        roll(state, rng)
        moves += 1
        if has_rewards(state):
            paid += fade * reward(state)
            fade *= discount(state)
    return paid, fade, moves


@inner
def take_turn(state, action, rng, moves):
    """Make an action and the moves of chance that follow; return what that pays, γ of it, and the moves."""
    play(state, action)
    if has_rewards(state):
        paid = float(reward(state))
        fade = float(discount(state))
        later, later_fade, moves = make_chance_moves(state, rng, moves + 1)
        return paid + fade * later, fade * later_fade, moves
    return make_chance_moves(state, rng, moves + 1)


@inner
def play_out(state, policy, rng, moves):
    """Play to the end, changing the state; return player 1's return and the moves, with those before."""
    total, weight, moves = make_chance_moves(state, rng, moves)
    begin(policy, state)
    while not is_over(state) and not is_cut(state, moves):
        paid, fade, moves = take_turn(state, sample(policy, state, rng), rng, moves)
        if has_rewards(state):
            total += weight * paid
            weight *= fade
    if has_rewards(state):
        return total + (weight * outcome(state) if is_over(state) else 0.0), moves
    return outcome(state), moves


@inner
def simulate(state, policy, rng):
    """One simulation; return player 1's return and the number of moves."""
    return play_out(state, policy, rng, 0)


@kernel
def evaluate(roots, work, policies, simulations, rng):
    """The summed returns of simulations from one state, and the moves they took.

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
