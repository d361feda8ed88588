"""MANGO's heuristic against its naive twin, and the order it gives the children of a node."""

import numpy as np
import pytest
from draw import to_place, to_point
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.go import Go
from naive.urgency import urgency

from playout.games.go.board import Board
from playout.games.go.policy import Uniform
from playout.games.go.prior.urgency import Urgency
from playout.search.mcts import Selection, TreeSearch

SETTINGS = [
    {"capture_value": 5000.0, "escape_value": 500.0, "pattern_exponent": 1.0},
    {"capture_value": 7509.0, "escape_value": 911.0, "pattern_exponent": 0.7},
]


def children(board, selection, **changes):
    search = TreeSearch(selection, Uniform(), Urgency(**changes), nodes=1000, seed=1)
    search.start(board.simulation_root(), board.candidates())
    return search.children()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(5, 9), st.integers(0, 45), st.sampled_from(SETTINGS))
def test_the_prior_is_the_urgency_relative_to_the_highest(seed, side, moves, changes):
    dice = np.random.default_rng(seed)
    board, game, last = Board(side, superko="simple"), Go(side), None
    for _ in range(min(moves, side * side)):
        legal = [point for point in game.policy_moves() if point is not None]
        if not legal:
            break
        last = legal[int(dice.integers(len(legal)))]
        game.play(last)
        board.play(to_point(*last))
    nodes = children(board, Selection(), **changes)
    expected = {place: urgency(game, place, last, changes) for place in [*game.policy_moves(), None]}
    highest = max(expected.values())
    assert nodes.size == len(expected)
    for node in nodes:
        value = expected[to_place(int(node["action"]))] / highest
        assert float(node["prior"]) == pytest.approx(value, rel=1e-4), str(game)


def test_children_are_sorted_where_the_tree_widens():
    board = Board(9).play("C3").play("D3").play("D4")
    plain, sorted_ = children(board, Selection()), children(board, Selection(pw_initial=5))
    assert sorted_["prior"].tolist() == sorted(plain["prior"].tolist(), reverse=True)
    assert dict(zip(plain["action"], plain["prior"], strict=True)) == dict(
        zip(sorted_["action"], sorted_["prior"], strict=True)
    )


def test_a_capture_comes_first():
    board = Board.from_text(
        """
        . . . . . . .
        . . X O . . .
        . X O . . . .
        . . X O . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .""",
        to_play="X",
    )
    assert to_place(int(children(board, Selection(pw_initial=1))["action"][0])) == (2, 3)
