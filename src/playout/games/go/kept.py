"""Proofs that are kept: what is known of their boards, where they hold, and the table that they stand in.

Why that is right is said in `proof`. The functions take frames of the search (`proof.FRAME`), entries of the
table and the prover alike: whatever has the fields of `BOARDS`.
"""

import numpy as np

from playout.games.go.bits import NONE, ONE, count, number, turned, turned_back
from playout.kernel import inner, record_type
from playout.kernel.rng import mix

PASS_MOVE, NO_MOVE = 63, 62  # beside the numbers of the bits of a 7×7 board, which end at 54
NO_BOARD = 1 << 30  # index of a board that forbade something, where there is none
FEW = 100  # more than any board has stones
BUCKET = 4  # places where an entry may stand
AT_LEAST, AT_MOST = 1, 2  # what an entry says of the mover's score

# What is known of the boards that the prover's moves make; colours as the mover sees them.
BOARDS = [
    ("all_own", "u8"),  # stones on all of them
    ("all_other", "u8"),
    ("any_own", "u8"),  # stones on any of them
    ("any_other", "u8"),
    ("sub_all", "u8"),  # the same for those that are subsets of the position
    ("sub_any", "u8"),
    ("fewest", "u1"),  # stones
]
ENTRY = record_type(
    [
        ("key_own", "u8"),
        ("key_other", "u8"),
        *BOARDS,
        ("code", "u1"),
        ("kind", "u1"),  # AT_LEAST, AT_MOST, 0 for none
        ("bound", "i1"),
        ("move", "u1"),
        ("work", "u1"),  # logarithm of the nodes behind it
    ]
)

# -- the boards of a proof -----------------------------------------------------------


@inner
def no_boards(t, board):
    t.all_own = t.all_other = t.sub_all = board
    t.any_own = t.any_other = t.sub_any = NONE
    t.fewest = FEW


@inner
def copy_boards(to, t):
    to.all_own, to.all_other, to.any_own, to.any_other = t.all_own, t.all_other, t.any_own, t.any_other
    to.sub_all, to.sub_any, to.fewest = t.sub_all, t.sub_any, t.fewest


@inner
def add_boards(f, t, after):
    """Add the boards of an answer to those of a frame. after: the stones on the board that answered.

    The answer's colours are the other way round.
    """
    f.all_own &= t.all_other
    f.all_other &= t.all_own
    f.any_own |= t.any_other
    f.any_other |= t.any_own
    f.fewest = min(f.fewest, t.fewest)
    stones = f.own | f.other
    # Subsets of this position among the subsets of the one after it …
    within = t.sub_any & stones
    if t.sub_all & ~within == NONE:
        f.sub_all &= t.sub_all
        f.sub_any |= within
    # … and, where stones were captured, among all of its boards.
    if stones & ~after != NONE and t.fewest < count(stones):
        own, other = t.any_other & f.own, t.any_own & f.other
        if t.all_other & ~own == NONE and t.all_own & ~other == NONE:
            f.sub_all &= t.all_other | t.all_own
            f.sub_any |= own | other


@inner
def add_board(f, own, other):
    """Add one board, made by the frame's mover; it has a stone that the frame has not."""
    f.all_own &= own
    f.all_other &= other
    f.any_own |= own
    f.any_other |= other
    f.fewest = min(f.fewest, np.uint8(count(own | other)))


@inner
def holds(e, f, path, first_moves):
    """Whether no earlier board lies where the proof's boards are; e is seen as the frame sees it."""
    if e.all_own & ~e.any_own != NONE or e.all_other & ~e.any_other != NONE:
        return True  # there are none
    for k in range(f.here):
        own, other = path[k, 0], path[k, 1]
        if not first_moves:
            own, other = other, own
        stones = own | other
        if own & ~f.own == NONE and other & ~f.other == NONE:
            if (
                e.sub_all & ~stones == NONE
                and stones & ~e.sub_any == NONE
                and (own != f.own or other != f.other)
            ):
                return False
        elif (
            e.all_own & ~own == NONE
            and e.all_other & ~other == NONE
            and own & ~e.any_own == NONE
            and other & ~e.any_other == NONE
            and count(stones) >= e.fewest
        ):
            return False
    return True


# -- the table ----------------------------------------------------------------------------------------


