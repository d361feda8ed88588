"""The experiment of Araki et al. (2014), Figure 1: does adjusting find more right moves than learning them?

Problems are split into some to learn from (A) and some to test on (B), several times. On each split several
policies over the same features of moves are learnt from A:

- ``adjust``: simulation adjusting as printed, iteration by iteration;
- ``adjust-steps``: with larger steps, a baseline and batches (`STEPS`), and fewer iterations (`SOONER`);
- ``adjust-margin``: the same, and wants a margin (`MARGIN`);
- ``mm-adjust`` and ``regression-adjust``: that, beginning with what these have learnt;
- ``mm`` and ``regression``: the right moves as those of an expert;
- ``balance``: simulation balancing on the exact values of the positions after each move;
- ``uniform``: nothing is learnt.

Measured are the objective J on A (closed), from as many simulations as learning has; and how often the move
that wins most simulations is the right one, on A over one sequence of random numbers and on B over many
(open), the same for all. A tie counts for its share.

A folder holds ``experiment.json``, one file a learner and split with its rows, and in ``weights`` what was
learnt, to play by. What is there is not made again, and a row that is there is not measured again; so the
same call goes on after a kill.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import playout
from playout.arena.intervals import mean_interval
from playout.errors import InputError, near
from playout.files import begin_folder, make_folder, write_text
from playout.games.api import legal_moves, play
from playout.games.go.board import Board
from playout.games.go.policy.feature_policy import FeaturePolicy
from playout.games.go.problem_set import ProblemSet, load_problems
from playout.games.go.solve import Solver
from playout.games.go.state import BLACK, STATE, WHITE
from playout.kernel import clone, spawn
from playout.learn.adjust import Adjust, AdjustLearner, move_values
from playout.learn.balance import Balance, BalanceLearner
from playout.learn.bradley_terry import BradleyTerry, BradleyTerryLearner
from playout.learn.regression import Regression, RegressionLearner
from playout.policy.softmax import room_for
from playout.settings import check_values, setting

BEYOND = ("adjust-steps", "adjust-margin", "regression-adjust", "mm-adjust")  # beyond the paper
LEARNERS = ("adjust", *BEYOND, "mm", "regression", "balance", "uniform")
SEQUENCES_CLOSED = 1
MARKS = (0, 1, 2, 5, 10, 20, 40, 80, 150)
SOONER = 20  # iterations of learners with larger steps
# Chosen on problems to learn from alone: 150 of the first split of 200, tried on its other 50.
STEPS = {"alpha": 5.0, "step_sizes": "root", "baseline": "mean", "batch": 5}
# What is new here was chosen on problems of another seed, none of which comes with the package.
MARGIN = {**STEPS, "alpha": 1.0, "objective": "margin", "temperature": 0.3}
MM_SWEEPS, EPOCHS = 30, 100
SOLVER_NODES, SOLVER_MEMORY = 2_000_000, 200
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Settings of the experiment; the defaults are the paper's."""

    problems: str = setting("problems-4", "the problems: a file, a folder, or a shipped set")
    train: int = setting(60, "problems to learn from", low=2, high=100_000)
    test: int = setting(10, "problems to test on", low=1, high=100_000)
    splits: int = setting(5, "how many splits", low=1, high=1000)
    loops: int = setting(150, "iterations, in which each problem comes once", low=1, high=100_000)
    sims: int = setting(50, "M and N, and the simulations a move of a test", low=1, high=1_000_000)
    sequences: int = setting(
        100, "sequences of random numbers of the open test after the last iteration", low=1, high=1_000_000
    )
    between: int = setting(100, "and of those before it", low=1, high=1_000_000)
    seed: int = setting(1, "makes it repeatable", low=0)

    def __post_init__(self) -> None:
        check_values(type(self), asdict(self))


def winner_after(root: np.ndarray, action: int, solver: Solver) -> float | None:
    """Who wins after a move, by the exact solver: Black's share."""
    work = clone(root)
    play(work[0], action)
    color = work["color"][0]
    board = Board(int(work["side"][0]), float(work["komi"][0]))
    board.set_up(np.flatnonzero(color == BLACK).tolist(), np.flatnonzero(color == WHITE).tolist(), "W")
    return solver.winner(board)


def values_after(problems: ProblemSet, solver: Solver) -> tuple[np.ndarray, np.ndarray]:
    """The positions after each move of the problems, and their exact values; passes and kos are left out."""
    roots, values = [], []
    for k in range(len(problems)):
        root = problems.roots[k : k + 1]
        for action in _legal(root):
            after = clone(root)
            play(after[0], int(action))
            value = winner_after(root, int(action), solver) if action and not int(after["ko"][0]) else None
            if value is not None:
                roots.append(after)
                values.append(value)
    return np.concatenate(roots), np.array(values)


def _legal(root: np.ndarray) -> list[int]:
    actions, _ = room_for(root)
    return actions[: int(legal_moves(root[0], actions))].tolist()


