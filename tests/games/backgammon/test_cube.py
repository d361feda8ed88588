"""Cube decisions: reference values, a naive twin, GNU Backgammon's on the same chances, exact bear-offs."""

import numpy as np
import pytest
from checkers import ask_gnubg, needs_gnubg, random_games, side, state_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import cube as naive

from playout.errors import InputError
from playout.games.backgammon.cube import (
    Chances,
    decide,
    decision_of,
    efficiency_of,
    equity_of,
)
from playout.games.backgammon.ids import position_id, read_id
from playout.games.backgammon.match_equity import LONGEST, Score, match_equity
from playout.games.backgammon.state import MAY_DOUBLE, OFFERED

SHARE = st.floats(0, 0.6)


@st.composite
def chances(draw):
    win = draw(st.floats(0.02, 0.98))
    gammon, lost = win * draw(SHARE), (1 - win) * draw(SHARE)
    return Chances(win, gammon, gammon * draw(SHARE), lost, lost * draw(SHARE))


def twin_of(found, worth=None, enough=None):
    """The naive game with the same shares of gammons."""
    shares = {}
    for who, (win, gammon, more) in {"me": found[:3], "other": (1 - found[0], *found[3:])}.items():
        shares[who] = ((win - gammon) / win, (gammon - more) / win, more / win)
    plain = {"me": float, "other": float}
    return naive.Game(shares, worth or plain, enough or dict.fromkeys(plain, np.inf))


USERS = {None: ("me", "other"), True: ("me",), False: ("other",)}


@pytest.mark.small
@given(chances(), st.floats(0, 1), st.sampled_from([None, True, False]), st.sampled_from([1, 2, 8]))
@settings(deadline=None, max_examples=60)
def test_money_equities_are_those_of_the_naive_twin(found, x, mine, cube):
    decision = decide(found, cube=cube, mine=mine, efficiency=x)
    twin = twin_of(found)
    assert decision.no_double == pytest.approx(twin.value(found.win, 1, USERS[mine], x), abs=1e-6)
    assert decision.double_take == pytest.approx(2 * twin.value(found.win, 1, ("other",), x), abs=1e-6)
    assert decision.double_pass == 1
    assert decision.cubeless == pytest.approx(found.equity)


@pytest.mark.small
@given(chances(), st.floats(0, 1), st.sampled_from([None, True]), st.data())
@settings(deadline=None, max_examples=60)
def test_match_equities_are_those_of_the_naive_twin(found, x, mine, data):
    away, others = data.draw(st.tuples(st.integers(1, 15), st.integers(1, 15)))
    cube = 2 ** data.draw(st.integers(0, 2))
    score = Score(away, others)
    decision = decide(found, cube=cube, mine=mine, score=score, efficiency=x)
    assert decision.may_double == (away > cube)

    def worth(points):
        return score.after(int(points))

    twin = twin_of(
        found, {"me": worth, "other": lambda points: 1 - worth(-points)}, {"me": away, "other": others}
    )
    no_double, double_take, double_pass = decision.match_chances
    free = others > cube >= away and mine is None  # the other will double for nothing
    assert no_double == pytest.approx(twin.value(found.win, cube, USERS[mine], 1.0 if free else x), abs=1e-6)
    free = others > 2 * cube >= away
    assert double_take == pytest.approx(
        twin.value(found.win, 2 * cube, ("other",), 1.0 if free else x), abs=1e-6
    )
    assert double_pass == worth(cube)


@pytest.mark.small
@pytest.mark.parametrize(
    ("x", "point"),
    [(0.0, 0.25), (1.0, 0.2), (0.68, 0.5 / 2.34), (2 / 3, 3 / 14)],  # dead, live, and between
)
def test_take_points_for_money(x, point):
    assert decide(Chances(0.75), efficiency=x).take_point == pytest.approx(point, abs=1e-6)


@pytest.mark.small
@given(chances(), st.floats(0, 1))
@settings(deadline=None)
def test_the_take_point_is_janowskis(found, x):
    decision = decide(found, efficiency=x)
    wins = (found.win + found.win_gammon + found.win_backgammon) / found.win
    losses = (1 - found.win + found.lose_gammon + found.lose_backgammon) / (1 - found.win)
    # The taker's L is what the doubler wins.
    assert decision.take_point == pytest.approx((wins - 0.5) / (wins + losses + x / 2), abs=1e-6)


