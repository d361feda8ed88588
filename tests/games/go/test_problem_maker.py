"""Problems: exactly one move wins, by plain minimax too; none twice; what cannot be used is named."""

import json

import pytest
from draw import to_point
from naive.solve import Solver, TooLong, moves

from playout.cli import main
from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.problem_maker import Making, check, make, winning_moves
from playout.games.go.problem_set import (
    load_problems,
    problem_set,
    read_problems,
    shipped_path,
    symmetry_key,
)
from playout.games.go.problems import problems
from playout.games.go.solve import Solver as ExactSolver


@pytest.mark.parametrize(("side", "count"), [(4, 300), (5, 50)])
def test_the_shipped_problems_are_many_and_different(side, count):
    said = []
    found = load_problems(f"problems-{side}", side, said.append)
    assert len(found) >= count
    assert said == []
    assert set(found.roots["komi"]) == {0.0}
    assert set(found.roots["to_play"]) == {1}


def test_the_shipped_problems_have_one_answer():
    """A sample by the solver; the emptier ones take it a second each."""
    solver = ExactSolver(4, memory=50)
    named = read_problems(shipped_path("problems-4"))
    for _, problem in named[::16]:
        assert check(problem.board, problem.right[0], solver) == ""


def test_a_sample_is_solved_by_plain_minimax_too():
    """Every line to its end with superko, no knowledge; those that take too long are passed over."""
    solved = 0
    for _, problem in read_problems(shipped_path("problems-4")):
        board = problem.board
        if int(board.record["n_empty"][0]) > 4 or solved == 12:
            continue
        text = as_text(board)
        wins = []
        try:
            for point, after in moves(text, "X"):
                plain = Solver(patience=20_000, safe=False)
                if plain.black_wins(after, "O", frozenset((text, after)), 0.0):
                    wins.append(to_point(*point))
            plain = Solver(patience=20_000, safe=False)
            assert not plain.black_wins(text, "O", frozenset((text,)), 0.0, passed=True)
        except TooLong:
            continue
        assert wins == [problem.right[0]]
        solved += 1
    assert solved >= 8


def as_text(board):
    """The points row by row."""
    places = [(row + 1) * 20 + column + 1 for row in range(4) for column in range(4)]
    return "".join(".XO"[board.color_at(p)] for p in places)


def test_the_same_command_goes_on_and_another_is_refused(tmp_path):
    making = Making(size=3, tries=2)
    whole = make(tmp_path / "whole", making, 4)
    first = make(tmp_path / "parts", making, 2)
    more = make(tmp_path / "parts", making, 4)
    assert [p.name for p in first] == [p.name for p in whole[:2]]
    assert [p.read_text() for p in more] == [p.read_text() for p in whole]
    with pytest.raises(InputError, match="made with seed=1 and not 2"):
        make(tmp_path / "parts", Making(size=3, tries=2, seed=2), 4)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="exists and is not a folder of problems"):
        make(tmp_path / "mine", making, 1)
    boards = [problem.board for path in whole for _, problem in read_problems(path)]
    assert len({symmetry_key(board) for board in boards}) == 4
    record = whole[0].read_text()
    assert "SO[playout problems make --size 3 --seed 1 --tries 2]" in record
    assert "TE[1]" in record


GOOD = "(;SZ[4]KM[0]AB[ba][bb]AW[ca][cb];B[cc])"
TURNED = "(;SZ[4]KM[0]AB[ab][bb]AW[ac][bc];B[cc])"
SWAPPED = "(;SZ[4]KM[0]PL[W]AW[ba][bb]AB[ca][cb];W[cc])"
SEVERAL = "(;SZ[4]KM[0]AB[ba]AW[ca](;B[cc]TE[1])(;B[dd]TE[1]))"
LARGER = "(;SZ[5]KM[0]AB[ba]AW[ca];B[cc])"
ILLEGAL = "(;SZ[4]AB[aa][ab]AW[ba][bb][ac];B[cc])"
NO_MOVE = "(;SZ[4]AB[aa]GB[1])"
A_PASS = "(;SZ[4]AB[aa];B[])"


def test_what_cannot_be_learnt_from_is_named_and_left_out(tmp_path):
    path = tmp_path / "many.sgf"
    path.write_text("".join([GOOD, TURNED, SWAPPED, SEVERAL, LARGER, ILLEGAL, NO_MOVE, A_PASS]))
    said = []
    found = load_problems(path, None, said.append)
    assert found.names == ("many.sgf 1",)
    for words, part in zip(
        said,
        [
            "many.sgf 6 is left out: the chain at",
            "many.sgf 2 is left out: it is many.sgf 1 again",
            "many.sgf 3 is left out: it is many.sgf 1 again",
            "many.sgf 4 is left out: it has no unique right move",
            "many.sgf 5 is left out: its board is 5×5 and not 4×4",
            "many.sgf 7 is left out: it has no unique right move",
            "many.sgf 8 is left out: its right move is no point",
        ],
        strict=True,
    ):
        assert part in words
    with pytest.raises(InputError, match="the problems are of 4×4, 5×5 boards, not 6×6"):
        load_problems(path, 6)
    path.write_text(SEVERAL)
    with pytest.raises(InputError, match="no problem can be learnt from"):
        load_problems(path)
    with pytest.raises(InputError, match="there is no such file"):
        load_problems(tmp_path / "none.sgf")
    path.write_text("not SGF")
    with pytest.raises(InputError, match="many"):
        load_problems(path)
    with pytest.raises(InputError, match="liberty"):
        problems(ILLEGAL.encode())


def test_questions_of_a_regression_file_are_problems_too(tmp_path):
    path = tmp_path / "some.tst"
    path.write_text("boardsize 4\nplay black B4\nplay white C4\n10 reg_genmove black\n#? [C2]\n")
    found = load_problems(path)
    assert found.right == ((2 * 20 + 20 + 3,),)


def test_wrong_problems_are_told_apart_by_the_solver(capsys, tmp_path):
    path = tmp_path / "two.sgf"
    path.write_text("(;SZ[3]KM[0]AB[ba][bb][bc]AW[ca];B[cb])")
    assert main(["problems", "check", str(path), "--json"]) == 1
    facts = json.loads(capsys.readouterr().out)
    assert facts["usable"] == 1
    assert "win" in facts["wrong"][0]


def test_winning_moves_of_a_won_position_are_several():
    board = Board(3, 0.0).set_up(["A1", "B1", "A2", "B2"], ["C3"], "B")
    assert len(winning_moves(board, ExactSolver(3, memory=10)) or []) == 2


@pytest.mark.small
def test_wrong_settings_and_empty_sets():
    with pytest.raises(InputError, match="size"):
        Making(size=9)
    with pytest.raises(InputError, match="there is none"):
        problem_set([])
