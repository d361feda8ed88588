"""Random numbers: the published algorithm, repeatable, independent, uniform."""

from itertools import islice

import numpy as np
import pytest
from naive.rng import splitmix64

from playout.kernel import below, kernel, new_rng, next_u64, spawn, uniform


@kernel
def draw_words(rng, words):
    for k in range(words.size):
        words[k] = next_u64(rng[0])


@kernel
def draw_below(rng, n, numbers):
    for k in range(numbers.size):
        numbers[k] = below(rng[0], n)


@kernel
def draw_floats(rng, numbers):
    for k in range(numbers.size):
        numbers[k] = uniform(rng[0])


def words(rng: np.ndarray, count: int) -> list[int]:
    numbers = np.zeros(count, np.uint64)
    draw_words(rng, numbers)
    return numbers.tolist()


@pytest.mark.small
def test_first_numbers_are_those_of_the_published_algorithm():
    # The seed 1234567 is the example that implementations of SplitMix64 are usually checked with.
    assert list(islice(splitmix64(1234567), 3)) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]
    for seed in (0, 1, 7, 2**40):
        start = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
        assert words(new_rng(seed), 20) == list(islice(splitmix64(start), 20))


@pytest.mark.small
def test_same_seed_same_numbers():
    assert words(new_rng(5), 10) == words(new_rng(5), 10)
    assert words(new_rng(5), 10) != words(new_rng(6), 10)
    assert words(new_rng(), 10) != words(new_rng(), 10)


@pytest.mark.small
def test_spawned_generators_are_repeatable_and_share_nothing():
    streams = [words(rng, 50) for rng in spawn(3, 8)]
    assert streams == [words(rng, 50) for rng in spawn(3, 8)]
    assert len({word for stream in streams for word in stream}) == 8 * 50
    assert spawn(3, 2)[0].nbytes >= 64, "two generators on one cache line slow each other down"


@pytest.mark.small
@pytest.mark.parametrize("n", [1, 2, 3, 82, 362, 2**31, 2**32 - 1])
def test_below_stays_in_range(n):
    numbers = np.zeros(200, np.int64)
    draw_below(new_rng(n), n, numbers)
    assert numbers.min() >= 0
    assert numbers.max() < n


def chi_square(counts: np.ndarray) -> float:
    """How many standard deviations the statistic lies above its mean."""
    expected = counts.sum() / counts.size
    freedom = counts.size - 1
    return ((counts - expected) ** 2 / expected).sum() / freedom * (freedom / 2) ** 0.5 - (freedom / 2) ** 0.5


@pytest.mark.parametrize("n", [2, 7, 81, 361])
def test_below_is_uniform(n):
    numbers = np.zeros(2_000_000, np.int64)
    draw_below(new_rng(11), n, numbers)
    assert chi_square(np.bincount(numbers, minlength=n)) < 5


def test_pairs_of_numbers_are_uniform():
    numbers = np.zeros(2_000_000, np.int64)
    draw_below(new_rng(12), 16, numbers)
    assert chi_square(np.bincount(numbers[::2] * 16 + numbers[1::2], minlength=256)) < 5


def test_spawned_generators_are_not_correlated():
    first, second = (np.zeros(1_000_000) for _ in range(2))
    for rng, numbers in zip(spawn(4, 2), (first, second), strict=True):
        draw_floats(rng, numbers)
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.005


def test_floats_fill_the_unit_interval():
    numbers = np.zeros(1_000_000)
    draw_floats(new_rng(13), numbers)
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    assert abs(numbers.mean() - 0.5) < 0.002
    assert abs(numbers.var() - 1 / 12) < 0.001