@pytest.mark.small
@pytest.mark.parametrize(
    ("found", "facts", "verdict"),
    [
        (Chances(0.5), {}, "no double, take"),
        (Chances(0.75), {}, "double, take"),
        (Chances(0.75), {"mine": True}, "redouble, take"),
        (Chances(0.7), {"mine": True}, "no redouble, take"),
        (Chances(0.85), {}, "double, pass"),
        (Chances(0.9, 0.6), {}, "too good to double, pass"),
        (Chances(0.9, 0.6), {"mine": True}, "too good to redouble, pass"),
        (Chances(0.9, 0.6), {"jacoby": True}, "double, pass"),  # gammons count only then
        (Chances(0.75), {"mine": False}, "no double is possible"),
        (Chances(0.75), {"cube": 64, "mine": True}, "no double is possible"),
        # Two points away each: the pass leaves the other 32 %, so he needs as much to take.
        (Chances(0.67), {"score": Score(2, 2)}, "double, take"),
        (Chances(0.68), {"score": Score(2, 2)}, "double, pass"),
        # One point away: nothing to gain. Who trails after the Crawford game has nothing to lose.
        (Chances(0.75), {"score": Score(1, 3)}, "no double is possible"),
        (Chances(0.75), {"score": Score(3, 1, crawford=True)}, "no double is possible"),
        (Chances(0.3), {"score": Score(3, 1)}, "double, take"),
        # Two points away, a pass only makes the score even.
        (Chances(0.52), {"score": Score(2, 1)}, "double, pass"),
        (Chances(0.48), {"score": Score(2, 1)}, "double, take"),
    ],
)
def test_verdicts(found, facts, verdict):
    assert decide(found, **facts).verdict == verdict


@pytest.mark.small
@given(chances(), st.floats(0, 1), st.data())
@settings(deadline=None)
def test_who_wins_more_has_more(found, x, data):
    score = data.draw(st.sampled_from([None, Score(3, 5), Score(7, 4), Score(2, 1)]))
    more = found._replace(win=min(0.99, found.win + 0.01))
    one, two = (decide(each, score=score, efficiency=x) for each in (found, more))
    assume(more.win > found.win)
    # With as many gammons a win, not as many gammons.
    scale, less = more.win / found.win, (1 - more.win) / (1 - found.win)
    more = Chances(more.win, found[1] * scale, found[2] * scale, found[3] * less, found[4] * less)
    two = decide(more, score=score, efficiency=x)
    assert two.no_double >= one.no_double - 1e-9
    assert two.double_take >= one.double_take - 1e-9


@pytest.mark.small
@given(chances(), st.sampled_from([0, 5, 11]), st.integers(0, 2), st.booleans())
@settings(deadline=None)
def test_equities_of_states_are_those_of_both(found, length, owner, cubed):
    state = read_id("4HPwATDgc/ABMA")
    state["length"], state["score"], state["owner"] = length, (2, 3) if length else (0, 0), owner
    state["doubling"] = MAY_DOUBLE if cubed and owner != 2 else 0
    tallies = list(found)
    mine = equity_of(state[0], tallies, 1)
    assert mine == -equity_of(state[0], tallies, 2)
    decision = decision_of(state[0], tallies)
    assert mine == pytest.approx(decision.no_double if state["doubling"][0] else decision.cubeless)
    if state["doubling"][0]:
        state["doubling"] = OFFERED
        assert equity_of(state[0], tallies, 1) == pytest.approx(decision.doubled)


# -- tables ---------------------------------------------------------------------------------------------


@pytest.mark.small
@given(st.integers(1, 99), st.integers(1, 98), st.booleans())
def test_match_equities_are_chances(mine, others, post):
    one = match_equity(mine, others, post)
    assert 0 < one < 1
    assert one + match_equity(others, mine, post) == pytest.approx(1)
    if not post:
        assert match_equity(mine, others + 1) >= one


@pytest.mark.small
def test_a_match_ends_and_the_crawford_game_comes_once():
    assert Score(2, 4).after(2) == 1.0
    assert Score(4, 2).after(-2) == 0.0
    assert Score(3, 1, crawford=True).after(1) == match_equity(2, 1, post_crawford=True) == 0.48803
    assert Score(2, 4).after(1) == match_equity(1, 4) == 0.81436


@pytest.mark.small
def test_bear_offs_are_exact():
    # Nobody gets another roll: a cube is dead, and 75 % is the edge of a take.
    last = state_of((side(p6=1), side(p1=2)))  # 27 of 36 rolls bear off
    decision = decision_of(last[0], [0.75, 0, 0, 0, 0])
    assert decision.exact
    assert (decision.no_double, decision.double_take, decision.double_pass) == pytest.approx((0.5, 1.0, 1.0))
    assert decision.verdict == "double, take"
    two = state_of((side(p6=1), side(p6=1)))
    decision = decision_of(two[0], [0.8125, 0, 0, 0, 0])
    assert decision.cubeless == pytest.approx(0.625)
    assert (
        decision.verdict == "double, take"
    )  # the taker's cube is worth nothing, but he has 25 % of 25 % more
    assert not decision_of(two[0], [0.8125, 0, 0, 0, 0], efficiency=0.6).exact
    two["length"] = 7
    assert not decision_of(two[0], [0.8125, 0, 0, 0, 0]).exact


