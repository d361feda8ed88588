"""Games between two policies, played as a whole by compiled code: thousands a second.

A match is played so where both players are policies that are played directly, the state of the game says all
(in Go superko asks for the history), no clock runs, and nothing but results is to be kept: with ``--store``
or ``--sgf`` the referee plays move by move. The generators of random numbers are those of the referee's
games, so the games are the same ones to the last move, only sooner.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from playout import __version__
from playout.arena.referee import FIRST, SECOND
from playout.arena.store import GameRecord
from playout.arena.terms import Terms
from playout.arena.work import Job, carry_out, seeded
from playout.games.check import explained
from playout.kernel import new_rng
from playout.kernel.rng import RNG
from playout.player.registry import build
from playout.player.simple import PolicyPlayer
from playout.policy.api import Copies
from playout.search.duel import GAME, UNFINISHED, Side, begun, duel

BATCH = 256  # games of one call
ROOM = 4096  # actions of a game; a longer one is played by the referee


def can_play(specs: Iterable[str], terms: Terms, folder: str | None = None) -> bool:
    """Whether the games of these players can be played so."""
    game, position = terms.game, terms.position()
    return (
        game.players == 2
        and game.reward is None
        and game.discount is None
        and position.by_record
        and terms.new_clock() is None
        and all(_is_policy(spec, terms, folder) for spec in specs)
    )


def _is_policy(spec: str, terms: Terms, folder: str | None) -> bool:
    name, values, _ = seeded(spec, 0, terms.game)
    if name in terms.game.engines:
        return False
    return type(build(name, values, terms.game, folder)) is PolicyPlayer


def batches(jobs: Iterable[Job]) -> Iterator[list[Job]]:
    """Games that can be played together: those of the same players in the same seats."""
    remaining = iter(jobs)
    while several := list(islice(remaining, 2 * BATCH)):
        seats: dict[tuple[str, str, str], list[Job]] = {}
        for job in several:
            seats.setdefault((job.black, job.white, job.opening), []).append(job)
        yield from seats.values()


@dataclass(frozen=True)
class _Seat:
    """A player of a batch: its policy, and a generator a game."""

    side: Side
    rng: np.ndarray
    seeds: list[int | None]


def _seat(jobs: Sequence[Job], color: int, root: np.ndarray) -> _Seat:
    first = jobs[0]
    name = first.black if color == FIRST else first.white
    rng, seeds = np.zeros(len(jobs), RNG), list[int | None]()
    for k, job in enumerate(jobs):
        kind, values, seed = seeded(job.specs[name], job.seed_of(color), job.terms.game)
        rng[k] = new_rng(int(values["seed"]))[0]
        seeds.append(seed)
    player = build(kind, values, first.terms.game, first.folder)
    return _Seat(Side(Copies(player.policy).at(root)[0]), rng, seeds)


def play_batch(jobs: Sequence[Job]) -> list[GameRecord]:
    """Play games of the same players in the same seats; their records, with moves by number."""
    began = time.time()
    terms = jobs[0].terms
    position = terms.position()
    root = position.simulation_root()
    seats = {color: _seat(jobs, color, root) for color in (FIRST, SECOND)}
    luck = np.concatenate([job.luck() for job in jobs])
    count = len(jobs)
    states, games = begun(root, count), np.zeros(count, GAME)
    actions = np.zeros((count, min(ROOM, terms.longest)), np.uint16)
    first, second = seats[FIRST], seats[SECOND]
    with explained(terms.game):
        generators = (luck, first.rng, second.rng)
        duel(states, games, first.side, second.side, *generators, terms.longest, actions)
    found = []
    for k, job in enumerate(jobs):
        if games[k]["length"] == UNFINISHED:
            found.append(carry_out(job))
            continue
        end = position.at(states[k : k + 1])
        verdict = end.verdict()
        found.append(
            GameRecord(
                number=job.number,
                pair=job.pair,
                black=job.black,
                white=job.white,
                winner={FIRST: "black", SECOND: "white", None: None}[verdict.winner],
                result=verdict.result,
                payoff=end.payoff,
                reason="score",
                detail=verdict.detail,
                moves=" ".join(map(str, actions[k, : games[k]["length"]].tolist())),
                opening=job.opening,
                seed=job.seed,
                black_seed=first.seeds[k],
                white_seed=second.seeds[k],
                version=__version__,
                started=began,
                ended=time.time(),
            )
        )
    return found
