"""The rules of Go on the record of `state`: what is legal, what a move does, who has won.

Inside simulations the ko rule is the simple one (no immediate retake); `Board` adds exact superko.
Area scoring. Suicide is illegal unless ``board.suicide`` is set; simulation policies never play it.
"""

import numpy as np

from playout.games import api
from playout.games.go.state import (
    AREA,
    BLACK,
    COUNT_MASK,
    EDGE,
    EMPTY,
    PASS,
    POINTS,
    STATE,
    WHITE,
    ZOBRIST,
    toggle,
    weight,
)
from playout.games.go.view import (
    FREE_CONSTANT,
    FREE_COUNT,
    FREE_SLOPE,
    FULL,
    STEP,
    empties,
    friends,
    has_empty_neighbour,
    is_eye,
    neighbour,
    owner,
)
from playout.kernel import allocating, implements, inner, kernel
from playout.kernel.rng import mix

# A point is a number on a padded board. A state has a limit of its own on the moves of a simulation.
FACTS = api.Facts(actions=POINTS, choices=AREA + 1, silent=PASS)
api.declare(STATE, FACTS)


@inner
def fills(board, p, head):
    """Whether p is the only liberty of a chain that has it as a liberty."""
    packed = board.liberties[head]
    return packed == (packed & COUNT_MASK) * weight(p)


@inner
def leaves_liberty(board, p, me):
    """Whether a stone at p, which has no empty neighbour, has a liberty once captures are made."""
    found = False
    for i in range(4):
        q = neighbour(p, i)
        c = board.color[q]
        last = fills(board, p, np.uint32(board.chain[q]))
        found |= ((c == me) & (not last)) | ((c == 3 - me) & last)
    return found


@inner
def is_playable(board, p, me):
    """Whether `me` may play the empty point p: no suicide, no retake of a ko."""
    if has_empty_neighbour(board.around[p]):
        return True
    return p != board.ko and leaves_liberty(board, p, me)


@inner
def join(board, a, b):
    """Make one chain of two; the head of the larger one stays."""
    if board.stones[a] < board.stones[b]:
        a, b = b, a
    board.liberties[a] += board.liberties[b]
    board.stones[a] += board.stones[b]
    p = b
    while True:
        board.chain[p] = a
        p = np.uint32(board.following[p])
        if p == b:
            break
    after = board.following[a]
    board.following[a] = board.following[b]
    board.following[b] = after
    return a


@inner
def remove(board, head, color):
    """Take a chain off the board; return its number of stones."""
    p = head
    taken = 0
    n = np.uint32(board.n_empty)
    key = board.zobrist
    while True:
        board.color[p] = EMPTY
        board.empty[n] = p
        board.place[p] = n
        n += np.uint32(1)
        key ^= ZOBRIST[color, p]
        toggle(board, p, color)
        here = weight(p)
        for i in range(4):
            board.liberties[board.chain[neighbour(p, i)]] += here
        following = np.uint32(board.following[p])
        board.following[p] = p
        board.chain[p] = p
        taken += 1
        p = following
        if p == head:
            break
    board.n_empty = n
    board.zobrist = key
    return taken


@inner
def put_stone(board, p, me):
    """Place a stone of `me` on an empty point, with captures (and suicide); sets ko and margin."""
    enemy = np.uint8(3 - me)
    around = board.around[p]
    board.color[p] = me
    toggle(board, p, me)
    board.zobrist ^= ZOBRIST[me, p]

    n = np.uint32(board.n_empty) - np.uint32(1)
    board.n_empty = n
    k = board.place[p]
    moved = board.empty[n]
    board.empty[k] = moved
    board.place[moved] = k

    here = weight(p)
    for i in range(4):
        board.liberties[board.chain[neighbour(p, i)]] -= here
    free = empties(around)
    own = FREE_COUNT[free] * here + FREE_CONSTANT[free] + FREE_SLOPE[free] * np.uint64(p)

    mine = friends(around, me)
    head = p
    if mine == 0:
        board.liberties[p] = own
        board.stones[p] = 1
    else:
        head = np.uint32(board.chain[np.uint32(np.int32(p) + STEP[mine])])
        board.chain[p] = head
        board.following[p] = board.following[head]
        board.following[head] = p
        board.liberties[head] += own
        board.stones[head] += np.uint16(1)
        mine &= mine - np.uint16(1)
        while mine != 0:
            other = np.uint32(board.chain[np.uint32(np.int32(p) + STEP[mine])])
            if other != head:
                head = join(board, head, other)
            mine &= mine - np.uint16(1)

    smothered = False
    for i in range(4):
        q = neighbour(p, i)
        empty = board.liberties[board.chain[q]] & COUNT_MASK == np.uint64(0)
        smothered |= (board.color[q] == enemy) & empty
    taken = 0
    ko = np.uint32(0)
    if smothered:
        for i in range(4):
            q = neighbour(p, i)
            other = np.uint32(board.chain[q])
            if board.color[q] == enemy and board.liberties[other] & COUNT_MASK == np.uint64(0):
                taken += remove(board, other, enemy)
                ko = q
        surrounded = FULL[enemy]
        if taken != 1 or (around & surrounded) != surrounded:
            ko = np.uint32(0)
    board.ko = ko
    change = 1 + taken
    if board.liberties[head] & COUNT_MASK == np.uint64(0):
        change -= remove(board, head, me)
        board.last = PASS  # no stone is left there that could be answered
    board.margin += change if me == BLACK else -change


