"""Softmax over the features of moves (`move_features`): π(s, a) ∝ exp(φ(s, a)·θ), as in Araki et al. (2014).

Moves that fill one's own single-point eye or are illegal are left out; without any other, pass.

What the view of a point says changes only around the last move and around captured stones, so e to the power
of it is kept for all points (`kept_preferences`). The features that `local_features` finds concern few
points: these are listed for the move, each with the preference that it has now. A move is drawn from the list
or from what is kept, by how much each weighs; a point of the list that is drawn from what is kept does not
count, and is drawn anew. What takes reading is asked only of a point that was drawn: whether the move is
legal, whether it is a self-atari, what it captures or saves. Until then the point has the largest preference
that it may have; if its true one is less, it is put back with some probability, and listed with that. So each
move comes as often as it should.

Who learns wants to know all probabilities: then all of that is asked of every point before the draw.
"""

from __future__ import annotations

import math

import numpy as np

from playout.games.go.memory.move_weights import MoveWeights
from playout.games.go.policy.kept_preferences import (
    CONNECT,
    CUT,
    FIRST_PATTERN,
    KEPT,
    PLACE,
    begin_kept,
    count_of,
    draw_kept,
    open_kept,
    sum_kept,
    take_in,
    weigh_kept,
)
from playout.games.go.policy.listed_preferences import (
    LISTED,
    READ,
    SURE,
    clear_list,
    doubt_at,
    draw_listed,
    list_near,
    place_in_list,
    preference_now,
    scale,
    settle_point,
    sum_list,
    weigh_near,
)
from playout.games.go.policy.local_features import (
    ATARI_LAST,
    BIG_CAPTURE,
    BIG_ESCAPE,
    CAPTURE,
    CAPTURE_LAST,
    CAPTURE_SAVES,
    CATCH_LAST,
    ESCAPE,
    EXTEND,
    HOPELESS,
    RACE,
    RUN,
    SPECIAL,
    VITAL,
    add_feature,
    atari_at,
    find_at,
    find_specials,
    forget_specials,
)
from playout.games.go.policy.mogo import list_ataris, note_ataris
from playout.games.go.policy.move_features import number_of
from playout.games.go.rules import is_playable
from playout.games.go.state import PASS
from playout.games.go.tactics import few_liberties, has_room, vital_point
from playout.games.go.view import empties, friends, neighbour
from playout.kernel import implements, inner, kernel, record_type, uniform
from playout.policy import api, softmax

COUNT = count_of()
SELF_ATARI, BIG_SELF_ATARI = np.uint8(number_of("self_atari")), np.uint8(number_of("big_self_atari"))
LARGEST = 60.0  # a weight beyond this is as good as certain
MISSES = 20  # so often in a row a draw may end at a listed point; then all points are asked

FEATURE_SOFTMAX = record_type(
    [
        *SPECIAL,
        *KEPT,
        *LISTED,
        ("table_factor", "f8", (FIRST_PATTERN,)),  # e^θ of the features that are no patterns
        ("bound", "f8"),  # e^θ of self-ataris is at most that, and so on; all are 1 or more
        ("capture_bound", "f8"),
        ("escape_bound", "f8"),
        ("atari_bound", "f8"),
        ("extend_bound", "f8"),
        ("last_seen", "u2"),
        ("credits", "f8", (COUNT,)),
        *softmax.LEARNING,
    ]
)


def feature_record(side: int) -> np.ndarray:
    """A policy whose weights are all 0, as an array of one record."""
    policy = open_kept(np.zeros(1, FEATURE_SOFTMAX), side)
    policy["sign"] = 1.0
    _weigh(policy, np.zeros(COUNT))
    return policy


def feature_policy(weights: MoveWeights, side: int, temperature: float = 1.0) -> np.ndarray:
    """A policy with weights for a board size, as an array of one record."""
    policy = feature_record(side)
    _weigh(policy, weights.theta.astype(np.float64) / temperature)
    return policy


