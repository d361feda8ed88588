"""Makes the tables of bear-offs (`chances`) by the game's own rules, place by place from the lowest.

Every play leads to a lower place, so what it is worth is known when it is asked for. Everything is computed
with numbers of 8 bytes, and rounded once.
"""

from __future__ import annotations

import numpy as np

from playout.games import api
from playout.games.backgammon import rules
from playout.games.backgammon.bearoff.chances import (
    CENTRED_CUBE,
    CUBELESS,
    EQUITIES,
    FIRST_ROLLS,
    OTHERS_CUBE,
    OWN_CUBE,
    ROLLS,
    may_double,
    place_of,
    places_of,
)
from playout.games.backgammon.state import CHECKERS, HOME, STATE
from playout.kernel import inner, kernel

TINY = 1e-12  # two plays are as good as each other within this
MOST_PLAYS = 126  # four moves of a double from six points, with repetitions; two dice have fewer plays


@inner
def next_place(points):
    """Put a side's checkers as the next place has them; what is not at home is off."""
    above = points[0] * 0
    for q in range(HOME - 1, -1, -1):
        above += points[q + 1]
        points[q + 1] = 0
        if points[q] > 0:
            points[q] -= 1
            points[q + 1] = above + 1
            return


@inner
def set_points(state):
    """The sets of points of the first player, from the checkers."""
    held, made = 0, 0
    for point in range(1, HOME + 1):
        if state.points[0, point] > 0:
            held |= 1 << point
        if state.points[0, point] > 1:
            made |= 1 << point
    state.held[0], state.made[0] = held, made


@inner
def places_after(states, event, moves, places):
    """The places that a roll leads to, and how many. states: the position, and one to play in."""
    state, work = states[0], states[1:]
    state.dice[0], state.dice[1] = rules.ROLLS[event, 0], rules.ROLLS[event, 1]
    count = api.legal_moves(state, moves)
    for k in range(count):
        work[0] = state
        api.play(work[0], moves[k])
        places[k] = place_of(work[0].points[0])
    return count


@inner
def chance_of(event):
    """The chance of a roll."""
    return 1 / 36 if rules.ROLLS[event, 0] == rules.ROLLS[event, 1] else 1 / 18


@kernel
def fill_tails(states, moves, places, tails, mean):
    """By place: the chance of checkers left after n rolls, and the rolls on average, which are the fewest."""
    state = states[0]
    for place in range(1, len(mean)):
        next_place(state.points[0])
        set_points(state)
        tails[place, 0] = 1.0
        mean[place] = 1.0
        for event in range(rules.EVENTS):
            count = places_after(states, event, moves, places)
            best = places[0]
            for k in range(1, count):
                if mean[places[k]] < mean[best] - TINY:
                    best = places[k]
            chance = chance_of(event)
            mean[place] += chance * mean[best]
            for n in range(1, ROLLS):
                tails[place, n] += chance * tails[best, n - 1]


@kernel
def fill_none_off(states, start, moves, places, none_off, mean):
    """The same until the first checker is off. start: the first place with all checkers."""
    state = states[0]
    for number in range(len(mean)):
        if number > 0:
            next_place(state.points[0])
        set_points(state)
        none_off[number, 0] = 1.0
        mean[number] = 1.0
        for event in range(rules.EVENTS):
            count = places_after(states, event, moves, places)
            best, least = -1, np.inf
            for k in range(count):
                rolls = mean[places[k] - start] if places[k] >= start else 0.0
                if rolls < least - TINY:
                    best, least = places[k], rolls
            if best >= start:
                chance = chance_of(event)
                mean[number] += chance * least
                for n in range(1, FIRST_ROLLS):
                    none_off[number, n] += chance * none_off[best - start, n - 1]


@kernel
def list_plays(states, moves, places, first, plays):
    """Where each roll leads from each place: `plays`, from `first` on by place and roll."""
    state = states[0]
    end = 0
    count = (len(first) - 1) // rules.EVENTS
    for place in range(count):
        if place > 0:
            next_place(state.points[0])
        set_points(state)
        for event in range(rules.EVENTS):
            first[place * rules.EVENTS + event] = end
            found = places_after(states, event, moves, places)
            for k in range(found):
                plays[end] = places[k]
                end += 1
    first[count * rules.EVENTS] = end
    return end


