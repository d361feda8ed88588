"""Minorization–maximization: strengths that are known are found again."""

import numpy as np
import pytest

from playout.learn.minorize import NOBODY, Counts, minorize, minorize_counts


def contests(strengths, kinds, count, seed):
    """Random teams with a member of each kind or none, and who wins by the model."""
    dice = np.random.default_rng(seed)
    teams, starts, winners = [], [0], []
    for _ in range(count):
        size = int(dice.integers(2, 7))
        members = np.column_stack([dice.choice(kind, size) for kind in kinds])
        worth = np.prod(np.where(members == NOBODY, 1.0, strengths[members]), axis=1)
        winners.append(starts[-1] + int(dice.choice(size, p=worth / worth.sum())))
        teams.append(members)
        starts.append(starts[-1] + size)
    return np.concatenate(teams), np.array(starts), np.array(winners)


def likelihood(gamma, teams, starts, winners):
    worth = np.prod(np.where(teams == NOBODY, 1.0, gamma[teams]), axis=1)
    return np.log(worth[winners] / np.add.reduceat(worth, starts[:-1])).sum()


def test_finds_the_strengths_behind_the_results():
    strengths = np.array([0.1, 0.5, 1.0, 2.0, 8.0, 0.3, 5.0])
    data = contests(strengths, ([0, 1, 2, 3, 4], [NOBODY, 5, 6]), 30_000, 1)
    found = minorize(*data, strengths=7, steps=60)
    # Only the ratios within the first kind count; the second is measured against nobody.
    assert found[:5] / found[2] == pytest.approx(strengths[:5] / strengths[2], rel=0.1)
    assert found[5:] == pytest.approx(strengths[5:], rel=0.1)


def test_every_step_raises_the_likelihood():
    strengths = np.array([0.2, 1.0, 5.0, 0.5, 2.0])
    data = contests(strengths, ([0, 1, 2], [NOBODY, 3, 4]), 500, 2)
    values = [likelihood(minorize(*data, strengths=5, steps=n, ties=0.0), *data) for n in range(8)]
    assert np.all(np.diff(values) >= -1e-9)
    assert values[-1] > values[0]


def test_what_is_never_seen_stays_one_and_what_never_wins_stays_positive():
    teams = np.array([[0], [1]] * 50)
    found = minorize(teams, np.arange(0, 101, 2), np.arange(0, 100, 2), strengths=3)
    assert found[2] == 1.0
    assert 0 < found[1] < 0.3 < found[0]


def counted(strengths, count, seed, low, high):
    """Random teams that have each member any number of times, and who wins by the model."""
    dice = np.random.default_rng(seed)
    teams, starts, winners = [], [0], []
    for _ in range(count):
        size = int(dice.integers(2, 7))
        times = dice.integers(low, high + 1, (size, strengths.size))
        worth = np.prod(strengths**times, axis=1)
        winners.append(starts[-1] + int(dice.choice(size, p=worth / worth.sum())))
        teams.append(times)
        starts.append(starts[-1] + size)
    return np.concatenate(teams), np.array(starts), np.array(winners)


def counted_likelihood(gamma, teams, starts, winners):
    worth = np.prod(gamma**teams, axis=1)
    return np.log(worth[winners] / np.add.reduceat(worth, starts[:-1])).sum()


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 3), (-2, 2)])
def test_members_that_count_several_times_or_less_than_not_at_all(low, high):
    strengths = np.array([0.3, 0.8, 1.0, 1.5, 4.0])
    data = counted(strengths, 20_000, 3, low, high)
    found = minorize_counts(Counts.of(*data), steps=60, ties=0.0)
    assert found == pytest.approx(strengths, rel=0.12)


def test_every_step_with_counts_raises_the_likelihood():
    data = counted(np.array([0.2, 1.0, 5.0, 0.5]), 300, 4, -2, 3)
    counts = Counts.of(*data)
    values = [counted_likelihood(minorize_counts(counts, steps=n, ties=0.0), *data) for n in range(8)]
    assert np.all(np.diff(values) >= -1e-9)
    assert values[-1] > values[0]


def test_counts_of_nought_and_one_are_the_plain_model():
    strengths = np.array([0.2, 1.0, 5.0, 0.5, 2.0])
    teams, starts, winners = contests(strengths, ([0, 1, 2], [NOBODY, 3, 4]), 500, 5)
    table = np.zeros((len(teams), 5), np.int64)
    for column in teams.T:
        there = np.flatnonzero(column != NOBODY)
        table[there, column[there]] = 1
    counts = Counts.of(table, starts, winners)
    one = minorize(teams, starts, winners, strengths=5, steps=2000, ties=20.0)
    two = minorize_counts(counts, steps=2000, ties=20.0)
    assert two == pytest.approx(one, rel=1e-6)
