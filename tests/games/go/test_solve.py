"""The solver: known values, and the values of a slow search that remembers nothing but the history."""

import itertools
import random
import threading
import time

import pytest
from draw import to_place, to_point
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import solve as naive
from naive.go import BLACK, PASS, WHITE, Go

from playout.errors import InputError
from playout.games.go import kept
from playout.games.go.board import Board
from playout.games.go.coords import vertex
from playout.games.go.solve import Solver, solve, solve_many

PATIENCE = 3000
SHARED = {side: Solver(side, memory=20) for side in (2, 3)}  # their proofs come from all histories


def names(points, side):
    return [vertex(p, side) for p in points]


def random_game(side, seed, length, passes=0.1):
    """The same random game on a slow board and on ours, and the positions of the slow one."""
    dice = random.Random(seed)
    game, board = Go(side, ko="positional"), Board(side)
    history = ["".join(game.board.values())]
    for _ in range(length):
        points = game.legal_points()
        if not points or dice.random() < passes:
            if game.passes:
                break
            point = PASS
        else:
            point = dice.choice(points)
        game.play(point)
        board.play(0 if point is PASS else to_point(*point))
        history.append("".join(game.board.values()))
    return game, board, history


def slow_values(game, history, patience):
    """The value of every move, by the slow search without shortcuts."""
    solver = naive.Solver(patience, safe=False)
    other = "O" if game.to_play == BLACK else "X"
    ended = naive.area(history[-1]) if game.passes else None
    seen = frozenset(history)
    values = {PASS: solver.value(history[-1], other, seen, True) if ended is None else ended}
    for point, after in naive.moves(history[-1], game.to_play):
        if after not in seen:
            values[point] = solver.value(after, other, seen | {after})
    return values


def check_against_slow_values(board, values, solution):
    best = max(values.values()) if board.to_play == 1 else min(values.values())
    assert solution.value == best
    assert {to_place(p) for p in solution.moves} == {move for move, value in values.items() if value == best}
    check_line(board, solution)


def check_line(board, solution):
    """The line is legal, ends the game, and the score then is the value."""
    end = board.copy()
    for point in solution.line:
        end.play(point)
    assert end.is_over
    assert end.area() == solution.value


# -- known values -------------------------------------------------------------------------------------


@pytest.mark.small
def test_two_by_two_is_worth_one_point():
    found = solve(Board(2, komi=0.5), memory=1)
    assert (found.value, found.lower, found.upper, found.result) == (1, 1, 1, "B+0.5")
    assert len(found.moves) == 4
    check_line(Board(2), found)


def test_three_by_three_is_worth_all_nine_points():
    began = time.process_time()
    found = solve(Board(3))
    assert time.process_time() - began < 20  # compiled in between; by itself a hundredth of a second
    assert found.value == 9
    assert names(found.moves, 3) == ["B2"]
    check_line(Board(3), found)


@pytest.mark.parametrize(("first", "value"), [("B2", 9), ("A2", 3), ("A1", -9)])
def test_first_moves_on_three_by_three(first, value):
    """Known since Tromp: the centre takes all, the side 3 points, the corner loses all."""
    assert solve(Board(3).play(first)).value == value


def test_four_by_four_is_worth_two_points():
    found = solve(Board(4))
    assert found.value == 2
    assert names(found.moves, 4) == ["B3", "C3", "B2", "C2"]
    check_line(Board(4), found)


# -- against the slow search --------------------------------------------------------------------------


def legal_boards(side):
    for colors in itertools.product(".XO", repeat=side * side):
        board = "".join(colors)
        game = naive.stand(board, BLACK)
        if all(liberties for _, liberties in game.chains()):
            yield board


