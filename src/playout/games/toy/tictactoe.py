"""Tic-tac-toe: the smallest game that is one, to try algorithms on and to copy for a game of your own."""

import numpy as np

from playout.games.game import Game, state_type
from playout.kernel import inner

TICTACTOE = state_type([("cells", "u1", (9,)), ("moves", "u1"), ("turn", "u1")])
LINES = np.array(
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]], np.uint8
)


def start() -> np.ndarray:
    """The empty board, as an array of one record."""
    state = np.zeros(1, TICTACTOE)
    state["turn"] = 1
    return state


@inner
def has_won(state, player):
    """Whether a player has three in a row."""
    for k in range(8):
        won = True
        for i in range(3):
            won &= state.cells[LINES[k, i]] == player
        if won:
            return True
    return False


def play(state, cell):
    state.cells[cell] = state.turn
    state.turn = 3 - state.turn
    state.moves += 1


def is_legal(state, cell):
    return state.cells[cell] == 0


def legal_moves(state, moves):
    n = 0
    for cell in range(9):
        if state.cells[cell] == 0:
            moves[n] = cell
            n += 1
    return n


def to_play(state):
    return state.turn


def is_over(state):
    return state.moves == 9 or has_won(state, 3 - state.turn)


def outcome(state):
    return 1.0 if has_won(state, 1) else 0.0 if has_won(state, 2) else 0.5


def position_key(state):
    key = np.uint64(0)
    for cell in range(9):
        key = key * np.uint64(3) + np.uint64(state.cells[cell])
    return key


def spell(state, cell):
    return "abc"[cell % 3] + "321"[cell // 3]


def draw(state):
    rows = [" ".join(".XO"[c] for c in state.cells[3 * row : 3 * row + 3]) for row in range(3)]
    return "\n".join([*(f"{3 - row} {cells}" for row, cells in enumerate(rows)), "  a b c"])


GAME = Game(
    name="tic-tac-toe",
    summary="three in a row on nine cells",
    state=TICTACTOE,
    start=start,
    play=play,
    is_legal=is_legal,
    legal_moves=legal_moves,
    to_play=to_play,
    is_over=is_over,
    outcome=outcome,
    position_key=position_key,
    spell=spell,
    draw=draw,
    groups=(("cells",), *(tuple(f"cells[{cell}]" for cell in line) for line in LINES)),
    actions=9,
    moves=9,
)
