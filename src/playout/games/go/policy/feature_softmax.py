"""Softmax over the features of moves (`move_features`): π(s, a) ∝ exp(φ(s, a)·θ), as in Araki et al. (2014).

Moves that fill one's own single-point eye or are illegal are left out; without any other, pass.

What the view of a point says changes only around the last move and around captured stones, so e to the power
of it is kept for all points (`kept_preferences`). The features that `local_features` finds concern few points:
these are listed for the move, each with the preference that it has now. A move is drawn from the list or from
what is kept, by how much each weighs; a point of the list that is drawn from what is kept does not count, and
is drawn anew. What takes reading is asked only of a point that was drawn: whether the move is legal, whether
it is a self-atari, what it captures or saves. Until then the point has the largest preference that it may
have; if its true one is less, it is put back with some probability, and listed with that. So each move comes
as often as it should.

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
from playout.games.go.policy.local_features import (
    ATARI_LAST,
    BEFORE_2,
    BIG_CAPTURE,
    BIG_ESCAPE,
    CAPTURE,
    CAPTURE_LAST,
    CAPTURE_SAVES,
    CATCH_LAST,
    DISTANCE_2,
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
from playout.games.go.state import AREA, EDGE, PASS, POINTS, STRIDE
from playout.games.go.tactics import few_liberties, has_room, vital_point
from playout.games.go.view import empties, friends, neighbour
from playout.kernel import implements, inner, kernel, record_type, uniform
from playout.policy import api, softmax

COUNT = count_of()
SELF_ATARI, BIG_SELF_ATARI = np.uint8(number_of("self_atari")), np.uint8(number_of("big_self_atari"))
# The ways to the points near a move, by distance: 2, 3, 4. Two moves that are no further apart than APART along
# either line may have such points in common.
NEAR = np.array([-STRIDE, -1, 1, STRIDE, -STRIDE - 1, -STRIDE + 1, STRIDE - 1, STRIDE + 1, -2 * STRIDE, -2, 2, 2 * STRIDE])
APART = 4
WIDE = 2 * APART + 1
FAR_APART = WIDE * WIDE
# What is known of a point's preference: all but whether the move is legal and a self-atari; it is a bound; all.
USUAL, READ, SURE = 0, 1, 2
LARGEST = 60.0  # a weight beyond this is as good as certain
ROOM = AREA + 2 * NEAR.size
MISSES = 20  # so often in a row a draw may end at a listed point; then all points are asked

FEATURE_SOFTMAX = record_type(
    [
        *SPECIAL,
        *KEPT,
        ("table_factor", "f8", (FIRST_PATTERN,)),  # e^θ of the features that are no patterns
        ("bound", "f8"),  # e^θ of self-ataris is at most that, and so on; all are 1 or more
        ("capture_bound", "f8"),
        ("escape_bound", "f8"),
        ("atari_bound", "f8"),
        ("extend_bound", "f8"),
        # By where the last move is, seen from the one before: what the points near it are to be multiplied by,
        # and those near the other; 0 for the other's where they are the same point.
        ("near_factor", "f8", (FAR_APART + 1, 2, NEAR.size)),
        ("listed_points", "u2", (ROOM,)),  # points whose preference is another one for this move
        ("listed_at", "u2", (POINTS,)),  # by point: its place among them and one more; 0 where it is none
        ("now", "f8", (ROOM,)),  # the preference of a listed point
        ("doubt", "u1", (ROOM,)),  # what is known of it
        ("largest", "f8", (ROOM,)),  # where it is to be READ: how much of it is a bound
        ("n_listed", "u2"),
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
def _set_near(policy):
    """What the points near the last two moves are to be multiplied by."""
    for apart in range(FAR_APART + 1):
        way = (apart // WIDE - APART) * STRIDE + apart % WIDE - APART
        for k in range(NEAR.size):
            policy.near_factor[apart, 0, k] = policy.table_factor[DISTANCE_2 + k // 4]
            policy.near_factor[apart, 1, k] = policy.table_factor[BEFORE_2 + k // 4]
        for k in range(NEAR.size):
            for j in range(NEAR.size):
                if apart != FAR_APART and NEAR[j] == way + NEAR[k]:
                    policy.near_factor[apart, 0, k] *= policy.near_factor[apart, 1, j]
                    policy.near_factor[apart, 1, j] = 0.0


@inner
def set_weights(policy, theta):
    """e to the power of all weights."""
    for k in range(FIRST_PATTERN):
        policy.table_factor[k] = math.exp(min(max(theta[k], -LARGEST), LARGEST))
    weigh_kept(policy, theta, LARGEST)
    _set_near(policy)
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
    _clear_list(policy)
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
def _clear_list(policy):
    for k in range(policy.n_listed):
        policy.listed_at[policy.listed_points[np.uint32(k)]] = 0
    policy.n_listed = 0


@inner
def _list_at(policy, k, p, player, factor):
    """Let the k-th place of the list be a point, whose preference is to be multiplied."""
    policy.listed_points[k] = p
    policy.now[k] = policy.preference[p, player] * factor
    policy.doubt[k] = USUAL
    policy.largest[k] = 1.0
    policy.listed_at[p] = k + np.uint32(1)


@inner
def _listed(policy, p, player):
    """The place in the list of a point that the policy may choose, listed now if it was not."""
    at = np.uint32(policy.listed_at[p])
    if at == 0:
        _list_at(policy, np.uint32(policy.n_listed), p, player, 1.0)
        policy.n_listed += np.uint16(1)
        at = np.uint32(policy.n_listed)
    return at - np.uint32(1)


@inner
def _scale(policy, p, player, factor):
    """Multiply the preference of a point for this move, if the policy may choose it."""
    if policy.preference[p, player] > 0.0:
        policy.now[_listed(policy, p, player)] *= factor


@inner
def _doubt(policy, p, player, bound):
    """Let a point have the largest preference that reading may find."""
    if policy.preference[p, player] > 0.0:
        k = _listed(policy, p, player)
        policy.now[k] *= bound
        policy.largest[k] *= bound
        policy.doubt[k] = READ


@inner
def _list_around(policy, board, player, move, apart, which):
    """List the points near a move, and PASS for those beyond the edge.

    Without a branch: whether points near a move are empty is hard to foretell.
    """
    first = np.uint32(policy.n_listed)
    for k in range(8):
        q = np.uint32(np.int64(move) + NEAR[k])
        _list_at(policy, first + np.uint32(k), q, player, policy.near_factor[apart, which, k])
    for i in range(4):
        between = np.uint32(neighbour(move, i))
        beyond = np.uint32(neighbour(between, i)) if board.color[between] != EDGE else np.uint32(PASS)
        k = np.uint32(8 + i)
        _list_at(policy, first + k, beyond, player, policy.near_factor[apart, which, k])
    policy.n_listed += np.uint16(NEAR.size)


@inner
def _list_near(policy, board, player):
    """Begin the list: the points near the last two moves, by their distances."""
    last, before = np.int64(board.last), np.int64(policy.before)
    apart = np.uint32(FAR_APART)
    if last != PASS and before != PASS:
        down, right = last // STRIDE - before // STRIDE, last % STRIDE - before % STRIDE
        if max(abs(down), abs(right)) <= APART:
            apart = np.uint32((down + APART) * WIDE + right + APART)
    if before != PASS:
        _list_around(policy, board, player, np.uint32(before), apart, 1)
    if last != PASS:  # where it has a point of the other, the point's place is this one
        _list_around(policy, board, player, np.uint32(last), apart, 0)


@inner
def _doubt_liberties(policy, board, head, player, bound):
    """The liberties of a chain that has two."""
    n, a, b = few_liberties(board, head)
    if n == 2:
        _doubt(policy, a, player, bound)
        _doubt(policy, b, player, bound)


@inner
def _find_doubts(policy, board, player):
    """List all points that have features of the moment, with their preference or its bound."""
    me = board.to_play
    last = np.uint32(board.last)
    left = np.uint32(0)
    _list_near(policy, board, player)
    for k in range(policy.n_ataris):
        head, p = atari_at(policy, board, k)
        if head != 0:
            policy.ataris[left] = head
            left += np.uint32(1)
            ours = board.color[head] == me
            _doubt(policy, p, player, policy.escape_bound if ours else policy.capture_bound)
    policy.n_ataris = left
    if last != PASS:
        _doubt_liberties(policy, board, np.uint32(board.chain[last]), player, policy.atari_bound)
        for i in range(4):
            q = np.uint32(neighbour(last, i))
            if board.color[q] == me:
                _doubt_liberties(policy, board, np.uint32(board.chain[q]), player, policy.extend_bound)
        vital = vital_point(board, last, policy.region)
        if vital != 0:
            _scale(policy, vital, player, policy.table_factor[VITAL])


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
    _clear_list(policy)
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
                policy.now[_listed(policy, p, player)] = 0.0
            elif not has_room(board, p, me):
                add_feature(policy, p, _kind_of_self_atari(board, p, me))


@inner
def preference_now(policy, p, player):
    """The preference of a point for this move."""
    at = np.uint32(policy.listed_at[p])
    return policy.preference[p, player] if at == 0 else policy.now[at - np.uint32(1)]


@inner
def prepare(policy, board):
    """Find the true preferences of all points for the side to move; their sum."""
    player = np.uint32(board.to_play - 1)
    _turn_to(policy, board)
    find_specials(policy, board)
    _find_self_ataris(policy, board, player)
    for k in range(policy.n_special):
        _scale(policy, np.uint32(policy.special[np.uint32(k)]), player, _factor_of(policy, np.uint32(k)))
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
def _settle_point(policy, p, player, worth):
    """Let a point have its true preference."""
    k = _listed(policy, p, player)
    policy.now[k] *= worth
    policy.doubt[k] = SURE


@inner
def _sum_list(policy):
    total = 0.0
    for k in range(policy.n_listed):
        total += policy.now[np.uint32(k)]
    return total


@inner
def _draw_listed(policy, x):
    """The place in the list at which its running sum passes x."""
    found = np.int64(-1)
    for k in range(policy.n_listed):
        preference = policy.now[np.uint32(k)]
        if preference > 0.0:
            found = k
            if x < preference:
                break
            x -= preference
    return found


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
                _settle_point(policy, p, player, _worth(policy, board, p, k, me))
            whole += preference_now(policy, p, player)
    return _draw(policy, board, player, uniform(rng) * whole)


@inner
def _play(policy, board, rng):
    """Draw until a move stands."""
    me = board.to_play
    player, side = np.uint32(me - 1), np.uint32(board.side)
    _turn_to(policy, board)
    _find_doubts(policy, board, player)
    kept, listed = sum_kept(policy, side, player), _sum_list(policy)
    misses = 0
    while misses < MISSES:
        x = uniform(rng) * (kept + listed)
        if x < listed:
            k = _draw_listed(policy, x)
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
        _settle_point(policy, p, player, worth)
        listed = _sum_list(policy)
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
