"""ψ(s, a) = ∇ log π(s, a) = φ(s, a) − E[φ(s, ·)] of a softmax policy, summed over a game (Silver & Tesauro
2009, eq. 6), at about the price of the game itself.

It is kept by slot (`memory.corners`): *credit* +1 for the slots of a chosen move, −π for those of every move
that could have been. The second part would be a loop over the board at each move. But π(s_t, b) = w(b) / W_t,
where w(b) and the slots of b stay as they are until a stone comes or goes next to b. So each player has a
running sum Σ 1/W_t, his *share*; a point remembers how much of it was paid for, and pays when it changes.

The difference of two shares has no more digits than the share itself. So when 1/W is too small beside it, all
points pay first, and shares begin at 0 again: W is large because some move is almost certain, and of that
nothing would be left.

A capture has more slots, those of the stones that it takes off. They are listed when it is looked at, and
what it is due waits until it is looked at anew.
"""

import numpy as np

from playout.games.go.memory.corners import MOST_SLOTS, PARTS, REACH, WHOSE, put, take
from playout.games.go.rules import fills
from playout.games.go.state import AREA, POINTS, STRIDE
from playout.games.go.view import neighbour
from playout.kernel import inner
from playout.policy import softmax

MOST_LISTED = PARTS * AREA  # slots of all captures of a move: none has a stone that another one has
ROOM = 3 * MOST_LISTED
MOST = 2.0**24  # a share is at most so many times what is added to it

LEARNING = [
    ("credit", "f8", (MOST_SLOTS, 2)),  # Σ ψ by slot and player, but for what is not yet paid
    ("paid", "f8", (POINTS, 2)),  # by point and player: how much of the share is paid for
    ("slot_list", "u2", (ROOM,)),  # the slots of one capture after another
    ("n_listed", "u2"),
    ("first_listed", "u2", (POINTS, 2)),  # by point and player: where those of his capture there begin
    ("end_listed", "u2", (POINTS, 2)),
    ("due", "f8", (POINTS, 2)),  # credit that they are still to get
    ("share", "f8", (2,)),  # Σ 1/W over a player's moves
    ("slots", "u4"),  # how many there are
    *softmax.LEARNING,
]
# By direction (up, left, right, down): the two entries of a point's steps that are its neighbour's there.
BESIDE = np.array([np.flatnonzero(step == REACH) for step in (-STRIDE, -1, 1, STRIDE)], np.uint32)


@inner
def pay(policy, p):
    """Give the slots of a point their part of E[φ] since it was last asked."""
    if policy.preference[p, 0] == 0.0 and policy.preference[p, 1] == 0.0:
        policy.paid[p, 0] = policy.share[0]
        policy.paid[p, 1] = policy.share[1]
        return
    black = policy.sign[0] * policy.preference[p, 0] * (policy.share[0] - policy.paid[p, 0])
    white = policy.sign[1] * policy.preference[p, 1] * (policy.share[1] - policy.paid[p, 1])
    policy.paid[p, 0] = policy.share[0]
    policy.paid[p, 1] = policy.share[1]
    if black != 0.0 or white != 0.0:
        for j in range(PARTS):
            slot = np.uint32(policy.corner[p, np.uint32(j)])
            policy.credit[slot, 0] -= black
            policy.credit[slot, 1] -= white


@inner
def pay_within(policy, first, rows, columns):
    """The same for the points of a rectangle."""
    for i in range(rows):
        p = first + np.uint32(i) * np.uint32(STRIDE)
        for _ in range(columns):
            pay(policy, p)
            p += np.uint32(1)


@inner
def add_share(policy, side, player, part):
    """A player has moved; part: 1/W."""
    if policy.share[player] > MOST * part:
        pay_within(policy, np.uint32(STRIDE + 1), side, side)
        policy.share[0] = policy.share[1] = 0.0
        for row in range(side):
            p = np.uint32((row + 1) * STRIDE + 1)
            for _ in range(side):
                policy.paid[p, 0] = policy.paid[p, 1] = 0.0
                p += np.uint32(1)
    policy.share[player] += part


@inner
def pay_all(policy, side):
    """The same for the whole board, captures included."""
    pay_within(policy, np.uint32(STRIDE + 1), side, side)
    for row in range(side):
        p = np.uint32((row + 1) * STRIDE + 1)
        for _ in range(side):
            pay_capture(policy, p)
            p += np.uint32(1)


@inner
def worth(policy, p, player):
    """exp(φ·θ) of a stone at p, less what all moves have in common, captures left out."""
    upper = policy.factor[policy.corner[p, 0], player] * policy.factor[policy.corner[p, 1], player]
    lower = policy.factor[policy.corner[p, 2], player] * policy.factor[policy.corner[p, 3], player]
    return upper * lower


@inner
def credit_stone(policy, p, player, amount):
    """Add amount × φ of a stone at p, captures left out."""
    for j in range(PARTS):
        policy.credit[policy.corner[p, np.uint32(j)], player] += amount


