"""IDs of positions: round trips, examples of GNU Backgammon, and what is refused."""

import base64

import numpy as np
import pytest
from checkers import boards, needs_gnubg, plays_of_gnubg, state_of
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.errors import InputError
from playout.games import api
from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.doubling import may_double
from playout.games.backgammon.ids import full_id, match_id, position_id, read_id, xgid
from playout.games.backgammon.notation import parse, spell
from playout.games.backgammon.state import CHECKERS, OFF, OFFERED, UNUSED, place, power_of, start
from playout.kernel import clone

START = "4HPwATDgc/ABMA"


@pytest.mark.small
def test_the_start():
    state = start()
    assert position_id(state) == START
    assert full_id(state) == f"{START}:cAkAAAAAAAAE"
    assert xgid(state) == "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"


# What GNU Backgammon 1.07 makes of an XGID (`set xgid`, `gnubg.gnubgid()`, `gnubg.board()`).
@pytest.mark.small
@pytest.mark.parametrize(
    ("word", "same"),
    [
        ("XGID=aB---DC-A--afC--ac-c----B-:1:1:1:00:3:4:0:7:10", "4Fz4BUDDO8EBMA:UQngAEAAGAAE"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:54:0:0:1:0:10", "4HPwATDgc/ABMA:cIkSAAAAAAAA"),
        ("-b----E-C---eE---c-e----B-:0:0:1:54:0:0:1:0:10", "4HPwATDgc/ABMA:cIkSAAAAAAAA"),
        ("XGID=-b----E-C---eE---c-e----B-:1:1:1:D:2:3:0:7:10", "4HPwATDgc/ABMA:URHgADAAEAAE"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:-1:D:0:0:1:0:10", "4HPwATDgc/ABMA:MBkAAAAAAAAA"),
    ],
)
def test_xgid_and_gnubg_say_the_same(word, same):
    assert full_id(read_id(word)) == same
    assert xgid(read_id(same)).endswith(word.removeprefix("XGID="))


@pytest.mark.small
def test_fields_of_a_match():
    state = read_id("4Fz4BUDDO8EBMA:UQngAEAAGAAE")[0]
    assert (state.length, list(state.score), state.cube, state.owner, state.turn) == (7, [3, 4], 1, 1, 1)
    assert list(state.dice) == [0, 0]
    assert state.points[0, 1] == 2
    assert state.points[1, 25] == 1


@pytest.mark.small
@settings(deadline=None)
@given(boards(), st.sampled_from([1, 2]), st.data())
def test_round_trips(board, turn, data):
    if board[0][OFF] == board[1][OFF] == CHECKERS:
        return
    state = state_of(board, turn=turn)
    over = CHECKERS in (board[0][OFF], board[1][OFF])
    high, low = data.draw(st.tuples(*2 * [st.integers(1, 6)]))
    state["dice"] = (0, 0) if over or data.draw(st.booleans()) else (max(high, low), min(high, low))
    state["cube"], state["owner"] = data.draw(st.integers(0, 10)), data.draw(st.integers(0, 2))
    state["length"] = length = data.draw(st.integers(0, 99))
    state["score"] = data.draw(st.tuples(*2 * [st.integers(0, length - 1 if length else 40)]))
    state["crawford"] = bool(length) and length - 1 in state["score"][0] and data.draw(st.booleans())
    state["jacoby"] = length == 0 and data.draw(st.booleans())
    if not over and state["dice"][0, 0] == 0 and may_double(state[0]):
        state["doubling"] = data.draw(st.sampled_from([UNUSED, OFFERED]))
    assert read_id(full_id(state)).tobytes() == state.tobytes()
    assert read_id(xgid(state)).tobytes() == state.tobytes()
    plain = read_id(position_id(state))
    assert plain["turn"][0] == 1
    assert plain["points"][0].tolist() == state["points"][0][:: 1 if turn == 1 else -1].tolist()


def packed(bits, length):
    return base64.b64encode(bits.to_bytes(length, "little")).decode().rstrip("=")


def changed(field, value):
    """The match ID of the start with other bits."""
    first, width = field
    bits = int.from_bytes(base64.b64decode("cAkAAAAAAAAE"), "little")
    return f"{START}:{packed(bits & ~(((1 << width) - 1) << first) | value << first, 9)}"


XG = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{}:0:0:0:0:10"


@pytest.mark.small
@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("4HPwATDgc/ABM", "has 13 letters, and not 14"),
        ("4HPwATDgc/ABMAA", "has 15 letters, and not 14"),
        ("", "has 0 letters, and not 14"),
        ("4HPwATDgc/AB!A", "has other letters than A–Z, a–z, 0–9, \\+ and /"),
        ("4HPwATDgc/ABMä", "has other letters than"),
        ("4HPwATDgc/ABMB", "does not end after the last checker"),
        ("AAAAAAAAAAAAAA", "both players cannot have borne off all their checkers"),
        ("//////////////", "checkers, 15 are most"),
        (packed(0xFFFF, 10), "a player has 16 checkers, 15 are most"),
        (packed(1 | 1 << 49, 10), "point 24 cannot belong to both players"),
        ("x" * 500, "is too long to be an ID"),
        (f"{START}:cAkAAAAA", "match ID 'cAkAAAAA' has 8 letters, and not 12"),
        (changed((15, 6), 7 | 1 << 3), "a die shows 1 to 6, and not '7'"),
        (changed((15, 6), 3), "a die shows 1 to 6, and not '0'"),
        (changed((0, 4), 15), "a cube of 32,768 is too high"),
        (changed((4, 2), 2), "the cube has no owner of number 2"),
        (changed((13, 2), 1), "a resignation has been offered"),
        (changed((12, 7), 1 | 3 << 3), "a double has been offered, and the dice lie already"),
        (changed((4, 9), 0x104), "a double has been offered by a player who may not double"),
        (changed((21, 15), 500), "a match to 500 points is too long, 99 are most"),
        (changed((21, 30), 5 | 5 << 15), "a match to 5 points is over at 0 to 5"),
        (changed((7, 1), 1), "no Crawford game"),
        (XG.format("71"), "a die shows 1 to 6, and not '7'"),
        (XG.format("x"), "its dice 'x' are not two numbers"),
        (XG.format("B"), "a beaver has been offered, which we do not play"),
        (XG.format("D").replace(":0:0:1:", ":1:-1:1:"), "by a player who may not double"),
        (XG.format("31").replace("E", "F", 1), "player 1 has 16 checkers, and not 15"),
        (XG.format("31").replace("E", "P"), "its first part is not 26 of"),
        (XG.format("31").replace("-b", "b", 1), "its first part is not 26 of"),
        (XG.format("31").replace("=-b", "=Ab"), "the first letter is the bar of the small letters"),
        (
            XG.format("31").replace(":0:0:1:", ":3.5:0:1:"),
            "its cube '3.5' is not a whole number from 0 to 12",
        ),
        (XG.format("31").replace(":0:0:1:", ":0:2:1:"), "its owner '2' is not a whole number from -1 to 1"),
        (XG.format("31").replace(":0:0:1:", ":0:0:0:"), "its turn is 0, and not 1 or -1"),
        ("XGID=-b----E-C---eE---c-e----B-", "has 1 parts, and not 10"),
        ("XGID=" + 26 * "-" + ":0:0:1:00:0:0:0:0:10", "both players cannot have borne off"),
    ],
)
def test_impossible_ids_get_a_sentence(word, sentence):
    with pytest.raises(InputError, match=sentence) as refused:
        read_id(word)
    assert "\n" not in str(refused.value)


