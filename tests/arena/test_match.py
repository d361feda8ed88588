"""Matches: the referee's rules, the arithmetic of the result, and that a seed makes it repeatable."""

import math
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from scripted import Scripted

from playout.arena.match import GameResult, Match, elo_difference, match, played, summarise, wilson
from playout.errors import InputError
from playout.games.go.memory.shapes import Shapes
from playout.games.go.memory.store import Weights, features_of
from playout.games.go.sgf import load
from playout.player.registry import make_player

# -- the result ---------------------------------------------------------------------------------------


def result(winner: str | None, reason: str = "score") -> GameResult:
    return GameResult(1, "a", winner, "B+1", reason, "", 10, {"a": 0.0, "b": 0.0})


def test_a_summary_counts_wins_draws_and_void_games():
    found = summarise([result("a"), result("a"), result("b"), result(None, "length"), result(None, "void")])
    assert (found.games, found.a_wins, found.b_wins, found.draws, found.void) == (5, 2, 1, 1, 1)
    assert found.score == 2.5 / 4
    assert found.interval == wilson(2.5, 4)
    assert found.reasons == {"score": 3, "length": 1, "void": 1}
    assert list(found.facts())[:8] == [
        "games",
        "a_wins",
        "b_wins",
        "draws",
        "void",
        "score",
        "interval",
        "elo",
    ]


def test_a_summary_of_nothing():
    found = summarise([])
    assert (found.games, found.score, found.interval, found.elo) == (0, None, (0.0, 1.0), 0.0)


@pytest.mark.parametrize(
    ("points", "games", "low", "high"),
    # Newcombe 1998, table I, method 3 (Wilson, no continuity correction)
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_interval_against_published_values(points, games, low, high):
    assert wilson(points, games) == pytest.approx((low, high), abs=5e-5)


def test_elo_is_finite_and_fair():
    assert elo_difference(5, 10) == 0
    assert elo_difference(8, 10) == pytest.approx(-elo_difference(2, 10))
    assert 0 < elo_difference(10, 10) < elo_difference(100, 100) < math.inf
    assert elo_difference(7_597_469, 10_000_000) == pytest.approx(200, abs=0.1)


# -- pairs, seeds, files ------------------------------------------------------------------------------


def test_colours_alternate_and_pairs_share_an_opening():
    a, b = Scripted(name="a"), Scripted(name="b")
    games = list(played(a, b, 4, size=5, opening=2, seed=3))
    assert [game.black for game in games] == ["a", "b", "a", "b"]
    openings = [str(board) for board in (a.boards[0], b.boards[1], a.boards[2], b.boards[3])]
    assert openings[0] == openings[1]
    assert openings[2] == openings[3]
    assert openings[0] != openings[2]
    assert len(a.boards[0].moves) == 4


def without_times(games: list[GameResult]) -> list[tuple]:
    return [(g.number, g.black, g.winner, g.result, g.reason, g.moves) for g in games]


def test_the_same_seed_gives_the_same_games():
    def games(seed: int) -> list[tuple]:
        return without_times(list(played("flat:sims=3", "mogo-policy", 4, size=5, opening=1, seed=seed)))

    assert games(7) == games(7)
    assert games(7) != games(8)


def test_a_stronger_player_wins():
    found = match("flat:sims=30,policy=mogo", "uniform", 12, size=5, komi=0.5, seed=1)
    assert found.a_wins >= 10


def test_each_game_is_saved_as_soon_as_it_ends(tmp_path):
    for number, game in enumerate(
        played("uniform", "mogo-policy", 3, size=5, komi=4.5, seed=2, sgf=tmp_path / "new" / "games"), 1
    ):
        files = sorted((tmp_path / "new" / "games").iterdir())
        assert [path.name for path in files] == [f"{k:05d}.sgf" for k in range(1, number + 1)]
        record = load(files[-1])
        assert (record.size, record.komi, record.result) == (5, 4.5, game.result)
        assert len(record.moves) == game.moves
        assert {record.black, record.white} == {"uniform", "mogo-policy"}
        assert (record.black == "uniform") == (game.black == "a")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"games": 0}, "at least 1"),
        ({"size": 1}, "board size"),
        ({"komi": math.nan}, "komi"),
        ({"opening": 99}, "opening"),
        ({"opening": -1}, "opening"),
        ({"scoring": "japanese"}, "scoring"),
        ({"move_timeout": 0}, "positive"),
        ({"move_timeout": math.inf}, "positive"),
        ({"max_moves": 0}, "limit"),
        ({"a": "unifrom"}, "did you mean uniform"),
        ({"b": "flat:sims=x"}, "sims='x' is not a whole number"),
        ({"b": "gtp:no-such-engine"}, "no program"),
    ],
)
def test_what_cannot_be_played_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        match(**{"a": "uniform", "b": "uniform", **settings})


