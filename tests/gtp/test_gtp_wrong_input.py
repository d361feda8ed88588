"""Wrong input gets one clear sentence, and the position stays as it was."""

import re

import pytest
from gtp_talk import converse, position, say

from playout.errors import InputError
from playout.gtp.server import MAX_LINE, Server


@pytest.fixture
def server():
    return Server("uniform:seed=1")


WRONG = {
    "boardsize 0": "unacceptable size: ",
    "boardsize 1": "unacceptable size: ",
    "boardsize 20": "unacceptable size: ",
    "boardsize -3": "unacceptable size: ",
    "boardsize abc": "unacceptable size: ",
    "boardsize 9.0": "unacceptable size: ",
    "boardsize ９": "unacceptable size: ",
    "boardsize 99999999999999999999": "unacceptable size: ",
    "boardsize": "syntax error: usage is boardsize SIZE",
    "boardsize 9 9": "syntax error: ",
    "komi": "syntax error: ",
    "komi nan": "syntax error: ",
    "komi inf": "syntax error: ",
    "komi -inf": "syntax error: ",
    "komi 1e999": "syntax error: ",
    "komi 1e9": "syntax error: ",
    "komi 1_0": "syntax error: ",
    "komi six": "syntax error: ",
    "play": "syntax error: usage is play COLOR VERTEX",
    "play B": "syntax error: ",
    "play E5": "syntax error: ",
    "play E5 B": "syntax error: colour 'E5' is neither black nor white",
    "play green E5": "syntax error: ",
    "play B E5": "illegal move: Black may not play E5: there is a stone already",
    "play B J10": "illegal move: ",
    "play B I5": "illegal move: ",
    "play B Z99": "illegal move: ",
    "play B A0": "illegal move: ",
    "play B 5E": "illegal move: ",
    "play B resign": "illegal move: ",
    "play B E5 E6": "syntax error: ",
    "play B \x00": "syntax error: ",
    "genmove": "syntax error: ",
    "genmove red": "syntax error: ",
    "genmove x": "syntax error: colour 'x' is neither black nor white (b, w)",
    "genmove O": "syntax error: colour 'O' is neither black nor white (b, w)",
    "play x A1": "syntax error: colour 'x' ",
    "lz-analyze x": "syntax error: ",
    "lz-analyze 10 avoid x A1 1": "syntax error: colour 'x' ",
    "reg_genmove": "syntax error: ",
    "kgs-genmove_cleanup": "syntax error: ",
    "fixed_handicap": "syntax error: ",
    "fixed_handicap x": "syntax error: ",
    "fixed_handicap -2": "syntax error: ",
    "fixed_handicap 1": "invalid number of stones: ",
    "fixed_handicap 10": "invalid number of stones: ",
    "fixed_handicap 4": "board not empty: ",
    "place_free_handicap 3": "board not empty: ",
    "set_free_handicap A1 A2": "board not empty: ",
    "set_free_handicap A1 Z9": "bad vertex list: ",
    "time_settings": "syntax error: ",
    "time_settings 1 2": "syntax error: ",
    "time_settings 1 2 nan": "syntax error: ",
    "time_settings -1 2 3": "syntax error: ",
    "time_left b 5": "syntax error: ",
    "time_left b x 5": "syntax error: ",
    "time_left 5 5 5": "syntax error: ",
    "kgs-time_settings": "syntax error: ",
    "kgs-time_settings fischer 10": "syntax error: ",
    "kgs-time_settings byoyomi 10": "syntax error: ",
    "kgs-time_settings canadian 10 -5 3": "syntax error: ",
    "final_status_list": "syntax error: ",
    "final_status_list ded": "syntax error: unknown status 'ded'; did you mean dead",
    "loadsgf": "syntax error: usage is loadsgf FILE [MOVE...]",
    "loadsgf /no/such/file.sgf": "cannot load file: ",
    "loadsgf /no/such/file.sgf x": "cannot load file: ",
    "is_legal": "syntax error: ",
    "is_legal B": "syntax error: ",
    "is_legal B Z9": "point 'Z9' is not on a 9x9 board",
    "all_legal": "syntax error: ",
    "list_stones": "syntax error: ",
    "captures pink": "syntax error: ",
    "countlib": "syntax error: ",
    "countlib A1": "there is no stone at A1",
    "countlib pass": "there is no stone at pass",
    "findlib A1": "there is no stone at A1",
    "color pass": "pass has no colour",
    "known_command": "syntax error: ",
    "genmov b": "unknown command: 'genmov'; did you mean genmove",
    "GENMOVE b": "unknown command: ",
    "xyzzy": "unknown command: 'xyzzy'; list_commands tells all",
    "<=>": "unknown command: ",
    "playout-get-param sims": "there is no parameter 'sims'",
    "playout-set-param": "syntax error: ",
    "playout-set-param seed": "syntax error: ",
    "playout-set-param sed 1": "there is no parameter 'sed'; did you mean seed?",
    "playout-set-param seed x": "seed='x' is not a whole number",
    "playout-set-param seed 1,policy=2": "seed='1,policy=2' is not a whole number",
    "playout-set-param superko none": "superko 'none' is not one of positional, situational, simple",
    "playout-set-param suicide maybe": "suicide 'maybe' is not one of ",
    "playout-set-param scoring japanese": "scoring 'japanese' is not one of area, alive",
    "playout-ownership 0": "simulations 0 is not from 1 to 1000000",
    "set_random_seed x": "syntax error: ",
    "lz-analyze b x": "syntax error: ",
    "lz-analyze -5": "syntax error: ",
    "lz-analyze 10 ownership": "syntax error: key ownership takes 1 value",
    "lz-analyze 10 ownership maybe": "syntax error: ",
    "lz-analyze 10 avoid b Z9 1": "syntax error: ",
    "lz-analyze 10 avoid b": "syntax error: key avoid takes 3 values",
    "kata-analyze b 10 maxmove 3": "syntax error: 'maxmove' is not a key of this command; did you",
    "kata-genmove_analyze q 10": "syntax error: ",
    "lz-genmove_analyze b 10 allow": "syntax error: ",
    "7": None,
    "12345678901234567890 name": "unknown command: ",
    "-1 name": "unknown command: ",
    "1a name": "unknown command: ",
}


