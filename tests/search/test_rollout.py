"""Rollouts as a whole: who makes the trials does not matter, means are right, who is dropped is told."""

import pickle
import subprocess
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from dice_race import RACE, Racer

from playout.errors import InputError
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.policy.linear import Lin1
from playout.games.registry import find_game
from playout.player.api import Onlooker
from playout.player.registry import make_player, player_table
from playout.policy.random import Random
from playout.search import rollout as module
from playout.search.rollout import Job, Rollout, RolloutSettings, make_piece, seen_by_other, strata_of

PLAIN = RolloutSettings(trials=2000, stratified=False, confidence=None)


def rolled(position, base=None, settings=PLAIN, seed=1, helpers=None):
    found = Rollout(
        position.game,
        position.simulation_root(),
        position.candidates(),
        base or Random(),
        settings,
        seed,
        helpers,
    )
    found.run()
    return found


@cache
def win(left, other, squares):
    """The chance to win the dice race of who is to move, if both throw or walk at random."""

    def after(step):
        return 1.0 if left <= step else 1.0 - win(other, left - step, squares)

    if left <= 0:
        return 1.0
    six = 1.0 if left <= 6 else win(left - 6, other, squares)
    return 0.5 * after(4) + 0.5 * (sum(after(step) for step in range(1, 6)) + six) / 6


def exact(left, other):
    """The same after each candidate: walk, throw."""
    walk = 1.0 if left <= 4 else 1.0 - win(other, left - 4, 0)
    throws = [1.0 if left <= s else 1.0 - win(other, left - s, 0) for s in range(1, 6)]
    throws.append(1.0 if left <= 6 else win(left - 6, other, 0))
    return [walk, sum(throws) / 6]


@pytest.mark.parametrize(
    "changes",
    [{}, {"dice": "own"}, {"stratified": True}, {"stratified": True, "dice": "own"}],
    ids=lambda changes: " ".join(changes) or "plain",
)
@pytest.mark.parametrize("squares", [6, 15])
def test_means_are_the_exact_values(changes, squares):
    position = RACE.new_position(RACE.options(squares=squares))
    found = rolled(position, settings=replace(PLAIN, trials=6000, **changes))
    for each in found.candidates():
        error = max(each.standing.error, 1e-9)
        assert abs(each.equity - exact(squares, squares)[each.action]) < 4.5 * error


def test_the_second_player_sees_his_own_equity():
    position = RACE.new_position().play("walk")
    for each in rolled(position).candidates():
        assert abs(each.equity - exact(20, 16)[each.action]) < 4.5 * each.standing.error


def test_luck_taken_off_leaves_the_means_and_less_variance():
    """Racer errs, so its estimates are no martingale; what is taken off is 0 in the mean all the same."""
    position = RACE.new_position()
    plain = rolled(position, Racer(), replace(PLAIN, trials=6000))
    reduced = rolled(position, Racer(), replace(PLAIN, trials=6000, variance_reduction=True), seed=2)
    for each, other in zip(
        *(sorted(found.candidates(), key=lambda c: c.action) for found in (plain, reduced)), strict=True
    ):
        error = np.hypot(each.standing.error, other.standing.error)
        assert abs(each.equity - other.equity) < 4.5 * error
        assert other.standing.variance < 0.8 * each.standing.variance


def test_in_backgammon_settings_change_errors_and_not_means():
    position = BackgammonPosition.from_id("4HPwATDgc/ABMA", (3, 1))
    settings = RolloutSettings(trials=720, confidence=None, steps=5)
    kinds = {
        "plain": replace(settings, stratified=False),
        "dealt": settings,
        "luck": replace(settings, variance_reduction=True),
    }
    found = {
        name: {each.action: each for each in rolled(position, Lin1(), kind, seed=number).candidates()}
        for number, (name, kind) in enumerate(kinds.items())
    }
    for action, plain in found["plain"].items():
        for name in ("dealt", "luck"):
            other = found[name][action]
            error = np.hypot(plain.standing.error, other.standing.error)
            assert abs(plain.equity - other.equity) < 4.5 * error
            assert plain.chances[0] == pytest.approx(other.chances[0], abs=4.5 * 3 * error)
    errors = {name: np.mean([each.standing.error for each in of.values()]) for name, of in found.items()}
    assert errors["luck"] < 0.6 * errors["dealt"] < 0.6 * errors["plain"]


def test_cut_off_at_infinity_is_the_full_rollout():
    position = BackgammonPosition.from_id("4HPwATDgc/ABMA", (3, 1))
    full = rolled(position, Lin1(), RolloutSettings(trials=72))
    assert rolled(position, Lin1(), RolloutSettings(trials=72, steps=10**9)).candidates() == full.candidates()
    assert rolled(position, Lin1(), RolloutSettings(trials=72, steps=7)).candidates() != full.candidates()


# -- who makes the trials -------------------------------------------------------------------------------


