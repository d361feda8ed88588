"""Searching games of which nothing has been learnt."""

import numpy as np
import pytest
from naive.minimax import minimax

from playout.games import api as game
from playout.games.api import Facts, declare
from playout.games.toy import tictactoe
from playout.kernel import implements, record_type
from playout.memory.api import DECIDED
from playout.memory.blank import Blank, unknown_value
from playout.search.alphabeta import AlphaBeta, Enhancements


def position(text):
    cells = [" .XO".index(c) - 1 for c in "".join(text.split())]
    state = np.zeros(1, tictactoe.TICTACTOE)
    state["cells"] = cells
    state["moves"] = np.count_nonzero(cells)
    state["turn"] = 1 + state["moves"] % 2
    return state


def legal(state):
    moves = np.zeros(9, np.uint16)
    return moves[: game.legal_moves(state[0], moves)].tolist()


def naive(state):
    """The minimax value to the end of the game."""

    def play(state, move):
        after = state.copy()
        game.play(after[0], move)
        return after

    return minimax(
        state,
        9,
        legal,
        play,
        lambda state: 0.0,
        lambda state: (2 * game.outcome(state[0]) - 1) * DECIDED if game.is_over(state[0]) else None,
        lambda state: game.to_play(state[0]) == 1,
    )


def searched(state, depth, table=True):
    search = AlphaBeta(*Blank().parts(), Enhancements(table=table))
    search.start(state, legal(state))
    for d in range(1, depth + 1):
        found = search.deepen(d)
    return found


def test_tic_tac_toe_is_a_draw():
    with_table = searched(tictactoe.start(), 9)
    without = searched(tictactoe.start(), 9, table=False)
    assert with_table.value == without.value == 0.0
    assert with_table.nodes < without.nodes


def test_every_position_after_three_moves_has_its_value():
    values = set()
    for a in range(9):
        for b in range(9):
            for c in range(9):
                if len({a, b, c}) < 3 or (a + b + c) % 4:  # a quarter of them
                    continue
                state = tictactoe.start()
                for move in (a, b, c):
                    game.play(state[0], move)
                values.add(found := searched(state, 6).value)
                assert found == naive(state)
    assert values == {-DECIDED, 0.0, DECIDED}


@pytest.mark.small
def test_it_sees_as_far_as_it_is_deep():
    state = position("""
        X X .
        O . .
        O . .""")
    found = searched(state, 1)
    assert (found.value, found.action) == (DECIDED, 2)
    state = position("""
        X . .
        . O .
        . . X""")
    assert searched(state, 2).value == 0.0  # O sees no end yet


@pytest.mark.small
def test_a_game_that_is_over_has_its_value():
    state = position("""
        X X X
        O O .
        . . .""")
    search = AlphaBeta(*Blank().parts())
    search.start(state, [5])
    assert search.deepen(3).value == DECIDED


# -- one player ------------------------------------------------------------------------------------------

CLIMB = record_type([("height", "i2"), ("climbs_left", "u1")])
declare(CLIMB, Facts(actions=2, players=1, low=0.0, high=100.0))


@implements(game.legal_moves, CLIMB)
def legal_climb(state, moves):
    moves[0], moves[1] = 0, 1
    return 2


@implements(game.play, CLIMB)
def play_climb(state, action):
    """Doubling is better than adding 3 once one is high enough."""
    state.height = state.height * 2 if action == 0 else state.height + 3
    state.climbs_left -= 1


@implements(game.is_over, CLIMB)
def over_climb(state):
    return state.climbs_left == 0


@implements(game.outcome, CLIMB)
def outcome_climb(state):
    return state.height


@pytest.mark.small
def test_one_player_maximises():
    state = np.zeros(1, CLIMB)
    state["height"], state["climbs_left"] = 1, 4
    search = AlphaBeta(*Blank().parts())
    search.start(state, [0, 1])
    found = search.deepen(4)
    assert found.action == 1
    assert found.value == pytest.approx((2 * 32 / 100 - 1) * DECIDED)  # 1 + 3, doubled three times


@pytest.mark.small
def test_what_nothing_is_known_of():
    assert unknown_value(np.zeros(1, CLIMB)) == 50.0
    paying = record_type([("paying_climb", "u1")])
    implements(game.reward, paying)(lambda state: 1.0)
    assert unknown_value(np.zeros(1, paying)) == 0.0
