"""The sequential test: its errors are as rare as it says, and it always comes to an end."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from playout.arena.sprt import UNSEEN, VALUES, Sprt, expected_score
from playout.errors import InputError


def pairs(rng, elo, draws=0.0, decided=0.0):
    """Pairs of games of a player that is so much better; decided: the share of openings that decide both."""
    score = 0.5 + (expected_score(elo) - 0.5) / (1 - decided)
    win = score - draws / 2
    while True:
        if rng.random() < decided:
            yield 1.0
        else:
            yield float(rng.choice([1.0, 0.5, 0.0], size=2, p=[win, draws, 1 - win - draws]).sum())


def run(test, scores, most=5000):
    """The verdict, and after how many pairs."""
    seen = []
    for score in itertools.islice(scores, most):
        seen.append(score)
        if (verdict := test.verdict(seen)) != "go on":
            return verdict, len(seen)
    return "go on", most


@pytest.mark.parametrize(
    ("elo0", "elo1", "draws", "decided"),
    [(0, 150, 0.0, 0.0), (-60, 60, 0.5, 0.0), (100, 300, 0.0, 0.0), (0, 100, 0.0, 0.5)],
)
def test_errors_of_both_kinds_are_rare(elo0, elo1, draws, decided):
    rng = np.random.default_rng(1)
    test, runs = Sprt(elo0, elo1), 250
    under_0 = [run(test, pairs(rng, elo0, draws, decided))[0] for _ in range(runs)]
    under_1 = [run(test, pairs(rng, elo1, draws, decided))[0] for _ in range(runs)]
    assert "go on" not in under_0 + under_1
    # 5 %, and two standard errors of 250 runs
    assert under_0.count("accept") / runs < 0.08
    assert under_1.count("reject") / runs < 0.08
    # Not merely because it never dares: errors do happen.
    assert under_0.count("accept") + under_1.count("reject") > 0


@pytest.mark.parametrize(("elo0", "elo1"), [(0, 5), (0, 50), (-10, 0), (0, 400), (-400, 400), (300, 500)])
@pytest.mark.parametrize(("score", "verdict"), [(2.0, "accept"), (0.0, "reject")])
def test_a_clean_sheet_stops_but_not_at_once(elo0, elo1, score, verdict):
    said, after = run(Sprt(elo0, elo1), itertools.repeat(score))
    assert said == verdict
    assert after > 1
    # A pair of wins says at least ln(s1 / s0), of losses ln((1 - s0) / (1 - s1)).
    s0, s1 = expected_score(elo0), expected_score(elo1)
    pace = math.log(s1 / s0) if score else math.log((1 - s0) / (1 - s1))
    assert after <= 3 / pace + 3


def test_the_ratio_moves_evenly_at_n_to_0():
    test = Sprt(0, 20)
    ratios = [test.llr([2.0] * n) for n in range(60)]
    steps = np.diff(ratios)
    assert ratios[0] == pytest.approx(0, abs=1e-3)
    assert (steps > 0).all()
    assert steps.max() < 2 * steps.min()


@pytest.mark.parametrize("counts", [(3, 0, 8, 2, 9), (0, 0, 4, 0, 0), (1, 1, 1, 1, 1), (0, 7, 0, 0, 1)])
def test_the_ratio_is_that_of_the_most_likely_distributions(counts):
    """Once more without the formula: the likelihood maximised over all distributions with the mean."""
    seen = np.array(counts) + UNSEEN
    values = np.array(VALUES) / 2

    def largest(mean):
        found = minimize(
            lambda p: -float(seen @ np.log(p)),
            np.full(5, 0.2),
            bounds=[(1e-9, 1)] * 5,
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": lambda p: p @ values - mean},
            ],
            options={"ftol": 1e-13, "maxiter": 1000},
        )
        return -found.fun

    scores = [value for value, count in zip(VALUES, counts, strict=True) for _ in range(count)]
    ratio = largest(expected_score(80)) - largest(expected_score(-20))
    assert Sprt(-20, 80).llr(scores) == pytest.approx(ratio, abs=5e-3)


def test_the_bounds_are_walds():
    assert Sprt(0, 10).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Sprt(0, 10, alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


def test_openings_that_decide_both_games_tell_nothing():
    """Pairs of 1–1: no ratio between bounds that lie evenly about 0."""
    assert Sprt(-20, 20).llr([1.0] * 1000) == pytest.approx(0, abs=1e-6)
    assert Sprt(0, 40).verdict([1.0] * 1000) == "reject"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((50, 0), "not 50 and 0"),
        ((0, 0), "not 0 and 0"),
        ((0, math.nan), "not 0 and nan"),
        ((0, 10, 0.0), "alpha 0"),
        ((0, 10, 0.05, 0.5), "beta 0.5"),
    ],
)
def test_wrong_bounds(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        Sprt(*arguments)


def test_wrong_scores():
    with pytest.raises(InputError, match="cannot give 3 points"):
        Sprt(0, 10).verdict([1, 3])
