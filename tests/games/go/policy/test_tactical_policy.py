"""The tactical policy: each rule and all of them against the naive twin."""

import numpy as np
import pytest
from draw import board, empty_board, points, to_place
from hypothesis import given, settings
from hypothesis import strategies as st
from looks import suggestions
from naive import tactical as naive
from naive import tactics
from naive.go import Go

from playout.games.api import play
from playout.games.go.board import Board
from playout.games.go.policy import Tactical
from playout.games.go.state import PASS
from playout.kernel import new_rng
from playout.policy.api import begin, sample

NEVER = dict.fromkeys(naive.RULES, 0.0)
CASES = [*((rule,) for rule in naive.RULES), ("capture_last", "rescue"), naive.RULES]


def policy_for(state, rules):
    """A policy that always asks some rules and never the others, told where the simulation starts."""
    policy = Tactical(**{**NEVER, **dict.fromkeys(rules, 1.0)}).record()
    begin(policy[0], state)
    return policy


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(4, 7), st.sampled_from(CASES))
def test_policy_chooses_among_the_naive_moves(seed, side, rules):
    rng, dice = new_rng(seed), np.random.default_rng(seed)
    state, game, last = empty_board(side), Go(side), None
    policy = policy_for(state, rules)
    for _ in range(2 * side * side):
        if game.is_over():
            break
        answers = tactics.either_way(lambda: naive.policy_moves(game, last, rules))  # noqa: B023
        expected = set().union(*answers)
        if dice.random() < 0.3:
            found = suggestions(policy, state, rng, 25 * len(expected) + 25)
            assert found in answers or (answers[0] != answers[1] and found <= expected), str(game)
        move = int(sample(policy[0], state, rng[0]))
        if answers[0] == answers[1]:
            assert to_place(move) in expected, str(game)
        if dice.random() < 0.2 and game.legal_points():
            legal = game.legal_points()
            row, column = legal[int(dice.integers(len(legal)))]
            move = (row + 1) * 20 + column + 1
        last = to_place(move)
        play(state, move)
        game.play(last)


def answers_to(text, move, to_play, *rules):
    """What the policy answers to a move on a drawn board, as the names of points."""
    names = points(text)
    state = board(text, to_play)
    policy = policy_for(state, rules)
    play(state, names[move])
    found = suggestions(policy, state, new_rng(1), 300)
    by_place = {to_place(p): name for name, p in names.items()}
    return {by_place.get(place, place) for place in found}


def test_does_not_run_in_a_ladder_that_works():
    text = """
        . . . . . . .
        . . . . . . .
        . . O . . . .
        . O X r . . .
        . . m O . . .
        . . . . . . .
        . . . . . . ."""
    assert answers_to(text, "m", "O", "rescue") != {"r"}
    broken = text.replace(". . . . . . .\n        . . O", ". . . . . X .\n        . . O")
    assert answers_to(broken, "m", "O", "rescue") == {"r"}


def test_begins_a_ladder_that_works():
    text = """
        . . . . . . .
        . . . . . . .
        . . O . . . .
        . O m . . . .
        . . a O . . .
        . . . . . . .
        . . . . . . ."""
    assert answers_to(text, "m", "X", "attack") == {"a"}


def test_takes_the_vital_point():
    text = """
        . v . m .
        O O O . .
        . . . . .
        . . . . .
        . . . . ."""
    assert answers_to(text, "m", "O", "vital_points") == {"v"}


def test_captures_the_stone_just_played():
    text = """
        X m p . .
        . X . . .
        . . . . .
        . . . . .
        . . . . ."""
    assert answers_to(text, "m", "O", "capture_last") == {"p"}


def test_declines_to_capture_into_a_snapback():
    text = """
        O X m p O
        O X X X O
        . O O O .
        . . . . .
        . . . . ."""
    assert answers_to(text, "m", "O", "capture_last") != {"p"}


@pytest.mark.small
def test_chances_are_kept():
    """With a chance of a half a rule is obeyed in half of the cases."""
    text = """
        . . . . .
        . O X . .
        O X b . .
        . a . . .
        . . . . ."""
    names, state = points(text), board(text, "O")
    policy = Tactical(**{**NEVER, "rescue": 0.5}).record()
    begin(policy[0], state)
    play(state, names["b"])
    rng = new_rng(1)
    saved = sum(int(sample(policy[0], state, rng[0])) == names["a"] for _ in range(2000))
    assert 1000 < saved < 1200  # half of them, and one in eighteen of the others by chance


@pytest.mark.small
def test_a_suicide_leaves_nothing_to_answer():
    """Where the last stones have gone, rules that look at them would look at no stone."""
    game = Board(5, suicide=True)
    for vertex in ["E1", "C1", "A2", "E2", "A4", "E3", "B3", "D5", "D2", "D3", "A3", "C2"]:
        game.play(vertex)
    gone = [p for p in game.legal_moves() if p != PASS and not game.copy().play(p).color_at(p)]
    assert gone
    for p in gone:
        state = game.simulation_root()
        play(state[0], p)
        assert state["last"][0] == PASS
        policy = policy_for(state[0], naive.RULES)
        for seed in range(20):
            after = state.copy()
            move = int(sample(policy[0], after[0], new_rng(seed)[0]))
            assert game.copy().play(p).is_legal(move)
