"""Game records: what they say, in files as they come."""

import pytest
from records import WHOLE, at, line, record, refuses

from playout.games.go import sgf
from playout.games.go.board import MAX_KOMI, Board
from playout.games.go.state import BLACK, PASS, WHITE

small = pytest.mark.small


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
    assert game == sgf.Game(size=19, komi=0.0, to_play=BLACK, has_komi=False)
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
