"""Thousands of games between simulation policies, played directly and in simple Monte-Carlo search.

Every two players meet in pairs of games that begin with the same random moves, colours exchanged. They play
in `search.duel`, and where one searches a move at a time, so that a long game can be stopped. A pair of games
depends on the players, its number and the seed only: so games can be played on threads, kept in a file, and
added to. All stones count as alive. No board comes twice (positional superko): else a search that is behind
finds a way to go round in circles.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Container, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from playout.arena.elo import Result
from playout.errors import InputError
from playout.files import write_text
from playout.games.api import play, tree_moves
from playout.games.go.board import Board
from playout.games.go.learn.training import LONGEST_GAME
from playout.games.go.policy.uniform import Uniform
from playout.games.go.rules import area_score
from playout.games.go.state import AREA, BLACK, PASS, STATE
from playout.kernel import below, implements, inner, new_rng, record_type
from playout.policy.api import Copies, begin, sample
from playout.runs import Checkpoints, Window, difference
from playout.search.duel import NO_ACTIONS, UNFINISHED, Side, begun, choose, duel, in_turns
from playout.search.simulation import simulate

OPENING = 2  # random moves that a pair of games begins with
TRIES = 10  # of a policy, before a move that superko forbids is replaced by any other one
SAVE_SECONDS = 10.0
LETTERS = {1.0: "1", 0.5: "=", 0.0: "0"}  # Black's score of a game in the file
SCORES = {letter: score for score, letter in LETTERS.items()}


@dataclass(frozen=True)
class Entrant:
    """A player: a policy, with simulations for every move or, with 0 of them, played directly."""

    name: str
    policy: Any  # settings, as `policy.POLICIES` has them
    sims: int = 0
    identity: str = ""  # a word that is another one when the policy is


@cache
def _player_type(policy: np.dtype) -> np.dtype:
    """The record of a player with such a policy; beside it go the hashes of all boards so far."""
    dtype = record_type(
        [
            ("rooms", STATE, (2,)),  # what is tried, and what simulations begin with
            ("policy", policy),
            ("lost", "f8", (AREA + 1,)),  # simulations, by candidate
            ("left", "i8", (AREA + 1,)),
            ("candidates", "u2", (AREA + 1,)),
            ("simulations", "i8"),  # for a move, or 0: the policy is played directly
        ]
    )

    @implements(choose, dtype)
    def take_turn(player, boards, weights, state, actions, values, rng):
        boards[state.moves] = state.zobrist
        if player.simulations == 0:
            return np.uint32(suggested(state, player, boards, rng))
        return np.uint32(most_wins(state, player, boards, rng))

    return dtype


def side(policy: np.ndarray, simulations: int, boards: np.ndarray) -> Side:
    """A player, as the duel takes it; boards: room for their hashes, which the players of a game share."""
    record = np.zeros(1, _player_type(policy.dtype))
    record["policy"], record["simulations"] = policy, simulations
    return Side(record, boards)


@inner
def is_new(state, move, player, boards):
    """Whether a move makes a board that was not there before; a pass always may.

    boards: the hash of the board before each move so far.
    """
    if move == PASS:
        return True
    player.rooms[0] = state
    play(player.rooms[0], move)
    new = True
    for k in range(state.moves):
        new = new and boards[k] != player.rooms[0].zobrist
    return new


@inner
def new_moves(state, player, boards):
    """List moves that a search looks at and superko allows; how many. A pass comes last."""
    n = tree_moves(state, player.candidates)
    kept = 0
    for k in range(n):
        if is_new(state, player.candidates[k], player, boards):
            player.candidates[kept] = player.candidates[k]
            kept += 1
    return kept


@inner
def most_wins(state, player, boards, rng):
    """The move that wins most simulations, as `player.simple.FlatPlayer` chooses it.

    The move that has lost least goes on until it loses; once one has all its simulations, those that have
    lost more are given up. That saves simulations and changes no choice.
    """
    moves, lost, left = player.candidates, player.lost, player.left
    n = new_moves(state, player, boards)
    for i in range(n):
        lost[i] = 0.0
        left[i] = player.simulations
    player.rooms[1] = state
    player.rooms[1].moves = 0
    player.rooms[1].limit = max(60, 3 * np.int64(state.side) * np.int64(state.side))
    least = np.inf  # lost by the best move that has all its simulations
    while True:
        k = -1
        for i in range(n):
            if left[i] > 0 and lost[i] <= least and (k < 0 or lost[i] < lost[k]):
                k = i
        if k < 0:
            break
        loss = 0.0
        while left[k] > 0 and loss == 0.0:
            player.rooms[0] = player.rooms[1]
            play(player.rooms[0], moves[k])
            z, _ = simulate(player.rooms[0], player.policy, rng)
            loss = 1.0 - z if state.to_play == BLACK else z
            left[k] -= 1
        lost[k] += loss
        if left[k] == 0:
            least = min(least, lost[k])
    tied = 0
    for k in range(n - 1):  # pass comes last
        if lost[k] == least:
            moves[tied] = moves[k]
            tied += 1
    lead = area_score(state) - state.komi
    ahead = lead > 0 if state.to_play == BLACK else lead < 0
    if tied == 0 or (lost[n - 1] == least and ahead):
        return np.uint16(PASS)
    return moves[below(rng, tied)]


@inner
def suggested(state, player, boards, rng):
    """What a policy plays, as `player.simple.PolicyPlayer` asks it: superko is unknown to it."""
    begin(player.policy, state)
    for _ in range(TRIES):
        move = np.uint16(sample(player.policy, state, rng))
        if is_new(state, move, player, boards):
            return move
    n = new_moves(state, player, boards)
    return player.candidates[below(rng, n - 1)] if n > 1 else np.uint16(PASS)


class _Desk:
    """Where one thread plays."""

    def __init__(self, entrants: Iterable[Entrant], start: np.ndarray, stopped: threading.Event) -> None:
        self._start, self._stopped = start, stopped
        boards = np.zeros(LONGEST_GAME, np.uint64)
        self._sides = {e.name: side(Copies(e.policy).at(start)[0], e.sims, boards) for e in entrants}
        self._uniform = side(Uniform().record(), 0, boards)

    def pair(self, one: Entrant, other: Entrant, opening: int, rng: np.ndarray) -> str:
        """Two games, Black's score of each: the first one is Black in the first."""
        states, games = begun(self._start, 2), in_turns(2)
        duel(states[:1], games[:1], self._uniform, self._uniform, rng, rng, rng, opening, NO_ACTIONS)
        states[1:] = states[:1]
        sides = self._sides[one.name], self._sides[other.name]
        at_once = 1 if one.sims or other.sims else LONGEST_GAME  # moves, after which a game can be stopped
        for k in range(2):
            games[k]["length"] = UNFINISHED
            while games[k]["length"] == UNFINISHED:
                if self._stopped.is_set():
                    raise KeyboardInterrupt
                duel(states[k : k + 1], games[k : k + 1], *sides, rng, rng, rng, at_once, NO_ACTIONS)
        return "".join(LETTERS[float(game["outcome"])] for game in games)


