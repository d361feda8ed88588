"""Plays as people write them: ``13/7 8/7*``, ``bar/22``, ``6/off``, ``6/5(2)``, ``13/7*/5``.

Each player counts the points as they lie on his own way. A star says that a checker is hit there, a number in
brackets how many checkers make the move. What a person writes may come in any order, in hops (``13/7/5``) or
at once (``13/5``), with stars or without; what is meant is the legal play that moves these checkers.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from playout.errors import shown
from playout.games import api
from playout.games.backgammon.doubling import DOUBLE, PASS, PLAYS, ROLL, TAKE, WAYS
from playout.games.backgammon.rules import CHOICES, NO_PLAY, ROLLS, SOURCES
from playout.games.backgammon.state import BAR, NOTHING, OFF
from playout.games.position import IllegalMove
from playout.kernel import clone

NO_PLAY_WORD = "pass"  # where no die can be played
CUBE_WORDS = {ROLL: "roll", DOUBLE: "double", TAKE: "take", PASS: "pass"}
_CUBE_OTHER_WORDS = {
    "r": ROLL,
    "rolls": ROLL,
    "d": DOUBLE,
    "doubles": DOUBLE,
    "redouble": DOUBLE,
    "t": TAKE,
    "takes": TAKE,
    "accept": TAKE,
    "p": PASS,
    "passes": PASS,
    "drop": PASS,
    "drops": PASS,
    "reject": PASS,
}
_NOTHINGS = ("pass", "-", "no play", "no move", "cannot move", "can't move", "fans", "dance")
_PLAY = re.compile(r"((?:bar|b|[0-9]{1,2})\*?(?:/(?:off|o|[0-9]{1,2})\*?)+)(?:\(([1-4])\))?")
_MOST_LETTERS = 120
_SHOWN = 8  # legal plays in a sentence


class Step(NamedTuple):
    """A checker moves with one die."""

    source: int
    target: int


class Hops(NamedTuple):
    """Where a checker goes in a play, and where it hits."""

    points: tuple[int, ...]
    hits: frozenset[int]


def steps_of(state: Any, action: int) -> list[Step]:
    """The moves of single checkers that a play is made of, in an order in which they can be made.

    That is from high points to low ones: the bar comes first, and bearing off needs all others at home.
    """
    large, small = int(state.dice[0]), int(state.dice[1])
    if large == small:
        packed = int(SOURCES[action])
        sources = [(packed >> shift & 31, large) for shift in (0, 5, 10, 15)]
    else:
        high, low = divmod(int(action), WAYS)
        sources = sorted([(high, large), (low, small)], reverse=True)
    return [Step(source, max(OFF, source - die)) for source, die in sources if source]


def hops_of(state: Any, action: int) -> list[Hops]:
    """The ways of the checkers of a play; moves that may be one checker's are."""
    theirs = state.points[2 - state.turn]
    ways: list[list[int]] = []
    hits: list[set[int]] = []
    hit: set[int] = set()
    for source, target in steps_of(state, action):
        k = next((k for k, way in enumerate(ways) if way[-1] == source), len(ways))
        if k == len(ways):
            ways.append([source])
            hits.append(set())
        ways[k].append(target)
        if target != OFF and theirs[BAR - target] == 1 and target not in hit:
            hit.add(target)
            hits[k].add(target)
    return [Hops(tuple(way), frozenset(where)) for way, where in zip(ways, hits, strict=True)]


def spell(state: Any, action: int) -> str:
    """A play as people write it; the state is that before it."""
    if action == NO_PLAY:
        return NO_PLAY_WORD
    if action >= PLAYS:
        return CUBE_WORDS.get(int(action), str(action))
    counts: Counter[tuple[int, int]] = Counter()
    hits: dict[tuple[int, int], frozenset[int]] = {}
    for points, hit in hops_of(state, action):
        ends = points[0], points[-1]
        counts[ends] += 1
        hits[ends] = hits.get(ends, frozenset()) | hit
    words = []
    for first, last in sorted(counts, reverse=True):
        on_the_way = sorted((p for p in hits[first, last] if p != last), reverse=True)
        way = [_name(first), *(f"{p}*" for p in on_the_way), _name(last)]
        star = "*" if last in hits[first, last] else ""
        many = f"({counts[first, last]})" if counts[first, last] > 1 else ""
        words.append("/".join(way) + star + many)
    return " ".join(words)


def _name(point: int) -> str:
    return {BAR: "bar", OFF: "off"}.get(point, str(point))


def spell_event(state: Any, event: int) -> str:
    """A roll: the two dice, the larger one first."""
    return f"{ROLLS[event, 0]}{ROLLS[event, 1]}"


def plays_of(state: Any) -> list[int]:
    """The legal plays."""
    moves = np.zeros(CHOICES, np.uint16)
    return [int(action) for action in moves[: int(api.legal_moves(state, moves))]]


