"""MoGo's simulation policy: four rules in order of priority (Silver 2009, section 4.6.3).

After an opponent's move a:

1. if a put some of our stones into atari, play a saving move at random;
2. otherwise, if one of the 8 points around a matches a pattern for cutting or hane, play one at random;
3. otherwise, if any opponent stone can be captured, play a capturing move at random;
4. otherwise play a random move.

Chains in atari are kept in a list. A chain can only come into atari by a move next to it, so the
policy looks around each move once, when it is asked for the answer; chains that left atari since are
dropped when the list is read.
"""

from dataclasses import dataclass, fields

import numpy as np

from playout.games.go.policy import patterns
from playout.games.go.policy.uniform import sample_uniform
from playout.games.go.rules import is_playable
from playout.games.go.state import (
    AREA,
    BLACK,
    EDGE,
    EMPTY,
    PASS,
    POINTS,
    STRIDE,
    WHITE,
    in_atari,
    only_liberty,
)
from playout.games.go.tactics import has_room
from playout.games.go.view import neighbour
from playout.kernel import below, implements, inner, record_type
from playout.policy import api
from playout.settings import setting

# What the rules work with; other policies that use them have these fields among their own.
WORKING = [
    ("pattern", "u1", (1 << 16,)),  # by the view of a point: who should play there
    ("ataris", "u2", (POINTS,)),  # heads of chains that may be in atari
    ("listed", "u1", (POINTS,)),  # by head: whether it is among them
    ("found", "u2", (AREA,)),  # moves that the rule at hand suggests
    ("n_ataris", "u2"),
]
MOGO = record_type(
    [
        *WORKING,
        ("saves", "u1"),
        ("patterns", "u1"),
        ("captures", "u1"),
        ("hopeless_saves", "u1"),
        ("pattern_self_atari", "u1"),
        ("random_self_atari", "u1"),
    ]
)


@dataclass(frozen=True, kw_only=True)
class Mogo:
    """Settings of MoGo's rules.

    Two refinements are ours: rules 1 and 2 leave out moves after which the stones are in atari. The rules as
    the paper prints them have neither: ``hopeless_saves=true,pattern_self_atari=true``.
    """

    saves: bool = setting(True, "rule 1: save stones just put into atari")
    patterns: bool = setting(True, "rule 2: 3×3 patterns around the last move")
    captures: bool = setting(True, "rule 3: capture what is in atari")
    hopeless_saves: bool = setting(False, "rule 1 also where the stones stay in atari (as printed)")
    pattern_self_atari: bool = setting(
        False, "rule 2 also where it puts one's own stones into atari (as printed)"
    )
    random_self_atari: bool = setting(True, "rule 4 also where it puts one's own stones into atari")

    def record(self) -> np.ndarray:
        """The policy as an array of one record."""
        policy = np.zeros(1, MOGO)
        policy["pattern"] = patterns.table()
        for rule in fields(self):
            policy[rule.name] = getattr(self, rule.name)
        return policy


@inner
def note_atari(policy, board, p):
    """Put the chain of the stone at p on the list if it is in atari."""
    color = board.color[p]
    if color in (EMPTY, EDGE):
        return
    head = np.uint32(board.chain[p])
    if in_atari(board, head) and policy.listed[head] == 0:
        policy.listed[head] = 1
        policy.ataris[policy.n_ataris] = head
        policy.n_ataris += np.uint16(1)


@inner
def list_ataris(policy, board):
    """Begin the list of chains in atari."""
    for k in range(policy.n_ataris):
        policy.listed[policy.ataris[np.uint32(k)]] = 0
    policy.n_ataris = 0
    for row in range(1, board.side + 1):
        for column in range(1, board.side + 1):
            p = np.uint32(row * STRIDE + column)
            if board.chain[p] == p:
                note_atari(policy, board, p)


@implements(api.begin, MOGO)
def begin(policy, board):
    list_ataris(policy, board)