@dataclass
class Duels:
    """Games of a round robin in a file, to which more can be added."""

    size: int
    komi: float = 7.5
    opening: int = OPENING
    seed: int = 1
    players: dict[str, str] = field(default_factory=dict)  # by name: identity
    scores: dict[tuple[str, str], str] = field(default_factory=dict)  # by players: a letter a game

    def facts(self) -> dict[str, Any]:
        """As plain values, for the file."""
        games = [{"players": list(two), "scores": letters} for two, letters in self.scores.items()]
        own = {"size": self.size, "komi": self.komi, "opening": self.opening, "seed": self.seed}
        return {**own, "players": self.players, "games": games}

    def save(self, path: Path) -> None:
        """Write the file."""
        write_text(path, json.dumps(self.facts(), indent=0) + "\n")

    def resume(self, path: Path, entrants: Sequence[Entrant]) -> None:
        """Take over from a file the games of players that are still the same, or that do not play now."""
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
            before = {name: facts[name] for name in ("size", "komi", "opening", "seed")}
            known = dict(facts["players"])
            scores = {
                (str(a), str(b)): str(s) for a, b, s in ((*g["players"], g["scores"]) for g in facts["games"])
            }
            if any(set(letters) - set(SCORES) or len(letters) % 2 for letters in scores.values()):
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{path} is not a file of games that we have written") from None
        settings = {name: getattr(self, name) for name in before}
        if before != settings:
            raise InputError(f"{path} has games with other settings: {difference(before, settings)}")
        now = {e.name: e.identity for e in entrants}
        self.players = {name: word for name, word in known.items() if now.get(name, word) == word}
        for two, letters in scores.items():
            if set(two) <= self.players.keys():
                self.scores[two] = letters

    def results(self, names: Container[str]) -> list[Result]:
        """Black, White and Black's score of every game of these players with each other."""
        return [
            (one, other, SCORES[letter]) if game % 2 == 0 else (other, one, SCORES[letter])
            for (one, other), letters in self.scores.items()
            if one in names and other in names
            for game, letter in enumerate(letters)
        ]


