"""Schedules: who meets whom, how often, and that similar scores meet."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.arena.schedule import Gauntlet, RoundRobin, Swiss, make_schedule
from playout.arena.store import GameRecord, Pair
from playout.errors import InputError


def names(count: int) -> list[str]:
    return [f"p{k}" for k in range(count)]


def test_a_round_robin_is_everybody_against_everybody():
    players = names(4)
    meetings = RoundRobin(1).meetings(1, players, [], [])
    assert len(meetings) == RoundRobin(1).size(players) == 6
    assert {frozenset(meeting) for meeting in meetings} == {
        frozenset((a, b)) for a in players for b in players if a != b
    }


def test_challengers_meet_all_others_but_not_each_other():
    schedule = Gauntlet(1, ("p1", "p3"))
    meetings = schedule.meetings(1, names(5), [], [])
    assert len(meetings) == schedule.size(names(5)) == 6
    assert {challenger for challenger, _ in meetings} == {"p1", "p3"}
    assert Counter(other for _, other in meetings) == {"p0": 2, "p2": 2, "p4": 2}


def swiss(count: int, rounds: int, strength, seed: int = 0) -> list[list[Pair]]:
    """A Swiss tournament in which strength(first, second) gives the first one's points of a pair."""
    players, schedule = names(count), Swiss(rounds, seed)
    past, games, played = [], [], []
    for number in range(1, rounds + 1):
        meetings = schedule.meetings(number, players, past, list(games))
        assert len(meetings) == schedule.size(players)
        pairs = [Pair(len(past) + k, a, b, number) for k, (a, b) in enumerate(meetings, 1)]
        for pair in pairs:
            points = strength(pair.first, pair.second)
            for k, share in enumerate((min(1.0, points), max(0.0, points - 1))):
                black, white = pair.colors(k + 1)
                score = share if k == 0 else 1 - share
                winner = {1.0: "black", 0.0: "white", 0.5: None}[score]
                games.append(
                    GameRecord(
                        number=2 * pair.pair - 1 + k,
                        pair=pair.pair,
                        black=black,
                        white=white,
                        winner=winner,
                        result="",
                        reason="score",
                    )
                )
        past += pairs
        played.append(pairs)
    return played


def better_wins(a: str, b: str) -> float:
    return 2.0 if int(a[1:]) < int(b[1:]) else 0.0


@given(st.integers(2, 11), st.integers(1, 12), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_everybody_plays_once_a_round_and_rests_are_shared(count, rounds, seed):
    rests = Counter()
    for pairs in swiss(count, rounds, better_wins, seed):
        present = [name for pair in pairs for name in (pair.first, pair.second)]
        assert len(present) == len(set(present)) == count - count % 2
        rests.update(set(names(count)) - set(present))
    shares = [rests[name] for name in names(count)]
    assert max(shares) - min(shares) <= 1


@given(st.integers(2, 10), st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_equals_meet_in_the_second_round(half, seed):
    rounds = swiss(4 * half, 2, better_wins, seed)
    winners = {min(pair.first, pair.second, key=lambda name: int(name[1:])) for pair in rounds[0]}
    assert all((pair.first in winners) == (pair.second in winners) for pair in rounds[1])


def test_few_meet_twice_in_a_short_event_and_neighbours_often_in_a_long_one():
    short = Counter(frozenset((p.first, p.second)) for pairs in swiss(16, 5, better_wins) for p in pairs)
    assert sum(times - 1 for times in short.values()) <= 2  # of 40
    long = Counter(frozenset((p.first, p.second)) for pairs in swiss(8, 60, better_wins) for p in pairs)
    near = [long[frozenset(pair)] for pair in pairwise(names(8))]
    far = [long[frozenset((f"p{k}", f"p{k + 5}"))] for k in range(3)]
    assert min(near) > max(far)


def test_lots_depend_on_the_seed_and_the_round():
    rounds = [swiss(10, 1, better_wins, seed)[0] for seed in (1, 1, 2)]
    assert rounds[0] == rounds[1] != rounds[2]


def test_the_ranking_finds_the_strong():
    rng = np.random.default_rng(1)

    def by_chance(a: str, b: str) -> float:
        chance = 1 / (1 + 10 ** ((int(a[1:]) - int(b[1:])) / 2))
        return float(rng.binomial(2, chance))

    rounds = swiss(12, 30, by_chance, 3)
    top = Counter()
    for pairs in rounds[10:]:
        for pair in pairs:
            if "p0" in (pair.first, pair.second):
                top[pair.second if pair.first == "p0" else pair.first] += 1
    # The best player meets the next best ones most.
    assert sum(top[f"p{k}"] for k in (1, 2, 3, 4)) > sum(top.values()) / 2


@pytest.mark.parametrize(
    ("kind", "challengers", "message"),
    [
        ("knockout", [], "schedule 'knockout' is not one of round-robin, gauntlet, swiss"),
        ("gauntlet", ["p9"], "challenger 'p9' is not one of the players"),
        ("gauntlet", ["p0", "p1", "p2"], "needs players that are not challengers"),
        ("swiss", ["p0"], "only a gauntlet has challengers"),
    ],
)
def test_what_is_no_schedule_is_refused(kind, challengers, message):
    with pytest.raises(InputError, match=message):
        make_schedule(kind, 1, names(3), challengers)


def test_schedules_by_name():
    assert make_schedule("round-robin", 3, names(2)) == RoundRobin(3)
    assert make_schedule("swiss", 3, names(2), seed=4) == Swiss(3, 4)
    assert make_schedule("gauntlet", 3, names(3)) == Gauntlet(3, ("p0",))
    with pytest.raises(InputError, match="at least 2 players"):
        make_schedule("swiss", 1, names(1))