@inner
def note_ataris(policy, board, last):
    """Put the chains that the last move may have put into atari on the list."""
    note_atari(policy, board, last)
    for i in range(4):
        note_atari(policy, board, np.uint32(neighbour(last, i)))


@inner
def suggest(policy, n, p):
    """Add a move to the suggestions unless it is there; return how many there are."""
    for k in range(n):
        if policy.found[np.uint32(k)] == p:
            return n
    policy.found[np.uint32(n)] = p
    return n + 1


@inner
def _saving_moves(policy, board, head, n, me):
    """Moves that save a chain in atari: to its liberty, or capturing a neighbour in atari.

    A capture elsewhere always saves: the chain keeps its liberty and gains the captured point.
    """
    escape = only_liberty(board, head)
    if is_playable(board, escape, me) and (policy.hopeless_saves != 0 or has_room(board, escape, me)):
        n = suggest(policy, n, escape)
    return suggest_captures(policy, board, head, escape, n, me)


@inner
def suggest_captures(policy, board, head, but, n, me):
    """Suggest to capture neighbours in atari of a chain of ours, except by playing at `but`."""
    stone = head
    while True:
        for i in range(4):
            q = neighbour(stone, i)
            if board.color[q] == 3 - me:
                enemy = np.uint32(board.chain[q])
                if in_atari(board, enemy):
                    p = only_liberty(board, enemy)
                    if p != but and p != board.ko:
                        n = suggest(policy, n, p)
        stone = np.uint32(board.following[stone])
        if stone == head:
            return n


@inner
def pattern_moves(policy, board, last, self_atari, me):
    """Points around the last move where a pattern tells us to play.

    self_atari: also where it puts our own stones into atari.
    """
    n = 0
    bit = np.uint8(1) << me
    for row in range(-1, 2):
        for column in range(-1, 2):
            p = np.uint32(np.int64(last) + row * STRIDE + column)
            if (
                board.color[p] == EMPTY
                and policy.pattern[board.around[p]] & bit
                and is_playable(board, p, me)
                and (self_atari or has_room(board, p, me))
            ):
                policy.found[np.uint32(n)] = p
                n += 1
    return n


@inner
def capturing_moves(policy, board, me):
    """Liberties of the enemy's chains in atari; chains that are no longer in atari leave the list."""
    n = 0
    kept = np.uint32(0)
    for k in range(policy.n_ataris):
        head = np.uint32(policy.ataris[np.uint32(k)])
        color = board.color[head]
        if color in (BLACK, WHITE) and board.chain[head] == head and in_atari(board, head):
            policy.ataris[kept] = head
            kept += np.uint32(1)
            if color == 3 - me:
                p = only_liberty(board, head)
                if p != board.ko:
                    n = suggest(policy, n, p)
        else:
            policy.listed[head] = 0
    policy.n_ataris = kept
    return n


@inner
def suggestions(policy, board):
    """The moves of the first of rules 1 to 3 that has any, in `found`; return how many there are."""
    me = board.to_play
    last = np.uint32(board.last)
    n = 0
    if last != PASS:
        note_ataris(policy, board, last)
        for i in range(4):
            q = neighbour(last, i)
            if policy.saves != 0 and board.color[q] == me:
                head = np.uint32(board.chain[q])
                if in_atari(board, head):
                    n = _saving_moves(policy, board, head, n, me)
        if n == 0 and policy.patterns != 0:
            n = pattern_moves(policy, board, last, policy.pattern_self_atari != 0, me)
    if n == 0 and policy.captures != 0:
        n = capturing_moves(policy, board, me)
    return n


@implements(api.sample, MOGO)
def sample(policy, board, rng):
    n = suggestions(policy, board)
    if n > 0:
        return np.uint32(policy.found[below(rng, n)])
    return sample_uniform(board, policy.random_self_atari == 0, rng)
