"""Tree search as an object: does it find what is best, and does it stay in its bounds."""

import subprocess
import sys
import threading
from functools import cache

import numpy as np
import pytest

from playout.games.api import is_over, outcome, play
from playout.games.go.board import Board
from playout.games.go.policy import Mogo, Uniform
from playout.games.toy import tictactoe
from playout.kernel import clone
from playout.memory.api import DECIDED
from playout.memory.blank import Blank
from playout.player.registry import make_player
from playout.policy.random import Random
from playout.search.alphabeta import AlphaBeta
from playout.search.mcts import Even, Selection, TreeSearch
from playout.search.nodes import NODE
from playout.search.workers import LONGEST_PIECE

UCT = Selection(exploration=0.5)
RAVE = Selection(rave="mse", bias=0.1, experience=1, exploration=0.1)


@cache
def minimax(cells, player):
    """The value for player 1, and the best cells, of a tic-tac-toe position."""
    state = np.zeros(1, tictactoe.TICTACTOE)
    state["cells"] = cells
    state["turn"] = player
    state["moves"] = np.count_nonzero(cells)
    if is_over(state[0]):
        return float(outcome(state[0])), ()
    values = {}
    for cell in range(9):
        if cells[cell] == 0:
            after = (*cells[:cell], player, *cells[cell + 1 :])
            values[cell] = minimax(after, 3 - player)[0]
    best = max(values.values()) if player == 1 else min(values.values())
    return best, tuple(cell for cell, value in values.items() if value == best)


def positions():
    """Every unfinished tic-tac-toe position that play can reach, one of each symmetric set."""
    found, todo = {}, [((0,) * 9, 1)]
    while todo:
        cells, player = todo.pop()
        square = np.array(cells).reshape(3, 3)
        key = min(tuple(np.rot90(s, k).ravel().tolist()) for s in (square, square.T) for k in range(4))
        if key in found or not minimax(cells, player)[1]:
            continue
        found[key] = (cells, player)
        todo += [((*cells[:c], player, *cells[c + 1 :]), 3 - player) for c in range(9) if cells[c] == 0]
    return list(found.values())


@pytest.mark.parametrize("selection", [UCT, RAVE], ids=["uct", "rave"])
def test_finds_the_minimax_move_all_over_tictactoe(selection):
    search = TreeSearch(selection, Random(), Even(), nodes=50_000, seed=1)
    solved = positions()
    assert len(solved) == 627  # 765 positions up to symmetry, 138 of them finished
    for cells, player in solved:
        state = np.zeros(1, tictactoe.TICTACTOE)
        state["cells"], state["turn"], state["moves"] = cells, player, np.count_nonzero(cells)
        search.start(state, [cell for cell in range(9) if cells[cell] == 0])
        search.run(3000)
        children = search.children()
        chosen = int(children["action"][np.argmax(children["visits"])])
        assert chosen in minimax(cells, player)[1], (cells, player)


def test_alpha_beta_knows_all_of_tictactoe():
    search = AlphaBeta(*Blank().parts())
    for cells, player in positions():
        state = np.zeros(1, tictactoe.TICTACTOE)
        state["cells"], state["turn"], state["moves"] = cells, player, np.count_nonzero(cells)
        search.start(state, [cell for cell in range(9) if cells[cell] == 0])
        found = search.deepen(9 - np.count_nonzero(cells))
        value, best = minimax(cells, player)
        assert (found.value / DECIDED + 1) / 2 == value, (cells, player)
        assert found.action in best, (cells, player)


def go_search(selection, policy=None, **options):
    board = Board(5, komi=0.5)
    search = TreeSearch(selection, policy or Uniform(), Even(), **{"nodes": 100_000, "seed": 1, **options})
    search.start(board.simulation_root(), board.legal_moves())
    return search


def test_same_seed_and_one_thread_give_the_same_tree():
    trees = []
    for _ in range(2):
        search = go_search(RAVE, Mogo())
        search.run(2000)
        trees.append(search._nodes[: search.used].tobytes())
    assert trees[0] == trees[1]


