"""The players shapes and rlgo1."""

import time

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.store import Weights
from playout.games.go.state import PASS
from playout.player.api import RESIGN
from playout.player.registry import make_player


def played(board, *players):
    """The moves of a game."""
    moves = []
    while not board.is_over and len(moves) < 400:
        move = players[len(moves) % len(players)].choose_action(board)
        board.play(move)
        moves.append(move)
    return moves


def test_a_game_ends_with_all_eyes_left_open():
    board = Board(5)
    moves = played(board, make_player("shapes"))
    assert board.is_over
    assert moves[-2:] == [PASS, PASS]
    assert len(moves) < 200


def test_it_passes_only_when_there_is_nothing_else():
    board = Board(5)
    player = make_player("shapes")
    while not board.is_over:
        move = player.choose_action(board)
        after_pass = board.moves and board.moves[-1].point == PASS
        if move == PASS and not after_pass:
            assert board.candidates() == [PASS]
        board.play(move)


@pytest.mark.parametrize("spec", ["shapes", "rlgo1:depth=2"])
def test_it_resigns_after_some_lost_turns_in_a_row(spec):
    board = Board(5, komi=60)  # more than Black can win
    given = ":" if ":" not in spec else ","
    player = make_player(f"{spec}{given}resign=1,resign_turns=2")
    first = player.choose_action(board)
    assert first == make_player(spec).choose_action(board)
    assert player.choose_action(board.play(first).play("A1")) == RESIGN
    player.new_game()
    assert player.choose_action(board) != RESIGN


@pytest.mark.parametrize(
    "spec", ["shapes:weights=", "rlgo1:depth=2,weights=", "rave:sims=9,prior=shapes,prior.weights="]
)
def test_weights_of_one_size_are_warmed_up_on_that_size(spec, tmp_path):
    shapes = Shapes(side=4, sizes=(1, 2))
    file = tmp_path / "w.npz"
    Weights(shapes, np.zeros(features_of(shapes).unique, np.float32)).save(file)
    player = make_player(f"{spec}{file}")
    player.warm_up(Board(4))
    assert player.choose_action(Board(4)) != PASS
    with pytest.raises(InputError, match="4×4"):
        player.warm_up(Board(9))


def test_a_pass_that_wins_is_answered_with_a_pass():
    board = Board(5, komi=0.5)
    board.play("C3").play("pass")
    assert make_player("shapes").choose_action(board) == PASS
    assert make_player("rlgo1:depth=2").choose_action(board) == PASS
    behind = Board(5, komi=30)
    behind.play("C3").play("pass")
    assert make_player("shapes").choose_action(behind) != PASS


def test_depth_1_is_the_greedy_move():
    board = Board(9)
    greedy, shallow = make_player("shapes"), make_player("rlgo1:depth=1")
    for _ in range(30):
        moves, values = greedy.values(board)
        chosen = shallow.choose_action(board)
        assert values[moves.index(chosen)] == values.max()
        board.play(chosen)


def test_the_table_and_killers_do_not_change_the_value():
    board = Board(7)
    specs = ["rlgo1:depth=3", "rlgo1:depth=3,table=false,killers=false"]
    one, two = (make_player(spec) for spec in specs)
    for _ in range(8):
        move = one.choose_action(board)
        two.choose(board)
        assert one.found.value == pytest.approx(two.found.value, abs=1e-4)
        board.play(move)


def test_deeper_beats_shallower():
    deep, shallow = make_player("rlgo1:depth=3"), make_player("shapes")
    wins = 0
    for k in range(12):
        board = Board(9)
        dice = np.random.default_rng(k // 2)
        for _ in range(4):
            board.play(int(dice.choice(board.legal_moves()[:-1])))
        played(board, *((deep, shallow) if k % 2 == 0 else (shallow, deep)))
        wins += (board.score() > 0) == (k % 2 == 0)
    assert wins >= 8


def test_it_keeps_its_time():
    player = make_player("rlgo1:depth=64,seconds=0.2")
    player.warm_up(Board(9))
    board = Board(9)
    for move in ("E5", "C4", "G4"):
        board.play(move)
    began = time.monotonic()
    move = player.choose_action(board)
    assert time.monotonic() - began < 2.0
    assert board.is_legal(move)
    assert player.found.depth >= 2


def test_a_superko_is_kept():
    """Candidates come from the board, which knows superko; the search only sees those."""
    board = Board(5)
    player = make_player("rlgo1:depth=2")
    played(board, player)
    assert board.is_over


@pytest.mark.parametrize(
    "shapes", [Shapes(side=5, colour="own"), Shapes(side=5, stage=8), Shapes(side=5, sharing="none")]
)
def test_weights_that_cannot_be_frozen_play_too(shapes, tmp_path):
    theta = np.random.default_rng(1).normal(size=features_of(shapes).unique) * 0.1
    Weights(shapes, theta.astype(np.float32)).save(tmp_path / "w.npz")
    board = Board(5)
    player = make_player(f"shapes:weights={tmp_path / 'w.npz'}")
    assert board.is_legal(player.choose(board))
    with pytest.raises(InputError, match="cannot be frozen"):
        make_player(f"mogo:prior=shapes,prior.weights={tmp_path / 'w.npz'},sims=10").choose(board)


def test_a_wrong_file_is_refused_at_once(tmp_path):
    (tmp_path / "w.npz").write_text("no weights")
    with pytest.raises(InputError, match="not a weight file"):
        make_player(f"shapes:weights={tmp_path / 'w.npz'}")
    with pytest.raises(InputError, match="there is no weight file"):
        make_player("rlgo1:weights=nowhere.npz")


def test_weights_of_another_size(tmp_path):
    theta = np.zeros(features_of(Shapes(side=5)).unique, np.float32)
    Weights(Shapes(side=5), theta).save(tmp_path / "w.npz")
    with pytest.raises(InputError, match="for 5×5 boards"):
        make_player(f"shapes:weights={tmp_path / 'w.npz'}").choose(Board(9))


@pytest.mark.parametrize("spec", ["shapes", "rlgo1:depth=2"])
def test_the_value_of_a_position_is_blacks(spec):
    player = make_player(spec)
    board = Board(5, komi=0.5)
    for move in ("C3", "A1", "C2", "A5", "C4", "E5"):
        board.play(move)
    assert 0.5 < player.value(board) <= 1
    board.to_play = "W"
    assert player.value(board) > 0.5


def test_analysis():
    board = Board(5)
    board.play("C3")
    player = make_player("shapes")
    analysis = next(player.analyse(board))
    assert analysis.moves[0].action == player.choose_action(board)
    rates = [move.winrate for move in analysis.moves]
    assert rates == sorted(rates, reverse=True)
    assert analysis.ownership.shape == (5, 5)
