"""The compiled tree against its naive twin: every count and every win of whole trees."""

from dataclasses import dataclass

import numpy as np
import pytest
from naive import mcts as naive

from playout.games.go.board import Board
from playout.games.go.policy import Mogo, Uniform
from playout.games.toy import tictactoe
from playout.kernel import implements, new_rng, record_type
from playout.policy.api import Copies
from playout.policy.random import Random
from playout.search.mcts import Even, Selection, TreeSearch
from playout.search.nodes import heuristic
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
    "progressive bias": Selection(exploration=0.25, pb_factor=4.0, urgency=1e6),
    "progressive bias, squared": Selection(exploration=0.25, pb_factor=0.5, pb_exponent=2.0, urgency=0.7),
    "progressive widening": Selection(exploration=0.25, pw_initial=3, pw_factor=8.0, pw_base=1.25),
    "mango": Selection(
        exploration=0.25, urgency=1e6, expand_at=3, pb_factor=4.0, pw_initial=5, pw_factor=10.0, pw_base=1.1
    ),
    "mango with rave": Selection(
        rave="mse", experience=2, amaf_experience=5, pb_factor=1.0, pw_initial=2, pw_factor=5.0, pw_base=1.5
    ),
}

# A prior for any game: each action has a value of its own, some the same.
BY_ACTION = record_type([("salt", "u4")])


@dataclass(frozen=True)
class ByAction:
    def record(self):
        record = np.zeros(1, BY_ACTION)
        record["salt"] = 40503
        return record


@implements(heuristic, BY_ACTION)
def by_action(prior, state, nodes, first, count, selection, grandparent):
    for k in range(count):
        node = nodes[first + np.uint32(k)]
        node.prior = np.float32(((np.uint32(node.action) * prior.salt) >> np.uint32(4)) % np.uint32(16)) / 16


def naive_by_action(nodes, state, actions, s):
    """The same, slowly."""
    return {action: ((action * 40503) % 2**32 >> 4) % 16 / 16 for action in actions}


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
        assert float(child["prior"]) == naive_node.prior[action], (*path, action)
        assert int(child["visits"]) == naive_node.mc_count[action], (*path, action)
        assert float(child["wins"]) == naive_node.mc_wins[action], (*path, action)
        assert int(child["amaf_visits"]) == naive_node.amaf_count[action], (*path, action)
        assert float(child["amaf_wins"]) == naive_node.amaf_wins[action], (*path, action)
        assert float(child["prior"]) == naive_node.prior[action], (*path, action)
        if action in naive_node.child:
            seen += assert_same(search, naive_node.child[action], first + k, (*path, action))
    return seen


PRIORS = {
    "even": (Even(), naive.even),
    "by action": (ByAction(), naive_by_action),
    "grandfather": (Grandfather(), naive.grandfather),
}


def compare(root, actions, policy, selection, simulations, seed, prior="even"):
    """Nodes of a tree that was found to be the naive twin's."""
    prior, heuristic = PRIORS[prior]
    search = TreeSearch(selection, policy, prior, nodes=200_000, seed=seed)
    search.start(root, actions)
    search.run(simulations)
    rng = new_rng(np.random.SeedSequence(seed).spawn(1)[0])
    start = Copies(policy).at(root)[0][0]
    twin = naive.search(root, list(actions), start, rng[0], simulations, selection, heuristic)
    return assert_same(search, twin)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("policy", [Uniform(), Mogo()], ids=["uniform", "mogo"])
def test_whole_trees_of_go(name, policy):
    board = Board(5, komi=0.5)
    assert compare(board.simulation_root(), board.legal_moves(), policy, SETTINGS[name], 300, 7) > 20


@pytest.mark.parametrize("name", SETTINGS)
def test_whole_trees_of_go_with_a_heuristic(name):
    board = Board(5, komi=0.5)
    root, moves = board.simulation_root(), board.legal_moves()
    assert compare(root, moves, Uniform(), SETTINGS[name], 300, 7, "by action") > 20


@pytest.mark.parametrize("prior", ["even", "by action"])
@pytest.mark.parametrize("name", SETTINGS)
def test_whole_trees_of_tictactoe(name, prior):
    assert compare(tictactoe.start(), range(9), Random(), SETTINGS[name], 400, 3, prior) > 20


def test_widening_opens_child_by_child():
    """Child k is first visited when the node's visits have surpassed A × B^(k − k_init)."""
    selection = Selection(exploration=0.5, urgency=1e6, pw_initial=2, pw_factor=10.0, pw_base=1.5)
    search = TreeSearch(selection, Random(), Even(), nodes=1000, seed=1)
    search.start(tictactoe.start(), range(9))
    opened = []
    for _ in range(200):
        before = np.count_nonzero(search.children()["visits"])
        visits = search.visits
        search.run(1)
        if np.count_nonzero(search.children()["visits"]) > before:
            opened.append(visits)
    assert opened == [0, 1, 16, 23, 34, 51, 76, 114, 171]  # just above 15, 22.5, 33.75, …


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
    root, moves = board.simulation_root(), board.legal_moves()
    assert compare(root, moves, policy, GRANDFATHERS[name], 600, 7, "grandfather") > 20


@pytest.mark.parametrize("name", GRANDFATHERS)
def test_whole_trees_of_tictactoe_with_the_grandfather_prior(name):
    assert compare(tictactoe.start(), range(9), Random(), GRANDFATHERS[name], 800, 3, "grandfather") > 20


def test_the_grandfather_prior_is_felt():
    """Some node two plies down has priors that are not a half, and they came from its grandfather."""
    search = TreeSearch(GRANDFATHERS["mc-rave"], Random(), Grandfather(), nodes=50_000, seed=1)
    search.start(tictactoe.start(), range(9))
    search.run(500)
    nodes = search._nodes[: search.used]
    assert set(search.children()["prior"].tolist()) == {0.5}
    assert np.count_nonzero(nodes["prior"] != 0.5) > 100
    assert np.all((nodes["prior"] >= 0) & (nodes["prior"] <= 1))
