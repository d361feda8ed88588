"""Ratings: against a slow twin, against choix, by coverage, and where other programs give up."""

import math
import time

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import elo as naive

from playout.arena.elo import NATURAL, UNKNOWN, Ratings, default_anchors, rate
from playout.arena.match import elo_difference
from playout.errors import InputError

NAMES = ["a", "b", "c", "d"]


def tournament(rng, players, rounds, spread, first_move=0.0, nu=0.0):
    """True ratings, and a round robin between them, each pair `rounds` times with each colour."""
    truth = rng.normal(0, spread, players)
    truth -= truth.mean()
    games = []
    for black in range(players):
        for white in range(players):
            if black != white:
                x = (truth[black] - truth[white] + first_move) / NATURAL * (2 + nu) / 2
                chances = np.array([math.exp(x / 2), nu, math.exp(-x / 2)])
                times = rng.multinomial(rounds, chances / chances.sum())
                for score, number in zip((1.0, 0.5, 0.0), times, strict=True):
                    games += [(str(black), str(white), score)] * number
    return truth, games


def deviations(ratings: Ratings) -> np.ndarray:
    return np.sqrt(np.diag(ratings.covariance))


# -- the same as others -------------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(
    st.lists(
        st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from([0, 0.5, 1])),
        min_size=1,
        max_size=25,
    ),
    st.sampled_from([0.5, 1.0, 3.0]),
    st.booleans(),
)
def test_like_the_naive_twin(games, prior, first_move):
    found = rate(games, players=NAMES, prior=prior, first_move=first_move)
    elo, deviation, first = naive.ratings(NAMES, games, prior, first_move)
    assert found.elo == pytest.approx(elo, abs=0.1)
    assert deviations(found) == pytest.approx(deviation, rel=1e-3)
    assert found.first_move == pytest.approx(first, abs=0.1)


@pytest.mark.parametrize("seed", range(5))
def test_like_choix_where_choix_has_an_answer(seed):
    rng = np.random.default_rng(seed)
    _, games = tournament(rng, 10, 4, 150)
    pairs = [(int(b), int(w)) if score else (int(w), int(b)) for b, w, score in games]
    theirs = choix.opt_pairwise(10, pairs, alpha=UNKNOWN**-2 / 2) * NATURAL
    ours = rate(games, players=[str(k) for k in range(10)], prior=0, first_move=False)
    assert ours.elo == pytest.approx(theirs - theirs.mean(), abs=0.02)


def test_two_players_are_rated_as_a_match_rates_them():
    games = [("a", "b", 1), ("b", "a", 0)] * 8 + [("a", "b", 0), ("b", "a", 1)] * 3
    difference, _ = rate(games).difference("a", "b")
    assert difference == pytest.approx(elo_difference(16, 22), abs=0.5)


def test_draws_leave_the_elo_curve_where_it_was():
    """The same 60 % with many draws and with none: about the same rating, but surer."""
    wins, losses = [("a", "b", 1), ("b", "a", 0)], [("a", "b", 0), ("b", "a", 1)]
    drawn = wins * 30 + losses * 10 + [("a", "b", 0.5), ("b", "a", 0.5)] * 60
    plain = wins * 60 + losses * 40
    (with_draws, sure), (without, unsure) = (rate(games).difference("a", "b") for games in (drawn, plain))
    assert with_draws == pytest.approx(without, rel=0.1)
    assert sure < 0.7 * unsure
    assert rate(drawn).draw_rate == pytest.approx(0.62, abs=0.03)


# -- the truth is in the interval ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "rounds", "spread", "first_move", "nu"),
    [(8, 5, 150, 30, 0.0), (8, 5, 150, 30, 0.5), (4, 25, 200, 0, 0.0), (16, 1, 300, 50, 0.2)],
)
def test_intervals_hold_the_truth_in_95_of_100_cases(players, rounds, spread, first_move, nu):
    rng = np.random.default_rng(7)
    inside, first_inside, pairs_inside = [], [], []
    for _ in range(150 if players == 16 else 250):
        truth, games = tournament(rng, players, rounds, spread, first_move, nu)
        found = rate(games, players=[str(k) for k in range(players)])
        inside += list(np.abs(found.elo - truth) < 1.96 * deviations(found))
        gap, half = found.difference("0", "1")
        pairs_inside.append(abs(gap - (truth[0] - truth[1])) < half)
        first_inside.append(abs(found.first_move - first_move) < found.first_move_error)
    assert 0.93 <= np.mean(inside) <= 0.97
    assert np.mean(pairs_inside) >= 0.91  # fewer cases: two standard errors more room
    assert np.mean(first_inside) >= 0.91


