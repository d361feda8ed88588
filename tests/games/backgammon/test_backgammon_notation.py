"""Plays as words: every legal play is read as it is spelled, and as others write it."""

import pytest
from checkers import boards, legal, random_games, side, state_of
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.notation import parse, spell, steps_of
from playout.games.backgammon.rules import ROLLS
from playout.games.backgammon.state import BAR, CHECKERS, OFF
from playout.games.position import IllegalMove

START = "4HPwATDgc/ABMA"


def written(state, action):
    """A play hop by hop, with numbers for bar and off."""
    return " ".join(f"{source}/{target}" for source, target in steps_of(state[0], action))


@pytest.mark.small
@settings(deadline=None, max_examples=40)
@given(boards(), st.integers(0, len(ROLLS) - 1), st.randoms())
def test_words_are_read_as_they_are_spelled(board, roll, random):
    if CHECKERS in (board[0][OFF], board[1][OFF]):
        return
    state = state_of(board, ROLLS[roll])
    actions = legal(state)
    words = [spell(state[0], action) for action in actions]
    assert len(set(words)) == len(words)
    for action, word in list(zip(actions, words, strict=True))[:30]:
        assert parse(state[0], word) == action
        parts = word.upper().split()
        random.shuffle(parts)
        assert parse(state[0], ",".join(parts)) == action
        if action:
            assert parse(state[0], written(state, action)) == action


@pytest.mark.small
def test_steps_can_be_made_one_after_the_other():
    for state in random_games(2, 9):
        for action in legal(state):
            mine = state["points"][0, state["turn"][0] - 1].astype(int)
            for source, target in steps_of(state[0], action):
                assert mine[source] > 0
                assert source == BAR or mine[BAR] == 0
                assert target != OFF or not mine[7:].any()
                mine[source] -= 1
                mine[target] += 1


@pytest.mark.small
@pytest.mark.parametrize(
    ("dice", "text", "play"),
    [
        ((3, 1), "8/5 6/5", "8/5 6/5"),
        ((3, 1), " 6/5,8/5 ", "8/5 6/5"),
        ((3, 1), "24/21/20", "24/20"),
        ((3, 1), "24/23 23/20", "24/20"),
        ((1, 1), "6/5(2) 8/7(2)", "8/7(2) 6/5(2)"),
        ((1, 1), "8/7 8/7 6/5 6/5", "8/7(2) 6/5(2)"),
        ((1, 1), "24/23/22(2)", "24/22(2)"),
        ((6, 6), "24/18(2) 13/7 13/7", "24/18(2) 13/7(2)"),
    ],
)
def test_many_ways_to_write_a_play(dice, text, play):
    position = BackgammonPosition.from_id(START, dice)
    assert position.spell(position.parse(text)) == play


BLOTS = (side(p13=1, p6=2), side(p16=1, p17=1, p1=13))  # on 9 and on 8, as the mover counts


@pytest.mark.small
@pytest.mark.parametrize(
    ("theirs", "text", "play"),
    [
        (side(p16=1, p1=14), "13/4", "13/4"),
        (side(p16=1, p1=14), "13/9/4", "13/9*/4"),
        (side(p16=1, p1=14), "13/9*/4", "13/9*/4"),
        (side(p16=1, p1=14), "13/8/4", "13/4"),
        (BLOTS[1], "13/8/4", "13/8*/4"),
        (BLOTS[1], "13/9*/4", "13/9*/4"),
    ],
)
def test_a_checker_with_both_dice_may_hit_on_the_way(theirs, text, play):
    state = state_of((BLOTS[0], theirs), (5, 4))
    assert spell(state[0], parse(state[0], text)) == play


@pytest.mark.small
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("13/4", r"'13/4' is no legal play of 3-1: legal are 6/2, 6/5 6/3, .* and 8 more"),
        ("8/5", "'8/5' is no legal play of 3-1"),
        ("8/5 8/5 8/5 8/5 8/5", "is not a play as in 13/7 8/7"),
        ("8/5*", "'8/5\\*' is no legal play"),
        ("13/10*/9", "hits nothing on point 10: write 13/9"),
        ("pass", "there are plays to be made: legal are 6/2"),
        ("bar/22", "'bar/22' is no legal play of 3-1"),
        ("5/8 6/5", "is not a play as in"),
        ("26/22", "is not a play as in"),
        ("6/5(9)", "is not a play as in"),
        ("", "is not a play as in"),
        ("x" * 10_000, "is not a play as in"),
        ("²/1", "is not a play as in"),
    ],
)
def test_what_is_no_play_gets_a_sentence(text, sentence):
    position = BackgammonPosition.from_id(START, (3, 1))
    with pytest.raises(IllegalMove, match=sentence) as refused:
        position.play(text)
    assert len(str(refused.value)) < 300


@pytest.mark.small
def test_two_ways_that_hit_are_asked_for():
    state = state_of(BLOTS, (5, 4))
    with pytest.raises(IllegalMove, match=r"'13/4' may hit on the way .*: write 13/8\*/4 or 13/9\*/4"):
        parse(state[0], "13/4")


@pytest.mark.small
def test_who_cannot_move_passes():
    state = state_of((side(bar=1, p6=14), side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2)), (5, 2))
    assert spell(state[0], 0) == "pass"
    assert parse(state[0], "Cannot  move") == parse(state[0], "pass") == 0
    with pytest.raises(IllegalMove, match="no die can be played, so say pass"):
        parse(state[0], "bar/20")
