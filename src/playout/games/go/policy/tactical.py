"""MoGo's rules enriched by reading, and softened by chance: our strongest simulation policy.

After an opponent's move the rules are asked in order, each with a probability of its own; the first that
has suggestions plays one of them at random.

1. *Vital points*: the vital point of a small eye space next to the move.
2. *Atari*: capture the chain just moved; save our own chains just put into atari, by capturing or by
   running where a ladder read to its end lets them get away.
3. *Attack*: begin a ladder that catches the chain just moved.
4. *Defend*: get a chain of ours next to the move out of the reach of such a ladder.
5. *Patterns*: MoGo's 3×3 patterns around the move.
6. *Captures*: capture anything on the board.
7. A random move that fills no eye.

A rule that is always obeyed makes simulations lean to one side. The probabilities were chosen among many
draws: with them the mean outcome of simulations came nearest to the value that our own deep search gives to
positions of self-play (docs/tuning.md). What drew them is not part of the package.
"""

from dataclasses import dataclass, fields

import numpy as np

from playout.games.go.policy import patterns
from playout.games.go.policy.mogo import (
    WORKING,
    capturing_moves,
    list_ataris,
    note_ataris,
    pattern_moves,
    suggest,
    suggest_captures,
)
from playout.games.go.policy.uniform import sample_uniform
from playout.games.go.rules import is_playable
from playout.games.go.state import EMPTY, PASS, STATE, in_atari, only_liberty
from playout.games.go.tactics import (
    few_liberties,
    has_room,
    hunt,
    liberties_after,
    runs_free,
    stones_after,
    vital_point,
)
from playout.games.go.view import neighbour
from playout.kernel import below, implements, inner, record_type, uniform
from playout.policy import api
from playout.settings import setting

SNAPBACK = 3  # a capture of one stone that leaves so many stones of our own in atari is declined

TACTICAL = record_type(
    [
        ("reading", STATE, (1,)),  # where ladders are read
        *WORKING,
        ("vital_points", "f8"),
        ("capture_last", "f8"),
        ("rescue", "f8"),
        ("attack", "f8"),
        ("defend", "f8"),
        ("match_patterns", "f8"),
        ("capture_any", "f8"),
    ]
)


@dataclass(frozen=True, kw_only=True)
class Tactical:
    """How often each rule is asked."""

    vital_points: float = setting(0.5, "rule 1: how often vital points are looked for", low=0, high=1)
    capture_last: float = setting(0.8, "rule 2: how often the chain just moved is captured", low=0, high=1)
    rescue: float = setting(0.7, "rule 2: how often chains put into atari are saved", low=0, high=1)
    attack: float = setting(0.55, "rule 3: how often a ladder is looked for", low=0, high=1)
    defend: float = setting(0.45, "rule 4: how often ladders are feared", low=0, high=1)
    match_patterns: float = setting(0.63, "rule 5: how often patterns are looked for", low=0, high=1)
    capture_any: float = setting(0.72, "rule 6: how often captures anywhere are looked for", low=0, high=1)

    def record(self) -> np.ndarray:
        """The policy as an array of one record."""
        policy = np.zeros(1, TACTICAL)
        policy["pattern"] = patterns.table()
        for chance in fields(self):
            policy[chance.name] = getattr(self, chance.name)
        return policy


@implements(api.begin, TACTICAL)
def begin(policy, board):
    list_ataris(policy, board)


@inner
def _asked(chance, rng):
    """True with a probability."""
    return uniform(rng) < chance


@inner
def _capture_last(policy, board, last, me):
    """Suggest to capture the chain just moved, unless a snapback waits."""
    head = np.uint32(board.chain[last])
    if not in_atari(board, head):
        return np.int64(0)
    p = only_liberty(board, head)
    if p == board.ko:
        return np.int64(0)
    if board.stones[head] == 1 and not has_room(board, p, me) and stones_after(board, p, me) >= SNAPBACK:
        return np.int64(0)
    return suggest(policy, np.int64(0), p)


@inner
def _escapes(policy, board, p, head, me):
    """Whether a chain in atari gets away by playing its liberty p."""
    n = liberties_after(board, p, me, np.uint32(PASS))[0]
    if n != 2:
        return n > 2
    policy.reading[0] = board
    return runs_free(policy.reading[0], head)


@inner
def _rescue(policy, board, last, n, me):
    """Suggest moves that save chains which the last move has put into atari."""
    for i in range(4):
        q = np.uint32(neighbour(last, i))
        head = np.uint32(board.chain[q])
        if board.color[q] != me or not in_atari(board, head):
            continue
        n = suggest_captures(policy, board, head, np.uint32(PASS), n, me)
        p = only_liberty(board, head)
        if is_playable(board, p, me) and _escapes(policy, board, p, head, me):
            n = suggest(policy, n, p)
    return n


@inner
def _catches(policy, board, head, a, b):
    """Where to begin a ladder that catches a chain with the liberties a and b; 0 if none does."""
    policy.reading[0] = board
    reading = policy.reading[0]
    if not hunt(reading, a, b, board.color[head]):
        return np.uint32(0)
    p = a if reading.color[a] != EMPTY else b
    return np.uint32(0) if runs_free(reading, head) else p


@inner
def _attack(policy, board, last, me):
    """Suggest the beginning of a ladder that catches the chain just moved."""
    head = np.uint32(board.chain[last])
    n, a, b = few_liberties(board, head)
    if n != 2:
        return np.int64(0)
    p = _catches(policy, board, head, a, b)
    return suggest(policy, np.int64(0), p) if p != 0 and has_room(board, p, me) else np.int64(0)


@inner
def _defend(policy, board, last, me):
    """Suggest ways out for our chains next to the last move that a ladder would catch."""
    n = np.int64(0)
    for i in range(4):
        q = np.uint32(neighbour(last, i))
        if board.color[q] != me:
            continue
        head = np.uint32(board.chain[q])
        count, a, b = few_liberties(board, head)
        if count != 2 or _catches(policy, board, head, a, b) == 0:
            continue
        n = suggest_captures(policy, board, head, np.uint32(PASS), n, me)
        for p in (a, b):
            if is_playable(board, p, me) and liberties_after(board, p, me, np.uint32(PASS))[0] > 2:
                n = suggest(policy, n, p)
    return n


@implements(api.sample, TACTICAL)
def sample(policy, board, rng):
    me = board.to_play
    last = np.uint32(board.last)
    n = np.int64(0)
    if last != PASS:
        note_ataris(policy, board, last)
        if _asked(policy.vital_points, rng):
            p = vital_point(board, last, policy.found)
            if p != 0 and is_playable(board, p, me):
                return p
        if _asked(policy.capture_last, rng):
            n = _capture_last(policy, board, last, me)
        if _asked(policy.rescue, rng):
            n = _rescue(policy, board, last, n, me)
        if n == 0 and _asked(policy.attack, rng):
            n = _attack(policy, board, last, me)
        if n == 0 and _asked(policy.defend, rng):
            n = _defend(policy, board, last, me)
        if n == 0 and _asked(policy.match_patterns, rng):
            n = pattern_moves(policy, board, last, False, me)
    if n == 0 and _asked(policy.capture_any, rng):
        n = capturing_moves(policy, board, me)
    if n > 0:
        return np.uint32(policy.found[below(rng, n)])
    return sample_uniform(board, False, rng)
