"""Alpha-beta with chance against plain expectiminimax: on random trees, and on a game with a die."""

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.expectiminimax import expectiminimax

from playout.errors import InputError
from playout.games import api as game
from playout.games.api import NO_ACTION, Facts, GameError, declare
from playout.kernel import implements, kernel, record_type
from playout.memory import api as memory_api
from playout.memory.api import DECIDED
from playout.memory.blank import Blank
from playout.search.alphabeta import MAX_DEPTH, AlphaBeta, Enhancements

EVERY = [Enhancements(order=a, table=b, killers=c) for a, b, c in itertools.product([False, True], repeat=3)]
NOTHING = np.zeros(1, np.uint32), np.zeros(1, np.float32)

# -- random trees: who moves at a place, how it ends and what may happen are hashes of it -----------------

WOOD = record_type([("spot", "u4"), ("wood_ply", "u2"), ("wood_seed", "u4")])
WOOD_MEMORY = record_type([("wood_memory", "u1")])
SPOTS, BRANCHES, EVENTS, LONGEST = 60, 3, 4, 7
declare(WOOD, Facts(actions=BRANCHES, moves=LONGEST, events=EVENTS, low=-3.0, high=5.0))


@kernel
def chop(spot, ply, seed, salt):
    """A random number that belongs to a place."""
    x = np.uint64(spot) * np.uint64(97) + np.uint64(ply) * np.uint64(31) + np.uint64(seed)
    x = (x + np.uint64(salt) * np.uint64(7919)) * np.uint64(0x9E3779B97F4A7C15)
    return (x ^ (x >> np.uint64(29))) >> np.uint64(11)


@kernel
def wood_kind(state):
    """Who moves: 1, 2, or 0 for chance."""
    return chop(state.spot, state.wood_ply, state.wood_seed, 1) % np.uint64(3)


@implements(game.is_over, WOOD)
def over_wood(state):
    end = chop(state.spot, state.wood_ply, state.wood_seed, 2) % np.uint64(7) == 0
    return state.wood_ply >= LONGEST or (end and state.wood_ply > 0)


@implements(game.outcome, WOOD)
def outcome_wood(state):
    return np.float64(chop(state.spot, state.wood_ply, state.wood_seed, 3) % np.uint64(9)) - 3.0


@implements(game.is_chance, WOOD)
def chance_wood(state):
    return wood_kind(state) == 0


@implements(game.to_play, WOOD)
def to_play_wood(state):
    return wood_kind(state)


@kernel
def walk_wood(state, way):
    state.spot = chop(state.spot, state.wood_ply, state.wood_seed, 10 + way) % np.uint64(SPOTS)
    state.wood_ply += np.uint16(1)


@implements(game.play, WOOD)
def play_wood(state, action):
    walk_wood(state, action)


@implements(game.happen, WOOD)
def happen_wood(state, event):
    walk_wood(state, 20 + event)


@implements(game.chances, WOOD)
def chances_wood(state, probabilities):
    count = 1 + chop(state.spot, state.wood_ply, state.wood_seed, 4) % np.uint64(EVENTS)
    total = 0.0
    for event in range(count):  # some of them never happen
        p = np.float64(chop(state.spot, state.wood_ply, state.wood_seed, 30 + event) % np.uint64(4))
        probabilities[event] = p + (1.0 if event == 0 else 0.0)
        total += probabilities[event]
    for event in range(count):
        probabilities[event] /= total
    return count


@implements(game.legal_moves, WOOD)
def legal_wood(state, moves):
    count = 1 + chop(state.spot, state.wood_ply, state.wood_seed, 5) % np.uint64(BRANCHES)
    for k in range(count):
        moves[k] = k
    return count


@implements(game.position_key, WOOD)
def key_wood(state):
    return np.uint64(state.spot) * np.uint64(1000003) + np.uint64(state.wood_ply)


@kernel
def static_wood(state):
    """What the memory says that a state is worth, one where chance moves too."""
    if over_wood_kernel(state):
        return (2.0 * (outcome_wood_kernel(state) + 3.0) / 8.0 - 1.0) * DECIDED
    return np.float64(chop(state.spot, state.wood_ply, state.wood_seed, 6) % np.uint64(41)) * 5.0 - 100.0


over_wood_kernel, outcome_wood_kernel = kernel(over_wood), kernel(outcome_wood)


@implements(memory_api.look, WOOD_MEMORY)
def look_wood(memory, index, weights, state):
    pass


@implements(memory_api.choices, WOOD_MEMORY)
def choices_wood(memory, state, actions):
    return game.legal_moves(state, actions)


@implements(memory_api.after_values, WOOD_MEMORY)
def after_wood(memory, index, weights, state, actions, count, values):
    spot, ply = state.spot, state.wood_ply
    for k in range(count):
        walk_wood(state, actions[k])
        values[k] = static_wood(state)
        state.spot, state.wood_ply = spot, ply


