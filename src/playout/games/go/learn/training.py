"""Train weights of local shapes by self-play: in a folder, with checkpoints, to be stopped and resumed.

A run's folder holds

- ``checkpoint.npz``: the weights, the random generators and the curve so far, in one file that is always
  whole and there before anything is compiled; the same command goes on from there after Ctrl-C or a kill;
- ``weights.npz`` and ``weights.json``: the weights and how they were made, for players;
- ``snapshots/``: the weights after 100, 200, 500, 1,000 … games.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import playout
from playout.errors import Diverged, InputError
from playout.games.go.board import Board
from playout.games.go.memory.codes import shapes_record
from playout.games.go.memory.shapes import Features, Shapes, features_of
from playout.games.go.memory.store import Weights, load, weights_of
from playout.games.go.policy import Mogo
from playout.games.go.policy.mogo import MOGO
from playout.games.go.rules import FACTS
from playout.games.go.state import STATE
from playout.kernel import implements, kernel, new_rng, record_type, spawn
from playout.learn.td import GREEDY_TO_THE_END, train
from playout.memory.archives import read_arrays
from playout.memory.td import EXPERIENCE, Learner
from playout.policy.api import begin, sample
from playout.runs import FolderRun, Pace
from playout.search.duel import NO_ACTIONS, Side, begun, choose, duel, in_turns
from playout.search.self_play import Episode
from playout.settings import setting

LONGEST_GAME = 1000  # moves; then it is a draw (section 5.6)
ROW = 10_000  # games between two rows of the curve, once the first are over
TRIAL, TRIAL_GAMES = 50_000, 200  # every so many games a contest of so many
APART = 10  # games of a thread before it shares what it has learnt
DIVERGED = 1e4  # a weight beyond this has lost all meaning
COLUMNS = (
    "games",
    "moves",
    "evaluations",
    "updates",
    "player_1_wins",
    "cross_entropy",
    "squared_error",
    "seconds",
    "strength",
)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be learnt and how."""

    shapes: Shapes = field(default_factory=Shapes)
    learner: Learner = field(default_factory=Learner)
    games: int = setting(1_000_000, "games of self-play in all")
    komi: float = setting(7.5, "White's compensation for moving second")
    seed: int = setting(1, "random seed; with one thread a run can be repeated")

    def __post_init__(self) -> None:
        if self.games < 1:
            raise InputError(f"games: {self.games} is not a number of at least 1")
        if self.seed < 0:
            raise InputError(f"seed: {self.seed} is not a number of at least 0")
        Board(self.shapes.side, self.komi)

    def facts(self) -> dict[str, Any]:
        """All that a result depends on, but for the number of games."""
        return {
            "shapes": self.shapes.facts(),
            "learner": self.learner.facts(),
            "komi": self.komi,
            "seed": self.seed,
        }


