"""What throws can hit, against every legal play of every roll."""

import numpy as np
import pytest
from checkers import board_of, boards, random_games, side, state_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive import backgammon as naive

from playout.games.backgammon.hits import shots
from playout.games.backgammon.rules import ROLLS
from playout.games.backgammon.state import BAR, CHECKERS, OFF
from playout.kernel import kernel


@kernel
def ask(states, player):
    return shots(states[0], player)


def by_plays(board):
    """The same from the plays of the naive twin: what has left the other's points must be on his bar."""
    total = np.zeros(4, int)
    for high, low in ROLLS.tolist():
        most = np.zeros(4, int)
        for _, theirs in naive.plays(board, (high, low)):
            hit = [BAR - p for p in range(1, BAR) if theirs[p] < board[1][p]]
            assert len(hit) == theirs[BAR] - board[1][BAR]
            found = len(hit) > 0, len(hit) > 1, any(p >= 19 for p in hit), sum(hit)
            most = np.maximum(most, found)
        total += most * (1 if high == low else 2)
    return tuple(int(n) for n in total)


def agree(board, turn=1):
    assert tuple(ask(state_of(board, turn=turn), turn)) == by_plays(board), board


@st.composite
def blots(draw):
    """Boards on which the other side has many single checkers."""
    mine = [0] * (BAR + 1)
    mine[BAR] = draw(st.sampled_from([0, 0, 1, 2, 4, 5]))
    reach = draw(st.sampled_from([8, 12, 24]))
    for _ in range(draw(st.integers(1, CHECKERS - mine[BAR]))):
        mine[draw(st.integers(1, reach))] += 1
    mine[OFF] = CHECKERS - sum(mine[1:])
    theirs = [0] * (BAR + 1)
    for point in draw(st.sets(st.integers(1, 24), max_size=12)):
        if mine[BAR - point] == 0:
            count = draw(st.sampled_from([1, 1, 2, 3]))
            theirs[point] = min(count, CHECKERS - sum(theirs))
    theirs[OFF] = CHECKERS - sum(theirs)
    return tuple(mine), tuple(theirs)


@pytest.mark.small
@settings(deadline=None, max_examples=60)
@given(st.one_of(boards(), blots()), st.sampled_from([1, 2]))
@example((side(p24=1, p20=1, p3=13), side(p3=1, p7=1, p9=1, p2=12)), 1)
@example((side(bar=2, p13=4, p7=1), side(p4=1, p8=1, p11=1, p16=1)), 2)
def test_hits_are_those_of_the_legal_plays(board, turn):
    agree(board, turn)


@pytest.mark.small
def test_hits_in_random_games_are_those_of_the_legal_plays():
    for n, state in enumerate(random_games(3, 3)):
        if n % 4 == 0:
            turn = int(state["turn"][0])
            agree(board_of(state, turn), turn)


@pytest.mark.small
def test_known_numbers_of_shots():
    """As every book has them: of a blot six points away 17 throws hit, of one seven points away 6."""
    away = {1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3}
    for distance, throws in away.items():
        mine = side(p24=2)
        theirs = side(**{f"p{BAR - 24 + distance}": 1})
        hitting, twice, far, pips = ask(state_of((mine, theirs)), 1)
        assert (hitting, twice, pips) == (throws, 0, throws * (24 - distance)), distance
        assert far == (throws if distance <= 5 else 0)


@pytest.mark.small
def test_a_hit_that_leaves_a_die_unplayed_does_not_count_where_both_can_be_played():
    # 6-1: after 8/2* no 1 can be played, so 12/6/5 must be.
    mine, theirs = side(p8=1, p12=1), side(p23=1, p24=2, p18=2, p14=2)
    assert naive.plays((mine, theirs), (6, 1)) == {(side(p8=1, p5=1), theirs)}
    agree((mine, theirs))
    # With the point 5 blocked as well, only one die can be played, and it may hit.
    theirs = side(p23=1, p24=2, p18=2, p14=2, p20=2)
    assert (side(p2=1, p12=1), side(bar=1, p24=2, p18=2, p14=2, p20=2)) in naive.plays((mine, theirs), (6, 1))
    agree((mine, theirs))
