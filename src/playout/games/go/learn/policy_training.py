"""Train a softmax policy: in a folder, with checkpoints, to be stopped and resumed.

A run's folder holds

- ``checkpoint.npz``: the weights in full precision, the random generators and the weights on the way, in one
  file that is always whole; the same command goes on from there after Ctrl-C or a kill;
- ``weights.npz`` and ``weights.json``: the weights and how they were made, for players.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import playout
from playout.errors import InputError
from playout.games.go.board import Board
from playout.games.go.learn.positions import Positions
from playout.games.go.memory.move_weights import MoveWeights, is_of_moves, move_weights_of
from playout.games.go.memory.shapes import Shapes
from playout.games.go.memory.store import Weights, weights_of
from playout.games.go.policy.feature_policy import FeaturePolicy
from playout.games.go.policy.shape_policy import PAPER, ShapePolicy
from playout.games.go.problem_set import ProblemSet
from playout.learn.adjust import Adjust, AdjustLearner
from playout.learn.balance import Balance, BalanceLearner
from playout.learn.bradley_terry import BradleyTerry, BradleyTerryLearner
from playout.learn.regression import Regression, RegressionLearner
from playout.learn.reinforce import Reinforce, ReinforceLearner
from playout.learn.two_step import Leaves, TwoStep, TwoStepLearner
from playout.memory.archives import read_arrays, write_arrays
from playout.policy.softmax import SoftmaxPolicy
from playout.runs import FolderRun, Pace

MOST_UPDATES = 1_000_000_000

Settings = Regression | BradleyTerry | Reinforce | Balance | TwoStep | Adjust
SETTINGS: dict[str, type[Settings]] = {
    "regression": Regression,
    "mm": BradleyTerry,
    "reinforce": Reinforce,
    "balance": Balance,
    "two-step": TwoStep,
    "adjust": Adjust,
}
SHAPES, MOVES = "shapes", "moves"
FEATURES = (SHAPES, MOVES)  # of positions after a move (local shapes), or of the moves themselves
EVERY = {"mm": 10, "adjust": 300}  # updates between two rows of the weights on the way
USUALLY_EVERY = 1000
VALUES = ("searched", "exact", "both")


@dataclass(frozen=True)
class Lessons:
    """What policies learn from.

    roots: positions to simulate from. values: V̂*, Black's probability to win. actions: an expert's moves.
    leaves: values two moves later. right: of problems, the right moves of each.
    """

    roots: np.ndarray
    values: np.ndarray | None = None
    actions: np.ndarray | None = None
    leaves: Leaves | None = None
    right: tuple[tuple[int, ...], ...] | None = None

    def __post_init__(self) -> None:
        if len(self.roots) == 0:
            raise InputError("the data set has no positions")
        sides = np.unique(self.roots["side"])
        if sides.size > 1:
            raise InputError(f"the data set has boards of several sizes: {', '.join(map(str, sides))}")
        for name in ("values", "actions"):
            found = getattr(self, name)
            if found is not None and len(found) != len(self.roots):
                raise InputError(f"the data set has {len(self.roots)} positions and {len(found)} {name}")
        if self.values is not None and not np.all((self.values >= 0) & (self.values <= 1)):
            raise InputError("the data set has values that are not between 0 and 1")
        if self.leaves is not None and len(self.leaves.starts) != len(self.roots) + 1:
            raise InputError(
                f"the data set has {len(self.roots)} positions and leaves of {len(self.leaves.starts) - 1}"
            )

    @classmethod
    def of(cls, positions: Positions, values: str = "searched") -> Lessons:
        """The positions of a data set to learn from.

        values: those of the deep search, the exact ones (positions that were not solved are left out), or
        both: exact where they are known.
        """
        if values not in VALUES:
            raise InputError(f"values: {values!r} is not one of {', '.join(VALUES)}")
        name = {"searched": "searched", "exact": "winner", "both": "values"}[values]
        train = positions.train
        if len(train) == 0:
            raise InputError("the data set has no positions to learn from: all are for testing")
        known = np.isfinite(getattr(train, name))
        if not known.any():
            raise InputError(f"the data set has no {values} values")
        chosen = train.where(known)
        actions = chosen.actions if chosen.recipe.sims else None
        return cls(chosen.roots, getattr(chosen, name).astype(np.float64), actions, chosen.leaves)

    @classmethod
    def of_problems(cls, problems: ProblemSet) -> Lessons:
        """Problems to learn from: the right move of each is that of an expert, too."""
        actions = np.array([moves[0] for moves in problems.right], np.uint16)
        return cls(problems.roots, actions=actions, right=problems.right)

    @property
    def side(self) -> int:
        """The board size."""
        return int(self.roots["side"][0])

    def digest(self) -> str:
        """A word that is another one for other data."""
        digest = hashlib.sha256()
        for name in ("color", "to_play", "ko", "komi"):
            digest.update(np.ascontiguousarray(self.roots[name]).tobytes())
        for array in (self.values, self.actions):
            digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
        if self.leaves is not None:
            digest.update(np.ascontiguousarray(self.leaves.value).tobytes())
        if self.right is not None:
            digest.update(repr(self.right).encode())
        return digest.hexdigest()[:16]


@dataclass(frozen=True, kw_only=True)
class PolicyPlan:
    """What is to be learnt and how; settings: of the learner, with the defaults where there are none."""

    learner: str
    settings: Settings | None = None
    features: str = SHAPES
    shapes: Shapes = field(default_factory=lambda: Shapes(side=5, sizes=PAPER))
    updates: int = 100_000
    komi: float = 7.5  # of games that begin on an empty board; positions have their own
    seed: int = 1

    def __post_init__(self) -> None:
        if self.learner not in SETTINGS:
            raise InputError(f"there is no learner {self.learner!r}; there are {', '.join(SETTINGS)}")
        if self.settings is None:
            object.__setattr__(self, "settings", SETTINGS[self.learner]())
        if self.features not in FEATURES:
            raise InputError(f"features: {self.features!r} is not one of {', '.join(FEATURES)}")
        if type(self.settings) is not SETTINGS[self.learner]:
            raise InputError(f"these are not settings of {self.learner}: {self.settings}")
        if not 1 <= self.updates <= MOST_UPDATES:
            raise InputError(f"updates: {self.updates} is not a number from 1 to {MOST_UPDATES:,}")
        if self.seed < 0:
            raise InputError(f"seed: {self.seed} is not a number of at least 0")
        Board(self.shapes.side, self.komi)

    def facts(self) -> dict[str, Any]:
        """All that a result depends on, but for the data and, unless it matters, the number of updates."""
        assert self.settings is not None
        facts = {
            "learner": self.learner,
            "settings": self.settings.facts(),
            "shapes": self.shapes.facts(),
            "komi": self.komi,
            "seed": self.seed,
        }
        if self.features != SHAPES:
            facts["features"] = self.features
        if getattr(self.settings, "cooling", False):
            facts["cooled_at"] = self.updates
        return facts


def make_learner(plan: PolicyPlan, policy: SoftmaxPolicy, lessons: Lessons | None, threads: int) -> Any:
    """The learner of a plan."""
    settings: Any = plan.settings
    if plan.learner == "reinforce":
        root = Board(plan.shapes.side, plan.komi).simulation_root()
        return ReinforceLearner(policy, settings, root, plan.seed)
    if lessons is None:
        raise InputError(f"{plan.learner} learns from positions: a data set or problems are needed")
    if lessons.side != plan.shapes.side:
        side = plan.shapes.side
        raise InputError(f"the data set is of {lessons.side}×{lessons.side} boards, not {side}×{side}")
    missing = {
        "regression": "actions",
        "mm": "actions",
        "balance": "values",
        "two-step": "leaves",
        "adjust": "right",
    }[plan.learner]
    if getattr(lessons, missing) is None or (plan.learner == "two-step" and lessons.values is None):
        words = {
            "actions": "the best moves",
            "values": "values",
            "leaves": "values two moves later",
            "right": "right moves, as problems have them",
        }
        raise InputError(f"{plan.learner} needs {words[missing]}, which the data set does not have")
    roots: Any = lessons.roots
    if plan.learner == "regression":
        return RegressionLearner(policy, settings, roots, lessons.actions, plan.seed, plan.updates)  # type: ignore[arg-type]
    if plan.learner == "mm":
        return BradleyTerryLearner(policy, settings, roots, lessons.actions)  # type: ignore[arg-type]
    if plan.learner == "balance":
        values: Any = lessons.values
        return BalanceLearner(policy, settings, roots, values, plan.seed, threads, plan.updates)
    if plan.learner == "adjust":
        right: Any = lessons.right
        return AdjustLearner(policy, settings, roots, right, plan.seed, threads)
    leaves: Any = lessons.leaves
    return TwoStepLearner(policy, settings, roots, lessons.values, leaves, plan.seed, plan.updates)  # type: ignore[arg-type]


class PolicyRun(FolderRun):
    """A run of a learner in a folder; made anew or taken up where it stopped.

    first: weights to start from, all 0 if none are given.
    """

    def __init__(
        self,
        folder: str | Path,
        plan: PolicyPlan,
        lessons: Lessons | None = None,
        first: Weights | MoveWeights | None = None,
        threads: int = 1,
        command: str = "",
    ) -> None:
        if not 1 <= threads <= 256:
            raise InputError(f"threads: {threads} is not a number from 1 to 256")
        super().__init__(folder)
        self.plan, self.command = plan, command
        if isinstance(first, MoveWeights) != (plan.features == MOVES) and first is not None:
            raise InputError(f"the first weights are of other features than {plan.features}")
        if isinstance(first, Weights) and first.shapes != plan.shapes:
            raise InputError(
                f"the first weights are of other features: {first.shapes.facts()}, not {plan.shapes.facts()}"
            )
        self.facts = {
            **plan.facts(),
            "data": None if lessons is None or plan.learner == "reinforce" else lessons.digest(),
            "first": None if first is None else hashlib.sha256(first.theta.tobytes()).hexdigest()[:16],
        }
        theta = None if first is None else first.theta
        self.policy: ShapePolicy | FeaturePolicy
        if plan.features == SHAPES:
            self.policy = ShapePolicy(plan.shapes, theta, records=2)
        else:
            self.policy = FeaturePolicy(plan.shapes.side, theta, records=2)
        self.learner = make_learner(plan, self.policy, lessons, threads)
        self.positions = 0 if lessons is None else len(lessons.roots)
        self.marks = [0]
        self.history = [self.policy.theta.astype(np.float32)]
        self.open()
        self._pace = Pace()
        self._compiled = False

    @property
    def updates(self) -> int:
        """Updates so far."""
        return int(self.learner.updates)

    def plan_facts(self) -> dict[str, Any]:
        return self.facts

    def check(self, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        read_weights(self.checkpoint, facts, arrays)

    def restore(self, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        theta, rngs, state = arrays["exact"], arrays["rngs"], arrays["state"]
        marks, history = arrays["marks"], arrays["history"]
        if (
            theta.shape != self.policy.theta.shape
            or rngs.shape != (len(self.learner.rngs), 2)
            or state.shape != self.learner.state.shape
            or history.shape != (marks.size, theta.size)
        ):
            raise ValueError
        updates = int(facts["updates"])
        self.policy.theta[:] = theta
        self.policy.renew()
        for rng, (word, ready) in zip(self.learner.rngs, rngs, strict=True):
            rng["word"], rng["ready"] = word, ready
        self.learner.state[:] = state
        self.learner.updates = updates
        self.marks, self.history = marks.tolist(), list(history)

    def weights(self) -> Weights | MoveWeights:
        """The weights so far, with how they were made."""
        return self.policy.weights(
            **self.facts,
            command=self.command,
            playout=playout.__version__,
            updates=self.updates,
            positions=self.positions,
            seconds=round(self.seconds, 1),
        )

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        weights = self.weights()
        rngs = np.array([[rng["word"][0], rng["ready"][0]] for rng in self.learner.rngs], np.uint64)
        arrays = {
            "theta": weights.theta,
            "exact": self.policy.theta.copy(),
            "rngs": rngs.reshape(-1, 2),
            "state": self.learner.state.copy(),
        }
        self._rows = len(self.history)
        return {**weights.facts(), "updates": self.updates}, arrays

    def save(self) -> None:
        (facts, arrays), rows = self._kept, self._rows
        way: dict[str, Any] = {
            "marks": np.array(self.marks[:rows], np.int64),
            "history": np.array(self.history[:rows], np.float32),
        }
        write_arrays(self.checkpoint, facts, {**arrays, **way})

    @property
    def is_finished(self) -> bool:
        """Whether all updates are made, and the weights are where players look for them."""
        path = self.folder / "weights.npz"
        done = self.updates >= self.plan.updates and path.exists()
        return done and read_weights(path, *read_arrays(path)).how.get("updates") == self.updates

    def pieces(self) -> Iterator[None]:
        every = EVERY.get(self.plan.learner, USUALLY_EVERY)
        while self.updates < self.plan.updates:
            mark = (self.updates // every + 1) * every
            self._learn(min(mark, self.plan.updates))
            if self.updates == mark:
                self.marks.append(mark)
                self.history.append(self.policy.theta.astype(np.float32))
            yield

    def finish(self) -> None:
        self.weights().save(self.folder / "weights.npz")

    def _learn(self, until: int) -> None:
        """A piece of work that takes about a third of a second, or less if it is done by then."""
        began = time.monotonic()
        count = min(self._pace.count, until - self.updates)
        self.learner.learn(count)
        took = time.monotonic() - began
        self.seconds += took if self._compiled else 0.0  # the first piece is one update
        self._compiled = True
        self._pace.took(took, count)

    def words(self) -> str:
        """How it goes."""
        said = [f"largest weight {np.abs(self.policy.theta).max():.2f}"]
        if self.seconds > 0:
            said.insert(0, f"{self.updates / self.seconds:,.0f} updates/s")
        return ", ".join(said)


def read_weights(
    path: str | Path, facts: dict[str, Any], arrays: dict[str, np.ndarray]
) -> Weights | MoveWeights:
    """Weights of either kind, from what a file holds."""
    return (move_weights_of if is_of_moves(facts) else weights_of)(path, facts, arrays)


@dataclass(frozen=True)
class PolicyRecord:
    """What a run has left in its folder, to look at: its weights, and those after so many updates."""

    folder: Path
    weights: Weights | MoveWeights
    marks: np.ndarray
    history: np.ndarray

    def at(self, mark: int) -> Weights | MoveWeights:
        """The weights after so many updates."""
        found = np.flatnonzero(self.marks == mark)
        if found.size == 0:
            raise InputError(f"{self.folder} has no weights of update {mark}")
        how = {**self.weights.how, "updates": mark}
        return replace(self.weights, theta=self.history[found[0]].astype(np.float32), how=how)

    def curve(self) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of updates, and the weights after each, up to the last; refused if there were none."""
        updates = int(self.weights.how.get("updates", 0))
        if updates == 0:
            raise InputError(f"{self.folder} has no updates yet: there is nothing to draw")
        if updates == self.marks[-1]:
            return self.marks, self.history
        return np.append(self.marks, updates), np.vstack([self.history, self.weights.theta])


def is_policy_run(folder: str | Path) -> bool:
    """Whether a folder is of a run that learns a policy, and not values."""
    path = Path(folder) / "checkpoint.npz"
    return path.exists() and "history" in read_arrays(path)[1]


def read_policy_run(folder: str | Path) -> PolicyRecord:
    """The record of a run, finished or not."""
    path = Path(folder) / "checkpoint.npz"
    if not path.exists():
        raise InputError(f"{folder} is not the folder of a run: it has no checkpoint.npz")
    facts, arrays = read_arrays(path)
    weights = read_weights(path, facts, arrays)
    if "marks" not in arrays or "history" not in arrays:
        raise InputError(f"{path} is a weight file but not the checkpoint of a policy's run")
    return PolicyRecord(Path(folder), weights, arrays["marks"], arrays["history"])
