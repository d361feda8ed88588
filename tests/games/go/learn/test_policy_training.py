"""Runs of policy learners: the same bits again, stopped and resumed, and refused where they should be."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from learners import leaves_of, positions
from naive.go import Go

from playout.errors import InputError
from playout.games.go.learn.policy_training import Lessons, PolicyPlan, PolicyRun, read_policy_run
from playout.games.go.memory.shapes import Shapes
from playout.games.go.memory.store import load
from playout.games.go.state import STATE
from playout.learn.balance import Balance
from playout.learn.regression import Regression
from playout.learn.two_step import Leaves

SHAPES = Shapes(side=3, sizes=(1, 2))


def lessons():
    """Four empty boards with made-up values, moves and leaves."""
    roots = np.repeat(positions(3, 1), 4)
    rows = leaves_of(Go(3), np.random.default_rng(1))
    first, second, value = (np.array(4 * list(column)) for column in zip(*rows, strict=True))
    leaves = Leaves(
        np.arange(5) * len(rows), first.astype(np.uint16), second.astype(np.uint16), np.array(value)
    )
    return Lessons(roots, np.array([0.2, 0.9, 0.5, 1.0]), np.array([42, 42, 21, 43], np.uint16), leaves)


def plan(learner, updates=40, **changes):
    return PolicyPlan(learner=learner, shapes=SHAPES, updates=updates, **changes)


LEARNERS = ["regression", "mm", "reinforce", "balance", "two-step"]


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_run_that_is_stopped_goes_on_as_if_nothing_had_been(learner, tmp_path):
    whole = PolicyRun(tmp_path / "whole", plan(learner), lessons()).train()
    run = PolicyRun(tmp_path / "parts", plan(learner), lessons())

    def stop(run):
        if run.updates >= 15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.train(stop)
    again = PolicyRun(tmp_path / "parts", plan(learner), lessons())
    assert 15 <= again.updates < 40
    again.train()
    assert np.array_equal(again.policy.theta, whole.policy.theta)
    assert np.any(whole.policy.theta != 0)
    longer = PolicyRun(tmp_path / "parts", plan(learner, 50), lessons()).train()
    assert longer.updates == 50


def test_what_a_run_leaves_behind(tmp_path):
    run = PolicyRun(tmp_path / "a", plan("reinforce", 2500), command="playout train …").train()
    weights = load(tmp_path / "a" / "weights.npz")
    assert weights.how["updates"] == 2500
    assert weights.how["command"] == "playout train …"
    assert json.loads((tmp_path / "a" / "weights.json").read_text())["how"]["learner"] == "reinforce"
    record = read_policy_run(tmp_path / "a")
    assert record.marks.tolist() == [0, 1000, 2000]
    assert not record.at(0).theta.any()
    assert np.any(record.at(1000).theta != record.at(2000).theta)
    assert record.weights.theta == pytest.approx(run.policy.theta)
    with pytest.raises(InputError, match="no weights of update 7"):
        record.at(7)


def test_cooling_belongs_to_a_number_of_updates(tmp_path):
    cool = Regression(cooling=True)
    run = PolicyRun(tmp_path / "a", plan("regression", 20, settings=cool), lessons()).train()
    assert run.weights().how["updates"] == 20
    with pytest.raises(InputError, match="cooled_at was 20 and is 30"):
        PolicyRun(tmp_path / "a", plan("regression", 30, settings=cool), lessons())


def test_weights_to_start_from(tmp_path):
    one = PolicyRun(tmp_path / "a", plan("regression"), lessons()).train()
    two = PolicyRun(tmp_path / "b", plan("balance", 3), lessons(), one.weights())
    assert two.policy.theta == pytest.approx(one.policy.theta)
    two.train()
    with pytest.raises(InputError, match=r"first was '.*' and is None"):
        PolicyRun(tmp_path / "b", plan("balance", 3), lessons())
    other = PolicyPlan(learner="balance", shapes=Shapes(side=4, sizes=(1, 2)))
    with pytest.raises(InputError, match="the first weights are of other features"):
        PolicyRun(tmp_path / "c", other, lessons(), one.weights())


def test_other_settings_or_data_are_refused_with_what_differs(tmp_path):
    PolicyRun(tmp_path / "a", plan("balance", 2), lessons()).train()
    with pytest.raises(InputError, match=r"m was 100 and is 50; n was 100 and is 20"):
        PolicyRun(tmp_path / "a", plan("balance", 2, settings=Balance(m=50, n=20)), lessons())
    less = Lessons(lessons().roots[:3], np.array([0.1, 0.2, 0.3]))
    with pytest.raises(InputError, match="data was"):
        PolicyRun(tmp_path / "a", plan("balance", 2), less)
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(InputError, match="not a run"):
        PolicyRun(tmp_path, plan("reinforce"))


def test_a_broken_checkpoint_is_refused(tmp_path):
    PolicyRun(tmp_path / "a", plan("reinforce")).train()
    path = tmp_path / "a" / "checkpoint.npz"
    path.write_bytes(path.read_bytes()[:400])
    with pytest.raises(InputError, match="cut short"):
        PolicyRun(tmp_path / "a", plan("reinforce"))


@pytest.mark.small
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"learner": "balanced"}, "there is no learner 'balanced'"),
        ({"learner": "balance", "updates": 0}, "updates: 0 is not a number from 1"),
        ({"learner": "balance", "seed": -1}, "seed"),
        ({"learner": "balance", "settings": Regression()}, "not settings of balance"),
    ],
)
def test_wrong_plans(wrong, words):
    with pytest.raises(InputError, match=words):
        PolicyPlan(**wrong)


def test_data_that_do_not_fit(tmp_path):
    good = lessons()
    with pytest.raises(InputError, match="no positions"):
        Lessons(np.zeros(0, STATE))
    with pytest.raises(InputError, match="4 positions and 3 values"):
        Lessons(good.roots, np.zeros(3))
    with pytest.raises(InputError, match="not between 0 and 1"):
        Lessons(good.roots, np.array([0.0, 1.0, 2.0, 0.5]))
    with pytest.raises(InputError, match="several sizes"):
        Lessons(np.concatenate([good.roots, positions(4, 1)]))
    with pytest.raises(InputError, match="of 3×3 boards, not 5×5"):
        PolicyRun(tmp_path / "a", PolicyPlan(learner="balance"), good)
    with pytest.raises(InputError, match="two-step needs values two moves later"):
        PolicyRun(tmp_path / "a", plan("two-step"), Lessons(good.roots, good.values))
    with pytest.raises(InputError, match="a data set or problems are needed"):
        PolicyRun(tmp_path / "a", plan("mm"))
    assert not (tmp_path / "a").exists()


def test_a_kill_loses_little(tmp_path):
    """kill -9 in the middle; the same command goes on, and ends as a run that was not disturbed."""
    code = (
        "from playout import runs\n"
        "from playout.games.go.learn import policy_training as t\n"
        "from playout.games.go.memory.shapes import Shapes\n"
        "runs.CHECKPOINT_SECONDS = 0.0; runs.PIECE_SECONDS = 0.001\n"
        "plan = t.PolicyPlan(learner='reinforce', shapes=Shapes(side=3, sizes=(1, 2)), updates=10**8)\n"
        f"t.PolicyRun({str(tmp_path / 'a')!r}, plan).train()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        until = time.monotonic() + 240
        while (
            time.monotonic() < until
            and process.poll() is None
            and not (
                (tmp_path / "a" / "checkpoint.npz").exists()
                and read_policy_run(tmp_path / "a").marks.size > 2
            )
        ):
            time.sleep(0.1)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    updates = PolicyRun(tmp_path / "a", plan("reinforce", 10**8)).updates + 100
    assert updates > 2000
    resumed = PolicyRun(tmp_path / "a", plan("reinforce", updates)).train()
    whole = PolicyRun(tmp_path / "b", plan("reinforce", updates)).train()
    assert np.array_equal(resumed.policy.theta, whole.policy.theta)
