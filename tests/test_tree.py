"""The compiled tree against its naive twin: every count and every win of whole trees."""

import numpy as np
import pytest
from naive import mcts as naive

from playout.games.go.board import Board
from playout.games.toy import tictactoe
from playout.kernel import new_rng
from playout.policy import Mogo, Uniform
from playout.policy.random import Random
from playout.search.mcts import Even, Selection, TreeSearch
from playout.search.prior import Grandfather

SETTINGS = {
    "greedy": Selection(),
    "uct": Selection(exploration=0.4),
    "uct with urgency": Selection(exploration=0.3, urgency=0.6, expand_at=3),
    "rave, minimum MSE": Selection(rave="mse", bias=0.1),
    "rave, heuristic": Selection(rave="heuristic", equivalence=50),
    "rave, first at a point": Selection(rave="mse", first_only=True),
    "uct-rave": Selection(rave="mse", exploration=0.2, expand_at=0),
    "heuristic mc-rave": Selection(rave="mse", bias=0.05, experience=5, amaf_experience=20),
    "pass without amaf": Selection(rave="heuristic", equivalence=200, silent=0, experience=2),
}


def assert_same(search, naive_node, index=0, path=()):
    """Compare a node and everything below it; how many nodes there were."""
    nodes = search._nodes
    assert int(nodes[index]["visits"]) == naive_node.count, path
    children = search._children(index)
    assert [int(a) for a in children["action"]] == naive_node.actions, path
    first = int(nodes[index]["first"])
    seen = 1
    for k, action in enumerate(naive_node.actions):
        child = children[k]
        assert int(child["visits"]) == naive_node.mc_count[action], (*path, action)
        assert float(child["wins"]) == naive_node.mc_wins[action], (*path, action)
        assert int(child["amaf_visits"]) == naive_node.amaf_count[action], (*path, action)
        assert float(child["amaf_wins"]) == naive_node.amaf_wins[action], (*path, action)
        assert float(child["prior"]) == naive_node.prior[action], (*path, action)
        if action in naive_node.child:
            seen += assert_same(search, naive_node.child[action], first + k, (*path, action))
    return seen


def compare(root, actions, policy, selection, simulations, seed, prior=None, heuristic=naive.even):
    search = TreeSearch(selection, policy, prior or Even(), nodes=200_000, seed=seed)
    search.start(root, actions)
    search.run(simulations)
    rng = new_rng(np.random.SeedSequence(seed).spawn(1)[0])
    start = policy.record()[0]
    twin = naive.search(root, list(actions), start, rng[0], simulations, selection, heuristic)
    return assert_same(search, twin)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("policy", [Uniform(), Mogo()], ids=["uniform", "mogo"])
def test_whole_trees_of_go(name, policy):
    board = Board(5, komi=0.5)
    assert compare(board.simulation_root(), board.legal_moves(), policy, SETTINGS[name], 300, 7) > 20


@pytest.mark.parametrize("name", SETTINGS)
def test_whole_trees_of_tictactoe(name):
    assert compare(tictactoe.start(), range(9), Random(), SETTINGS[name], 400, 3) > 20


# M and M̃ with and without, so that priors count among both values, among one, and among none but the
# grandson's.
GRANDFATHERS = {
    "uct": Selection(exploration=0.3, experience=3),
    "mc-rave": Selection(rave="mse", bias=0.05, experience=5, amaf_experience=20, expand_at=2),
    "mc-rave, only among amaf values": Selection(rave="heuristic", equivalence=100, amaf_experience=15),
}


@pytest.mark.parametrize("name", GRANDFATHERS)
@pytest.mark.parametrize("policy", [Uniform(), Mogo()], ids=["uniform", "mogo"])
def test_whole_trees_of_go_with_the_grandfather_prior(name, policy):
    board = Board(5, komi=0.5)
    root, actions, grandfather = (
        board.simulation_root(),
        board.legal_moves(),
        (Grandfather(), naive.grandfather),
    )
    assert compare(root, actions, policy, GRANDFATHERS[name], 600, 7, *grandfather) > 20


@pytest.mark.parametrize("name", GRANDFATHERS)
def test_whole_trees_of_tictactoe_with_the_grandfather_prior(name):
    prior = Grandfather(), naive.grandfather
    assert compare(tictactoe.start(), range(9), Random(), GRANDFATHERS[name], 800, 3, *prior) > 20


def test_the_grandfather_prior_is_felt():
    """Some node two plies down has priors that are not a half, and they came from its grandfather."""
    search = TreeSearch(GRANDFATHERS["mc-rave"], Random(), Grandfather(), nodes=50_000, seed=1)
    search.start(tictactoe.start(), range(9))
    search.run(500)
    nodes = search._nodes[: search.used]
    assert set(search.children()["prior"].tolist()) == {0.5}
    assert np.count_nonzero(nodes["prior"] != 0.5) > 100
    assert np.all((nodes["prior"] >= 0) & (nodes["prior"] <= 1))
