"""ψ(s, a) = ∇ log π(s, a) = φ(s, a) − E[φ(s, ·)] of a softmax policy, summed over a game (Silver & Tesauro
2009, eq. 6), at about the price of the game itself.

It is kept by slot (`memory.corners`): *credit* +1 for the slots of a chosen move, −π for those of every move
that could have been. The second part would be a loop over the board at each move. But π(s_t, b) = w(b) / W_t,
where w(b) and the slots of b stay as they are until a stone comes or goes next to b. So each player has a
running sum Σ 1/W_t, his *share*; a point remembers how much of it was paid for, and pays when it changes.
"""

import numpy as np

from playout.games.go.rules import fills
from playout.games.go.state import POINTS, STRIDE
from playout.games.go.view import neighbour
from playout.kernel import inner, kernel
from playout.memory.corners import MOST_SLOTS, PARTS, REACH, WHOSE, put, take

LEARNING = [
    ("credit", "f8", (MOST_SLOTS, 2)),  # Σ ψ by slot and player, but for what is not yet paid
    ("paid", "f8", (POINTS, 2)),  # by point and player: how much of the share is paid for
    ("share", "f8", (2,)),  # Σ 1/W over a player's moves
    ("sign", "f8", (2,)),  # by what a player's ψ are multiplied
    ("learning", "u1"),  # whether any of this is wanted
    ("slots", "u4"),  # how many there are
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
def pay_around(policy, p):
    """The same for a point and the eight around it."""
    q = p - np.uint32(STRIDE + 1)
    for _ in range(3):
        for _ in range(3):
            pay(policy, q)
            q += np.uint32(1)
        q += np.uint32(STRIDE - 3)


@inner
def pay_all(policy, side):
    """The same for the whole board."""
    for row in range(side):
        p = np.uint32((row + 1) * STRIDE + 1)
        for _ in range(side):
            pay(policy, p)
            p += np.uint32(1)


@inner
def worth(policy, p, player):
    """exp(φ·θ) of a stone at p, less what all moves have in common, captures left out."""
    upper = policy.factor[policy.corner[p, 0], player] * policy.factor[policy.corner[p, 1], player]
    lower = policy.factor[policy.corner[p, 2], player] * policy.factor[policy.corner[p, 3], player]
    return upper * lower * policy.factor[policy.corner[p, 4], player]


@inner
def credit_stone(policy, p, player, amount):
    """Add amount × φ of a stone at p, captures left out."""
    for j in range(PARTS):
        policy.credit[policy.corner[p, np.uint32(j)], player] += amount


@inner
def lift(policy, board, p, enemy, amount):
    """Take the stones that a stone at p captures out of sight: what that is worth to who plays p.

    amount: of credit for it.
    """
    x = 1.0
    player = np.uint32(enemy - 1)
    for i in range(4):
        head = _captured(board, p, i, enemy)
        stone = head
        while stone != 0:
            x *= worth(policy, stone, player)
            if amount != 0.0:
                credit_stone(policy, stone, player, amount)
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
    """exp(φ·θ) of a move with the stones that it captures, as they would stand after it.

    head: of one of the chains.
    """
    me = board.to_play
    enemy = np.uint8(3 - me)
    x = worth(policy, p, np.uint32(me - 1))
    if board.stones[head] == 1 and not _others(board, p, head, enemy):
        return x * worth_beside(policy, head, p, me)  # most are of one stone
    put(policy, p, me)
    x *= lift(policy, board, p, enemy, 0.0)
    lower(policy, board, p, enemy)
    take(policy, p, me)
    return x


@inner
def _way(q, p):
    """The direction from p to its neighbour q."""
    step = np.int64(q) - np.int64(p)
    return 0 if step == -STRIDE else 1 if step == -1 else 2 if step == 1 else 3


@inner
def _slot_beside(policy, q, p, way, j, color):
    """Slot j of q when a stone stands at p, from which q lies in a direction."""
    first, second = BESIDE[way, 0], BESIDE[way, 1]
    more = np.uint32(policy.step[p, first]) * np.uint32(WHOSE[first] == j)
    more += np.uint32(policy.step[p, second]) * np.uint32(WHOSE[second] == j)
    return np.uint32(policy.corner[q, np.uint32(j)]) + np.uint32(color) * more


@inner
def worth_beside(policy, q, p, color):
    """exp(φ·θ) of a stone of the other colour at q, when a stone stands at its neighbour p."""
    way = _way(q, p)
    x = 1.0
    for j in range(PARTS):
        x *= policy.factor[_slot_beside(policy, q, p, way, j, color), np.uint32(2 - color)]
    return x


@inner
def _only_stone(board, p, enemy):
    """The one stone that a stone at p captures; 0 if those are more."""
    found = np.uint32(0)
    stones = 0
    for i in range(4):
        head = _captured(board, p, i, enemy)
        if head != 0:
            found = head
            stones += board.stones[head]
    return found if stones == 1 else np.uint32(0)


@inner
def credit_capture(policy, board, p, amount):
    """Add amount × φ of a move with the stones that it captures."""
    me = board.to_play
    enemy = np.uint8(3 - me)
    credit_stone(policy, p, np.uint32(me - 1), amount)
    q = _only_stone(board, p, enemy)
    if q != 0:  # most are of one stone
        way = _way(q, p)
        for j in range(PARTS):
            policy.credit[_slot_beside(policy, q, p, way, j, me), np.uint32(enemy - 1)] += amount
        return
    put(policy, p, me)
    lift(policy, board, p, enemy, amount)
    lower(policy, board, p, enemy)
    take(policy, p, me)


@kernel
def forget(policy):
    """No credit; what is owed is for `begin` to forget."""
    for k in range(policy.slots):
        policy.credit[np.uint32(k), 0] = policy.credit[np.uint32(k), 1] = 0.0


@inner
def credit_choice(policy, board, whole, chosen, amount):
    """Add amount × ψ of a move, point by point; the policy is prepared, the sum of preferences is `whole`."""
    player = np.uint32(board.to_play - 1)
    for row in range(board.side):
        p = np.uint32((row + 1) * STRIDE + 1)
        for _ in range(board.side):
            preference = policy.preference[p, player]
            if preference > 0.0:
                credit_move(policy, board, p, amount * ((1.0 if p == chosen else 0.0) - preference / whole))
            p += np.uint32(1)


@inner
def credit_move(policy, board, p, amount):
    """Add amount × φ of a move that the policy can choose."""
    special = False
    for k in range(policy.n_special):
        special |= policy.special[np.uint32(k)] == p
    if special:
        credit_capture(policy, board, p, amount)
    else:
        credit_stone(policy, p, np.uint32(board.to_play - 1), amount)
