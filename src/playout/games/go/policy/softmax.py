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

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from playout.games.go.memory.corners import (
    MOST_SLOTS,
    PARTS,
    SEEING,
    Corners,
    corners_of,
    put,
    take,
    weigh_slots,
)
from playout.games.go.memory.move_weights import MoveWeights
from playout.games.go.memory.shipped import LEARNERS, SHIPPED, age, policy_weights
from playout.games.go.memory.store import Weights
from playout.games.go.policy.feature_softmax import feature_policy
from playout.games.go.policy.psi import (
    LEARNING,
    MOST_LISTED,
    ROOM,
    add_share,
    capture,
    credit_stone,
    pay,
    pay_all,
    pay_capture,
    worth,
)
from playout.games.go.rules import fills, leaves_liberty
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
from playout.games.go.view import EYE_DIAGONALS, FULL, has_empty_neighbour, neighbour
from playout.kernel import implements, inner, kernel, record_type, uniform
from playout.policy import api
from playout.settings import setting

SOFTMAX = record_type(
    [
        ("factor", "f8", (MOST_SLOTS, 2)),  # exp of a slot's number, by player
        ("preference", "f8", (POINTS, 2)),  # exp(φ·θ) of a stone, by player; 0 where none goes
        ("row_sums", "f8", (MAX_SIDE + 1,)),  # of the player to move: all up to the end of a row
        ("ataris", "u2", (2, AREA)),  # by player: heads of his chains that may be in atari
        ("listed", "u1", (POINTS,)),  # by head: whether it is among them
        ("liberty", "u2", (POINTS,)),  # by head: its one liberty
        ("n_ataris", "u2", (2,)),
        ("taking", "f8", (POINTS, 2)),  # preference of a capture, by player
        ("taking_known", "u1", (POINTS, 2)),  # whether that is still true
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
FAR = 1e300  # no preference is beyond this, nor its inverse


def _may() -> np.ndarray:
    """By what an empty point sees: who may play there (1 Black, 2 White) if nobody is in atari.

    It may not be one's own eye, nor have the enemy's stones or the edge on all four sides.
    """
    views = np.arange(1 << 16)
    who = np.zeros(1 << 16, np.uint8)
    for me in (BLACK, WHITE):
        full = {color: (views & FULL[color]) == FULL[color] for color in (BLACK, WHITE)}
        eye = full[me] & (EYE_DIAGONALS[views >> 8] >> me & 1 != 0)
        who[~eye & ~full[3 - me]] |= me
    return who


MAY = _may()


def _ways(steps: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """By bits, one for each step: how many of the steps are wanted, and which."""
    count, ways = np.zeros(1 << len(steps), np.uint8), np.zeros((1 << len(steps), len(steps)), np.int8)
    for bits in range(1 << len(steps)):
        wanted = [step for k, step in enumerate(steps) if bits >> k & 1]
        count[bits], ways[bits, : len(wanted)] = len(wanted), wanted
    return count, ways


# By `_crowd`: the ways to the empty neighbours, in the order of its bits.
FREE, WAY_FREE = _ways((-STRIDE, -STRIDE - 1, STRIDE, -STRIDE + 1, -1, STRIDE - 1, 1, STRIDE + 1))
# The ways to chains that a move has put into atari: up, left, right, down, its own.
FOUND, WAY_FOUND = _ways((-STRIDE, -1, 1, STRIDE, 0))


@inner
def _crowd(around):
    """From the view of a point: a bit for each of its eight neighbours that is empty, the orthogonal even."""
    free = ~(around | (around >> np.uint16(1))) & np.uint16(0x5555)
    return np.uint32((free | (free >> np.uint16(7))) & np.uint16(0xFF))


@dataclass(frozen=True, kw_only=True)
class Softmax:
    """Settings of softmax play."""

    weights: str = setting(
        SHIPPED,
        "learnt weights: 'shipped' (balanced), how they were learnt, or a file",
        file_unless=(SHIPPED, *LEARNERS),
    )
    temperature: float = setting(1.0, "τ: weights are divided by it", low=0.01, high=1000)

    def record_for(self, root: np.ndarray) -> np.ndarray:
        """The policy for a board size, as an array of one record."""
        return _prepared(self, age(self.weights), int(root["side"][0]))


@lru_cache(maxsize=16)
def _prepared(settings: Softmax, age: int, side: int) -> np.ndarray:
    weights = policy_weights(settings.weights, side)
    if isinstance(weights, MoveWeights):
        return feature_policy(weights, side, settings.temperature)
    return softmax_policy(weights, settings.temperature)


def softmax_record(corners: Corners) -> np.ndarray:
    """A policy whose weights are all 0, as an array of one record."""
    policy = np.zeros(1, SOFTMAX)
    policy["factor"] = policy["sign"] = 1.0
    policy["slots"] = corners.slots
    corners.fill(policy)
    return policy


def softmax_policy(weights: Weights, temperature: float = 1.0) -> np.ndarray:
    """A policy with weights, as an array of one record."""
    corners = corners_of(weights.features)
    policy = softmax_record(corners)
    _weigh(policy, corners.terms, weights.theta.astype(np.float64), 1.0 / temperature)
    return policy


@kernel
def _weigh(policies, terms, theta, scale):
    weigh_slots(terms, theta, scale, policies[0].factor)


@inner
def _prefer(policy, board, p):
    """Look anew at one empty point."""
    may = MAY[board.around[p]]
    black = worth(policy, p, np.uint32(0)) * np.float64(may & np.uint8(1))
    white = worth(policy, p, np.uint32(1)) * np.float64(may >> np.uint8(1))
    policy.preference[p, 0] = black
    policy.preference[p, 1] = white


@inner
def _forget_captures(policy, p):
    """Captures at p are to be looked at anew."""
    if policy.learning:
        pay_capture(policy, p)
    policy.taking_known[p, 0] = policy.taking_known[p, 1] = 0


@inner
def _in_atari(board, p):
    """Whether a point is a stone of a chain in atari; without branches."""
    color = board.color[p]
    return ((color == BLACK) | (color == WHITE)) & in_atari(board, np.uint32(board.chain[p]))


@inner
def _note_atari(policy, board, p):
    """Put the chain of the stone at p, which is in atari, on the list."""
    head = np.uint32(board.chain[p])
    liberty = only_liberty(board, head)
    policy.liberty[head] = liberty
    _forget_captures(policy, liberty)
    if policy.listed[head] == 0:
        policy.listed[head] = 1
        owner = np.uint32(board.color[p] - 1)
        policy.ataris[owner, policy.n_ataris[owner]] = head
        policy.n_ataris[owner] += np.uint16(1)


@inner
def _note_ataris(policy, board, last):
    """Put the chains that the last move may have put into atari on the list."""
    found = np.uint32(_in_atari(board, last)) << np.uint32(4)
    for i in range(4):
        found |= np.uint32(_in_atari(board, np.uint32(neighbour(last, i)))) << np.uint32(i)
    for k in range(FOUND[found]):
        _note_atari(policy, board, np.uint32(np.int32(last) + WAY_FOUND[found, np.uint32(k)]))


@implements(api.begin, SOFTMAX)
def begin(policy, board):
    for owner in range(2):
        for k in range(policy.n_ataris[owner]):
            policy.listed[policy.ataris[owner, np.uint32(k)]] = 0
        policy.n_ataris[owner] = 0
    policy.n_special = 0
    policy.n_listed = 0
    policy.tail = np.int32(board.n_empty) - 1
    policy.at_move = board.moves
    policy.share[0] = policy.share[1] = 0.0
    side = np.uint32(board.side)
    for row in range(side):
        p = np.uint32((row + 1) * STRIDE + 1)
        for _ in range(side):
            for j in range(PARTS):
                policy.corner[p, np.uint32(j)] = policy.bare[p, np.uint32(j)]
            policy.paid[p, 0] = policy.paid[p, 1] = 0.0
            policy.due[p, 0] = policy.due[p, 1] = 0.0
            policy.taking_known[p, 0] = policy.taking_known[p, 1] = 0
            p += np.uint32(1)
    for row in range(side):
        p = np.uint32((row + 1) * STRIDE + 1)
        for _ in range(side):
            if board.color[p] != EMPTY:
                put(policy, p, board.color[p])
                if board.chain[p] == p and in_atari(board, p):
                    _note_atari(policy, board, p)
            p += np.uint32(1)
    for row in range(side):
        p = np.uint32((row + 1) * STRIDE + 1)
        for _ in range(side):
            policy.preference[p, 0] = policy.preference[p, 1] = 0.0
            if board.color[p] == EMPTY:
                _prefer(policy, board, p)
            p += np.uint32(1)


@inner
def _end_specials(policy):
    """Give the special points of the last move their usual preferences again."""
    player = np.uint32(policy.special_player)
    for k in range(policy.n_special):
        p = np.uint32(policy.special[np.uint32(k)])
        policy.preference[p, player] = policy.usual[np.uint32(k)]
    policy.n_special = 0


@inner
def _pay_around(policy, board, p):
    """Let a point and the empty ones around it pay before they change."""
    pay(policy, p)
    crowd = _crowd(board.around[p])
    for k in range(FREE[crowd]):
        pay(policy, np.uint32(np.int32(p) + WAY_FREE[crowd, np.uint32(k)]))


@inner
def _prefer_around(policy, board, p, ataris):
    """Look anew at the empty points around p; and at captures there, or of stones there."""
    crowd = _crowd(board.around[p])
    for k in range(FREE[crowd]):
        q = np.uint32(np.int32(p) + WAY_FREE[crowd, np.uint32(k)])
        _prefer(policy, board, q)
        if ataris:
            _forget_captures(policy, q)
    if ataris:
        _forget_captures(policy, p)
        for i in range(3):
            q = p + np.uint32(i * STRIDE) - np.uint32(STRIDE + 1)
            for _ in range(3):
                head = np.uint32(board.chain[q])
                if policy.listed[head]:
                    _forget_captures(policy, np.uint32(policy.liberty[head]))
                q += np.uint32(1)


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
        _pay_around(policy, board, last)
        for i in range(tail, board.n_empty):
            _pay_around(policy, board, np.uint32(board.empty[np.uint32(i)]))
    put(policy, last, np.uint8(3 - board.to_play))
    policy.preference[last, 0] = policy.preference[last, 1] = 0.0
    for i in range(tail, board.n_empty):
        take(policy, np.uint32(board.empty[np.uint32(i)]), board.to_play)
    ataris = policy.n_ataris[0] + policy.n_ataris[1] != 0
    _prefer_around(policy, board, last, ataris)
    for i in range(tail, board.n_empty):
        p = np.uint32(board.empty[np.uint32(i)])
        _prefer(policy, board, p)
        _prefer_around(policy, board, p, ataris)
    _note_ataris(policy, board, last)


@inner
def _make_special(policy, p, player, preference):
    """Give a point another preference for this move; what it owes for its usual one is paid first."""
    if policy.learning:
        pay(policy, p)
    k = np.uint32(policy.n_special)
    policy.special[k] = p
    policy.usual[k] = policy.preference[p, player]
    policy.preference[p, player] = preference
    policy.n_special += np.uint16(1)


@inner
def _keep_ataris(policy, board, owner):
    """Drop the chains of a player from the list that are no longer in atari; how many are left."""
    kept = np.uint32(0)
    for k in range(policy.n_ataris[owner]):
        head = np.uint32(policy.ataris[owner, np.uint32(k)])
        stays = (
            (board.color[head] == owner + 1)
            & (board.chain[head] == head)
            & fills(board, np.uint32(policy.liberty[head]), head)
        )
        policy.listed[head] = stays
        policy.ataris[owner, kept] = head
        kept += np.uint32(stays)
    policy.n_ataris[owner] = kept
    return kept


@inner
def _forget_all(policy, side):
    """Look anew at all captures: there is no room for more slots."""
    for row in range(side):
        p = np.uint32((row + 1) * STRIDE + 1)
        for _ in range(side):
            _forget_captures(policy, p)
            p += np.uint32(1)
    policy.n_listed = 0


@inner
def _find_specials(policy, board):
    """Captures, and moves without a liberty."""
    me = board.to_play
    player, enemy = np.uint32(me - 1), np.uint32(2 - me)
    policy.special_player = player
    if policy.n_listed > ROOM - MOST_LISTED:
        _forget_all(policy, np.uint32(board.side))
    for k in range(_keep_ataris(policy, board, player)):
        p = np.uint32(policy.liberty[policy.ataris[player, np.uint32(k)]])
        tight = (policy.preference[p, player] != 0.0) & (not has_empty_neighbour(board.around[p]))
        if tight and not leaves_liberty(board, p, me):
            _make_special(policy, p, player, 0.0)
    for k in range(_keep_ataris(policy, board, enemy)):
        head = np.uint32(policy.ataris[enemy, np.uint32(k)])
        p = np.uint32(policy.liberty[head])
        again = p == board.ko
        for i in range(policy.n_special):
            again |= policy.special[np.uint32(i)] == p
        if not again:
            if policy.taking_known[p, player] == 0:
                policy.taking_known[p, player] = 1
                policy.taking[p, player] = min(max(capture(policy, board, p, head), 1.0 / FAR), FAR)
            _make_special(policy, p, player, policy.taking[p, player])


@inner
def _add_rows(policy, side, player):
    """The running sums of a player's preferences at the end of each row; the last is that of all.

    All of them anew: additions that do not wait for each other are quicker than to ask which are needed.
    """
    whole = 0.0
    for k in range(side):
        row = np.uint32(k + 1)
        p = row * np.uint32(STRIDE) + np.uint32(1)
        here = 0.0
        for _ in range(side):
            here += policy.preference[p, player]
            p += np.uint32(1)
        whole += here
        policy.row_sums[row] = whole
    return whole


@inner
def prepare(policy, board):
    """Bring all preferences up to date for the side to move; their sum, 0 if there is no move but pass."""
    _end_specials(policy)
    _catch_up(policy, board)
    _find_specials(policy, board)
    return _add_rows(policy, np.uint32(board.side), np.uint32(board.to_play - 1))


@inner
def _draw(policy, side, x, player):
    """The point at which the running sum of preferences passes x.

    Which comparisons hold is counted, not asked: nobody could guess the answers.
    """
    row = np.uint32(1)
    for k in range(side - np.uint32(1)):
        row += np.uint32(x >= policy.row_sums[np.uint32(k + 1)])
    whole = policy.row_sums[row - np.uint32(1)]
    q = p = row * np.uint32(STRIDE) + np.uint32(1)
    for _ in range(side - np.uint32(1)):
        whole += policy.preference[q, player]
        p += np.uint32(x >= whole)
        q += np.uint32(1)
    while policy.preference[p, player] == 0.0:  # rounding has taken us too far
        p -= np.uint32(1)
    return p


@inner
def _learn(policy, board, chosen, whole):
    """ψ of a chosen move: the special points at once, the others when they change."""
    player = np.uint32(board.to_play - 1)
    part = 1.0 / whole
    add_share(policy, np.uint32(board.side), player, part)
    special = False
    for k in range(policy.n_special):
        p = np.uint32(policy.special[np.uint32(k)])
        policy.paid[p, player] = policy.share[player]
        preference = policy.preference[p, player]
        if preference > 0.0:
            policy.due[p, player] += policy.sign[player] * ((1.0 if p == chosen else 0.0) - part * preference)
        special |= p == chosen
    if not special:
        credit_stone(policy, chosen, player, policy.sign[player])


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
