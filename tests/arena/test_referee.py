"""The referee: what ends a game, who has won, and who is to blame."""

import time

import pytest
from scripted import Scripted, game_between

from playout.arena.match import match, played
from playout.arena.referee import Stopped, Terms
from playout.arena.work import Job, carry_out, stop
from playout.errors import InputError
from playout.games.go.board import Board
from playout.player.api import RESIGN, Player
from playout.player.registry import make_player


def test_two_passes_end_a_game_and_area_decides():
    game = game_between(Scripted("C3"), Scripted(), komi=7.5)
    assert (game.winner, game.result, game.reason, game.moves) == ("a", "B+17.5", "score", 3)


def test_equal_areas_are_a_draw():
    game = game_between(Scripted(), Scripted(), komi=0)
    assert (game.winner, game.result, game.reason) == (None, "0", "score")


WALL = ("C1", "C2", "C3", "C4", "C5", "B2", "B4")
INVASION = ("D1", "D2", "D3", "D4", "D5", "A3")  # the stone at A3 cannot live


def test_dead_stones_are_removed_unless_all_count_as_alive():
    black, white = Scripted(*WALL), Scripted(*INVASION)
    assert game_between(black, white, komi=0.5).result == "B+4.5"
    assert game_between(black, white, komi=0.5, scoring="alive").result == "W+4.5"


def test_resigning_loses():
    game = game_between(Scripted("C3", RESIGN), Scripted("D4"))
    assert (game.winner, game.result, game.reason, game.moves) == ("b", "W+R", "resignation", 2)


def test_an_illegal_move_loses():
    game = game_between(Scripted("C3"), Scripted("C3"))
    assert (game.winner, game.result, game.reason) == ("a", "B+F", "illegal move")
    assert "White may not play C3" in game.detail


def test_a_move_off_the_board_loses():
    assert game_between(Scripted(9999), Scripted()).reason == "illegal move"


def test_failing_in_a_game_loses_it():
    game = game_between(Scripted("C3", InputError("no more ideas")), Scripted("D4"))
    assert (game.winner, game.result, game.reason) == ("b", "W+F", "failure")
    assert "no more ideas" in game.detail


def test_a_game_that_cannot_begin_is_void():
    for black, white in (
        (Scripted(OSError("gone")), Scripted()),
        (Scripted("C3"), Scripted(OSError("gone"))),
    ):
        game = game_between(black, white)
        assert (game.winner, game.result, game.reason) == (None, "Void", "void")


def test_too_much_time_for_a_move_loses():
    game = game_between(Scripted(0.3), Scripted(), move_timeout=0.1)
    assert (game.winner, game.result, game.reason) == ("b", "W+T", "time")
    assert game.seconds["a"] >= 0.3


def test_players_of_ours_keep_within_their_time():
    found = match("flat:sims=1000000", "uniform", 1, size=5, move_timeout=0.2, seed=1, max_moves=4)
    assert found.reasons == {"length": 1}


def test_at_the_limit_a_game_is_a_draw():
    game = game_between(Scripted("C3", "A1"), Scripted("D4"), max_moves=3)
    assert (game.winner, game.result, game.reason, game.moves) == (None, "0", "length", 3)


@pytest.mark.parametrize("error", [ZeroDivisionError("a bug"), MemoryError(), RuntimeError("no")])
def test_an_error_that_nobody_meant_is_a_failure_too(error):
    game = game_between(Scripted("C3", error), Scripted("D4"))
    assert (game.winner, game.reason) == ("b", "failure")
    assert type(error).__name__ in game.detail


@pytest.mark.parametrize("move", ["nonsense", None, 2.5, 10**9, -7])
def test_what_is_no_move_loses(move):
    class Odd(Scripted):
        def choose_action(self, board: Board) -> int:
            return move

    assert game_between(Odd(), Scripted()).reason in ("illegal move", "failure")


def test_a_ko_is_the_referees():
    black, white = ("B1", "A2", "B3", "E5", "C2"), ("C1", "D2", "C3", "B2", "B2")
    game = game_between(Scripted(*black), Scripted(*white))
    assert (game.winner, game.reason) == ("a", "illegal move")
    assert "White may not play B2: it would retake a ko" in game.detail


