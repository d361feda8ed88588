"""Proofs that a side to move scores so much or not, on boards up to 7×7, with positional superko.

The question is always "does the mover score at least `t`?", which has two answers: every node of the search
is a proof for one side, the *prover*, or a guess where the depth ended. Iterative deepening asks again until
the root is proved.

Superko makes the answer depend on the history, so a proof found after one history need not hold after
another one. It consists of one move of the prover at his nodes and of all moves of his opponent at the
others. It can break after another history in two ways only:

1. *A move of the prover is forbidden there.* So a proof comes with what is known of the boards that the
   prover's moves in it make: an interval (the stones that are on all of them; those that are on some) and
   the fewest stones of any. Of the boards that are subsets of the position itself, to which all earlier
   boards belong as long as nothing was captured, there is an interval of their own. The proof is used only
   where no board of the history lies in the interval it would belong to.
2. *A move of the opponent is allowed there* that superko forbade here. So a node remembers the earliest board
   of its path that forbade its opponent something in the proof, and a proof that leans on a board before its
   own position is not kept. (The immediate retake of a ko is always forbidden; the ko belongs to the
   position's key and leans on nothing.)

Conversely, more boards in the history only take moves from the opponent. So what is kept is true after every
history in which it is used, by induction over the proof, also where a proof was built from kept ones.
A kept proof is found for all eight symmetries and with colours exchanged.

Two proofs need no search: a mover who is ahead after a pass ends the game by another; and a side gets what
`bits.secure` says. Its moves there only add stones that stay, so they make no board that is a subset of the
position, and none twice.
"""

import numpy as np

from playout.games.go.bits import (
    NONE,
    ONE,
    area,
    beside,
    connected,
    count,
    ko_after,
    lowest,
    number,
    put,
    secure,
)
from playout.games.go.kept import (
    BOARDS,
    NO_BOARD,
    NO_MOVE,
    PASS_MOVE,
    add_board,
    add_boards,
    copy_boards,
    find_key,
    hash_of,
    holds,
    keep,
    look_up,
    no_boards,
    turn_move,
    turn_move_back,
)
from playout.kernel import inner, kernel, record_type

MAX_PLIES = 1000
MAX_PATH = 4000
ENTER, NEXT, BACK = 0, 1, 2  # what a frame does next
NOBODY = 2  # nobody has to prove

FRAME = record_type(
    [
        ("own", "u8"),  # of the side to move
        ("other", "u8"),
        ("ko", "u8"),
        *BOARDS,  # of the proof that the mover fails, so far
        ("leans", "i4"),  # earliest board of the path that such a proof leans on
        ("here", "i4"),  # index of the own board on the path
        ("goal", "i2"),  # t
        ("left", "i2"),  # plies to look ahead
        ("proven", "u1"),  # whether all answers so far are proofs
        ("passed", "u1"),
        ("turn", "u1"),  # 0 for the side that moves first
        ("taken", "u1"),  # whether there may be a capture in the history
        ("phase", "u1"),
        ("next_move", "u1"),
        ("n_moves", "u1"),
        ("move", "u1"),  # under way
        ("symmetry", "u1"),  # that makes the key
        ("began", "u8"),  # nodes then
        ("key_own", "u8"),
        ("key_other", "u8"),
        ("code", "u1"),  # of ko and pass in the key
        ("moves", "u1", (52,)),
    ]
)
HINT = record_type(
    [
        ("hash", "u8"),
        ("hint_left", "i2"),
        ("goal", "i1"),
        ("wins", "u1"),
        ("move", "u1"),
        ("valid", "u1"),
        ("attacker", "u1"),
    ]
)
PROVER = record_type(
    [
        *BOARDS,
        ("board", "u8"),
        ("nodes", "u8"),
        ("ply", "i4"),
        ("leans", "i4"),
        ("side", "u1"),
        ("attacker", "u1"),  # who must prove: 0 the side that moves first, 1 the other, or NOBODY
        ("plain", "u1"),  # to do without `secure`, for tests
        ("wins", "u1"),  # the answer that came last
        ("proven", "u1"),
        ("move", "u1"),
        ("kept", "u8"),  # proofs
        ("found", "u8"),
        ("refused", "u8"),
        ("leaning", "u8"),
        ("history", "u4", (2, 64)),  # by side and move: how often it was the answer
        ("scores", "i8", (52,)),  # of moves, while they are put in order
    ]
)


