"""Dynamic programming: exact values of a game with few states (Silver 2009, 2.6 and 2.7).

All states that can be reached are found, with what may come of every action, and value iteration goes over
them

    V(s) ← max over a of Σ P (R + γ V(s'))

until nothing changes by more than a tolerance. Player 2, where there is one, minimises. Chance must have
numbered events. What learners and searches find is compared with it.

>>> from playout.games.toy import random_walk
>>> solved = solve(random_walk.start(states=5, discount=0.9))
>>> round(solved.value(random_walk.start(states=5, discount=0.9)), 6)  # the third step pays 1
0.81
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.api import (
    GameError,
    chances,
    discount,
    facts_of,
    happen,
    has_chance,
    is_chance,
    is_over,
    legal_moves,
    outcome,
    play,
    reward,
    to_play,
)
from playout.kernel import clone
from playout.kernel.raw import held_bytes

MOST_STATES = 100_000
TOLERANCE = 1e-12
MOST_ROUNDS = 100_000


@dataclass(frozen=True)
class Solved:
    """The states of a game where a player is to move, in the order in which they were found; their values."""

    states: list[np.ndarray]
    values: np.ndarray
    action_values: list[dict[int, float]]  # by state: of each action
    _numbers: dict[bytes, int]

    def _number(self, state: np.ndarray) -> int:
        key = bytes(state.view(np.uint8)[held_bytes(state.dtype)])
        if key not in self._numbers:
            raise InputError("this state cannot be reached from the one that was solved")
        return self._numbers[key]

    def value(self, state: np.ndarray) -> float:
        """V* of a state, player 1's."""
        return float(self.values[self._number(state)])

    def of_actions(self, state: np.ndarray) -> dict[int, float]:
        """Q* of a state's actions, player 1's."""
        return self.action_values[self._number(state)]


def solve(root: np.ndarray, tolerance: float = TOLERANCE) -> Solved:
    """The values of all states that can be reached from one, an array of one record."""
    held, numbers, states = held_bytes(root.dtype), dict[bytes, int](), list[np.ndarray]()

    def number(state: np.ndarray) -> int:
        key = bytes(state.view(np.uint8)[held])
        if key not in numbers:
            if len(states) == MOST_STATES:
                raise InputError(f"the game has more than {MOST_STATES:,} states, too many to solve")
            numbers[key] = len(states)
            states.append(state)
        return numbers[key]

    # By state and action: probability, pay, γ and the number of each state that may come; γ is 0 at an end.
    ways: list[dict[int, list[tuple[float, float, float, int]]]] = []
    for _, _, _, first in list(_after_chance(clone(root), 1.0, 0.0, 1.0)):
        number(first)
    while len(ways) < len(states):
        state = states[len(ways)]
        ways.append({})
        for action in _actions(state):
            after = clone(state)
            play(after[0], action)
            start = (1.0, float(reward(after[0])), float(discount(after[0])))
            came = []
            for p, paid, fade, then in _after_chance(after, *start):
                if is_over(then[0]):
                    came.append((p, paid + fade * float(outcome(then[0])), 0.0, 0))
                else:
                    came.append((p, paid, fade, number(then)))
            ways[-1][action] = came
    signs = [1 if to_play(state[0]) == 1 else -1 for state in states]
    values, q = np.zeros(len(states)), list[dict[int, float]]()
    for _ in range(MOST_ROUNDS):
        q = [
            {action: sum(p * (r + g * values[k]) for p, r, g, k in came) for action, came in way.items()}
            for way in ways
        ]
        best = np.array(
            [max(row.values()) if s > 0 else min(row.values()) for row, s in zip(q, signs, strict=True)]
        )
        change = float(np.abs(best - values).max(initial=0.0))
        values = best
        if change <= tolerance:
            return Solved(states, values, q, numbers)
    raise InputError(f"values have not settled after {MOST_ROUNDS:,} rounds")


def _actions(state: np.ndarray) -> list[int]:
    moves = np.zeros(facts_of(state.dtype).most_choices, np.uint16)
    count = int(legal_moves(state[0], moves))
    if not 1 <= count <= moves.size:
        raise GameError("legal_moves gives no action, or more than the game declares (choices)")
    return [int(action) for action in moves[:count]]


def _after_chance(
    state: np.ndarray, p: float, paid: float, fade: float
) -> Iterator[tuple[float, float, float, np.ndarray]]:
    """All states that chance leads to: their probability, what was paid till then, and γ of it."""
    if is_over(state[0]) or not has_chance(state[0]) or not is_chance(state[0]):
        yield p, paid, fade, state
        return
    events = facts_of(state.dtype).events
    if events == 0:
        raise InputError("what chance does in this game has no numbers, so it cannot be solved")
    likely = np.zeros(events)
    count = int(chances(state[0], likely))
    if not 1 <= count <= events:
        raise GameError("chances gives no event, or more than the game declares (events)")
    for event in range(count):
        if likely[event] > 0:
            after = clone(state)
            happen(after[0], event)
            total = paid + fade * float(reward(after[0]))
            yield from _after_chance(after, p * float(likely[event]), total, fade * float(discount(after[0])))
