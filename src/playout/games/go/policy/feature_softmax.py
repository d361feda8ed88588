"""Softmax over the features of moves (`move_features`): π(s, a) ∝ exp(φ(s, a)·θ), as in Araki et al. (2014).

Moves that fill one's own single-point eye or are illegal are left out; without any other, pass.

What the view of a point says changes only around the last move and around captured stones, so e to the power
of it is kept for all points and both players, with sums by row. The features that `local_features` finds
concern few points: their preference is another one for this move. What takes reading is asked only of a point
that was drawn: whether the move is legal, whether it is a self-atari, what it captures or saves. Until then
the point has the largest preference that it may have; if its true one is less, it is put back with some
probability, and drawn from again at that. So each move comes as often as it should.

Who learns wants to know all probabilities: then all of that is asked of every point before the draw.
"""

from __future__ import annotations

import math

import numpy as np

from playout.games.go.memory.move_weights import MoveWeights
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
from playout.games.go.policy.move_features import PLACES, number_of, places, simulation_names, views
from playout.games.go.rules import is_playable
from playout.games.go.state import AREA, EDGE, EMPTY, MAX_SIDE, PASS, POINTS, STRIDE
from playout.games.go.tactics import few_liberties, has_room, vital_point
from playout.games.go.view import empties, friends, neighbour
from playout.kernel import implements, inner, kernel, record_type, uniform
from playout.policy import api, softmax

COUNT = len(simulation_names())
FIRST_PATTERN = next(k for k, name in enumerate(simulation_names()) if name.startswith("pattern "))
PATTERNS = COUNT - FIRST_PATTERN
CONNECT, CUT = number_of("connect"), number_of("cut")
SELF_ATARI, BIG_SELF_ATARI = np.uint8(number_of("self_atari")), np.uint8(number_of("big_self_atari"))
DIAGONAL = np.array([-STRIDE - 1, -STRIDE + 1, STRIDE - 1, STRIDE + 1])
PLACE = np.array([number_of(name) for name in PLACES], np.uint32)
JOINS = 12  # from this bit on a view says connect and cut; below it has its pattern
USUAL, SURE, READ = (
    0,
    1,
    2,
)  # doubts: ask only whether the move is legal; nothing; what reading says of it too
LARGEST = 60.0  # a weight beyond this is as good as certain

FEATURE_SOFTMAX = record_type(
    [
        *SPECIAL,
        ("views", "u2", (1 << 16, 2)),  # by the view of a point and the player: pattern, connect and cut
        ("place_of", "u1", (POINTS,)),
        ("pattern_factor", "f8", (PATTERNS + 1,)),  # e^θ by pattern; 0 for an eye
        ("joins_factor", "f8", (4,)),
        ("place_factor", "f8", (len(PLACES),)),
        ("table_factor", "f8", (FIRST_PATTERN,)),  # e^θ of the other features
        ("bound", "f8"),  # e^θ of self-ataris is at most that, and so on; all are 1 or more
        ("capture_bound", "f8"),
        ("escape_bound", "f8"),
        ("atari_bound", "f8"),
        ("extend_bound", "f8"),
        ("preference", "f8", (POINTS, 2)),  # of the empty points for either player
        ("row_sums", "f8", (MAX_SIDE + 2, 2)),
        ("stale_rows", "u4", (2,)),  # rows whose sum must be made anew
        ("changed", "u2", (AREA,)),  # points whose preference is another one for this move
        ("usual", "f8", (AREA,)),  # and what it is otherwise
        ("is_changed", "u1", (POINTS,)),
        ("n_changed", "u2"),
        ("changed_player", "u1"),
        ("doubt", "u1", (POINTS,)),  # what is known of a point's preference
        ("largest", "f8", (POINTS,)),  # where it is to be READ: how much of it is a bound
        ("tail", "i4"),  # where in the list of empty points the next captured stones will stand
        ("at_move", "u2"),  # the move up to which everything was taken in
        ("last_seen", "u2"),
        ("credits", "f8", (COUNT,)),
        *softmax.LEARNING,
    ]
)


def feature_record(side: int) -> np.ndarray:
    """A policy whose weights are all 0, as an array of one record."""
    policy = np.zeros(1, FEATURE_SOFTMAX)
    pattern, joins = views()
    policy["views"] = pattern | joins.astype(np.uint16) << JOINS
    policy["place_of"] = places(side)
    policy["sign"] = 1.0
    _weigh(policy, np.zeros(COUNT))
    return policy