@pytest.mark.small
@settings(deadline=None)
@given(
    st.one_of(st.text(max_size=60), st.from_regex(r"[A-Za-z0-9+/]{14}(:[A-Za-z0-9+/]{12})?", fullmatch=True))
)
def test_any_word_is_an_id_or_refused(word):
    try:
        state = read_id(word)
    except InputError:
        return
    assert position_id(state) == word.strip()[:14]
    assert len(match_id(state)) == 12


@pytest.mark.small
@pytest.mark.parametrize("cube", [0, 3, 6, -2, 8192, True, "4", None, 2.5])
def test_a_cube_is_a_power_of_two(cube):
    with pytest.raises(InputError, match=r"no power of two from 1 to 4,096"):
        power_of(cube)


@pytest.mark.small
@pytest.mark.parametrize("dice", [(7, 1), (0, 1), (1,), (1, 2, 3), "31", (True, 2), (1.0, 2)])
def test_dice_show_one_to_six(dice):
    with pytest.raises(InputError, match=r"a die shows 1 to 6, and not|is not two dice"):
        BackgammonPosition.from_id(START, dice=dice)


@pytest.mark.small
def test_impossible_checkers_are_refused():
    with pytest.raises(InputError, match="player 2 has 14 checkers"):
        place(start(), [15] + 25 * [0], [14] + 25 * [0])


# `shared/peers.md`: the best plays of GNU Backgammon are plays of ours.
EXAMPLES = [
    ("4HPwATDgc/ABMA", (3, 1), "8/5 6/5"),
    ("+50DBABttwFgBA", (5, 4), "21/12*"),
    ("2B6TAxCw28jBAA", (5, 2), "13/8 11/9"),
]


@pytest.mark.small
@pytest.mark.parametrize(("word", "dice", "play"), EXAMPLES)
def test_examples(word, dice, play):
    position = BackgammonPosition.from_id(word, dice)
    assert position.id.startswith(word)
    assert position.spell(position.parse(play)) == play


@needs_gnubg
def test_ids_after_a_play_are_read_by_gnubg(tmp_path):
    """The opponent's position after a play is one in which GNU Backgammon finds the plays that we find."""
    asked = []
    for word, dice, play in EXAMPLES:
        position = BackgammonPosition.from_id(word, dice).play(play)
        asked.append((position.id[:14], (6, 5)))
    for (word, dice), told in zip(asked, plays_of_gnubg(asked, tmp_path), strict=True):
        state = BackgammonPosition.from_id(word, dice).record
        found = np.zeros(3060, np.uint16)
        ours = found[: api.legal_moves(clone(state)[0], found)].tolist()
        assert sorted(spell(state[0], parse(state[0], name)) for name in told or ["pass"]) == sorted(
            spell(state[0], action) for action in ours
        )
