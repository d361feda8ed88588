"""Pairs of games: their counts, who won an opening twice, and normalised Elo by hand and by simulation."""

import math

import numpy as np
import pytest

from playout.arena.match import GameResult, Match, summarise
from playout.arena.pairs import NORMALISED, Pairs
from playout.arena.sprt import VALUES


def pairs_of(counts) -> Pairs:
    return Pairs.of(("", value) for value, count in zip(VALUES, counts, strict=True) for _ in range(count))


@pytest.mark.parametrize(
    ("counts", "elo"),
    [
        # m = ¾, v = 1/16: (1/4) / (√2 / 4) · 800 / ln 10
        ((0, 0, 2, 0, 2), NORMALISED / math.sqrt(2)),
        # Games that are won and lost independently by equals: 0.
        ((1, 0, 2, 0, 1), 0.0),
        # m = 0.6, v = (0.35² + 2·0.1² + 0.15² + 0.4²) / 5 = 0.065
        ((0, 1, 2, 1, 1), 0.1 / math.sqrt(2 * 0.065) * NORMALISED),
    ],
)
def test_normalised_elo_by_hand(counts, elo):
    assert pairs_of(counts).normalised_elo == pytest.approx(elo)
    assert pairs_of(counts[::-1]).normalised_elo == pytest.approx(-elo)
    assert pairs_of(counts[::-1]).normalised_margin == pytest.approx(pairs_of(counts).normalised_margin)


def test_it_is_elo_where_games_are_independent_and_nearly_even():
    win = 0.51
    games = np.array([1 - win, 0, win])
    counts = np.convolve(games, games)  # of two games, in half points
    found = pairs_of(np.round(counts * 10_000).astype(int))
    assert found.normalised_elo == pytest.approx(400 * math.log10(win / (1 - win)), abs=0.1)


@pytest.mark.parametrize("counts", [(0, 0, 0, 0, 0), (0, 0, 0, 0, 7), (0, 0, 1, 0, 0), (3, 0, 0, 0, 0)])
def test_where_all_pairs_ended_alike_it_is_not_known(counts):
    found = pairs_of(counts)
    assert found.total == sum(counts)
    assert found.normalised_elo is None
    assert found.normalised_margin is None


@pytest.mark.parametrize(
    "shares",
    [(0.2, 0.0, 0.6, 0.0, 0.2), (0.05, 0.1, 0.5, 0.2, 0.15), (0.01, 0.02, 0.17, 0.2, 0.6)],
)
def test_the_interval_holds_the_truth_in_95_of_100_cases(shares):
    p, x = np.array(shares), np.array(VALUES) / 2
    mean = p @ x
    truth = (mean - 0.5) / math.sqrt(2 * (p @ (x - mean) ** 2)) * NORMALISED
    rng = np.random.default_rng(1)
    held = 0
    for counts in rng.multinomial(200, p, 4000).tolist():
        found = Pairs(tuple(counts))
        held += abs(found.normalised_elo - truth) <= found.normalised_margin
    assert 0.93 <= held / 4000 <= 0.97


def test_who_won_an_opening_twice():
    found = Pairs.of([("E5", 2.0), ("C3", 0.0), ("E5", 1.0), ("C3", 1.5), ("E5", 2.0)])
    assert [(o.moves, o.pairs, o.a_twice, o.b_twice, o.split) for o in found.openings] == [
        ("E5", 3, 2, 0, 1),
        ("C3", 2, 0, 1, 1),
    ]
    assert found.facts()["pentanomial"] == [1, 0, 1, 1, 2]


def test_only_whole_pairs_that_count_are_pairs():
    def game(number, winner, reason="score", counted=True):
        return GameResult(number, "a", winner, "", reason, "", 1, {}, counted, opening="E5")

    games = [
        game(1, "a"),
        game(2, "a"),
        game(3, "a"),
        game(4, None, "void", counted=False),
        game(5, "b"),
        game(6, None),
        game(7, "b"),
    ]
    assert summarise(games).pairs.counts == (0, 1, 0, 0, 1)


def test_a_match_counts_its_pairs_as_the_summary_of_its_games_does(tmp_path):
    (tmp_path / "openings.txt").write_text("C3 B2\nB2\n")
    settings = {"size": 5, "komi": 0.0, "seed": 3, "openings": tmp_path / "openings.txt"}
    store = tmp_path / "run.db"
    with Match("uniform", "mogo-policy", 11, store=store, **settings) as match:
        list(match.play())
        found = match.result().pairs
        assert found == summarise(match.results()).pairs
    assert (found.total, [opening.pairs for opening in found.openings]) == (5, [3, 2])
    with Match("mogo-policy", "uniform", 11, store=store, **settings) as turned:  # the other way round
        assert turned.result().pairs.counts == found.counts[::-1]
        assert turned.result().pairs == summarise(turned.results()).pairs
