"""Inner functions in kernels: every one is there, once, whoever calls it."""

import os
import subprocess
import sys

import numba
import pytest

from playout.kernel import inner, kernel
from playout.kernel.linking import InnerLibrary, callers_first

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled, nothing linked")


@inner
def deepest(x):
    if x > 100:
        raise ValueError("too deep", x)
    return 3 * x


@kernel
def beside(x):
    """A kernel that kernels call."""
    return deepest(x) + 1


@inner
def middle(x):
    return deepest(x) + beside(x)


@inner
def above(x):
    return middle(x) - deepest(x + 1)


@kernel
def whole(x):
    return above(x) + middle(x)


def plain(x):
    below_it = 3 * x
    middle_value = below_it + below_it + 1
    return middle_value - 3 * (x + 1) + middle_value


def test_a_kernel_has_all_that_it_calls():
    assert [whole(x) for x in range(5)] == [plain(x) for x in range(5)]
    assert beside(2) == 7


def test_inner_functions_have_no_machine_code():
    whole(1)
    (result,) = middle.overloads.values()
    assert isinstance(result.library, InnerLibrary)
    names = [function.name for function in result.library.get_defined_functions()]
    assert len(names) == 1
    assert "middle" in names[0]


def test_a_function_compiled_by_plain_numba_can_call_inner_ones():
    @numba.njit
    def foreign(x):
        return above(x) + middle(x)

    assert [foreign(x) for x in range(5)] == [plain(x) for x in range(5)]


def test_an_error_deep_inside_keeps_what_it_says():
    with pytest.raises(ValueError, match="too deep") as caught:
        whole(101)
    assert caught.value.args == ("too deep", 101)


def test_a_kernel_from_the_cache_is_whole_too(tmp_path):
    """The second process finds machine code only."""
    (tmp_path / "probe.py").write_text(
        "from playout.games.go.board import Board\n"
        "board = Board(5)\n"
        "board.play('C3')\n"
        "print(board.score(), len(board.legal_moves()))\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, str(tmp_path / "probe.py")],
            env={**os.environ, "PLAYOUT_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1] != ""


def test_callers_come_first():
    whole(1)
    (result,) = above.overloads.values()
    order = [library.name for library in callers_first([result.library])]
    position = {name: k for k, name in enumerate(order)}
    assert position["above"] < position["middle"] < position["deepest"]
