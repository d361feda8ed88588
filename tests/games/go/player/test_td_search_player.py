"""The players td-search, dyna2 and rlgo: what they keep, when they stop, what they refuse."""

import time

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.memory.shapes import Shapes, features_of
from playout.games.go.memory.store import Weights
from playout.games.registry import find_game
from playout.player.api import RESIGN
from playout.player.registry import make_player

KINDS = ["td-search", "dyna2", "rlgo:depth=2"]


def with_settings(spec, words):
    return f"{spec}{',' if ':' in spec else ':'}{words}"


@pytest.mark.parametrize("spec", KINDS)
def test_a_game_is_played_to_its_end_and_repeats(spec):
    games = []
    for _ in range(2):
        board, player = Board(5), make_player(with_settings(spec, "sims=30,seed=4"))
        while not board.is_over and len(board.moves) < 100:
            board.play(player.choose(board))
        games.append([move.point for move in board.moves])
    assert board.is_over
    assert games[0] == games[1]


def test_memory_is_kept_from_move_to_move_and_not_from_game_to_game():
    player = make_player("td-search:sims=40,seed=1")
    board = Board(5).play("D2").play("D3").play("E2")
    player.choose(board)
    player.choose(board.play("C3").play("B2"))
    assert player._search.simulations == 80
    player.choose(board.copy().undo())
    assert player._search.simulations == 120
    player.choose(Board(5).play("A1").play("B1").play("C1"))  # another game, though nobody said so
    assert player._search.simulations == 40
    player.new_game()
    player.choose(board)
    assert player._search.simulations == 40
    forgetful = make_player("td-search:sims=40,seed=1,keep=false")
    forgetful.choose(board)
    forgetful.choose(board.copy().play("D4"))
    assert forgetful._search.simulations == 40


def test_a_lagging_player_chooses_by_the_search_of_some_moves_ago():
    old, new = (make_player(f"td-search:sims=60,seed=3,epsilon=1,lag={lag}") for lag in (4, 0))
    board = Board(5).play("C3").play("C2")
    weights = []
    for move in ("D3", "B3", "B4", "D2", "E2", "A4", None):
        if board.to_play == 1:
            chosen = old.choose_action(board)
            assert new.choose_action(board) is not None
            weights.append(new._search.weights.copy())
            moves = board.candidates()
            before = new._search.values(moves, weights[max(0, len(weights) - 3)])  # four moves ago
            assert chosen == moves[int(np.argmax(before))]
        if move:
            board.play(move)
    assert len(weights) == 4
    assert not np.array_equal(weights[0], weights[1])


def test_depth_one_is_the_best_value_and_deeper_is_alpha_beta():
    board = Board(5).play("C3").play("C2").play("B2")
    one, deep = (make_player(f"dyna2:sims=60,seed=2,depth={depth}") for depth in (1, 2))
    chosen = one.choose_action(board)
    moves = board.candidates()
    values = one._search.values(moves)
    own = values if board.to_play == 1 else 1 - values
    assert chosen == moves[int(np.argmax(own))]
    found = deep.choose_action(board)

    def worst(move):
        """What the best answer leaves, by the values of the same search."""
        after = board.copy().play(move)
        deep._search.start(after.simulation_root())
        answers = after.candidates()[:-1]
        values = deep._search.values(answers)
        return values.min() if board.to_play == 1 else 1 - values.max()

    assert worst(found) == pytest.approx(max(worst(move) for move in moves[:-1]), abs=1e-6)


def test_it_stops_when_it_is_told_and_when_time_is_up():
    player = make_player("td-search:seconds=0.2")
    player.warm_up(Board(9))
    began = time.monotonic()
    player.choose(Board(9))
    assert time.monotonic() - began < 1.5
    hybrid = make_player("rlgo:seconds=0.2,depth=64")
    hybrid.warm_up(Board(9))
    began = time.monotonic()
    hybrid.choose(Board(9))
    assert time.monotonic() - began < 1.5


def test_it_resigns_a_lost_game():
    board = Board(5, komi=60)
    for move in ["C3", "B2", "B3", "C2", "D2", "D3", "E3", "B4"]:
        board.play(move)
    player = make_player("td-search:sims=1000,alpha=1,seed=1,resign=0.4,resign_turns=1")
    assert player.choose_action(board) == RESIGN


def test_it_analyses_without_touching_what_it_has_learnt():
    player = make_player("td-search:sims=50,seed=3")
    board = Board(5)
    player.choose(board)
    before = player._search.weights.copy()
    analysis = next(player.analyse(board))
    assert len(analysis.moves) == len(board.candidates())
    rates = [move.winrate for move in analysis.moves]
    assert rates == sorted(rates, reverse=True)
    assert np.array_equal(player._search.weights, before)
    assert 0 <= player.value(board) <= 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("td-search:switch=-1", "switch"),
        ("td-search:sims=0", "sims"),
        ("td-search:shapes=1+4", "sizes: 4 is not one of 1, 2, 3"),
        ("td-search:traces=red", "traces"),
        ("dyna2:long_term=nowhere.npz", "there is no weight file nowhere.npz"),
        ("td-search:policy=mogoo", "policy"),
    ],
)
def test_wrong_settings_get_a_sentence(spec, message):
    with pytest.raises(InputError, match=message):
        make_player(spec)


def test_long_term_weights_of_another_board_are_refused_in_a_sentence(tmp_path):
    shapes = Shapes(side=5, sizes=(1, 2))
    Weights(shapes, np.zeros(features_of(shapes).unique, np.float32), {"learner": {}}).save(
        tmp_path / "w.npz"
    )
    player = make_player(f"dyna2:sims=5,long_term={tmp_path / 'w.npz'}")
    assert player.choose(Board(5))
    with pytest.raises(InputError, match="5×5"):
        player.choose(Board(9))


@pytest.mark.parametrize(
    "spec",
    [
        "td-search:features=groups",
        "td-search:features=table,features.grows=0",
        "dyna2:features=rave,alpha=0.7",
        "td-search:steps=kalman",
    ],
)
def test_an_analysis_is_what_the_player_finds_in_any_game(spec):
    """Also at its second move, with what it has learnt, and with tables that grow."""
    position = find_game("tic-tac-toe").new_position()
    player = make_player(f"{spec},sims=256,seed=2", "tic-tac-toe")
    for _ in range(2):
        analyses = player.analyse(position)
        found = next(analyses)
        analyses.close()
        chosen = player.choose_action(position)
        moves = [info.action for info in found.moves]
        own = player._search.values(moves)
        own = own if position.to_play == 1 else 1 - own
        assert [info.winrate for info in found.moves] == list(own)
        assert chosen == found.moves[0].action
        position.play(chosen)
        position.play(position.legal_moves()[0])
