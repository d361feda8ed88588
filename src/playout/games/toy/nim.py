"""Nim (Bouton 1901): take stones from one heap; whoever takes the last one wins.

A limit makes every heap a subtraction game: one heap of 21 with a limit of 3 is the game for children. The
player to move loses with best play exactly if the heaps' numbers, each modulo limit + 1, have the nim-sum 0.
"""

from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.game import Game, state_type
from playout.settings import setting

MOST_HEAPS, MOST_STONES = 4, 31
NIM = state_type([("heaps", "u1", (MOST_HEAPS,)), ("limit", "u1"), ("turn", "u1")])


@dataclass(frozen=True, kw_only=True)
class Options:
    """What is there to take, and how much at once."""

    heaps: str = setting("3-5-7", "stones in each heap, such as 3-5-7 or 21")
    limit: int = setting(MOST_STONES, "most stones taken at once", low=1, high=MOST_STONES)


def start(heaps: str = "3-5-7", limit: int = MOST_STONES) -> np.ndarray:
    """All heaps as they are at first, as an array of one record."""
    words = heaps.split("-")
    if len(words) > MOST_HEAPS or not all(w.isdecimal() and 1 <= int(w) <= MOST_STONES for w in words):
        raise InputError(
            f"nim: heaps={heaps[:40]!r} is not 1 to {MOST_HEAPS} numbers from 1 to {MOST_STONES}, as in 3-5-7"
        )
    state = np.zeros(1, NIM)
    state["heaps"][0, : len(words)] = [int(word) for word in words]
    state["limit"], state["turn"] = limit, 1
    return state


# An action is 31 × heap + stones − 1.
def play(state, action):
    state.heaps[action // MOST_STONES] -= action % MOST_STONES + 1
    state.turn = 3 - state.turn


def legal_moves(state, moves):
    n = 0
    for heap in range(MOST_HEAPS):
        for stones in range(min(state.limit, state.heaps[heap])):
            moves[n] = heap * MOST_STONES + stones
            n += 1
    return n


def to_play(state):
    return state.turn


def is_over(state):
    left = 0
    for heap in range(MOST_HEAPS):
        left += state.heaps[heap]
    return left == 0


def outcome(state):
    return 1.0 if state.turn == 2 else 0.0  # who is to move has nothing left to take


def position_key(state):
    key = np.uint64(state.turn)
    for heap in range(MOST_HEAPS):
        key = key * np.uint64(MOST_STONES + 1) + np.uint64(state.heaps[heap])
    return key


def spell(state, action):
    return f"{'abcd'[action // MOST_STONES]}{action % MOST_STONES + 1}"


def draw(state):
    return "\n".join(f"{'abcd'[k]} {'o' * int(stones)}" for k, stones in enumerate(state.heaps))


GAME = Game(
    name="nim",
    summary="take stones from one heap; whoever takes the last one wins",
    state=NIM,
    options=Options,
    start=start,
    play=play,
    legal_moves=legal_moves,
    to_play=to_play,
    is_over=is_over,
    outcome=outcome,
    position_key=position_key,
    spell=spell,
    draw=draw,
    amaf=False,  # the same action leaves another heap later
    actions=MOST_HEAPS * MOST_STONES,
    moves=MOST_HEAPS * MOST_STONES,
)
