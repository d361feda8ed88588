"""Who meets whom: round robin, gauntlet, Swiss.

A meeting is a pair of games with colours exchanged. A schedule has rounds; in each round every pairing that
it knows meets once, so that an event which is broken off has played all pairings equally often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np

from playout.arena.store import GameRecord, Pair
from playout.errors import InputError

Meeting = tuple[str, str]


class Schedule(Protocol):
    """A kind of event."""

    @property
    def rounds(self) -> int:
        """How many rounds there are."""

    @property
    def waits(self) -> bool:
        """Whether a round depends on the results of those before it."""

    def meetings(
        self, number: int, players: Sequence[str], past: Sequence[Pair], games: Iterable[GameRecord]
    ) -> list[Meeting]:
        """Who meets in a round. past, games: the meetings so far and their games, for schedules that wait."""

    def size(self, players: Sequence[str]) -> int:
        """How many meetings a round has."""


@dataclass(frozen=True)
class RoundRobin:
    """Everybody meets everybody."""

    rounds: int
    waits = False

    def meetings(
        self, number: int, players: Sequence[str], past: Sequence[Pair], games: Iterable[GameRecord]
    ) -> list[Meeting]:
        return list(combinations(players, 2))

    def size(self, players: Sequence[str]) -> int:
        return len(players) * (len(players) - 1) // 2


@dataclass(frozen=True)
class Gauntlet:
    """Challengers meet everybody else, but not each other."""

    rounds: int
    challengers: tuple[str, ...]
    waits = False

    def meetings(
        self, number: int, players: Sequence[str], past: Sequence[Pair], games: Iterable[GameRecord]
    ) -> list[Meeting]:
        others = [player for player in players if player not in self.challengers]
        return [(challenger, other) for other in others for challenger in self.challengers]

    def size(self, players: Sequence[str]) -> int:
        return len(self.challengers) * (len(players) - len(self.challengers))


@dataclass(frozen=True)
class Swiss:
    """Players with similar scores meet (Silver 2009, 6.9: at random, with a bias towards similar scores).

    From the top of the table down, each player meets whoever is nearest to it in points among those that
    are left; every earlier meeting of the two counts as a point of distance, so that few meet twice in a
    short event and near ones often in a long one. Lots decide between equals. With an odd number of
    players one of those that have rested least rests, the lowest; it gets half the points of a meeting.
    """

    rounds: int
    seed: int = 0
    waits = True

    def meetings(
        self, number: int, players: Sequence[str], past: Sequence[Pair], games: Iterable[GameRecord]
    ) -> list[Meeting]:
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(2, number)))
        lots = dict(zip(players, rng.permutation(len(players)).tolist(), strict=True))
        met = Counter(frozenset((pair.first, pair.second)) for pair in past)
        rested = _rests(players, past)
        points = Counter(rested)
        for game in games:
            if game.counted:
                points[game.black] += game.score_of_black  # type: ignore[assignment]
                points[game.white] += 1 - game.score_of_black  # type: ignore[assignment]
        table = sorted(players, key=lambda name: (-points[name], lots[name]))
        if len(table) % 2:
            least = min(rested[name] for name in table)
            table.remove(next(name for name in reversed(table) if rested[name] == least))
        found = []
        while table:
            top = table.pop(0)
            other = min(
                table,
                key=lambda name: (
                    abs(points[top] - points[name]) + met[frozenset((top, name))],
                    lots[name],
                ),
            )
            table.remove(other)
            found.append((top, other))
        return found

    def size(self, players: Sequence[str]) -> int:
        return len(players) // 2


def _rests(players: Sequence[str], past: Sequence[Pair]) -> Counter[str]:
    """How many rounds each player has sat out, since it came."""
    rounds: dict[int, set[str]] = {}
    for pair in past:
        rounds.setdefault(pair.cycle, set()).update((pair.first, pair.second))
    return Counter({name: sum(name not in present for present in rounds.values()) for name in players})


SCHEDULES = ("round-robin", "gauntlet", "swiss")


def make_schedule(
    kind: str, rounds: int, players: Sequence[str], challengers: Sequence[str] = (), seed: int = 0
) -> Schedule:
    """A schedule by name.

    >>> make_schedule("gauntlet", 2, ["a", "b", "c"], ["b"]).meetings(1, ["a", "b", "c"], [], [])
    [('b', 'a'), ('b', 'c')]
    """
    if len(players) < 2:
        raise InputError(f"an event needs at least 2 players, not {len(players)}")
    if challengers and kind != "gauntlet":
        raise InputError(f"only a gauntlet has challengers, not a {kind} event")
    if kind == "round-robin":
        return RoundRobin(rounds)
    if kind == "swiss":
        return Swiss(rounds, seed)
    if kind != "gauntlet":
        raise InputError(f"schedule {kind!r} is not one of {', '.join(SCHEDULES)}")
    chosen = tuple(dict.fromkeys(challengers)) or (players[0],)
    for name in chosen:
        if name not in players:
            raise InputError(f"the challenger {name!r} is not one of the players {', '.join(players)}")
    if len(chosen) == len(players):
        raise InputError("a gauntlet needs players that are not challengers")
    return Gauntlet(rounds, chosen)
