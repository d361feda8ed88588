"""MoGo's rules: the compiled policy against its naive twin, rule by rule and in whole games."""

import numpy as np
import pytest
from draw import board, empty_board, points, to_place
from hypothesis import given, settings
from hypothesis import strategies as st
from looks import draw_many, suggestions
from naive import mogo as naive
from naive.go import Go

from playout.games.api import play
from playout.games.go.policy import Mogo, patterns
from playout.games.go.state import look_around
from playout.kernel import kernel, new_rng
from playout.policy.api import begin, sample

SETTINGS = [
    {},
    {"hopeless_saves": True, "pattern_self_atari": True},
    {"random_self_atari": False},
    {"saves": False},
    {"patterns": False},
    {"captures": False},
]


@kernel
def look(states, p):
    return look_around(states[0], np.uint32(p))


def policy_for(state, **changes):
    """A policy that has been told where the simulation starts."""
    policy = Mogo(**changes).record()
    begin(policy[0], state)
    return policy


def moves_after(text, move, to_play, **changes):
    """What the policy answers to a move on a drawn board, as the names of points."""
    names = points(text)
    state = board(text, to_play)
    policy = policy_for(state, **changes)
    play(state, names[move])
    found = suggestions(policy, state, new_rng(1), 200)
    by_place = {to_place(p): name for name, p in names.items()}
    return {by_place.get(place, place) for place in found}


def test_extends_a_stone_in_atari():
    text = """
        . . . . .
        . O X . .
        O X b . .
        . a . . .
        . . . . ."""
    assert moves_after(text, "b", "O") == {"a"}


def test_saves_by_extending_or_capturing_the_attacker():
    text = """
        c O X e .
        O X b . .
        . d . . .
        . . . . .
        . . . . ."""
    # b puts two black stones into atari; c takes the white stone that attacks both.
    assert moves_after(text, "b", "O") == {"c", "d", "e"}


def test_a_hopeless_stone_is_not_saved():
    text = """
        X b . . .
        a O . . .
        O . . . .
        . . . . .
        . . . . ."""
    # After White takes b, Black at a would still have no liberty of its own.
    assert "a" not in moves_after(text, "b", "O")


def test_captures_when_there_is_no_local_answer():
    text = """
        X O . . . . .
        c . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . a
        . . . . . . ."""
    assert moves_after(text, "a", "X", patterns=False) == {"c"}


def test_answers_a_pass_with_a_capture():
    text = """
        O X . . .
        c . . . .
        . . . . .
        . . . . .
        . . . . ."""
    state = board(text, "O")
    policy = policy_for(state)
    play(state, 0)
    assert suggestions(policy, state, new_rng(1), 50) == {to_place(points(text)["c"])}


def test_pattern_table_is_the_drawings():
    """Every view of a point that random positions show, looked up and matched by hand."""
    rng = np.random.default_rng(5)
    table = patterns.table()
    seen = set()
    matched = 0
    for _ in range(400):
        side = int(rng.integers(3, 7))
        game = Go(side)
        state = empty_board(side)
        for place in game.board:
            mark = rng.choice(list("XO..."))
            game.board[place] = str(mark)
            state.color[(place[0] + 1) * 20 + place[1] + 1] = ".XO".index(mark)
        for place, mark in game.board.items():
            code = int(look(np.array([state]), (place[0] + 1) * 20 + place[1] + 1))
            if mark != "." or code in seen:
                continue
            seen.add(code)
            for player in (1, 2):
                expected = naive.is_pattern(game, place, ".XO"[player])
                assert bool(table[code] >> player & 1) == expected, (game, place, player)
                matched += expected
    assert len(seen) > 1500
    assert matched > 200


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(3, 9), st.sampled_from(SETTINGS))
def test_policy_chooses_among_the_naive_moves(seed, side, changes):
    """A game of the policy against itself, every choice compared; sometimes a random move intervenes."""
    rng = new_rng(seed)
    dice = np.random.default_rng(seed)
    state = empty_board(side)
    game = Go(side)
    policy = policy_for(state, **changes)
    last = None
    for _ in range(2 * side * side):
        if game.is_over():
            break
        expected = naive.mogo_moves(game, last, **changes)
        if dice.random() < 0.3:
            assert suggestions(policy, state, rng, 25 * len(expected) + 25) == expected
            # A policy that starts here knows the same ataris as one that came along.
            fresh = policy_for(state, **changes)
            assert suggestions(fresh, state, rng, 25 * len(expected) + 25) == expected
        move = int(sample(policy[0], state, rng[0]))
        assert to_place(move) in expected
        if dice.random() < 0.2 and game.legal_points():
            legal = game.legal_points()
            row, column = legal[int(dice.integers(len(legal)))]
            move = (row + 1) * 20 + column + 1
        last = to_place(move)
        play(state, move)
        game.play(last)


def test_choices_are_equally_likely():
    state = empty_board(5)
    policy = policy_for(state)
    policies = np.array([policy[0], policy[0]], policy.dtype)
    chosen = np.zeros(50_000, np.int64)
    draw_many(policies, np.zeros(1, state.dtype), state, new_rng(3), chosen)
    counts = np.unique(chosen, return_counts=True)[1]
    assert counts.size == 25
    assert ((counts - 2000) ** 2 / 2000).sum() < 52.6  # chi-square, 24 degrees, p = 0.0006


@pytest.mark.parametrize("side", [2, 3, 9, 19])
def test_whole_playouts_end(side):
    from playout.games.go.board import Board
    from playout.search.simulation import evaluate

    root = Board(side).simulation_root()
    total, moves = evaluate(root, np.zeros_like(root), Mogo().record(), 200, new_rng(1))
    assert 0 <= total <= 200
    assert moves >= 200
