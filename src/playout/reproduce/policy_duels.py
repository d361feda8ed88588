"""Thousands of games between simulation policies, played directly and in simple Monte-Carlo search.

Every two players meet in pairs of games that begin with the same random moves, colours exchanged. A turn is
one call of compiled code. A pair of games depends on the players, its number and the seed only: so games can
be played on threads, kept in a file, and added to. All stones count as alive. No board comes twice
(positional superko): else a search that is behind finds a way to go round in circles.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import threading
from collections.abc import Callable, Container, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from playout.arena.elo import Result
from playout.errors import InputError
from playout.files import write_text
from playout.games.api import is_over, outcome, play, tree_moves
from playout.games.go.board import Board
from playout.games.go.learn.training import LONGEST_GAME
from playout.games.go.policy.uniform import Uniform
from playout.games.go.rules import area_score
from playout.games.go.state import AREA, BLACK, PASS, STATE
from playout.kernel import allocating, below, clone, inner, kernel, new_rng
from playout.policy.api import Copies, begin, sample
from playout.runs import Checkpoints, Window, difference
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


@inner
def is_new(state, move, work, boards):
    """Whether a move makes a board that was not there before; a pass always may.

    boards: the hash of the board before each move so far. work: room for a state.
    """
    if move == PASS:
        return True
    work[0] = state
    play(work[0], move)
    new = True
    for k in range(state.moves):
        new = new and boards[k] != work[0].zobrist
    return new


@inner
def new_moves(state, work, boards, moves):
    """Moves that a search looks at and superko allows; how many. A pass comes last."""
    n = tree_moves(state, moves)
    kept = 0
    for k in range(n):
        if is_new(state, moves[k], work, boards):
            moves[kept] = moves[k]
            kept += 1
    return kept


@allocating
def most_wins(state, roots, work, policy, simulations, boards, rng):
    """The move that wins most simulations, as `player.simple.FlatPlayer` chooses it.

    The move that has lost least goes on until it loses; once one has all its simulations, those that have
    lost more are given up. That saves simulations and changes no choice.
    """
    moves = np.zeros(AREA + 1, np.uint16)
    lost = np.zeros(AREA + 1, np.float64)
    left = np.full(AREA + 1, simulations)
    n = new_moves(state, work, boards, moves)
    roots[0] = state
    roots[0].moves = 0
    roots[0].limit = max(60, 3 * np.int64(state.side) * np.int64(state.side))
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
            work[0] = roots[0]
            play(work[0], moves[k])
            z, _ = simulate(work[0], policy, rng)
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


@allocating
def suggested(state, work, policy, boards, rng):
    """What a policy plays, as `player.simple.PolicyPlayer` asks it: superko is unknown to it."""
    begin(policy, state)
    for _ in range(TRIES):
        move = np.uint16(sample(policy, state, rng))
        if is_new(state, move, work, boards):
            return move
    moves = np.zeros(AREA + 1, np.uint16)
    n = new_moves(state, work, boards, moves)
    return moves[below(rng, n - 1)] if n > 1 else np.uint16(PASS)


@kernel
def take_turn(states, roots, work, policies, simulations, boards, rng):
    """Choose a move and play it; whether the game is over then.

    roots, work: room for a state each. boards: hashes of the boards before; that of this one is added.
    """
    state, policy = states[0], policies[0]
    boards[state.moves] = state.zobrist
    if simulations == 0:
        play(state, suggested(state, work, policy, boards, rng[0]))
    else:
        play(state, most_wins(state, roots, work, policy, simulations, boards, rng[0]))
    return is_over(state)


class _Desk:
    """Where one thread plays."""

    def __init__(self, entrants: Iterable[Entrant], start: np.ndarray, stopped: threading.Event) -> None:
        self._start, self._stopped = start, stopped
        self._room = np.empty(1, STATE), np.empty(1, STATE)
        self._boards = np.zeros(LONGEST_GAME, np.uint64)
        self._policies = {e.name: (Copies(e.policy).at(start)[0], e.sims) for e in entrants}
        self._uniform = Uniform().record()

    def pair(self, one: Entrant, other: Entrant, opening: int, rng: np.ndarray) -> str:
        """Two games, Black's score of each: the first one is Black in the first."""
        begun = clone(self._start)
        for _ in range(opening):
            take_turn(begun, *self._room, self._uniform, 0, self._boards, rng)
        return "".join(self._game(clone(begun), sides, rng) for sides in ((one, other), (other, one)))

    def _game(self, state: np.ndarray, sides: tuple[Entrant, Entrant], rng: np.ndarray) -> str:
        turns = itertools.cycle([self._policies[entrant.name] for entrant in sides])
        if int(state["to_play"][0]) != BLACK:
            next(turns)
        over = is_over(state[0])
        while not over:
            if self._stopped.is_set():
                raise KeyboardInterrupt
            over = take_turn(state, *self._room, *next(turns), self._boards, rng)
        return LETTERS[float(outcome(state[0]))]


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
