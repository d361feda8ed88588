"""The tournament version of the hybrid: how its two searches share the time of a move, threads, stopping."""

import os
import signal
import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest

from playout.games.go.board import Board
from playout.games.go.memory.short_term import ShortTerm
from playout.games.go.policy import Mogo
from playout.kernel import kernel
from playout.memory.api import add
from playout.player import alphabeta, td_search
from playout.player.api import moves_on_interrupt
from playout.player.registry import make_player
from playout.search.alphabeta import Found
from playout.search.td_search import TDSearch, TDSettings

# -- the two searches, by a clock that goes only when they say so -----------------------------------


@dataclass
class Stand:
    """A player whose searches take the time that they are told to, and note when they end.

    deepening: seconds that alpha-beta takes to its depth. most: simulations a second.
    """

    player: object
    monkeypatch: object
    deepening: float = 0.01
    most: int = 1000
    now: float = 100.0

    def __post_init__(self):
        self.log = []
        self.monkeypatch.setattr(time, "monotonic", lambda: self.now)
        self.monkeypatch.setattr(self.player._search, "run", self._run)
        self.monkeypatch.setattr(td_search, "deepen", self._deepen)

    def _run(self, simulations, go_on):
        began, made = self.now, 1
        while made < simulations and go_on(made):
            self.now += 1 / self.most
            made += 1
        self.log.append(("simulations", round(self.now - began, 2)))
        return made

    def _deepen(self, search, root, actions, depth, until, stopped):
        took = self.deepening if until is None else max(0.0, min(self.deepening, until - self.now))
        self.now += took
        self.log.append(("alpha-beta", round(took, 2)))
        return Found(depth, 0.0, actions[0], 1, 1)

    def choose(self, board):
        began = self.now
        assert board.is_legal(self.player.choose_action(board))
        return self.now - began


def stand(monkeypatch, spec, **facts):
    player = make_player(spec)
    player._search.start(Board(5).simulation_root())
    player._search.simulations = 0
    return Stand(player, monkeypatch, **facts)


@pytest.mark.parametrize(
    ("share", "simulations", "alpha_beta"), [(0.5, 0.5, 0.5), (0.25, 0.75, 0.25), (0, 1, 0), (1, 0, 1)]
)
def test_alpha_beta_has_its_share_of_the_time(monkeypatch, share, simulations, alpha_beta):
    at = stand(monkeypatch, f"rlgo:seconds=1,depth=9,alphabeta_share={share}", deepening=9.0)
    assert at.choose(Board(5)) == pytest.approx(1, abs=0.01)
    assert at.log == [("simulations", simulations), ("alpha-beta", alpha_beta)]


def test_half_of_it_by_default(monkeypatch):
    at = stand(monkeypatch, "rlgo:seconds=1", deepening=9.0)
    at.choose(Board(5))
    assert at.log == [("simulations", 0.5), ("alpha-beta", 0.5)]


def test_what_alpha_beta_has_no_use_for_goes_back_to_simulations(monkeypatch):
    """It keeps twice what it took, and has the last word."""
    at = stand(monkeypatch, "rlgo:seconds=1", deepening=0.1)
    assert at.choose(Board(5)) == pytest.approx(0.9, abs=0.01)
    assert at.log == [("simulations", 0.5), ("alpha-beta", 0.1), ("simulations", 0.2), ("alpha-beta", 0.1)]


def test_what_simulations_have_no_use_for_goes_to_alpha_beta(monkeypatch):
    at = stand(monkeypatch, "rlgo:seconds=1,sims=100", deepening=9.0)
    at.choose(Board(5))
    assert at.log == [("simulations", 0.1), ("alpha-beta", 0.9)]


def test_no_more_simulations_than_were_asked_for(monkeypatch):
    at = stand(monkeypatch, "rlgo:seconds=1,sims=100", deepening=0.1)
    at.choose(Board(5))
    assert at.log == [("simulations", 0.1), ("alpha-beta", 0.1)]
    at = stand(monkeypatch, "rlgo:seconds=1,sims=600", deepening=0.1)
    at.choose(Board(5))
    assert at.log[2:] == [("simulations", 0.1), ("alpha-beta", 0.1)]


def test_without_a_time_there_is_nothing_to_share(monkeypatch):
    at = stand(monkeypatch, "rlgo:sims=100,alphabeta_share=1", deepening=0.5)
    at.choose(Board(5))
    assert at.log == [("simulations", 0.1), ("alpha-beta", 0.5)]


def test_depth_one_simulates_all_the_time(monkeypatch):
    at = stand(monkeypatch, "dyna2:seconds=1")
    at.choose(Board(5))
    assert at.log == [("simulations", 1.0)]


def test_a_value_takes_the_time_of_a_move_and_shares_it(monkeypatch):
    at = stand(monkeypatch, "rlgo:seconds=1", deepening=9.0)
    at.player.value(Board(5))
    assert at.log == [("simulations", 0.5), ("alpha-beta", 0.5)]