def test_a_run_in_parts_is_the_run_in_one():
    whole, parts = go_search(RAVE), go_search(RAVE)
    whole.run(900)
    for count in (1, 99, 800):
        parts.run(count)
    assert whole._nodes[: whole.used].tobytes() == parts._nodes[: parts.used].tobytes()


def test_a_full_pool_stops_growing_and_goes_on_counting():
    search = go_search(UCT, nodes=300)
    search.run(5000)
    assert search.used <= 300
    assert search.visits == 5000
    assert int(search.children()["visits"].sum()) == 5000


@pytest.mark.parametrize("threads", [1, 2])
def test_a_full_pool_of_a_large_board_is_played_on_with(threads):
    """One megabyte, spent in the first of some moves: the tree stays sound, and its parts are taken over."""
    player = make_player(f"mogo:sims=3000,memory=1,seed=1,threads={threads}")
    board = Board(13)
    for _ in range(4):
        at = player.choose_action(board)
        search = player.prepare(board)
        assert search.used <= 1_000_000 // NODE.itemsize
        assert search.used > 0.9 * 1_000_000 // NODE.itemsize
        inside = search._nodes["first"][: search.used]
        assert threads > 1 or np.all(
            inside.astype(int) + search._nodes["children"][: search.used] <= search.used
        )
        board.play(at)


def test_a_child_is_small():
    """A 19×19 node with all its children is under 12 kilobytes; two nodes lie in a cache line."""
    assert NODE.itemsize == 32
    assert 362 * NODE.itemsize < 12_000


