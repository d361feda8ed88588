"""Fifty thousand random lines: each gets one answer, and the server still plays."""

import io
import random
import re

from gtp_talk import say

from playout.gtp.server import MAX_LINE, Server
from playout.gtp.table import COMMANDS

LINES = 60_000
# Slow ones, seldom: a playout-heavy answer takes milliseconds.
SELDOM = [
    "final_score",
    "final_status_list",
    "playout-ownership",
    "kgs-genmove_cleanup",
    "lz-analyze",
    "kata-analyze",
    "lz-genmove_analyze",
    "kata-genmove_analyze",
]
# Not quit, and not what writes files.
OFTEN = sorted(set(COMMANDS) - set(SELDOM) - {"quit", "printsgf"})
WORDS = """
    b w B W black white BLACK green x o E5 e5 a1 J9 T19 A0 Z99 I5 5E pass PASS resign A1,B2 aa
    0 1 2 3 5 9 10 19 20 -1 -3 007 99999999999999999999 1e999 nan inf -inf 1.5 .5 6.5 1e-400 0x10 1_0
    alive dead seki dame black_territory none absolute byoyomi canadian true false interval avoid
    ownership maxmoves superko suicide scoring seed sims policy positional area name play
    /dev/null /no/such/file . .. ' " \\ % { } = ? ; | $HOME `id` ../../etc/passwd
"""
ODD = ["ü", "☃", "９", "\u2028", "\x00", "\x1b[2J", "😀" * 20, "A" * 300, "9" * 5000]
ARGUMENTS = WORDS.split() + ODD


def random_line(rng: random.Random) -> bytes:
    """A line as no controller should send it, or as one might."""
    kind = rng.random()
    if kind < 0.1:
        return bytes(rng.choice(range(256)) for _ in range(rng.randrange(40))).replace(b"\n", b" ")
    if kind < 0.15:
        return "".join(rng.choice(ARGUMENTS) + rng.choice(" \t#\r\x07") for _ in range(3)).encode()
    if kind < 0.25:  # a legal game goes on underneath
        return rng.choice(
            [b"genmove b", b"genmove w", b"play b pass", b"undo", b"boardsize 5", b"clear_board"]
        )
    name = rng.choice(SELDOM) if kind < 0.27 else rng.choice(OFTEN)
    if kind > 0.98:  # nearly a command
        spoilt = list(name)
        spoilt[rng.randrange(len(spoilt))] = rng.choice("aZ_-0 ")
        name = "".join(spoilt)
    words = [name, *(rng.choice(ARGUMENTS) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 6])))]
    if name == "boardsize" and rng.random() < 0.9:  # small boards, for time's sake
        words = [name, rng.choice("234567")]
    if name in ("playout-ownership", "set_random_seed"):
        words = [name, rng.choice(["5", "x", "-1"])]
    if rng.random() < 0.3:
        words.insert(0, rng.choice(["1", "42", "00", "-7", "3a", "123456789012345678901", "٣", "1.5"]))
    line = rng.choice([" ", " ", "  ", "\t"]).join(words)
    if rng.random() < 0.05:
        line += rng.choice(["#", " # play b e5", "\r", "\x00", " \t "])
    return line.encode("utf-8", "surrogatepass").replace(b"\n", b"")


def has_command(line: bytes) -> bool:
    """Whether GTP asks for an answer: something is left without control characters and comments."""
    text = re.sub(r"[\x00-\x08\x0a-\x1f\x7f]", "", line.decode("utf-8", "replace"))
    return bool(text.split("#")[0].strip())


def test_every_line_gets_one_answer():
    rng = random.Random(20091)
    lines = [random_line(rng) for _ in range(LINES)]
    for k in range(5):
        lines.insert(rng.randrange(LINES), b"9 play b " + bytes([65 + k]) * (1 << 20))
    lines.insert(rng.randrange(LINES), b"x" * (MAX_LINE + 1))
    lines.insert(rng.randrange(LINES), b"x" * MAX_LINE)

    server = Server("uniform:seed=1")
    out = io.BytesIO()
    server.serve(io.BytesIO(b"\n".join(lines) + b"\n"), out)
    written = out.getvalue().decode()
    assert written.endswith("\n\n")
    answers = written[:-2].split("\n\n")
    asked = [line for line in lines if has_command(line)]
    for line, answer in zip(asked, answers, strict=False):
        assert re.match(r"[=?]([0-9]{1,19})?( |\n|$)", answer), (line[:200], answer[:200])
        if answer.startswith("?"):
            assert re.fullmatch(r"\?[0-9]* [ -~]+", answer), (line[:200], answer[:200])
            assert "internal error" not in answer, (line[:200], answer)
    assert len(answers) == len(asked)
    assert "Traceback" not in written
    good = sum(answer.startswith("=") for answer in answers)
    assert LINES / 10 < good < LINES * 0.9, "both kinds of answers are tried"

    assert say(server, "boardsize 9", "clear_board", "play b E5", "last_move") == "black E5"
    assert re.fullmatch(r"[A-J][1-9]", say(server, "genmove w"))