def feature_policy(weights: MoveWeights, side: int, temperature: float = 1.0) -> np.ndarray:
    """A policy with weights for a board size, as an array of one record."""
    policy = feature_record(side)
    _weigh(policy, weights.theta.astype(np.float64) / temperature)
    return policy


@inner
def _power(x):
    return math.exp(min(max(x, -LARGEST), LARGEST))


@inner
def set_weights(policy, theta):
    """e to the power of all weights."""
    for k in range(FIRST_PATTERN):
        policy.table_factor[k] = _power(theta[k])
    for k in range(PATTERNS):
        policy.pattern_factor[k + 1] = _power(theta[FIRST_PATTERN + k])
    for k in range(PLACE.size):
        policy.place_factor[k] = policy.table_factor[PLACE[k]]
    connect, cut = policy.table_factor[CONNECT], policy.table_factor[CUT]
    policy.joins_factor[0] = 1.0
    policy.joins_factor[1] = connect
    policy.joins_factor[2] = cut
    policy.joins_factor[3] = connect * cut
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


# -- what the views say, kept ---------------------------------------------------------------------------


@inner
def _prefer(policy, board, p):
    """Look anew at an empty point."""
    code = np.uint32(board.around[p])
    place = policy.place_factor[policy.place_of[p]]
    for player in range(2):
        view = np.uint32(policy.views[code, np.uint32(player)])
        joins = policy.joins_factor[view >> np.uint32(JOINS)]
        pattern = policy.pattern_factor[view & np.uint32((1 << JOINS) - 1)]
        policy.preference[p, np.uint32(player)] = pattern * joins * place


