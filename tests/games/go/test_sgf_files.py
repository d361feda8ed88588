"""Files of game records: those that cannot be read, and those that mean harm."""

import os
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records import SENDING_TWO, WHOLE, one_sentence, record, refuses

from playout.errors import InputError
from playout.games.go import sgf

small = pytest.mark.small


@small
def test_loading(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_bytes(WHOLE)
    assert sgf.load(path) == sgf.load(str(path)) == sgf.read(WHOLE)


@small
def test_a_collection_has_its_games_by_number(tmp_path):
    path = tmp_path / "games.sgf"
    path.write_text("Two games.\n(;SZ[9]PB[Ann];B[aa](;W[bb])(;W[cc]C[ (;no game) ]))\n(;SZ[5]PB[Bob])\n")
    assert sgf.count_games(path) == 2
    assert [sgf.load(path, number).black for number in (1, 2)] == ["Ann", "Bob"]
    for number in (0, 3):
        with pytest.raises(InputError, match=rf"there is no game {number}: the file has 2 games"):
            sgf.load(path, number)


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