def _rng(seed: int, one: Entrant, other: Entrant, number: int) -> np.ndarray:
    """The generator of a pair of games."""
    names = hashlib.sha256(f"{one.name}\n{other.name}".encode()).digest()[:8]
    return new_rng(np.random.SeedSequence([seed, int.from_bytes(names, "little"), number]))


def round_robin(
    entrants: Sequence[Entrant],
    pairs: int,
    duels: Duels,
    path: str | Path | None = None,
    *,
    against: Sequence[str] = (),
    threads: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Duels:
    """Every two players in `pairs` pairs of games; those that a file has already are not played again.

    against: only meetings with these players. path: where games are kept; after Ctrl-C or a kill the same
    call goes on. progress: told of games.
    """
    if len({entrant.name for entrant in entrants}) != len(entrants) or len(entrants) < 2:
        raise InputError("a round robin takes two players or more, each with a name of its own")
    if not 1 <= threads <= 256:
        raise InputError(f"threads: {threads} is not a number from 1 to 256")
    file = None if path is None else Path(path)
    if file is not None and file.exists():
        duels.resume(file, entrants)
    duels.players.update({entrant.name: entrant.identity for entrant in entrants})
    meetings = [
        (one, other)
        for i, one in enumerate(entrants)
        for other in entrants[:i]
        if not against or one.name in against or other.name in against
    ]
    for one, other in meetings:
        duels.scores.setdefault((one.name, other.name), "")
    # Round by round, so that whoever stops early has about as many games of all.
    jobs = [
        (one, other, number)
        for number in range(pairs)
        for one, other in meetings
        if len(duels.scores[one.name, other.name]) <= 2 * number
    ]
    done, total = 2 * (pairs * len(meetings) - len(jobs)), 2 * pairs * len(meetings)
    progress(done, total)
    start = Board(duels.size, duels.komi).simulation_root(LONGEST_GAME)
    stopped, own = threading.Event(), threading.local()

    def play_pair(job: tuple[Entrant, Entrant, int]) -> str:
        if stopped.is_set():
            raise KeyboardInterrupt
        if not hasattr(own, "desk"):
            own.desk = _Desk(entrants, start, stopped)
        desk: _Desk = own.desk
        return desk.pair(job[0], job[1], duels.opening, _rng(duels.seed, *job))

    def save() -> None:
        if file is not None:
            duels.save(file)

    with (
        Checkpoints(save, SAVE_SECONDS) as checkpoints,
        ThreadPoolExecutor(threads, thread_name_prefix="duels") as pool,
        Window(
            lambda job: pool.submit(play_pair, job),
            jobs,
            lambda: 2 * threads,
            in_order=True,
            stop=stopped.set,
        ) as window,
    ):
        for (one, other, _), letters in window:
            duels.scores[one.name, other.name] += letters.result()
            done += 2
            progress(done, total)
            checkpoints.between()
    return duels