@inner
def fill_pair(first, plays, rolling, equity, mine, theirs):
    """The equities of one pair of places, from those of lower ones.

    rolling: if this roll is played without a double. equity: before that, where who rolls may double if the
    cube is his or in the middle, and the other may give up. Each play is the best one for where the cube is.
    """
    if mine == 0 or theirs == 0:
        rolling[mine, theirs] = equity[mine, theirs] = 1.0 if mine == 0 else -1.0
        return
    cubeless, centred, own, others = 0.0, 0.0, 0.0, 0.0
    for event in range(rules.EVENTS):
        at = mine * rules.EVENTS + event
        # The lowest of what the other then has.
        a, b, c, d = 1.0, 1.0, 1.0, 1.0
        for k in range(first[at], first[at + 1]):
            after = equity[theirs, plays[k]]
            a, b = min(a, after[CUBELESS]), min(b, after[CENTRED_CUBE])
            c, d = min(c, after[OTHERS_CUBE]), min(d, after[OWN_CUBE])
        chance = chance_of(event)
        cubeless -= chance * a
        centred -= chance * b
        own -= chance * c  # my cube is the other's opponent's
        others -= chance * d
    rolling[mine, theirs, CUBELESS] = equity[mine, theirs, CUBELESS] = cubeless
    rolling[mine, theirs, CENTRED_CUBE] = centred
    rolling[mine, theirs, OWN_CUBE] = own
    rolling[mine, theirs, OTHERS_CUBE] = equity[mine, theirs, OTHERS_CUBE] = others
    equity[mine, theirs, CENTRED_CUBE] = may_double(centred, others)
    equity[mine, theirs, OWN_CUBE] = may_double(own, others)


@kernel
def fill_pairs(first, plays, rolling, equity):
    """All pairs, in an order in which (theirs, a lower place than mine) comes before (mine, theirs)."""
    for place in range(len(equity)):
        for lower in range(place):
            fill_pair(first, plays, rolling, equity, place, lower)
        for upto in range(place + 1):
            fill_pair(first, plays, rolling, equity, upto, place)


def _states(points: list[int]) -> np.ndarray:
    states = np.zeros(2, STATE)
    states["turn"] = 1
    states["points"][:, 0, : HOME + 1] = points
    return states


def _room() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(rules.CHOICES, np.int64), np.zeros(rules.CHOICES, np.int64)


def make_tails(checkers: int = CHECKERS) -> tuple[np.ndarray, np.ndarray]:
    """For each place of up to so many checkers: the chance of some left after n rolls; the rolls on average.

    >>> tails, mean = make_tails(1)
    >>> [round(float(rolls), 4) for rolls in mean]  # a checker on the points 1 to 6, after none
    [0.0, 1.0, 1.0, 1.0, 1.0556, 1.1389, 1.25]
    """
    tails, mean = np.zeros((places_of(checkers), ROLLS)), np.zeros(places_of(checkers))
    fill_tails(_states([checkers, *HOME * [0]]), *_room(), tails, mean)
    return tails, mean


def make_none_off(checkers: int = CHECKERS) -> tuple[np.ndarray, np.ndarray]:
    """For each place of just so many checkers: the chance of all left after n rolls; the rolls on average."""
    start = places_of(checkers - 1)
    count = places_of(checkers) - start
    none_off, mean = np.zeros((count, FIRST_ROLLS)), np.zeros(count)
    fill_none_off(_states([0, checkers, *(HOME - 1) * [0]]), start, *_room(), none_off, mean)
    return none_off, mean


def make_pairs(checkers: int) -> np.ndarray:
    """For each pair of places of up to so many checkers: four equities for the side that rolls now."""
    count = places_of(checkers)
    first = np.zeros(count * rules.EVENTS + 1, np.int64)
    states = _states([checkers, *HOME * [0]])
    plays = np.zeros(count * rules.EVENTS * MOST_PLAYS, np.uint16)
    end = list_plays(states, *_room(), first, plays)
    rolling, equity = np.zeros((2, count, count, EQUITIES))
    fill_pairs(first, plays[:end], rolling, equity)
    return rolling