def parse(state: Any, text: str) -> int:
    """The play that a text means; refused if it is not a legal one, with those that are.

    Where the cube is to be decided about: roll or double, take or pass.
    """
    word = " ".join(text.lower().replace(",", " ").split())
    legal = plays_of(state)
    if state.doubling > NOTHING:
        return _cube_action(text, word, legal)
    if word in CUBE_WORDS.values() and word != NO_PLAY_WORD:
        raise IllegalMove(f"there is nothing to {word} now: {_listed(state, legal)}")
    if word in _NOTHINGS:
        if legal == [NO_PLAY]:
            return NO_PLAY
        raise IllegalMove(f"there are plays to be made: {_listed(state, legal)}")
    written = _read(word) if len(word) <= _MOST_LETTERS else None
    if written is None:
        raise IllegalMove(
            f"{shown(text)} is not a play as in 13/7 8/7*, bar/22, 6/off or 6/5(2): {_listed(state, legal)}"
        )
    change = _change((hop.points[0], hop.points[-1]) for hop in written)
    meant = [a for a in legal if a and _change(steps_of(state, a)) == change]
    if not meant:
        dice = f"{state.dice[0]}-{state.dice[1]}"
        raise IllegalMove(f"{shown(text)} is no legal play of {dice}: {_listed(state, legal)}")
    if len(meant) > 1:
        meant = _by_way(state, meant, written)
    if len(meant) > 1:
        ways = " or ".join(spell(state, action) for action in meant)
        raise IllegalMove(f"{shown(text)} may hit on the way in different places: write {ways}")
    hit = frozenset().union(*(hops.hits for hops in hops_of(state, meant[0])))
    for hop in written:
        for point in sorted(hop.hits - hit):
            raise IllegalMove(f"{shown(text)} hits nothing on point {point}: write {spell(state, meant[0])}")
    return meant[0]


def _cube_action(text: str, word: str, legal: list[int]) -> int:
    """What a word says about the cube."""
    meant = {name: action for action, name in CUBE_WORDS.items()} | _CUBE_OTHER_WORDS
    action = meant.get(word)
    if action not in legal:
        words = " or ".join(CUBE_WORDS[each] for each in legal)
        raise IllegalMove(f"{shown(text)} is no answer here: say {words}")
    return action


def _read(word: str) -> list[Hops] | None:
    """What is written, checker by checker; None where it is no play."""
    found: list[Hops] = []
    for part in word.split():
        match = _PLAY.fullmatch(part)
        if match is None:
            return None
        points, hits = [], set()
        for name in match[1].split("/"):
            plain = name.rstrip("*")
            point = {"bar": BAR, "b": BAR, "off": OFF, "o": OFF}.get(plain)
            points.append(int(plain) if point is None else point)
            if name.endswith("*"):
                hits.add(points[-1])
        if points[0] > BAR or any(to >= source for source, to in pairwise(points)):
            return None
        found += [Hops(tuple(points), frozenset(hits))] * int(match[2] or 1)
    return found if 0 < len(found) <= 4 else None


def _change(moves: Any) -> Counter[int]:
    """How many checkers more, or fewer, there are on each point after some moves."""
    change: Counter[int] = Counter()
    for source, target in moves:
        change[source] -= 1
        change[target] += 1
    return Counter({point: count for point, count in change.items() if count})


def _by_way(state: Any, actions: list[int], written: list[Hops]) -> list[int]:
    """Those of some plays with the same checkers moved that go the way that is written."""
    stops = {point for hop in written for point in hop.points}
    stars = {point for hop in written for point in hop.hits}

    def hits(action: int) -> set[int]:
        return {point for hops in hops_of(state, action) for point in hops.hits}

    via = [a for a in actions if stops - {OFF} <= {p for step in steps_of(state, a) for p in step} | {BAR}]
    actions = via or actions
    starred = [action for action in actions if stars <= hits(action)]
    actions = starred or actions
    fewest = min(len(hits(action)) for action in actions)
    return [action for action in actions if len(hits(action)) == fewest]


def _listed(state: Any, legal: list[int]) -> str:
    """The legal plays, in a part of a sentence."""
    if legal == [NO_PLAY]:
        return f"no die can be played, so say {NO_PLAY_WORD}"
    words = [spell(state, action) for action in legal[:_SHOWN]]
    more = f" and {len(legal) - _SHOWN} more" if len(legal) > _SHOWN else ""
    return f"legal {'is' if len(legal) == 1 else 'are'} {', '.join(words)}{more}"


def after(state: np.ndarray, action: int) -> np.ndarray:
    """The state after a play, as an array of one record of its own."""
    changed = clone(state)
    api.play(changed[0], action)
    return changed
