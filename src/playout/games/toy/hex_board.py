"""Hex (Piet Hein 1942): who joins his two sides of a rhombus of hexagons wins; there are no draws.

The first player's sides are the top and the bottom, the second's the left and the right. A frame around the
board belongs to them, each side to its owner. A stone joins its chain to those of its own colour beside it,
those of the frame included. Chains are kept as a union-find forest (Galler & Fischer 1964): two cells are of
one chain if the same cell is at the root of their trees.
"""

from dataclasses import dataclass

import numpy as np

from playout.games.api import Names
from playout.games.game import Game, state_type
from playout.kernel import inner
from playout.settings import setting

MOST = 11  # cells on a side
STRIDE = MOST + 2  # from row to row, with the frame
NEIGHBOURS = np.array([-1, 1, -STRIDE, STRIDE, 1 - STRIDE, STRIDE - 1])
NOBODY = 3  # owns two corners of the frame, where the sides of both players meet
HEX = state_type(
    [
        ("colour", "u1", (STRIDE * STRIDE,)),  # 0: empty
        ("parent", "u1", (STRIDE * STRIDE,)),  # of the forest; a root is its own
        ("side", "u1"),
        ("turn", "u1"),
        ("winner", "u1"),  # 0: nobody yet
    ]
)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The board."""

    side: int = setting(5, "cells on a side", low=1, high=MOST)


def start(side: int = 5) -> np.ndarray:
    """The empty board, as an array of one record."""
    state = np.zeros(1, HEX)
    state["side"], state["turn"] = side, 1
    colour, parent = (state[name][0].reshape(STRIDE, STRIDE) for name in ("colour", "parent"))
    parent[:] = np.arange(STRIDE * STRIDE).reshape(STRIDE, STRIDE)
    last = side + 1
    for k in range(1, last):  # a side of the frame is one chain
        for owner, at, first in (
            (1, (0, k), (0, 1)),
            (1, (last, k), (last, 1)),
            (2, (k, 0), (1, 0)),
            (2, (k, last), (1, last)),
        ):
            colour[at], parent[at] = owner, parent[first]
    colour[0, last] = colour[last, 0] = NOBODY
    return state


@inner
def point_of(state, cell):
    """Where a cell is on the framed board; cells are numbered row by row."""
    return (cell // state.side + 1) * STRIDE + cell % state.side + 1


@inner
def chain(state, point):
    """The root of a cell's tree; on the way it is halved for the next one (Tarjan & van Leeuwen 1984)."""
    while state.parent[point] != point:
        state.parent[point] = state.parent[state.parent[point]]
        point = np.int64(state.parent[point])
    return point


def play(state, cell):
    point = point_of(state, cell)
    player = state.turn
    state.colour[point] = player
    for k in range(6):
        beside = point + NEIGHBOURS[k]
        if state.colour[beside] == player:
            state.parent[chain(state, point)] = chain(state, beside)
    near = 1 if player == 1 else STRIDE  # a cell of the frame on either side of this player
    far = near + (state.side + 1) * (STRIDE if player == 1 else 1)
    if chain(state, near) == chain(state, far):
        state.winner = player
    state.turn = 3 - player


def is_legal(state, cell):
    return cell < state.side * state.side and state.colour[point_of(state, cell)] == 0


def legal_moves(state, moves):
    n = 0
    for row in range(state.side):
        for column in range(state.side):
            if state.colour[(row + 1) * STRIDE + column + 1] == 0:
                moves[n] = row * state.side + column
                n += 1
    return n


def to_play(state):
    return state.turn


def is_over(state):
    return state.winner != 0


def outcome(state):
    return 1.0 if state.winner == 1 else 0.0


def spell(state, cell):
    return f"{chr(ord('a') + cell % state.side)}{cell // state.side + 1}"


def draw(state):
    side = int(state.side)
    letters = "abcdefghijk"[:side]
    rows = ["  " + " ".join(letters)]
    for row in range(side):
        cells = state.colour[(row + 1) * STRIDE + 1 :][:side]
        rows.append(f"{'':{row}}{row + 1:2} " + " ".join(".XO"[c] for c in cells))
    return "\n".join(rows)


def triples(root: np.ndarray) -> Names:
    """Cells, and three that touch each other."""
    side = int(root["side"][0])
    cells = [row * STRIDE + column for row in range(1, side + 1) for column in range(1, side + 1)]
    groups: list[tuple[int, ...]] = [(cell,) for cell in cells]
    for cell in cells:
        groups += [(cell, cell + 1, cell + 1 + corner) for corner in (-STRIDE, STRIDE - 1)]
    return tuple(tuple(f"colour[{cell}]" for cell in group) for group in groups if set(group) <= set(cells))


GAME = Game(
    name="hex",
    summary="join your two sides of the board",
    state=HEX,
    options=Options,
    start=start,
    play=play,
    is_legal=is_legal,
    legal_moves=legal_moves,
    to_play=to_play,
    is_over=is_over,
    outcome=outcome,
    spell=spell,
    draw=draw,
    groups=triples,
    actions=MOST * MOST,
    moves=MOST * MOST,
)