def wood(seed, spot):
    state = np.zeros(1, WOOD)
    state["spot"], state["wood_seed"] = spot, seed
    return state


def changed(change):
    """A function that gives another state and leaves its own as it is."""

    def after(state, number):
        then = state.copy()
        change(then[0], number)
        return then

    return after


def possible(state):
    """What may happen."""
    if not game.is_chance(state[0]):
        return []
    probabilities = np.zeros(EVENTS)
    count = game.chances(state[0], probabilities)
    return [(p, changed(game.happen)(state, k)) for k, p in enumerate(probabilities[:count]) if p > 0]


def legal(state):
    moves = np.zeros(BRANCHES, np.uint16)
    return [int(move) for move in moves[: game.legal_moves(state[0], moves)]]


def naive_wood(state, depth, static):
    return expectiminimax(
        state,
        depth,
        legal,
        changed(game.play),
        possible,
        static,
        lambda s: (game.outcome(s[0]) - 1.0) / 4.0 * DECIDED if game.is_over(s[0]) else None,
        lambda s: game.to_play(s[0]) == 1,
    )


def blank_value(state):
    return None if game.is_chance(state[0]) else 0.0


MEMORIES = {
    "values": ((np.zeros(1, WOOD_MEMORY), *NOTHING), lambda state: float(static_wood(state[0]))),
    "blank": (Blank().parts(), blank_value),
}


def check_wood(memory, static, enhancements, seed, spot, depths):
    search = AlphaBeta(*memory, enhancements, bits=6)
    state = wood(seed, spot)
    chance = bool(game.is_chance(state[0]))
    search.start(state, [] if chance else legal(state))
    for depth in depths:
        found = search.deepen(depth)
        assert found.value == pytest.approx(naive_wood(state, depth, static), abs=0.01), depth
        if chance:
            assert found.action == NO_ACTION
        else:
            after = naive_wood(changed(game.play)(state, found.action), depth - 1, static)
            assert after == pytest.approx(found.value, abs=0.01)


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("enhancements", EVERY, ids=str)
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, SPOTS - 1))
def test_random_trees_have_their_expectiminimax_value(memory, enhancements, seed, spot):
    check_wood(*MEMORIES[memory], enhancements, seed, spot, range(1, 5))


@pytest.mark.small
@pytest.mark.parametrize("memory", MEMORIES)
def test_some_random_trees(memory):
    for seed in range(3):
        check_wood(*MEMORIES[memory], EVERY[-1], seed, seed, range(1, 4))


@pytest.mark.small
def test_a_search_with_chance_can_be_interrupted_after_any_node():
    for seed in range(4):
        state = wood(seed, 3)
        actions = [] if game.is_chance(state[0]) else legal(state)
        whole, pieces = AlphaBeta(*MEMORIES["blank"][0]), AlphaBeta(*MEMORIES["blank"][0])
        whole.start(state, actions)
        pieces.start(state, actions)
        found = pieces.deepen(4, 1)
        while found is None:
            found = pieces.go_on(1)
        assert found == whole.deepen(4)


# -- a race with a die: nothing is known of it but how it ends, and its positions have no keys ------------

DICE = record_type([("way", "i1", (2,)), ("runner", "u1"), ("die", "u1"), ("turns_left", "u1")])
FACES, GOAL = (0.5, 0.3, 0.2, 0.0), 4  # the last face never shows: the game has no rule for it
RUN, PUSH, REST = 0, 1, 2
declare(DICE, Facts(actions=3, moves=40, events=4))


@implements(game.is_chance, DICE)
def chance_dice(state):
    return state.die == 0


@implements(game.chances, DICE)
def chances_dice(state, probabilities):
    for face in range(4):
        probabilities[face] = FACES[face]
    return 4


@implements(game.happen, DICE)
def happen_dice(state, event):
    state.die = event + 1
    if event == 3:
        state.turns_left = 0


@implements(game.play, DICE)
def play_dice(state, action):
    me, other = state.runner - 1, 2 - state.runner
    if action == RUN:
        state.way[me] = min(GOAL, state.way[me] + state.die)
    elif action == PUSH:
        state.way[other] = max(0, state.way[other] - state.die)
    state.die = 0
    state.runner = 3 - state.runner
    state.turns_left -= 1


@implements(game.legal_moves, DICE)
def legal_dice(state, moves):
    for k in range(3):
        moves[k] = k
    return 3


@implements(game.to_play, DICE)
def to_play_dice(state):
    return state.runner


@implements(game.is_over, DICE)
def over_dice(state):
    return state.turns_left == 0 or state.way[0] == GOAL or state.way[1] == GOAL


@implements(game.outcome, DICE)
def outcome_dice(state):
    if state.die == 4:
        return np.nan
    return 0.5 if state.way[0] == state.way[1] else 1.0 if state.way[0] > state.way[1] else 0.0


