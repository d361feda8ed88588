"""Generic functions: chosen by type, compiled or not; what is missing or doubled is said clearly."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError

from playout.kernel import generic, implements, inner, kernel, record_type

APPLE = record_type([("apple_weight", "u4"), ("apple_eaten", "u1")])
PEAR = record_type([("pear_weight", "u4")])
STONE = record_type([("stone_weight", "u4")])


@generic
def eat(fruit, bite):
    """Take a bite; return what is left."""


@implements(eat, APPLE)
def eat_apple(fruit, bite):
    fruit.apple_weight -= bite
    fruit.apple_eaten = 1
    return fruit.apple_weight


@implements(eat, PEAR)
def eat_pear(fruit, bite):
    fruit.pear_weight -= 2 * bite
    return fruit.pear_weight


@kernel
def eat_thrice(fruits):
    """Written once for all fruits."""
    left = 0
    for _ in range(3):
        left = eat(fruits[0], 1)
    return left


def fruit(dtype: np.dtype, weight: int) -> np.ndarray:
    array = np.zeros(1, dtype)
    array[dtype.names[0]] = weight
    return array


@pytest.mark.small
def test_an_algorithm_is_specialised_for_each_type():
    apples, pears = fruit(APPLE, 10), fruit(PEAR, 10)
    assert (eat_thrice(apples), eat_thrice(pears)) == (7, 4)
    assert apples["apple_eaten"][0] == 1


@pytest.mark.small
def test_plain_python_chooses_too():
    apples, pears = fruit(APPLE, 10), fruit(PEAR, 10)
    assert (eat(apples[0], 1), eat(pears[0], 1)) == (9, 8)


@pytest.mark.small
def test_a_missing_implementation_is_a_clear_type_error():
    with pytest.raises(TypeError, match=r"eat\(\) is not implemented for .*write one with @implements\(eat"):
        eat(fruit(STONE, 1)[0], 1)
    with pytest.raises(TypeError, match=r"eat\(\) is not implemented for int"):
        eat(3, 1)


def test_a_missing_implementation_inside_a_kernel_says_the_same():
    with pytest.raises(TypingError, match=r"eat\(\) is not implemented for .*stone_weight"):
        eat_thrice(fruit(STONE, 1))


@pytest.mark.small
def test_a_second_implementation_is_refused():
    with pytest.raises(TypeError, match=r"eat\(\) is already implemented for .* pear_weight"):

        @implements(eat, PEAR)
        def _(fruit, bite):
            return 0

    assert eat_thrice(fruit(PEAR, 10)) == 4


@pytest.mark.small
@pytest.mark.parametrize("name", ["size", "shape", "data", "item", "copy", "base", "T", "view"])
def test_fields_that_numpy_owns_are_refused(name):
    with pytest.raises(ValueError, match=f"field '{name}' is an attribute of every NumPy record"):
        record_type([("fine", "u1"), (name, "u1")])


@pytest.mark.small
def test_records_have_attributes_when_not_compiled():
    record = fruit(APPLE, 3)[0]
    record.apple_weight += 1
    assert int(record["apple_weight"]) == 4


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_kernels_are_compiled_once_a_type():
    eat_thrice(fruit(APPLE, 10))
    eat_thrice(fruit(APPLE, 20))
    types = [signature[0].dtype for signature in eat_thrice.signatures]
    assert types.count(numba.from_dtype(APPLE)) == 1


# -- threads ------------------------------------------------------------------------------------------


@kernel
def spin(rounds):
    """Work that no compiler can leave out."""
    x = np.uint64(1)
    for _ in range(rounds):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
    return x


def rounds_for(seconds: float) -> int:
    spin(10)
    start = time.perf_counter()
    spin(10_000_000)
    return int(10_000_000 * seconds / (time.perf_counter() - start))


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain Python holds the lock")
def test_python_goes_on_while_a_kernel_runs():
    worker = threading.Thread(target=spin, args=(rounds_for(0.5),))
    worker.start()
    ticks = 0
    while worker.is_alive():
        time.sleep(0.001)
        ticks += 1
    assert ticks > 20, "a kernel that holds Python's lock would let the main thread run once"


@kernel
def exchange(ball, mine, turns, patience, waited):
    """Wait until the ball shows one's own number, then hand it to the other; how often that worked."""
    for turn in range(turns):
        while ball[0] != mine:
            waited[0] += 1  # a store that might be to the ball: it must be read again
            if waited[0] > patience:
                return turn
        ball[0] = 1 - mine
    return turns


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain Python holds the lock")
def test_two_kernels_that_wait_for_each_other_both_come_to_an_end():
    ball = np.zeros(1, np.int64)
    with ThreadPoolExecutor(2) as pool:
        sides = [
            pool.submit(exchange, ball, mine, 20, 10_000_000_000, np.zeros(1, np.int64)) for mine in (0, 1)
        ]
        assert [side.result() for side in sides] == [20, 20]


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain Python holds the lock")
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="there is one core")
def test_two_threads_run_kernels_at_the_same_time():
    rounds = rounds_for(0.2)

    def seconds(threads: int) -> float:
        workers = [threading.Thread(target=spin, args=(rounds,)) for _ in range(threads)]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return time.perf_counter() - start

    # Other programs want the cores too, so one good try is enough.
    ratios = []
    for _ in range(20):
        ratios.append(seconds(2) / seconds(1))
        if ratios[-1] < 1.5:
            return
    if os.getloadavg()[0] > 1.5:
        pytest.skip(f"other programs keep the cores busy (load {os.getloadavg()[0]:.1f})")
    pytest.fail(f"twice the work on two threads took {min(ratios):.2f} times as long")


def test_an_inner_function_has_no_entrance_from_python():
    if numba.config.DISABLE_JIT:
        pytest.skip("not compiled")

    @inner
    def helper(x):
        return x + 1

    with pytest.raises(TypeError, match=r"helper\(\) is @inner: call it from a @kernel"):
        helper(1)
