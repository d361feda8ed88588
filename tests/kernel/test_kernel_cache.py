"""Machine code kept between processes: found again, never stale, and no trouble when it is broken.

Each test runs scripts in processes of their own, with a cache folder of its own.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import playout
from playout.cli import main
from playout.kernel import cache

SOURCES = Path(playout.__file__).parent

# A light kernel of the package: what it gives, and whether it came from the cache.
SCORE = """
import json
import numpy as np
from playout.games.go.rules import area_score
from playout.games.go.state import STATE, reset
board = np.zeros(1, STATE)
reset(board[0], 3)
board["margin"] = 5  # as if Black had put five stones
area, stats = int(area_score(board[0])), area_score.stats
print(json.dumps({"area": area, "hits": sum(stats.cache_hits.values()),
                  "misses": sum(stats.cache_misses.values())}))
"""

# An algorithm of the package, specialised for Go and a policy.
EVALUATE = """
import json
import numpy as np
from playout.games.go.board import Board
from playout.games.go.state import STATE
from playout.kernel import new_rng
from playout.games.go.policy import POLICIES
from playout.search.simulation import evaluate
total, moves = evaluate(
    Board(3).simulation_root(), np.empty(1, STATE), POLICIES["uniform"]().record(), 200, new_rng(1))
stats = evaluate.stats
print(json.dumps({"total": total, "moves": moves, "hits": sum(stats.cache_hits.values()),
                  "misses": sum(stats.cache_misses.values())}))
"""

# A game and a policy that are not the package's: take stones from a pile; who takes the last wins.
TOY = """
import numpy as np
from playout.games import api as game
from playout.kernel import below, implements, record_type
from playout.policy import api as policy

PILE = record_type([("stones_left", "i4"), ("taker", "u1"), ("moves", "u4")])
GREEDY = record_type([("most_taken", "u1")])

@implements(game.play, PILE)
def _(state, action):
    state.stones_left -= STEP * action
    state.taker = 3 - state.taker
    state.moves += 1

@implements(game.is_over, PILE)
def _(state):
    return state.stones_left <= 0

@implements(game.outcome, PILE)
def _(state):
    return 1.0 if state.taker == 2 else 0.0

@implements(policy.begin, GREEDY)
def _(player, state):
    pass

@implements(policy.sample, GREEDY)
def _(player, state, rng):
    return 1 + below(rng, player.most_taken)
"""

PLAY_TOY = """
import json
import numpy as np
import toy
from playout.kernel import new_rng
from playout.search.simulation import evaluate
pile, hand = np.zeros(1, toy.PILE), np.zeros(1, toy.GREEDY)
pile["stones_left"], pile["taker"], hand["most_taken"] = 60, 1, 1
total, moves = evaluate(pile, pile.copy(), hand, 10, new_rng(1))
print(json.dumps({"total": total, "moves": moves, "hits": sum(evaluate.stats.cache_hits.values())}))
"""


def start(script: str, folder: Path, sources: Path | None = None, **variables: str) -> subprocess.Popen:
    """A process that runs a script with a cache in a folder, and the package from a copy of its sources."""
    path = folder / "script.py"
    path.write_text(script)
    environment = {
        **os.environ,
        "PLAYOUT_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": str(sources or SOURCES.parent),
        "PYTHONDONTWRITEBYTECODE": "1",  # an edit within the clock's tick must not go unseen
        **variables,
    }
    environment.pop("NUMBA_DISABLE_JIT", None)
    return subprocess.Popen(
        [sys.executable, str(path)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen) -> dict:
    """What the script found."""
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return json.loads(out)


def run(script: str, folder: Path, sources: Path | None = None, **variables: str) -> dict:
    return finish(start(script, folder, sources, **variables))


def cached_files(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "cache").rglob("*") if path.is_file())


def copy_sources(folder: Path) -> Path:
    target = folder / "sources"
    shutil.copytree(SOURCES, target / "playout", ignore=shutil.ignore_patterns("__pycache__"))
    return target


def test_specialised_code_is_found_again_by_the_next_process(tmp_path):
    sources = copy_sources(tmp_path)  # nobody edits these while the test runs
    first, second = run(EVALUATE, tmp_path, sources), run(EVALUATE, tmp_path, sources)
    assert (first["hits"], first["misses"]) == (0, 1)
    assert (second["hits"], second["misses"]) == (1, 0)
    assert second["total"] == first["total"]


def test_an_edited_callee_in_another_file_changes_what_a_kernel_does(tmp_path):
    sources = copy_sources(tmp_path)
    before = run(EVALUATE, tmp_path, sources)
    assert 0 < before["total"] < 200
    rules = sources / "playout" / "games" / "go" / "rules.py"
    edited, count = re.subn(
        r'(\ndef area\(board\):\n    """[^"]*"""\n)', r"\1    return np.int64(100)\n", rules.read_text()
    )
    assert count == 1, "the callee that this test edits has another shape"
    rules.write_text(edited)
    after = run(EVALUATE, tmp_path, sources)
    assert after["hits"] == 0
    assert after["total"] == 200, "old machine code was run: with 100 points more Black always wins"