# -- the search ---------------------------------------------------------------------------------------


@inner
def _guess(own, other, board):
    """What the mover may come to score, where the search looks no further."""
    left = other
    while left:
        chain = connected(lowest(left), other, board)
        left &= ~chain
        liberties = beside(chain, board) & ~own & ~other
        if liberties & (liberties - ONE) == NONE:  # it can be captured
            other &= ~chain
    mine, theirs, nobody = own, other, NONE
    for _ in range(3):
        empty = board & ~(mine | theirs | nobody)
        more, less = beside(mine, board) & empty, beside(theirs, board) & empty
        mine |= more & ~less
        theirs |= less & ~more
        nobody |= more & less
    return count(mine) - count(theirs)


@inner
def _generate(p, f, tip):
    """The moves that are no suicide and no retake of a ko, the most promising ones first; pass."""
    board = p.board
    empty = board & ~f.own & ~f.other & ~f.ko
    n = 0
    scores = p.scores
    eyes = empty & ~beside(board & ~f.own, board)
    while empty:
        bit = lowest(empty)
        empty &= ~bit
        own, other, captured, legal = put(f.own, f.other, bit, board)
        if not legal:
            continue
        move = number(bit)
        bonus = 0
        if captured:
            bonus += 1 << 24
        else:
            chain = connected(bit, own, board)
            liberties = beside(chain, board) & ~own & ~other
            if liberties & (liberties - ONE) == NONE:
                bonus -= 1 << 26  # self-atari
        if bit & eyes:
            bonus -= 1 << 27
        score = bonus + np.int64(p.history[f.turn, np.uint32(move)])
        if move == tip:
            score = np.int64(1 << 40)
        k = np.uint32(n)
        while k > 0 and scores[k - np.uint32(1)] < score:
            scores[k] = scores[k - np.uint32(1)]
            f.moves[k] = f.moves[k - np.uint32(1)]
            k -= np.uint32(1)
        scores[k] = score
        f.moves[k] = move
        n += 1
    if tip == PASS_MOVE:
        for j in range(n, 0, -1):
            f.moves[j] = f.moves[j - 1]
        f.moves[0] = PASS_MOVE
    else:
        f.moves[n] = PASS_MOVE
    f.n_moves = n + 1
    f.next_move = 0


@inner
def _secured(p, f, safe, held, path, mine):
    """Answer by what one side holds for sure, unless an earlier board may forbid its moves.

    They put stones where it has none now, and its alive stones stay.
    """
    no_boards(p, p.board)
    if beside(held & ~safe, p.board) & held & ~safe != NONE:  # beyond eyes of one point, which need no moves
        stones = (f.own if mine else f.other) | held
        p.fewest = np.uint8(count(safe) + 1)
        if mine:
            p.all_own, p.all_other, p.any_own, p.any_other = safe, NONE, stones, p.board & ~safe
        else:
            p.all_own, p.all_other, p.any_own, p.any_other = NONE, safe, p.board & ~safe, stones
        if f.taken and not holds(p, f, path, f.turn == 0):
            return False
    p.wins, p.proven, p.leans, p.move = np.uint8(mine), 1, NO_BOARD, PASS_MOVE
    inside = held & f.other
    if mine and inside != NONE:
        chain = connected(lowest(inside), f.other, p.board)
        p.move = np.uint8(number(lowest(beside(chain, p.board) & ~f.own & ~f.other)))
    return True


@inner
def _enter(p, f, path, entries, hints):
    """Answer at once, or make ready to go through the moves; whether there is an answer."""
    p.nodes += ONE
    f.began = p.nodes
    p.move = NO_MOVE
    if f.passed and area(f.own, f.other, p.board) >= f.goal:
        p.wins, p.proven, p.leans, p.move = 1, 1, NO_BOARD, PASS_MOVE
        no_boards(p, p.board)
        return True
    if not p.plain:
        score, safe, held = secure(f.own, f.other, p.board)
        if score >= f.goal and _secured(p, f, safe, held, path, True):
            return True
        score, safe, held = secure(f.other, f.own, p.board)
        if score > -f.goal and _secured(p, f, safe, held, path, False):
            return True
    find_key(f, p.side)
    answered, tip = look_up(p, f, path, entries)
    if answered:
        return True
    if f.left <= 0:
        if p.attacker == NOBODY:
            p.wins = 1 if _guess(f.own, f.other, p.board) >= f.goal else 0
        else:
            p.wins = 1 if f.turn != p.attacker else 0
        p.proven, p.leans = 0, NO_BOARD
        no_boards(p, p.board)
        return True
    h = hash_of(f)
    hint = hints[np.int64(h & np.uint64(hints.size - 1))]
    if hint.valid and hint.hash == h:
        if (
            hint.goal == f.goal
            and hint.attacker == p.attacker
            and (hint.hint_left == f.left or (p.attacker != NOBODY and hint.hint_left > f.left))
        ):
            p.wins, p.proven, p.leans = hint.wins, 0, NO_BOARD
            no_boards(p, p.board)
            return True
        if tip == NO_MOVE:
            tip = turn_move_back(hint.move, f.symmetry, p.side)
    _generate(p, f, tip)
    no_boards(f, p.board)
    f.leans, f.proven = NO_BOARD, 1
    f.phase = NEXT
    return False


