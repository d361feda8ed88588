"""What is said of compilations: only when there are any, and never in the way."""

import io
import sys

import numba
import pytest

from playout.games.go.board import Board
from playout.kernel import cache
from playout.kernel.progress import Compiled, compile_progress
from playout.search.flat import rollouts

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


def fresh():
    """A function that nobody has compiled, with a callee."""

    @numba.njit
    def callee(x):
        return x + 1

    @numba.njit
    def _fresh_kernel(x):
        return callee(x) * 2

    return _fresh_kernel


def test_nothing_is_said_where_nothing_is_compiled(capsys):
    function = fresh()
    function(1)
    with compile_progress() as so_far:
        function(2)
    assert so_far == Compiled()
    assert capsys.readouterr().err == ""


def test_lines_where_there_is_no_terminal(capsys):
    with compile_progress() as so_far:
        fresh()(1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("compiling (in every run): fresh_kernel … 0.0 s\n")
    assert (so_far.kernels, so_far.functions) == (1, 2)
    assert so_far.seconds > 0


def test_a_caller_may_show_it_by_itself(capsys):
    told = []
    with compile_progress(told.append) as so_far:
        fresh()(1)
        fresh()(1)
    assert told == ["compiling (in every run): fresh_kernel", None] * 2
    assert (so_far.kernels, so_far.lost) == (2, 2)
    assert capsys.readouterr().err == ""


def test_of_two_blocks_in_each_other_the_inner_one_shows(capsys):
    outer, inner = [], []
    with compile_progress(outer.append) as all_of_it:
        fresh()(1)
        with compile_progress(inner.append):
            fresh()(1)
        fresh()(1)
    assert (len(outer), len(inner)) == (4, 2)
    assert all_of_it.kernels == 3


def test_only_what_is_kept_is_said_to_be_compiled_once(monkeypatch):
    board = numba.typeof(Board(5).record)
    assert cache.is_kept(rollouts, (board,))
    assert not cache.is_kept(fresh(), (board,))  # not ours: Numba keeps it nowhere
    monkeypatch.setattr(cache, "_foreign", {board.dtype})
    assert not cache.is_kept(rollouts, (board,))  # somebody's game, which may change without our seeing it


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_moving_line_on_a_terminal(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with compile_progress():
        fresh()(1)
    assert "compiling (in every run): fresh_kernel" in screen.getvalue()


def test_a_closed_stderr_does_not_stop_a_compilation(monkeypatch):
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    with pytest.raises(ValueError, match="closed"):
        closed.isatty()
    with compile_progress():
        assert fresh()(1) == 4


def test_a_failed_compilation_is_counted_and_raised():
    @numba.njit
    def wrong(x):
        return x.nothing

    with compile_progress() as so_far, pytest.raises(numba.core.errors.TypingError):
        wrong(1)
    assert so_far.kernels == 1
    with compile_progress() as so_far:
        fresh()(1)
    assert so_far.kernels == 1