@inner
def set_weights(policy, theta):
    """e to the power of all weights."""
    for k in range(FIRST_PATTERN):
        policy.table_factor[k] = math.exp(min(max(theta[k], -LARGEST), LARGEST))
    weigh_kept(policy, theta, LARGEST)
    weigh_near(policy)
    f = policy.table_factor
    policy.bound = max(1.0, f[SELF_ATARI], f[BIG_SELF_ATARI])
    policy.capture_bound = (
        max(1.0, f[CAPTURE], f[BIG_CAPTURE]) * max(1.0, f[CAPTURE_LAST]) * max(1.0, f[CAPTURE_SAVES])
    )
    # A move can save one chain and extend a hopeless one.
    policy.escape_bound = (
        max(1.0, f[ESCAPE]) * max(1.0, f[BIG_ESCAPE]) * max(1.0, f[HOPELESS]) * max(1.0, f[RUN])
    )
    policy.atari_bound = max(1.0, f[ATARI_LAST]) * max(1.0, f[CATCH_LAST]) * max(1.0, f[RACE])
    policy.extend_bound = max(1.0, f[EXTEND])


@kernel
def _weigh(policies, theta):
    set_weights(policies[0], theta)


@implements(api.begin, FEATURE_SOFTMAX)
def begin(policy, board):
    clear_list(policy)
    forget_specials(policy)
    list_ataris(policy, board)
    policy.before = PASS
    policy.last_seen = board.last
    begin_kept(policy, board)


@inner
def _catch_up(policy, board):
    """Take in the last move: what it changed, and which chains it put into atari."""
    if policy.at_move == board.moves:
        return
    policy.before = policy.last_seen
    policy.last_seen = board.last
    take_in(policy, board)
    if board.last != PASS:
        note_ataris(policy, board, np.uint32(board.last))


# -- what is so for this move only ----------------------------------------------------------------------


@inner
def _doubt_liberties(policy, board, head, player, bound):
    """The liberties of a chain that has two."""
    n, a, b = few_liberties(board, head)
    if n == 2:
        doubt_at(policy, a, player, bound)
        doubt_at(policy, b, player, bound)


@inner
def _find_doubts(policy, board, player):
    """List all points that have features of the moment, with their preference or its bound."""
    me = board.to_play
    last = np.uint32(board.last)
    left = np.uint32(0)
    list_near(policy, board, player)
    for k in range(policy.n_ataris):
        head, p = atari_at(policy, board, k)
        if head != 0:
            policy.ataris[left] = head
            left += np.uint32(1)
            ours = board.color[head] == me
            doubt_at(policy, p, player, policy.escape_bound if ours else policy.capture_bound)
    policy.n_ataris = left
    if last != PASS:
        _doubt_liberties(policy, board, np.uint32(board.chain[last]), player, policy.atari_bound)
        for i in range(4):
            q = np.uint32(neighbour(last, i))
            if board.color[q] == me:
                _doubt_liberties(policy, board, np.uint32(board.chain[q]), player, policy.extend_bound)
        vital = vital_point(board, last, policy.region)
        if vital != 0:
            scale(policy, vital, player, policy.table_factor[VITAL])


@inner
def _has_two_empty(board, p):
    """Whether a point has two empty neighbours or more: a stone there is safe from self-atari."""
    free = empties(board.around[p])
    return free & (free - np.uint16(1)) != np.uint16(0)


@inner
def _kind_of_self_atari(board, p, me):
    return BIG_SELF_ATARI if friends(board.around[p], me) != np.uint16(0) else SELF_ATARI


@inner
def _turn_to(policy, board):
    """Forget what was so for the last move, and take it in."""
    clear_list(policy)
    forget_specials(policy)
    _catch_up(policy, board)


@inner
def _factor_of(policy, k):
    """e^θ of all features of a special point."""
    factor = 1.0
    for j in range(policy.n_features[k]):
        factor *= policy.table_factor[policy.special_features[k, np.uint32(j)]]
    return factor


# -- all probabilities ----------------------------------------------------------------------------------


@inner
def _find_self_ataris(policy, board, player):
    """Say of every point whether a move there is legal, and a self-atari."""
    me = board.to_play
    for k in range(board.n_empty):
        p = np.uint32(board.empty[np.uint32(k)])
        if policy.preference[p, player] > 0.0 and not _has_two_empty(board, p):
            if not is_playable(board, p, me):
                policy.now[place_in_list(policy, p, player)] = 0.0
            elif not has_room(board, p, me):
                add_feature(policy, p, _kind_of_self_atari(board, p, me))


@inner
def prepare(policy, board):
    """Find the true preferences of all points for the side to move; their sum."""
    player = np.uint32(board.to_play - 1)
    _turn_to(policy, board)
    find_specials(policy, board)
    _find_self_ataris(policy, board, player)
    for k in range(policy.n_special):
        scale(policy, np.uint32(policy.special[np.uint32(k)]), player, _factor_of(policy, np.uint32(k)))
    whole = 0.0
    for k in range(board.n_empty):
        whole += preference_now(policy, np.uint32(board.empty[np.uint32(k)]), player)
    return whole