@pytest.mark.slow
def test_a_million_simulations_fit_into_a_gigabyte():
    script = """
import resource
from playout.games.go.board import Board
from playout.memory.api import DECIDED
from playout.memory.blank import Blank
from playout.player.registry import make_player
player = make_player("mogo:seed=1")
search = player.prepare(Board(9))
search.run(1_000_000)
assert search.visits == 1_000_000 and search.used < search._nodes.size
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    kilobytes = int(found.stdout) / (1024 if sys.platform == "darwin" else 1)
    assert kilobytes < 1_000_000


def test_threads_share_one_sound_tree():
    search = go_search(RAVE, Mogo(), threads=2, nodes=300_000)
    search.run(20_000)
    children = search.children()
    # Updates may be lost when two threads meet, but hardly any.
    assert 0.97 * 20_000 < int(children["visits"].sum()) <= 20_000
    assert np.all(children["wins"] <= children["visits"] + 1)
    legal = set(Board(5).legal_moves())
    assert set(children["action"].tolist()) == legal


def test_a_run_ends_when_told_to():
    for threads in (1, 2):
        search = go_search(UCT, threads=threads, nodes=300_000)
        asked = []

        def go_on(done, asked=asked):
            asked.append(done)
            return done < 1500

        made = search.run(100_000, go_on)
        assert 1500 <= made < 10_000
        assert asked == sorted(asked)
        assert search.visits > 0.9 * made
        search.close()


def test_a_run_that_is_watched_is_the_same_run():
    whole, watched = go_search(RAVE), go_search(RAVE)
    whole.run(2000)
    seen = []
    assert watched.run(2000, lambda done: not seen.append(done)) == 2000
    assert set(range(LONGEST_PIECE, 2000, LONGEST_PIECE)) <= set(seen)
    assert whole._nodes[: whole.used].tobytes() == watched._nodes[: watched.used].tobytes()


def test_threads_are_kept_between_runs_and_ended_by_close():
    def helpers():
        return [t for t in threading.enumerate() if t.name.startswith("tree-search")]

    before = len(helpers())
    search = go_search(UCT, threads=3, nodes=300_000)
    for _ in range(5):
        assert search.run(1000) == 1000
        assert len(helpers()) <= before + 2
    search.close()
    assert len(helpers()) == before
    assert search.run(100) == 100
    search.close()


def test_an_exception_ends_all_threads_work():
    search = go_search(UCT, threads=2, nodes=300_000)

    def go_on(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search.run(10_000_000, go_on)
    assert search.visits < 1_000_000
    search.close()


def test_following_the_game_keeps_the_subtree():
    search = go_search(RAVE)
    search.run(3000)
    children = search.children()
    best = int(np.argmax(children["visits"]))
    action, visits = int(children["action"][best]), int(children["visits"][best])
    board = Board(5, komi=0.5).play(action)
    line = search.line(action)
    assert search.follow(board.simulation_root(), [action])
    assert search.visits == visits
    assert search.line(line[1])[0] == line[1]
    search.run(1000)
    assert search.visits == visits + 1000


@pytest.mark.parametrize("threads", [1, 2])
def test_leads_are_of_the_simulations_since_they_are_kept(threads):
    board = Board(2, komi=0.5)
    search = TreeSearch(UCT, Uniform(), Even(), nodes=10_000, threads=threads, seed=1)
    search.start(board.simulation_root(), board.legal_moves())
    search.run(500)
    assert np.isnan(search.leads()).all(), "nobody has asked"
    search.keep_leads(True)
    search.run(500)
    leads = search.leads()
    assert leads.size == search.children().size
    assert np.all(np.abs(leads + 0.5) <= 4)
    before = leads.copy()
    search.keep_leads(True)
    assert np.array_equal(search.leads(), before), "asked again, they are still there"
    search.keep_leads(False)
    search.run(500)
    assert np.array_equal(search.leads(), before)
    search.close()


def test_a_lead_is_the_mean_of_the_ends():
    """Nobody has anything but a pass, and Black owns the board."""
    board = Board.from_text(
        """
        . X . X .
        X X X X X
        . X . X .
        X X X X X
        . X . X .""",
        komi=2.5,
    )
    search = TreeSearch(UCT, Uniform(), Even(), nodes=10_000, seed=1)
    search.start(board.simulation_root(), board.candidates())
    search.keep_leads(True)
    search.run(200)
    assert search.leads().tolist() == [22.5]


def test_keeping_leads_changes_no_search():
    plain, kept = go_search(RAVE), go_search(RAVE)
    kept.keep_leads(True)
    plain.run(1000)
    kept.run(1000)
    assert plain.children().tobytes() == kept.children().tobytes()
    best = int(kept.children()["action"][np.argmax(kept.children()["visits"])])
    kept.follow(Board(5, komi=0.5).play(best).simulation_root(), [best])
    assert np.isnan(kept.leads()).all(), "another root, other simulations"


def test_a_game_without_points_has_no_leads():
    search = TreeSearch(UCT, Random(), Even(), nodes=10_000, seed=1)
    search.start(tictactoe.start(), range(9))
    search.keep_leads(True)
    search.run(100)
    assert search.leads() is None


def test_following_an_unknown_move_says_so():
    search = go_search(UCT)
    search.run(50)
    assert not search.follow(Board(5).simulation_root(), [999])


def test_searching_leaves_the_root_alone():
    board = Board(5, komi=0.5)
    root = board.simulation_root()
    before = clone(root)
    search = TreeSearch(UCT, Uniform(), Even(), nodes=10_000, seed=1)
    search.start(root, board.legal_moves())
    search.run(200)
    assert root.tobytes() == before.tobytes()


def test_solves_the_three_by_three_board():
    """3×3 is a win by all nine points, beginning in the centre."""
    board = Board(3, komi=8.5)
    search = TreeSearch(Selection(exploration=0.5, expand_at=1), Uniform(), Even(), nodes=400_000, seed=2)
    search.start(board.simulation_root(), board.legal_moves())
    search.run(40_000)
    children = search.children()
    best = int(children["action"][np.argmax(children["visits"])])
    assert best == 42  # the centre
    play(clone(board.record)[0], best)