def marks(after: int) -> Iterator[int]:
    """The numbers of games at which the curve has a row: 100, 200, 500, 1,000 …, and every ROW.

    >>> from itertools import islice
    >>> list(islice(marks(700), 5)), list(islice(marks(20_000), 2))
    ([1000, 2000, 5000, 10000, 20000], [30000, 40000])
    """
    games = after
    while True:
        power = 100
        while power * 10 <= games:
            power *= 10
        games = min(
            [power * k for k in (1, 2, 5, 10) if power * k > games]
            + [(games // ROW + 1) * ROW] * (games >= ROW)
        )
        yield games


def is_snapshot(games: int) -> bool:
    """Whether weights are kept at this number of games: 1, 2 or 5 times a power of ten."""
    return str(games).rstrip("0") in ("1", "2", "5") and games >= 100


ASKED = record_type([("asked_of", MOGO)])


@implements(choose, ASKED)
def ask(player, index, weights, board, actions, values, rng):
    """MoGo's rules as trials have asked them since the first: they look at the board once, at their first
    move, and from then on only at the last move. So they overlook some chains in atari, and every row of a
    curve is measured alike."""
    if board.moves < 2:
        begin(player.asked_of, board)
    return np.uint32(sample(player.asked_of, board, rng))


def opponent() -> np.ndarray:
    """Whom a trial is against, as an array of one record."""
    found = np.zeros(1, ASKED)
    found["asked_of"] = Mogo().record()
    return found


class Run(FolderRun):
    """A training run in a folder; made anew or taken up where it stopped."""

    def __init__(self, folder: str | Path, plan: Plan, threads: int = 1) -> None:
        if not 1 <= threads <= 256:
            raise InputError(f"threads: {threads} is not a number from 1 to 256")
        super().__init__(folder)
        self.plan = plan
        self.features = features_of(plan.shapes)
        self.pairs = self.features.pairs(np.zeros(self.features.unique))
        self.rngs = spawn(plan.seed, threads)
        self.experience = np.zeros(1, EXPERIENCE)
        self.curve: list[list[float]] = []
        self.open()
        (self.folder / "snapshots").mkdir(exist_ok=True)
        root = Board(plan.shapes.side, plan.komi).simulation_root(LONGEST_GAME)
        self._root = root
        self._threads = Trainer.sharing(self.features, self.pairs, plan.learner, plan.komi, self.rngs)
        self._pace = Pace(64 * threads, least=threads)

    @property
    def games(self) -> int:
        """Games so far."""
        return int(self.experience["games"][0])

    def plan_facts(self) -> dict[str, Any]:
        return self.plan.facts()

    def check(self, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        weights_of(self.checkpoint, facts, arrays)

    def restore(self, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        for name, value in zip(EXPERIENCE.names or (), arrays["experience"], strict=True):
            self.experience[name] = value
        self.curve = arrays["curve"].reshape(-1, len(COLUMNS)).tolist()
        self.pairs = self.features.pairs(weights_of(self.checkpoint, facts, arrays).theta)
        words, threads = arrays["rngs"], len(self.rngs)
        if words.shape == (threads, 2):
            for rng, (word, ready) in zip(self.rngs, words, strict=True):
                rng["word"], rng["ready"] = word, ready
        else:  # another number of threads: new generators, none of which was used before
            self.rngs = spawn(np.random.SeedSequence([self.plan.seed, self.games]), threads)

    def weights(self) -> Weights:
        """The weights so far, with how they were made."""
        e = self.experience[0]
        how = {
            **self.plan.facts(),
            "command": command(self.plan),
            "playout": playout.__version__,
            "games": self.games,
            "moves": int(e["moves"]),
            "seconds": round(self.seconds, 1),
            "threads": len(self.rngs),
        }
        return Weights(self.plan.shapes, self.features.theta(self.pairs), how)

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        weights = self.weights()
        return weights.facts(), {
            "theta": weights.theta,
            "rngs": np.array([[rng["word"][0], rng["ready"][0]] for rng in self.rngs], np.uint64),
            "experience": np.array([float(self.experience[name][0]) for name in EXPERIENCE.names or ()]),
            "curve": np.array(self.curve, np.float64).reshape(-1, len(COLUMNS)),
        }

    @property
    def is_finished(self) -> bool:
        """Whether all games are played, and the weights are where players look for them."""
        path = self.folder / "weights.npz"
        return self.games >= self.plan.games and path.exists() and load(path).how.get("games") == self.games

    def pieces(self) -> Iterator[None]:
        if self.games < self.plan.games:
            self._threads[0].play(0)  # compiles
        for mark in marks(int(self.curve[-1][0]) if self.curve else 0):
            until = min(mark, self.plan.games)
            while self.games < until:
                self._piece_of_work(until)
                yield
            if self.games == mark:
                self._note()
                yield
            if self.games >= self.plan.games:
                break

    def finish(self) -> None:
        self.weights().save(self.folder / "weights.npz")

    def _piece_of_work(self, until: int) -> None:
        began = time.monotonic()
        count = min(self._pace.count, until - self.games)
        shares = [
            count // len(self._threads) + (k < count % len(self._threads)) for k in range(len(self._threads))
        ]
        if len(self._threads) == 1:
            self._threads[0].play(count)
        else:
            with ThreadPoolExecutor(len(self._threads)) as pool:
                list(pool.map(lambda job: job[0].play(job[1]), zip(self._threads, shares, strict=True)))
        for thread in self._threads:
            for name in EXPERIENCE.names or ():
                self.experience[name] += thread.experience[name]
                thread.experience[name] = 0
        took = time.monotonic() - began
        self.seconds += took
        self._pace.took(took, count)
        largest = float(np.max(np.abs(self.pairs)))
        if not largest < DIVERGED:
            raise Diverged(
                f"the weights have diverged after {self.games:,} games (the largest is {largest:g}): "
                "a smaller alpha is needed"
            )

    def _note(self) -> None:
        """A row of the curve: sums since the row before, and now and then how well the weights play."""
        before = np.sum(self.curve, axis=0) if self.curve else np.zeros(len(COLUMNS))
        row = [float(self.games)]
        row += [float(self.experience[name][0]) - before[k] for k, name in enumerate(COLUMNS[1:7], start=1)]
        tried = is_snapshot(self.games) or self.games % TRIAL == 0
        row += [self.seconds, self.strength() if tried else float("nan")]
        if is_snapshot(self.games):
            self.weights().save(self.folder / "snapshots" / f"{self.games:09}.npz")
        self.curve.append(row)

    def words(self) -> str:
        """How it goes: speed since the beginning, errors and strength at the last rows of the curve."""
        said = [f"{self.games / self.seconds:,.0f} games/s"] if self.seconds > 0 else []
        e = self.experience[0]
        if e["updates"] > 0:
            said.append(f"TD error {self._error():.4f}")
        tried = [row[-1] for row in self.curve if row[-1] == row[-1]]
        if tried:
            said.append(f"wins {tried[-1]:.0%} against MoGo's policy")
        return ", ".join(said)

    def _error(self) -> float:
        """The mean cross-entropy of the TD-errors in the last row of the curve; before it, of all."""
        if self.curve:
            return self.curve[-1][COLUMNS.index("cross_entropy")] / self.curve[-1][COLUMNS.index("updates")]
        return float(self.experience["cross_entropy"][0]) / max(1, int(self.experience["updates"][0]))

    def strength(self, games: int = TRIAL_GAMES) -> float:
        """The share of games that the greedy player wins against MoGo's simulation policy."""
        rng = new_rng(np.random.SeedSequence([self.plan.seed, 7, self.games]))
        me = Side(shapes_record(self.features), self.features.index, self.pairs)
        trial = in_turns(games)
        duel(begun(self._root, games), trial, me, Side(opponent()), rng, rng, rng, LONGEST_GAME, NO_ACTIONS)
        won = np.where(trial["other_is_first"] == 1, 1.0 - trial["outcome"], trial["outcome"])
        return float(won.sum()) / games


@kernel
def exchange(own, base, shared):
    """Give what a thread has learnt since it last did so to all, and take what the others have."""
    for i in range(shared.size):
        shared[i] += own[i] - base[i]
        own[i] = shared[i]
        base[i] = shared[i]


class Trainer:
    """What one thread learns with.

    Threads that wrote to the same weights at every move would wait for each other's cache lines. So each has
    weights of its own, and every few games adds what they have gained to those of all. One thread alone
    works on the weights themselves.
    """

    def __init__(
        self,
        features: Features,
        pairs: np.ndarray,
        learner: Learner,
        komi: float,
        rng: np.ndarray,
        sharing: threading.Lock | None = None,
    ) -> None:
        self._features, self._shared, self.rng, self._sharing = features, pairs, rng, sharing
        self._pairs, self._base = (pairs, pairs) if sharing is None else (pairs.copy(), pairs.copy())
        self._root = Board(features.shapes.side, komi).simulation_root(LONGEST_GAME)
        self._memory = shapes_record(features)
        self._work = np.empty(1, STATE)
        self._learner = learner.record()
        longest, most = LONGEST_GAME, FACTS.most_choices
        self._episode = Episode.of(learner, pairs, features.max_active, longest, most).arrays()
        self.experience = np.zeros(1, EXPERIENCE)

    @classmethod
    def several(
        cls, shapes: Shapes, theta: np.ndarray, *, threads: int, seed: int, learner: Learner | None = None
    ) -> list[Trainer]:
        """Trainers that share weights, from some weights on."""
        features = features_of(shapes)
        return cls.sharing(features, features.pairs(theta), learner or Learner(), 7.5, spawn(seed, threads))

    @classmethod
    def sharing(
        cls,
        features: Features,
        pairs: np.ndarray,
        learner: Learner,
        komi: float,
        rngs: Sequence[np.ndarray],
    ) -> list[Trainer]:
        """One trainer for each random generator, all of the same weights."""
        lock = threading.Lock() if len(rngs) > 1 else None
        return [cls(features, pairs, learner, komi, rng, lock) for rng in rngs]

    def play(self, games: int) -> None:
        """Learn from so many games."""
        if self._sharing is None:
            self._train(games)
            return
        for done in range(0, max(games, 1), APART):
            self._train(min(APART, games - done))
            with self._sharing:
                exchange(self._pairs, self._base, self._shared)

    def _train(self, games: int) -> None:
        train(
            self._root,
            self._work,
            self._memory,
            self._features.index,
            self._pairs,
            self._pairs,
            self._learner,
            GREEDY_TO_THE_END,
            self._episode,
            self.experience,
            self.rng,
            games,
        )


@dataclass(frozen=True)
class Record:
    """What a run has left in its folder, to look at."""

    folder: Path
    weights: Weights
    curve: dict[str, np.ndarray]  # by column

    def snapshots(self) -> list[tuple[int, Weights]]:
        """The weights that were kept on the way, with the games before each."""
        files = sorted((self.folder / "snapshots").glob("*.npz"))
        return [(int(file.stem), load(file)) for file in files if file.stem.isdigit()]


def read_run(folder: str | Path) -> Record:
    """The record of a run, finished or not."""
    path = Path(folder) / "checkpoint.npz"
    if not path.exists():
        raise InputError(f"{folder} is not the folder of a run: it has no checkpoint.npz")
    facts, arrays = read_arrays(path)
    weights = weights_of(path, facts, arrays)
    curve = arrays.get("curve")
    if curve is None or curve.ndim != 2 or curve.shape[1] != len(COLUMNS):
        raise InputError(f"{path} is a weight file but not the checkpoint of a run")
    return Record(Path(folder), weights, {name: curve[:, k] for k, name in enumerate(COLUMNS)})


def command(plan: Plan) -> str:
    """The command that makes a run; only what differs from the defaults is said."""
    default = Plan()
    words = ["playout train td", f"--games {plan.games}"]
    for name, option in (("side", "size"), ("sharing", "sharing"), ("colour", "colour"), ("stage", "stage")):
        if getattr(plan.shapes, name) != getattr(default.shapes, name):
            words.append(f"--{option} {getattr(plan.shapes, name)}")
    if plan.shapes.sizes != default.shapes.sizes:
        words.append("--sizes " + ",".join(map(str, plan.shapes.sizes)))
    for name in ("rule", "alpha", "epsilon", "lam", "traces", "plies"):
        value = getattr(plan.learner, name)
        if value != getattr(default.learner, name):
            words.append(
                f"--{'lambda' if name == 'lam' else name} {value:g}"
                if isinstance(value, float)
                else f"--{name} {value}"
            )
    if plan.komi != default.komi:
        words.append(f"--komi {plan.komi:g}")
    words.append(f"--seed {plan.seed}")
    return " ".join(words)
