"""UCT finds what exact search finds: Go on 2×2 and 3×3, with positional superko.

Inside simulations only the simple ko is known, so positions are left out here where the earlier ones of
the game decide: those whose values change when the history is forgotten.
"""

import random
from functools import cache

import numpy as np
import pytest
from draw import to_place, to_point
from naive import solve
from naive.go import BLACK, PASS, Go
from naive.solve import Solver, TooLong

from playout.games.go.board import Board
from playout.games.go.policy import Uniform
from playout.search.mcts import Even, Selection, TreeSearch

EMPTY_2, EMPTY_3 = "." * 4, "." * 9


def opened(point):
    """3×3 after a first move, and its history."""
    after = dict(solve.moves(EMPTY_3, BLACK))[point]
    return after, "O", frozenset([EMPTY_3, after])


def test_two_by_two_is_worth_one_point():
    assert Solver().value(EMPTY_2, BLACK, frozenset([EMPTY_2])) == 1


def test_three_by_three_is_worth_all_nine_points():
    """All for Black from the centre, the known value; and all for White after a first move in the corner."""
    assert Solver().black_wins(*opened((1, 1)), komi=8.5)
    assert not Solver().black_wins(*opened((0, 0)), komi=-8.5)


def test_safe_points_change_no_value(monkeypatch):
    """Counting what is alive for ever only saves time."""
    values = Solver().values(EMPTY_2, BLACK, frozenset([EMPTY_2]))
    monkeypatch.setattr(solve, "safe", lambda board, color: 0)
    assert Solver().values(EMPTY_2, BLACK, frozenset([EMPTY_2])) == values


def random_game(side, seed, lengths):
    """Random moves that fill no eye: the moves, the game, and its positions."""
    dice = random.Random(seed)
    game, moves = Go(side, ko="positional"), []
    history = ["".join(game.board.values())]
    for _ in range(dice.randint(*lengths)):
        points = [point for point in game.legal_points() if not game.is_eye(point, game.to_play)]
        if not points:
            break
        moves.append(dice.choice(points))
        game.play(moves[-1])
        history.append("".join(game.board.values()))
    return moves, game, history


@cache
def solved(side, count, lengths):
    """Positions from random games in which moves differ in value: the moves so far and the values."""
    found, seed = [], 0
    while len(found) < count:
        seed += 1
        moves, game, history = random_game(side, seed, lengths)
        try:
            values = Solver(5_000).values(history[-1], game.to_play, frozenset(history))
            forgotten = Solver(5_000).values(history[-1], game.to_play, frozenset(history[-1:]))
        except TooLong:
            continue
        # A simple ko is known to simulations; longer repetitions are not.
        same = all(forgotten[move] == value for move, value in values.items())
        if len(set(values.values())) > 1 and same and (moves, values) not in found:
            found.append((moves, values))
    return found


def choose(moves, side, komi, simulations):
    """UCT's move after some moves, as row and column."""
    board = Board(side, komi=komi)
    for point in moves:
        board.play(to_point(*point))
    search = TreeSearch(Selection(exploration=0.7), Uniform(), Even(), nodes=300_000, seed=1)
    search.start(board.simulation_root(), board.legal_moves())
    search.run(simulations)
    children = search.children()
    return to_place(int(children["action"][np.argmax(children["visits"])]))


@pytest.mark.parametrize(("side", "count", "lengths"), [(2, 12, (0, 5)), (3, 60, (3, 9))])
def test_uct_finds_the_best_moves_of_solved_positions(side, count, lengths):
    for moves, values in solved(side, count, lengths):
        black = len(moves) % 2 == 0
        best = max(values.values()) if black else min(values.values())
        komi = best - 0.5 if black else best + 0.5  # won with the best moves, lost with all others
        chosen = choose(moves, side, komi, 5000)
        assert values[chosen] == best, (moves, chosen, values)


def test_uct_opens_in_the_centre_of_three_by_three():
    assert choose([], 3, 8.5, 40_000) == (1, 1)


def test_uct_punishes_an_opening_in_the_corner():
    """White then gets all nine points, from the centre."""
    after, to_play, history = opened((0, 0))
    centre = dict(solve.moves(after, to_play))[1, 1]
    assert not Solver().black_wins(centre, BLACK, history | {centre}, komi=-8.5)
    assert choose([(0, 0)], 3, -8.5, 40_000) == (1, 1)


def test_uct_does_not_pass_on_two_by_two():
    """Black wins by a point with any stone, and loses by one with a pass."""
    assert Solver().values(EMPTY_2, BLACK, frozenset([EMPTY_2]))[PASS] == -1
    assert choose([], 2, 0.5, 20_000) is not PASS
