"""Whole games between two records, against the same games in plain Python."""

import numpy as np
import pytest
from toy_memories import Toy

from playout.games.api import is_chance, is_over, most_choices, outcome, play, roll, to_play
from playout.games.toy import dice_race, tictactoe
from playout.kernel import clone, implements, new_rng, record_type
from playout.memory.api import add_action, after_values, begin_history, choices, look
from playout.memory.sequences import Sequences
from playout.memory.table import Table
from playout.policy.api import begin, sample
from playout.policy.random import Random
from playout.search.duel import (
    NO_ACTIONS,
    UNFINISHED,
    Side,
    begun,
    choose,
    duel,
    in_turns,
    is_memory,
    open_games,
)
from playout.search.td_search import TDSearch, TDSettings

LONGEST = 1000
GAMES = 6
TOY = Side.greedy(Toy("rows", seed=3).parts_for(tictactoe.start()))


def learnt(memory, root):
    """A greedy player with the weights of a short search."""
    search = TDSearch(memory, Random(), TDSettings(alpha=0.4, epsilon=0.3, switch=None), seed=5)
    search.start(root)
    search.run(60)
    return Side(*search.reading())


def generators():
    """For chance and two players, one a game."""
    return [np.concatenate([new_rng(10 * k + g) for g in range(GAMES)]) for k in range(3)]


def naive_choice(side, state, rng):
    """What a player does, from its words."""
    if not is_memory(side.record[0]):
        begin(side.record[0], state)
        return int(sample(side.record[0], state, rng[0]))
    room, values = np.zeros(most_choices(state), np.uint16), np.zeros(most_choices(state), np.float32)
    look(side.record[0], side.numbers, side.weights, state)
    count = choices(side.record[0], state, room)
    after_values(side.record[0], side.numbers, side.weights, state, room, count, values)
    sign = 1 if to_play(state) == 1 else -1
    return int(room[max(range(count), key=lambda k: (sign * float(values[k]), k))])


def naive_game(state, other_is_first, one, other, luck, *rngs):
    """A game in plain Python; its actions. The state is then its last."""
    sides, made = (other, one) if other_is_first else (one, other), []
    rngs = rngs[::-1] if other_is_first else rngs
    while is_chance(state[0]):
        roll(state[0], luck[0])
    for side in sides:
        begin_history(*side_in(side), state[0])
    while not is_over(state[0]):
        turn = int(to_play(state[0])) - 1
        made.append(naive_choice(sides[turn], state[0], rngs[turn]))
        for side in sides:
            add_action(*side_in(side), state[0], made[-1])
        play(state[0], made[-1])
        while not is_over(state[0]) and is_chance(state[0]):
            roll(state[0], luck[0])
    return made


def side_in(side):
    return side.record[0], side.numbers, side.weights


def random_side(root):
    return Side(Random().record_for(root))


@pytest.mark.small
@pytest.mark.parametrize("memory", ["toy", "table", "sequences", "dice"])
def test_games_are_those_of_plain_python(memory):
    root = dice_race.start() if memory == "dice" else tictactoe.start()
    if memory == "toy":
        one, other = TOY, random_side(root)
    elif memory == "dice":
        one, other = random_side(root), learnt(Table(capacity=512), root)
    else:
        made = Table(capacity=512) if memory == "table" else Sequences(length=2, capacity=512)
        one, other = learnt(made, root), TOY
    states, games, rngs = begun(root, GAMES), in_turns(GAMES), generators()
    actions = np.zeros((GAMES, 200), np.uint16)
    duel(states, games, one, other, *rngs, LONGEST, actions)
    naive_rngs = generators()
    for g, game in enumerate(games):
        assert game["other_is_first"] == g % 2
        state = clone(root)
        made = naive_game(state, g % 2, one, other, *(rng[g : g + 1] for rng in naive_rngs))
        assert actions[g, : game["length"]].tolist() == made
        assert game["outcome"] == outcome(state[0])
        assert states[g].tobytes() == state[0].tobytes()
    assert all(np.array_equal(rng, naive) for rng, naive in zip(rngs, naive_rngs, strict=True))


@pytest.mark.small
def test_games_go_on_from_where_they_are():
    root = dice_race.start()
    one = random_side(root)
    whole, games = begun(root, GAMES), in_turns(GAMES)
    duel(whole, games, one, one, *generators(), LONGEST, NO_ACTIONS)
    pieces, again, rngs = begun(root, GAMES), in_turns(GAMES), generators()
    assert (games["length"] > 3).all()
    for _ in range(LONGEST):
        duel(pieces, again, one, one, *rngs, 3, NO_ACTIONS)
        assert (again["outcome"][again["length"] == UNFINISHED] == 0).all()
        if (again["length"] != UNFINISHED).all():
            break
    assert pieces.tobytes() == whole.tobytes()
    assert np.array_equal(again["outcome"], games["outcome"])


@pytest.mark.small
def test_a_game_without_room_for_its_actions_is_unfinished():
    root, room = tictactoe.start(), np.full((2, 5), 99, np.uint16)
    states, games = begun(root, 2), in_turns(2)
    duel(states, games, random_side(root), TOY, *generators(), LONGEST, room[:, :4])
    assert games["length"].tolist() == [UNFINISHED] * 2
    assert states["moves"].tolist() == [4, 4]
    assert room[:, 4].tolist() == [99, 99]


@pytest.mark.small
def test_one_generator_may_serve_for_all():
    root = tictactoe.start()
    states, games, rng = begun(root, GAMES), in_turns(GAMES), new_rng(8)
    duel(states, games, random_side(root), TOY, rng, rng, rng, LONGEST, NO_ACTIONS)
    naive_rng = new_rng(8)
    for g in range(GAMES):
        state = clone(root)
        naive_game(state, g % 2, random_side(root), TOY, naive_rng, naive_rng, naive_rng)
        assert states[g].tobytes() == state[0].tobytes()
    assert np.array_equal(rng, naive_rng)


FIRST_CELL = record_type([("from_the", "u1")])  # 0: the first free cell, 1: the last


@implements(choose, FIRST_CELL)
def first_cell(player, index, weights, state, actions, values, rng):
    found = -1
    for cell in range(9):
        if state.cells[cell] == 0 and (found < 0 or player.from_the == 1):
            found = cell
    index[state.moves] = found  # the arrays beside a record are its own affair
    return np.uint32(found)


@pytest.mark.small
def test_a_record_may_say_itself_what_it_does():
    records, seen = np.zeros(2, FIRST_CELL), np.zeros(9, np.int64)
    records["from_the"] = 0, 1
    states, games, rng = begun(tictactoe.start(), 1), in_turns(1), new_rng(1)
    actions = np.zeros((1, 9), np.uint16)
    duel(states, games, Side(records[:1], seen), Side(records[1:], seen), rng, rng, rng, LONGEST, actions)
    assert games["length"][0] == 5
    assert games["outcome"][0] == 1
    assert actions[0, :5].tolist() == seen[:5].tolist() == [0, 8, 1, 7, 2]


@pytest.mark.small
def test_pairs_of_games_begin_alike():
    states = begun(tictactoe.start(), 8)
    open_games(states, TOY.record, 3, new_rng(2))
    assert (states["moves"] == 3).all()
    assert all(states[k].tobytes() == states[k + 1].tobytes() for k in range(0, 8, 2))
    assert len({state.tobytes() for state in states}) > 2
