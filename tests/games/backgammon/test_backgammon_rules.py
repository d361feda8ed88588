"""Backgammon's rules against a naive twin, GNU Backgammon, and what the rules say of special cases."""

import numpy as np
import pytest
from checkers import (
    board_of,
    boards,
    is_consistent,
    legal,
    needs_gnubg,
    plays_of_gnubg,
    random_games,
    side,
    state_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import backgammon as naive

from playout.games import api
from playout.games.backgammon.ids import position_id
from playout.games.backgammon.notation import parse, spell
from playout.games.backgammon.rules import ACTIONS, CHOICES, EVENTS, NO_PLAY, ROLLS
from playout.games.backgammon.state import CHECKERS, OFF, start
from playout.games.check import check
from playout.kernel import clone, new_rng


def afters(state):
    """The boards after each legal play, the mover's checkers first; each play once, each number in range."""
    turn, before = int(state["turn"][0]), state.tobytes()
    actions = legal(state)
    assert state.tobytes() == before  # looking changes nothing
    assert len(actions) == len(set(actions))
    assert all(0 <= action < ACTIONS for action in actions)
    found = []
    for action in actions:
        after = clone(state)
        api.play(after[0], action)
        found.append(board_of(after, turn))
    assert is_consistent(after)  # the last of them
    assert (int(after["turn"][0]), *after["dice"][0]) == (3 - turn, 0, 0)
    return found


def agree(board, dice, turn=1):
    """Compare with the naive twin; the number of plays."""
    found = afters(state_of(board, dice, turn))
    assert len(found) == len(set(found))
    assert set(found) == naive.plays(board, dice), (board, dice)
    return len(found)


@pytest.mark.small
@settings(deadline=None, max_examples=60)
@given(boards(), st.sampled_from([1, 2]))
def test_plays_are_those_of_the_naive_twin(board, turn):
    if CHECKERS in (board[0][OFF], board[1][OFF]):
        return
    for high, low in ROLLS.tolist():
        agree(board, (high, low), turn)


@pytest.mark.small
def test_plays_of_random_games_are_those_of_the_naive_twin():
    for state in random_games(6, 1):
        turn, dice = int(state["turn"][0]), tuple(int(d) for d in state["dice"][0])
        agree(board_of(state, turn), dice, turn)


# -- GNU Backgammon ---------------------------------------------------------------------------------------


def compare_with_gnubg(count, folder):
    """Legal plays of random (position, roll) pairs, the rolls anything and not those of the game."""
    rng = np.random.default_rng(count)
    states = []
    for state in random_games(max(3, count // 30), 7):
        if rng.random() < 0.4 and len(states) < count:
            state["dice"] = ROLLS[rng.integers(EVENTS)]
            states.append(state)
    assert len(states) == count
    asked = [(position_id(state), tuple(state["dice"][0])) for state in states]
    for state, question, told in zip(states, asked, plays_of_gnubg(asked, folder), strict=True):
        ours = sorted(legal(state))
        names = {frozenset(spell(state[0], action).split()): action for action in ours}
        known = [names.get(frozenset(word.split())) for word in told]  # words differ where hops do
        found = zip(told, known, strict=True)
        theirs = sorted(parse(state[0], word) if a is None else a for word, a in found) or [NO_PLAY]
        assert ours == theirs, (question, [spell(state[0], a) for a in set(ours) ^ set(theirs)])


@needs_gnubg
def test_plays_are_those_of_gnubg(tmp_path):
    compare_with_gnubg(300, tmp_path)


@needs_gnubg
@pytest.mark.slow
def test_ten_thousand_plays_are_those_of_gnubg(tmp_path):
    compare_with_gnubg(10_500, tmp_path)


# -- special cases ----------------------------------------------------------------------------------------


AWAY = side(p1=2)  # an opponent out of the way


@pytest.mark.small
@pytest.mark.parametrize(
    ("mine", "theirs", "dice", "plays"),
    [
        # Either die can be played, but not both: the larger one must be.
        (side(p13=1), side(p21=2, p1=13), (6, 3), {"13/7"}),
        # Only the smaller one can be.
        (side(p13=1), side(p18=2, p21=2, p1=11), (6, 3), {"13/10"}),
        # Both dice can be played, if the larger one is played right: then they must be.
        (side(p13=1, p8=1), side(p15=2, p20=2, p1=2), (6, 3), {"13/4"}),
        # Nothing can be played from the bar.
        (side(bar=1, p6=14), side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2), (5, 2), {"pass"}),
        # The bar first, and then only what is left.
        (side(bar=2, p6=13), side(p6=2), (6, 2), {"bar/23"}),
        # Doubles: four, and fewer where no more can be played.
        (side(p6=4), AWAY, (6, 6), {"6/off(4)"}),
        (side(p24=1), side(p13=2), (4, 4), {"24/16"}),
        # Bearing off: exactly, from the highest point, and a higher one must move first.
        (side(p6=1, p4=1), AWAY, (5, 4), {"6/1 4/off", "6/2 4/off"}),
        (side(p3=1, p2=1), AWAY, (6, 5), {"3/off 2/off"}),
        (side(p7=1, p3=1), AWAY, (6, 1), {"7/1 3/2", "7/off"}),
        # One checker with both dice: two ways, of which one hits.
        (side(p13=1), side(p16=1, p1=14), (5, 4), {"13/9*/4", "13/4"}),
    ],
)
def test_special_cases(mine, theirs, dice, plays):
    state = state_of((mine, theirs), dice)
    assert agree((mine, theirs), dice) == len(plays)
    assert {spell(state[0], action) for action in legal(state)} == plays


@pytest.mark.small
@pytest.mark.parametrize(
    ("theirs", "points"),
    [
        (side(p1=1), 1),
        (side(p1=14), 1),
        (side(p6=15), 2),
        (side(p18=15), 2),
        (side(p18=14, p19=1), 3),
        (side(p6=14, bar=1), 3),
    ],
)
def test_what_a_game_counts(theirs, points):
    won = side()
    assert naive.points_won((won, theirs)) == points
    for turn, sign in ((1, 1), (2, -1)):
        state = state_of((won, theirs), turn=turn)
        assert api.is_over(state[0])
        assert api.outcome(state[0]) == sign * points
        state["jacoby"] = 1
        assert api.outcome(state[0]) == sign
        state["owner"], state["jacoby"] = 1, 1  # after a double gammons count
        assert api.outcome(state[0]) == sign * points


@pytest.mark.small
@pytest.mark.parametrize(("score", "cube", "points"), [(0, 0, 3), (5, 0, 2), (6, 0, 1), (3, 1, 2), (3, 3, 1)])
def test_a_match_counts_no_more_than_it_needs(score, cube, points):
    state = state_of((side(), side(p20=15)))
    state["length"], state["score"], state["cube"], state["owner"] = 7, (score, 0), cube, 1
    assert api.outcome(state[0]) == points


@pytest.mark.small
def test_most_plays_fit():
    """Checkers far apart, and a double of ones: about the most plays that there are."""
    board = (side(p24=1, p22=1, p20=1, p18=1, p16=1, p14=1, p12=1, p10=1, p8=1, p6=1, p4=1, p2=4), side())
    assert 500 < agree((board[0], side(bar=15)), (1, 1)) <= CHOICES


@pytest.mark.small
def test_first_roll_is_no_double():
    state, probabilities = start(), np.zeros(EVENTS)
    assert api.is_chance(state[0])
    assert api.chances(state[0], probabilities) == EVENTS == 21
    doubles = ROLLS[:, 0] == ROLLS[:, 1]
    assert np.allclose(probabilities, np.where(doubles, 0, 1 / 15))
    api.happen(state[0], 1)
    assert state["dice"].tolist() == [[2, 1]]
    api.play(state[0], legal(state)[0])
    api.chances(state[0], probabilities)
    assert np.allclose(probabilities, np.where(doubles, 1 / 36, 1 / 18))


@pytest.mark.small
@pytest.mark.parametrize("opening", [0, 1])
def test_rolls_come_as_often_as_they_should(opening):
    state, rng, seen = start(), new_rng(3), np.zeros(EVENTS)
    probabilities = np.zeros(EVENTS)
    state["opening"] = opening
    api.chances(state[0], probabilities)
    for _ in range(3000):
        state["opening"] = opening
        event = int(api.roll(state[0], rng[0]))
        assert state["dice"][0].tolist() == ROLLS[event].tolist()
        seen[event] += 1
    assert abs(seen / 3000 - probabilities).max() < 0.02


@pytest.mark.small
def test_a_key_tells_states_apart():
    keys = set()
    count = 0
    for state in random_games(2, 5):
        for field, value in (
            (None, 0),
            ("turn", 3 - state["turn"]),
            ("cube", 1),
            ("jacoby", 1),
            ("score", 1),
        ):
            other = clone(state)
            if field:
                other[field] = value
            keys.add(int(api.position_key(other[0])))
            count += 1
    assert len(keys) == count


@pytest.mark.slow
def test_the_check_of_games_finds_nothing():
    report = check("backgammon")
    assert report.problems == []
    assert report.compiled_games > 100
