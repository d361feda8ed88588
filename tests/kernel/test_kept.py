"""Inner functions on disk: another kernel finds them and comes out the same; the unknown is not kept."""

import numba
import numpy as np
import pytest
from numba.core.compiler import Flags
from numba.core.registry import cpu_target
from test_kernel_cache import PLAY_TOY, TOY, cached_files, copy_sources, run

from playout.games.go.state import STATE
from playout.kernel import generic, kept
from playout.kernel.rng import mix

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled, nothing kept")

# Simulations of Go: how many inner functions were compiled for them, and the machine code, without the
# numbers that Numba gives.
SIMULATE = """
import json, re
import numpy as np
from playout.kernel import linking
compiled, keep = [], linking.InnerCompiler._keep
linking.InnerCompiler._keep = lambda *arguments: (compiled.append(arguments), keep(*arguments))
from playout.games.go.board import Board
from playout.games.go.policy import POLICIES
from playout.games.go.state import STATE
from playout.kernel import new_rng
from playout.search.simulation import evaluate
total, moves = evaluate(
    Board(3).simulation_root(), np.empty(1, STATE), POLICIES["uniform"]().record(), 200, new_rng(1))
(result,) = evaluate.overloads.values()
module = result.library._final_module
code = re.sub(r"v[0-9]+|Li[0-9]+E", "", result.library._codegen._tm.emit_assembly(module))
print(json.dumps({"total": total, "moves": moves, "compiled": len(compiled), "code": code}))
"""


def drop(folder, where):
    files = [path for path in cached_files(folder) if where(path)]
    for path in files:
        path.unlink()
    return len(files)


def is_kernel(path):
    return path.suffix in (".nbi", ".nbc")


def test_another_process_compiles_the_kernel_alone_and_it_is_the_same(tmp_path):
    sources = copy_sources(tmp_path)
    first = run(SIMULATE, tmp_path, sources)
    assert first["compiled"] > 15
    assert drop(tmp_path, is_kernel) > 0
    second = run(SIMULATE, tmp_path, sources)
    assert second["compiled"] == 0
    assert (second["total"], second["moves"]) == (first["total"], first["moves"])
    assert second["code"] == first["code"]


def test_a_missing_or_damaged_callee_is_compiled_again(tmp_path):
    sources = copy_sources(tmp_path)
    first = run(SIMULATE, tmp_path, sources)
    drop(tmp_path, is_kernel)
    for k, path in enumerate(cached_files(tmp_path)):
        if k % 3 == 0:
            path.unlink()
        elif k % 3 == 1:
            path.write_bytes(path.read_bytes()[:-40])
    second = run(SIMULATE, tmp_path, sources)
    assert second["total"] == first["total"]
    assert second["code"] == first["code"]
    assert 0 < second["compiled"] <= first["compiled"]
    drop(tmp_path, is_kernel)
    assert run(SIMULATE, tmp_path, sources)["compiled"] == 0


def test_functions_of_a_game_outside_are_not_kept(tmp_path):
    sources = copy_sources(tmp_path)
    (tmp_path / "toy.py").write_text("STEP = 1\n" + TOY)
    run(PLAY_TOY, tmp_path, sources)
    assert [path for path in cached_files(tmp_path) if b"toy" in path.read_bytes()] == []


class State:
    """What a pipeline knows of a function."""

    return_type, locals, targetctx = None, {}, cpu_target.target_context

    def __init__(self, *types):
        self.args, self.flags = types, Flags()


def key(function, *types):
    return kept.key_of(function, State(*types))


def closing_over(value):
    def ask(record):
        return value

    ask.__module__ = "playout.test"
    return ask


GO = numba.from_dtype(STATE)


def test_a_key_says_all_that_decides():
    values = (1, 1.0, True, "1", None, (1, 2), (1, (2,)), np.int8(1), np.uint8(1))
    closed = [closing_over(value) for value in values]
    closed += [closing_over(mix), closing_over(mix.py_func), closing_over(closed[0])]
    keys = [key(function, GO) for function in closed]
    keys += [key(mix.py_func, GO), key(mix.py_func, numba.int64)]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert key(closing_over(1), GO) == keys[0]
    before = State(GO)
    before.flags.boundscheck = True
    assert kept.key_of(closed[0], before) != keys[0]


def test_functions_in_one_line_are_told_apart():
    one, two = lambda x: x + 1, lambda x: x + 2  # fmt: skip
    one.__module__ = two.__module__ = "playout.test"
    assert key(one, GO) != key(two, GO)


@generic
def ask_it(state):
    """A generic function."""


@pytest.mark.parametrize("value", [[1], np.zeros(2), object(), ask_it, len, State, lambda: 1, (1, [2])])
def test_what_is_not_known_has_no_key(value):
    assert key(closing_over(value), GO) is None


def test_functions_that_are_handed_over_have_no_key():
    assert key(mix.py_func, numba.typeof(mix)) is None


def test_a_function_outside_has_no_key():
    assert key(drop, GO) is None