# -- engines outside ----------------------------------------------------------------------------------

ENGINE = """
import sys, time
made = 0
for line in sys.stdin:
    words = line.split()
    number, name = (words[0], words[1]) if words[0].isdigit() else ("", words[0])
    if name == "genmove":
        made += 1
        if made > 1:
            {fault}
    print(f"={{number}} " + {{"name": "zoo", "genmove": "pass"}}.get(name, "") + "\\n", flush=True)
    if name == "quit":
        break
"""


def engine(folder: Path, fault: str) -> str:
    path = folder / "engine.py"
    path.write_text(ENGINE.format(fault=fault))
    return f"gtp:{shlex.join([sys.executable, str(path)])}"


@pytest.mark.parametrize(
    ("fault", "reason"),
    [("sys.exit(3)", "failure"), ("time.sleep(60)", "time"), ("print('banana'); sys.exit(0)", "failure")],
)
def test_an_engine_that_breaks_loses_the_game_and_the_match_goes_on(tmp_path, fault, reason):
    # It passes once, and is asked again only if the other side has not passed too.
    spec = engine(tmp_path, fault)
    found = match(Scripted("C3", "B2", "D2"), spec, 2, size=5, move_timeout=2.0)
    assert found.reasons == {reason: 2}
    assert found.a_wins == 2


def test_a_whole_match_with_an_engine(tmp_path):
    found = match("uniform:seed=1", engine(tmp_path, "pass"), 2, size=5, komi=0.5)
    assert (found.games, found.void) == (2, 0)


@pytest.mark.parametrize("spec", ["flat:sims=none", "uct:sims=none"])
def test_a_player_without_end_is_refused_also_as_an_object(spec):
    player = make_player(spec)
    with pytest.raises(InputError, match="sims=none and no time: set its seconds, or a clock"):
        match("uniform", player, 2, size=5)
    assert not player.clock.limited
    assert match("uniform", player, 1, size=5, max_moves=1, clock="60").draws == 1


def test_two_players_of_one_name_are_told_apart_unless_somebody_chose_it():
    with Match(Scripted(), Scripted(), 1, size=5) as event:
        assert event.names == ("scripted", "scripted (2)")
    with pytest.raises(InputError, match="both players are called 'scripted'"):
        Match(Scripted(), "scripted=uniform", 1, size=5)


def test_weights_for_another_board_are_refused(tmp_path):
    def spec(folder):
        return f"shapes:weights={folder / 'small.npz'}"

    shapes = Shapes(side=4, sizes=(1,))
    Weights(shapes, np.zeros(features_of(shapes).unique, np.float32)).save(tmp_path / "small.npz")
    assert match(spec(tmp_path), "uniform", 1, size=4, max_moves=4).games == 1
    with pytest.raises(InputError, match=r"^player shapes:weights=.*small.npz: these weights are for 4×4"):
        match(spec(tmp_path), "uniform", 1, size=5)
