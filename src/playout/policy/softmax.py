"""Softmax over local shapes: π(s, a) ∝ exp(φ(s, a)·θ) (Silver & Tesauro 2009, eq. 5; Silver 2009, 9.4).

φ(s, a) are the 1×1 and 2×2 shapes of the position after the move, captured stones gone, as the mover sees
them: for White all colours are exchanged, which negates φ. Moves that fill one's own single-point eye or are
illegal are left out; without any other, pass.

What all moves have in common cancels, so only the changes that a move makes count: the slots of its point
(`memory.corners`), whose numbers are multiplied as factors. A point's preference changes only when a stone
comes or goes next to it. Preferences are kept for both players, with their sums by row: a draw looks at rows
and then at the points of one. Sums of rows that have changed are made anew, not corrected: so nothing is left
over of a large preference that has gone.

Two kinds of points are not known by what is next to them, and both are the last liberty of a chain in atari:
where stones are captured, and where a stone would have no liberty. They are found in the list of chains in
atari, and have a *special* preference for one move.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from playout.games.go.rules import leaves_liberty
from playout.games.go.state import (
    AREA,
    BLACK,
    EMPTY,
    MAX_SIDE,
    PASS,
    POINTS,
    STRIDE,
    WHITE,
    in_atari,
    only_liberty,
)
from playout.games.go.view import EYE_DIAGONALS, has_empty_neighbour
from playout.kernel import implements, inner, kernel, record_type, uniform
from playout.memory.corners import MOST_SLOTS, SEEING, Corners, corners_of, put, take, weigh_slots
from playout.memory.shipped import SHIPPED, age, policy_weights
from playout.memory.store import Weights
from playout.policy import api
from playout.policy.mogo import list_ataris, note_ataris
from playout.policy.psi import LEARNING, capture, credit_stone, pay_all, pay_around, worth
from playout.settings import setting

SOFTMAX = record_type(
    [
        ("factor", "f8", (MOST_SLOTS, 2)),  # exp of a slot's number, by player
        ("preference", "f8", (POINTS, 2)),  # exp(φ·θ) of a stone, by player; 0 where none goes
        ("row_sums", "f8", (MAX_SIDE + 2, 2)),
        ("dirty_rows", "u4"),  # a bit for each row whose sums are to be made anew
        ("ataris", "u2", (POINTS,)),  # heads of chains that may be in atari
        ("listed", "u1", (POINTS,)),  # by head: whether it is among them
        ("n_ataris", "u2"),
        ("special", "u2", (AREA,)),  # points whose preference is another one for this move
        ("usual", "f8", (AREA,)),  # and what it is otherwise
        ("n_special", "u2"),
        ("special_player", "u1"),
        ("tail", "i4"),  # where in the list of empty points the next captured stones will stand
        ("at_move", "u2"),  # the move up to which everything was taken in
        *SEEING,
        *LEARNING,
    ]
)
BLACKS, WHITES = np.uint16(0x55), np.uint16(0xAA)  # four neighbours that are a player's stones or edge
FAR = 1e300  # no preference is beyond this, nor its inverse


@dataclass(frozen=True, kw_only=True)
class Softmax:
    """Settings of softmax play."""

    weights: str = setting(SHIPPED, "learnt weights: 'shipped' (balanced), how they were learnt, or a file")
    temperature: float = setting(1.0, "τ: weights are divided by it", low=0.01, high=1000)

    def record_for(self, root: np.ndarray) -> np.ndarray:
        """The policy for a board size, as an array of one record."""
        return _prepared(self, age(self.weights), int(root["side"][0]))


@lru_cache(maxsize=16)
def _prepared(settings: Softmax, age: int, side: int) -> np.ndarray:
    return softmax_policy(policy_weights(settings.weights, side), settings.temperature)


def softmax_record(corners: Corners) -> np.ndarray:
    """A policy whose weights are all 0, as an array of one record."""
    policy = np.zeros(1, SOFTMAX)
    policy["factor"] = 1.0
    corners.fill(policy)
    return policy


def softmax_policy(weights: Weights, temperature: float = 1.0) -> np.ndarray:
    """A policy with weights, as an array of one record."""
    corners = corners_of(weights.features)
    policy = softmax_record(corners)
    weigh_slots(corners.terms, weights.pairs().astype(np.float64), 1.0 / temperature, policy["factor"][0])
    return policy


@inner
def _prefer(policy, board, p):
    """Look anew at one point."""
    black = white = 0.0
    if board.color[p] == EMPTY:
        around = board.around[p]
        black_may = white_may = True
        if (around & BLACKS) == BLACKS:  # White would have no liberty; for Black it may be an eye
            white_may = False
            black_may = (EYE_DIAGONALS[around >> np.uint16(8)] >> np.uint8(BLACK)) & np.uint8(1) == 0
        elif (around & WHITES) == WHITES:
            black_may = False
            white_may = (EYE_DIAGONALS[around >> np.uint16(8)] >> np.uint8(WHITE)) & np.uint8(1) == 0
        if black_may:
            black = worth(policy, p, np.uint32(0))
        if white_may:
            white = worth(policy, p, np.uint32(1))
    policy.preference[p, 0] = black
    policy.preference[p, 1] = white


@inner
def _prefer_around(policy, board, p):
    """Look anew at a point and the eight around it."""
    row = p // np.uint32(STRIDE)
    policy.dirty_rows |= np.uint32(7) << (row - np.uint32(1))
    q = p - np.uint32(STRIDE + 1)
    for _ in range(3):
        for _ in range(3):
            _prefer(policy, board, q)
            q += np.uint32(1)
        q += np.uint32(STRIDE - 3)


@implements(api.begin, SOFTMAX)
def begin(policy, board):
    list_ataris(policy, board)
    policy.n_special = 0
    policy.tail = np.int32(board.n_empty) - 1
    policy.at_move = board.moves
    policy.share[0] = policy.share[1] = 0.0
    side = np.uint32(board.side)
    for row in range(side + 2):  # with the edge around the board
        p = np.uint32(row * STRIDE)
        for _ in range(side + 2):
            for j in range(5):
                policy.corner[p, np.uint32(j)] = policy.bare[p, np.uint32(j)]
            policy.paid[p, 0] = policy.paid[p, 1] = 0.0
            p += np.uint32(1)
    for row in range(side):
        p = np.uint32((row + 1) * STRIDE + 1)
        for _ in range(side):
            if board.color[p] != EMPTY:
                put(policy, p, board.color[p])
            p += np.uint32(1)
    for row in range(side):
        p = np.uint32((row + 1) * STRIDE + 1)
        for _ in range(side):
            _prefer(policy, board, p)
            p += np.uint32(1)
    policy.dirty_rows = (np.uint32(1) << (side + np.uint32(1))) - np.uint32(2)


@inner
def _end_specials(policy):
    """Give the special points of the last move their usual preferences again."""
    player = np.uint32(policy.special_player)
    for k in range(policy.n_special):
        p = np.uint32(policy.special[np.uint32(k)])
        policy.preference[p, player] = policy.usual[np.uint32(k)]
        policy.dirty_rows |= np.uint32(1) << (p // np.uint32(STRIDE))
    policy.n_special = 0


@inner
def _catch_up(policy, board):
    """Take in the last move, and the chains that it put into atari."""
    if policy.at_move == board.moves:
        return
    policy.at_move = board.moves
    last = np.uint32(board.last)
    tail = policy.tail
    policy.tail = np.int32(board.n_empty) - 1
    if last == PASS:
        return
    # The move left the list of empty points, then captured stones were put to its end.
    if policy.learning:
        pay_around(policy, last)
        for i in range(tail, board.n_empty):
            pay_around(policy, np.uint32(board.empty[np.uint32(i)]))
    mover = np.uint8(3 - board.to_play)
    put(policy, last, mover)
    for i in range(tail, board.n_empty):
        take(policy, np.uint32(board.empty[np.uint32(i)]), board.to_play)
    _prefer_around(policy, board, last)
    for i in range(tail, board.n_empty):
        _prefer_around(policy, board, np.uint32(board.empty[np.uint32(i)]))
    note_ataris(policy, board, last)


@inner
def _make_special(policy, p, player, preference):
    """Give a point another preference for this move."""
    k = np.uint32(policy.n_special)
    policy.special[k] = p
    policy.usual[k] = policy.preference[p, player]
    policy.preference[p, player] = preference
    policy.dirty_rows |= np.uint32(1) << (p // np.uint32(STRIDE))
    policy.n_special += np.uint16(1)


@inner
def _find_specials(policy, board):
    """Captures, and moves without a liberty; chains that left atari leave the list."""
    me = board.to_play
    player = np.uint32(me - 1)
    policy.special_player = player
    kept = np.uint32(0)
    for k in range(policy.n_ataris):
        head = np.uint32(policy.ataris[np.uint32(k)])
        color = board.color[head]
        if color not in (BLACK, WHITE) or board.chain[head] != head or not in_atari(board, head):
            policy.listed[head] = 0
            continue
        policy.ataris[kept] = head
        kept += np.uint32(1)
        p = only_liberty(board, head)
        if color == me:
            if (
                policy.preference[p, player] != 0.0
                and not has_empty_neighbour(board.around[p])
                and not leaves_liberty(board, p, me)
            ):
                _make_special(policy, p, player, 0.0)
        elif p != board.ko:
            again = False
            for i in range(policy.n_special):
                again |= policy.special[np.uint32(i)] == p
            if not again:
                x = capture(policy, board, p, 0.0)
                _make_special(policy, p, player, min(max(x, 1.0 / FAR), FAR))
    policy.n_ataris = kept


@inner
def _add_rows(policy, side):
    """Make the sums of rows anew that have changed."""
    dirty = policy.dirty_rows
    for k in range(side):
        row = np.uint32(k + 1)
        if (dirty >> row) & np.uint32(1):
            black = white = 0.0
            p = row * np.uint32(STRIDE) + np.uint32(1)
            for _ in range(side):
                black += policy.preference[p, 0]
                white += policy.preference[p, 1]
                p += np.uint32(1)
            policy.row_sums[row, 0] = black
            policy.row_sums[row, 1] = white
    policy.dirty_rows = 0


@inner
def prepare(policy, board):
    """Bring all preferences up to date for the side to move; their sum, 0 if there is no move but pass."""
    _end_specials(policy)
    _catch_up(policy, board)
    _find_specials(policy, board)
    side = np.uint32(board.side)
    _add_rows(policy, side)
    player = np.uint32(board.to_play - 1)
    whole = 0.0
    for row in range(side):
        whole += policy.row_sums[np.uint32(row + 1), player]
    return whole


@inner
def _draw(policy, side, x, player):
    """The point at which the running sum of preferences passes x."""
    row = np.uint32(1)
    last = row  # the last one with moves: rounding may take us beyond
    for k in range(side):
        row = np.uint32(k + 1)
        here = policy.row_sums[row, player]
        if here > 0.0:
            last = row
            if x < here:
                break
            x -= here
    p = last * np.uint32(STRIDE) + np.uint32(1)
    chosen = p
    for _ in range(side):
        here = policy.preference[p, player]
        if here > 0.0:
            chosen = p
            if x < here:
                break
            x -= here
        p += np.uint32(1)
    return chosen


@inner
def _learn(policy, board, chosen, whole):
    """ψ of a chosen move: the special points at once, the others when they change."""
    player = np.uint32(board.to_play - 1)
    part = 1.0 / whole
    policy.share[player] += part
    special = False
    for k in range(policy.n_special):
        p = np.uint32(policy.special[np.uint32(k)])
        policy.paid[p, player] += part
        preference = policy.preference[p, player]
        if preference > 0.0:
            capture(policy, board, p, (1.0 if p == chosen else 0.0) - part * preference)
        special |= p == chosen
    if not special:
        credit_stone(policy, chosen, player, 1.0)


@implements(api.sample, SOFTMAX)
def sample(policy, board, rng):
    whole = prepare(policy, board)
    if whole == 0.0:
        return np.uint32(PASS)
    p = _draw(policy, np.uint32(board.side), uniform(rng) * whole, np.uint32(board.to_play - 1))
    if policy.learning:
        _learn(policy, board, p, whole)
    return p


@inner
def settle(policy):
    """Pay all that is owed: then `credit` is Σ ψ over the moves sampled since `begin`."""
    _end_specials(policy)
    pay_all(policy, np.uint32(policy.corner_side))


@kernel
def probabilities(policy, board, found):
    """π of every point for the side to move, PASS included, after the policy has begun or sampled up to here."""
    whole = prepare(policy, board)
    for i in range(found.size):
        found[i] = 0.0
    if whole == 0.0:
        found[PASS] = 1.0
        return
    for row in range(board.side):
        for column in range(board.side):
            p = np.uint32((row + 1) * STRIDE + column + 1)
            found[p] = policy.preference[p, np.uint32(board.to_play - 1)] / whole