class Shuffled:
    """Helpers that answer late and in any order, and die now and then."""

    def __init__(self, workers, deaths=0):
        self._pool, self._workers, self._deaths = ThreadPoolExecutor(workers), workers, deaths

    def submit(self, work, *arguments):
        if self._deaths:
            self._deaths -= 1
            lost: Future = Future()
            lost.set_exception(ConnectionError("gone"))
            return lost
        job, *rest = arguments
        return self._pool.submit(work, pickle.loads(pickle.dumps(job)), *rest)

    def slots(self):
        return self._workers

    def is_lost(self, error):
        return isinstance(error, ConnectionError)


def test_the_result_is_the_same_whoever_makes_the_trials(monkeypatch):
    position = RACE.new_position()
    settings = RolloutSettings(trials=1000, confidence=0.9)
    alone = rolled(position, settings=settings).candidates()
    for helpers in (Shuffled(1), Shuffled(3), Shuffled(2, deaths=2)):
        assert rolled(position, settings=settings, helpers=helpers).candidates() == alone
    monkeypatch.setattr(module, "SECONDS_A_PIECE", 1e-9)  # pieces of one trial each
    assert rolled(position, settings=settings).candidates() == alone
    with pytest.raises(ConnectionError):
        rolled(position, helpers=Shuffled(1, deaths=100))


def test_two_threads_of_a_player_find_what_one_finds():
    position = BackgammonPosition.from_id("4HPwATDgc/ABMA", (3, 1))
    found = [
        make_player(f"rollout:base=lin1,trials=300,seed=7,threads={n}", "backgammon").roll_out(position)
        for n in (1, 2)
    ]
    assert found[0].candidates() == found[1].candidates()


def test_a_job_travels_and_is_made_once_where_it_arrives():
    position = RACE.new_position()
    rollout = Rollout(RACE, position.simulation_root(), [0, 1], Random(), PLAIN, 5)
    copies = [pickle.loads(pickle.dumps(rollout._job)) for _ in range(2)]
    assert copies[0] is copies[1] is not rollout._job
    assert isinstance(copies[0], Job)
    actions = np.array([0, 1], np.uint32)
    here, there = (make_piece(job, actions, 3, 9) for job in (rollout._job, copies[0]))
    assert (here.values == there.values).all()


def test_a_cluster_finds_the_same(tmp_path):
    pytest.importorskip("distributed", reason="the extra playout[cluster] is not installed")
    from processes import Dask

    from playout.arena.pool import Cluster

    dask = Dask(tmp_path)
    try:
        workers: list[subprocess.Popen] = [dask.worker(), dask.worker()]
        position = BackgammonPosition.from_id("4HPwATDgc/ABMA", (3, 1))
        settings = RolloutSettings(trials=300)
        alone = rolled(position, settings=settings).candidates()
        with Cluster(dask.address) as cluster:
            assert rolled(position, settings=settings, helpers=cluster).candidates() == alone
        assert all(worker.poll() is None for worker in workers)
    finally:
        dask.close()


# -- when it ends ---------------------------------------------------------------------------------------


def test_one_that_is_surely_worse_is_dropped_with_when_and_why():
    position = RACE.new_position(RACE.options(squares=4))  # a walk wins at once
    found = rolled(position, settings=RolloutSettings(trials=5000))
    best, other = found.candidates()
    assert (position.spell(best.action), best.equity, best.dropped) == ("walk", 1.0, None)
    assert other.dropped.reason == "worse"
    assert other.dropped.leader == best.action
    assert other.trials == other.dropped.trials == best.trials < 5000
    assert found.is_finished


def test_rounds_end_at_fixed_numbers_of_trials_and_at_the_last():
    position, seen = RACE.new_position(), []
    found = Rollout(
        RACE, position.simulation_root(), [0, 1], Random(), replace(PLAIN, trials=1000, stratified=True), 1
    )
    found.run(progress=lambda: seen.append(found.trials))
    assert seen[:3] == [12, 24, 36]
    assert seen[-1] == 1000
    assert all(count % 6 == 0 for count in seen[:-1])
    assert len(seen) < 60


@pytest.mark.parametrize("helpers", [None, Shuffled(2)], ids=["alone", "shared"])
def test_it_can_be_stopped_and_has_what_was_made(helpers):
    position = RACE.new_position()
    asked = []
    found = Rollout(
        *(RACE, position.simulation_root(), [0, 1], Random(), replace(PLAIN, trials=None), 1, helpers)
    )
    found.run(go_on=lambda: asked.append(0) or len(asked) < 30)
    assert found.trials > 0
    assert {each.trials for each in found.candidates()} == {found.trials}


@pytest.mark.parametrize("helpers", [None, Shuffled(1)], ids=["alone", "shared"])
def test_stopped_at_once_it_has_a_trial_to_choose_by(helpers):
    position = RACE.new_position()
    found = Rollout(RACE, position.simulation_root(), [0, 1], Random(), PLAIN, 1, helpers)
    found.run(go_on=lambda: False)
    assert found.trials >= 1


