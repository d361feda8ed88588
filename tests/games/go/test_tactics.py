"""Tactical questions: the compiled answers against their naive twins, and the textbook's cases."""

import numpy as np
import pytest
from draw import board, empty_board, points, to_place, to_point
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import tactics as naive
from naive.go import EMPTY, Go

from playout.games.api import play
from playout.games.go.state import AREA
from playout.games.go.tactics import (
    few_liberties,
    hunt,
    liberties_after,
    runs_free,
    stones_after,
    vital_point,
)
from playout.kernel import clone, kernel


@kernel
def ask_liberties(states, head):
    return few_liberties(states[0], np.uint32(head))


@kernel
def ask_after(states, p, me, but):
    return (
        liberties_after(states[0], np.uint32(p), me, np.uint32(but))[0],
        stones_after(states[0], np.uint32(p), me),
    )


@kernel
def ask_ladder(states, stone):
    return runs_free(states[0], np.uint32(stone))


@kernel
def ask_hunt(states, a, b, prey):
    return hunt(states[0], np.uint32(a), np.uint32(b), prey)


@kernel
def ask_vital(states, last, region):
    return vital_point(states[0], np.uint32(last), region)


def random_position(seed, side, moves):
    """A record and its naive twin after random moves."""
    dice = np.random.default_rng(seed)
    game, state, last = Go(side), empty_board(side), None
    for _ in range(moves):
        legal = [point for point in game.legal_points() if not game.is_eye(point, game.to_play)]
        if not legal:
            break
        last = legal[int(dice.integers(len(legal)))]
        game.play(last)
        play(state, to_point(*last))
    return game, np.array([state]), last


POSITIONS = (st.integers(0, 2**32), st.integers(4, 7), st.integers(1, 60))


@pytest.mark.small
@settings(max_examples=60, deadline=None)
@given(*POSITIONS)
def test_liberties_and_stones_are_the_naive_ones(seed, side, moves):
    game, states, _ = random_position(seed, side, moves)
    for stones, liberties in game.chains():
        head = int(states["chain"][0][to_point(*min(stones))])
        n, *found = ask_liberties(states, head)
        assert n == min(3, len(liberties))
        assert {to_place(int(p)) for p in found[: n if n < 3 else 1]} <= liberties
    for point, color in game.board.items():
        for me, player in ((1, "X"), (2, "O")):
            if color != EMPTY:
                continue
            n, size = ask_after(states, to_point(*point), me, 0)
            assert size == naive.stones_after(game, point, player)
            twin = game.copy()
            twin.to_play = player
            after, taken, lost = twin.result(point)
            if lost:
                assert n == 0, (point, str(game))
                continue
            liberties = min(3, len(twin.chain(after, point)[1]))
            if len(taken) > 1:  # then two of the captured stones count, liberties or not
                assert n >= 2, (point, str(game))
            else:
                assert n == liberties, (point, str(game))


@pytest.mark.small
@settings(max_examples=60, deadline=None)
@given(*POSITIONS)
def test_vital_points_are_the_naive_ones(seed, side, moves):
    game, states, last = random_position(seed, side, moves)
    if last is None:
        return
    found = int(ask_vital(states, to_point(*last), np.zeros(AREA, np.uint16)))
    expected = naive.vital_points(game, last)
    assert (to_place(found) in expected) if found else not expected, str(game)


@pytest.mark.small
@settings(max_examples=80, deadline=None)
@given(*POSITIONS)
def test_ladders_are_read_as_the_naive_twin_reads_them(seed, side, moves):
    game, states, _ = random_position(seed, side, moves)
    for stones, liberties in game.chains():
        stone = min(stones)
        if len(liberties) == 1:
            found = bool(ask_ladder(clone(states), to_point(*stone)))
            right = naive.either_way(lambda stone=stone: naive.runs_free(game, stone))
            assert found in right or len(set(right)) == 2, (stone, str(game))


def ladder(text, stone, to_play="X"):
    """Whether the chain of a drawn stone in atari gets away."""
    return bool(ask_ladder(np.array([board(text, to_play)]), stone))


def test_a_ladder_that_works():
    text = """
        . . . . . . .
        . . . . . . .
        . . O . . . .
        . O X a . . .
        . . O O . . .
        . . . . . . .
        . . . . . . ."""
    assert not ladder(text, to_point(3, 2))


def test_a_ladder_breaker_saves_the_prey():
    text = """
        . . . . . . .
        . . . . . X .
        . . O . . . .
        . O X a . . .
        . . O O . . .
        . . . . . . .
        . . . . . . ."""
    assert ladder(text, to_point(3, 2))


def test_a_prey_that_can_capture_is_free():
    text = """
        . X . . .
        X O X O .
        . . O . .
        . . . . .
        . . . . ."""
    # The stone in the middle of the second row is in atari at its top; to its left it can take a stone.
    assert ladder(text, to_point(1, 2))
    assert not ladder(text.replace("X O X O", ". O X O"), to_point(1, 2))


def vital(text):
    """The name of the vital point found after the last move, the X named L."""
    names = points(text)
    state = board(text.replace("L", "X"))
    found = int(ask_vital(np.array([state]), names["L"], np.zeros(AREA, np.uint16)))
    return next((name for name, p in names.items() if p == found), None)


@pytest.mark.small
@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (
            "three in a row",
            """
            . v . L .
            X X X . .
            . . . . .
            . . . . .
            . . . . .""",
        ),
        (
            "bent three",
            """
            v . L . .
            . X . . .
            X . . . .
            . . . . .
            . . . . .""",
        ),
        (
            "the T",
            """
            . v . L .
            X . X . .
            . X . . .
            . . . . .
            . . . . .""",
        ),
        (
            "the cross",
            """
            X X . X .
            X . v . L
            . X . X .
            . . X . .
            . . . . .""",
        ),
        (
            "the bulky five",
            """
            . . X . .
            . v . L .
            X X X . .
            . . . . .
            . . . . .""",
        ),
        (
            "the rabbity six",
            """
            X . . X .
            . v . L .
            X . X . .
            . X . . .
            . . . . .""",
        ),
    ],
)
def test_vital_points(shape, text):
    assert vital(text) == "v"


@pytest.mark.small
@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (
            "four in a row lives",
            """
            . v . . L
            X X X X .
            . . . . .
            . . . . .
            . . . . .""",
        ),
        (
            "the square is dead",
            """
            . v L . .
            . . X . .
            X X . . .
            . . . . .
            . . . . .""",
        ),
        (
            "both colours touch",
            """
            . v . L .
            O X X . .
            . . . . .
            . . . . .
            . . . . .""",
        ),
    ],
)
def test_no_vital_point(shape, text):
    assert vital(text) is None
