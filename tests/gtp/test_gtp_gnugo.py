"""Whole games against GNU Go, both as GTP processes with a referee between them that knows no rules."""

import shutil
import sys

import pytest

from playout.gtp.client import Engine

pytestmark = [
    pytest.mark.gnugo,
    pytest.mark.skipif(
        not shutil.which("gnugo") and not shutil.which("gnugo", path="/usr/games"),
        reason="GNU Go is not installed (Debian: apt install gnugo)",
    ),
]

CODE = "from playout.gtp.server import serve_stdio; serve_stdio({!r})"
COLORS = ("black", "white")


@pytest.fixture
def engines(request):
    """Our server with a player, and GNU Go."""
    spec, seed = request.param
    with (
        Engine([sys.executable, "-c", CODE.format(spec)], timeout=120) as ours,
        Engine(f"gnugo --mode gtp --chinese-rules --level 1 --positional-superko --seed {seed}") as gnugo,
    ):
        for engine in (ours, gnugo):
            engine.ask("boardsize 9")
            engine.ask("komi 7.5")
            engine.ask("clear_board")
        yield ours, gnugo


def words(engine: Engine, command: str) -> list[str]:
    """An answer's words, in one order and case."""
    return sorted(engine.ask(command).upper().split())


def compare(ours: Engine, gnugo: Engine) -> None:
    """All that both can say of a position."""
    for color in COLORS:
        for question in (f"all_legal {color}", f"list_stones {color}", f"captures {color}"):
            assert words(ours, question) == words(gnugo, question), question
        for stone in words(gnugo, f"list_stones {color}"):
            for question in (f"countlib {stone}", f"findlib {stone}", f"color {stone}"):
                assert words(ours, question) == words(gnugo, question), question
    assert ours.ask("move_history").upper() == gnugo.ask("move_history").upper()
    for question in ("last_move", "get_komi", "query_boardsize"):
        assert words(ours, question) == words(gnugo, question), question


GAMES = [
    ("uniform:seed=1", 1),
    ("mogo-policy:seed=2", 2),
    ("flat:sims=20,policy=mogo,seed=3", 3),
    ("flat:sims=20,seed=4", 4),
]


@pytest.mark.parametrize(
    ("engines", "we_are"),
    list(zip(GAMES, COLORS * 2, strict=True)),
    indirect=["engines"],
    ids=[spec for spec, _ in GAMES],
)
def test_a_whole_game(engines, we_are):
    ours, gnugo = engines
    passes = moves = 0
    while passes < 2:
        assert moves < 400, "no end"
        color = COLORS[moves % 2]
        mover, other = (ours, gnugo) if color == we_are else (gnugo, ours)
        move = mover.ask(f"genmove {color}")
        if move.lower() == "resign":
            break
        other.ask(f"play {color} {move}")  # a Refusal if they do not agree that it is legal
        passes = passes + 1 if move.lower() == "pass" else 0
        moves += 1
        if moves % 15 == 0:
            compare(ours, gnugo)
    compare(ours, gnugo)
    if words(ours, "final_status_list dead") == words(gnugo, "final_status_list dead"):
        assert words(ours, "final_score") == words(gnugo, "final_score")
    for _ in range(10):
        ours.ask("undo")
        gnugo.ask("undo")
    compare(ours, gnugo)


@pytest.mark.parametrize("engines", GAMES[:1], indirect=True, ids=["fixed points"])
def test_handicap_points(engines):
    ours, gnugo = engines
    for size in range(7, 20):
        for stones in range(2, 10):
            if stones > (9 if size % 2 and size > 7 else 4):
                continue
            for engine in engines:
                engine.ask(f"boardsize {size}")
                engine.ask("clear_board")
            assert words(ours, f"fixed_handicap {stones}") == words(gnugo, f"fixed_handicap {stones}")
            assert words(ours, "get_handicap") == words(gnugo, "get_handicap")


@pytest.mark.parametrize("engines", GAMES[:1], indirect=True, ids=["sgf"])
def test_each_reads_the_others_sgf(engines, tmp_path):
    ours, gnugo = engines
    for engine in engines:
        engine.ask("fixed_handicap 3")
    moves = []
    for k in range(20):
        color = COLORS[1 - k % 2]
        moves.append(gnugo.ask(f"genmove {color}"))
        ours.ask(f"play {color} {moves[-1]}")
    path = tmp_path / "game.sgf"
    ours.ask(f"printsgf {path}")
    for until in ("", " 8", f" {moves[7]}", f" {moves[12].lower()}"):  # the last position, and before a move
        for engine in engines:
            engine.ask("boardsize 5")
            engine.ask("clear_board")
        assert ours.ask(f"loadsgf {path}{until}") == gnugo.ask(f"loadsgf {path}{until}")
        compare(ours, gnugo)
    assert ours.ask("get_handicap") == "3"
    gnugo.ask(f"printsgf {path}")  # GNU Go writes the position, not the moves
    ours.ask("boardsize 5")
    ours.ask(f"loadsgf {path}")
    for question in ("query_boardsize", "get_komi", *(f"list_stones {color}" for color in COLORS)):
        assert words(ours, question) == words(gnugo, question)