class Examiner:
    """Measures a policy on problems: J, and how often simple Monte-Carlo search finds the right move."""

    def __init__(self, problems: ProblemSet, sims: int, seed: int) -> None:
        self.problems, self.sims = problems, sims
        self._rng = spawn(seed, 1)[0]
        self._work = np.empty(1, STATE)
        self._actions, self._values = room_for(problems.roots)

    def values(self, policy: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The moves of a problem and V of each."""
        root = self.problems.roots[k : k + 1]
        number = move_values(root, self._work, policy, self.sims, self._rng, self._actions, self._values)
        return self._actions[:number].copy(), self._values[:number].copy()

    def test(self, policy: np.ndarray, sequences: int) -> tuple[float, float]:
        """The share of right answers over sequences of random numbers, and the mean of (V_max − V*)²."""
        answers = objective = 0.0
        for _ in range(sequences):
            for k, right in enumerate(self.problems.right):
                actions, values = self.values(policy, k)
                is_right = np.isin(actions, right)
                best = values == values.max()
                answers += (best & is_right).sum() / best.sum()
                objective += (values.max() - values[is_right].max()) ** 2  # (2)
        tests = sequences * len(self.problems)
        return answers / tests, objective / tests


class Learning:
    """One learner on one split: how it goes on, an iteration at a time, and what is measured on the way."""

    def __init__(self, experiment: Experiment, name: str, split: int, train: ProblemSet) -> None:
        e = experiment
        self.policy = FeaturePolicy(train.side, records=2)
        self.policy.records["learning"] = 0
        right = np.array([moves[0] for moves in train.right], np.uint16)
        seed = e.seed * 1000 + split
        self._learner: Any = None
        loops = min(e.loops, SOONER) if name in BEYOND else e.loops
        self.marks = [mark for mark in MARKS if mark < loops] + [loops]
        self.each = len(train)  # updates of an iteration; balancing has about eight positions a problem
        if name == "regression-adjust":
            self._regress(train, right, seed)
        elif name == "mm-adjust":
            BradleyTerryLearner(self.policy, BradleyTerry(), train.roots, right).learn(MM_SWEEPS)
        if "adjust" in name:
            steps: dict[str, Any] = {"adjust": {}, "adjust-steps": STEPS}.get(name, MARGIN)
            settings = Adjust(m=e.sims, n=e.sims, **steps)
            self._learner = AdjustLearner(self.policy, settings, train.roots, train.right, seed)
            self.each = self._learner.steps
        elif name == "mm":
            self._learner = BradleyTerryLearner(self.policy, BradleyTerry(), train.roots, right)
            self.marks, self.each = [0, MM_SWEEPS], 1
        elif name == "regression":
            self._regress(train, right, seed)
            self.marks = [EPOCHS]
        elif name == "balance":
            roots, values = values_after(train, Solver(train.side, memory=SOLVER_MEMORY, nodes=SOLVER_NODES))
            settings_of = Balance(m=e.sims, n=e.sims, cooling=True)
            last = e.loops * self.each
            self._learner = BalanceLearner(self.policy, settings_of, roots, values, seed, last=last)
        else:
            self.marks = [0]

    def _regress(self, train: ProblemSet, right: np.ndarray, seed: int) -> None:
        last = EPOCHS * len(train)
        settings = Regression(cooling=True)
        RegressionLearner(self.policy, settings, train.roots, right, seed, last).learn(last)

    def to(self, begun: int, mark: int) -> None:
        """Go on from one iteration to another."""
        if self._learner is not None and mark > begun:
            self._learner.learn((mark - begun) * self.each)

    def playing(self) -> np.ndarray:
        """The policy, to play."""
        record = clone(self.policy.policies[0])
        record["learning"] = 0
        return record


class Figure:
    """The experiment in its folder."""

    def __init__(
        self, folder: str | Path, experiment: Experiment, say: Callable[[str], None] = print
    ) -> None:
        self.folder, self.experiment = Path(folder), experiment
        self.problems = load_problems(experiment.problems, None, say)
        wanted = experiment.train + experiment.test
        if len(self.problems) < wanted:
            raise InputError(f"{experiment.problems} has {len(self.problems)} problems; {wanted} are needed")
        path = self.folder / "experiment.json"
        if path.exists():
            try:
                before = dict(json.loads(path.read_text(encoding="utf-8")))
            except (OSError, ValueError, TypeError):
                raise InputError(f"{path} is not what we have written") from None
            for key, value in asdict(experiment).items():
                if before.get(key) != value and key != "splits":
                    raise InputError(
                        f"{folder} is an experiment with {key}={before.get(key)} and not {value}"
                    )
        else:
            begin_folder(self.folder, "the folder of an experiment")
        write_text(path, json.dumps(asdict(experiment), indent=1) + "\n")

    def split(self, number: int) -> tuple[ProblemSet, ProblemSet]:
        """The problems to learn from and those to test on."""
        e = self.experiment
        order = np.random.default_rng([e.seed, number]).permutation(len(self.problems)).tolist()
        return self.problems.part(order[: e.train]), self.problems.part(order[e.train : e.train + e.test])

    def run(
        self, name: str, number: int, progress: Progress = lambda what, done, of: None
    ) -> list[dict[str, Any]]:
        """The rows of a learner on a split."""
        e = self.experiment
        path = self.folder / f"{name}-{number}.json"
        rows: list[dict[str, Any]] = []
        if path.exists():
            rows = json.loads(path.read_text(encoding="utf-8"))
        train, test = self.split(number)
        learning = Learning(e, name, number, train)
        if rows and rows[-1]["iteration"] >= learning.marks[-1]:
            return rows
        begun = 0
        for done, mark in enumerate(learning.marks):
            learning.to(begun, mark)
            begun = mark
            if any(row["iteration"] == mark for row in rows):
                continue
            policy = learning.playing()
            right, objective = Examiner(train, e.sims, e.seed + 17).test(policy, SEQUENCES_CLOSED)
            sequences = e.sequences if mark == learning.marks[-1] else e.between
            open_right, open_objective = Examiner(test, e.sims, e.seed + 31).test(policy, sequences)
            rows.append(
                {
                    "iteration": mark,
                    "objective": objective,
                    "closed": right,
                    "open": open_right,
                    "open_objective": open_objective,
                    "largest_weight": float(np.abs(learning.policy.theta).max()),
                }
            )
            if mark == learning.marks[-1]:
                self._save(learning.policy, name, number, train)
            write_text(path, json.dumps(rows, indent=0) + "\n")
            progress(f"{name}, split {number + 1}", done + 1, len(learning.marks))
        return rows

    def _save(self, policy: FeaturePolicy, name: str, number: int, train: ProblemSet) -> None:
        """Keep what was learnt, to play by, with the problems that it was learnt from."""
        e = self.experiment
        other = [
            f"--{key} {value}" for key, value in asdict(e).items() if value != getattr(Experiment(), key)
        ]
        how: dict[str, Any] = {"learner": name, "experiment": asdict(e), "split": number + 1}
        how["command"] = " ".join(["playout reproduce adjusting", *other, f"--learners {name}"])
        how["learnt_from"], how["playout"] = list(train.names), playout.__version__
        folder = make_folder(self.folder / "weights")
        policy.weights(**how).save(folder / f"{name}-{number + 1}.npz")

    def make(
        self, names: Sequence[str], threads: int = 1, progress: Progress = lambda what, done, of: None
    ) -> Iterator[tuple[str, int]]:
        """All learners on all splits; says which are done."""
        work = [(name, number) for number in range(self.experiment.splits) for name in names]
        with ThreadPoolExecutor(threads) as pool:
            for (name, number), _ in zip(
                work, pool.map(lambda at: self.run(at[0], at[1], progress), work), strict=True
            ):
                yield name, number

    def table(self) -> dict[str, Any]:
        """By learner: its last row's means with 95 % intervals over the splits; and paired differences."""
        found: dict[str, list[dict[str, Any]]] = {}
        for name in LEARNERS:
            last = [self._last(name, number) for number in range(self.experiment.splits)]
            there = [row for row in last if row is not None]
            if len(there) == len(last):
                found[name] = there
        facts: dict[str, Any] = {}
        for name, rows in found.items():
            facts[name] = {key: _mean([row[key] for row in rows]) for key in ("objective", "closed", "open")}
        facts["differences"] = {
            f"{one} − {other}": _mean(
                [a["open"] - b["open"] for a, b in zip(found[one], found[other], strict=True)], least=-1.0
            )
            for one in found
            for other in ("mm", "uniform")
            if one != other and other in found
        }
        return facts

    def _last(self, name: str, number: int) -> dict[str, Any] | None:
        path = self.folder / f"{name}-{number}.json"
        return json.loads(path.read_text(encoding="utf-8"))[-1] if path.exists() else None

    def curves(self, name: str, key: str) -> tuple[list[int], np.ndarray]:
        """Iterations, and a row for each split."""
        rows = []
        for number in range(self.experiment.splits):
            path = self.folder / f"{name}-{number}.json"
            if path.exists():
                rows.append(json.loads(path.read_text(encoding="utf-8")))
        if not rows:
            return [], np.zeros((0, 0))
        least = min(map(len, rows))
        return [row["iteration"] for row in rows[0][:least]], np.array(
            [[row[key] for row in each[:least]] for each in rows]
        )


def _mean(values: Sequence[float], least: float = 0.0) -> dict[str, Any]:
    array = np.array(values)
    interval = mean_interval(array, least=least)
    return {"mean": float(array.mean()), "interval": [float(x) for x in interval]}


def chosen(words: str | None) -> list[str]:
    """Names of learners from words with commas; by default all.

    >>> chosen("mm, adjust")
    ['adjust', 'mm']
    """
    names = [word.strip() for word in words.split(",")] if words else list(LEARNERS)
    for name in names:
        if name not in LEARNERS:
            raise InputError(f"there is no learner {name[:40]!r}{near(name, LEARNERS)}")
    return [name for name in LEARNERS if name in names]
