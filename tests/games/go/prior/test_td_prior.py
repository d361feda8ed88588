"""Temporal-difference search as prior of a tree: its values are in the nodes."""

import numpy as np
import pytest
from draw import to_place
from looks import priors

from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.memory.short_term import ShortTerm
from playout.games.go.policy.mogo import Mogo
from playout.games.go.policy.uniform import Uniform
from playout.games.go.prior.td_search import LARGEST_3X3, TDSearchPrior
from playout.player.registry import make_player
from playout.search.mcts import Selection, TreeSearch
from playout.search.td_search import TDSearch, TDSettings

MOVES = ["E5", "C3", "G6", "D3", "E3", "D4", "E4", "D5"]


def played(side: int, moves: list[str]) -> Board:
    board = Board(side)
    for move in moves:
        board.play(move)
    return board


def values(board: Board, prior: TDSearchPrior, sizes: tuple[int, ...]) -> dict:
    """The mover's value of each move by the search itself."""
    memory = ShortTerm(sizes=sizes, long_term="" if prior.long_term == "none" else prior.long_term)
    settings = TDSettings(alpha=prior.alpha, switch=prior.switch)
    search = TDSearch(memory, Mogo(), settings, seed=prior.seed)
    search.start(board.simulation_root())
    search.run(prior.td_sims)
    moves = board.candidates()
    found = search.values(moves)
    own = found if board.to_play == 1 else 1 - found
    return dict(zip(map(to_place, moves), own, strict=True))


@pytest.mark.parametrize(("count", "long_term"), [(0, "none"), (5, "shipped"), (8, "none")])
def test_h_is_the_value_that_the_search_has_learnt(count, long_term):
    board = played(9, MOVES[:count])
    prior = TDSearchPrior(td_sims=60, long_term=long_term, seed=3)
    expected = values(board, prior, (1, 2, 3))
    found = priors(board, prior)
    assert found.keys() == expected.keys()
    for place, value in expected.items():
        assert found[place] == pytest.approx(value, abs=1e-5)
    assert len(set(found.values())) > 10
    assert set(priors(board, TDSearchPrior(td_sims=5, sharpness=0.0, seed=3)).values()) == {0.5}


def test_large_boards_have_no_3x3_shapes():
    side = LARGEST_3X3 + 1
    board = played(side, ["E5", "C3", "G6"])
    prior = TDSearchPrior(td_sims=5, long_term="none", seed=3)
    assert priors(board, prior) == pytest.approx(values(board, prior, (1, 2)), abs=1e-5)


def test_a_tree_that_is_taken_over_asks_anew():
    """New nodes have the values of a search at the new root; the same root gives the same record."""
    prior = TDSearchPrior(td_sims=30, long_term="none", seed=2)
    board = Board(5, komi=0.5)
    root = board.simulation_root()
    first = prior.record_for(root)
    assert prior.record_for(root.copy()) is first
    search = TreeSearch(Selection(), Uniform(), prior, nodes=50_000, seed=1)
    search.start(root, board.legal_moves())
    search.run(200)
    move = int(search.children()["action"][np.argmax(search.children()["visits"])])
    later = board.copy().play(move).simulation_root()
    assert search.follow(later, [move])
    assert np.array_equal(search._priors.records[0]["frozen"], prior.record_for(later)["frozen"])
    assert not np.array_equal(first["frozen"], prior.record_for(later)["frozen"])


def test_players_have_it_by_name():
    player = make_player("mogo:prior=td-search,prior.td_sims=20,policy=uniform,sims=50,memory=5,seed=1")
    assert player._prior == TDSearchPrior(td_sims=20, seed=1)
    games = []
    for _ in range(2):
        player = make_player("rave:prior=td-search,prior.td_sims=20,policy=uniform,sims=50,memory=5,seed=1")
        board = Board(5)
        for _ in range(4):
            board.play(player.choose(board))
        games.append(board.spelled_moves())
        player.close()
    assert games[0] == games[1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("prior.td_sims=0", "td_sims"),
        ("prior.shapes=1+4", "sizes: 4 is not one of 1, 2, 3"),
        ("prior.long_term=nowhere.npz", "there is no weight file"),
        ("prior.alpha=0", "alpha"),
        ("prior.seed=3", "its name there is seed"),
    ],
)
def test_wrong_settings_get_a_sentence(settings, message):
    with pytest.raises(InputError, match=message):
        make_player(f"mogo:prior=td-search,{settings}")