@pytest.mark.small
def test_the_cubes_efficiency():
    assert efficiency_of(state_of((side(p6=5, p24=2), side(p6=5, p24=2)))[0]) == 0.68
    assert efficiency_of(state_of((side(p6=2), side(p6=2)))[0]) == 0.6
    assert efficiency_of(state_of((side(p12=8), side(p6=2)))[0]) == pytest.approx(0.55 + 96 / 800)


# -- GNU Backgammon -------------------------------------------------------------------------------------


def compare_with_gnubg(games, share, folder):
    """Decisions on GNU Backgammon's own chances, and its match equity table.

    By whether they were for money: how many were compared, and how many doubles and takes were the same.
    """
    rng = np.random.default_rng(2)
    asked = []
    for state in random_games(games, 3):
        if rng.random() < share:
            state["dice"] = 0
            cube = int(2 ** rng.integers(0, 3))
            length = int(rng.choice([0, 0, 5, 7, 11]))
            away = [int(n) for n in rng.integers(1, length + 1, 2)] if length else [0, 0]
            asked.append((state, cube, cube > 1, length, *away))
    lines = [
        " ".join(map(str, (position_id(state), cube, int(own), *rest))) for state, cube, own, *rest in asked
    ]
    found = ask_gnubg("gnubg_cubes.py", lines, folder)
    counts = {True: np.zeros(3, int), False: np.zeros(3, int)}
    for (state, cube, own, length, away, others), (five, told) in zip(asked, found["told"], strict=True):
        x, score = efficiency_of(state[0]), Score(away, others) if length else None
        decision = decide(Chances.of(five), cube=cube, mine=own or None, score=score, efficiency=x)
        if decision.may_double:
            no_double, taken, passed = told
            doubles = decision.doubles == (min(taken, passed) > no_double)
            counts[not length] += (1, doubles, decision.takes == (taken <= passed))
            if not length and x == 0.68:  # its tables know races
                assert (decision.no_double, decision.double_take) == pytest.approx(
                    (no_double, taken), abs=1e-4
                )
    return found["met"], counts


@needs_gnubg
def test_decisions_are_those_of_gnubg_on_its_chances(tmp_path):
    (table, post, _), counts = compare_with_gnubg(40, 0.06, tmp_path)
    for one in range(1, LONGEST + 1):
        if one < LONGEST:  # its last number is another one than in its file
            assert match_equity(one, 1, post_crawford=True) == pytest.approx(post[one - 1], abs=2e-6)
        for two in range(1, LONGEST + 1):
            assert match_equity(one, two) == pytest.approx(table[one - 1][two - 1], abs=2e-6)
    for compared, doubles, takes in counts.values():
        assert compared > 40
        assert min(doubles, takes) >= 0.95 * compared


@needs_gnubg
@pytest.mark.slow
def test_many_decisions_are_those_of_gnubg(tmp_path):
    _, counts = compare_with_gnubg(300, 0.2, tmp_path)
    print(counts)  # the figures of docs/backgammon.md
    for compared, doubles, takes in counts.values():
        assert compared > 1000
        assert min(doubles, takes) >= 0.97 * compared


# -- wrong input ----------------------------------------------------------------------------------------


@pytest.mark.small
@pytest.mark.parametrize(
    ("found", "facts", "sentence"),
    [
        (Chances(0.5), {"cube": 3}, "a cube of '3' is no power of two from 1 to 4,096"),
        (Chances(0.5), {"cube": 0}, "a cube of '0' is no power of two"),
        (Chances(1.5), {}, "chances are from 0 to 1"),
        (Chances(0.5, 0.6), {}, "no more gammons than wins"),
        (Chances(0.5, 0.2, 0.3), {}, "no more backgammons than gammons"),
        (Chances(0.5, 0, 0, 0.6), {}, "no more gammons than wins or losses"),
        (Chances(float("nan")), {}, "chances are from 0 to 1"),
        (Chances(0.5), {"efficiency": 1.5}, "the cube's efficiency is from 0"),
        (Chances(0.5), {"score": Score(0, 3)}, "a match is over where somebody is 0 points away"),
    ],
)
def test_wrong_input_gets_a_sentence(found, facts, sentence):
    with pytest.raises(InputError, match=sentence):
        decide(found, **facts)
