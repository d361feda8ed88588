"""Clocks: what they show, how time is shared out, and that nobody ever loses by them."""

import math
import multiprocessing
import time

import pytest
from gtp_referee import Process, play
from hypothesis import given
from hypothesis import strategies as st

from playout.games.go.board import Board
from playout.player.clock import LAG, Clock

AREAS = st.sampled_from([25, 81, 169, 361])
GAMES = st.integers(1, 100)  # moves of one side: games of up to 200
SEEN = st.floats(0, 0.003)  # seconds a move that the search does not count but the account does
UNSEEN = st.floats(0, 0.002)  # seconds that only the referee sees
DECAY = st.sampled_from([None, 0.1, 1.0, 4.0, 20.0])  # of exponentially decaying time
ROUNDED = st.sampled_from([None, math.floor, math.ceil, round, float])  # how a referee tells the time


# -- what it shows ----------------------------------------------------------------------------------


def shown(clock):
    return clock.main, clock.period, clock.stones, clock.periods


def test_no_time_is_no_limit():
    clock = Clock()
    assert clock.budget(Board(9)) is None
    clock.used(100)
    assert clock.budget(Board(9)) is None
    assert Clock.canadian(0, 1, 0).budget(Board(9)) is None  # GTP's way to say so


def test_absolute():
    clock = Clock.absolute(5)
    clock.used(1.5)
    assert clock.main == 3.5
    clock.used(9)
    assert clock.main == 0
    assert clock.budget(Board(9)) == 0


def test_canadian():
    clock = Clock.canadian(10, 30, 3)
    clock.used(4)
    assert shown(clock) == (6, 30, 3, 0)
    clock.used(11)  # 5 of them in overtime
    assert shown(clock) == (0, 25, 2, 0)
    clock.used(10)
    assert shown(clock) == (0, 15, 1, 0)
    clock.used(10)
    assert shown(clock) == (0, 30, 3, 0)


def test_byo_yomi():
    clock = Clock.byo_yomi(10, 30, 3)
    clock.used(30)
    assert shown(clock) == (0, 30, 1, 3)
    clock.used(29)
    assert shown(clock) == (0, 30, 1, 3)
    clock.used(70)  # two periods are gone
    assert shown(clock) == (0, 30, 1, 1)
    clock.left(12, 2)
    assert shown(clock) == (0, 12, 1, 2)


def test_fischer():
    clock = Clock.fischer(10, 3)
    clock.used(4)
    assert clock.main == 9
    clock.left(20, 0)
    assert clock.main == 20


def test_a_referee_that_rounds_up_is_not_believed():
    clock = Clock.absolute(5)
    clock.used(0.6)
    clock.left(5, 0)
    assert clock.main == 4.4
    clock.left(4, 0)
    assert clock.main == 4
    clock.left(300, 0)  # that is no rounding
    assert clock.main == 300


def test_time_is_known_from_time_left_alone():
    clock = Clock()
    clock.left(60, 0)
    assert 0 < clock.budget(Board(9)) < 5
    other = Clock()
    other.left(60, 10)
    assert 4 < other.budget(Board(9)) < 6


# -- how it is shared -------------------------------------------------------------------------------


def shares(clock, area, moves, decay=None):
    found = []
    for k in range(moves):
        found.append(clock.share(area, 2 * k, decay))
        clock.used(found[-1])
    return found


def test_the_opening_and_the_middle_game_get_most():
    each = shares(Clock.absolute(300), 81, 60)
    assert min(each[:20]) > 8
    assert max(each[:20]) < 12
    assert each[20:] == sorted(each[20:], reverse=True)
    assert each[-1] > 0.1
    assert 280 < sum(each) < 300


def test_byo_yomi_uses_the_main_time_and_then_most_of_each_period():
    each = shares(Clock.byo_yomi(60, 10, 3), 81, 30)
    assert all(8.5 < seconds < 9.1 for seconds in each)


def test_canadian_time_is_shared_among_the_stones():
    each = shares(Clock.canadian(0, 60, 10), 81, 10)
    assert 48 < sum(each) < 60
    assert max(each) < 12


def test_fischer_gives_the_increment_and_a_share_of_the_rest():
    each = shares(Clock.fischer(60, 5), 81, 40)
    assert min(each) > 4
    assert each[0] > 5


def test_decaying_time_is_the_same_part_of_what_is_left_at_every_move():
    clock = Clock.absolute(3000)  # so much that what is around the searches hardly counts
    left, parts = clock.main, []
    for seconds in shares(clock, 81, 30, decay=4):
        parts.append(seconds / left)
        left -= seconds
    assert parts == pytest.approx([4 / 81] * 30, rel=0.01)