def test_a_game_that_is_stopped_never_was_one():
    job = Job("some run", 1, 1, "a", "b", {"a": "uniform", "b": "uniform"}, "", Terms(size=5), 1)
    assert carry_out(job).reason == "score"
    stop("some run")
    with pytest.raises(Stopped):
        carry_out(job)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"size": 1}, "board size"),
        ({"komi": float("nan")}, "komi"),
        ({"superko": "none"}, "superko"),
        ({"scoring": "japanese"}, "scoring"),
        ({"move_timeout": 0}, "positive"),
        ({"engine_timeout": float("inf")}, "positive"),
        ({"max_moves": 0}, "limit"),
        ({"clock": "5m"}, "clock '5m' is not a time in seconds such as 300"),
        ({"clock": "0"}, "clock"),
        ({"clock": "-1"}, "clock"),
        ({"clock": "9+9/0"}, "clock"),
        ({"clock": "1e400"}, "clock"),
        ({"clock": "300", "move_timeout": 1}, "not both"),
    ],
)
def test_impossible_terms_are_refused(terms, message):
    with pytest.raises(InputError, match=message):
        Terms(**terms)


class Clocked(Scripted):
    """Notes what its clock shows when it is asked; takes a tenth of a second each time."""

    shown: list[tuple[float, float, int]]

    def new_game(self) -> None:
        super().new_game()
        self.shown = []

    def choose_action(self, board: Board) -> int:
        self.shown.append((round(self.clock.main, 1), round(self.clock.period, 1), self.clock.stones))
        time.sleep(0.1)
        return super().choose_action(board)


@pytest.mark.parametrize(
    ("clock", "shown"),
    [
        ("60", [(60, 0, 0), (59.9, 0, 0), (59.8, 0, 0)]),
        ("60+3", [(60, 0, 0), (62.9, 0, 0), (65.8, 0, 0)]),
        ("0+30/2", [(0, 30, 2), (0, 29.9, 1), (0, 30, 2)]),
        ("0.15+30/2", [(0.1, 30, 2), (0.0, 30, 2), (0, 29.9, 1)]),
    ],
)
def test_a_clock_runs_while_a_player_thinks(clock, shown):
    player = Clocked("C3", "B2", name="clocked")
    game = game_between(player, Scripted("D4", "E1"), clock=clock)
    assert game.reason == "score"
    for seen, expected in zip(player.shown, shown, strict=True):
        assert seen == pytest.approx(expected, abs=0.15)
        assert seen[2] == expected[2] or clock.startswith("0.15")


def test_who_oversteps_the_clock_loses():
    game = game_between(Clocked("C3", "B2", "A1"), Scripted("D4", "E1"), clock="0.25")
    assert (game.winner, game.reason, game.moves) == ("b", "time", 4)
    assert "for a move and had" in game.detail
    assert game_between(Clocked("C3", "B2", "A1"), Scripted("D4", "E1"), clock="0.25+1").reason == "score"


def test_players_of_ours_keep_to_a_clock():
    found = match("mogo:sims=none", "flat:sims=none", 1, size=5, clock="3", seed=1)
    assert set(found.reasons) <= {"score", "length"}


def test_players_begin_before_their_clock_runs():
    class Slow(Scripted):
        def begin(self, board: Board) -> None:
            time.sleep(0.3)

    game = game_between(Slow("C3"), Scripted(), move_timeout=0.2)
    assert game.reason == "score"
    assert game.seconds["a"] < 0.2


def test_the_referee_costs_little():
    """Under a millisecond of processor time a move, players and scoring and all; measured at a fifth."""
    match("uniform", "uniform", 2, size=9, seed=1)
    begin = time.process_time()
    games = list(played("uniform", "uniform", 20, size=9, seed=2))
    assert (time.process_time() - begin) / sum(game.moves for game in games) < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["flat", "mogo:sims=1000"])
def test_the_referee_and_the_store_take_under_2_percent(spec, tmp_path, monkeypatch):
    """All processor time of a match that is not a player's choosing: refereeing, scoring, players, store."""
    match(spec, spec, 2, size=9, seed=1, store=tmp_path / "warm.db")
    kind, chosen = type(make_player(spec)), [0.0]
    choose = kind.choose_action

    def timed(self: Player, board: Board) -> int:
        begin = time.thread_time()
        try:
            return choose(self, board)
        finally:
            chosen[0] += time.thread_time() - begin

    monkeypatch.setattr(kind, "choose_action", timed)
    begin = time.process_time()
    games = list(played(spec, spec, 4, size=9, seed=2, store=tmp_path / "run.db"))
    took = time.process_time() - begin
    rest, moves = took - chosen[0], sum(game.moves for game in games)
    print(f"\n{spec}: {1e3 * rest / moves:.2f} ms a move, {rest / took:.1%}")
    assert rest / moves < 1e-3
    assert rest / took < 0.02
