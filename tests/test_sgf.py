"""Game records: files as they come, files that mean harm, and our own back again."""

import contextlib
import os
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.errors import InputError
from playout.games.go import coords, sgf
from playout.games.go.board import MAX_KOMI, Board, Move
from playout.games.go.state import BLACK, PASS, WHITE

small = pytest.mark.small


@pytest.fixture(autouse=True)
def wrapping_arithmetic():
    """Uncompiled, NumPy warns of the wrap-around that packed sums and hashes rely on."""
    with np.errstate(all="ignore"):
        yield


def at(*names: str, size: int = 9) -> list[int]:
    """The points that GTP names."""
    return [coords.parse_vertex(name, size) for name in names]


def line(game: sgf.Game) -> str:
    """The moves of a game on one line."""
    return " ".join(f"{'BW'[color - 1]}:{coords.vertex(p, game.size)}" for color, p in game.moves)


def refuses(data: bytes) -> str:
    """The sentence with which a record is refused."""
    with pytest.raises(InputError) as caught:
        sgf.read(data)
    return one_sentence(caught.value)


def one_sentence(error: Exception) -> str:
    message = str(error)
    assert message
    assert "\n" not in message
    assert len(message) < 250
    assert not message.endswith(".")
    return message


# ---------------------------------------------------------------------------------------------------
# What a record says.

WHOLE = b"""(;GM[1]FF[4]CA[UTF-8]AP[Some:1.0]SZ[9]KM[5.5]HA[2]RU[Japanese]
PB[Black Player]PW[White Player]RE[W+3.5]DT[2001-02-03]AB[cg][gc]
;W[ee]C[a comment];B[ec];W[tt];B[])
"""


@small
def test_a_whole_record():
    game = sgf.read(WHOLE)
    assert (game.size, game.komi, game.handicap, game.rules) == (9, 5.5, 2, "Japanese")
    assert (game.black, game.white) == ("Black Player", "White Player")
    assert (game.result, game.date) == ("W+3.5", "2001-02-03")
    assert game.setup == (at("G7", "C3"), [], [], None)
    assert game.to_play == WHITE
    assert line(game) == "W:E5 B:E7 W:pass B:pass"
    board = game.board()
    assert (board.size, board.komi, board.handicap) == (9, 5.5, 2)
    assert board.stones("B") == at("E7", "G7", "C3")
    assert board.stones("W") == at("E5")
    assert board.is_over
    assert board.to_play == WHITE


@small
def test_a_record_that_says_nothing():
    game = sgf.read(b"(;)")
    assert game == sgf.Game(size=19, komi=0.0, to_play=BLACK)
    assert game.board().legal_moves() == Board(19).legal_moves()


@small
@pytest.mark.parametrize("data", [b"", b"hello", b"(", b")", b";", b"(B[aa])", b"\0" * 100, b"()"])
def test_no_game_at_all(data):
    assert "(;" in refuses(data)


@small
@pytest.mark.parametrize(
    ("given", "size"),
    [("", 19), ("SZ[]", 19), ("SZ[9]", 9), ("SZ[ 13 ]", 13), ("SZ[19:19]", 19), ("SZ[2]", 2), ("SiZe[5]", 5)],
)
def test_board_sizes(given, size):
    assert sgf.read(f"(;{given})".encode()).size == size


@small
@pytest.mark.parametrize(
    "given", ["1", "0", "20", "-9", "abc", "9.5", "19:13", "9:", "99999999999", "٩", "5:5:6"]
)
def test_wrong_board_sizes(given):
    assert "board size" in refuses(f"(;SZ[{given}])".encode())


@small
@pytest.mark.parametrize("given", ["GM[1]", "GM[ 1 ]", "GM[]", "GM[Go]", "GaMe[1]"])
def test_records_of_go(given):
    assert sgf.read(f"(;{given}SZ[9])".encode()).size == 9


@small
@pytest.mark.parametrize("given", ["2", "11", "chess", "-1"])
def test_records_of_other_games(given):
    assert "game" in refuses(f"(;GM[{given}]SZ[9])".encode())


