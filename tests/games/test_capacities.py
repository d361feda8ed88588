"""What a game declares is never overrun: by honest games with many actions, and by games that lie."""

import numpy as np
import pytest

from playout.games.api import Facts, GameError, declare, facts_of
from playout.games.game import Game, state_type
from playout.kernel import implements, new_rng, record_type
from playout.learn.td import GREEDY_TO_THE_END, train
from playout.memory.api import active, after_values, choices, look
from playout.memory.td import EXPERIENCE, Learner
from playout.policy.api import Copies
from playout.policy.random import Random
from playout.search.flat import NO_LEADS, rollouts
from playout.search.mcts import Even, Selection, TreeSearch
from playout.search.self_play import Episode
from playout.search.simulation import evaluate

HONEST, NO_ACTION, MANY, BEYOND, ENDLESS, EVENT = range(6)
ACTIONS = 3000
WIDE = state_type([("fault", "u1"), ("step", "u2"), ("total", "u4"), ("rolling", "u1")])


def start(fault=HONEST):
    state = np.zeros(1, WIDE)
    state["fault"] = fault
    return state


def play(state, action):
    state.total += action
    state.step += 1
    state.rolling = state.step == 1


def legal_moves(state, moves):
    if state.fault == NO_ACTION and state.step > 0:
        return 0
    if state.fault == MANY and state.step > 0:
        return 60000  # it has written fewer
    for k in range(ACTIONS):
        moves[k] = k
    if state.fault == BEYOND and state.step > 0:
        moves[0] = 60000
        return 1
    return ACTIONS


def chances(state, probabilities):
    probabilities[0] = probabilities[1] = 0.5
    return 2


def happen(state, event):
    state.rolling = 0
    state.total += event


def roll(state, rng):
    state.rolling = 0
    return 7 if state.fault == EVENT else 1


GAME = Game(
    name="wide",
    state=WIDE,
    start=start,
    play=play,
    legal_moves=legal_moves,
    is_over=lambda state: state.step == 3 and state.fault != ENDLESS,
    to_play=lambda state: 1 + state.step % 2,
    outcome=lambda state: float(state.total % 2),
    is_chance=lambda state: state.rolling == 1,
    chances=chances,
    happen=happen,
    roll=roll,
    actions=ACTIONS,
    events=2,
    moves=6,
)

SCHEDULES = ["none", "mse"]


def grown(fault, rave, sims=200):
    search = TreeSearch(Selection(exploration=0.5, rave=rave), Random(), Even(), nodes=400_000, seed=1)
    search.start(start(fault), range(ACTIONS))
    search.run(sims)
    return search


@pytest.mark.parametrize("rave", SCHEDULES)
def test_thousands_of_actions_have_room(rave):
    children = grown(HONEST, rave, 5000).children()
    assert children.size == ACTIONS
    assert children["visits"].sum() == 5000
    if rave == "mse":
        assert children["amaf_visits"].sum() > 5000


@pytest.mark.parametrize("rave", SCHEDULES)
@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (NO_ACTION, "no action"),
        (MANY, "more than the game declares"),
        (BEYOND, "beyond those that the game declares"),
        (ENDLESS, "beyond the longest that it declares"),
        (EVENT, "beyond those that the game declares"),
    ],
)
def test_a_tree_refuses_what_goes_beyond(fault, sentence, rave):
    with pytest.raises(GameError, match=sentence):
        grown(fault, rave, 20_000)


@pytest.mark.parametrize("fault", [NO_ACTION, MANY, ENDLESS])
def test_simulations_refuse_what_goes_beyond(fault):
    root, policy = start(fault), Copies(Random()).at(start())[0]
    with pytest.raises(GameError):
        evaluate(root, start(), policy, 100, new_rng(1))
    beyond = np.array([5], np.uint16)
    with pytest.raises(GameError):
        rollouts(root, start(), policy, beyond, 100, new_rng(1), np.zeros(1), NO_LEADS)


@pytest.mark.parametrize("actions", [[ACTIONS], [-1], [], [0] * (ACTIONS + 1)])
def test_a_root_has_the_actions_of_its_game(actions):
    search = TreeSearch(Selection(), Random(), Even(), nodes=10_000, seed=1)
    with pytest.raises(GameError):
        search.start(start(), actions)


# -- learning ---------------------------------------------------------------------------------------------

LONG = state_type([("left", "i4")])
ONE = record_type([("one_weight", "u1")])
LONG_GAME = Game(
    name="long",
    state=LONG,
    start=lambda: np.zeros(1, LONG),
    play=lambda state, action: None,
    legal_moves=lambda state, moves: 1,
    is_over=lambda state: state.left == 0,
)


@implements(look, ONE)
def look_one(memory, index, weights, state):
    state.left -= 1  # a game of a certain length


@implements(active, ONE)
def active_one(memory, index, state, features):
    features[0] = 2
    return 1


@implements(choices, ONE)
def choices_one(memory, state, actions):
    actions[0] = 0
    return 1


@implements(after_values, ONE)
def after_values_one(memory, index, weights, state, actions, count, values):
    values[0] = 0.0


@pytest.mark.parametrize("rule", ["logistic", "monte-carlo"])
def test_a_game_that_is_longer_than_the_learner_was_told_is_refused(rule):
    learner = Learner(rule=rule)
    weights = np.zeros(4, np.float32)
    episode = Episode.of(learner, weights, 1, 20).arrays()

    def learn(length):
        root = np.zeros(1, LONG)
        root["left"] = length
        memory, index = np.zeros(1, ONE), np.zeros(1, np.uint32)
        experience, rng = np.zeros(1, EXPERIENCE), new_rng(1)
        parts = (memory, index, weights, weights, learner.record(), GREEDY_TO_THE_END)
        train(root, root.copy(), *parts, episode, experience, rng, 1)
        return int(experience["moves"][0])

    assert learn(20) == 20
    with pytest.raises(GameError, match="longer than the learner was told"):
        learn(2000)


# -- declarations -----------------------------------------------------------------------------------------


def test_facts_are_declared_once_and_make_sense():
    assert facts_of(WIDE) == GAME.facts
    with pytest.raises(TypeError, match="declared once"):
        declare(WIDE, Facts(actions=7))
    for wrong in (
        {"actions": 0},
        {"actions": 40_000},
        {"moves": 0},
        {"players": 3},
        {"low": 1.0},
        {"events": -1},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Facts(**wrong)


def test_records_that_would_be_taken_for_each_other_are_refused():
    record_type([("first_field", "u4"), ("second_field", "u4")])
    for alike in (
        [("first_field", "u4")],
        [("first_field", "u4"), ("second_field", "u4"), ("third_field", "u4")],
    ):
        with pytest.raises(TypeError, match="begins with the same fields"):
            record_type(alike)
    one, two = (state_type([("first_field", "u4")]) for _ in range(2))
    assert one != two