@inner
def _leave(p, f, entries, hints):
    """The answer of a frame is ready: keep it."""
    if p.proven:
        keep(p, f, entries)
    h = hash_of(f)
    hint = hints[np.int64(h & np.uint64(hints.size - 1))]
    same = hint.valid and hint.hash == h
    if p.wins or not same:
        hint.move = turn_move(p.move, f.symmetry, p.side)
    if not p.proven or not same:
        hint.hash, hint.goal, hint.wins, hint.valid = h, f.goal, p.wins, 1
        hint.attacker = p.attacker
        hint.hint_left = -1 if p.proven else f.left


@inner
def _open(g, own, other, ko, passed, taken, here, goal, left, turn):
    g.own, g.other, g.ko, g.passed, g.taken = own, other, ko, passed, taken
    g.here, g.goal, g.left, g.turn, g.phase = here, goal, left, turn, ENTER


@kernel
def prove(provers, frames, path, entries, hints, budget):
    """Go on with a search for so many nodes; whether it has ended (the answer is in the prover)."""
    p = provers[0]
    end = p.nodes + np.uint64(budget)
    while p.ply >= 0:
        f = frames[p.ply]
        if f.phase == ENTER:
            if p.nodes >= end:
                return False
            if _enter(p, f, path, entries, hints):
                p.ply -= 1
            continue
        if f.phase == BACK:
            f.phase = NEXT
            g = frames[p.ply + 1]
            if p.wins == 0:
                # The move is good: the proof is the answer's, and the board that the move made.
                if f.move != PASS_MOVE:
                    p.history[f.turn, np.uint32(f.move)] += np.uint32(1)
                no_boards(f, p.board)
                add_boards(f, p, g.own | g.other)
                if f.move != PASS_MOVE:
                    add_board(f, g.other, g.own)
                copy_boards(p, f)
                p.wins, p.move = 1, f.move
                _leave(p, f, entries, hints)
                p.ply -= 1
                continue
            f.proven &= p.proven
            f.leans = min(f.leans, p.leans)
            add_boards(f, p, g.own | g.other)
        if f.next_move == f.n_moves:
            copy_boards(p, f)
            p.wins, p.proven, p.leans, p.move = 0, f.proven, f.leans, NO_MOVE
            _leave(p, f, entries, hints)
            p.ply -= 1
            continue
        move = f.moves[f.next_move]
        f.next_move += 1
        g = frames[p.ply + 1]
        if move == PASS_MOVE:
            if f.passed:
                continue  # would end the game, lost
            f.move, f.phase = move, BACK
            _open(g, f.other, f.own, NONE, 1, f.taken, f.here, 1 - f.goal, f.left - 1, 1 - f.turn)
            p.ply += 1
            continue
        bit = ONE << np.uint64(move)
        own, other, captured, _ = put(f.own, f.other, bit, p.board)
        first, second = (own, other) if f.turn == 0 else (other, own)
        taken = f.taken or captured != NONE
        if taken:
            before = f.here
            while before >= 0 and not (path[before, 0] == first and path[before, 1] == second):
                before -= 1
            if before >= 0:
                f.leans = min(f.leans, before)
                continue
        path[f.here + 1, 0], path[f.here + 1, 1] = first, second
        ko = ko_after(own, other, bit, captured, p.board)
        f.move, f.phase = move, BACK
        _open(g, other, own, ko, 0, taken, f.here + 1, 1 - f.goal, f.left - 1, 1 - f.turn)
        p.ply += 1
    return True
