"""Codes kept as stones come and go, against features read from the board anew."""

import numpy as np
import pytest
from draw import board as drawn
from draw import empty_board, points, to_place, to_point
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import shapes as naive
from naive.go import Go
from naive_names import theta_of

from playout.errors import InputError
from playout.games.api import is_over, play
from playout.games.go.memory.codes import FROZEN, frozen_record, shapes_record, worth_of_all
from playout.games.go.memory.shapes import SHARING, Shapes, features_of
from playout.kernel import below, kernel, new_rng
from playout.memory.api import DECIDED, active, after_values, choices, look, refresh

RULES = list(SHARING)


@kernel
def looked(memories, index, weights, state, features):
    """φ·θ and the active features after a look."""
    look(memories[0], index, weights, state)
    return worth_of_all(memories[0]), active(memories[0], index, state, features)


@kernel
def looked_frozen(memories, index, weights, state):
    look(memories[0], index, weights, state)
    return worth_of_all(memories[0])


@kernel
def valued(memories, index, weights, state, actions, values):
    """The choices in a state and φ·θ after each."""
    look(memories[0], index, weights, state)
    n = choices(memories[0], state, actions)
    after_values(memories[0], index, weights, state, actions, n, values)
    return n


@kernel
def wander(memories, fresh, index, weights, roots, work, games, rng):
    """Random games with one memory that looks at every position and one that starts anew: the worst gap."""
    worst = 0.0
    captures = 0
    actions = np.zeros(512, np.uint16)
    values = np.zeros(512, np.float32)
    one = np.zeros(2000, np.uint32)
    two = np.zeros(2000, np.uint32)
    for _ in range(games):
        work[0] = roots[0]
        while not is_over(work[0]):
            look(memories[0], index, weights, work[0])
            fresh[1] = fresh[0]
            look(fresh[1], index, weights, work[0])
            a = active(memories[0], index, work[0], one)
            b = active(fresh[1], index, work[0], two)
            same = a == b
            for k in range(a):
                same &= one[k] == two[k]
            if not same:
                worst = np.inf
            worst = max(worst, abs(worth_of_all(memories[0]) - worth_of_all(fresh[1])))
            n = choices(memories[0], work[0], actions)
            after_values(memories[0], index, weights, work[0], actions, n, values)
            k = below(rng[0], n)
            before = work[0].n_empty
            play(work[0], actions[k])
            captures += work[0].n_empty >= before
            look(fresh[1], index, weights, work[0])
            if not is_over(work[0]):
                worst = max(worst, abs(values[k] - worth_of_all(fresh[1])))
    return worst, captures


def naive_value(game, by_name, sizes, rule):
    found = naive.weights(game.board, game.side, sizes, rule)
    return sum(by_name[name] * count for name, count in found.items())


KNOWN = {}


def known(side, sizes, rule):
    """Features, pairs of random weights, and these by naive name; made once."""
    key = side, sizes, rule
    if key not in KNOWN:
        features = features_of(Shapes(side=side, sizes=sizes, sharing=rule))
        theta, by_name = theta_of(features, rule, side)
        KNOWN[key] = features, features.pairs(theta), by_name
    return KNOWN[key]


@pytest.mark.small
@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 5), st.sampled_from([(1,), (2,), (1, 2)]))
def test_the_value_is_the_naive_one_after_every_move(rule, seed, side, sizes):
    features, pairs, by_name = known(side, sizes, rule)
    memory = shapes_record(features)
    dice = np.random.default_rng(seed)
    game, state = Go(side), empty_board(side)
    actions, values = np.zeros(512, np.uint16), np.zeros(512, np.float32)
    buffer = np.zeros(features.max_active + 2, np.uint32)
    for _ in range(2 * side * side):
        n = valued(memory, features.index, pairs, state, actions, values)
        k = int(dice.integers(n))
        place = to_place(int(actions[k]))
        game.play(place)
        play(state, int(actions[k]))
        if game.is_over():
            lead = game.area_score() - state.komi
            assert values[k] == (DECIDED if lead > 0 else -DECIDED if lead < 0 else 0)
            break
        expected = naive_value(game, by_name, sizes, rule)
        assert values[k] == pytest.approx(expected, abs=1e-3), str(game)
        value, count = looked(memory, features.index, pairs, state, buffer)
        assert value == pytest.approx(expected, abs=1e-3), str(game)
        assert pairs[buffer[:count]].sum() == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([4, 7, 9]))
