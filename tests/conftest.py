"""What all tests share."""

import os
import signal

import numba
import numpy as np
import pytest
from hypothesis import settings

collect_ignore_glob = ["support/*"]  # some run inside GNU Backgammon

# Debian puts games where not every PATH looks.
os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])

# Started in the background of a shell, as by nohup, they would ignore Ctrl-C, which many of them test.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# CI looks at the same examples every time, so that a change is judged by what it changes; a run by hand
# looks at new ones.
settings.register_profile("repeatable", derandomize=True)
if os.environ.get("PLAYOUT_REPEATABLE"):
    settings.load_profile("repeatable")


def pytest_collection_modifyitems(items):
    """The longest tests first: two workers end at about the same time."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(autouse=True)
def wrapping_arithmetic():
    """Uncompiled, NumPy warns of the wrap-around that random numbers, hashes and packed sums rely on."""
    with np.errstate(all="ignore" if numba.config.DISABLE_JIT else None):
        yield
