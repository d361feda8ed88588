"""Rollouts in plain Python, over positions that people touch (Tesauro & Galperin 1996).

A trial: the candidate, then the base policy for everybody, to the end or for some decisions. Random numbers
are those of SplitMix64, from words that are made of the seed, the number of the trial and what they are for.
"""

from fractions import Fraction

import numpy as np

from naive.rng import GOLDEN_GAMMA, MASK, mix64
from playout.games import api
from playout.kernel import new_rng

DICE, CHOICES, ORDER = 0, 1, 2


class Numbers:
    """The random numbers that follow from a word."""

    def __init__(self, word):
        self._word = word

    def next(self):
        number = mix64(self._word)
        self._word = (self._word + GOLDEN_GAMMA) & MASK
        return number

    def below(self, n):
        return (self.next() >> 32) * n >> 32

    def uniform(self):
        return Fraction(self.next() >> 11, 1 << 53)

    def as_generator(self):
        """The same as a record, for a game's own dice."""
        rng = new_rng(0)
        rng["word"], rng["ready"] = self._word, mix64(self._word)
        return rng


def numbers(seed, number, purpose, candidate=None):
    kind = purpose * 65536 + (0 if candidate is None else 1 + candidate)
    return Numbers(mix64(seed ^ mix64((number * GOLDEN_GAMMA & MASK) ^ kind << 32)))


def part_of(seed, trial, parts):
    """Which part of the first rolls a trial has: parts trials in a row have one each."""
    source = numbers(seed, trial // parts, ORDER)
    order = list(range(parts))
    for i in range(parts - 1, 0, -1):
        j = source.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order[trial % parts]


def probabilities_at(position):
    found = np.zeros(position.game.events)
    return found[: int(api.chances(position.record[0], found))].tolist()


def event_at(probabilities, point):
    """The event at a point between 0 and 1; those that cannot happen take no room."""
    possible = [e for e, p in enumerate(probabilities) if p > 0]
    for event in possible:
        share = Fraction(probabilities[event]).limit_denominator(10**6)
        if point < share:
            return event
        point -= share
    return possible[-1]


def ends_of(position):
    counts = np.zeros(len(position.game.tallies))
    api.tally(position.record[0], counts)
    return counts


def worth(position, policy):
    """What a state counts, with its kinds of ends."""
    if position.is_over:
        return float(api.outcome(position.record[0])), ends_of(position)
    return policy.estimate(position)


def trial(position, candidate, policy, *, seed, number, common=True, steps=None, parts=1, luck=False):
    """The value of a trial for player 1, and its kinds of ends."""
    whose = None if common else candidate
    dice, choices = (numbers(seed, number, kind, whose) for kind in (DICE, CHOICES))
    point = None
    if parts > 1:
        point = (part_of(seed, number, parts) + dice.uniform()) / parts
    generator = dice.as_generator()
    now = position.copy()
    begin = len(now.moves)
    now.play(candidate)
    made, lucky, lucky_ends = 0, 0.0, np.zeros(len(position.game.tallies))
    reply = None
    while not now.is_over and (steps is None or made < steps) and len(now.moves) - begin < now.game.moves:
        if now.is_chance:
            fore = foresee(now, policy, choices) if luck else None
            discount = np.prod(now._discounts[begin:])
            if point is None:
                now.roll(generator)
            else:
                now.play(event_at(probabilities_at(now), point))
                point = None
            if fore is not None:
                event = now.moves[-1].action
                mean = sum(p * value for p, value, _, _ in fore.values())
                mean_ends = sum(p * ends for p, _, ends, _ in fore.values())
                lucky += discount * (fore[event][1] - mean)
                lucky_ends = lucky_ends + fore[event][2] - mean_ends
                reply = fore[event][3]
        else:
            now.play(policy.sample(now, choices) if reply is None else reply)
            reply = None
            made += 1
    paid, weight = 0.0, 1.0
    for reward, discount in zip(now.rewards[begin:], now._discounts[begin:], strict=True):
        paid += weight * reward
        weight *= discount
    if now.is_over or (steps is not None and made >= steps):
        value, ends = worth(now, policy)
        paid += weight * value
    else:
        ends = np.zeros(len(position.game.tallies))
    return paid - lucky, ends - lucky_ends


def foresee(position, policy, choices):
    """By event: its probability, what is expected after the reply to it, the ends expected, the reply."""
    found = {}
    for event, probability in enumerate(probabilities_at(position)):
        if probability > 0:
            after, reply = position.copy().play(event), None
            if not after.is_over and not after.is_chance:
                reply = policy.sample(after, choices)
                after.play(reply)
            found[event] = (probability, *worth(after, policy), reply)
    return found


class Random:
    """Any legal move."""

    def sample(self, position, choices):
        moves = position.legal_moves()
        return moves[choices.below(len(moves))]


def covariances(values, strata):
    """Of rows of values, within the kinds of trials: pooled over them."""
    total, free = np.zeros((len(values), len(values))), 0
    for kind in set(strata):
        mine = values[:, strata == kind]
        apart = mine - mine.mean(axis=1, keepdims=True)
        total += apart @ apart.T
        free += mine.shape[1] - 1
    return total / free