@cache
def win(one, two, runner, turns):
    """Player 1's probability to win before the die is rolled, from the rules."""
    if turns == 0 or GOAL in (one, two):
        return 0.5 if one == two else float(one > two)
    total = 0.0
    for die, p in enumerate(FACES[:3], 1):
        best = [max, min][runner - 1]
        mine, other = (one, two) if runner == 1 else (two, one)
        after = [(min(GOAL, mine + die), other), (mine, max(0, other - die)), (mine, other)]
        pairs = after if runner == 1 else [(b, a) for a, b in after]
        total += p * best(win(*pair, 3 - runner, turns - 1) for pair in pairs)
    return total


def race(one, two, runner, turns):
    state = np.zeros(1, DICE)
    state["way"], state["runner"], state["turns_left"] = [one, two], runner, turns
    return state


def check_race(one, two, runner, turns):
    search = AlphaBeta(*Blank().parts())
    state = race(one, two, runner, turns)
    search.start(state, [])
    # The die has been rolled: as deep as there are turns is deep enough, as dice use up no depth.
    assert search.deepen(turns).value / DECIDED == pytest.approx(
        2 * win(one, two, runner, turns) - 1, abs=1e-6
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 3), st.integers(0, 3), st.sampled_from([1, 2]), st.integers(1, 5))
def test_the_race_has_its_exact_value(one, two, runner, turns):
    check_race(one, two, runner, turns)


@pytest.mark.small
def test_a_short_race():
    check_race(2, 3, 1, 2)


@pytest.mark.small
def test_a_die_that_was_rolled_wins():
    state = race(2, 3, 1, 3)
    state["die"] = 2
    search = AlphaBeta(*Blank().parts())
    search.start(state, [REST, PUSH, RUN])
    found = search.deepen(1)
    assert (found.value, found.action) == (DECIDED, RUN)


# -- games that are wrong, and games for other searches --------------------------------------------------

WRONG = record_type([("fault", "u1"), ("wrong_moves", "u1")])
declare(WRONG, Facts(actions=2, events=2))
SOUND, MANY, NONE, EVENTFUL, UNLIKELY, ENDLESS, BEYOND = range(7)


@implements(game.legal_moves, WRONG)
def legal_wrong(state, moves):
    moves[0], moves[1] = 0, 1
    return 3 if state.fault == MANY else 0 if state.fault == NONE else 2


@implements(game.play, WRONG)
def play_wrong(state, action):
    state.wrong_moves += 1


@implements(game.is_chance, WRONG)
def chance_wrong(state):
    return state.wrong_moves % 2 == 1


@implements(game.chances, WRONG)
def chances_wrong(state, probabilities):
    probabilities[0], probabilities[1] = 0.25, 0.5 if state.fault == UNLIKELY else 0.75
    return 3 if state.fault == EVENTFUL else 2


@implements(game.happen, WRONG)
def happen_wrong(state, event):
    state.wrong_moves += 0 if state.fault == ENDLESS else 1


@implements(game.is_over, WRONG)
def over_wrong(state):
    return state.wrong_moves >= 4


@implements(game.outcome, WRONG)
def outcome_wrong(state):
    return 2.0 if state.fault == BEYOND else 1.0


@pytest.mark.small
@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (MANY, "more than the game declares \\(choices\\)"),
        (NONE, "gives no action"),
        (EVENTFUL, "more than the game declares \\(events\\)"),
        (UNLIKELY, "do not add up to 1"),
        (ENDLESS, "chance moves too often in a row"),
        (BEYOND, "not between the bounds"),
    ],
)
def test_a_game_that_is_wrong_gets_a_sentence(fault, sentence):
    search = AlphaBeta(*Blank().parts())
    state = np.zeros(1, WRONG)
    search.start(state, [0, 1])
    assert search.deepen(2).value == DECIDED
    state["fault"] = fault
    search.start(state, [0, 1])
    with pytest.raises(GameError, match=sentence):
        search.deepen(3)


@pytest.mark.small
def test_a_root_has_the_actions_that_the_game_declares():
    search = AlphaBeta(*Blank().parts())
    for actions in ([], [0, 1, 1]):
        with pytest.raises(GameError, match=f"a root with {len(actions)} actions"):
            search.start(np.zeros(1, WRONG), actions)
    search.start(np.zeros(1, WRONG), [1])
    for depth in (0, MAX_DEPTH + 1):
        with pytest.raises(InputError, match="not a number from 1 to 64"):
            search.deepen(depth)


@pytest.mark.small
def test_games_for_other_searches_are_refused():
    unnumbered = record_type([("unnumbered", "u1")])
    implements(game.is_chance, unnumbered)(lambda state: True)
    paying = record_type([("paying", "u1")])
    implements(game.reward, paying)(lambda state: 1.0)
    search = AlphaBeta(*Blank().parts())
    for dtype, sentence in (
        (unnumbered, "no numbers for it: search it with uct"),
        (paying, "pays on the way"),
    ):
        with pytest.raises(InputError, match=sentence):
            search.start(np.zeros(1, dtype), [0])
