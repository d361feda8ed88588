"""Players that think on while the opponent does: where they do, what it is good for, how soon it ends."""

import threading
import time

import numpy as np
import pytest

from playout.errors import InputError
from playout.games.go.board import Board
from playout.player.pondering import Pondering
from playout.player.registry import make_player

BOTH = ["mogo", "td-search"]


def pondering():
    return [thread for thread in threading.enumerate() if thread.name == "pondering"]


def comes_true(question, seconds=20.0):
    end = time.monotonic() + seconds
    while not question() and time.monotonic() < end:
        time.sleep(0.005)
    return question()


def test_pondering_grows_the_tree_that_is_kept():
    board, player = Board(7), make_player("mogo:sims=300,seed=1,ponder=true")
    board.play(player.choose(board))
    player.ponder(board)
    assert comes_true(lambda: player._search.visits > 600)
    assert pondering()
    player.stop()
    assert not pondering()
    search = player.prepare(board)
    best = int(search.children()["action"][np.argmax(search.children()["visits"])])
    board.play(best)
    assert player.prepare(board).visits > 100
    player.close()


@pytest.mark.parametrize("spec", ["td-search", "dyna2", "rlgo:depth=2"])
def test_pondering_teaches_the_memory_that_is_kept(spec):
    words = "sims=50,seed=1,ponder=true"
    board, player = Board(5), make_player(f"{spec}{',' if ':' in spec else ':'}{words}")
    board.play(player.choose(board))
    before = player._search.weights.copy()
    player.ponder(board)
    assert comes_true(lambda: bool((player._search.weights != before).any()))
    assert player._search._root["to_play"][0] == board.to_play == 2  # the opponent's turn
    player.stop()
    assert not pondering()
    learnt, made = player._search.weights.copy(), player._search.simulations
    assert made > 50
    board.play("B2")
    assert np.array_equal(player.prepare(board).weights, learnt)
    player.choose(board)
    assert player._search.simulations == made + 50
    player.close()


@pytest.mark.parametrize("name", BOTH)
def test_stops_pondering_soon(name):
    board, player = Board(19), make_player(f"{name}:sims=100,seed=1,ponder=true")
    board.play(player.choose(board))
    late = []
    for _ in range(5):
        player.ponder(board)
        time.sleep(0.1)
        began = time.monotonic()
        player.stop()
        late.append(time.monotonic() - began)
    assert min(late) < 0.05
    player.close()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("mogo", "ponder=false"),
        ("mogo", "ponder=true,reuse=false"),
        ("td-search", "ponder=false"),
        ("td-search", "ponder=true,keep=false"),
    ],
)
def test_does_not_ponder_for_nothing(name, settings):
    board, player = Board(5), make_player(f"{name}:sims=50,{settings}")
    board.play(player.choose(board))
    player.ponder(board)
    assert not pondering()


@pytest.mark.parametrize("name", BOTH)
def test_does_not_ponder_before_the_first_move_nor_after_the_last(name):
    player = make_player(f"{name}:sims=50,ponder=true")
    player.ponder(Board(5))
    assert not pondering()
    board = Board(5).play("pass")
    player.choose(board)
    player.ponder(board.play("pass"))
    assert not pondering()
    player.new_game()
    player.ponder(Board(5))
    assert not pondering()


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("ends", ["stop", "new_game", "close", "choose", "value", "analyse"])
def test_whatever_is_asked_ends_it(name, ends):
    board, player = Board(5), make_player(f"{name}:sims=20,seed=1,ponder=true")
    board.play(player.choose(board))
    player.ponder(board)
    assert pondering()
    if ends == "analyse":
        next(player.analyse(board))
    else:
        getattr(player, ends)(*[board] * (ends in ("choose", "value")))
    assert not pondering()
    player.close()


def test_a_full_pool_ends_the_pondering():
    board, player = Board(9), make_player("mogo:sims=50,ponder=true,memory=1,expand=0")
    board.play(player.choose(board))
    player.ponder(board)
    assert comes_true(lambda: not pondering())
    assert board.is_legal(player.choose(board))
    player.close()


def test_what_goes_wrong_in_the_background_is_left_to_the_next_search(monkeypatch):
    loud = []
    monkeypatch.setattr(threading, "excepthook", loud.append)
    thought = Pondering()

    def think(position, go_on):
        raise InputError("a game is longer than the search was told")

    thought.begin(Board(5), think)
    assert comes_true(lambda: not thought.is_under_way)
    thought.end()
    assert loud == []
