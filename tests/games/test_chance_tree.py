"""Trees with chance and rewards against their naive twin: every count and every win of whole trees."""

import numpy as np
import pytest
from chance_games import NUMBERED, OPEN, start_fair, start_pig
from naive import chance_tree as naive

from playout.games.api import GameError
from playout.games.toy import dice_race
from playout.kernel import new_rng
from playout.policy.api import Copies
from playout.policy.random import Random
from playout.search.flat import NO_LEADS, rollouts
from playout.search.mcts import Even, Selection, TreeSearch
from playout.search.prior import Grandfather
from playout.search.simulation import evaluate

SETTINGS = {
    "uct": Selection(exploration=0.4),
    "uct, expanded late": Selection(exploration=0.2, urgency=0.6, expand_at=3),
    "rave, minimum MSE": Selection(rave="mse", bias=0.1, exploration=0.1),
    "rave, heuristic": Selection(rave="heuristic", equivalence=50, experience=2, amaf_experience=4),
}


def second_player_at_pig():
    root = start_pig()
    root["turn"], root["pot"] = 2, 3
    return root


# name: the first state, and the actions there
ROOTS = {
    "numbered, no rewards": (lambda: dice_race.start(squares=8, walk=3), (0, 1)),
    "open loop, no rewards": (start_pig, (1,)),
    "open loop, no rewards, second player": (second_player_at_pig, (1, 0)),
    "numbered, rewards": (lambda: start_fair(NUMBERED, turns=4), (2, 1, 0)),
    "numbered, rewards, cut": (lambda: start_fair(NUMBERED, turns=8), (2, 1, 0)),
    "open loop, rewards": (lambda: start_fair(OPEN, turns=4), (2, 1, 0)),
    "open loop, rewards, cut": (lambda: start_fair(OPEN, turns=8), (2, 1, 0)),
}


def assert_same(search, twin, index=0, path=()):
    """Compare a node and everything below it; how many nodes there were."""
    node = search._nodes[index]
    assert int(node["visits"]) == twin.visits, path
    children = search._children(index)
    assert len(children) == len(twin.children), path
    seen = 1
    for k, (key, other) in enumerate(twin.children.items()):
        way = (*path, key)
        child = children[k]
        assert int(child["action"]) == (key[1] if isinstance(key, tuple) else key), way
        assert float(child["prior"]) == other.prior, way
        assert float(child["wins"]) == float(other.wins), way
        assert int(child["amaf_visits"]) == other.amaf_visits, way
        assert float(child["amaf_wins"]) == float(other.amaf_wins), way
        seen += assert_same(search, other, int(node["first"]) + k, way)
    return seen


def compare(game, selection, simulations, grandfather=False):
    """Nodes of a tree that was found to be the naive twin's."""
    make, actions = ROOTS[game]
    root = make()
    prior = Grandfather() if grandfather else Even()
    search = TreeSearch(selection, Random(), prior, nodes=100_000, seed=5)
    search.start(root, actions)
    search.run(simulations)
    rng = new_rng(np.random.SeedSequence(5).spawn(1)[0])
    policy = Copies(Random()).at(root)[0][0]
    twin = naive.search(root, list(actions), policy, rng[0], simulations, selection, grandfather)
    return assert_same(search, twin)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("game", ROOTS)
def test_whole_trees(game, name):
    assert compare(game, SETTINGS[name], 400) > 50


def test_no_prior_is_taken_from_where_chance_moved():
    """Events have the numbers of actions, and are none."""
    selection = Selection(exploration=0.3, experience=3)
    assert compare("numbered, no rewards", selection, 800, grandfather=True) > 100


@pytest.mark.small
@pytest.mark.parametrize("game", ROOTS)
def test_small_trees(game):
    assert compare(game, SETTINGS["rave, minimum MSE"], 40) > 10


@pytest.mark.small
@pytest.mark.parametrize("game", ROOTS)
def test_flat_simulations(game):
    make, actions = ROOTS[game]
    root = make()
    policies = Copies(Random()).at(root)[0]
    ours, theirs = new_rng(3), new_rng(3)
    expected = naive.evaluate(root, policies[0], theirs[0], 50)
    assert evaluate(root, root.copy(), policies, 50, ours) == expected
    moves, totals = np.array(actions, np.uint16), np.zeros(len(actions))
    made = rollouts(root, root.copy(), policies, moves, 50, ours, totals, NO_LEADS)
    found = [naive.evaluate(root, policies[0], theirs[0], 50, action) for action in actions]
    assert totals.tolist() == [total for total, _ in found]
    assert made == sum(steps for _, steps in found)


@pytest.mark.small
@pytest.mark.parametrize("game", ["numbered, rewards", "open loop, rewards"])
def test_simulations_from_where_chance_moves(game):
    """What chance pays before the first decision is part of the return."""
    root = ROOTS[game][0]()
    root["spins"] = 2
    policies = Copies(Random()).at(root)[0]
    ours, theirs = new_rng(4), new_rng(4)
    expected = naive.evaluate(root, policies[0], theirs[0], 50)
    assert evaluate(root, root.copy(), policies, 50, ours) == expected


@pytest.mark.small
def test_a_player_that_the_game_does_not_have_is_told_of():
    """In an open loop the mover's number says where his actions lie: a wrong one must not reach memory."""
    root = start_fair(OPEN)
    root["turn"] = 3
    search = TreeSearch(SETTINGS["uct"], Random(), Even(), nodes=1000, seed=1)
    search.start(root, (2, 1, 0))
    with pytest.raises(GameError, match="to_play gives a player that the game does not have"):
        search.run(100)


@pytest.mark.small
def test_an_open_loop_is_not_followed():
    """What it knows is of all that chance might have done; numbered events are followed."""
    for dtype, line, kept in ((OPEN, (2,), False), (NUMBERED, (2, 2), True)):
        root = start_fair(dtype, turns=4)
        search = TreeSearch(SETTINGS["uct"], Random(), Even(), nodes=10_000, seed=1)
        search.start(root, (2, 1, 0))
        search.run(60)
        assert search.follow(root, line) is kept
