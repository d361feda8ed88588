"""Races: risks as in plain loops, the elite of full evaluation, and fewer games."""

import math

import numpy as np
import pytest
from hills import hill
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.cross_entropy import risks

from playout.tune.cross_entropy import CrossEntropy, CrossEntropySettings
from playout.tune.racing import Race, _beta_binomial_logs, _log_gamma, _risks, even, fitted
from playout.tune.tuner import Batches, Tuning, Wanted


@given(
    st.integers(2, 4).flatmap(
        lambda n: st.tuples(
            st.lists(st.lists(st.floats(0.01, 1), min_size=4, max_size=4), min_size=n, max_size=n),
            st.integers(1, n - 1),
        )
    )
)
@settings(max_examples=60, deadline=None)
def test_risks_are_those_of_all_endings(case):
    rows, wanted = case
    chances = np.array(rows) / np.sum(rows, axis=1, keepdims=True)
    dropping, accepting = _risks(chances, wanted)
    expected = risks(chances.tolist(), wanted)
    assert np.allclose(dropping, expected[0])
    assert np.allclose(accepting, expected[1])


def test_the_logarithm_of_gamma():
    x = np.array([0.01, 0.5, 1.0, 3.7, 50.0, 2500.0])
    assert np.allclose(_log_gamma(x), [math.lgamma(v) for v in x], rtol=1e-9, atol=1e-9)


def test_the_games_that_are_left_are_beta_binomial():
    a, b, left = np.array([2.5, 7.0]), np.array([4.0, 1.5]), np.array([6, 3])
    found = np.exp(_beta_binomial_logs(a, b, left, 6))
    for i in range(2):
        n = int(left[i])
        beta = [math.gamma(a[i] + x) * math.gamma(b[i] + n - x) * math.comb(n, x) for x in range(n + 1)]
        assert np.allclose(found[i, : n + 1] / found[i, : n + 1].sum(), np.array(beta) / sum(beta))


def test_the_fitted_distribution_is_near_the_true_one():
    rng = np.random.default_rng(1)
    chances = rng.beta(6, 4, 2000)
    games = rng.integers(5, 60, 2000)
    mean, concentration = fitted(rng.binomial(games, chances).astype(float), games, 0.5)
    assert abs(mean - 0.6) < 0.02
    assert 7 < concentration < 14


def test_without_confidence_all_play_their_batch():
    race = Race(5, 2, 8)
    assert race.round() == [8] * 5
    race.add(np.array([4.0, 1, 4, 8, 2]), np.full(5, 8))
    assert not any(race.round())
    assert race.elite().tolist() == [0, 3]


def test_who_is_far_behind_plays_no_more_and_who_is_far_ahead_neither():
    race = Race(10, 2, 200, 0.95)
    points = np.array([20.0, 20, *[2] * 8])
    first = race.round()
    assert len(set(first)) == 1
    race.add(points, np.array(first))
    assert not any(race.round())
    assert race.elite().tolist() == [0, 1]
    assert race.risk <= 0.05


class Watched:
    """Plays a landscape's games, and at the end of a generation also those that a race left out."""

    def __init__(self, landscape):
        self.landscape = landscape

    def play(self, games):
        yield from self.landscape.play(games)

    def full(self, generation):
        samples = generation.samples
        wanted = [
            Wanted(generation.number, i, n, n, samples[i])
            for i in range(len(samples))
            for n in range(1, generation.batch + 1)
        ]
        scores = np.zeros(len(samples))
        for results in self.landscape.play(wanted):
            for _, i, _, points in results:
                scores[i] += points
        return scores


@pytest.mark.parametrize("dimensions", [2, 5, 11])
def test_a_race_has_the_elite_of_full_evaluation(dimensions):
    same, played, whole = [], 0, 0
    for seed in range(14):
        watched = Watched(hill(dimensions, seed))
        space = watched.landscape.space
        method = CrossEntropy(space, CrossEntropySettings(samples=50, generations=8), seed)
        tuning = Tuning(space, method, Batches(batch=40, confidence=0.95, narrow=0), watched)
        for generation in tuning.run():
            full = watched.full(generation)
            # Of equals either may be elite (equation 3).
            ranked = np.sort(full)[::-1]
            same.append(sorted(full[generation.elite], reverse=True) == ranked[: method.elite].tolist())
            played += int(generation.games.sum())
            whole += generation.batch * len(full)
    assert np.mean(same) >= 0.95
    assert played < 0.8 * whole


def test_whole_pairs():
    assert [even(games) for games in (1, 2.9, 3, 11.5, 13.2)] == [2, 2, 4, 12, 14]
