"""The features of moves that change from move to move, found where they can be (`move_features`).

They concern the liberties of chains in atari, which are kept in a list, the chains next to the last move, and
the points around the last two moves. A point that has any is *special* for this move.
"""

import numpy as np

from playout.games.go.policy.move_features import number_of
from playout.games.go.rules import fills, is_playable, put_stone
from playout.games.go.state import (
    AREA,
    BLACK,
    EDGE,
    EMPTY,
    PASS,
    POINTS,
    STATE,
    STRIDE,
    WHITE,
    in_atari,
    only_liberty,
)
from playout.games.go.tactics import few_liberties, liberties_after, runs_free, vital_point
from playout.games.go.view import neighbour
from playout.kernel import inner

MOST_SPECIAL = AREA
MOST_FEATURES = 16  # dynamic ones of a point at once

SPECIAL = [
    ("reading", STATE, (1,)),  # where ladders are read
    ("ataris", "u2", (POINTS,)),  # heads of chains that may be in atari
    ("listed", "u1", (POINTS,)),  # by head: whether it is among them
    ("n_ataris", "u2"),
    ("region", "u2", (AREA,)),  # room for an eye space
    ("special", "u2", (MOST_SPECIAL,)),  # the special points
    ("special_at", "u2", (POINTS,)),  # by point: its place among them and one more; 0 where it is none
    ("special_features", "u1", (MOST_SPECIAL, MOST_FEATURES)),
    ("n_features", "u1", (MOST_SPECIAL,)),
    ("n_special", "u2"),
    ("before", "u2"),  # the move before the last one, PASS where nobody knows
]

DISTANCE_2, BEFORE_2 = np.uint8(number_of("distance 2")), np.uint8(number_of("before 2"))
CAPTURE, BIG_CAPTURE = np.uint8(number_of("capture")), np.uint8(number_of("big_capture"))
CAPTURE_LAST, CAPTURE_SAVES = np.uint8(number_of("capture_last")), np.uint8(number_of("capture_saves"))
ATARI_LAST, CATCH_LAST = np.uint8(number_of("atari_last")), np.uint8(number_of("catch_last"))
ESCAPE, BIG_ESCAPE = np.uint8(number_of("escape")), np.uint8(number_of("big_escape"))
HOPELESS, RUN = np.uint8(number_of("hopeless")), np.uint8(number_of("run"))
EXTEND, RACE, VITAL = (np.uint8(number_of(name)) for name in ("extend", "race", "vital"))
# The ways to the points at distances 2 and 3; the numbers of distances 2, 3 and 4 follow each other.
AROUND = np.array([-STRIDE, -1, 1, STRIDE, -STRIDE - 1, -STRIDE + 1, STRIDE - 1, STRIDE + 1])


@inner
def add_feature(policy, p, feature):
    """Say that a move has a feature, once."""
    k = np.uint32(policy.special_at[p])
    if k == 0:
        k = np.uint32(policy.n_special)
        policy.special[k] = p
        policy.n_features[k] = 0
        policy.n_special += np.uint16(1)
        policy.special_at[p] = policy.n_special
    else:
        k -= np.uint32(1)
        for j in range(policy.n_features[k]):
            if policy.special_features[k, np.uint32(j)] == feature:
                return
    policy.special_features[k, policy.n_features[k]] = feature
    policy.n_features[k] += np.uint8(1)


@inner
def forget_specials(policy):
    """No point is special."""
    for k in range(policy.n_special):
        policy.special_at[policy.special[np.uint32(k)]] = 0
    policy.n_special = 0