@pytest.fixture(scope="module")
def busy():
    """A server in the middle of a game."""
    server = Server("uniform:seed=1")
    say(server, "boardsize 9", "komi 6.5", "play B E5", "play W C3", "play B pass")
    return server


@pytest.mark.parametrize("line", WRONG)
def test_wrong_input_gets_one_sentence_and_changes_nothing(busy, line):
    before = position(busy)
    answer = busy.execute(line)
    expected = WRONG[line]
    assert answer.startswith("?7 syntax error: " if expected is None else f"? {expected}")
    assert "\n" not in answer
    assert answer.isascii()
    assert 15 < len(answer) < 400
    assert not re.search(r"Traceback|Error\b|internal", answer)
    assert position(busy) == before


@pytest.mark.parametrize(
    "junk", [b"\xff\xfe\x80", b"\xc3\x28", "ünïcödé ☃".encode(), b"\x7fEL\x07F", b"=", b"?"]
)
def test_junk_is_an_unknown_command(server, junk):
    answer = converse(server, junk + b"\nprotocol_version\n")
    assert re.fullmatch(r"\? unknown command: [ -~]*\n\n= 2\n\n", answer)


@pytest.mark.parametrize("length", [MAX_LINE - 10, MAX_LINE, MAX_LINE + 1, 1 << 20, 5 << 20])
def test_a_long_line_gets_one_answer(server, length):
    line = b"3 play B E5 " + b"\xe2\x98\x83 " * (length // 4)
    answer = converse(server, line[:length] + b"\n4 protocol_version\n")
    assert re.fullmatch(r"\?3 [ -~]{10,200}\n\n=4 2\n\n", answer)


def test_a_long_comment_gets_none(server):
    assert converse(server, b"# " + b"x" * (1 << 20) + b"\nprotocol_version\n") == "= 2\n\n"


def test_wrong_players_are_refused_at_once():
    for spec in ("unifrom", "uniform:sed=1", "flat:sims=0", "gtp:", "gtp:no-such-engine"):
        with pytest.raises(InputError):
            Server(spec)
    with pytest.raises(InputError):
        Server("uniform", size=20)
