"""Who is dropped when: means and variances against NumPy's own, and the rule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.rollout import covariances

from playout.search.pruning import EQUIVALENT, SURE, WORSE, Dropped, Pruning, Race, bound

pytestmark = pytest.mark.small
NOBODY = Pruning(confidence=None)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 4),
    st.integers(1, 5),
    st.lists(st.integers(0, 40), min_size=1, max_size=4),
    st.integers(0, 999),
)
def test_means_and_variances_are_those_of_all_trials(count, kinds, rounds, seed):
    rng = np.random.default_rng(seed)
    race, parts = Race(count, NOBODY, kinds), []
    for size in rounds:
        values, strata = rng.normal(size=(count, size)), rng.integers(0, kinds, size)
        race.add(values, strata)
        parts.append((values, strata))
    values, strata = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    trials = values.shape[1]
    free = trials - len(set(strata.tolist()))
    for k, standing in enumerate(race.standings()):
        assert standing.trials == trials
        if trials:
            assert standing.mean == pytest.approx(values[k].mean())
        if free > 0:
            assert standing.variance == pytest.approx(covariances(values, strata)[k, k])
            low, high = standing.interval
            assert high - low == pytest.approx(2 * SURE * np.sqrt(standing.variance / trials))
        elif trials > 1:  # one trial of each kind: as if there were no kinds
            assert standing.variance == pytest.approx(values[k].var(ddof=1))
        else:
            assert standing.variance is standing.interval is None


def test_differences_between_kinds_are_no_error():
    kinds = np.tile([0, 1], 50)
    values = np.where(kinds, 10.0, -10.0)[None] + np.random.default_rng(1).normal(size=(1, 100))
    plain, dealt = Race(1, NOBODY), Race(1, NOBODY, strata=2)
    plain.add(values)
    dealt.add(values, kinds)
    assert dealt.standings()[0].variance < 2 < 90 < plain.standings()[0].variance


def test_the_bound_covers_at_all_times_and_is_least_near_a_thousand_trials():
    """2,000 random walks, looked at 60 times each: fewer leave the bound than promised, but some do."""
    steps = np.random.default_rng(1).normal(size=(2000, 6000))
    looks = np.arange(100, 6001, 100)
    means = np.cumsum(steps, axis=1)[:, looks - 1] / looks
    for failure in (0.2, 0.05):
        left = (means > [bound(t, failure) for t in looks]).any(axis=1).mean()
        assert failure / 20 < left < failure
    once = (means > 1.6449 / np.sqrt(looks)).any(axis=1).mean()
    assert once > 0.2  # a bound of 5 % for one look, looked at again and again
    share = [bound(t, 0.01) * np.sqrt(t) for t in (50, 200, 1000, 5000, 50_000)]
    assert share[2] == min(share)


def test_worse_candidates_go_and_stay_as_they_were():
    rng = np.random.default_rng(1)
    race = Race(3, Pruning(confidence=0.95))
    means = np.array([0.0, -2.0, -0.01])[:, None]
    race.add(means + rng.normal(size=(3, 200)))
    assert race.prune() == [1]
    assert race.dropped == {1: Dropped(200, WORSE, race.leader)}
    before = race.standings()[1]
    race.add((means + rng.normal(size=(3, 100)))[[0, 2]])
    assert race.prune() == []
    assert race.standings()[1] == before
    assert [standing.trials for standing in race.standings()] == [300, 200, 300]
    assert not race.is_decided


def test_common_dice_tell_sooner():
    """The same means and variances; the differences vary less where candidates share their luck."""
    rng = np.random.default_rng(1)
    luck, own = rng.normal(size=400), rng.normal(size=(2, 400))
    gap = np.array([[0.1], [0.0]])
    for values, gone in ((luck + 0.1 * own + gap, [1]), (own + gap, [])):
        race = Race(2, Pruning())
        race.add(values)
        assert race.prune() == gone


def test_equivalent_candidates_go_only_with_a_margin():
    rng = np.random.default_rng(1)
    values = rng.normal(size=5000) + 0.05 * rng.normal(size=(2, 5000))
    for margin, reasons in ((0.0, []), (0.05, [EQUIVALENT])):
        race = Race(2, Pruning(margin=margin))
        race.add(values)
        race.prune()
        assert [dropped.reason for dropped in race.dropped.values()] == reasons


def test_a_chain_of_equivalent_candidates_loses_no_more_than_one_margin():
    """One that others were dropped for may not go as equivalent if they may then be beyond the margin."""
    values = np.random.default_rng(1).normal(size=(2, 4000)) * 0.3
    values[0] -= values[0].mean()
    values[1] -= values[1].mean() + 0.01
    for owed, gone in ((0.0, [1]), (0.04, []), (0.02, [1])):
        race = Race(2, Pruning(margin=0.05))
        race._owed[1] = owed  # somebody was dropped for it who may be so much better
        race.add(values)
        assert race.prune() == gone
        if gone:  # and the one that is left owes it all
            assert 0.01 + owed < race._owed[0] < 0.05


def test_nobody_goes_where_nothing_differs_or_nobody_may():
    same = np.ones((3, 500))
    race = Race(3, Pruning())
    race.add(same)
    assert race.prune() == []
    race = Race(2, NOBODY)
    race.add(np.stack([np.zeros(500), np.ones(500)]))
    assert race.prune() == []
    assert race.leader == 1


def test_rare_values_are_waited_for():
    """After a hundred trials that were all alike a rare loss is still possible: more must be seen."""
    for trials, gone in ((100, []), (10_000, [1])):
        race = Race(2, Pruning(margin=0.01))
        race.add(np.stack([np.ones(trials), np.ones(trials)]))
        race._range = (-1.0, 1.0)  # a third one has had both
        assert race.prune() == gone