@inner
def _list_slot(policy, slot):
    """Put a slot on the list, if it will be wanted."""
    if policy.learning:
        policy.slot_list[np.uint32(policy.n_listed)] = slot
        policy.n_listed += np.uint16(1)


@inner
def _list_stone(policy, p):
    """List the slots of a stone at p."""
    for j in range(PARTS):
        _list_slot(policy, policy.corner[p, np.uint32(j)])


@inner
def pay_capture(policy, p):
    """Give the slots of captures at p what they are due: one's own stone there, and the enemy's taken off."""
    for player in range(2):
        amount = policy.due[p, player]
        if amount != 0.0:
            policy.due[p, player] = 0.0
            first = np.uint32(policy.first_listed[p, player])
            for k in range(first, first + np.uint32(PARTS)):
                policy.credit[policy.slot_list[np.uint32(k)], np.uint32(player)] += amount
            for k in range(first + np.uint32(PARTS), policy.end_listed[p, player]):
                policy.credit[policy.slot_list[np.uint32(k)], np.uint32(1 - player)] += amount


@inner
def lift(policy, board, p, enemy):
    """Take the stones that a stone at p captures out of sight: what that is worth to who plays p.

    Their slots are listed.
    """
    x = 1.0
    for i in range(4):
        head = _captured(board, p, i, enemy)
        stone = head
        while stone != 0:
            x *= worth(policy, stone, np.uint32(enemy - 1))
            _list_stone(policy, stone)
            take(policy, stone, enemy)
            stone = np.uint32(board.following[stone])
            if stone == head:
                break
    return x


@inner
def lower(policy, board, p, enemy):
    """Put the stones back that `lift` has taken."""
    for i in range(4):
        head = _captured(board, p, i, enemy)
        stone = head
        while stone != 0:
            put(policy, stone, enemy)
            stone = np.uint32(board.following[stone])
            if stone == head:
                break


@inner
def _captured(board, p, i, enemy):
    """The head of the chain that a stone at p captures in direction i; 0 if none, or if it was met before."""
    q = np.uint32(neighbour(p, i))
    head = np.uint32(board.chain[q])
    if board.color[q] != enemy or not fills(board, p, head):
        return np.uint32(0)
    for j in range(i):
        other = np.uint32(neighbour(p, j))
        if board.color[other] == enemy and board.chain[other] == head:
            return np.uint32(0)
    return head


@inner
def _others(board, p, head, enemy):
    """Whether a stone at p captures another chain than one that it captures."""
    found = False
    for i in range(4):
        q = np.uint32(neighbour(p, i))
        chain = np.uint32(board.chain[q])
        found |= (board.color[q] == enemy) & (chain != head) & fills(board, p, chain)
    return found


@inner
def capture(policy, board, p, head):
    """exp(φ·θ) of a move with the stones that it captures, as they would stand after it; lists their slots.

    head: of one of the chains.
    """
    me = board.to_play
    enemy = np.uint8(3 - me)
    player = np.uint32(me - 1)
    policy.first_listed[p, player] = policy.n_listed
    x = worth(policy, p, player)
    _list_stone(policy, p)
    if board.stones[head] == 1 and not _others(board, p, head, enemy):
        x *= _worth_beside(policy, head, p, me)  # most are of one stone
    else:
        put(policy, p, me)
        x *= lift(policy, board, p, enemy)
        lower(policy, board, p, enemy)
        take(policy, p, me)
    policy.end_listed[p, player] = policy.n_listed
    return x


@inner
def _way(q, p):
    """The direction from p to its neighbour q."""
    step = np.int64(q) - np.int64(p)
    return 0 if step == -STRIDE else 1 if step == -1 else 2 if step == 1 else 3


@inner
def _worth_beside(policy, q, p, color):
    """exp(φ·θ) of a stone of the other colour at q beside a stone at p; lists its slots."""
    way = _way(q, p)
    first, second = BESIDE[way, 0], BESIDE[way, 1]
    x = 1.0
    for j in range(PARTS):
        more = np.uint32(policy.step[p, first]) * np.uint32(WHOSE[first] == j)
        more += np.uint32(policy.step[p, second]) * np.uint32(WHOSE[second] == j)
        slot = np.uint32(policy.corner[q, np.uint32(j)]) + np.uint32(color) * more
        x *= policy.factor[slot, np.uint32(2 - color)]
        _list_slot(policy, slot)
    return x


@inner
def forget(policy):
    """No credit; what is owed is for `begin` to forget."""
    for k in range(policy.slots):
        policy.credit[np.uint32(k), 0] = policy.credit[np.uint32(k), 1] = 0.0


@inner
def credit_move(policy, board, p, amount):
    """Add amount × φ of a move that the policy can choose; it is learning, so captures have lists."""
    player = np.uint32(board.to_play - 1)
    special = False
    for k in range(policy.n_special):
        special |= policy.special[np.uint32(k)] == p
    if special:
        policy.due[p, player] += amount
        pay_capture(policy, p)
    else:
        credit_stone(policy, p, player, amount)
