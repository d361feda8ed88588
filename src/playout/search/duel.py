"""Two policies play whole games against each other, without leaving compiled code.

A game has three generators of random numbers: one for what chance does, and one for each player. So the games
of a pair have the same dice, whatever the players do with them, as long as a roll takes one random number.
"""

import numpy as np

from playout.games.api import is_over, to_play
from playout.kernel import kernel
from playout.policy.api import begin, sample
from playout.search.simulation import make_chance_moves, take_turn

UNFINISHED = -1  # in place of a length: the game had more moves than there was room for


@kernel
def duel(roots, ends, first, second, luck, first_rng, second_rng, longest, actions, lengths):
    """Play a game with each generator: its last state, its actions, and their number.

    first, second: the policies of players 1 and 2, arrays of one record; luck, first_rng, second_rng:
    generators, a record a game. longest: so many moves, those of chance included, end what is UNFINISHED.
    ends: a state a game; actions: a row a game; lengths: a number a game.
    """
    for game in range(lengths.size):
        ends[game] = roots[0]
        state = ends[game]
        _, _, moves = make_chance_moves(state, luck[game], 0)
        n = 0
        while not is_over(state) and n < actions.shape[1] and moves < longest:
            if to_play(state) == 1:
                begin(first[0], state)
                action = sample(first[0], state, first_rng[game])
            else:
                begin(second[0], state)
                action = sample(second[0], state, second_rng[game])
            actions[game, n] = np.uint16(action)
            n += 1
            _, _, moves = take_turn(state, action, luck[game], moves)
        lengths[game] = n if is_over(state) else UNFINISHED