@inner
def _draw(policy, board, player, x):
    """The point at which the running sum of all preferences passes x."""
    found = np.uint32(PASS)
    for k in range(board.n_empty):
        p = np.uint32(board.empty[np.uint32(k)])
        preference = preference_now(policy, p, player)
        if preference > 0.0:
            found = p
            if x < preference:
                break
            x -= preference
    return found


# -- a draw that asks little ----------------------------------------------------------------------------


@inner
def _worth(policy, board, p, k, me):
    """By what the preference of a point is to be multiplied, so that it is the true one.

    k: its place in the list, or -1.
    """
    worth = 1.0 / policy.bound
    if not _has_two_empty(board, p):
        if not is_playable(board, p, me):
            return 0.0
        if not has_room(board, p, me):
            worth *= policy.table_factor[_kind_of_self_atari(board, p, me)]
    if k >= 0 and policy.doubt[np.uint32(k)] == READ:
        find_at(policy, board, p)
        if policy.n_special > 0:
            worth *= _factor_of(policy, np.uint32(0))
        worth /= policy.largest[np.uint32(k)]
    return worth


@inner
def _ask_all(policy, board, player, rng):
    """Ask all points, and draw one."""
    me = board.to_play
    whole = 0.0
    for i in range(board.n_empty):
        p = np.uint32(board.empty[np.uint32(i)])
        if policy.preference[p, player] > 0.0:
            k = np.int64(policy.listed_at[p]) - 1
            if k < 0 or policy.doubt[np.uint32(k)] != SURE:
                settle_point(policy, p, player, _worth(policy, board, p, k, me))
            whole += preference_now(policy, p, player)
    return _draw(policy, board, player, uniform(rng) * whole)


@inner
def _play(policy, board, rng):
    """Draw until a move stands."""
    me = board.to_play
    player, side = np.uint32(me - 1), np.uint32(board.side)
    _turn_to(policy, board)
    _find_doubts(policy, board, player)
    kept, listed = sum_kept(policy, side, player), sum_list(policy)
    misses = 0
    while misses < MISSES:
        x = uniform(rng) * (kept + listed)
        if x < listed:
            k = draw_listed(policy, x)
            p = np.uint32(policy.listed_points[np.uint32(k)])
            if policy.doubt[np.uint32(k)] == SURE:
                return p
        else:
            k = np.int64(-1)
            p = draw_kept(policy, side, player, x - listed)
            if p == PASS or policy.listed_at[p] != 0:
                misses += 1
                continue
        worth = _worth(policy, board, p, k, me)
        if worth >= 1.0 or (worth > 0.0 and uniform(rng) < worth):
            return p
        settle_point(policy, p, player, worth)
        listed = sum_list(policy)
    return _ask_all(policy, board, player, rng)


@inner
def credit_move(policy, board, p, amount):
    """Add amount × φ of a move; the position is prepared, with all known."""
    pattern = np.uint32(policy.pattern_of[np.uint32(board.around[p]), np.uint32(board.to_play - 1)])
    policy.credits[np.uint32(FIRST_PATTERN - 1) + pattern] += amount
    policy.credits[PLACE[policy.place_of[p]]] += amount
    if policy.joins_of[pattern] & np.uint8(1):
        policy.credits[CONNECT] += amount
    if policy.joins_of[pattern] & np.uint8(2):
        policy.credits[CUT] += amount
    at = np.uint32(policy.special_at[p])
    if at != 0:
        for j in range(policy.n_features[at - np.uint32(1)]):
            policy.credits[policy.special_features[at - np.uint32(1), np.uint32(j)]] += amount


@implements(api.sample, FEATURE_SOFTMAX)
def sample(policy, board, rng):
    if not policy.learning:
        return _play(policy, board, rng)
    player = np.uint32(board.to_play - 1)
    whole = prepare(policy, board)
    chosen = np.uint32(PASS)
    if whole > 0.0:
        chosen = _draw(policy, board, player, uniform(rng) * whole)
        for k in range(board.n_empty):
            p = np.uint32(board.empty[np.uint32(k)])
            preference = preference_now(policy, p, player)
            if preference > 0.0:
                part = (1.0 if p == chosen else 0.0) - preference / whole
                credit_move(policy, board, p, policy.sign[player] * part)
    return chosen