@inner
def find_key(f, side):
    """The least of the eight pictures of the position."""
    f.code = 1 if f.passed else 0 if f.ko == NONE else 2
    first = True
    for symmetry in range(8):
        own = turned(f.own, symmetry, side)
        if first or own <= f.key_own:
            other = turned(f.other, symmetry, side)
            if first or own < f.key_own or other < f.key_other:
                f.key_own, f.key_other, f.symmetry = own, other, symmetry
                first = False
            elif (
                other == f.key_other
                and f.ko != NONE
                and turned(f.ko, symmetry, side) < turned(f.ko, f.symmetry, side)
            ):
                f.symmetry = symmetry  # alike but for the ko
    if f.ko != NONE:
        f.code = np.uint8(2 + number(turned(f.ko, f.symmetry, side)))


@inner
def hash_of(f):
    return mix(f.key_own + mix(f.key_other + np.uint64(f.code) * np.uint64(0x9E3779B97F4A7C15)))


@inner
def turn(e, symmetry, side):
    e.all_own, e.all_other = turned(e.all_own, symmetry, side), turned(e.all_other, symmetry, side)
    e.any_own, e.any_other = turned(e.any_own, symmetry, side), turned(e.any_other, symmetry, side)
    e.sub_all, e.sub_any = turned(e.sub_all, symmetry, side), turned(e.sub_any, symmetry, side)


@inner
def turn_back(e, symmetry, side):
    e.all_own, e.all_other = turned_back(e.all_own, symmetry, side), turned_back(e.all_other, symmetry, side)
    e.any_own, e.any_other = turned_back(e.any_own, symmetry, side), turned_back(e.any_other, symmetry, side)
    e.sub_all, e.sub_any = turned_back(e.sub_all, symmetry, side), turned_back(e.sub_any, symmetry, side)


@inner
def turn_move(move, symmetry, side):
    return move if move >= NO_MOVE else number(turned(ONE << np.uint64(move), symmetry, side))


@inner
def turn_move_back(move, symmetry, side):
    return move if move >= NO_MOVE else number(turned_back(ONE << np.uint64(move), symmetry, side))


@inner
def look_up(p, f, path, entries):
    """Answer from a kept proof; the move of one that cannot be used is told all the same."""
    h = hash_of(f)
    start = np.int64(h & np.uint64(entries.size - 1)) & ~(BUCKET - 1)
    tip = NO_MOVE
    for k in range(start, start + BUCKET):
        e = entries[k]
        if e.kind == 0 or e.key_own != f.key_own or e.key_other != f.key_other or e.code != f.code:
            continue
        if e.kind == AT_LEAST and e.bound >= f.goal:
            wins = 1
            tip = turn_move_back(e.move, f.symmetry, p.side)
        elif e.kind == AT_MOST and e.bound < f.goal:
            wins = 0
        else:
            continue
        copy_boards(p, e)
        turn_back(p, f.symmetry, p.side)
        if holds(p, f, path, (f.turn == 0)):
            p.found += ONE
            p.wins, p.proven, p.leans, p.move = wins, 1, NO_BOARD, tip
            return True, tip
        p.refused += ONE
    return False, tip


@inner
def keep(p, f, entries):
    """Keep the proof that just ended at a frame; its boards are the prover's."""
    if p.leans < f.here:
        p.leaning += ONE
        return
    work = 0
    nodes = p.nodes - f.began
    while nodes > NONE:
        nodes >>= ONE
        work += 1
    kind = AT_LEAST if p.wins else AT_MOST
    bound = f.goal if p.wins else f.goal - 1
    h = hash_of(f)
    start = np.int64(h & np.uint64(entries.size - 1)) & ~(BUCKET - 1)
    place, least = 0, 1000
    for k in range(start, start + BUCKET):
        e = entries[k]
        if e.kind == 0:
            if least >= 0:
                place, least = k, -1
        elif (
            e.key_own == f.key_own
            and e.key_other == f.key_other
            and e.code == f.code
            and e.kind == kind
            and e.bound == bound
        ):
            place = k
            break
        elif e.work < least:
            place, least = k, e.work
    e = entries[place]
    e.key_own, e.key_other, e.code, e.kind, e.bound = f.key_own, f.key_other, f.code, kind, bound
    e.move, e.work = turn_move(p.move, f.symmetry, p.side), work
    copy_boards(e, p)
    turn(e, f.symmetry, p.side)
    p.kept += ONE
