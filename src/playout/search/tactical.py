"""The tactical prior: what reading and shape say of a new move, before any simulation.

H(s, a) begins at a half, or by the line from the edge where no stone is near. Then:

- a move that leaves its chain one liberty is bad, more so for a larger chain;
- capturing is good, more so a larger catch; so is running from atari, if a ladder read to its end does not
  catch the runner, and running is bad if it does;
- beginning a ladder that works is good, and so is getting out of the reach of one;
- the vital point of an eye space next to the last move is good;
- MoGo's patterns and nearness to the last move, measured along chains, add a little.
"""

from dataclasses import dataclass, fields

import numpy as np

from playout.games.go.rules import fills, put_stone
from playout.games.go.state import AREA, EDGE, EMPTY, PASS, POINTS, STATE, STRIDE
from playout.games.go.tactics import (
    few_liberties,
    hunt,
    is_lonely,
    liberties_after,
    runs_free,
    stones_after,
    vital_point,
)
from playout.games.go.view import neighbour
from playout.kernel import implements, inner, record_type
from playout.policy import patterns
from playout.search.tree import heuristic
from playout.settings import setting

UNKNOWN = 0.5
LONELY = np.array([0.1, 0.3, 0.5, 0.55])  # by the line from the edge: no stone stands within two lines
FAR = 4  # steps from the last move at which nearness ends

TACTICAL_PRIOR = record_type(
    [
        ("reading_board", STATE, (1,)),  # where ladders are read
        ("known_pattern", "u1", (1 << 16,)),
        ("steps", "u1", (POINTS,)),  # from the last move, along chains
        ("reached", "u2", (AREA,)),  # points in the order of their steps
        ("passing", "f8"),
        ("self_atari", "f8"),
        ("big_self_atari", "f8"),
        ("capture", "f8"),
        ("big_capture", "f8"),
        ("escape", "f8"),
        ("hopeless", "f8"),
        ("catch", "f8"),
        ("big_catch", "f8"),
        ("defend", "f8"),
        ("vital", "f8"),
        ("pattern", "f8"),
        ("near", "f8"),
    ]
)


@dataclass(frozen=True, kw_only=True)
class TacticalPrior:
    """What the prior thinks of each kind of move."""

    passing: float = setting(0.1, "pass", low=0, high=1)
    self_atari: float = setting(0.25, "a single stone into atari", low=0, high=1)
    big_self_atari: float = setting(0.05, "several stones into atari", low=0, high=1)
    capture: float = setting(0.75, "captures one stone", low=0, high=1)
    big_capture: float = setting(0.95, "captures several stones", low=0, high=1)
    escape: float = setting(0.8, "runs from atari and gets away", low=0, high=1)
    hopeless: float = setting(0.1, "runs from atari and is caught", low=0, high=1)
    catch: float = setting(0.7, "begins a ladder that catches one stone", low=0, high=1)
    big_catch: float = setting(0.85, "begins a ladder that catches several stones", low=0, high=1)
    defend: float = setting(0.75, "gets out of the reach of a ladder", low=0, high=1)
    vital: float = setting(0.9, "vital point of an eye space next to the last move", low=0, high=1)
    pattern: float = setting(0.1, "is added where one of MoGo's patterns matches", low=0, high=1)
    near: float = setting(0.15, "is added next to the last move, and less farther off", low=0, high=1)

    def record(self) -> np.ndarray:
        """The prior as an array of one record."""
        prior = np.zeros(1, TACTICAL_PRIOR)
        prior["known_pattern"] = patterns.table()
        for opinion in fields(self):
            prior[opinion.name] = getattr(self, opinion.name)
        return prior


@inner
def _reach(prior, board, p, steps, n):
    """Note a point, or all stones of its chain, as so many steps away; return how many are noted."""
    stone = p
    while True:
        prior.steps[stone] = steps
        prior.reached[np.uint32(n)] = stone
        n += 1
        stone = np.uint32(board.following[stone])
        if stone == p or board.color[p] == EMPTY:
            return n


