"""Game records for tests, and what is asked of them."""

import pytest

from playout.errors import InputError
from playout.games.go import coords, sgf


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


WHOLE = b"""(;GM[1]FF[4]CA[UTF-8]AP[Some:1.0]SZ[9]KM[5.5]HA[2]RU[Japanese]
PB[Black Player]PW[White Player]RE[W+3.5]DT[2001-02-03]AB[cg][gc]
;W[ee]C[a comment];B[ec];W[tt];B[])
"""

SENDING_TWO = b"(;SZ[5]AB[ab][bb]AW[ba][cb][da];W[aa];B[ca];W[ba])"


def record(name: bytes, charset: str = "", before: bytes = b"") -> bytes:
    declared = f"CA[{charset}]".encode() if charset else b""
    return before + b"(;GM[1]" + declared + b"SZ[9]PB[" + name + b"]PW[Ann];B[ee];W[cc])"
