"""Simulations end: with two passes, or as a draw at the limit where the position repeats for ever."""

import numpy as np
import pytest
from draw import board, empty_board
from naive.go import Go

from playout.games.go.policy.uniform import UNIFORM
from playout.games.go.state import STATE
from playout.kernel import kernel, new_rng
from playout.search.simulation import evaluate, simulate

POLICY = np.zeros(1, UNIFORM)

# Left and middle share no liberties but three kos. Who is to move is in atari and must take a ko; of the
# two that the enemy holds, one was just taken.
TRIPLE_KO = """
    X X O O X X .
    X O . O X X X
    X X O O X . X
    X . X O X X X
    X X O O X X X
    X O . O X X X
    X X O O X X X"""

# Kos chase each other round the edge: after Black's first move every move is the only one there is, and
# the position comes back after 16.
LONG_CYCLE = """
    O . O
    . O X
    O X ."""


def reachable(game: Go) -> dict[tuple, Go]:
    """Every situation the uniform policy can reach, found with the naive engine."""

    def key(position: Go) -> tuple:
        return str(position), position.to_play, position.ko, position.passes

    found, to_visit = {key(game): game}, [game]
    while to_visit:
        before = to_visit.pop()
        for move in [] if before.is_over() else before.policy_moves():
            after = before.copy()
            after.play(move)
            if key(after) not in found:
                found[key(after)] = after
                to_visit.append(after)
    return found


@pytest.mark.parametrize(
    ("text", "situations"), [(TRIPLE_KO, 13), (LONG_CYCLE, 17)], ids=["triple ko", "long cycle"]
)
def test_these_positions_never_end(text, situations):
    """So that the tests below test what they say."""
    found = reachable(Go.drawn(text, "X"))
    assert len(found) == situations
    assert not any(game.is_over() for game in found.values())


@kernel
def one(state, policy, rng):
    return simulate(state, policy, rng)


@pytest.mark.small
@pytest.mark.parametrize("text", [TRIPLE_KO, LONG_CYCLE], ids=["triple ko", "long cycle"])
def test_a_simulation_that_cannot_end_is_a_draw_at_the_limit(text):
    state = board(text, "X")
    state.limit = 200
    assert one(state, POLICY[0], new_rng(1)[0])[0] == 0.5
    assert state.moves == 200


@pytest.mark.small
@pytest.mark.parametrize("side", [2, 3, 5])
def test_other_simulations_end_with_two_passes(side):
    state = empty_board(side)
    result, moves = one(state, POLICY[0], new_rng(1)[0])
    assert state.passes == 2
    assert result in (0.0, 0.5, 1.0)
    assert moves == state.moves


def test_evaluate_sums_outcomes_and_leaves_the_root_alone():
    roots, work = np.zeros(1, STATE), np.zeros(1, STATE)
    roots[0] = board(TRIPLE_KO, "X")
    roots[0].limit = 100
    before = roots.copy()
    assert evaluate(roots, work, POLICY, 10, new_rng(1)) == (5.0, 1000)
    assert roots.tobytes() == before.tobytes()