@pytest.mark.parametrize(("side", "first"), [(5, 4 / 25), (9, 4 / 81), (19, 4 / 361)])
def test_decaying_time_goes_by_the_board(side, first):
    assert Clock.absolute(3000).budget(Board(side), decay=4) == pytest.approx(3000 * first, rel=0.01)


def test_decaying_time_never_takes_more_than_half():
    assert Clock.absolute(100).share(4, 0, decay=20) < 50


def test_decaying_time_leaves_overtime_as_it_is():
    for overtime in (Clock.byo_yomi(0, 10, 3), Clock.canadian(0, 60, 10)):
        assert shares(overtime.copy(), 81, 9, decay=4) == shares(overtime, 81, 9)
    each = shares(Clock.byo_yomi(600, 10, 3), 81, 60, decay=4)
    assert each[0] == pytest.approx(600 * 4 / 81, rel=0.01)
    assert each == sorted(each, reverse=True)
    assert each[-1] == pytest.approx(9, abs=0.02)  # no less than a period gives


# -- nobody loses by it -----------------------------------------------------------------------------


@given(
    main=st.floats(1, 7200),
    area=AREAS,
    moves=GAMES,
    seen=SEEN,
    unseen=UNSEEN,
    rounded=ROUNDED,
    decay=DECAY,
)
def test_absolute_time_is_enough(main, area, moves, seen, unseen, rounded, decay):
    clock, left = Clock.absolute(main), main
    for k in range(moves):
        if rounded is not None:
            clock.left(rounded(left), 0)
        seconds = clock.share(area, 2 * k, decay) + seen
        clock.used(seconds + LAG)
        left -= seconds + unseen
        assert left > 0


@given(
    main=st.floats(1, 600),
    increment=st.floats(0.01, 60),
    area=AREAS,
    moves=GAMES,
    seen=SEEN,
    unseen=UNSEEN,
    decay=DECAY,
)
def test_fischer_time_is_enough(main, increment, area, moves, seen, unseen, decay):
    clock, left = Clock.fischer(main, increment), main
    for k in range(moves):
        seconds = clock.share(area, 2 * k, decay) + seen
        clock.used(seconds + LAG)
        left -= seconds + unseen
        assert left > 0
        left += increment


@given(
    main=st.floats(0, 600),
    period=st.floats(1, 600),
    stones=st.integers(1, 50),
    area=AREAS,
    moves=GAMES,
    seen=SEEN,
    unseen=UNSEEN,
    told=st.booleans(),
    decay=DECAY,
)
def test_canadian_time_is_enough(main, period, stones, area, moves, seen, unseen, told, decay):
    clock, left, to_make = Clock.canadian(main, period, stones), main, 0
    for k in range(moves):
        if told:
            clock.left(left, to_make)
        seconds = clock.share(area, 2 * k, decay) + seen
        clock.used(seconds + LAG)
        left -= seconds + unseen
        if to_make == 0 and left < 0:  # overtime begins
            left, to_make = left + period, stones
        assert left > 0
        if to_make:
            to_make -= 1
            if to_make == 0:
                left, to_make = period, stones


@given(
    main=st.floats(0, 600),
    period=st.floats(0.5, 600),
    area=AREAS,
    moves=GAMES,
    seen=SEEN,
    unseen=UNSEEN,
    decay=DECAY,
)
def test_no_byo_yomi_period_is_lost(main, period, area, moves, seen, unseen, decay):
    clock, left = Clock.byo_yomi(main, period, 3), main
    for k in range(moves):
        seconds = clock.share(area, 2 * k, decay) + seen
        clock.used(seconds + LAG)
        left -= seconds + unseen
        if left < 0:
            assert left + period > 0
            left = 0
    assert clock.periods == 3


def _busy(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


@pytest.mark.parametrize(
    ("spec", "told", "busy"),
    [
        ("mogo:sims=none,seed=1", True, True),
        ("mogo:sims=none,seed=2", False, False),
        ("flat:policy=mogo,sims=none,seed=1", True, False),
        ("rlgo:sims=none,seed=1", True, True),
    ],
)
def test_five_seconds_a_game_are_enough(spec, told, busy):
    """Over GTP against itself; compiling, checks at the end and all that is around a search count."""
    load = multiprocessing.get_context("spawn").Process(target=_busy, args=(60,))
    with Process(spec) as engine:
        engine.ask("time_settings 5 0 0")  # compiles: the load shall not slow that down
        if busy:
            load.start()
        try:
            game = play(engine, "time_settings 5 0 0", 5, tell=told)
        finally:
            if busy:
                load.terminate()
                load.join()
    assert max(game.seconds.values()) <= 5, game
    assert game.moves[-2:] == ["pass", "pass"]
    assert max(game.seconds.values()) > 1.5, "it should also use its time"
