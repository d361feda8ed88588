"""Alpha-beta against plain minimax: on random trees, on a game where a null move is sound, on Go."""

import itertools

import numpy as np
import pytest
from draw import board as drawn
from draw import empty_board, points
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.minimax import minimax

from playout.games import api as game
from playout.games.api import position_key, skip
from playout.games.go.memory.codes import frozen_record, worth_of_all
from playout.games.go.memory.shapes import Shapes, features_of
from playout.kernel import implements, kernel, record_type
from playout.memory import api as memory_api
from playout.memory.api import DECIDED
from playout.search.alphabeta import AlphaBeta, Enhancements

EVERY = [Enhancements(order=a, table=b, killers=c) for a, b, c in itertools.product([False, True], repeat=3)]
NOTHING = np.zeros(1, np.uint32), np.zeros(1, np.float32)

# -- a random graph: what a place is worth is a hash of it ----------------------------------------------

GRAPH = record_type([("place_now", "u4"), ("graph_ply", "u2"), ("graph_seed", "u4"), ("graph_turn", "u1")])
GRAPH_MEMORY = record_type([("graph_memory", "u1")])
PLACES, BRANCHES, LONGEST = 40, 4, 7


@kernel
def worth(place, ply, seed):
    """A number from -100 to 100, many of them equal."""
    x = (np.uint64(place) * np.uint64(97) + np.uint64(ply) * np.uint64(31) + np.uint64(seed)) * np.uint64(
        2654435761
    )
    return np.float64((x >> np.uint64(7)) % np.uint64(41)) * 5.0 - 100.0


@kernel
def next_place(place, action, seed):
    return (
        np.uint64(place) * np.uint64(7) + np.uint64(action) * np.uint64(13) + np.uint64(seed)
    ) % np.uint64(PLACES)


@implements(game.play, GRAPH)
def play_graph(state, action):
    state.place_now = next_place(state.place_now, action, state.graph_seed)
    state.graph_ply += np.uint16(1)
    state.graph_turn = np.uint8(3 - state.graph_turn)


@implements(game.is_over, GRAPH)
def over_graph(state):
    return state.graph_ply >= LONGEST or worth(state.place_now, state.graph_ply, state.graph_seed) == 0.0


@implements(game.outcome, GRAPH)
def outcome_graph(state):
    w = worth(state.place_now, state.graph_ply, state.graph_seed)
    return 0.5 if w == 0.0 else 1.0 if w > 0.0 else 0.0


@implements(game.to_play, GRAPH)
def to_play_graph(state):
    return state.graph_turn


@implements(position_key, GRAPH)
def key_graph(state):
    return (
        np.uint64(state.place_now) * np.uint64(1000003)
        + np.uint64(state.graph_ply) * np.uint64(8)
        + np.uint64(state.graph_turn)
    )


@implements(skip, GRAPH)
def skip_graph(state):
    return False


@implements(memory_api.look, GRAPH_MEMORY)
def look_graph(memory, index, weights, state):
    pass


@implements(memory_api.choices, GRAPH_MEMORY)
def choices_graph(memory, state, actions):
    for k in range(BRANCHES):
        actions[k] = k
    return BRANCHES


@implements(memory_api.after_values, GRAPH_MEMORY)
def after_graph(memory, index, weights, state, actions, count, values):
    for k in range(count):
        place = next_place(state.place_now, actions[k], state.graph_seed)
        w = worth(place, state.graph_ply + 1, state.graph_seed)
        if w == 0.0:
            values[k] = 0.0
        elif state.graph_ply + 1 >= LONGEST:
            values[k] = DECIDED if w > 0.0 else -DECIDED
        else:
            values[k] = w


def naive_graph(seed, start, turn, depth):
    def number(state):
        place, ply, _ = state
        return float(worth(place, ply, seed))

    def decided(state):
        w = number(state)
        if w == 0:
            return 0.0
        return None if state[1] < LONGEST else DECIDED if w > 0 else -DECIDED

    return minimax(
        (start, 0, turn),
        depth,
        lambda state: list(range(BRANCHES)),
        lambda state, a: (int(next_place(state[0], a, seed)), state[1] + 1, 3 - state[2]),
        number,
        decided,
        lambda state: state[2] == 1,
    )


def graph(seed, start, turn):
    state = np.zeros(1, GRAPH)
    state["place_now"], state["graph_seed"], state["graph_turn"] = start, seed, turn
    return state