@inner
def _measure(prior, board):
    """Steps from the last move to every point, FAR at most; all stones of a chain are equally far."""
    for row in range(1, board.side + 1):
        for column in range(1, board.side + 1):
            prior.steps[np.uint32(row * STRIDE + column)] = FAR
    last = np.uint32(board.last)
    if last == PASS:
        return
    n = _reach(prior, board, last, np.int64(0), np.int64(0))
    k = 0
    while k < n:
        p = np.uint32(prior.reached[np.uint32(k)])
        k += 1
        steps = prior.steps[p] + 1
        if steps == FAR:
            break
        for i in range(4):
            q = np.uint32(neighbour(p, i))
            if board.color[q] != EDGE and prior.steps[q] == FAR:
                n = _reach(prior, board, q, steps, n)


@inner
def _catches(prior, board, p, head, me):
    """Whether playing p catches an enemy's chain of two liberties in a ladder."""
    prior.reading_board[0] = board
    reading = prior.reading_board[0]
    put_stone(reading, p, me)
    return not runs_free(reading, head)


@inner
def _is_hunted(prior, board, head, a, b):
    """Whether a chain with the liberties a and b would be caught in a ladder if the enemy began."""
    prior.reading_board[0] = board
    reading = prior.reading_board[0]
    return hunt(reading, a, b, board.color[head]) and not runs_free(reading, head)


@inner
def _runs_free(prior, board, head):
    """Whether a chain in atari gets away."""
    prior.reading_board[0] = board
    return runs_free(prior.reading_board[0], head)


@inner
def _judge(prior, board, p, me):
    """H(s, a) of a point."""
    row = np.int64(p) // STRIDE
    column = np.int64(p) % STRIDE
    if is_lonely(board, row, column):
        line = min(row, column, board.side + 1 - row, board.side + 1 - column)
        return LONELY[np.uint32(min(line, 4) - 1)]
    liberties = liberties_after(board, p, me, np.uint32(PASS))[0]
    value = UNKNOWN
    good = 0.0
    if liberties == 1:
        value = prior.self_atari if stones_after(board, p, me) == 1 else prior.big_self_atari
    for i in range(4):
        q = np.uint32(neighbour(p, i))
        color = board.color[q]
        if color in (EMPTY, EDGE):
            continue
        head = np.uint32(board.chain[q])
        alone = board.stones[head] == 1
        if color != me:
            if fills(board, p, head):
                good = max(good, prior.capture if alone else prior.big_capture)
            elif liberties > 1 and few_liberties(board, head)[0] == 2 and _catches(prior, board, p, head, me):
                good = max(good, prior.catch if alone else prior.big_catch)
        elif fills(board, p, head):
            if liberties > 2 or (liberties == 2 and _runs_free(prior, board, head)):
                good = max(good, prior.escape)
            else:
                value = min(value, prior.hopeless)
        elif liberties > 2:
            n, a, b, _ = few_liberties(board, head)
            if n == 2 and _is_hunted(prior, board, head, a, b):
                good = max(good, prior.defend)
    value = max(value, good)
    if liberties > 1:
        value += prior.near * (FAR - np.int64(prior.steps[p])) / (FAR - 1)
        if prior.known_pattern[board.around[p]] >> me & 1:
            value += prior.pattern
    return min(value, 1.0)


@implements(heuristic, TACTICAL_PRIOR)
def tactical(prior, board, nodes, first, count, selection, grandparent):
    vital = np.uint32(PASS)
    if board.last != PASS:
        vital = vital_point(board, np.uint32(board.last), prior.reached)
    _measure(prior, board)
    for k in range(count):
        node = nodes[first + np.uint32(k)]
        p = np.uint32(node.action)
        if p == PASS:
            node.prior = prior.passing
        else:
            value = _judge(prior, board, p, board.to_play)
            node.prior = max(value, prior.vital) if p == vital else value