def test_intervals_hold_the_truth_in_a_gauntlet_with_an_anchor():
    """One player with many games, the others with few, and all ratings as distances to one of those."""
    rng = np.random.default_rng(5)
    inside = []
    for _ in range(400):
        truth = rng.normal(0, 120, 7)
        games = []
        for other in range(1, 7):
            for black, white in ((0, other), (other, 0)) * 12:
                chance = 1 / (1 + 10 ** ((truth[white] - truth[black]) / 400))
                games.append((str(black), str(white), float(rng.random() < chance)))
        found = rate(games, anchors={"3": truth[3]})
        for k in (0, 1, 2, 4, 5, 6):
            low, high = found.interval(str(k))
            inside.append(low < truth[k] < high)
    assert 0.93 <= np.mean(inside) <= 0.97


def test_superiority_is_right_as_often_as_it_says():
    rng = np.random.default_rng(3)
    said, was = [], []
    for _ in range(300):
        truth, games = tournament(rng, 4, 5, 60)
        likelihood = rate(games, players=list("0123")).superiority("0", "1")
        said.append(likelihood)
        was.append(truth[0] > truth[1])
    sure = np.array(said) > 0.8
    assert np.mean(np.array(was)[sure]) == pytest.approx(np.mean(np.array(said)[sure]), abs=0.08)


# -- where others give up -----------------------------------------------------------------------------


def test_the_winless_and_the_invincible_have_finite_ratings():
    games = [("king", "man", 1), ("man", "king", 0)] * 20 + [("man", "mouse", 1), ("mouse", "man", 0)] * 20
    found = rate(games)
    assert np.isfinite(found.elo).all()
    assert np.isfinite(found.covariance).all()
    assert found["king"] > found["man"] > found["mouse"]
    assert found.superiority("king", "mouse") > 0.999
    more = rate(games + [("king", "man", 1), ("man", "king", 0)] * 500)
    assert found.difference("king", "man")[0] < more.difference("king", "man")[0] < 3000


@pytest.mark.parametrize("games", [[], [("a", "b", 1)], [("a", "b", 0.5)], [("a", "a", 1)]])
def test_hardly_any_games(games):
    found = rate(games, players=["a", "b", "c"])
    assert np.isfinite(found.elo).all()
    assert np.isfinite(deviations(found)).all()
    assert found.elo.mean() == pytest.approx(0, abs=1e-6)
    assert found.superiority("c", "b") == pytest.approx(0.5, abs=0.1)
    low, high = found.interval("c")
    assert high - low > 1000  # nobody knows c


def test_nobody_at_all():
    assert rate([]).standings() == []
    assert rate([]).facts()["games"] == 0


def test_groups_that_never_met_are_not_compared():
    games = [("a", "b", 1), ("b", "a", 0), ("c", "d", 1), ("d", "c", 1)] * 10
    found = rate(games)
    assert found.difference("a", "c")[1] > 1000
    assert found.difference("a", "b")[1] < 600


def test_of_whom_nothing_is_known_the_table_says_so():
    ratings = rate([("a", "b", 1)], players=["c", "a", "b"])
    assert [(row.name, row.known) for row in ratings.standings()] == [("a", True), ("b", True), ("c", False)]
    facts = ratings.facts()["players"][-1]
    assert (facts["name"], facts["elo"], facts["interval"]) == ("c", None, None)
    assert rate([], players=["a", "b"], anchors={"a": 5}).is_known("a")


def test_only_draws_and_only_black():
    drawn = rate([("a", "b", 0.5), ("b", "a", 0.5)] * 50)
    assert drawn.difference("a", "b")[0] == pytest.approx(0, abs=1e-6)
    assert drawn.draw_rate > 0.9
    black = rate([("a", "b", 1), ("b", "a", 1)] * 50)
    assert black.difference("a", "b")[0] == pytest.approx(0, abs=1e-6)
    assert black.first_move > 300


# -- anchors ------------------------------------------------------------------------------------------


def test_one_anchor_shifts_and_its_error_goes_to_the_others():
    _, games = tournament(np.random.default_rng(1), 5, 5, 100)
    free, held = rate(games), rate(games, anchors={"3": 1800})
    assert held["3"] == 1800
    assert held.interval("3") == (1800, 1800)
    assert held.elo - 1800 == pytest.approx(free.elo - free["3"])
    assert held.difference("0", "1") == pytest.approx(free.difference("0", "1"))
    low, high = held.interval("0")
    assert (high - low) / 2 == pytest.approx(held.difference("0", "3")[1])