@small
@pytest.mark.parametrize(
    ("given", "komi"),
    [
        ("", 0.0),
        ("KM[6.5]", 6.5),
        ("KM[6,5]", 6.5),
        ("KM[-5]", -5.0),
        ("KM[ .5 ]", 0.5),
        ("KM[6.5 points]", 6.5),
        ("KM[375]", 7.5),  # hundredths of a stone
        ("KM[650]", 6.5),
        ("KM[3.75]", 7.5),  # stones
        ("KM[2.75]", 5.5),
        ("KM[-375]", -7.5),
        ("KM[6.25]", 6.25),
        ("KM[0.500000]", 0.5),
        ("KM[0.00]", 0.0),
        ("KM[nan]", 0.0),
        ("KM[inf]", 0.0),
        ("KM[1e5]", 0.0),
        ("KM[9999999999]", 0.0),
        ("KM[]", 0.0),
        ("KM[half]", 0.0),
        ("KM[3 3/4]", 0.0),
    ],
)
def test_komi(given, komi):
    assert sgf.read(f"(;SZ[9]{given};B[aa])".encode()).komi == komi


@small
@pytest.mark.parametrize("komi", [200.0, 0.25, 3.75, -7.5, MAX_KOMI])
def test_our_own_komi_is_taken_as_it_stands(komi):
    assert sgf.read(sgf.from_board(Board(9, komi)).to_sgf().encode()).komi == komi


@small
@pytest.mark.parametrize(
    ("given", "handicap"),
    [("0", 0), ("1", 0), ("2", 2), (" 9 ", 9), ("", 0), ("none", 0), ("-3", 0), ("999999", 0), ("81", 0)],
)
def test_handicap(given, handicap):
    assert sgf.read(f"(;SZ[9]HA[{given}])".encode()).handicap == handicap


@small
@pytest.mark.parametrize(
    ("given", "result"),
    [
        ("B+R", "B+R"),
        ("Black+Resign", "B+R"),
        ("w + time", "W+T"),
        ("White+Forfeit", "W+F"),
        ("B+3.5", "B+3.5"),
        ("W+0,5", "W+0.5"),
        ("B+12.00 points", "B+12.00"),
        ("W+", "W+"),
        ("B+1/2", "B+1/2"),
        ("0", "0"),
        ("Draw", "0"),
        ("Jigo", "0"),
        ("void", "Void"),
        ("?", "?"),
        ("adjourned", "adjourned"),
    ],
)
def test_results(given, result):
    assert sgf.read(f"(;RE[{given}])".encode()).result == result


@small
@pytest.mark.parametrize(
    ("rules", "suicide"),
    [("Chinese", False), ("japanese", False), ("AGA", False), ("NZ", True), ("Tromp-Taylor", True)],
)
def test_rules(rules, suicide):
    game = sgf.read(f"(;RU[{rules}])".encode())
    assert game.rules == rules
    assert game.board().suicide == suicide


@small
def test_the_first_value_counts():
    game = sgf.read(b"(;SZ[9]KM[6.5]KM[7.5]PB[Ann][Bob];SZ[13]PB[Cid]PW[Dan])")
    assert (game.size, game.komi, game.black, game.white) == (9, 6.5, "Ann", "Dan")


# ---------------------------------------------------------------------------------------------------
# Encodings.


def record(name: bytes, charset: str = "", before: bytes = b"") -> bytes:
    declared = f"CA[{charset}]".encode() if charset else b""
    return before + b"(;GM[1]" + declared + b"SZ[9]PB[" + name + b"]PW[Ann];B[ee];W[cc])"


