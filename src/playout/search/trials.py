"""One trial of a rollout: a candidate action, then the base policy for all players (Tesauro & Galperin 1996).

A trial is played to the end of the game, or for so many steps, and then counts what the base policy expects
(section 2.2). A step is one decision of the base policy, with the dice before it.

The dice of a trial come from a generator of their own, which begins anew at a word made of the seed and the
trial's number: so trial t has the same dice for every candidate if these are common, and the base policy's
own random numbers do not disturb them. It does not matter who makes which trials.

**Stratified.** The first roll of a trial takes its event at a point of [0, 1) along their probabilities. B
trials in a row take theirs in B equal parts of it, one in each and in a random order. So events happen
exactly in proportion where B times their probabilities are whole numbers (36 for two dice), and unbiased in
any case.

**Luck.** At each roll let f(e) be what the base policy expects after event e and its reply to it. The luck of
the roll is f of the actual event less the mean of f over all events: 0 in the mean, whatever f is. A trial
less the luck of all its rolls has the same mean, and less variance the better the policy's estimates are.

**Known replies.** After a candidate and a roll all trials are in the same state, and after the reply to it
and another roll again. A base policy that drew no random number to reply there replies the same next time:
its first two replies are kept, by the events, and not asked for again. That changes no result.
"""

import numpy as np

from playout.games.api import (
    GameError,
    chances,
    discount,
    happen,
    has_chance,
    has_rewards,
    is_chance,
    is_over,
    most_events,
    most_tallies,
    outcome,
    play,
    reward,
    roll,
    tally,
)
from playout.kernel import below, inner, kernel, only_where, record_type, restart, stream, uniform
from playout.policy.api import begin, estimate, has_estimate, looks_first, sample
from playout.search.simulation import is_cut

NO_REPLY = NO_EVENT = -1
ANYWHERE = -1.0  # the point of a roll that is not dealt
# Kinds of random numbers; where candidates do not share them, a candidate's number is added.
DICE, CHOICES, ORDER = 0, 1 << 16, 2 << 16

PLAN = record_type(
    [
        ("trial_seed", "u8"),
        ("steps", "i8"),  # after which a trial is cut off
        ("strata", "i8"),  # of the first roll; 1: it is not dealt
        ("common", "b1"),  # whether candidates share dice
        ("luck", "b1"),  # whether the luck of each roll is taken off
    ]
)


@inner
def event_at(probabilities, count, point):
    """The event at a point of [0, 1)."""
    if count < 1 or count > probabilities.size:
        raise GameError("chances gives no event, or more than the game declares (events)")
    last = 0
    for event in range(count):
        if probabilities[event] > 0:
            last = event
            if point < probabilities[event]:
                break
            point -= probabilities[event]
    return last


@only_where(has_chance, otherwise=lambda state, rng, point, probabilities: 0)
def let_roll(state, rng, point, probabilities):
    """Chance moves: as the game rolls, or by the event at the point of the roll; the event's number."""
    if point == ANYWHERE:
        return roll(state, rng)
    event = event_at(probabilities, chances(state, probabilities), point)
    happen(state, event)
    return event


@only_where(has_estimate, otherwise=lambda policy, state, ends: 0.0)
def expected(policy, state, ends):
    """What the base policy expects of a state, and of its kinds of ends."""
    return estimate(policy, state, ends)


@inner
def worth(policy, state, ends):
    """What a state counts, and which ends: what it is worth if the game is over, else what is expected."""
    ends[:] = 0.0
    if is_over(state):
        tally(state, ends)
        return outcome(state)
    return expected(policy, state, ends)


@only_where(
    has_estimate,
    otherwise=lambda policy, works, rng, probabilities, values, ends, replies: 0,
)
def foresee(policy, works, rng, probabilities, values, ends, replies):
    """For each event that may happen now: the base policy's reply, and what it expects then.

    works[0]: the state; works[1]: where they are tried. Returns how many events there are.
    """
    count = chances(works[0], probabilities)
    if count < 1 or count > probabilities.size:
        raise GameError("chances gives no event, or more than the game declares (events)")
    for event in range(count):
        replies[event] = NO_REPLY
        if probabilities[event] > 0:
            works[1] = works[0]
            happen(works[1], event)
            if not is_over(works[1]) and not is_chance(works[1]):
                begin(policy, works[1])
                action = sample(policy, works[1], rng)
                replies[event] = action
                play(works[1], action)
            values[event] = worth(policy, works[1], ends[event])
    return count


@inner
def take_luck_off(event, count, probabilities, values, ends, weight, counted):
    """The luck of an event; that of the kinds of ends is taken off from what is counted."""
    mean = 0.0
    for e in range(count):
        if probabilities[e] > 0:
            mean += probabilities[e] * values[e]
            for kind in range(counted.size):
                counted[kind] += probabilities[e] * ends[e, kind]
    for kind in range(counted.size):
        counted[kind] -= ends[event, kind]
    return weight * (values[event] - mean)