@inner
def _find_near(policy, board, last, first):
    """The points around a move. first: the number of the feature of distance 2."""
    for k in range(8):
        q = np.uint32(np.int64(last) + AROUND[k])
        if board.color[q] == EMPTY:
            add_feature(policy, q, np.uint8(first + k // 4))
    for i in range(4):
        between = np.uint32(neighbour(last, i))
        if board.color[between] != EDGE:
            q = np.uint32(neighbour(between, i))
            if board.color[q] == EMPTY:
                add_feature(policy, q, np.uint8(first + 2))


@inner
def _saves(board, head, me):
    """Whether a chain of the enemy touches a chain of ours in atari."""
    stone = head
    while True:
        for i in range(4):
            q = np.uint32(neighbour(stone, i))
            if board.color[q] == me and in_atari(board, np.uint32(board.chain[q])):
                return True
        stone = np.uint32(board.following[stone])
        if stone == head:
            return False


@inner
def _touches(board, last, head):
    """Whether a chain is next to a point."""
    found = False
    for i in range(4):
        found |= board.chain[np.uint32(neighbour(last, i))] == head
    return found


@inner
def _find_captures(policy, board, head, p, last):
    """The kinds of a capture of a chain of the enemy."""
    if p == board.ko:
        return
    add_feature(policy, p, BIG_CAPTURE if board.stones[head] > 1 else CAPTURE)
    if last != PASS and board.chain[last] == head:
        add_feature(policy, p, CAPTURE_LAST)
    if _saves(board, head, board.to_play):
        add_feature(policy, p, CAPTURE_SAVES)


@inner
def _find_escapes(policy, board, head, p, last):
    """What becomes of a chain of ours in atari that moves."""
    me = board.to_play
    if not is_playable(board, p, me):
        return
    n = liberties_after(board, p, me, np.uint32(PASS))[0]
    if last == PASS or not _touches(board, last, head):
        add_feature(policy, p, RUN if n > 1 else HOPELESS)
        return
    free = n > 2
    if n == 2:
        policy.reading[0] = board
        free = runs_free(policy.reading[0], head)
    add_feature(policy, p, (BIG_ESCAPE if board.stones[head] > 1 else ESCAPE) if free else HOPELESS)


@inner
def _catches(policy, board, p, other, head):
    """Whether a ladder that begins at p catches a chain of the enemy with the liberties p and `other`."""
    prey = board.color[head]
    takes = False
    for i in range(4):
        q = np.uint32(neighbour(p, i))
        takes |= (board.color[q] == prey) & fills(board, p, np.uint32(board.chain[q]))
    if not takes and liberties_after(board, other, prey, p)[0] > 2:
        return False  # most are seen without reading
    policy.reading[0] = board
    put_stone(policy.reading[0], p, np.uint8(3 - prey))
    return not runs_free(policy.reading[0], head)


@inner
def _find_around(policy, board, last):
    """Features of the liberties of the chains next to the last move, and of its own."""
    me = board.to_play
    race = False
    for i in range(4):
        q = np.uint32(neighbour(last, i))
        if board.color[q] == me:
            count, a, b = few_liberties(board, np.uint32(board.chain[q]))
            if count == 2:
                race = True
                for way in range(2):
                    p = a if way == 0 else b
                    if _liberties(board, p, me) > 2:
                        add_feature(policy, p, EXTEND)
    head = np.uint32(board.chain[last])
    n, a, b = few_liberties(board, head)
    if n == 2:
        for way in range(2):
            p, other = (a, b) if way == 0 else (b, a)
            _find_against(policy, board, p, other, head)
            if race:
                add_feature(policy, p, RACE)


@inner
def atari_at(policy, board, k):
    """The k-th chain of the list: its head, 0 if it has left atari, and its last liberty."""
    head = np.uint32(policy.ataris[np.uint32(k)])
    color = board.color[head]
    if color not in (BLACK, WHITE) or board.chain[head] != head or not in_atari(board, head):
        policy.listed[head] = 0
        return np.uint32(0), np.uint32(0)
    return head, only_liberty(board, head)


@inner
def find_specials(policy, board):
    """Find all special points of a position, and drop the chains from the list that left atari."""
    last = np.uint32(board.last)
    me = board.to_play
    left = np.uint32(0)
    for k in range(policy.n_ataris):
        head, p = atari_at(policy, board, k)
        if head == 0:
            continue
        policy.ataris[left] = head
        left += np.uint32(1)
        if board.color[head] == me:
            _find_escapes(policy, board, head, p, last)
        else:
            _find_captures(policy, board, head, p, last)
    policy.n_ataris = left
    if last != PASS:
        _find_near(policy, board, last, DISTANCE_2)
        _find_around(policy, board, last)
        vital = vital_point(board, last, policy.region)
        if vital != 0:
            add_feature(policy, vital, VITAL)
    if policy.before != PASS:
        _find_near(policy, board, np.uint32(policy.before), BEFORE_2)


@inner
def find_at(policy, board, p):
    """The same features, but for distances and vital points, of one move; no other point is special then."""
    forget_specials(policy)
    me = board.to_play
    last = np.uint32(board.last)
    for i in range(4):
        head = np.uint32(board.chain[np.uint32(neighbour(p, i))])
        color = board.color[np.uint32(neighbour(p, i))]
        if color == me:
            if fills(board, p, head):
                _find_escapes(policy, board, head, p, last)
            elif (
                last != PASS
                and _touches(board, last, head)
                and few_liberties(board, head)[0] == 2
                and _liberties(board, p, me) > 2
            ):
                add_feature(policy, p, EXTEND)
        elif color == 3 - me:
            if fills(board, p, head):
                _find_captures(policy, board, head, p, last)
            elif last != PASS and head == board.chain[last]:
                n, a, b = few_liberties(board, head)
                if n == 2:
                    _find_against(policy, board, p, b if p == a else a, head)
                    if _has_rival(board, last):
                        add_feature(policy, p, RACE)


@inner
def _liberties(board, p, me):
    """The liberties of a stone of ours at p, three at most; 0 where it may not be played."""
    return liberties_after(board, p, me, np.uint32(PASS))[0] if is_playable(board, p, me) else 0


@inner
def _find_against(policy, board, p, other, head):
    """What a move does to the chain that moved last, which has the liberties p and `other`."""
    if _liberties(board, p, board.to_play) > 1:
        add_feature(policy, p, ATARI_LAST)
        if _catches(policy, board, p, other, head):
            add_feature(policy, p, CATCH_LAST)


@inner
def _has_rival(board, last):
    """Whether a chain of ours next to the last move has two liberties."""
    for i in range(4):
        q = np.uint32(neighbour(last, i))
        if board.color[q] == board.to_play and few_liberties(board, np.uint32(board.chain[q]))[0] == 2:
            return True
    return False