@inner
def _prefer_around(policy, board, p):
    """Look anew at a point and at the eight around it."""
    q = p - np.uint32(STRIDE + 1)
    for _ in range(3):
        for _ in range(3):
            if board.color[q] == EMPTY:
                _prefer(policy, board, q)
            q += np.uint32(1)
        q += np.uint32(STRIDE - 3)
    if board.color[p] != EMPTY:
        policy.preference[p, 0] = policy.preference[p, 1] = 0.0
    rows = np.uint32(7) << (p // np.uint32(STRIDE) - np.uint32(1))
    policy.stale_rows[0] |= rows
    policy.stale_rows[1] |= rows


@implements(api.begin, FEATURE_SOFTMAX)
def begin(policy, board):
    for k in range(policy.n_changed):
        p = np.uint32(policy.changed[np.uint32(k)])
        policy.is_changed[p] = policy.doubt[p] = 0
    policy.n_changed = 0
    forget_specials(policy)
    list_ataris(policy, board)
    policy.before = PASS
    policy.last_seen = board.last
    policy.at_move = board.moves
    policy.tail = np.int32(board.n_empty) - 1
    for row in range(1, board.side + 1):
        for column in range(1, board.side + 1):
            p = np.uint32(row * STRIDE + column)
            if board.color[p] == EMPTY:
                _prefer(policy, board, p)
            else:
                policy.preference[p, 0] = policy.preference[p, 1] = 0.0
    policy.stale_rows[0] = policy.stale_rows[1] = np.uint32(0xFFFFFFFF)


@inner
def _catch_up(policy, board):
    """Take in the last move: what it changed, and which chains it put into atari."""
    if policy.at_move == board.moves:
        return
    policy.at_move = board.moves
    policy.before = policy.last_seen
    policy.last_seen = board.last
    last = np.uint32(board.last)
    tail = policy.tail
    policy.tail = np.int32(board.n_empty) - 1
    if last == PASS:
        return
    _prefer_around(policy, board, last)
    # The move left the list of empty points, then captured stones were put to its end.
    for i in range(tail, board.n_empty):
        _prefer_around(policy, board, np.uint32(board.empty[np.uint32(i)]))
    note_ataris(policy, board, last)


# -- what is so for this move only ----------------------------------------------------------------------


@inner
def _change(policy, p, player, preference):
    """Give a point another preference for this move."""
    if policy.is_changed[p] == 0:
        k = np.uint32(policy.n_changed)
        policy.changed[k] = p
        policy.usual[k] = policy.preference[p, player]
        policy.is_changed[p] = 1
        policy.n_changed += np.uint16(1)
    policy.preference[p, player] = preference
    policy.stale_rows[player] |= np.uint32(1) << (p // np.uint32(STRIDE))


@inner
def _end_changes(policy):
    """Give the points of the last move their usual preferences again."""
    player = np.uint32(policy.changed_player)
    for i in range(policy.n_changed):
        k = np.uint32(i)
        p = np.uint32(policy.changed[k])
        policy.preference[p, player] = policy.usual[k]
        policy.is_changed[p] = policy.doubt[p] = 0
        policy.stale_rows[player] |= np.uint32(1) << (p // np.uint32(STRIDE))
    policy.n_changed = 0
    forget_specials(policy)


@inner
def _doubt(policy, p, player, bound):
    """Let a point have the largest preference that reading may find."""
    if policy.preference[p, player] > 0.0:
        if policy.doubt[p] == USUAL:
            policy.doubt[p] = READ
            policy.largest[p] = 1.0
        policy.largest[p] *= bound
        _change(policy, p, player, policy.preference[p, player] * bound)


@inner
def _scale(policy, board, p, player, factor):
    """Multiply the preference of a point, if it is empty."""
    if board.color[p] == EMPTY and policy.preference[p, player] > 0.0:
        _change(policy, p, player, policy.preference[p, player] * factor)


@inner
def _scale_near(policy, board, player, move, first):
    """The points around a move, by their distance. first: the number of the feature of distance 2."""
    number = np.uint32(first)
    two, three = policy.table_factor[number], policy.table_factor[number + np.uint32(1)]
    four = policy.table_factor[number + np.uint32(2)]
    for i in range(4):
        q = np.uint32(neighbour(move, i))
        _scale(policy, board, q, player, two)
        if board.color[q] != EDGE:
            _scale(policy, board, np.uint32(neighbour(q, i)), player, four)
    for i in range(4):
        _scale(policy, board, np.uint32(np.int64(move) + DIAGONAL[i]), player, three)


@inner
def _doubt_liberties(policy, board, head, player, bound):
    """The liberties of a chain that has two."""
    n, a, b, _ = few_liberties(board, head)
    if n == 2:
        _doubt(policy, a, player, bound)
        _doubt(policy, b, player, bound)


@inner
def _find_doubts(policy, board, player):
    """Give all points that have features of the moment their preference, or its bound."""
    me = board.to_play
    last = np.uint32(board.last)
    left = np.uint32(0)
    for k in range(policy.n_ataris):
        head, p = atari_at(policy, board, k)
        if head != 0:
            policy.ataris[left] = head
            left += np.uint32(1)
            ours = board.color[head] == me
            _doubt(policy, p, player, policy.escape_bound if ours else policy.capture_bound)
    policy.n_ataris = left
    if last != PASS:
        _scale_near(policy, board, player, last, DISTANCE_2)
        _doubt_liberties(policy, board, np.uint32(board.chain[last]), player, policy.atari_bound)
        for i in range(4):
            q = np.uint32(neighbour(last, i))
            if board.color[q] == me:
                _doubt_liberties(policy, board, np.uint32(board.chain[q]), player, policy.extend_bound)
        vital = vital_point(board, last, policy.region)
        if vital != 0:
            _scale(policy, board, vital, player, policy.table_factor[VITAL])
    if policy.before != PASS:
        _scale_near(policy, board, player, np.uint32(policy.before), BEFORE_2)


@inner
def _has_two_empty(board, p):
    """Whether a point has two empty neighbours or more: a stone there is safe from self-atari."""
    free = empties(board.around[p])
    return free & (free - np.uint16(1)) != np.uint16(0)


@inner
def _kind_of_self_atari(board, p, me):
    return BIG_SELF_ATARI if friends(board.around[p], me) != np.uint16(0) else SELF_ATARI


@inner
def _find_self_ataris(policy, board, player):
    """Say of every point whether a move there is legal, and a self-atari."""
    me = board.to_play
    for k in range(board.n_empty):
        p = np.uint32(board.empty[np.uint32(k)])
        if policy.preference[p, player] > 0.0 and not _has_two_empty(board, p):
            if not is_playable(board, p, me):
                _change(policy, p, player, 0.0)
            elif not has_room(board, p, me):
                add_feature(policy, p, _kind_of_self_atari(board, p, me))


@inner
def _add_rows(policy, side, player):
    """The sum of a player's preferences; rows that have changed are added up anew."""
    whole = 0.0
    stale = policy.stale_rows[player]
    for k in range(side):
        row = np.uint32(k + 1)
        if stale >> row & np.uint32(1):
            p = row * np.uint32(STRIDE) + np.uint32(1)
            here = 0.0
            for _ in range(side):
                here += policy.preference[p, player]
                p += np.uint32(1)
            policy.row_sums[row, player] = here
        whole += policy.row_sums[row, player]
    policy.stale_rows[player] = 0
    return whole


@inner
def _turn_to(policy, board):
    """Forget what was so for the last move, and take it in."""
    _end_changes(policy)
    _catch_up(policy, board)
    policy.changed_player = np.uint8(board.to_play - 1)


@inner
def prepare(policy, board):
    """Bring all preferences up to date for the side to move, to the true ones; their sum."""
    player = np.uint32(board.to_play - 1)
    _turn_to(policy, board)
    find_specials(policy, board)
    _find_self_ataris(policy, board, player)
    for k in range(policy.n_special):
        p = np.uint32(policy.special[np.uint32(k)])
        preference = policy.preference[p, player]
        if preference > 0.0:
            _change(policy, p, player, preference * _factor_of(policy, np.uint32(k)))
    return _add_rows(policy, np.uint32(board.side), player)


@inner
def _factor_of(policy, k):
    """e^θ of all features of a special point."""
    factor = 1.0
    for j in range(policy.n_features[k]):
        factor *= policy.table_factor[policy.special_features[k, np.uint32(j)]]
    return factor


@inner
def _draw(policy, side, player, x):
    """The point at which the running sum of preferences passes x."""
    row = np.uint32(1)
    while row < side and x >= policy.row_sums[row, player]:
        x -= policy.row_sums[row, player]
        row += np.uint32(1)
    found = np.uint32(PASS)
    while row > 0:
        p = row * np.uint32(STRIDE) + np.uint32(1)
        for _ in range(side):
            preference = policy.preference[p, player]
            if preference > 0.0:
                found = p
                if x < preference:
                    return found
                x -= preference
            p += np.uint32(1)
        if found != PASS:
            return found
        row -= np.uint32(1)  # rounding has taken us too far
    return found


@inner
def _worth(policy, board, p, me):
    """By what the preference of a drawn point is to be multiplied, so that it is the true one."""
    worth = 1.0 / policy.bound
    if not _has_two_empty(board, p):
        if not is_playable(board, p, me):
            return 0.0
        if not has_room(board, p, me):
            worth *= policy.table_factor[_kind_of_self_atari(board, p, me)]
    if policy.doubt[p] == READ:
        find_at(policy, board, p)
        if policy.n_special > 0:
            worth *= _factor_of(policy, np.uint32(0))
        worth /= policy.largest[p]
    return worth


@inner
def _play(policy, board, rng):
    """Draw until a move stands."""
    me = board.to_play
    player, side = np.uint32(me - 1), np.uint32(board.side)
    _turn_to(policy, board)
    _find_doubts(policy, board, player)
    whole = _add_rows(policy, side, player)
    while whole > 0.0:
        p = _draw(policy, side, player, uniform(rng) * whole)
        if p == PASS:
            break
        if policy.doubt[p] == SURE:
            return p
        worth = _worth(policy, board, p, me)
        if worth >= 1.0 or (worth > 0.0 and uniform(rng) < worth):
            return p
        _change(policy, p, player, policy.preference[p, player] * worth)
        policy.doubt[p] = SURE
        whole = _add_rows(policy, side, player)
    return np.uint32(PASS)


@inner
def credit_move(policy, board, p, amount):
    """Add amount × φ of a move; the position is prepared, with all known."""
    view = np.uint32(policy.views[np.uint32(board.around[p]), np.uint32(board.to_play - 1)])
    pattern = view & np.uint32((1 << JOINS) - 1)
    policy.credits[np.uint32(FIRST_PATTERN - 1) + pattern] += amount
    policy.credits[PLACE[policy.place_of[p]]] += amount
    if view >> np.uint32(JOINS) & np.uint32(1):
        policy.credits[CONNECT] += amount
    if view >> np.uint32(JOINS + 1):
        policy.credits[CUT] += amount
    at = np.uint32(policy.special_at[p])
    if at != 0:
        for j in range(policy.n_features[at - np.uint32(1)]):
            policy.credits[policy.special_features[at - np.uint32(1), np.uint32(j)]] += amount


@implements(api.sample, FEATURE_SOFTMAX)
def sample(policy, board, rng):
    if not policy.learning:
        return _play(policy, board, rng)
    player, side = np.uint32(board.to_play - 1), np.uint32(board.side)
    whole = prepare(policy, board)
    chosen = np.uint32(PASS)
    if whole > 0.0:
        chosen = _draw(policy, side, player, uniform(rng) * whole)
        for k in range(board.n_empty):
            p = np.uint32(board.empty[np.uint32(k)])
            preference = policy.preference[p, player]
            if preference > 0.0:
                part = (1.0 if p == chosen else 0.0) - preference / whole
                credit_move(policy, board, p, policy.sign[player] * part)
    return chosen