@small
@pytest.mark.parametrize(
    ("data", "name"),
    [
        (record("李世乭".encode(), "UTF-8"), "李世乭"),
        (record("李世乭".encode()), "李世乭"),
        (record("Jérôme".encode()), "Jérôme"),
        (record("李世乭".encode(), "ISO-8859-1"), "李世乭"),  # CA is often left over from another program
        (record("李世乭".encode(), before=b"\xef\xbb\xbf"), "李世乭"),
        (b"\xff\xfe" + record("李世乭".encode()).decode().encode("utf-16-le"), "李世乭"),
        (b"\xfe\xff" + record("李世乭".encode()).decode().encode("utf-16-be"), "李世乭"),
        (record("古力".encode("gb2312"), "GB2312"), "古力"),
        (record("柯潔瑠".encode("gbk"), "gb2312"), "柯潔瑠"),  # not in GB2312 itself
        (record("古力".encode("gb2312")), "古力"),
        (record("古力".encode("gb2312"), "UTF-8"), "古力"),
        (record("井山裕太".encode("shift_jis"), "Shift_JIS"), "井山裕太"),
        (record("代表".encode("shift_jis"), "SJIS"), "代表"),  # ends with the byte of a backslash
        (record("ゾー".encode("shift_jis"), "Shift_JIS"), "ゾー"),  # holds the byte of a bracket
        (record("代表".encode("shift_jis")), "代表"),
        (record("신진서".encode("euc_kr"), "EUC-KR"), "신진서"),
        (record("똠".encode("cp949"), "EUC-KR"), "똠"),  # not in EUC-KR itself
        (record("周俊勳".encode("big5"), "Big5"), "周俊勳"),
        (record("井山".encode("iso2022_jp"), "ISO-2022-JP"), "井山"),
        (record("Jérôme".encode("latin-1")), "Jérôme"),
        (record("Jérôme".encode("latin-1"), "ISO-8859-1"), "Jérôme"),
        (record("Иван".encode("koi8-r"), "KOI8-R"), "Иван"),
        (record("\ufffd".encode()), "\ufffd"),  # somebody else's wrong byte, rightly written
        (record(b"Ann", "klingon"), "Ann"),
        (record(b"Ann", "utf-7"), "Ann"),
        (record(b"Ann", "unicode_escape"), "Ann"),
        (record(b"Ann", "idna"), "Ann"),
        (record(b"Ann", "rot13"), "Ann"),
        (record(b"Ann", "utf-16"), "Ann"),
        (record(b"Ann", "undefined"), "Ann"),
        (record(b"Ann", "x" * 5000), "Ann"),
    ],
)
def test_encodings(data, name):
    game = sgf.read(data)
    assert game.black == name
    assert game.white == "Ann"
    assert line(game) == "B:E5 W:C7"


@small
@pytest.mark.parametrize(
    "charset", ["", "UTF-8", "GB2312", "Shift_JIS", "EUC-KR", "Big5", "Latin-1", "klingon"]
)
@pytest.mark.parametrize("name", [b"\xff\xfe\x80", b"\x80\x81\x82\xff", bytes(range(128, 256)), b"\xe6\x9d"])
def test_wrong_bytes_spoil_nothing_but_the_name(charset, name):
    game = sgf.read(record(name + b".", charset))
    assert game.white == "Ann"
    assert line(game) == "B:E5 W:C7"


@small
def test_a_name_cut_within_a_character():
    assert sgf.read(record("李世乭李世乭".encode()[:-1])).black == "李世乭李世\ufffd"


# ---------------------------------------------------------------------------------------------------
# Syntax, from old to broken.


@small
@pytest.mark.parametrize(
    "data",
    [
        b"(;SZ[9];B[ee];W[cc])",
        b"( ;\r\n SZ [9]\n;\tB\n[ee] ; W[cc] \n)\n",
        b"From: ann@example.org (Ann)\nSubject: game; of (mine)\n\n(;SZ[9];B[ee];W[cc])\n-- \nAnn :-)",
        b"(;GaMe[1]SiZe[9];Black[ee];White[cc])",
        b"(;sz[9];b[ee];w[cc])",
        b"(;SZ[9];B[EE];W[ cc ])",
        b"(;SZ[9];B[ee];W[cc])(;SZ[13];B[dd];W[dd];B[zz])",
        b"(;SZ[9](;B[ee](;W[cc])(;W[dd];B[ff]))(;B[aa];W[bb]))",
        b"(;SZ[9];B[ee](;W[cc]))",
        b"(;SZ[9];B[ee];W[cc]",
        b"(;SZ[9](;B[ee](;W[cc]",
        b"(;SZ[9];B[ee];W[cc];",
        b"(;SZ[9];B[ee];W[cc];B[d",
        b"(;SZ[9];B[ee];W[cc]C[broken off",
        b"(;SZ[9];B[ee];W[cc]C[broken off\\",
        b"(;SZ[9];B[ee];W[cc]\x1a",
        b"(;SZ[9];;B[ee]MN[7];C[nothing here];W[cc]XX[private]KGSDE[aa])",
        rb"(;SZ[9]C[a \] b (;B[aa\]) \\];B[ee]C[\\\]];W[cc])",
        b"(;SZ[9]C[Ann [5k], Bob [3d]: hi];B[ee]C[see [1] and [[2]]];W[cc])",
        b"(;SZ[9]C[:-) ; (]N[];B[ee]LB[aa:1][bb:2];W[cc])",
        b"(;SZ[9];B[ee];;;W[cc]()(;B[aa]))",
        b"(;SZ[9];B[ee] stray words ;W[cc])",
        b"(;SZ[9]B[ee]W[cc])",
    ],
)
def test_two_moves_however_they_are_written(data):
    game = sgf.read(data)
    assert line(game) == "B:E5 W:C7"
    assert game.board().to_play == BLACK