@implements(api.play, STATE)
def play(board, point):
    p = np.uint32(point)
    me = board.to_play
    board.last = p
    if p == PASS:
        board.passes += np.uint8(1)
        board.ko = 0
    else:
        put_stone(board, p, me)
        board.passes = 0
    board.moves += np.uint16(1)
    board.to_play = np.uint8(3 - me)


@implements(api.is_legal, STATE)
def is_legal(board, point):
    p = np.uint32(point)
    if p == PASS:
        return True
    if board.color[p] != EMPTY:
        return False
    return is_playable(board, p, board.to_play) or (board.suicide != 0 and p != board.ko)


@implements(api.legal_moves, STATE)
def legal_moves(board, moves):
    n = 0
    for k in range(board.n_empty):
        p = np.uint32(board.empty[np.uint32(k)])
        if is_playable(board, p, board.to_play) or (board.suicide != 0 and p != board.ko):
            moves[n] = p
            n += 1
    moves[n] = PASS
    return n + 1


@implements(api.tree_moves, STATE)
def tree_moves(board, moves):
    """Legal moves that are no suicide and fill no eye of one's own, then pass."""
    n = 0
    me = board.to_play
    for k in range(board.n_empty):
        p = np.uint32(board.empty[np.uint32(k)])
        if is_playable(board, p, me) and not is_eye(board.around[p], me):
            moves[n] = p
            n += 1
    moves[n] = PASS
    return n + 1


@implements(api.to_play, STATE)
def to_play(board):
    return board.to_play


@implements(api.is_over, STATE)
def is_over(board):
    return board.passes >= 2 or board.moves >= board.limit


@allocating
def area_of_regions(board):
    """Empty points that reach only Black less those that reach only White, by filling the regions."""
    seen = np.zeros(board.color.size, np.uint8)
    stack = np.empty(AREA, np.uint16)
    total = 0
    for k in range(board.n_empty):
        start = np.uint32(board.empty[np.uint32(k)])
        if seen[start]:
            continue
        seen[start] = 1
        stack[0] = start
        depth = 1
        points = 0
        reached = 0
        while depth > 0:
            depth -= 1
            p = np.uint32(stack[depth])
            points += 1
            for i in range(4):
                q = neighbour(p, i)
                c = board.color[q]
                if c == EMPTY:
                    if not seen[q]:
                        seen[q] = 1
                        stack[depth] = q
                        depth += 1
                elif c != EDGE:
                    reached |= c
        if reached == BLACK:
            total += points
        elif reached == WHITE:
            total -= points
    return total


@inner
def area(board):
    """Black's area less White's with every stone alive: stones and the empty points only they reach."""
    total = np.int64(board.margin)
    for k in range(board.n_empty):
        around = board.around[board.empty[np.uint32(k)]]
        if has_empty_neighbour(around):
            return np.int64(board.margin) + area_of_regions(board)
        total += owner(around)
    return total


@implements(api.lead, STATE)
def lead(board):
    return area(board) - board.komi


@implements(api.outcome, STATE)
def outcome(board):
    if board.passes < 2:
        return 0.5  # stopped at the limit (Silver 2009, section 5.6)
    ahead = area(board) - board.komi
    return 1.0 if ahead > 0.0 else 0.0 if ahead < 0.0 else 0.5


@kernel
def area_score(board):
    """Black's area less White's, every stone alive, komi not counted."""
    return area(board)


@kernel
def fills_eye(board, point):
    """Whether a point is a single-point eye of the side to move."""
    return is_eye(board.around[np.uint32(point)], board.to_play)


@implements(api.position_key, STATE)
def position_key(board):
    words = np.uint64(board.to_play) | np.uint64(board.passes) << np.uint64(2)
    words |= np.uint64(board.ko) << np.uint64(4) | np.uint64(board.moves) << np.uint64(20)
    return board.zobrist ^ mix(words + np.uint64(1))


@implements(api.skip, STATE)
def skip(board):
    if board.passes > 0:
        return False
    board.to_play = np.uint8(3 - board.to_play)
    board.ko = 0
    board.moves += np.uint16(1)
    return True
