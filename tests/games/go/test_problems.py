"""Problems from SGF: where the position is, which moves are right, who is winning."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playout.errors import InputError
from playout.games.go.coords import vertex
from playout.games.go.problems import problems
from playout.games.go.state import BLACK, WHITE
from playout.games.sgf_tree import Tree, trees


def only(text: str):
    [problem] = problems(text.encode())
    return problem


def right(text: str) -> list[str]:
    problem = only(text)
    return sorted(vertex(p, problem.board.size) for p in problem.right)


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("(;SZ[5]AB[bb]AW[cc];B[cb];W[dd])", ["C4"]),  # the main line
        ("(;SZ[5]AB[bb]AW[cc](;B[cb])(;B[dd]))", ["C4"]),  # the first variation
        ("(;SZ[5]AB[bb]AW[cc](;B[cb]BM[1])(;B[dd]))", ["D2"]),  # ... that is not bad
        ("(;SZ[5]AB[bb]AW[cc](;B[cb];W[dd])(;B[dd]C[RIGHT]))", ["D2"]),
        ("(;SZ[5]AB[bb]AW[cc](;B[cb];W[dd](;B[de])(;B[ed]C[Well done. RIGHT]))(;B[dd]))", ["C4"]),
        ("(;SZ[5]AB[bb]AW[cc](;B[cb]TE[1])(;B[dd]TE[2])(;B[ee]))", ["C4", "D2"]),
        ("(;SZ[5]AB[bb]AW[cc](;B[cb])(;B[dd]C[correct!]))", ["D2"]),
        ("(;SZ[5]AB[bb]AW[cc](;B[cb])(;B[dd]C[this is not correct; the right side]))", ["C4"]),
        ("(;SZ[5]AB[bb]AW[cc](;B[cb])(;B[dd]C[Incorrect]))", ["C4"]),
        ("(;SZ[5]AB[bb]AW[cc]PL[W](;W[])(;W[dd]C[RIGHT]))", ["D2"]),
        ("(;SZ[5]AB[bb]AW[cc]PL[W];W[])", ["pass"]),
        ("(;SZ[5];B[cc];W[bb](;B[dd])(;B[db]C[RIGHT]))", ["D4"]),  # a game: where it branches
    ],
)
def test_right_moves(text, moves):
    assert right(text) == moves


def test_the_side_to_play_is_that_of_the_answers():
    assert only("(;SZ[5]AB[bb]AW[cc](;W[cb])(;W[dd]))").board.to_play == WHITE
    assert only("(;SZ[5]AB[bb];B[cb])").board.to_play == BLACK
    assert only("(;SZ[5]AB[bb]AW[cc]PL[W](;B[cb])(;W[dd]))").board.to_play == WHITE
    assert right("(;SZ[5]AB[bb]AW[cc]PL[W](;B[cb])(;W[dd]))") == ["D2"]


@pytest.mark.parametrize(
    ("text", "value", "moves"),
    [
        ("(;SZ[5]AB[bb]AW[cc]GB[1])", 1.0, 0),
        ("(;SZ[5];B[cc];W[bb];B[dd]GW[2])", 0.0, 3),
        ("(;SZ[5];B[cc];W[bb]DM[1])", 0.5, 2),
    ],
)
def test_who_is_winning(text, value, moves):
    problem = only(text)
    assert (problem.value, problem.right, len(problem.board.moves)) == (value, (), moves)


def test_a_problem_may_have_both():
    problem = only("(;SZ[5]AB[bb]AW[cc]GB[1];B[cb])")
    assert problem.value == 1.0
    assert len(problem.right) == 1


def test_a_collection_has_many_problems():
    text = b"junk (;SZ[5]AB[bb];B[cb]) more junk\n(;SZ[9]AW[bb](;B[cb])(;B[dd])) (;SZ[5]AB[cc]GB[1]"
    assert [problem.board.size for problem in problems(text)] == [5, 9, 5]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"hello", "there is no game in the record"),
        (b"(;SZ[5]AB[bb])", "problem 1: there is no move that follows"),
        (b"(;SZ[5]AB[bb];B[cb])(;SZ[5]AB[zz];B[cb])", "problem 2: AB 'zz' is no point"),
        (b"(;SZ[5]AB[bb]AW[cc];B[bb])", "problem 1: the right move B4 is illegal"),
        (b"(;SZ[5]AB[bb]GB[1]GW[1])", "problem 1: it cannot be good for both"),
        (b"(;SZ[50]AB[bb];B[cb])", "problem 1: board size '50'"),
        (b"(;GM[2]SZ[5]AB[bb];B[cb])", "problem 1: the record is of game '2'"),
    ],
)
def test_wrong_problems_are_named(text, sentence):
    with pytest.raises(InputError, match=sentence):
        problems(text)


def test_deep_and_wide_trees_end(monkeypatch):
    deep = b"(;SZ[5]AB[bb]" + b"(;B[cb]" * 20_000 + b")" * 20_001
    assert len(problems(deep)) == 1
    wide = b"(;SZ[5]AB[bb]" + b"(;B[cb])" * 20_000 + b")"
    assert len(problems(wide)) == 1
    monkeypatch.setattr("playout.games.sgf_tree.MAX_TOKENS", 1000)
    with pytest.raises(InputError, match="more than 1000 names and values"):
        problems(wide)


@given(st.text(alphabet="();BWCAZS[]\\ab5\n T", max_size=60))
def test_anything_is_a_problem_or_one_sentence(text):
    with contextlib.suppress(InputError):
        found = problems(b"(;SZ[5]" + text.encode())
        assert all(problem.right or problem.value is not None for problem in found)


def test_trees_keep_variations():
    [tree] = trees("(;A[1];B[2](;C[3])(;D[4];E[5](;F[6])))")

    def shape(step: Tree) -> object:
        return ["".join(step.node), *map(shape, step.then)]

    assert shape(tree) == ["A", ["B", ["C"], ["D", ["E", ["F"]]]]]