@small
def test_escapes():
    game = sgf.read(b"(;SZ[9]PB[a\\]b\\\\c\\:\\d]PW[one\\\nline])")
    assert game.black == r"a]b\c:d"
    assert game.white == "oneline"
    assert sgf.read(b"(;PB[two\nlines\tand\x1b[2Jescapes])").black == "two lines and[2Jescapes"


@small
def test_passes():
    game = sgf.read(b"(;SZ[19];B[];W[tt];B[ ];W[TT])")
    assert [p for _, p in game.moves] == [PASS] * 4


@small
@pytest.mark.parametrize(
    "point", ["zz", "jj", "a", "aaa", "a1", "E5", "!!", "é", "aé", "aa:bb", "\0\0", "aa][bb", "9" * 500]
)
def test_wrong_points(point):
    sentence = refuses(f"(;SZ[9];B[aa];W[{point}])".encode())
    assert sentence.startswith("move 2, W ")
    assert "9×9" in sentence


@small
@pytest.mark.parametrize("name", ["AB", "AW", "AE"])
@pytest.mark.parametrize("point", ["jj", "tt", "aa:", ":aa", "cc:aa", "aa:bb:cc", "aa:zz", "é"])
def test_wrong_setup(name, point):
    assert refuses(f"(;SZ[9]{name}[aa][{point}])".encode()).startswith(f"{name} ")


# ---------------------------------------------------------------------------------------------------
# Setup.


@small
def test_compressed_point_lists():
    game = sgf.read(b"(;SZ[9]AB[aa:cb][ee]AW[gg:gg][AI:BI])")
    assert game.setup.black == at("A9", "B9", "C9", "A8", "B8", "C8", "E5")
    assert game.setup.white == at("G3", "A1", "B1")


@small
def test_setup_before_the_first_move_is_the_start():
    game = sgf.read(b"(;SZ[9];AB[aa:bb]AW[ii];AE[bb]AW[aa]PL[W];B[ee])")
    assert game.setup == (at("B9", "A8"), at("A9", "J1"), [], None)
    assert game.to_play == WHITE
    assert game.actions == [Move(BLACK, at("E5")[0])]


@small
@pytest.mark.parametrize(
    ("given", "turn"),
    [
        ("", BLACK),
        ("PL[W]", WHITE),
        ("PL[white]", WHITE),
        ("PL[2]", WHITE),
        ("PL[1]AB[aa]", BLACK),
        ("PL[]AB[aa]", WHITE),
        ("PL[?]", BLACK),
        ("AB[aa][bb]HA[2]", WHITE),
        ("AB[aa]AW[bb]", BLACK),
        ("AB[aa]AW[bb];W[cc]", WHITE),
        ("AB[aa]PL[B];W[cc]", BLACK),
        (";W[aa]", WHITE),
    ],
)
def test_whose_turn_it_is_at_the_start(given, turn):
    game = sgf.read(f"(;SZ[9]{given})".encode())
    assert game.to_play == turn
    assert game.board(0).to_play == turn


@small
def test_setup_in_the_middle_of_a_game():
    game = sgf.read(b"(;SZ[9];B[aa];W[bb];AE[aa]AB[cc:dc]AW[ba]PL[B];B[ee];PL[B];B[ff])")
    assert len(game.actions) == 6
    assert game.actions[2] == (at("C7", "D7"), at("B9"), at("A9"), BLACK)
    assert str(game.board(2)) == str(Board(9).play("A9").play("B8"))
    board = game.board()
    assert board.stones("B") == at("C7", "D7", "E5", "F4")
    assert board.stones("W") == at("B9", "B8")
    assert board.to_play == WHITE
    assert game.board(3).to_play == WHITE