@pytest.mark.parametrize("enhancements", EVERY, ids=str)
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, PLACES - 1), st.sampled_from([1, 2]))
def test_random_graphs_have_their_minimax_value(enhancements, seed, start, turn):
    search = AlphaBeta(np.zeros(1, GRAPH_MEMORY), *NOTHING, enhancements, bits=6)
    state = graph(seed, start, turn)
    if worth(start, 0, seed) == 0:
        return
    search.start(state, np.arange(BRANCHES))
    for depth in range(1, 6):
        found = search.deepen(depth)
        assert found.value == naive_graph(seed, start, turn, depth), depth
        after = naive_graph_after(seed, start, turn, found.action, depth)
        assert after == found.value


def naive_graph_after(seed, start, turn, action, depth):
    """The value of one move at the root."""
    place = int(next_place(start, action, seed))
    w = float(worth(place, 1, seed))
    if w == 0 or depth == 1:
        return w

    def decided(state):
        x = float(worth(state[0], state[1], seed))
        if x == 0:
            return 0.0
        return None if state[1] < LONGEST else DECIDED if x > 0 else -DECIDED

    return minimax(
        (place, 1, 3 - turn),
        depth - 1,
        lambda state: list(range(BRANCHES)),
        lambda state, a: (int(next_place(state[0], a, seed)), state[1] + 1, 3 - state[2]),
        lambda state: float(worth(state[0], state[1], seed)),
        decided,
        lambda state: state[2] == 1,
    )


@pytest.mark.small
def test_a_search_can_be_interrupted_after_any_node():
    for seed in range(20):
        state = graph(seed, 3, 1)
        if worth(3, 0, seed) == 0:
            continue
        whole = AlphaBeta(np.zeros(1, GRAPH_MEMORY), *NOTHING)
        whole.start(state, np.arange(BRANCHES))
        pieces = AlphaBeta(np.zeros(1, GRAPH_MEMORY), *NOTHING)
        pieces.start(state, np.arange(BRANCHES))
        found, rounds = pieces.deepen(5, 1), 1
        while found is None:
            found, rounds = pieces.go_on(1), rounds + 1
        assert found == whole.deepen(5)
        assert rounds > 2


# -- taking coins: who is to move is never worse off, so a null move is sound ---------------------------

COINS = record_type([("coins", "u1", (8,)), ("coin_lead", "i2"), ("coin_turn", "u1"), ("coins_left", "u1")])
COIN_MEMORY = record_type([("coin_memory", "u1")])


@implements(game.play, COINS)
def play_coins(state, action):
    value = np.int16(state.coins[action])
    state.coin_lead += value if state.coin_turn == 1 else -value
    state.coins[action] = 0
    state.coins_left -= np.uint8(1)
    state.coin_turn = np.uint8(3 - state.coin_turn)


@implements(game.is_over, COINS)
def over_coins(state):
    return False


@implements(game.outcome, COINS)
def outcome_coins(state):
    return 0.5


@implements(game.to_play, COINS)
def to_play_coins(state):
    return state.coin_turn


@implements(position_key, COINS)
def key_coins(state):
    key = np.uint64(state.coin_turn)
    for k in range(8):
        key = key * np.uint64(1000003) + np.uint64(state.coins[k])
    return key * np.uint64(1000003) + np.uint64(state.coin_lead + 1000)


@implements(skip, COINS)
def skip_coins(state):
    state.coin_turn = np.uint8(3 - state.coin_turn)
    return True


@implements(memory_api.look, COIN_MEMORY)
def look_coins(memory, index, weights, state):
    pass


@implements(memory_api.choices, COIN_MEMORY)
def choices_coins(memory, state, actions):
    n = 0
    for k in range(8):
        if state.coins[k] > 0:
            actions[n] = k
            n += 1
    return n


@implements(memory_api.after_values, COIN_MEMORY)
def after_coins(memory, index, weights, state, actions, count, values):
    for k in range(count):
        value = np.int16(state.coins[actions[k]])
        values[k] = state.coin_lead + (value if state.coin_turn == 1 else -value)


