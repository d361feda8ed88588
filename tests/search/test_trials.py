"""Trials against a naive twin, number for number."""

import itertools
from collections import Counter

import numpy as np
import pytest
from chance_games import NUMBERED_FAIR, OPEN_FAIR
from dice_race import RACE, Racer
from naive import rollout as naive

from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.registry import find_game
from playout.kernel import new_rng
from playout.policy import api
from playout.policy.random import Random
from playout.search import rollout
from playout.search.rollout import UNLIMITED, Job
from playout.search.trials import PLAN

SEED = 0x123456789ABCDEF


def job(position, base, *, steps=None, parts=1, common=True, luck=False, seed=SEED):
    plan = np.array([(seed, UNLIMITED if steps is None else steps, parts, common, luck)], PLAN)
    return Job(position.game, position.simulation_root(), base, plan)


def compare(position, base, twin, count, **settings):
    """All candidates, trial by trial."""
    actions = np.array(position.candidates(), np.uint32)
    first = 5
    made = job(position, base, **settings).make(actions, first, count)
    for k, action in enumerate(actions.tolist()):
        for i in range(count):
            value, ends = naive.trial(position, action, twin, seed=SEED, number=first + i, **settings)
            assert made.values[k, i] == pytest.approx(value, abs=1e-12)
            assert made.ends[k, i].tolist() == pytest.approx(ends.tolist(), abs=1e-6)


@pytest.mark.small
@pytest.mark.parametrize(
    ("common", "parts", "steps", "luck"),
    list(itertools.product((True, False), (1, 6), (None, 3), (False, True))),
)
def test_trials_of_the_dice_race_are_the_twins(common, parts, steps, luck):
    position = RACE.new_position().play("walk")
    compare(position, Racer(), Racer(), 14, common=common, parts=parts, steps=steps, luck=luck)


@pytest.mark.small
@pytest.mark.parametrize(("game", "parts"), [(NUMBERED_FAIR, 1), (NUMBERED_FAIR, 8), (OPEN_FAIR, 1)])
def test_trials_with_rewards_are_the_twins(game, parts):
    compare(game.new_position(), Random(), naive.Random(), 20, parts=parts)


@pytest.mark.small
def test_trials_of_a_game_without_chance_are_the_twins():
    position = find_game("tic-tac-toe").new_position().play("b2")
    compare(position, Random(), naive.Random(), 10)


class Given:
    """A policy of ours, asked for one move at a time."""

    def __init__(self, policy):
        self._policy, self._rng = policy.record(), new_rng(0)

    def sample(self, position, choices):
        return int(api.sample(self._policy[0], position.record[0], self._rng[0]))

    def estimate(self, position):
        chances = np.zeros(len(position.game.tallies))
        return api.estimate(self._policy[0], position.record[0], chances), chances


@pytest.mark.parametrize("turn", [1, 2])
def test_trials_of_backgammon_are_the_twins(turn):
    from playout.games.backgammon.policy.linear import Lin1

    position = BackgammonPosition.from_id("4HPwATDgc/ABMA", (3, 1))
    if turn == 2:
        position.play("8/5 6/5").play("64")
    lin1 = Lin1()
    compare(position, lin1, Given(lin1), 2, parts=36)
    compare(position, lin1, Given(lin1), 1, steps=2, luck=True)


def test_random_trials_of_backgammon_count_ends_as_the_twin_does():
    position = BackgammonPosition.from_id("4HPwATDgc/ABMA", (6, 5))
    compare(position, Random(), naive.Random(), 4, parts=36)