@small
def test_setup_that_leaves_a_chain_without_liberty():
    game = sgf.read(b"(;SZ[9]AB[aa]AW[ab][ba])")
    with pytest.raises(InputError, match="A9 would have no liberty"):
        game.board()
    game = sgf.read(b"(;SZ[9];B[aa];AW[ab][ba])")
    with pytest.raises(InputError, match="set up after move 1"):
        game.board()


# ---------------------------------------------------------------------------------------------------
# Replaying.


@small
def test_the_first_moves():
    game = sgf.read(b"(;SZ[9];B[aa];W[bb];B[cc])")
    for count in range(4):
        assert game.board(count).moves == game.moves[:count]
    assert game.board(99).moves == game.board().moves == game.moves
    with pytest.raises(InputError, match="-1"):
        game.board(-1)


@small
def test_two_moves_of_a_colour_in_a_row():
    board = sgf.read(b"(;SZ[9];B[aa];B[bb];W[cc];W[dd])").board()
    assert board.stones("B") == at("A9", "B8")
    assert board.to_play == BLACK


@small
def test_both_colours_in_one_node():
    assert line(sgf.read(b"(;SZ[9];W[aa]B[bb];B[cc]W[dd])")) == "W:A9 B:B8 B:C7 W:D6"


@small
def test_play_after_two_passes():
    board = sgf.read(b"(;SZ[9];B[];W[];B[ee])").board()
    assert not board.is_over
    assert board.stones("B") == at("E5")


@small
@pytest.mark.parametrize(
    ("moves", "why"),
    [
        (";B[ee];W[ee]", "move 2 is illegal: White may not play E5: there is a stone already"),
        (";B[ab];W[];B[ba];W[aa]", "move 4 is illegal: White may not play A9: it would be suicide"),
        (
            "AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[bb]",
            "move 2 is illegal: White may not play B8: it would retake a ko",
        ),
    ],
)
def test_illegal_moves(moves, why):
    game = sgf.read(f"(;SZ[9]{moves})".encode())
    with pytest.raises(InputError) as caught:
        game.board()
    assert one_sentence(caught.value) == why
    assert game.board(1).moves == game.moves[:1]


SENDING_TWO = b"(;SZ[5]AB[ab][bb]AW[ba][cb][da];W[aa];B[ca];W[ba])"


@small
def test_a_record_may_repeat_a_position_and_then_superko_holds():
    game = sgf.read(SENDING_TWO)
    board = game.board()
    assert board.stones("W") == game.board(0).stones("W")
    assert board.superko == "positional"
    assert not board.is_legal("A5", "W")
    assert board.undo().stones("B") == at("C5", "A4", "B4", size=5)
    assert not board.is_legal("B5")
    assert game.board(2, superko="simple").is_legal("B5")
    assert game.board(2, superko="situational").is_legal("B5")
    with pytest.raises(InputError, match="superko 'none'"):
        game.board(superko="none")


@small
def test_suicide_where_the_rules_know_it():
    data = "(;SZ[9]RU[{}];B[ab];W[];B[ba];W[aa])"
    assert sgf.read(data.format("NZ").encode()).board().captures("B") == 1
    with pytest.raises(InputError, match="suicide"):
        sgf.read(data.format("Chinese").encode()).board()


# ---------------------------------------------------------------------------------------------------
# Writing.


@small
def test_what_we_write():
    board = Board(9, 0.5)
    board.place_handicap(2)
    board.play("E5").play("pass").play("C7")
    game = sgf.from_board(board, black="a]b\\", white="李", result="W+2.5")
    text = game.to_sgf()
    assert text.startswith("(;FF[4]")
    for written in (
        "GM[1]",
        "CA[UTF-8]",
        "AP[playout:",
        "SZ[9]",
        "KM[0.5]",
        "RU[Chinese]",
        "HA[2]",
        "AB[cg][gc]",
        "PL[W]",
        "PB[a\\]b\\\\]",
        "PW[李]",
        "RE[W+2.5]",
        ";W[ee];B[tt];W[cc]",
    ):
        assert written in text.replace("\n", "")
    assert sgf.read(text.encode()) == game