def test_every_position_of_two_by_two():
    """With no history but itself, for both colours to play."""
    checked = 0
    for text in legal_boards(2):
        for to_play in (BLACK, WHITE):
            board = Board(2)
            stones = {
                color: [to_point(k // 2, k % 2) for k in range(4) if text[k] == color] for color in "XO"
            }
            board.set_up(stones["X"], stones["O"], "B" if to_play == BLACK else "W")
            game = naive.stand(text, to_play)
            values = slow_values(game, [text], 10**7)
            check_against_slow_values(board, values, SHARED[2].solve(board))
            checked += 1
    assert checked == 2 * 57


@given(st.integers(0, 2**32), st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_two_by_two_after_any_history(seed, length):
    game, board, history = random_game(2, seed, length)
    assume(not board.is_over)
    values = slow_values(game, history, 10**7)
    check_against_slow_values(board, values, SHARED[2].solve(board))


@given(st.integers(0, 2**32), st.integers(6, 80))
@settings(max_examples=60, deadline=None)
def test_three_by_three_after_any_history(seed, length):
    game, board, history = random_game(3, seed, length)
    assume(not board.is_over)
    try:
        values = slow_values(game, history, PATIENCE)
    except naive.TooLong:
        assume(False)
    check_against_slow_values(board, values, SHARED[3].solve(board))


@given(st.integers(0, 2**32), st.integers(20, 100), st.sampled_from([2, 3]))
@settings(max_examples=60, deadline=None)
def test_all_games_that_can_be_played(seed, length, side):
    """Plain minimax over every game, without a cut, where there are few enough of them."""
    game, board, history = random_game(side, seed, length, passes=0.02)
    assume(not board.is_over)
    try:
        value = naive.Solver(PATIENCE).minimax(
            history[-1], game.to_play, frozenset(history), bool(game.passes)
        )
    except naive.TooLong:
        assume(False)
    assert SHARED[side].solve(board, moves=False, line=False).value == value
    assert solve(board, memory=1, moves=False, line=False).value == value


def test_history_decides():
    """The same position is worth more to White after a game in which Black may not retake."""
    differ = 0
    for seed in range(60):
        _, board, _ = random_game(2, seed, 12, passes=0.2)
        if board.is_over:
            continue
        fresh = Board(2).set_up(board.stones("B"), board.stones("W"), board.to_play)
        differ += solve(board, memory=1).value != solve(fresh, memory=1).value
    assert differ > 0


@given(st.integers(0, 2**32), st.integers(10, 60))
@settings(max_examples=20, deadline=None)
def test_symmetric_positions_are_worth_the_same(seed, length):
    """Turned by a quarter, and with colours exchanged."""
    _, board, _ = random_game(3, seed, length)
    assume(not board.is_over)
    turned, exchanged = Board(3), Board(3)
    for color, point in board.moves:
        place = to_place(point)
        turned.play(0 if place is None else to_point(place[1], 2 - place[0]), color)
        exchanged.play(point, 3 - color)
    value = solve(board, memory=1).value
    assert solve(turned, memory=1).value == value
    assert SHARED[3].solve(exchanged).value == -value


def test_what_is_held_for_sure_changes_no_value():
    """Late positions of 4×4 with and without the shortcut of `bits.secure`."""
    fast, plain = Solver(4, memory=50), Solver(4, memory=50, nodes=200_000)
    plain._prover["plain"] = 1
    compared = saved = 0
    for seed in range(30):
        _, board, _ = random_game(4, seed, 60, passes=0)
        slow = plain.solve(board, moves=False, line=False)
        if slow.solved:
            quick = fast.solve(board, moves=False, line=False)
            assert quick.value == slow.value
            compared += 1
            saved += quick.nodes < slow.nodes
    assert compared > 12
    assert saved > compared / 2


# -- late positions of larger boards ------------------------------------------------------------------

LATE_5 = """
    . X O . .
    X X O O O
    . X X O .
    X X O O .
    . X X O ."""
LATE_6 = """
    . X X O O .
    X X . X O O
    X . X X O .
    . X X O O O
    X X O O . O
    . X . O O ."""


@pytest.mark.parametrize("drawing", [LATE_5, LATE_6])
@pytest.mark.parametrize("to_play", ["B", "W"])
def test_late_positions_to_the_end(drawing, to_play):
    board = Board.from_text(drawing, to_play)
    found = solve(board, nodes=2_000_000)
    assert found.solved
    check_line(board, found)
    # Nobody does better by a move and best play after it.
    sign = 1 if to_play == "B" else -1
    solver = Solver(board.size, memory=100)
    values = {}
    for p in board.legal_moves():
        values[p] = solver.solve(board.copy().play(p), moves=False, line=False).value
    assert max(sign * value for value in values.values()) == sign * found.value
    assert {p for p, value in values.items() if value == found.value} == set(found.moves)


# -- the ends of a search -----------------------------------------------------------------------------


def test_a_finished_game_is_counted():
    found = solve(Board(5).play("C3").play("pass").play("pass"))
    assert (found.value, found.moves, found.line) == (25, (), ())


def test_after_a_pass_the_other_pass_ends_the_game():
    found = solve(Board(2).play("A1").play("pass"), memory=1)
    assert (found.value, found.line) == (4, (0,))
    assert 0 in found.moves


def test_a_node_limit_gives_bounds():
    found = solve(Board(5), nodes=2000)
    assert not found.solved
    assert (found.value, found.moves, found.line, found.result) == (None, (), (), "")
    assert found.lower < found.upper
    assert found.nodes <= 2000
    assert found.facts()["value"] is None


def test_a_limit_is_enough_or_not():
    need = solve(Board(3), moves=False, line=False).nodes
    assert solve(Board(3), nodes=10 * need, moves=False, line=False).value == 9
    assert solve(Board(3), nodes=need // 2, moves=False, line=False).value is None


def test_at_least():
    solver = Solver(3, memory=1)
    assert solver.at_least(Board(3), 9) is True
    after = Board(3).play("A1")
    assert solver.at_least(after, -9) is True
    assert solver.at_least(after, -8) is False
    limited = Solver(5, memory=1, nodes=100)
    assert limited.at_least(Board(5), 5) is None


def test_who_wins_may_be_known_before_the_value():
    board = Board(2, komi=0.5)
    assert solve(board, memory=1).black_wins == 1.0
    board.komi = 1
    assert solve(board, memory=1).black_wins == 0.5
    board.komi = 1.5
    assert solve(board, memory=1).black_wins == 0.0
    assert solve(Board(5), nodes=100).black_wins is None


@pytest.mark.parametrize(
    ("komi", "winner"), [(-4.5, 1), (-4, 1), (0.5, 1), (1, 0.5), (1.5, 0), (3.5, 0), (4, 0), (4.5, 0), (9, 0)]
)
def test_the_winner_is_found_without_the_value(komi, winner):
    assert Solver(2, memory=1).winner(Board(2, komi)) == winner


def test_the_winner_of_other_games():
    over = Board(2, 3.5).play("A1").play("pass").play("pass")
    assert Solver(2, memory=1).winner(over) == 1
    assert Solver(5, memory=1, nodes=50).winner(Board(5, 0)) is None
    for seed in range(30):
        _, board, _ = random_game(3, seed, 16)
        for komi in (-2, 0.5, 3):
            board.komi = komi
            if not board.is_over:
                assert SHARED[3].winner(board) == SHARED[3].solve(board).black_wins


def test_progress_is_told():
    told = []
    solve(Board(4), nodes=500_000, memory=20, progress=lambda solver: told.append(solver.nodes))
    assert told == sorted(told)
    assert len(told) >= 2


def test_a_search_can_be_stopped_from_another_thread():
    solver = Solver(5, memory=50)
    timer = threading.Timer(0.5, solver.stop)
    timer.start()
    began = time.monotonic()
    found = solver.solve(Board(5))
    assert not found.solved
    assert time.monotonic() - began < 20


def test_memory_is_kept_to():
    assert Solver(4, memory=10).bytes <= 10_000_000
    assert Solver(4, memory=100).bytes > 30_000_000
    assert Solver(4, memory=1000, nodes=1000).bytes < 2_000_000


def test_a_small_table_gives_the_same_value():
    """Proofs that make room for others are found again."""
    solver = Solver(3, memory=1)
    solver._entries = solver._entries[:64].copy()
    assert solver.solve(Board(3)).value == 9


@pytest.mark.parametrize("threads", [1, 2])
def test_many_positions_in_their_order(threads):
    boards = [random_game(3, seed, 14, passes=0)[1] for seed in range(12)]
    boards.insert(5, Board(5))
    found = list(solve_many(boards, nodes=20_000, memory=20, threads=threads))
    alone = [solve(board, nodes=20_000, moves=False, line=False) for board in boards]
    assert [solution.value for solution in found] == [solution.value for solution in alone]
    assert [solution.nodes for solution in found] == [solution.nodes for solution in alone]
    assert found[5].value is None
    assert sum(solution.solved for solution in found) >= 10


def test_many_positions_may_be_left_in_the_middle():
    boards = (Board(5) for _ in itertools.count())
    found = solve_many(boards, nodes=2_000, memory=20, threads=2)
    assert [next(found).solved for _ in range(3)] == [False] * 3
    found.close()


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (Board(9), "a board of 9×9 is too large to be solved; the limit is 7×7"),
        (Board(5), "25 empty points, and more than 16"),
        (Board(3, superko="situational"), "positional superko without suicide"),
        (Board(3, superko="simple"), "positional superko without suicide"),
        (Board(3, suicide=True), "positional superko without suicide"),
    ],
)
def test_refusals(board, message):
    with pytest.raises(InputError, match=message):
        solve(board)


def test_wrong_limits():
    with pytest.raises(InputError, match="0 nodes"):
        solve(Board(3), nodes=0)
    with pytest.raises(InputError, match="0 megabytes"):
        solve(Board(3), memory=0)


def test_entries_are_as_small_as_they_look():
    assert kept.ENTRY.itemsize <= 80