@inner
def reply_to(policy, state, rng, known, row, event):
    """The base policy's action after an event, and whether it always is: the known one, or a new one."""
    if known[row, event] != NO_REPLY:
        return np.uint32(known[row, event]), True
    before = rng.word
    action = np.uint32(sample(policy, state, rng))
    if rng.word != before:
        return action, False
    known[row, event] = action
    return action, True


@inner
def one_trial(
    policy, works, action, plan, point, dice, rng, known, probabilities, values, ends, replies, last, counted
):
    """The value of a trial for player 1; its ends are added to counted. point: of the first roll."""
    state = works[0]
    play(state, action)
    total, weight = 0.0, 1.0
    if has_rewards(state):
        total, weight = float(reward(state)), float(discount(state))
    made, steps = 1, 0
    reply = NO_REPLY
    # Where replies may be known: rolls and replies take turns, and this is the first or the second of them.
    follows = known.size > 0 and not plan.luck and not looks_first(policy)
    row, rolled = 0, NO_EVENT
    begin(policy, state)
    while steps < plan.steps and not is_over(state) and not is_cut(state, made):
        if has_chance(state) and is_chance(state):
            count = 0
            if plan.luck:
                count = foresee(policy, works, rng, probabilities, values, ends, replies)
            event = let_roll(state, dice, point, probabilities)
            point = ANYWHERE
            follows = follows and rolled == NO_EVENT and 0 <= event < known.shape[1]
            rolled = event
            if count:
                if event < 0 or event >= count:
                    raise GameError("roll gives the number of an event that cannot happen")
                total -= take_luck_off(event, count, probabilities, values, ends, weight, counted)
                reply = replies[event]
        else:
            if follows and rolled != NO_EVENT:
                action, same = reply_to(policy, state, rng, known, row, rolled)
                play(state, action)
                follows = same and row == 0
                row, rolled = 1 + rolled, NO_EVENT
            elif reply == NO_REPLY:
                follows = False
                if plan.luck:  # it has looked elsewhere meanwhile
                    begin(policy, state)
                play(state, sample(policy, state, rng))
            else:
                play(state, np.uint32(reply))
                reply = NO_REPLY
            steps += 1
        made += 1
        if has_rewards(state):
            total += weight * reward(state)
            weight *= discount(state)
    if is_over(state) or steps >= plan.steps:
        total += weight * worth(policy, state, last)
        for kind in range(counted.size):
            counted[kind] += last[kind]
    return total


@inner
def shuffle(order, rng):
    """0, 1, 2, … in a random order."""
    for i in range(order.size):
        order[i] = i
    for i in range(order.size - 1, 0, -1):
        j = below(rng, i + 1)
        order[i], order[j] = order[j], order[i]


@kernel
def make_trials(roots, works, policies, actions, plans, first, rngs, known, values, ends, strata):
    """Trials from number `first` on, for every candidate action.

    values[k, i]: the value of trial first + i of actions[k] for player 1. ends[k, i]: its kinds of ends.
    strata[i]: which part of the first rolls it has. works: two states to work in. rngs: two generators.
    known[k]: replies that are known, or NO_REPLY: row 0 by the first event, row 1 + e by the one after e.
    """
    plan = plans[0]
    dice, rng = rngs[0], rngs[1]
    events, kinds = most_events(roots[0]), most_tallies(roots[0])
    probabilities, foreseen = np.zeros(events), np.zeros(events)
    foreseen_ends, replies = np.zeros((events, kinds)), np.zeros(events, np.int64)
    last = np.zeros(kinds)
    order = np.zeros(plan.strata, np.int64)
    block = -1
    for i in range(values.shape[1]):
        trial = first + i
        if plan.strata > 1 and trial // plan.strata != block:
            block = trial // plan.strata
            restart(dice, stream(plan.trial_seed, block, ORDER))
            shuffle(order, dice)
        strata[i] = order[trial % plan.strata]
        for k in range(actions.size):
            own = 0 if plan.common else 1 + actions[k]
            restart(dice, stream(plan.trial_seed, trial, DICE + own))
            restart(rng, stream(plan.trial_seed, trial, CHOICES + own))
            point = ANYWHERE
            if plan.strata > 1:
                point = (strata[i] + uniform(dice)) / plan.strata
            works[0] = roots[0]
            values[k, i] = one_trial(
                policies[0],
                works,
                actions[k],
                plan,
                point,
                dice,
                rng,
                known[k],
                probabilities,
                foreseen,
                foreseen_ends,
                replies,
                last,
                ends[k, i],
            )
