"""Openings from files and by chance: what is read, and what is refused with its place."""

import re

import numpy as np
import pytest

from playout.arena.openings import random_opening, read_openings
from playout.arena.terms import Terms
from playout.errors import InputError

TERMS = Terms(size=5)
pytestmark = pytest.mark.small


def test_a_file_has_an_opening_a_line(tmp_path):
    path = tmp_path / "openings.txt"
    path.write_text("\ufeffc3\n\n# these two are mirror images\nB2 D4 pass  # one passes\r\n  d4 B2\n")
    assert read_openings(path, TERMS) == ["C3", "B2 D4 pass", "D4 B2"]


def test_records_are_openings(tmp_path):
    (tmp_path / "b.sgf").write_text("(;GM[1]SZ[5];B[bb];W[])")
    (tmp_path / "a.sgf").write_text("(;GM[1]SZ[5];B[cc];W[dd](;B[aa])(;B[ab]))")
    (tmp_path / "notes.txt").write_text("Z99")
    assert read_openings(tmp_path / "b.sgf", TERMS) == ["B4 pass"]
    assert read_openings(tmp_path, TERMS) == ["C3 D2 A5", "B4 pass"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("C3\nF1\n", "openings.txt, line 2: point 'F1' is not on a 5×5 board"),
        ("C3 C3", "openings.txt, line 1: White may not play C3: there is a stone already"),
        ("\n\nC3 pass pass", "openings.txt, line 3: after this opening there is no game left"),
        ("C3 resign", "openings.txt, line 1: after this opening there is no game left"),
        ("# nothing\n", "there are no openings in"),
        ("", "there are no openings in"),
        (b"\xff\xfe\x00", "it is not text"),
        (b"\x00C3", "line 1: point"),
    ],
)
def test_what_is_no_opening_is_refused_with_its_line(tmp_path, text, message):
    path = tmp_path / "openings.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=re.escape(message)):
        read_openings(path, TERMS)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("(;GM[1]SZ[9];B[cc])", "an opening on 9×9, and games are on 5"),
        ("(;GM[1]SZ[5]AB[aa];W[cc])", "other stones than moves in turn"),
        ("(;GM[1]SZ[5];B[aa];B[cc])", "other stones than moves in turn"),
        ("(;GM[1]SZ[5];W[cc])", "other stones than moves in turn"),
        ("(;GM[1]SZ[5];B[aa];W[aa])", "may not play"),
        ("nothing", "game.sgf"),
    ],
)
def test_records_that_are_no_openings_are_refused(tmp_path, record, message):
    (tmp_path / "game.sgf").write_text(record)
    for path in (tmp_path / "game.sgf", tmp_path):
        with pytest.raises(InputError, match=message):
            read_openings(path, TERMS)


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read_openings(tmp_path / "none.txt", TERMS)
    with pytest.raises(InputError, match=r"has no \.sgf files"):
        read_openings(tmp_path, TERMS)
    with pytest.raises(InputError, match="not a file"):
        read_openings("/dev/null", TERMS)


def test_random_openings_repeat_by_their_seed():
    def opening(key: int, each: int = 3) -> str:
        return random_opening(TERMS, each, np.random.SeedSequence(1, spawn_key=(key,)))

    assert opening(1) == opening(1)
    assert len({opening(key) for key in range(20)}) == 20
    assert len(opening(1).split()) == 6
    assert opening(1, 0) == ""
    board = TERMS.position()
    for word in opening(5, 6).split():
        board.play(word)
    assert not board.is_over
