"""Learn a network's weights from games against itself: TD(λ), as TD-Gammon does (Tesauro 1992, 1995).

A game is played greedily; dice are exploration enough. What is learnt from are the positions that players
leave to each other, s_0 … s_{T−1}, and the end. Each is drawn towards its λ-return, the forward view of the
traces of (2.23):

    G_T = what the end is worth,   G_t = (1 − λ) y(s_{t+1}) + λ G_{t+1}

turned round where the other player is to move. It is worked through from the end of the game to its
beginning, so that y(s_{t+1}) is what was just computed there.

Some games begin with moves at random, which are not learnt from: so that the network also sees positions that
good players do not come to.
"""

from __future__ import annotations

import numpy as np

from playout.games.api import is_over, legal_moves, play, to_play
from playout.kernel import below, inner, kernel, uniform
from playout.memory.network import LANES, best_action, ended, learn, look_at, to_the_other, turned, worth
from playout.search.simulation import make_chance_moves

LONGEST = 1000  # positions of a game that is learnt from; a longer one is left out
WILD = 0.25  # of the games begin with moves at random
WILD_MOVES = 12  # at most


@inner
def wander(network, state, rng):
    """In some games, begin with moves at random; chance is to move next, or the game is over."""
    if uniform(rng) >= WILD:
        return
    for _ in range(below(rng, WILD_MOVES + 1)):
        make_chance_moves(state, rng, 0)
        if is_over(state):
            return
        play(state, network.choices[below(rng, legal_moves(state, network.choices))])


@inner
def play_game(network, root, positions, rng):
    """A game against oneself; its positions before chance moves, and the end; return how many before the end.

    0: there is nothing to learn, or the game was too long.
    """
    positions[0] = root
    wander(network, positions[0], rng)
    t = 0
    while not is_over(positions[t]):
        if t + 1 >= positions.size:
            return 0
        positions[t + 1] = positions[t]
        make_chance_moves(positions[t + 1], rng, 0)
        if not is_over(positions[t + 1]):
            play(positions[t + 1], best_action(network, positions[t + 1], rng))
        t += 1
    return t


@inner
def learn_game(network, positions, last, alpha, lam, target, experience):
    """Draw every position of a game towards its λ-return."""
    ended(network, positions[last], target)
    value = worth(network, positions[last], target)
    experience[0] += 1
    experience[1] += last
    for k in range(last):
        t = last - 1 - k
        state = positions[t]
        if to_play(state) != to_play(positions[t + 1]):
            turned(network, target, target)
            value = to_the_other(state, value)
        look_at(network, state)
        said = worth(network, state, network.y)
        experience[2] += (said - value) ** 2
        learn(network, network.x, target, alpha)
        for j in range(LANES):
            target[j] = np.float32(lam) * target[j] + np.float32(1.0 - lam) * network.y[j]


@kernel
def self_play(networks, roots, positions, games, alpha, lam, target, experience, rng):
    """So many games, learnt from one after the other.

    experience: games, positions, and the squared differences between what was said of positions and how their
    games ended, summed.
    """
    for _ in range(games):
        last = play_game(networks[0], roots[0], positions, rng[0])
        if last:
            learn_game(networks[0], positions, last, alpha, lam, target, experience)
