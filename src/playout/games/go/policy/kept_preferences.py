"""What the views of all points say, kept from move to move: e to the power of it, for both players.

A view has the 3×3 pattern of a point, whether a move joins or parts chains there, and the place on the board
(`move_features`). It changes only around the last move and around captured stones. Preferences are added up
by row; a draw looks at rows and then at the points of one.
"""

import math

import numpy as np

from playout.games.go.policy.move_features import (
    NOWHERE,
    PLACES,
    number_of,
    places,
    simulation_names,
    views,
)
from playout.games.go.state import EMPTY, MAX_SIDE, PASS, POINTS, STRIDE
from playout.kernel import inner

FIRST_PATTERN = next(k for k, name in enumerate(simulation_names()) if name.startswith("pattern "))
PATTERNS = len(simulation_names()) - FIRST_PATTERN
CONNECT, CUT = number_of("connect"), number_of("cut")
PLACE = np.array([number_of(name) for name in PLACES], np.uint32)

KEPT = [
    ("pattern_of", "u2", (1 << 16, 2)),  # by the view of a point and the player; 0 for his eye
    ("joins_of", "u1", (PATTERNS + 1,)),  # by pattern: connect (1) and cut (2)
    ("place_of", "u1", (POINTS,)),
    ("pattern_factor", "f8", (PATTERNS + 1,)),  # e^θ by pattern, connect and cut in it; 0 for an eye
    ("place_factor", "f8", (POINTS,)),  # 0 beyond the edge
    ("preference", "f8", (POINTS, 2)),  # of the empty points for either player; 0 elsewhere
    ("row_sums", "f8", (MAX_SIDE + 2, 2)),
    ("stale_rows", "u4"),  # rows whose sums must be made anew
    ("tail", "i4"),  # where in the list of empty points the next captured stones will stand
    ("at_move", "u2"),  # the move up to which everything was taken in
]


def count_of() -> int:
    """How many features simulations have."""
    return FIRST_PATTERN + PATTERNS


def open_kept(policy: np.ndarray, side: int) -> np.ndarray:
    """Tell a new record what views and places there are."""
    pattern, joins = views()
    policy["pattern_of"] = pattern
    policy["joins_of"][0][pattern] = joins  # chains are joined alike in all views of a pattern
    policy["place_of"] = places(side)
    return policy


@inner
def _power(x, largest):
    return math.exp(min(max(x, -largest), largest))


@inner
def weigh_kept(policy, theta, largest):
    """e to the power of the weights of patterns, joins and places. largest: what counts of a weight."""
    connect, cut = _power(theta[CONNECT], largest), _power(theta[CUT], largest)
    for k in range(1, PATTERNS + 1):
        factor = _power(theta[FIRST_PATTERN + k - 1], largest)
        if policy.joins_of[k] & np.uint8(1):
            factor *= connect
        if policy.joins_of[k] & np.uint8(2):
            factor *= cut
        policy.pattern_factor[k] = factor
    for p in range(POINTS):
        place = policy.place_of[p]
        policy.place_factor[p] = _power(theta[PLACE[place]], largest) if place != NOWHERE else 0.0


@inner
def _prefer(policy, board, p):
    """Look anew at a point. Without a branch: whether points near a move are empty is hard to foretell."""
    code = np.uint32(board.around[p])
    place = policy.place_factor[p] if board.color[p] == EMPTY else 0.0
    policy.preference[p, 0] = policy.pattern_factor[policy.pattern_of[code, 0]] * place
    policy.preference[p, 1] = policy.pattern_factor[policy.pattern_of[code, 1]] * place


@inner
def _prefer_around(policy, board, p):
    """Look anew at a point and at the eight around it."""
    q = p - np.uint32(STRIDE + 1)
    for _ in range(3):
        for _ in range(3):
            _prefer(policy, board, q)
            q += np.uint32(1)
        q += np.uint32(STRIDE - 3)
    policy.stale_rows |= np.uint32(7) << (p // np.uint32(STRIDE) - np.uint32(1))


@inner
def begin_kept(policy, board):
    """Look at all points."""
    policy.at_move = board.moves
    policy.tail = np.int32(board.n_empty) - 1
    for row in range(1, board.side + 1):
        for column in range(1, board.side + 1):
            _prefer(policy, board, np.uint32(row * STRIDE + column))
    policy.stale_rows = np.uint32(0xFFFFFFFF)


@inner
def take_in(policy, board):
    """Take in what the last move changed."""
    policy.at_move = board.moves
    tail = policy.tail
    policy.tail = np.int32(board.n_empty) - 1
    if board.last == PASS:
        return
    _prefer_around(policy, board, np.uint32(board.last))
    # The move left the list of empty points, then captured stones were put to its end.
    for i in range(tail, board.n_empty):
        _prefer_around(policy, board, np.uint32(board.empty[np.uint32(i)]))


@inner
def sum_kept(policy, side, player):
    """The sum of a player's preferences; rows that have changed are added up anew."""
    whole = 0.0
    stale = policy.stale_rows
    for k in range(side):
        row = np.uint32(k + 1)
        if stale >> row & np.uint32(1):
            p = row * np.uint32(STRIDE) + np.uint32(1)
            black = white = 0.0
            for _ in range(side):
                black += policy.preference[p, 0]
                white += policy.preference[p, 1]
                p += np.uint32(1)
            policy.row_sums[row, 0] = black
            policy.row_sums[row, 1] = white
        whole += policy.row_sums[row, player]
    policy.stale_rows = 0
    return whole


@inner
def draw_kept(policy, side, player, x):
    """The point at which the running sum of preferences passes x; `sum_kept` has been asked for it."""
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
