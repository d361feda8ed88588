"""The cross-entropy method: its formulas, and whether it finds known optima."""

import math

import numpy as np
import pytest
from hills import flat, hill, space_of
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.cross_entropy import step

from playout.errors import InputError
from playout.tune.cross_entropy import CrossEntropy, CrossEntropySettings, Distribution, best, nearest
from playout.tune.methods import NAMES, PeerSettings, make_method
from playout.tune.space import Parameter, Space
from playout.tune.store import Results
from playout.tune.tuner import Batches, Tuning
from playout.tune.verify import FOUND, NOT_FOUND, compared

SMALL = CrossEntropySettings(samples=40, generations=12)


@given(
    st.integers(2, 30).flatmap(
        lambda n: st.tuples(
            st.lists(
                st.tuples(*[st.floats(-5, 5)] * 3).map(list),
                min_size=n,
                max_size=n,
            ),
            st.lists(st.integers(0, 4), min_size=n, max_size=n),
            st.integers(1, n - 1),
            st.floats(0.01, 1),
        )
    )
)
@settings(max_examples=200, deadline=None)
def test_updates_are_those_of_table_1(case):
    rows, scores, wanted, alpha = case
    space = Space(tuple(Parameter(name=f"p{j}", low=-5, high=5, default=0) for j in range(3)))
    before = Distribution.first(space)
    elite = best(np.array(scores, float), wanted)
    after = before.towards(nearest(np.array(rows)[elite], space), alpha)
    mu, sigma2 = step(rows, scores, wanted, before.mean.tolist(), before.variance.tolist(), alpha)
    assert np.allclose(after.mean, mu)
    assert np.allclose(after.variance, sigma2)


def test_the_first_distribution_is_that_of_section_4_1():
    space = space_of(3)
    first = Distribution.first(space)
    assert first.mean.tolist() == pytest.approx([1, math.log(0.1 * 100) / 2, math.log(2 * 60) / 2])
    assert first.deviation.tolist() == pytest.approx([4, math.log(1000) / 2, math.log(30) / 2])


def test_samples_are_in_range_and_half_of_a_logarithmic_scale_is_below_its_middle():
    """Section 3.3: of [0.1; 100] half the values are under 3.16."""
    space = Space((Parameter(name="c", low=0.1, high=100, default=8, scale="log"),))
    samples = CrossEntropy(space, CrossEntropySettings(samples=2000), 1).ask()
    values = np.array([space.values(x)["c"] for x in samples])
    assert values.min() >= 0.1
    assert values.max() <= 100
    assert abs((values < 3.16).mean() - 0.5) < 0.04


def test_whole_numbers_are_rounded_to_the_closest():
    parameter = Parameter(name="k", low=2, high=10, default=5, kind="integer")
    assert [parameter.value(x) for x in (2, 4.49, 4.5, 9.6, 10)] == [2, 4, 5, 10, 10]


def test_after_20_generations_a_growing_batch_has_played_as_much_as_one_of_50():
    """Section 4.3."""
    batches = Batches(batch=10, growth=1.15)
    total = sum(batches.games_of(t) for t in range(20))
    assert abs(total - 20 * 50) < 50


def test_the_elite_has_as_many_members_as_it_should_also_among_equals():
    assert best(np.array([1.0, 3, 3, 3, 0]), 2).tolist() == [1, 2]
    assert CrossEntropySettings().elite == 10
    with pytest.raises(InputError, match="leaves none out"):
        CrossEntropySettings(samples=3, ratio=0.9)


@pytest.mark.parametrize(
    ("dimensions", "racing"),
    [
        (2, True),
        (5, False),
        (11, False),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in ((2, False), (5, True), (11, True))),
    ],
)
def test_it_comes_to_the_optimum(dimensions, racing):
    gained = []
    for seed in range(50):
        landscape = hill(dimensions, seed)
        tuning = Tuning(
            landscape.space,
            CrossEntropy(landscape.space, SMALL, seed),
            Batches(batch=20, racing=racing, narrow=0),
            landscape,
        )
        list(tuning.run())
        first = landscape.chance(Distribution.first(landscape.space).point())
        top = landscape.chance(landscape.optimum)
        gained.append((landscape.chance(tuning.best()) - first) / (top - first))
    assert np.median(gained) > 0.8
    assert np.mean(np.array(gained) > 0.6) >= 0.95


def test_a_flat_landscape_ends_without_a_gain():
    found = []
    for seed in range(60):
        landscape = flat(5, seed)
        method = CrossEntropy(landscape.space, CrossEntropySettings(samples=20, generations=4), seed)
        tuning = Tuning(landscape.space, method, Batches(batch=10), landscape)
        list(tuning.run())
        rng = np.random.default_rng([seed, 99])
        one, other = (
            (rng.random(400) < landscape.chance(x)).astype(float)
            for x in (tuning.best(), landscape.space.default)
        )
        found.append(compared(one, other).verdict)
    assert found.count(NOT_FOUND) >= 0.95 * len(found)
    assert compared(np.ones(100), np.zeros(100)).verdict == FOUND


def test_a_choice_goes_to_the_better_word():
    words = Parameter(name="policy", kind="choice", choices=("bad", "good", "worse"), default="bad")
    space = Space((words, Parameter(name="x", low=0, high=1, default=0.5)))

    class Words:
        def play(self, games):
            for game in games:
                good = space.values(game.point)["policy"] == "good"
                lucky = (game.common * 7 + game.sample * 13) % 10 < 4
                yield [(game.generation, game.sample, game.number, float(good or lucky))]

    tuning = Tuning(space, CrossEntropy(space, SMALL, 1), Batches(batch=10), Words())
    list(tuning.run())
    assert space.values(tuning.best())["policy"] == "good"


def test_stop_rules():
    landscape = hill(2, 1)
    space = landscape.space

    def ended(**rules):
        tuning = Tuning(space, CrossEntropy(space, SMALL, 1), Batches(batch=10, **rules), landscape)
        return len(list(tuning.run())), tuning.ended

    assert ended(narrow=0, racing=False) == (12, "12 generations")
    assert ended(narrow=0, racing=False, games=900) == (3, "1,200 games")
    assert ended(narrow=0.3)[1] == "all deviations under 0.3 of half a range"
    assert "without a better mean" in ended(narrow=0, patience=1)[1]


@pytest.mark.parametrize("name", NAMES)
def test_all_methods_stand_behind_one_door(name):
    if name in ("tpe", "cma-es", "gp"):
        pytest.importorskip("optuna")
    if name == "gp":
        pytest.importorskip("torch")
    landscape = hill(2, 3)
    space = landscape.space

    def run():
        results = Results()
        method = make_method(name, space, 5, SMALL, PeerSettings())
        tuning = Tuning(space, method, Batches(batch=20, games=4000, narrow=0), landscape, results)
        list(tuning.run())
        return tuning, results.total

    tuning, games = run()
    first = landscape.chance(space.default)
    assert landscape.chance(tuning.best()) > first + 0.05
    assert 3000 <= games <= 4800
    again, _ = run()
    assert again.best().tolist() == tuning.best().tolist()


def test_methods_that_cannot_are_refused():
    words = Space((Parameter(name="p", kind="choice", choices=("a", "b"), default="a"),))
    with pytest.raises(InputError, match="choices have no differences"):
        make_method("spsa", words, 1)
    with pytest.raises(InputError, match="no method 'cem'"):
        make_method("cem", words, 1)