@pytest.mark.parametrize("nu", [0.0, 0.5])
def test_several_anchors_are_all_held(nu):
    truth, games = tournament(np.random.default_rng(2), 6, 40, 200, nu=nu)
    anchors = {"0": 1500 + truth[0], "1": 1500 + truth[1], "2": 1500 + truth[2]}
    found = rate(games, anchors=anchors)
    assert {name: found[name] for name in anchors} == pytest.approx(anchors)
    assert found.interval("1") == pytest.approx((anchors["1"], anchors["1"]))
    for k in range(3, 6):
        low, high = found.interval(str(k))
        assert low - 20 < 1500 + truth[k] < high + 20
    assert found.superiority("0", "1") == float(truth[0] > truth[1])


@pytest.mark.parametrize(
    ("name", "is_anchor"),
    [
        ("gtp:gnugo --mode gtp --chinese-rules --level 10 --seed 3", True),
        ("gtp:/usr/games/gnugo --mode gtp", True),
        ("gtp:nice -n 5 gnugo-3.8 --mode gtp", True),
        ("GNU Go", True),
        ("GNU Go 3.8", True),
        ("gnugo-l10", True),
        ("gnugo-10", True),
        ("gtp:gnugo --mode gtp --level 0", False),
        ("gtp:gnugo --mode gtp --level=8", False),
        ("gtp:other --opponent mygnugo", False),
        ("gnugo-l1", False),
        ("gnugo-0", False),
        ("mogo:sims=1000", False),
    ],
)
def test_gnu_go_level_10_is_the_default_anchor(name, is_anchor):
    assert default_anchors([name, "other"]) == ({name: 1800.0} if is_anchor else {})
    assert default_anchors({name: ""}) == ({name: 1800.0} if is_anchor else {})


def test_a_spec_says_more_than_a_name():
    strong = "gtp:gnugo --mode gtp --level 10"
    assert default_anchors({"gnugo": "mogo:sims=10", "x-1": strong}) == {"x-1": 1800.0}
    assert default_anchors({"gnugo-10": "gtp:gnugo --level 0"}) == {}


# -- words and wrong input ----------------------------------------------------------------------------


def test_the_table_counts_games():
    games = [("a", "b", 1), ("b", "a", 1), ("a", "c", 0.5), ("c", "b", 0), ("b", "a", 0)]
    found = rate(games)
    rows = {row.name: row for row in found.standings()}
    assert [(r.wins, r.draws, r.losses, r.games) for r in (rows["a"], rows["b"], rows["c"])] == [
        (2, 1, 1, 4),
        (2, 0, 2, 4),
        (0, 1, 1, 2),
    ]
    assert found.score("a", "b") == (2.0, 3)
    assert found.score("b", "a") == (1.0, 3)
    facts = found.facts()
    assert facts["games"] == 5
    assert facts["players"][0]["against"]["b"] == {"points": 2.0, "games": 3}
    assert [row["elo"] for row in facts["players"]] == sorted(found.elo.tolist(), reverse=True)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"results": [("a", "b", 2)]}, "a score of 2 in a game of 'a' is not 0, 0.5 or 1"),
        ({"results": [("a", "b", math.nan)]}, "a score of nan"),
        ({"results": [("anna", "b", 1)], "anchors": {"ana": 5}}, "'ana' is not among .*did you mean anna"),
        ({"results": [("a", "b", 1)], "anchors": {"a": math.inf}}, "needs a rating, not inf"),
        ({"results": [], "prior": -1}, "a prior of -1"),
    ],
)
def test_wrong_input(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        rate(**arguments)
    with pytest.raises(InputError, match="no player 'z'"):
        rate([("a", "b", 1)])["z"]


def test_100_players_and_100_000_games_in_under_2_seconds():
    rng = np.random.default_rng(0)
    truth = rng.normal(0, 300, 100)
    black = rng.integers(0, 100, 100_000)
    white = (black + rng.integers(1, 100, 100_000)) % 100
    chance = 1 / (1 + 10 ** ((truth[white] - truth[black]) / 400))
    scores = (rng.random(100_000) < chance).astype(float).tolist()
    games = [(f"p{b}", f"p{w}", s) for b, w, s in zip(black.tolist(), white.tolist(), scores, strict=True)]
    began = time.process_time()  # others may be busy on this machine
    found = rate(games)
    assert time.process_time() - began < 2.0
    shown = np.array([found[f"p{k}"] for k in range(100)])
    assert np.abs(shown - truth + truth.mean()).max() < 100