def test_editing_a_game_outside_the_package_never_runs_old_code(tmp_path):
    sources = copy_sources(tmp_path)
    for step, moves in ((1, 600), (2, 300), (3, 200)):
        (tmp_path / "toy.py").write_text(f"STEP = {step}\n" + TOY)
        assert run(PLAY_TOY, tmp_path, sources) == {
            "total": 0.0 if moves // 10 % 2 == 0 else 10.0,
            "moves": moves,
            "hits": 0,
        }
    assert [path for path in cached_files(tmp_path) if "evaluate" in path.name] == []
    assert [path for path in cached_files(tmp_path) if "toy" in path.name] == []


def test_a_game_outside_leaves_the_packages_own_code_cached(tmp_path):
    sources = copy_sources(tmp_path)
    (tmp_path / "toy.py").write_text("STEP = 1\n" + TOY)
    run(SCORE, tmp_path, sources)
    assert run("import toy\n" + SCORE, tmp_path, sources)["hits"] == 1


def test_processes_that_fill_one_empty_cache_do_not_disturb_each_other(tmp_path):
    sources = copy_sources(tmp_path)
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    shared = str(tmp_path / "cache")
    both = [start(SCORE, folder, sources, PLAYOUT_CACHE_DIR=shared) for folder in folders]
    assert [finish(process)["area"] for process in both] == [5, 5]
    third = run(SCORE, tmp_path, sources)
    assert (third["area"], third["hits"], third["misses"]) == (5, 1, 0)


def test_damaged_files_count_as_absent_and_are_replaced(tmp_path):
    sources = copy_sources(tmp_path)
    run(SCORE, tmp_path, sources)
    for damage in ("emptied", "cut", "junk"):
        files = cached_files(tmp_path)
        assert files
        for path in files:
            data = path.read_bytes()
            path.write_bytes(
                {"emptied": b"", "cut": data[: len(data) // 2], "junk": b"\x80junk" * 40}[damage]
            )
        damaged, repaired = run(SCORE, tmp_path, sources), run(SCORE, tmp_path, sources)
        assert (damaged["area"], damaged["hits"]) == (5, 0)
        assert (repaired["area"], repaired["hits"]) == (5, 1)


def test_a_folder_that_cannot_be_written_means_compiling_every_time(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    found = run(SCORE, tmp_path, PLAYOUT_CACHE_DIR=str(tmp_path / "file" / "cache"))
    assert (found["area"], found["hits"]) == (5, 0)


def test_the_folder_is_named_by_all_sources(tmp_path):
    def name() -> str:
        script = "import json; from playout.kernel import cache; print(json.dumps(cache.directory().name))"
        return str(run(script, tmp_path, sources))

    sources = copy_sources(tmp_path)
    before = name()
    assert name() == before
    note = sources / "playout" / "policy" / "note.py"
    note.write_text("# an edit anywhere\n")
    assert name() != before
    note.unlink()
    assert name() == before


@pytest.mark.small
def test_pruning_keeps_the_newest_three_and_what_is_in_use(tmp_path):
    current = tmp_path / "kernels-current"
    current.mkdir()
    now = time.time()
    for hours in range(1, 8):
        old = tmp_path / f"kernels-{hours}"
        old.mkdir()
        (old / "code.nbc").write_bytes(b"x")
        os.utime(old, (now - 7200 * hours, now - 7200 * hours))
    in_use = tmp_path / "kernels-in-use"
    in_use.mkdir()
    (tmp_path / "something-else").mkdir()
    cache.prune(current)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"kernels-current", "kernels-in-use", "kernels-1", "something-else"}
    assert len([name for name in left if name.startswith("kernels-")]) == cache.KEEP


@pytest.mark.small
def test_pruning_never_takes_a_folder_that_was_used_within_the_hour(tmp_path):
    for k in range(6):
        (tmp_path / f"kernels-{k}").mkdir()
    cache.prune(tmp_path / "kernels-0")
    assert len(list(tmp_path.iterdir())) == 6


@pytest.mark.small
def test_numbas_own_setting_is_left_alone():
    import numba

    import playout.search.flat  # noqa: F401 - has kernels

    assert os.environ.get("NUMBA_CACHE_DIR", "") == numba.config.CACHE_DIR


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path):
    (tmp_path / "file").write_text("in the way")
    script = (
        EVALUATE
        + "\nfrom playout.games.go.rules import area_score\narea_score(Board(3).simulation_root()[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PLAYOUT_CACHE_DIR": str(tmp_path / "file" / "below")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["hits"] == 0
    assert done.stderr.count("cannot be kept in") == 1
    assert "PLAYOUT_CACHE_DIR=FOLDER names a folder that can be written" in done.stderr


def test_a_full_disk_is_said_once(monkeypatch, capsys):
    cache.warn.cache_clear()
    kept = cache.KernelCache.__new__(cache.KernelCache)

    def full(self, sig, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.FunctionCache, "save_overload", full)
    kept.save_overload((), None)
    kept.save_overload((), None)
    assert capsys.readouterr().err.count("cannot be kept in") == 1
    cache.warn.cache_clear()


def test_warming_up_what_cannot_be_kept_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(cache, "directory", lambda: None)
    assert main(["warmup"]) == 1
    assert "nothing was compiled: compiled code cannot be kept in" in capsys.readouterr().err
