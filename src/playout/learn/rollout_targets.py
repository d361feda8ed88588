"""What a network should say of positions: what it finds when it looks further (Tesauro & Galperin 1996).

The two ideas of the paper's last section:

- `by_rollouts`: a position is drawn towards its rollout equity, the mean of trials that the network plays for
  both sides for some steps, and then estimates: "each candidate position on its computed rollout equity".
- `by_best_replies`: a position is drawn towards what the best of its candidates is worth, with every roll in
  turn: "the base position with the best equity value from among all the candidates".
- `by_returns`, both in one: a game of best replies is played on from a position, and what each of its
  positions is drawn towards is corrected by how wrong the network was found to be further on.

`positions_of_games` makes positions: games of the network with itself. In each game both players have a noise
of their own, and some games begin with moves at random: so that the network also learns what to think of
positions that only bad players come to. `fit` learns from them.
"""

from __future__ import annotations

import numpy as np

from playout.games.api import (
    GameError,
    chances,
    happen,
    has_chance,
    is_chance,
    is_over,
    most_events,
    play,
    to_play,
)
from playout.kernel import below, inner, kernel, uniform
from playout.learn.td_network import wander
from playout.memory.network import (
    LANES,
    best_action,
    known,
    learn,
    look_at,
    turned,
    value_of,
    worth,
)
from playout.search.simulation import make_chance_moves


@inner
def add_outputs(network, state, me, weight, target):
    """Add what the network says of a state, as a player sees it."""
    value_of(network, state)
    if to_play(state) != me:
        turned(network, network.y, network.y)
    for k in range(LANES):
        target[k] += np.float32(weight) * network.y[k]


@inner
def event_at(probabilities, count, place):
    """The event that a place from 0 to 1 falls to, where each has room as it is probable."""
    event = 0
    left = place
    while event < count - 1 and left >= probabilities[event]:
        left -= probabilities[event]
        event += 1
    return event


@kernel
def by_rollouts(networks, states, work, probabilities, trials, steps, rng, targets):
    """The mean of trials from each state, each so many steps long; their first rolls are dealt evenly."""
    network = networks[0]
    for i in range(states.size):
        target = targets[i]
        for k in range(LANES):
            target[k] = 0.0
        me = to_play(states[i])
        for trial in range(trials):
            work[0] = states[i]
            state = work[0]
            if has_chance(state) and is_chance(state) and most_events(state) > 0:
                count = chances(state, probabilities)
                happen(state, event_at(probabilities, count, (trial + 0.5) / trials))
            for _ in range(steps):
                make_chance_moves(state, rng[0], 0)
                if is_over(state):
                    break
                play(state, best_action(network, state, rng[0]))
            add_outputs(network, state, me, 1.0 / trials, target)


@inner
def best_replies(network, state, work, probabilities, rng, luck, target):
    """The mean over all that chance may do of what the best reply is worth.

    work[0] is to try in; luck: the event after which the reply is left in work[1], or a negative number.
    """
    for k in range(LANES):
        target[k] = 0.0
    me = to_play(state)
    count = chances(state, probabilities)
    if count < 1 or count > probabilities.size:
        raise GameError("chances gives no event, or more than the game declares (events)")
    chosen = event_at(probabilities, count, luck) if luck >= 0.0 else -1
    for event in range(count):
        if probabilities[event] > 0.0:
            work[0] = state
            happen(work[0], event)
            play(work[0], best_action(network, work[0], rng))
            add_outputs(network, work[0], me, probabilities[event], target)
            if event == chosen:
                work[1] = work[0]


@kernel
def by_best_replies(networks, states, work, probabilities, rng, targets):
    """The mean over all that chance may do of what the best reply is worth."""
    for i in range(states.size):
        best_replies(networks[0], states[i], work, probabilities, rng[0], -1.0, targets[i])


@kernel
def by_returns(networks, roots, length, lam, work, probabilities, rng, said, states, targets):
    """Fill arrays with the positions of games that go on from roots, and their λ-returns without luck.

    Let y_t be what the network says of position t of a game, and L_t the mean over rolls of what it says
    after the best reply. A position is drawn towards

        G_t = L_t + λ (G_{t+1} − y_{t+1}),   and the last one of a game towards its L_t.

    In the mean over the dice this is the λ-return; but L_t has all rolls in it, so what is added up along the
    game is only how far the network disagrees with itself, and not how lucky the dice were.
    A game has at most `length` positions, and none of which all is known. said: room for y, a row a position.
    """
    network = networks[0]
    n = root = 0
    while n < states.size:
        first = n
        states[n] = roots[root % roots.size]
        root += 1
        while True:
            if not known(network, states[n], network.y):
                look_at(network, states[n])
            for k in range(LANES):
                said[n, k] = network.y[k]
            best_replies(network, states[n], work, probabilities, rng[0], uniform(rng[0]), targets[n])
            n += 1
            after = work[1]
            if n == states.size or n - first == length or is_over(after) or known(network, after, network.y):
                break
            states[n] = after
        for k in range(n - 1 - first):
            t = n - 2 - k
            if to_play(states[t]) != to_play(states[t + 1]):
                turned(network, targets[t + 1], network.error)
                turned(network, said[t + 1], network.y)
            else:
                network.error[:] = targets[t + 1]
                network.y[:] = said[t + 1]
            for j in range(LANES):
                targets[t, j] += np.float32(lam) * (network.error[j] - network.y[j])


@kernel
def positions_of_games(networks, roots, work, noises, every, rng, states):
    """Fill an array with positions before chance moves, one of so many.

    noises: each player draws one a game.
    """
    network = networks[0]
    own = network.noise
    n = 0
    while n < states.size:
        work[0] = roots[0]
        state = work[0]
        first, second = noises[below(rng[0], noises.size)], noises[below(rng[0], noises.size)]
        wander(network, state, rng[0])
        while not is_over(state) and n < states.size:
            if below(rng[0], every) == 0:
                states[n] = state
                n += 1
            make_chance_moves(state, rng[0], 0)
            network.noise = first if to_play(state) == 1 else second
            play(state, best_action(network, state, rng[0]))
    network.noise = own


@kernel
def fit(networks, states, targets, order, alpha):
    """One step of gradient descent for each state, in an order; return the mean square of what was wrong."""
    network = networks[0]
    total = 0.0
    for i in range(order.size):
        j = order[i]
        look_at(network, states[j])
        total += (worth(network, states[j], network.y) - worth(network, states[j], targets[j])) ** 2
        learn(network, network.x, targets[j], alpha)
    return total / order.size
