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
        if action in naive_node.child:
            seen += assert_same(search, naive_node.child[action], first + k, (*path, action))
    return seen


def compare(root, actions, policy, selection, simulations, seed):
    search = TreeSearch(selection, policy, Even(), nodes=200_000, seed=seed)
    search.start(root, actions)
    search.run(simulations)
    rng = new_rng(np.random.SeedSequence(seed).spawn(1)[0])
    twin = naive.search(root, list(actions), policy.record()[0], rng[0], simulations, selection)
    return assert_same(search, twin)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("policy", [Uniform(), Mogo()], ids=["uniform", "mogo"])
def test_whole_trees_of_go(name, policy):
    board = Board(5, komi=0.5)
    assert compare(board.simulation_root(), board.legal_moves(), policy, SETTINGS[name], 300, 7) > 20


@pytest.mark.parametrize("name", SETTINGS)
def test_whole_trees_of_tictactoe(name):
    assert compare(tictactoe.start(), range(9), Random(), SETTINGS[name], 400, 3) > 20