@pytest.mark.small
@pytest.mark.parametrize(("game", "base"), [(RACE, Racer()), (NUMBERED_FAIR, Random())])
def test_a_trial_depends_on_nothing_but_its_number(game, base):
    """Not on who makes it with which others, on the candidates beside, or on what was made before."""
    position = game.new_position()
    actions = np.array(position.candidates(), np.uint32)
    whole = job(position, base, parts=6, common=False).make(actions, 0, 40)
    again = job(position, base, parts=6, common=False)
    for first, count in ((33, 7), (0, 3), (3, 30)):
        piece = again.make(actions[::-1].copy(), first, count)
        assert (piece.values[::-1] == whole.values[:, first : first + count]).all()
        assert (piece.strata == whole.strata[first : first + count]).all()
    assert (again.make(actions[:1], 0, 40).values == whole.values[:1]).all()


@pytest.mark.small
def test_cut_off_after_very_many_steps_is_not_cut_off():
    position = RACE.new_position()
    actions = np.array(position.candidates(), np.uint32)
    full = job(position, Racer()).make(actions, 0, 50)
    assert (job(position, Racer(), steps=10**9).make(actions, 0, 50).values == full.values).all()
    assert (job(position, Racer(), steps=2).make(actions, 0, 50).values != full.values).any()


class Follower(Racer):
    """The twin's racer, which writes down what the die has shown."""

    def __init__(self):
        self.seen = []

    def sample(self, position, choices):
        self.seen = [move.action for move in position.moves if move.player == 0]
        return 1 if choices.next() >= 0 else 0  # always throws


@pytest.mark.small
def test_first_rolls_are_dealt_in_proportion():
    """Six trials in a row have all six throws; backgammon's 36 have each roll as often as two dice do."""
    for trial in range(0, 30, 6):
        assert sorted(naive.part_of(SEED, trial + i, 6) for i in range(6)) == list(range(6))
    position = RACE.new_position()
    action = position.parse("throw")
    firsts = []
    for number in range(12):
        follower = Follower()
        naive.trial(position, action, follower, seed=SEED, number=number, parts=6)
        firsts.append(follower.seen[0])
    assert Counter(firsts) == dict.fromkeys(range(6), 2)
    chances = np.zeros(21)
    from playout.games import api as games

    backgammon = BackgammonPosition.from_id("4HPwATDgc/ABMA")
    games.chances(backgammon.record[0], chances)
    dealt = Counter(naive.event_at(chances.tolist(), (part + 0.5) / 36) for part in range(36))
    assert [dealt[event] / 36 for event in range(21)] == pytest.approx(chances.tolist())


@pytest.mark.small
def test_common_dice_are_the_same_for_all_candidates_and_own_ones_are_not():
    position = RACE.new_position()
    for common, alike in ((True, True), (False, False)):
        seen = []
        for action in position.candidates():
            follower = Follower()
            naive.trial(position, action, follower, seed=SEED, number=3, common=common)
            seen.append(follower.seen[:3])
        assert (seen[0] == seen[1]) == alike


def test_known_replies_change_no_result(monkeypatch):
    """lin1 draws no random numbers, so its first two replies are kept; lin2 does, and none of its are."""
    from playout.games.backgammon.policy.linear import Lin1, Lin2

    position = BackgammonPosition.from_id("4HPwATDgc/ABMA", (3, 1))
    actions = np.array(position.candidates()[:3], np.uint32)
    keeping = job(position, Lin1(), parts=36)
    first, again = (keeping.make(actions, 0, 200) for _ in range(2))
    known = [keeping._known(int(action)) for action in actions]
    assert all((replies[0] >= 0).all() for replies in known)  # 36 throws have all 21 rolls
    assert all(100 < (replies[1:] >= 0).sum() <= 200 for replies in known)
    noisy = job(position, Lin2(), parts=36)
    noisy.make(actions, 0, 40)
    forced = [(noisy._known(int(action)) >= 0).sum() for action in actions]
    assert max(forced) < 10  # a roll with only one play needs no noise
    monkeypatch.setattr(rollout, "MOST_EVENTS", 0)
    asking = job(position, Lin1(), parts=36).make(actions, 0, 200)
    assert (first.values == asking.values).all()
    assert (again.values == asking.values).all()