@small
def test_what_goes_without_saying_is_not_written():
    text = sgf.from_board(Board(9).play("E5")).to_sgf()
    for name in ("AB[", "AW[", "PL[", "HA[", "RE[", "PB[", "PW[", "DT["):
        assert name not in text


@small
@pytest.mark.parametrize(
    ("superko", "suicide", "rules"),
    [
        ("positional", False, "Chinese"),
        ("positional", True, "Tromp-Taylor"),
        ("situational", False, "AGA"),
        ("situational", True, "NZ"),
        ("simple", False, "Chinese"),
        ("simple", True, "Tromp-Taylor"),
    ],
)
def test_rules_that_we_write(superko, suicide, rules):
    game = sgf.from_board(Board(9, superko=superko, suicide=suicide))
    assert game.rules == rules
    assert game.board().suicide == suicide


@small
def test_a_resignation_is_a_result():
    assert sgf.from_board(Board(9).play("E5").play("resign")).result == "B+R"
    assert sgf.from_board(Board(9).play("resign"), result="Void").result == "Void"
    assert sgf.from_board(Board(9).play("pass").play("pass")).result == ""


@small
def test_whose_turn_it_is_comes_back():
    board = Board(9)
    board.to_play = "W"
    assert sgf.read(sgf.from_board(board).to_sgf().encode()).board().to_play == WHITE
    board.play("E5")
    board.to_play = "W"
    again = sgf.read(sgf.from_board(board).to_sgf().encode()).board()
    assert again.to_play == WHITE
    assert again.stones("W") == at("E5")


@small
def test_names_that_cannot_be_written_are_mended():
    assert sgf.read(sgf.Game(black="a\udcffb").to_sgf().encode()).black == "a?b"


NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=30)