def test_it_ends_when_the_leader_is_known_well_enough():
    position = RACE.new_position()
    player = make_player("rollout:trials=none,precision=0.02,confidence=none,seed=1", RACE)
    player.check(position)
    found = player.roll_out(position)
    low, high = found.candidates()[0].standing.interval
    assert 0.034 < high - low <= 0.04
    assert found.is_finished


def test_stratified_first_rolls_have_as_many_parts_as_the_dice_need():
    assert strata_of(RACE, RACE.started(), np.array([0, 1])) == 6
    backgammon = BackgammonPosition.from_id("4HPwATDgc/ABMA", (3, 1))
    assert strata_of(backgammon.game, backgammon.record, np.array(backgammon.candidates())) == 36
    tictactoe = find_game("tic-tac-toe")
    assert strata_of(tictactoe, tictactoe.started(), np.array([0])) == 1


def test_chances_of_the_second_player_are_turned_round():
    names = ("win", "win gammon", "win backgammon", "lose gammon", "lose backgammon")
    turned = seen_by_other(names, np.array([0.6, 0.2, 0.05, 0.1, 0.01]))
    assert turned.tolist() == pytest.approx([0.4, 0.1, 0.01, 0.2, 0.05])


def test_what_a_base_policy_cannot_is_said():
    position = RACE.new_position()
    for changes in ({"steps": 3}, {"variance_reduction": True}):
        with pytest.raises(InputError, match="Random has no estimate of a state"):
            rolled(position, settings=replace(PLAIN, **changes))
    with pytest.raises(InputError, match="nothing to roll out"):
        Rollout(RACE, position.simulation_root(), [], Random(), PLAIN, 1)


# -- the player -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tic-tac-toe", "dice-race", "2048"])
def test_the_player_plays_any_game(name):
    player = make_player("rollout:trials=30,seed=1", name)
    position = find_game(name).new_position()
    for _ in range(4):
        from playout.kernel import new_rng

        position.settle(new_rng(1))
        if position.is_over:
            break
        before = position.record.tobytes()
        word = player.choose(position)
        assert position.record.tobytes() == before
        position.play(word)
    position.settle(new_rng(1))
    if not position.is_over:
        assert 0 <= player.value(position) <= 1


def test_the_player_tells_what_it_finds_and_repeats_itself():
    position = find_game("tic-tac-toe").new_position().play("a1").play("b2").play("b1")
    told = []
    player = make_player("rollout:trials=400,seed=3", "tic-tac-toe")
    player.onlooker = Onlooker(told.append, interval=0)
    assert player.choose(position) == "c1"
    assert told[-1].moves[0].action == position.parse("c1")
    assert {move.action for move in told[-1].moves} == set(position.candidates())
    assert told[-1].moves[0].lcb <= told[-1].winrate <= 1
    again = make_player("rollout:trials=400,seed=3", "tic-tac-toe")
    assert (
        again.roll_out(position).candidates()
        == make_player("rollout:trials=400,seed=3", "tic-tac-toe").roll_out(position).candidates()
    )
    analyses = again.analyse(position)
    first, second = next(analyses), next(analyses)
    assert first.visits < second.visits


def test_time_ends_a_rollout_and_so_does_stop():
    position = RACE.new_position()
    player = make_player("rollout:seconds=0.05,confidence=none", RACE)
    assert player.settings.trials is None
    player.warm_up(position)
    assert player.choose(position) in ("walk", "throw")
    endless = make_player("rollout:seconds=1000,confidence=none", RACE)
    timer = threading.Timer(0.1, endless.stop)
    timer.start()
    assert endless.choose(position) in ("walk", "throw")
    timer.join()
    with pytest.raises(InputError, match="set its seconds"):
        make_player("rollout:trials=none", RACE).choose(position)


def test_settings_of_the_base_policy_have_its_name():
    row = next(row for row in player_table("backgammon") if row["name"] == "rollout")
    assert row["settings"]["base"]["default"] == "random"
    assert "base.noise" in row["settings"]
    player = make_player("rollout:base=lin2,base.noise=0.5", "backgammon")
    assert player.policy.noise == 0.5
    with pytest.raises(InputError, match="base='lin9' is not a name"):
        make_player("rollout:base=lin9", "backgammon")
    assert make_player("rollout:base=balanced", "go").settings.base == "softmax"


def test_a_forced_move_is_played_at_once():
    position = BackgammonPosition.from_id("4HPwATDgc/ABMA", (3, 1))
    player = make_player("rollout:trials=1000000000", "backgammon")
    position._array["points"][0] = 0
    position._array["points"][0, :, 0] = 14
    position._array["points"][0, :, 1] = 1
    position._array["held"] = 2
    position._array["made"] = 0
    assert len(position.candidates()) == 1
    assert player.choose(position) == "1/off"
