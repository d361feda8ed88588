"""`lin1` and `lin2`: a linear function of the raw board, as fast as one can choose by it.

What a network without a hidden layer says of a position is σ of a sum, with one number for each point and how
many checkers each player has there. So a play gains what the points that it touches gain, and no position
need be made for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from playout.errors import InputError
from playout.games import api as games
from playout.games.backgammon.bits import mirrored
from playout.games.backgammon.doubling import WAYS
from playout.games.backgammon.encoding import OFF_PARTS, OFF_UNITS, POINT_UNITS, RAW_SIDE, UNITS
from playout.games.backgammon.memory.shipped import SHIPPED, network_for
from playout.games.backgammon.rules import FACTS, SOURCES, TALLIES, target
from playout.games.backgammon.state import BAR, CHECKERS, OFF
from playout.kernel import implements, inner, record_type
from playout.memory.network import normal
from playout.memory.network_files import Network
from playout.policy import api
from playout.settings import setting

# Who has just moved, and who rolls next.
MOVED, ROLLS = np.uint32(0), np.uint32(1)
LINEAR = record_type(
    [
        # By side, point as that side counts, and checkers there: what they add before σ, to who rolls next.
        ("sums", "f4", (2, BAR + 1, CHECKERS + 1)),
        ("bias_of_sums", "f4"),
        # What one checker more gains, to who has moved.
        ("gains", "f4", (2, BAR + 1, CHECKERS + 1)),
        ("noise_of_sums", "f4"),
        ("counts", "u1", (BAR + 1,)),  # room for the checkers of who moves
        ("plays", "u2", (FACTS.most_choices,)),
    ]
)


@inner
def step_gain(policy, state, other, source, die, blots, hits):
    """Move a checker of `policy.counts`; return what that gains, the blots left and the hits so far."""
    to = np.uint32(target(source, die))
    counts, gains = policy.counts, policy.gains
    n = counts[np.uint32(source)] - np.uint8(1)
    counts[np.uint32(source)] = n
    m = counts[to]
    counts[to] = m + np.uint8(1)
    gain = gains[MOVED, to, np.uint32(m)] - gains[MOVED, np.uint32(source), np.uint32(n)]
    if to and blots >> to & 1:
        blots ^= 1 << to
        bar = np.uint32(BAR)
        gain += gains[ROLLS, bar, np.uint32(state.points[other, bar]) + np.uint32(hits)]
        gain -= gains[ROLLS, bar - to, np.uint32(0)]
        hits += 1
    return gain, blots, hits


@inner
def step_back(policy, source, die):
    """Take a move of `policy.counts` back."""
    policy.counts[np.uint32(source)] += np.uint8(1)
    policy.counts[np.uint32(target(source, die))] -= np.uint8(1)


@inner
def gain_of_two(policy, state, other, action, large, small, blots):
    """What a play of two different dice gains."""
    high, low = action // WAYS, action % WAYS
    gain = np.float32(0.0)
    hits = 0
    if low and low == high + small:  # one checker moves with both, the smaller die first
        more, blots, hits = step_gain(policy, state, other, low, small, blots, hits)
        gain += more
    if high:
        more, blots, hits = step_gain(policy, state, other, high, large, blots, hits)
        gain += more
    if low and low != high + small:
        more, blots, hits = step_gain(policy, state, other, low, small, blots, hits)
        gain += more
    if high:
        step_back(policy, high, large)
    if low:
        step_back(policy, low, small)
    return gain


@inner
def gain_of_double(policy, state, other, action, die, blots):
    """What a play of a double gains."""
    gain = np.float32(0.0)
    hits = 0
    left = np.int64(SOURCES[action])
    while left:
        more, blots, hits = step_gain(policy, state, other, left & 31, die, blots, hits)
        gain += more
        left >>= 5
    left = np.int64(SOURCES[action])
    while left:
        step_back(policy, left & 31, die)
        left >>= 5
    return gain


@implements(api.sample, LINEAR)
def sample(policy, state, rng):
    plays = policy.plays
    count = games.legal_moves(state, plays)
    if count == 1:
        return np.uint32(plays[np.uint32(0)])
    me = np.uint32(state.turn - 1)
    other = np.uint32(1) - me
    for point in range(BAR + 1):
        policy.counts[np.uint32(point)] = state.points[me, np.uint32(point)]
    blots = mirrored(state.held[other] & ~state.made[other]) & -2
    large, small = np.int64(state.dice[0]), np.int64(state.dice[1])
    best = np.uint32(0)
    most = np.float32(-np.inf)
    for k in range(count):
        action = np.int64(plays[np.uint32(k)])
        if large == small:
            gain = gain_of_double(policy, state, other, action, large, blots)
        else:
            gain = gain_of_two(policy, state, other, action, large, small, blots)
        if policy.noise_of_sums > np.float32(0.0):
            gain += np.float32(policy.noise_of_sums * normal(rng))
        if gain > most:
            most = gain
            best = np.uint32(k)
    return np.uint32(plays[best])


@implements(api.estimate, LINEAR)
def estimate(policy, state, chances):
    for k in range(len(TALLIES)):
        chances[k] = 0.0
    if games.is_over(state):
        games.tally(state, chances)
        return games.outcome(state)
    rolls = np.uint32(state.turn - 1)
    total = policy.bias_of_sums
    for point in range(BAR + 1):
        i = np.uint32(point)
        total += policy.sums[ROLLS, i, np.uint32(state.points[rolls, i])]
        total += policy.sums[MOVED, i, np.uint32(state.points[np.uint32(1) - rolls, i])]
    value = 6.0 / (1.0 + math.exp(-np.float64(total))) - 3.0
    if state.turn == 2:
        value = -value
    # One number says nothing of gammons: it is given as plain wins and losses.
    chances[0] = (1.0 + max(-1.0, min(1.0, value))) / 2.0
    return value


def linear_record(network: Network, noise: float = 0.0) -> np.ndarray:
    """A network without a hidden layer that sees the raw board, as an array of one record."""
    if network.encoding != "raw" or network.hidden or network.outputs != 1:
        raise InputError(f"{network!r} is another network: lin1 and lin2 see the raw board and have no layer")
    weights = network.arrays()
    record = np.zeros(1, LINEAR)
    for side, first in ((ROLLS, 0), (MOVED, RAW_SIDE)):
        theta = weights["W"][first : first + RAW_SIDE, 0]
        record["sums"][0, side, 1:] = theta[: UNITS * BAR].reshape(BAR, UNITS) @ POINT_UNITS.T
        record["sums"][0, side, OFF] = OFF_PARTS @ theta[-OFF_UNITS:]
    record["gains"][0, :, :, :-1] = -np.diff(record["sums"][0], axis=2)
    record["bias_of_sums"], record["noise_of_sums"] = weights["b"][0], noise
    return record


@dataclass(frozen=True, kw_only=True)
class Lin1:
    """Settings of lin1."""

    name: ClassVar[str] = "lin1"
    weights: str = setting(SHIPPED, "weights of the network: a file, or 'shipped'", file_unless=(SHIPPED,))

    def record(self) -> np.ndarray:
        """The policy as an array of one record."""
        return linear_record(network_for(self.weights, "lin1"), getattr(self, "noise", 0.0))


@dataclass(frozen=True, kw_only=True)
class Lin2(Lin1):
    """Settings of lin2."""

    name: ClassVar[str] = "lin2"
    noise: float = setting(0.09, "deviation of what is added to the sum of each play", low=0, high=100)
