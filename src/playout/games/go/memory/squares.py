"""Incremental shape features: squares of any size up to 5×5, found as they occur (Silver 2009, 10.1.2).

Local shapes have a weight for everything that could stand in a square; from 4×4 on that is too much. Here a
feature is added when it occurs: in each simulation one for each square of the board, the first configuration
there that has none yet. Each square so grows a local tree, as Monte-Carlo tree search grows a global one.
Squares of nothing but empty points have no feature.

>>> from playout.games.go.board import Board
>>> Squares(sizes="1+2").parts_for(Board(3).simulation_root()).max_active
13
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.api import play
from playout.games.go.memory.codes import moves_but_pass, value_at_end
from playout.games.go.policy.uniform import sample_uniform
from playout.games.go.state import MAX_SIDE, PASS, POINTS, STATE, STRIDE
from playout.games.go.tactics import stones_in_atari
from playout.games.go.view import friends
from playout.kernel import implements, inner, record_type
from playout.kernel.rng import STEP, mix
from playout.memory import api
from playout.memory.hashed import MOST, claim, find, new_table
from playout.settings import setting

LARGEST = 5
MAX_SQUARES = sum((MAX_SIDE + 1 - size) ** 2 for size in range(1, LARGEST + 1))
MAX_TOUCHING = sum(size**2 for size in range(1, LARGEST + 1))

SQUARES = record_type(
    [
        ("after_move", STATE, (1,)),  # room for a position
        (
            "square_codes",
            "u8",
            (MAX_SQUARES,),
        ),  # of each square: what stands in it, a ternary digit a point
        ("square_places", "u4", (MAX_SQUARES,)),  # of each square: the place of its weight, or 0
        ("square_worth", "f4", (MAX_SQUARES,)),
        ("grown", "u1", (MAX_SQUARES,)),  # whether this simulation has added a feature there
        ("in_squares", "u2", (POINTS, MAX_TOUCHING)),  # the squares that a point lies in
        ("digits", "u8", (POINTS, MAX_TOUCHING)),  # and the value of its digit there
        ("in_many", "u1", (POINTS,)),  # how many they are
        ("last_seen", "u1", (POINTS,)),  # the stones as they were at the last look
        ("squares", "u2"),
        ("square_side", "u2"),
    ]
)


@dataclass(frozen=True, kw_only=True)
class Squares:
    """Settings of incremental shape features."""

    sizes: str = setting("1+2+3", "sides of the squares, 1 to 5, with + between them")
    capacity: int = setting(1 << 20, "features that there is room for", low=1, high=MOST)

    def __post_init__(self) -> None:
        self.sides()

    def sides(self) -> tuple[int, ...]:
        """The sides of the squares."""
        words = self.sizes.split("+")
        if not all(word.isdecimal() and 1 <= int(word) <= LARGEST for word in words):
            raise InputError(f"sizes: {self.sizes[:40]!r} is not sides from 1 to {LARGEST}, such as 1+2+3")
        return tuple(sorted({int(word) for word in words}))

    def parts_for(self, root: np.ndarray) -> api.Parts:
        """The memory for a board size, without any feature; larger squares are left out."""
        side = int(root["side"][0])
        made = np.zeros(1, SQUARES)
        number = 0
        for size in self.sides():
            for row in range(side - size + 1):
                for column in range(side - size + 1):
                    for k in range(size * size):
                        p = (row + k // size + 1) * STRIDE + column + k % size + 1
                        n = int(made["in_many"][0, p])
                        made["in_squares"][0, p, n] = number
                        made["digits"][0, p, n] = 3**k
                        made["in_many"][0, p] = n + 1
                    number += 1
        made["squares"], made["square_side"] = number, side
        return api.Parts(made, *new_table(self.capacity), number)

    def facts(self, root: np.ndarray) -> dict[str, object]:
        """What the features depend on, as plain values, for files."""
        return {"sizes": self.sizes, "side": int(root["side"][0])}


@inner
def square_key(r, code):
    """64 bits that stand for what stands in a square."""
    return mix((np.uint64(code) * np.uint64(4096) + np.uint64(r)) + STEP)


@inner
def change(memory, p, before, after):
    """Change what stands on a point."""
    step = np.int64(after) - np.int64(before)
    for k in range(memory.in_many[p]):
        j = np.uint32(k)
        r = np.uint32(memory.in_squares[p, j])
        memory.square_codes[r] = np.uint64(
            np.int64(memory.square_codes[r]) + np.int64(memory.digits[p, j]) * step
        )


@inner
def weigh_square(memory, index, weights, r):
    """Find the weight of what stands in a square."""
    code = memory.square_codes[r]
    place = np.uint32(0) if code == np.uint64(0) else find(index, square_key(r, code))
    memory.square_places[r] = place
    memory.square_worth[r] = weights[place]


@implements(api.begin_history, SQUARES)
def begin_history(memory, index, weights, board):
    for r in range(memory.squares):
        memory.grown[r] = 0


@implements(api.look, SQUARES)
def look(memory, index, weights, board):
    for row in range(memory.square_side):
        p = np.uint32((row + 1) * STRIDE + 1)
        for _ in range(memory.square_side):
            if memory.last_seen[p] != board.color[p]:
                change(memory, p, memory.last_seen[p], board.color[p])
                memory.last_seen[p] = board.color[p]
            p += np.uint32(1)
    for r in range(memory.squares):
        weigh_square(memory, index, weights, np.uint32(r))


@implements(api.refresh, SQUARES)
def refresh(memory, index, weights):
    for r in range(memory.squares):
        memory.square_worth[r] = weights[memory.square_places[r]]


@implements(api.active, SQUARES)
def active(memory, index, board, features):
    count = 0
    for k in range(memory.squares):
        r = np.uint32(k)
        code = memory.square_codes[r]
        if code != np.uint64(0) and memory.square_places[r] == 0 and not memory.grown[r]:
            memory.square_places[r] = claim(index, square_key(r, code))
            memory.grown[r] = 1
        if memory.square_places[r] != 0:
            features[count] = memory.square_places[r]
            count += 1
    return count


@implements(api.choices, SQUARES)
def choices(memory, board, actions):
    return moves_but_pass(board, actions)


@implements(api.any_choice, SQUARES)
def any_choice(memory, board, actions, rng):
    return sample_uniform(board, False, rng)


@inner
def gain_of_stone(memory, index, weights, p, me):
    """By how much a stone that captures nothing changes φ·θ."""
    gained = np.float32(0.0)
    for k in range(memory.in_many[p]):
        j = np.uint32(k)
        r = np.uint32(memory.in_squares[p, j])
        code = memory.square_codes[r] + memory.digits[p, j] * np.uint64(me)
        gained += weights[find(index, square_key(r, code))] - memory.square_worth[r]
    return gained


@inner
def worth_of_board(memory, index, weights, board):
    """φ·θ of another position than the one that was looked at."""
    total = np.float32(0.0)
    for row in range(memory.square_side):
        for column in range(memory.square_side):
            p = np.uint32((row + 1) * STRIDE + column + 1)
            if memory.last_seen[p] != board.color[p]:
                change(memory, p, memory.last_seen[p], board.color[p])
    for k in range(memory.squares):
        r = np.uint32(k)
        code = memory.square_codes[r]
        if code != np.uint64(0):
            total += weights[find(index, square_key(r, code))]
    for row in range(memory.square_side):
        for column in range(memory.square_side):
            p = np.uint32((row + 1) * STRIDE + column + 1)
            if memory.last_seen[p] != board.color[p]:
                change(memory, p, board.color[p], memory.last_seen[p])
    return total


@implements(api.after_values, SQUARES)
def after_values(memory, index, weights, board, actions, count, values):
    now = np.float32(0.0)
    for r in range(memory.squares):
        now += memory.square_worth[r]
    me = np.uint8(board.to_play)
    enemy = np.uint8(3 - me)
    for k in range(count):
        j = np.uint32(k)
        p = np.uint32(actions[j])
        if p == PASS:
            values[j] = now if board.passes == 0 else value_at_end(board)
        elif friends(board.around[p], enemy) != 0 and stones_in_atari(board, p, enemy) > 0:
            memory.after_move[0] = board
            play(memory.after_move[0], p)
            values[j] = worth_of_board(memory, index, weights, memory.after_move[0])
        else:
            values[j] = now + gain_of_stone(memory, index, weights, p, me)
