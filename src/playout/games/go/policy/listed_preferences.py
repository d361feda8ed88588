"""Points whose preference is another one for this move, listed: those near the last two moves, and others.

Each has the preference that it has now, which may be a bound of it until reading has been asked. The same
point may have several places in the list; the last one counts, and the others weigh nothing.
"""

import numpy as np

from playout.games.go.policy.local_features import BEFORE_2, DISTANCE_2
from playout.games.go.state import AREA, EDGE, PASS, POINTS, STRIDE
from playout.games.go.view import neighbour
from playout.kernel import inner

# The ways to the points near a move, by distance: 2, 3, 4. Two moves that are no further apart than APART
# along either line may have such points in common.
NEAR = np.array(
    [-STRIDE, -1, 1, STRIDE, -STRIDE - 1, -STRIDE + 1, STRIDE - 1, STRIDE + 1, -2 * STRIDE, -2, 2, 2 * STRIDE]
)
APART = 4
WIDE = 2 * APART + 1
FAR_APART = WIDE * WIDE
# What is known of a point's preference: all but whether the move is legal and a self-atari; a bound; all.
USUAL, READ, SURE = 0, 1, 2
ROOM = AREA + 2 * NEAR.size

LISTED = [
    # By where the last move is, seen from the one before: what the points near it are to be multiplied
    # by, and those near the other; 0 for the other's where they are the same point.
    ("near_factor", "f8", (FAR_APART + 1, 2, NEAR.size)),
    ("listed_points", "u2", (ROOM,)),  # points whose preference is another one for this move
    ("listed_at", "u2", (POINTS,)),  # by point: its place among them and one more; 0 where it is none
    ("now", "f8", (ROOM,)),  # the preference of a listed point
    ("doubt", "u1", (ROOM,)),  # what is known of it
    ("largest", "f8", (ROOM,)),  # where it is to be READ: how much of it is a bound
    ("n_listed", "u2"),
]


@inner
def weigh_near(policy):
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
def clear_list(policy):
    """Let no point be listed."""
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
def place_in_list(policy, p, player):
    """The place in the list of a point that the policy may choose, listed now if it was not."""
    at = np.uint32(policy.listed_at[p])
    if at == 0:
        _list_at(policy, np.uint32(policy.n_listed), p, player, 1.0)
        policy.n_listed += np.uint16(1)
        at = np.uint32(policy.n_listed)
    return at - np.uint32(1)


@inner
def scale(policy, p, player, factor):
    """Multiply the preference of a point for this move, if the policy may choose it."""
    if policy.preference[p, player] > 0.0:
        policy.now[place_in_list(policy, p, player)] *= factor


@inner
def doubt_at(policy, p, player, bound):
    """Let a point have the largest preference that reading may find."""
    if policy.preference[p, player] > 0.0:
        k = place_in_list(policy, p, player)
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
        at = np.uint32(8 + i)
        _list_at(policy, first + at, beyond, player, policy.near_factor[apart, which, at])
    policy.n_listed += np.uint16(NEAR.size)


@inner
def list_near(policy, board, player):
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
def preference_now(policy, p, player):
    """The preference of a point for this move."""
    at = np.uint32(policy.listed_at[p])
    return policy.preference[p, player] if at == 0 else policy.now[at - np.uint32(1)]


@inner
def settle_point(policy, p, player, worth):
    """Let a point have its true preference."""
    k = place_in_list(policy, p, player)
    policy.now[k] *= worth
    policy.doubt[k] = SURE


@inner
def sum_list(policy):
    """What all listed points weigh."""
    total = 0.0
    for k in range(policy.n_listed):
        total += policy.now[np.uint32(k)]
    return total


@inner
def draw_listed(policy, x):
    """The place in the list at which its running sum passes x."""
    found = np.int64(-1)
    for k in range(policy.n_listed):
        preference = policy.now[np.uint32(k)]
        if preference > 0.0:
            found = np.int64(k)
            if x < preference:
                break
            x -= preference
    return found