def test_the_value_with_3x3_shapes_is_the_naive_one(rule, seed, side):
    sizes = (1, 2, 3)
    features = features_of(Shapes(side=side, sizes=sizes, sharing=rule))
    memory = shapes_record(features)
    dice = np.random.default_rng(seed)
    game, state = Go(side), empty_board(side)
    buffer = np.zeros(features.max_active + 2, np.uint32)
    pairs = features.pairs(np.zeros(features.unique))
    number, name_of = (
        {},
        {},
    )  # a naive weight is one pair of the array, and its sign there the same or the other
    actions, values = np.zeros(512, np.uint16), np.zeros(512, np.float32)
    for _ in range(side * side):
        n = valued(memory, features.index, pairs, state, actions, values)
        action = int(actions[int(dice.integers(n))])
        game.play(to_place(action))
        play(state, action)
        _, count = looked(memory, features.index, pairs, state, buffer)
        expected = [
            ((kind, name), sign)
            for feature in naive.active(game.board, side, sizes)
            for kind in naive.rules_of(rule)
            for name, sign in [naive.sharing(feature, side, kind)]
            if sign
        ]
        assert len(expected) == count
        for (name, sign), found in zip(expected, buffer[:count].tolist(), strict=True):
            there = found // 2, sign * (1 - 2 * (found % 2))
            assert number.setdefault(name, there) == there
            assert name_of.setdefault(found // 2, name) == name
        if game.is_over():
            break


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("side", [3, 5, 9])
def test_thousands_of_games_with_captures(rule, side):
    features = features_of(Shapes(side=side, sharing=rule))
    pairs = features.pairs(np.random.default_rng(3).normal(size=features.unique) * 0.1)
    state = np.array([empty_board(side)])
    state["limit"] = 1000
    memory = shapes_record(features)
    fresh = np.concatenate([memory, memory])
    games = 3000 if side < 9 else 300
    worst, captures = wander(memory, fresh, features.index, pairs, state, state.copy(), games, new_rng(side))
    assert worst < 1e-3
    assert captures > games


@pytest.mark.parametrize("colour", ["own", "all"])
@pytest.mark.parametrize("stage", [0, 7])
def test_extended_representations(colour, stage):
    features = features_of(Shapes(side=5, sizes=(1, 2), colour=colour, stage=stage))
    pairs = features.pairs(np.random.default_rng(3).normal(size=features.unique) * 0.1)
    state = np.array([empty_board(5)])
    state["limit"] = 1000
    memory = shapes_record(features)
    worst, captures = wander(
        memory, np.concatenate([memory, memory]), features.index, pairs, state, state.copy(), 500, new_rng(2)
    )
    assert worst < 1e-3
    assert captures > 100


@pytest.mark.small
def test_the_sets_belong_to_a_colour_and_a_stage():
    shapes = Shapes(side=3, sizes=(1,), sharing="independent", colour="all", stage=2)
    features = features_of(shapes)
    state = empty_board(3)
    buffer = np.zeros(features.max_active + 2, np.uint32)
    pairs = features.pairs(np.arange(features.unique))
    memory = shapes_record(features)
    found = []
    for move in (to_point(0, 0), to_point(2, 2), to_point(0, 2), to_point(2, 0)):
        play(state, move)
        _, count = looked(memory, features.index, pairs, state, buffer)
        stones = int(state.moves)
        sets = {int(i) // features.stride for i in buffer[:count]}
        assert count == 2 * stones
        found.append(sets)
    # By stage of two moves: Black to play, White to play, either.
    assert found == [{1, 2}, {3, 5}, {4, 5}, {6, 8}]


@pytest.mark.parametrize("rule", ["both", "dependent", "independent"])
def test_frozen_weights_give_the_same_values(rule):
    side = 7
    features = features_of(Shapes(side=side, sharing=rule))
    pairs = features.pairs(np.random.default_rng(4).normal(size=features.unique) * 0.1)
    memory, frozen = shapes_record(features), frozen_record(features, pairs)
    state = empty_board(side)
    dice = np.random.default_rng(1)
    one, two = np.zeros(512, np.float32), np.zeros(512, np.float32)
    actions = np.zeros(512, np.uint16)
    for _ in range(120):
        n = valued(memory, features.index, pairs, state, actions, one)
        assert valued(frozen, features.index, pairs, state, actions, two) == n
        assert one[:n] == pytest.approx(two[:n], abs=1e-3)
        play(state, int(actions[dice.integers(n)]))
        if is_over(state):
            break


@pytest.mark.small
def test_a_memory_can_look_back_and_at_another_game():
    features = features_of(Shapes(side=4, sizes=(1, 2)))
    pairs = features.pairs(np.random.default_rng(4).normal(size=features.unique))
    frozen = frozen_record(features, pairs)
    texts = [
        """
        . X O .
        X . X O
        . X O .
        . . . .""",
        """
        . . . .
        O O . X
        . O X X
        . . . .""",
    ]
    states = [drawn(text) for text in texts]
    values = [looked_frozen(frozen_record(features, pairs), features.index, pairs, state) for state in states]
    for k in (0, 1, 0, 0, 1):
        assert looked_frozen(frozen, features.index, pairs, states[k]) == pytest.approx(values[k], abs=1e-4)


@pytest.mark.small
def test_a_capture_by_hand():
    text = """
        a X .
        X O b
        . X ."""
    features = features_of(Shapes(side=3, sizes=(1,), sharing="independent"))
    pairs = features.pairs([1.0])
    state = drawn(text)
    memory = shapes_record(features)
    actions, values = np.zeros(512, np.uint16), np.zeros(512, np.float32)
    n = valued(memory, features.index, pairs, state, actions, values)
    after = dict(zip(actions[:n].tolist(), values[:n].tolist(), strict=True))
    assert after[points(text)["b"]] == 4  # a stone more for Black, a stone less for White: 3 - 1 + 1 + 1


@pytest.mark.small
@pytest.mark.parametrize("wrong", [{"colour": "own"}, {"stage": 5}, {"sharing": "none"}])
def test_what_cannot_be_frozen(wrong):
    features = features_of(Shapes(side=3, sizes=(1,), **wrong))
    with pytest.raises(InputError, match="cannot be frozen"):
        frozen_record(features, features.pairs(np.zeros(features.unique)))


@pytest.mark.small
def test_refresh_reads_weights_that_have_changed():
    features = features_of(Shapes(side=3, sizes=(1,), sharing="independent"))
    pairs = features.pairs([1.0])
    memory = shapes_record(features)
    state = empty_board(3)
    play(state, to_point(1, 1))
    buffer = np.zeros(20, np.uint32)
    assert looked(memory, features.index, pairs, state, buffer)[0] == 1
    pairs[:] *= 3
    refresh(memory[0], features.index, pairs)
    assert looked(memory, features.index, pairs, state, buffer)[0] == 3


@pytest.mark.small
def test_the_frozen_record_has_room_for_the_largest_board():
    features = features_of(Shapes(side=19))
    assert features.index.size == FROZEN["frozen"].shape[0]