@settings(max_examples=150, deadline=None)
@given(
    size=st.integers(2, 19),
    komi=st.sampled_from([0, 0.5, 7.5, -3.25, 150.0]),
    seed=st.integers(0, 2**32 - 1),
    begin=st.sampled_from(["empty", "handicap", "setup"]),
    superko=st.sampled_from(["positional", "situational", "simple"]),
    suicide=st.booleans(),
    black=NAMES,
    white=NAMES,
)
def test_random_games_come_back(size, komi, seed, begin, superko, suicide, black, white):
    rng = random.Random(seed)
    board = Board(size, komi, superko=superko, suicide=suicide)
    points = coords.board_points(size)
    if begin == "handicap":
        board.place_handicap(rng.sample(points, rng.randint(2, min(9, len(points) - 1))))
    elif begin == "setup":
        found = rng.sample(points, rng.randint(0, len(points) // 4))
        half = len(found) // 2
        with contextlib.suppress(InputError):  # a chain without liberty
            board.set_up(found[:half], found[half:], rng.choice([BLACK, WHITE]))
    for _ in range(rng.randint(0, 80)):
        color = rng.choice([BLACK, WHITE]) if rng.random() < 0.1 else board.to_play
        board.play(rng.choice(board.legal_moves(color)), color)
    game = sgf.from_board(board, black=black, white=white)
    again = sgf.read(game.to_sgf().encode())
    assert (again.black, again.white) == (black.strip(), white.strip())
    again.black, again.white = black, white
    assert again == game
    replayed = again.board(superko=superko)
    assert replayed.moves == board.moves
    assert str(replayed) == str(board)
    assert (replayed.komi, replayed.handicap, replayed.to_play) == (board.komi, board.handicap, board.to_play)
    assert replayed.legal_moves() == board.legal_moves()
    assert replayed.captures("B") == board.captures("B")


@st.composite
def games(draw) -> sgf.Game:
    """Records with stones set up in the middle, legal or not."""
    size = draw(st.integers(2, 19))
    points = coords.board_points(size)

    def setup(turn: bool) -> sgf.Setup:
        found = draw(st.lists(st.sampled_from(points), unique=True, max_size=9))
        cuts = sorted(draw(st.tuples(*[st.integers(0, len(found))] * 2)))
        parts = [sorted(part) for part in (found[: cuts[0]], found[cuts[0] : cuts[1]], found[cuts[1] :])]
        return sgf.Setup(*parts, draw(st.sampled_from([BLACK, WHITE])) if turn else None)

    move = st.builds(Move, st.sampled_from([BLACK, WHITE]), st.sampled_from([*points, PASS]))
    actions = [draw(move)]
    for _ in range(draw(st.integers(0, 12))):
        actions.append(setup(True) if draw(st.booleans()) else draw(move))
    return sgf.Game(
        size=size,
        komi=draw(st.integers(-2 * MAX_KOMI, 2 * MAX_KOMI)) / 2,
        handicap=draw(st.sampled_from([0, 2])),
        rules=draw(st.sampled_from(["", "Japanese", "Chinese"])),
        result=draw(st.sampled_from(["", "B+R", "W+0.5", "0", "Void", "?"])),
        date=draw(st.sampled_from(["", "1846-09-11"])),
        setup=setup(False)._replace(empty=[]),
        to_play=draw(st.sampled_from([BLACK, WHITE])),
        actions=actions,
    )


@settings(max_examples=200, deadline=None)
@given(games())
def test_records_with_setup_come_back(game):
    assert sgf.read(game.to_sgf().encode()) == game


# ---------------------------------------------------------------------------------------------------
# Files.


@small
def test_loading(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_bytes(WHOLE)
    assert sgf.load(path) == sgf.load(str(path)) == sgf.read(WHOLE)


@small
def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "broken.sgf").write_bytes(b"(;SZ[1])")
    (tmp_path / "large.sgf").write_bytes(b"(;C[" + b" " * sgf.MAX_BYTES + b"])")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.sgf")
    for path, why in (
        ("missing.sgf", "No such file"),
        (".", "not a file"),
        ("pipe.sgf", "not a file|No such file"),
        ("nul\0.sgf", "cannot be read"),
        ("x" * 1000, "cannot be read"),
        ("broken.sgf", "board size"),
        ("large.sgf", "4 MB"),
    ):
        with pytest.raises(InputError, match=why) as caught:
            sgf.load(f"{tmp_path}/{path}")
        one_sentence(caught.value)


# ---------------------------------------------------------------------------------------------------
# Files that mean harm.

KB, MB = 1 << 10, 1 << 20
HOSTILE = {  # how it begins, what is repeated, how many times, how it ends
    "brackets": (b"", b"(", MB, b""),
    "brackets in a game": (b"(;", b"(", MB, b""),
    "games in games": (b"", b"(;", MB, b""),
    "closing brackets": (b"(;SZ[9]", b")", MB, b""),
    "a property of 10 MB": (b"(;SZ[9]C[", b"x", 10 * MB, b"];B[aa])"),
    "a name with escapes": (b"(;SZ[9]PB[", b"\\x", 2 * MB - 10, b"];B[aa])"),
    "100,000 nodes": (b"(;SZ[9]", b";B[aa]", 100_000, b")"),
    "empty nodes": (b"(", b";", 4 * MB - 1, b""),
    "open values": (b"(;", b"A[", 2 * MB - 1, b""),
    "open brackets": (b"(;A", b"[", 4 * MB - 3, b""),
    "backslashes": (b"(;A[", b"\\", 4 * MB - 4, b""),
    "ends of values": (b"(;A[", b"]", 4 * MB - 4, b""),
    "ends and blanks": (b"(;A[", b"] ", 2 * MB - 2, b""),
    "ends and letters": (b"(;A[", b"]a", 2 * MB - 2, b""),
    "ends and words": (b"(;A[xxx", b"]aaaaaa ", 512 * KB - 1, b""),
    "an end before blanks": (b"(;A[xxx]", b" ", 4 * MB - 8, b""),
    "a long identifier": (b"(;", b"A", 4 * MB - 2, b""),
    "blanks": (b"(", b" ", 4 * MB - 1, b""),
    "brackets and blanks": (b"", b"( ", 2 * MB, b""),
    "one rectangle many times": (b"(;AB", b"[aa:ss]", 512 * KB, b""),
    "rectangles in every node": (b"(;SZ[19]", b";AB[aa:ss][ba:ss][ab:ss][bb:ss][ca:ss][cb:ss]", 4_900, b")"),
    "many moves in a node": (b"(;B", b"[aa]", MB, b""),
    "setup upon setup": (b"(;SZ[19];B[aa]", b";AW[cc]AE[cc]", 1_000, b""),
    "komi": (b"(;KM[", b"9", MB, b"])"),
    "a handicap": (b"(;HA[", b"9", MB, b"])"),
    "a size": (b"(;SZ[", b"9", MB, b"])"),
    "a size with many parts": (b"(;SZ[", b"9:", MB, b"])"),
    "a charset": (b"(;CA[", b"x", MB, b"])"),
    "charsets": (b"(;", b"CA[ ", MB - 1, b""),
    "not UTF-8": (b"(;PB[", b"\xe9a", 2 * MB - 4, b"])"),
    "Shift_JIS": (b"(;PB[", b"\x90\x8f", 2 * MB - 4, b"])"),
    "zeros": (b"(;", b"\0", 4 * MB - 2, b""),
}


def hostile(name: str) -> bytes:
    begin, unit, times, end = HOSTILE[name]
    return begin + unit * times + end


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_records_are_refused_or_read_at_once(name):
    data = hostile(name)
    begin = time.perf_counter()
    try:
        sgf.read(data).board()
    except InputError as error:
        one_sentence(error)
    assert time.perf_counter() - begin < 10


@small
def test_the_limits_are_said():
    assert "4 MB" in refuses(hostile("a property of 10 MB"))
    assert "5000 nodes" in refuses(hostile("100,000 nodes"))
    assert "100000 names" in refuses(hostile("brackets in a game"))


SEEDS = (
    WHOLE,
    SENDING_TWO,
    record("代表".encode("shift_jis"), "Shift_JIS"),
    record("李世乭".encode(), before=b"\xef\xbb\xbf"),
    b"(;SZ[9](;B[ee](;W[cc])(;W[dd];B[ff]))(;B[aa];W[bb]))(;SZ[13])",
    b"(;SZ[9]KM[6,5]AB[aa:bb]AW[ii];AE[bb]PL[W];W[ee]C[Ann [5k], hi];AB[hh]PL[B];B[fe])",
)
PIECES = [*rb"( ) ; [ ] \ : B W AB AE PL SZ KM CA tt 9 . aa".split(), b" ", b"\n", b"\0", b"\xff", b"\x81"]


def mutated(rng: random.Random) -> bytes:
    """A valid record with a few wrong bytes."""
    data = bytearray(rng.choice(SEEDS))
    for _ in range(rng.randint(1, 6)):
        i, j = sorted(rng.choices(range(len(data) + 1), k=2))
        kind = rng.randrange(5)
        if kind == 0 and data:
            data[i % len(data)] = rng.randrange(256)
        elif kind == 1:
            data[i:i] = rng.choice(PIECES)
        elif kind == 2:
            del data[i : min(j, i + 5)]
        elif kind == 3:
            data[i:i] = data[i:j]
        else:
            data[i:j] = data[i:j][::-1]
    return bytes(data)


def survive(data: bytes) -> int:
    """Read and replay a record; return 1 if it is one. Only an InputError may come out."""
    begin = time.perf_counter()
    try:
        game = sgf.read(data)
        assert sgf.read(game.to_sgf().encode()).actions == game.actions
        game.board()
        return 1
    except InputError as error:
        one_sentence(error)
        return 0
    finally:
        assert time.perf_counter() - begin < 2, data


@pytest.mark.parametrize("seed", range(4))
def test_mutated_records(seed):
    rng = random.Random(seed)
    read = sum(survive(mutated(rng)) for _ in range(1500))
    assert 150 < read < 1450  # otherwise the mutations are too wild or too tame to tell anything


def test_random_bytes():
    rng = random.Random(1)
    for _ in range(1500):
        survive(b"(;" + rng.randbytes(rng.randint(0, 300)))
        survive(b"(;" + b"".join(rng.choices(PIECES, k=rng.randint(0, 80))))
    for _ in range(500):
        survive(rng.randbytes(rng.randint(0, 300)))


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(data):
    survive(data)
    survive(b"(;SZ[5]" + data + b"B[aa]")
