"""Runs of training: the same bits again, stopped and resumed, and refused where they should be."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from playout.errors import Diverged, InputError
from playout.games.go.learn import training
from playout.games.go.learn.training import Plan, Run, command, exchange, is_snapshot, read_run
from playout.games.go.memory.shapes import Shapes
from playout.games.go.memory.store import load
from playout.memory.td import Learner

TINY = Plan(shapes=Shapes(side=4, sizes=(1, 2)), games=300)


def trained(folder, plan=TINY, **options):
    return Run(folder, plan, **options).train()


def test_the_same_seed_gives_the_same_bits(tmp_path):
    one, two = trained(tmp_path / "a"), trained(tmp_path / "b")
    assert np.array_equal(one.pairs, two.pairs)
    assert np.any(one.pairs != 0)
    other = trained(tmp_path / "c", Plan(shapes=TINY.shapes, games=300, seed=2))
    assert not np.array_equal(one.pairs, other.pairs)


def test_a_run_that_is_stopped_goes_on_as_if_nothing_had_been(tmp_path):
    whole = trained(tmp_path / "whole")
    run = Run(tmp_path / "parts", TINY)

    def stop(run):
        if run.games > 120:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.train(stop)
    assert 120 < Run(tmp_path / "parts", TINY).games < 300
    again = trained(tmp_path / "parts")
    assert np.array_equal(again.pairs, whole.pairs)
    assert again.games == 300
    assert np.array(again.curve)[:, :7] == pytest.approx(np.array(whole.curve)[:, :7])


def test_a_finished_run_can_be_made_longer(tmp_path):
    trained(tmp_path / "a")
    longer = trained(tmp_path / "a", Plan(shapes=TINY.shapes, games=500))
    whole = trained(tmp_path / "b", Plan(shapes=TINY.shapes, games=500))
    assert np.array_equal(longer.pairs, whole.pairs)


def test_what_a_run_leaves_behind(tmp_path):
    trained(tmp_path / "a")
    weights = load(tmp_path / "a" / "weights.npz")
    assert weights.how["games"] == 300
    assert weights.how["command"] == "playout train td --games 300 --size 4 --sizes 1,2 --seed 1"
    assert json.loads((tmp_path / "a" / "weights.json").read_text())["how"]["games"] == 300
    record = read_run(tmp_path / "a")
    assert [games for games, _ in record.snapshots()] == [100, 200]
    assert record.curve["games"].tolist() == [100, 200]
    assert np.all(record.curve["cross_entropy"] > 0)
    assert np.all((record.curve["strength"] >= 0) & (record.curve["strength"] <= 1))


def test_two_threads_learn_too(tmp_path):
    run = trained(tmp_path / "a", threads=2)
    assert run.games == 300
    assert np.any(run.pairs != 0)
    assert Run(tmp_path / "a", TINY, threads=1).games == 300  # another number of threads may go on


def test_what_threads_learn_is_added_up():
    shared = np.array([1.0, -1.0, 0.5, -0.5], np.float32)
    one, one_base, other, other_base = (shared.copy() for _ in range(4))
    one += np.float32(0.25)
    other[:2] += np.float32(2.0)
    exchange(one, one_base, shared)
    assert shared.tolist() == one.tolist() == one_base.tolist() == [1.25, -0.75, 0.75, -0.25]
    exchange(other, other_base, shared)
    exchange(one, one_base, shared)
    assert shared.tolist() == one.tolist() == other.tolist() == [3.25, 1.25, 0.75, -0.25]


def test_other_settings_are_refused_with_what_differs(tmp_path):
    trained(tmp_path / "a")
    other = Plan(shapes=TINY.shapes, games=300, learner=Learner(alpha=0.2, plies=1))
    with pytest.raises(InputError, match=r"alpha was 0\.1 and is 0\.2; plies was 2 and is 1"):
        Run(tmp_path / "a", other)


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(InputError, match="not a run"):
        Run(tmp_path, TINY)
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]
    with pytest.raises(InputError, match="not a run"):
        Run(tmp_path / "note.txt", TINY)


def test_a_broken_checkpoint_is_refused(tmp_path):
    trained(tmp_path / "a")
    path = tmp_path / "a" / "checkpoint.npz"
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(InputError, match="cut short"):
        Run(tmp_path / "a", TINY)
    with pytest.raises(InputError, match="no checkpoint"):
        read_run(tmp_path)


def test_weights_that_diverge_are_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "DIVERGED", 0.01)
    with pytest.raises(Diverged, match="diverged after"):
        trained(
            tmp_path / "a", Plan(shapes=TINY.shapes, games=300, learner=Learner(alpha=5.0, rule="linear"))
        )


def test_it_learns_something(tmp_path):
    run = trained(tmp_path / "a", Plan(shapes=Shapes(side=5), games=2000))
    assert run.strength() > 0.7


def test_a_trial_is_always_the_same(tmp_path):
    # What older runs have in their curves: who goes on with one measures as it did.
    run = Run(tmp_path / "a", Plan(shapes=Shapes(side=5), games=1))
    assert [run.strength(games) for games in (10, 200, 1000)] == [0.6, 0.29, 0.303]


def test_a_kill_loses_little(tmp_path):
    """kill -9 in the middle; the same command goes on, and ends as a run that was not disturbed."""
    code = (
        "from playout import runs; from playout.games.go.learn import training\n"
        "from playout.games.go.memory.shapes import Shapes\n"
        "runs.CHECKPOINT_SECONDS = 0.0; runs.PIECE_SECONDS = 0.001\n"
        "plan = training.Plan(shapes=Shapes(side=4, sizes=(1, 2)), games=1_000_000)\n"
        f"training.Run({str(tmp_path / 'a')!r}, plan).train()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        until = time.monotonic() + 240
        path = tmp_path / "a" / "checkpoint.npz"
        while time.monotonic() < until and not (
            path.exists() and read_run(tmp_path / "a").curve["games"].size > 1
        ):
            time.sleep(0.1)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    run = Run(tmp_path / "a", Plan(shapes=TINY.shapes, games=1_000_000))
    assert run.games >= 200
    games = run.games + 100
    resumed = Run(tmp_path / "a", Plan(shapes=TINY.shapes, games=games)).train()
    whole = trained(tmp_path / "b", Plan(shapes=TINY.shapes, games=games))
    assert np.array_equal(resumed.pairs, whole.pairs)


@pytest.mark.small
def test_the_command_says_what_differs_from_the_defaults():
    plan = Plan(
        shapes=Shapes(side=7, sharing="independent", colour="own", stage=8),
        learner=Learner(rule="nonlinear", alpha=0.5, lam=0.2, traces="replacing"),
        games=10,
        komi=0.5,
        seed=3,
    )
    assert command(plan) == (
        "playout train td --games 10 --size 7 --sharing independent --colour own --stage 8 --rule nonlinear "
        "--alpha 0.5 --lambda 0.2 --traces replacing --komi 0.5 --seed 3"
    )


@pytest.mark.small
def test_where_snapshots_are_kept():
    assert [games for games in range(3000) if is_snapshot(games)] == [100, 200, 500, 1000, 2000]


@pytest.mark.small
@pytest.mark.parametrize("wrong", [{"games": 0}, {"seed": -1}, {"komi": float("nan")}])
def test_wrong_plans(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        Plan(**wrong)