@pytest.mark.parametrize("null_move", [False, True])
@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=8, max_size=8), st.sampled_from([1, 2]))
def test_null_moves_change_nothing_where_a_turn_is_never_bad(null_move, coins, turn):
    state = np.zeros(1, COINS)
    state["coins"], state["coin_turn"], state["coins_left"] = coins, turn, 8
    search = AlphaBeta(np.zeros(1, COIN_MEMORY), *NOTHING, Enhancements(null_move=null_move, order=False))
    search.start(state, np.arange(8))
    for depth in range(1, 7):
        best = sorted(coins, reverse=True)[:depth]
        lead = sum(best[0::2]) - sum(best[1::2])
        assert search.deepen(depth).value == (lead if turn == 1 else -lead)


def test_null_moves_save_nodes():
    state = np.zeros(1, COINS)
    state["coins"], state["coin_turn"], state["coins_left"] = [9, 8, 7, 6, 5, 4, 3, 2], 1, 8
    nodes = []
    for null_move in (False, True):
        search = AlphaBeta(
            np.zeros(1, COIN_MEMORY), *NOTHING, Enhancements(null_move=null_move, table=False, killers=False)
        )
        search.start(state, np.arange(8))
        nodes.append(search.deepen(6).nodes)
    assert nodes[1] < nodes[0]


# -- Go -------------------------------------------------------------------------------------------------


@kernel
def _value(memories, index, weights, state):
    memory_api.look(memories[0], index, weights, state)
    return worth_of_all(memories[0])


def naive_go(state, depth, memory):
    def moves(state):
        found = np.zeros(512, np.uint16)
        n = game.tree_moves(state, found)
        return found[: n - 1 if n > 1 else n].tolist()

    def play(state, move):
        after = state.copy()
        game.play(after, move)
        return after

    def decided(state):
        if not game.is_over(state):
            return None
        z = game.outcome(state)
        return DECIDED if z > 0.5 else -DECIDED if z < 0.5 else 0.0

    return minimax(
        state, depth, moves, play, lambda s: float(_value(*memory, s)), decided, lambda s: s.to_play == 1
    ), moves(state)


@pytest.mark.parametrize("enhancements", [EVERY[0], EVERY[-1]], ids=str)
@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 14))
def test_positions_of_go_have_their_minimax_value(enhancements, seed, moves):
    features = features_of(Shapes(side=3, sizes=(1, 2)))
    dice = np.random.default_rng(seed)
    pairs = features.pairs(dice.normal(size=features.unique))
    memory = frozen_record(features, pairs)
    state = empty_board(3)
    state.komi = 0.5
    found = np.zeros(512, np.uint16)
    for _ in range(moves):
        n = game.tree_moves(state, found)
        game.play(state, int(found[dice.integers(max(1, n - 1))]))
        if game.is_over(state):
            return
    search = AlphaBeta(memory, features.index, pairs, enhancements, bits=10)
    for depth in (1, 2, 3):
        expected, legal = naive_go(state, depth, (memory.copy(), features.index, pairs))
        search.start(np.array([state]), np.array(legal))
        result = search.deepen(depth)
        assert result.value == pytest.approx(expected, abs=1e-3)


@pytest.mark.small
def test_it_takes_the_stone_in_atari():
    text = """
        . . . . .
        . O . . .
        O X O . .
        . a . . .
        . . . . ."""
    features = features_of(Shapes(side=5, sizes=(1,), sharing="independent"))
    pairs = features.pairs([1.0])
    state = drawn(text, to_play="O")
    moves = np.zeros(512, np.uint16)
    n = game.tree_moves(state, moves)
    search = AlphaBeta(frozen_record(features, pairs), features.index, pairs)
    search.start(np.array([state]), moves[: n - 1])
    found = search.deepen(1)
    assert (found.value, found.action) == (-4, points(text)["a"])
    assert search.deepen(3).value == -4  # Black cannot take back: 4 + 1 stones to 1


@pytest.mark.small
def test_keys_tell_states_apart():
    state = empty_board(5)
    keys = {int(position_key(state))}
    for field, value in (("to_play", 2), ("ko", 45), ("passes", 1), ("moves", 3)):
        other = state.copy()
        setattr(other, field, value)
        keys.add(int(position_key(other)))
    assert len(keys) == 5


@pytest.mark.small
def test_skipping_hands_the_turn_on_but_not_after_a_pass():
    state = empty_board(5)
    state.ko = 45
    assert skip(state)
    assert (state.to_play, state.ko, state.passes) == (2, 0, 0)
    state.passes = 1
    assert not skip(state)