@pytest.mark.parametrize(("spec", "part"), [("rlgo:sims=none", 4 / 81), ("rlgo:sims=none,decay=8", 8 / 81)])
def test_a_clock_decays(monkeypatch, spec, part):
    at = stand(monkeypatch, spec, deepening=1000.0, most=100)
    board, left = Board(9), 1000.0
    for vertex in ("E5", "C3", "G7"):
        at.player.clock.set(left)
        took = at.choose(board)
        assert took == pytest.approx(part * left, rel=0.02)
        left -= took
        board.play(vertex)


def test_others_deal_a_clock_out_evenly(monkeypatch):
    at = stand(monkeypatch, "dyna2:sims=none", most=100)
    at.player.clock.set(1000.0)
    assert at.choose(Board(9)) == pytest.approx(at.player.clock.share(81, 0), abs=0.02)


def test_alpha_beta_looks_at_the_clock_every_few_milliseconds_whatever_a_node_costs():
    """Pieces grow and shrink until one takes about a millisecond."""
    for cost in (1e-7, 1e-5, 1e-3):
        nodes = alphabeta.NODES
        for _ in range(20):
            nodes = alphabeta._next_piece(nodes, nodes * cost)
        assert alphabeta.SHORT <= nodes * cost <= alphabeta.LONG


def test_pieces_do_not_change_what_alpha_beta_finds(monkeypatch):
    board = Board(5).play("C3").play("C2").play("B2")
    found = []
    for nodes in (1, 10**6):
        monkeypatch.setattr(alphabeta, "NODES", nodes)
        monkeypatch.setattr(alphabeta, "_next_piece", lambda nodes, took: nodes)
        player = make_player("rlgo:sims=40,seed=1,depth=3")
        found.append((player.choose(board), player.value(board)))
    assert found[0] == found[1]


# -- stopping ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        "td-search:sims=1000000000",
        "td-search:sims=1000000000,threads=2",
        "rlgo:seconds=60,depth=64,alphabeta_share=0",
        "rlgo:seconds=60,depth=64,alphabeta_share=1",
    ],
)
def test_stop_gives_the_best_move_so_far(spec):
    """From another thread, in the middle of either search."""
    player, board = make_player(spec), Board(9)
    player.warm_up(board)
    stopped_at = []

    def stop():
        stopped_at.append(time.monotonic())
        player.stop()

    threading.Timer(0.3, stop).start()
    assert board.is_legal(player.choose_action(board))
    assert time.monotonic() - stopped_at[0] < 0.3  # some milliseconds, on a quiet machine
    player.close()


def test_ctrl_c_gives_the_best_move_so_far_to_who_wants_it():
    player, board = make_player("rlgo:seconds=60,depth=64"), Board(9)
    player.warm_up(board)
    with moves_on_interrupt(player):
        threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
        assert board.is_legal(player.choose(board))


def test_ctrl_c_is_an_exception_for_others_and_leaves_a_sound_player():
    player, board = make_player("td-search:sims=1000000000,threads=2"), Board(9)
    player.warm_up(board)
    threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        player.choose(board)
    assert np.isfinite(player._search.weights).all()
    player.clock.set(2.0)
    assert board.is_legal(player.choose(board))
    player.close()


# -- threads on one memory --------------------------------------------------------------------------


def test_two_threads_on_one_memory_learn_what_one_does():
    """With ε = 1 nothing that is learnt changes the simulations: runs differ by their luck alone."""
    board = Board(5, komi=3.5).play("C3").play("C2").play("B2")
    moves = board.candidates()[:-1]
    learnt = []
    for threads in (1, 2):
        search = TDSearch(ShortTerm(), Mogo(), TDSettings(alpha=0.02, epsilon=1), threads=threads, seed=1)
        search.start(board.simulation_root())
        assert search.run(8000) == 8000
        search.close()
        assert np.isfinite(search.weights).all()
        learnt.append(search.values(moves))
    one, two = learnt
    assert np.ptp(one) > 0.08, "or there is nothing to learn"
    assert np.corrcoef(one, two)[0, 1] > 0.9  # measured: 0.99
    assert np.abs(one - two).mean() < 0.06  # measured: 0.005 to 0.03


@kernel
def add_all(weights, features, step):
    add(weights, features, features.size, step)


@pytest.mark.small
def test_a_weight_and_its_negative_that_threads_have_parted_come_together_again():
    weights = np.array([0.0, 0.0, 1.0, -0.75, 0.0, 0.0], np.float32)
    add_all(weights, np.array([2], np.uint32), 0.5)
    assert weights.tolist() == [0.0, 0.0, 1.5, -1.5, 0.0, 0.0]
    add_all(weights, np.array([3, 5], np.uint32), 0.25)
    assert weights.tolist() == [0.0, 0.0, 1.25, -1.25, -0.25, 0.25]


def test_threads_are_kept_between_moves_and_ended_by_close():
    def threads():
        return [t for t in threading.enumerate() if t.name.startswith("td-search")]

    player, board = make_player("dyna2:sims=100,threads=3,seed=1"), Board(5)
    player.choose(board)
    kept = threads()
    assert 1 <= len(kept) <= 2  # beside the one that asked; none is started while another is idle
    player.choose(board.play("C3"))
    assert set(kept) <= set(threads())
    player.close()
    assert not threads()
    assert board.is_legal(player.choose_action(board))  # a later search starts them again
    player.close()
    assert not threads()
