"""The end of a game: who may pass, and who has to take dead stones first."""

import pytest

from playout.games.go.board import Board
from playout.games.go.coords import parse_vertex, vertex
from playout.games.go.ending import GoEnding, capture
from playout.games.go.policy import Mogo
from playout.games.go.state import PASS
from playout.player.registry import make_player

PLAYERS = ["uct", "rave", "mogo"]

SETTLED = """
    . X . X O . .
    X X X X O O O
    X X X X O . O
    . X . X O O .
    X X X X X O O
    . X . . X O .
    X X X X X O O"""

# White's stones at A5 and B5 are dead. As it stands, they make the points around them nobody's.
DEAD_INSIDE = """
    . X . X O . .
    X X X X O O O
    O O . X O . O
    . . . X O O .
    X X X X X O O
    . X . . X O .
    X X X X X O O"""


# White is behind unless the komi is large, and has moves left that fill no eye.
LOST = """
    . X . X O . .
    X X X X O . .
    X X X X O . .
    . X . X O O O
    X X X X O . .
    . X . X O . .
    X X X X O . ."""


def ending(text, to_play="X", komi=7.5, passed=False):
    board = Board.from_text(text, to_play=to_play, komi=komi)
    if passed:
        board.to_play = 3 - board.to_play
        board.play("pass")
    return GoEnding(board, Mogo())


def plays(name, found, sims=400):
    return make_player(f"{name}:sims={sims},seed=1").choose(found.board)


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("passed", [False, True])
def test_passes_when_ahead_and_all_is_settled(name, passed):
    found = ending(SETTLED, komi=7.5, passed=passed)
    assert found.may_pass()
    assert plays(name, found) == "pass"


@pytest.mark.parametrize("name", PLAYERS)
def test_gives_a_lost_game_in_when_the_opponent_passes_and_passes(name):
    """Moves of White's into his own territory would be captured there, and go on nearly for ever."""
    board = Board.from_text(LOST, to_play="X", komi=0.5)
    for turn in range(3):
        assert not GoEnding(board, Mogo()).is_lost(0.0)
        board.play("pass")
        found = GoEnding(board, Mogo())
        assert found.is_lost(0.01) == (turn == 2)
        assert not found.is_lost(0.1)
        move = plays(name, found)
        assert (move == "pass") == (turn == 2)
        board.play(move)


@pytest.mark.parametrize("name", PLAYERS)
def test_does_not_pass_while_behind(name):
    """A big gap is left: Black is behind as it stands, and White's pass is no reason to agree."""
    found = ending(
        """
        . X O . . . .
        X X O . . . .
        . X O . . . .
        X X O . . . .
        . X O . . . .
        X X O . . . .
        . X O . . . .""",
        komi=0.5,
        passed=True,
    )
    assert found.is_behind
    assert not found.may_pass()
    assert plays(name, found) != "pass"


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("passed", [False, True])
def test_takes_dead_stones_before_passing_when_the_count_as_it_stands_loses(name, passed):
    found = ending(DEAD_INSIDE, komi=8.5, passed=passed)
    assert found.lead_as_it_stands < 0 < found.lead_without_dead
    assert found.is_behind
    board = found.board.copy()
    player = make_player(f"{name}:sims=400,seed=1")
    for _ in range(8):  # White only passes
        p = player.choose_action(board)
        if p == PASS:
            break
        board.play(p)
        board.play("pass")
    assert board.is_over or board.score() > 0, "it passed before it was ahead by the count"
    assert board.score() > 0


@pytest.mark.parametrize("name", PLAYERS)
def test_dead_stones_may_stay_when_both_counts_win(name):
    found = ending(DEAD_INSIDE, komi=0.5, passed=True)
    assert found.lead_as_it_stands > 0
    assert found.may_pass()
    assert plays(name, found) == "pass"


@pytest.mark.parametrize("name", PLAYERS)
def test_answers_a_pass_with_a_pass_only_if_ahead(name):
    """The same position, won or lost by the komi."""
    assert plays(name, ending(LOST, "O", komi=9.5, passed=True)) == "pass"
    assert plays(name, ending(LOST, "O", komi=0.5, passed=True)) != "pass"


@pytest.mark.parametrize("name", PLAYERS)
def test_a_lost_game_that_counts_as_won_ends_at_once(name):
    """Black passes too early: as it stands White wins, but only because its dead stones are still there."""
    found = ending(DEAD_INSIDE, "O", komi=8.5, passed=True)
    assert found.lead_as_it_stands > 0 > found.lead_without_dead
    assert not found.may_pass()
    assert found.instead_of_pass(42, value=0.1) == PASS
    assert found.instead_of_pass(42, value=0.9) == 42
    assert plays(name, found) == "pass"


def test_even_is_not_behind():
    found = ending(
        """
        . X O .
        X X O O
        . X O .
        X X O O""",
        komi=0,
        passed=True,
    )
    assert found.lead_as_it_stands == 0
    assert not found.is_behind
    assert not found.may_pass()
    assert make_player("mogo:sims=200,seed=1").choose_action(found.board) == PASS


def test_the_opening_costs_a_few_simulations_only(monkeypatch):
    from playout.games.go import ending as module

    made = []
    counted = module.ownership

    def counting(board, policies, simulations, rng):
        made.append(simulations)
        return counted(board, policies, simulations, rng)

    monkeypatch.setattr(module, "ownership", counting)
    assert not ending("\n".join([". . . . . . . . ."] * 9), "O").may_pass()
    assert sum(made) <= 40


def test_capture_comes_nearer_to_taking():
    board = Board.from_text(DEAD_INSIDE)
    dead = [parse_vertex(v, 7) for v in ("A5", "B5")]
    assert vertex(capture(board, dead), 7) in ("C5", "A4", "B4")
    assert capture(Board(5).play("C3"), []) != PASS
