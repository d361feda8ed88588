"""Networks that value positions of backgammon: what they see, and what their outputs mean.

With five outputs: the chances that the player to move wins, wins a gammon, wins a backgammon, loses a gammon,
loses a backgammon; what is more is also the less. With one: his share of what lies between −3 and 3.

In a bear-off the tables (`bearoff`) say so in the network's place, if its record knows where they are.
"""

from __future__ import annotations

import numpy as np

from playout.games import api
from playout.games.backgammon.bearoff.chances import TABLES, ends, in_bearoff
from playout.games.backgammon.encoding import write_inputs
from playout.games.backgammon.rules import FACTS, expected_outcome
from playout.games.backgammon.state import STATE
from playout.kernel import implements
from playout.memory import network

NETWORK = network.network_type(STATE, FACTS.most_choices, "backgammon's network", [("bearoff", TABLES)])
OUTPUTS = 5


@implements(network.encode, NETWORK)
def encode(net, state, x):
    write_inputs(net.encoding, state, x)


@implements(network.worth, NETWORK)
def worth(net, state, y):
    if net.outputs == 1:
        return 6.0 * np.float64(y[0]) - 3.0
    return 2.0 * np.float64(y[0]) - 1.0 + np.float64(y[1] + y[2]) - np.float64(y[3] + y[4])


@implements(network.turned, NETWORK)
def turned(net, y, into):
    into[0] = np.float32(1.0) - y[0]
    if net.outputs > 1:
        win_gammon, win_backgammon = y[1], y[2]
        into[1], into[2] = y[3], y[4]
        into[3], into[4] = win_gammon, win_backgammon


@implements(network.ended, NETWORK)
def ended(net, state, y):
    if net.outputs == 1:
        value = api.outcome(state) if state.turn == 1 else -api.outcome(state)
        y[0] = (value + 3.0) / 6.0
        return
    for k in range(OUTPUTS):
        y[k] = 0.0
    api.tally(state, y)
    if state.turn == 2:
        network.turned(net, y, y)


@implements(network.known, NETWORK)
def known(net, state, y):
    if net.bearoff.bearoff_tables_at == 0 or not in_bearoff(state):
        return False
    found = ends(net.bearoff, state)
    if net.outputs == 1:
        value = expected_outcome(state, found)
        y[0] = ((value if state.turn == 1 else -value) + 3.0) / 6.0
        return True
    for k in range(OUTPUTS):
        y[k] = found[k]
    if state.turn == 2:
        network.turned(net, y, y)
    return True
