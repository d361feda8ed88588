"""TD(λ) with a network against its naive twin, targets of rollouts and replies, and runs that are stopped."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from checkers import side, state_of
from naive import network as naive

from playout.errors import Diverged, InputError
from playout.games import api
from playout.games.backgammon.learn.from_rollouts import (
    BEARING_OFF,
    FAR_BACK,
    RACE,
    USUAL,
    RolloutPlan,
    RolloutRun,
    choose,
    kinds_of,
    states_of,
)
from playout.games.backgammon.learn.self_play import SelfPlayPlan, SelfPlayRun
from playout.games.backgammon.memory.shipped import load_network, record_of, shipped
from playout.games.backgammon.policy.linear import linear_record
from playout.games.backgammon.rules import EVENTS
from playout.games.backgammon.state import START, STATE, start
from playout.kernel import clone, kernel, new_rng
from playout.learn import td_network
from playout.learn.rollout_targets import by_best_replies, by_returns, by_rollouts, positions_of_games
from playout.memory.archives import read_arrays
from playout.memory.network import LANES, MOST_INPUTS, best_action, encode, tensors, widened
from playout.memory.network_files import Network

OLD_RUNS = Path(__file__).parents[1] / "golden" / "runs"


@kernel
def _learn_game(networks, positions, last, alpha, lam, target, experience):
    td_network.learn_game(networks[0], positions, last, alpha, lam, target, experience)


@kernel
def _encode(networks, states, x):
    encode(networks[0], states[0], x)


@kernel
def _best(networks, states, rng):
    return best_action(networks[0], states[0], rng[0])


def copied(name):
    """A network of the package whose weights may be changed."""
    net = shipped(name)
    return Network(**{**net.__dict__, "weights": net.weights.copy()})


def other_side(y):
    return np.array([1 - y[0], y[3], y[4], y[1], y[2]])


def some_positions(net, count):
    states = np.zeros(count, STATE)
    positions_of_games(
        record_of(net), start(), np.zeros(1, STATE), np.zeros(1, np.float32), 3, new_rng(1), states
    )
    return states


def test_a_game_is_learnt_from_as_the_forward_view_says():
    alpha, lam = 0.01, 0.6
    net = copied("td10")
    record, rng = record_of(net), new_rng(3)
    positions = [start()]
    while not api.is_over(positions[-1][0]):
        state = clone(positions[-1])
        api.roll(state[0], rng[0])
        api.play(state[0], int(_best(record, state, rng)))
        positions.append(state)
    last = len(positions) - 1
    arrays = {name: room.astype(float) for name, room in net.arrays().items()}
    end = np.zeros(5)
    api.tally(positions[-1][0], end)
    end = end if positions[-1]["turn"][0] == 1 else other_side(end)
    inputs = []
    for state in positions[:-1]:
        x = np.zeros(MOST_INPUTS, np.float32)
        _encode(record, state, x)
        inputs.append(x[: net.inputs].astype(float))

    said = {}
    for t, target in naive.returns([lambda t=t: said[t] for t in range(last)], end, lam, other_side):
        said[t] = naive.outputs(arrays, inputs[t])
        moved = naive.step(arrays, inputs[t], target, alpha)
        arrays = moved
    _learn_game(
        record,
        np.concatenate(positions),
        last,
        alpha,
        lam,
        np.zeros(LANES, np.float32),
        np.zeros(3),
    )
    for name, room in net.arrays().items():
        assert room == pytest.approx(arrays[name], abs=2e-4), name
    assert not np.array_equal(net.weights, shipped("td10").weights)


def test_replies_are_the_mean_over_rolls_of_the_best():
    net = shipped("td10")
    record, rng = record_of(net), new_rng(1)
    states = some_positions(net, 3)
    targets = np.zeros((3, LANES), np.float32)
    by_best_replies(record, states, np.zeros(1, STATE), np.zeros(EVENTS), rng, targets)
    for state, target in zip(states.reshape(-1, 1), targets, strict=True):
        chances, wanted = np.zeros(EVENTS), np.zeros(5)
        for event in range(api.chances(state[0], chances)):
            after = clone(state)
            api.happen(after[0], event)
            api.play(after[0], int(_best(record, after, rng)))
            x = np.zeros(MOST_INPUTS, np.float32)
            _encode(record, after, x)
            wanted += chances[event] * other_side(naive.outputs(net.arrays(), x[: net.inputs].astype(float)))
        assert target[:5] == pytest.approx(wanted, abs=1e-4)


def test_rollouts_of_one_step_are_replies():
    net = shipped("td10")
    states = some_positions(net, 5)
    found = np.zeros((2, 5, LANES), np.float32)
    work, room = np.zeros(1, STATE), np.zeros(EVENTS)
    by_best_replies(record_of(net), states, work, room, new_rng(1), found[0])
    trials = 36 if not states["opening"].any() else 36 * 5  # each roll as often as it comes
    by_rollouts(record_of(net), states, work, room, trials, 1, new_rng(1), found[1])
    assert found[0] == pytest.approx(found[1], abs=1e-4)


def test_returns_correct_replies_by_what_is_found_later():
    net, lam, length = shipped("td10"), 0.6, 4
    roots = np.concatenate([start(), start()])
    states, found = np.zeros(10, STATE), np.zeros((10, LANES), np.float32)
    work, room, said = np.zeros(2, STATE), np.zeros(EVENTS), np.zeros((10, LANES), np.float32)
    by_returns(record_of(net), roots, length, lam, work, room, new_rng(1), said, states, found)
    replies = np.zeros((10, LANES), np.float32)
    by_best_replies(record_of(net), states, work, room, new_rng(1), replies)
    wanted = np.zeros((10, 5))
    for first in (0, 4, 8):  # three games: each begins at a root, the last one has no room for more
        assert states[first] == start()[0]
        for t in reversed(range(first, min(first + length, 10))):
            x = np.zeros(MOST_INPUTS, np.float32)
            _encode(record_of(net), states[t : t + 1], x)
            y = naive.outputs(net.arrays(), x[: net.inputs].astype(float))
            assert said[t, :5] == pytest.approx(y, abs=1e-4)
            wanted[t] = replies[t, :5]
            if t + 1 < min(first + length, 10):
                assert states[t]["turn"] != states[t + 1]["turn"]
                later = said[t + 1, :5].astype(float)
                wanted[t] += lam * (other_side(wanted[t + 1]) - other_side(later))
    assert found[:, :5] == pytest.approx(wanted, abs=1e-4)
    assert np.abs(found - replies).max() > 1e-3


def test_a_wider_network_says_the_same():
    net = shipped("td10")
    weights = widened(net.weights, net.inputs, 10, 24, np.random.default_rng(1))
    wide = Network(**{**net.__dict__, "hidden": 24, "weights": weights})
    states, work, room = some_positions(net, 4), np.zeros(1, STATE), np.zeros(EVENTS)
    found = np.zeros((2, 4, LANES), np.float32)
    for each, target in zip((net, wide), found, strict=True):
        by_best_replies(record_of(each), states, work, room, new_rng(1), target)
    assert found[0] == pytest.approx(found[1], abs=1e-5)
    assert tensors(weights, net.inputs, 24)["W"][:, 10:24].any()  # and the new units can learn


def test_positions_come_back_from_their_checkers():
    states = some_positions(shipped("lin3"), 50)
    again = states_of(states["points"], states["turn"])
    assert np.array_equal(again["held"], states["held"])
    assert np.array_equal(again["made"], states["made"])


def test_rare_kinds_of_positions_are_learnt_from_too():
    side_off = side(p1=2, p5=3, p6=4)  # six are off
    boards = {
        RACE: (side_off, side(p1=5, p6=10)),
        USUAL: (START, START),
        FAR_BACK: (side(p24=4, p13=5, p6=6), side(p13=5, p8=5, p6=5)),
        BEARING_OFF: (side_off, side(p23=2, p6=5, p5=5, p4=3)),
    }
    states = np.concatenate([state_of(board) for board in boards.values()])
    assert kinds_of(states).tolist() == list(boards)
    many = np.repeat(states, [500, 400, 60, 40])
    chosen = choose(many, 100, np.random.default_rng(1))
    assert np.bincount(kinds_of(chosen)).tolist() == [5, 40, 25, 30]
    few = choose(np.repeat(states, [500, 400, 0, 0]), 100, np.random.default_rng(1))
    assert len(few) == 100


class Stopped(Exception):
    pass


def stop_after(count):
    calls = 0

    def progress(run):
        nonlocal calls
        calls += 1
        if calls == count:
            raise Stopped

    return progress


def test_a_run_of_self_play_goes_on_where_it_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("playout.games.backgammon.learn.self_play.PIECE", 5)
    plan = SelfPlayPlan(hidden=10, games=20)
    whole = SelfPlayRun(tmp_path / "whole", plan).train()
    with pytest.raises(Stopped):
        SelfPlayRun(tmp_path / "part", plan).train(stop_after(2))
    part = SelfPlayRun(tmp_path / "part", plan)
    assert part.games == 10
    part.train()
    assert part.network.weights.tobytes() == whole.network.weights.tobytes()
    made = load_network(tmp_path / "part" / "weights.npz")
    assert made.how["command"].startswith("playout train backgammon --encoding rich --hidden 10")
    with pytest.raises(InputError, match="other settings: hidden was 10 and is 16"):
        SelfPlayRun(tmp_path / "part", SelfPlayPlan(hidden=16, games=20))


def test_a_run_from_rollouts_goes_on_where_it_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("playout.games.backgammon.learn.from_rollouts.PIECE", 20)
    plan = RolloutPlan(hidden=10, teacher="td10", rounds=3, positions=60, epochs=2, last_epochs=2)
    whole = RolloutRun(tmp_path / "whole", plan, threads=2).train()
    with pytest.raises(Stopped):
        RolloutRun(tmp_path / "part", plan).train(stop_after(6))  # three pieces and a round, then two
    part = RolloutRun(tmp_path / "part", plan).train()
    assert part.network.weights.tobytes() == whole.network.weights.tobytes()
    made = load_network(tmp_path / "part" / "weights.npz")
    assert made.how["first_teacher"] == shipped("td10").how


def test_runs_of_older_versions_go_on(tmp_path, monkeypatch):
    """Folders of half a run each, as they were written before runs had one engine."""
    shutil.copytree(OLD_RUNS, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr("playout.games.backgammon.learn.self_play.PIECE", 10)
    monkeypatch.setattr("playout.games.backgammon.learn.from_rollouts.PIECE", 20)
    small = {"encoding": "raw", "hidden": 1, "outputs": 1}
    plan = RolloutPlan(teacher="td10", rounds=2, positions=40, epochs=2, last_epochs=2, **small)
    played = SelfPlayRun(tmp_path / "self-play", SelfPlayPlan(games=40, **small))
    learnt = RolloutRun(tmp_path / "rollouts", plan)
    assert (played.games, learnt.rounds) == (20, 1)
    for run in (played, learnt):
        facts, arrays = read_arrays(OLD_RUNS / run.folder.name / "checkpoint.npz")
        assert run.seconds == facts["seconds"]
        now_facts, now = run.state()
        assert {**now_facts, "plan": run.plan_facts(), "seconds": run.seconds} == facts
        assert now.keys() == arrays.keys()
        assert all(now[name].tobytes() == arrays[name].tobytes() for name in now)
        run.train()
        load_network(run.folder / "weights.npz")
    assert (played.games, learnt.rounds) == (40, 2)


def test_weights_that_diverge_are_not_saved(tmp_path, monkeypatch):
    monkeypatch.setattr("playout.games.backgammon.learn.self_play.PIECE", 5)
    monkeypatch.setattr("playout.games.backgammon.learn.run.DIVERGED", 0.3)
    plan = SelfPlayPlan(encoding="raw", hidden=1, outputs=1, games=100, alpha=5.0, last_alpha=5.0)
    with pytest.raises(Diverged, match="a smaller alpha is needed"):
        SelfPlayRun(tmp_path / "run", plan).train()
    assert SelfPlayRun(tmp_path / "run", plan).games < 100


def test_a_run_learns_from_the_positions_of_another(tmp_path):
    facts = {"hidden": 10, "teacher": "td10", "positions": 500, "epochs": 2, "last_epochs": 2}
    RolloutRun(tmp_path / "first", RolloutPlan(rounds=2, **facts)).train()
    source = str(tmp_path / "first")
    second = RolloutRun(tmp_path / "second", RolloutPlan(rounds=2, source=source, **facts)).train()
    assert not list((tmp_path / "second").glob("round-*"))
    # the same positions, the same seed: the same network as the one that made them
    assert (
        second.network.weights.tobytes() == load_network(tmp_path / "first" / "weights.npz").weights.tobytes()
    )
    how = load_network(tmp_path / "second" / "weights.npz").how
    assert [made["positions"] for made in how["positions_made_by"]] == [500]
    assert how["source"] == "first"
    with pytest.raises(InputError, match="has 2 rounds and not 3"):
        RolloutRun(tmp_path / "third", RolloutPlan(rounds=3, source=source, **facts))
    both = RolloutPlan(rounds=4, source=f"{source},{source}", **facts)
    assert RolloutRun(tmp_path / "third", both).train().rounds == 4
    with pytest.raises(InputError, match="there is no run"):
        RolloutRun(tmp_path / "fourth", RolloutPlan(rounds=2, source=str(tmp_path / "none"), **facts))


def test_both_kinds_of_targets_learn(tmp_path):
    plan = RolloutPlan(
        hidden=10, teacher="td10", rounds=1, positions=500, targets="rollouts", trials=2, steps=2
    )
    run = RolloutRun(tmp_path / "run", plan).train()
    assert run.error < 0.5
    plan = RolloutPlan(encoding="raw", hidden=0, outputs=1, teacher="td10", rounds=2, positions=500)
    linear = RolloutRun(tmp_path / "linear", plan).train()
    assert linear.error < 1
    plan = RolloutPlan(
        hidden=16, teacher="td10", begin="teacher", rounds=1, positions=500, targets="returns", balanced=False
    )
    assert "--lambda 0.7" in RolloutRun(tmp_path / "returns", plan).train().weights().how["command"]
    with pytest.raises(InputError, match="the network cannot begin as"):
        RolloutRun(tmp_path / "smaller", RolloutPlan(hidden=9, teacher="td10", begin="teacher"))
    assert linear_record(linear.weights())["sums"].any()  # lin1 can play by it
    with pytest.raises(InputError, match="one with 5 outputs is needed"):
        RolloutRun(tmp_path / "other", RolloutPlan(teacher="lin3"))
    with pytest.raises(InputError, match="there is no weight file"):
        RolloutRun(tmp_path / "other", RolloutPlan(teacher="none.npz"))
