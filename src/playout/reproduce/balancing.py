"""The experiments of Silver & Tesauro (2009): are simulations better for being strong, or balanced?

One folder holds one experiment, for one board size:

- ``experiment.json``: its settings; ``positions.npz`` and ``leaves.npz``: the data sets;
- a folder for every policy that is learnt, as `playout train` makes it, with ``errors.json``: the errors of
  its values on positions of other games, for the weights after every 1,000 updates (`value_errors`); and
  ``best.npz``: those of least error;
- ``mse.json`` (with J, B₂ and B∞ of `move_errors`, once there are leaves) and ``mse.png`` (Figure 4),
  ``weights.png`` (Figure 2); from `balancing_rating` Table 1.

What is finished is left alone and what was under way goes on, so `make` can be stopped and repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from playout.errors import Diverged, InputError, near
from playout.files import write_text
from playout.games.go.learn.policy_training import SETTINGS, Lessons, PolicyPlan, PolicyRun, read_policy_run
from playout.games.go.learn.position_maker import produce
from playout.games.go.learn.positions import Positions, Recipe
from playout.games.go.memory.shapes import Shapes
from playout.games.go.memory.store import load
from playout.games.go.policy import Mogo, Uniform
from playout.games.go.policy.shape_policy import PAPER
from playout.player.valuer import Valuer
from playout.reproduce.value_errors import Judge
from playout.runs import keep_settings
from playout.settings import check_values, setting

DIVERGED = "diverged.txt"
MM_UPDATES = 200  # each of them sees all positions
TESTED, LARGEST_SHARE = 1000, 0.2  # positions for testing: the paper's number, or a fifth if that is less
LEAVES_TESTED = 0.2  # share of the positions with values two moves later that J and B₂ are measured on
LEAVES_SEED = 1000  # added to the seed: the positions of two-step balancing are of other games
# The weights of least error on the positions for testing: to compare with, never to claim an error for.
BEST = "best.npz"
LEVELS = {"uniform": Uniform(), "mogo": Mogo()}  # policies that learn nothing, to compare with

# Told what is being made, how much of it is there, and how much there will be.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Settings of an experiment; the defaults are the paper's where it tells them."""

    size: int = setting(5, "board size", low=2, high=19)
    komi: float = setting(7.5, "White's compensation for moving second")
    # Few are learnt by heart: then errors on others rise again.
    positions: int = setting(20_000, f"positions; about {TESTED:,} are for testing", low=1)
    search: str = setting("mogo", "the player whose tree search gives the values")
    sims: int = setting(10_000, "simulations of a position", low=1)
    leaf_positions: int = setting(1000, "positions for two-step balancing", low=1)
    leaf_sims: int = setting(2000, "simulations of each position two moves after one of these", low=1)
    cycle_positions: int = setting(
        3000, "for balance-cycle: the first positions, which search with balance values anew", low=1
    )
    exact_nodes: int = setting(100_000, "nodes of the solver for a position; 0 for none", low=0)
    updates: int = setting(100_000, "updates of each policy", low=1)
    seed: int = setting(1, "makes it repeatable", low=0)

    def __post_init__(self) -> None:
        check_values(Experiment, asdict(self))
        self.recipe  # noqa: B018  it refuses what cannot be

    @property
    def recipe(self) -> Recipe:
        """How the positions are made."""
        return Recipe(
            size=self.size,
            komi=self.komi,
            search=self.search,
            sims=self.sims,
            exact_nodes=self.exact_nodes,
            test=min(LARGEST_SHARE, TESTED / self.positions),
            seed=self.seed,
        )

    @property
    def leaves_recipe(self) -> Recipe:
        """How those of two-step balancing are made."""
        seed = self.seed + LEAVES_SEED
        return replace(self.recipe, leaf_sims=self.leaf_sims, exact_nodes=0, test=LEAVES_TESTED, seed=seed)


@dataclass(frozen=True)
class Course:
    """How one policy is learnt."""

    label: str
    learner: str
    changes: dict[str, Any] = field(default_factory=dict)  # of the learner's settings
    data: str = "positions"
    values: str = "searched"
    first: str = ""  # the policy to begin with, by name; else all weights are 0


# By name of the folder, in an order in which all can be made. But for RL all are cooled, to be compared where
# they come to rest.
COOLED = {"cooling": True}
COURSES: dict[str, Course] = {
    "regression": Course("softmax regression", "regression", COOLED),
    "mm": Course("minorization–maximization", "mm"),
    "reinforce": Course("policy gradient RL", "reinforce"),
    "balance": Course("simulation balancing", "balance", COOLED),
    "two-step": Course("two-step balancing", "two-step", COOLED, data="leaves"),
    "regression-balance": Course("regression, then balancing", "balance", COOLED, first="regression"),
    "balance-baseline": Course("balancing with a baseline", "balance", {**COOLED, "baseline": "mean"}),
    "balance-exact": Course("balancing on exact values", "balance", COOLED, values="both"),
    "balance-cycle": Course("balancing on its own searches", "balance", COOLED, data="cycle"),
}
USUAL = tuple(name for name in COURSES if name != "balance-cycle")  # that one takes a data set more
# Of data sets that few policies need: how many positions there are is a setting, and the file.
SETS = {"leaf_positions": "leaves.npz", "cycle_positions": "cycle.npz"}
NEEDS = {"cycle": "balance"}  # by data set: the policy that it is made with


def chosen(words: str | None) -> list[str]:
    """Names of policies from words, in an order in which they can be made; by default the usual ones.

    >>> chosen("balance,regression")
    ['regression', 'balance']
    """
    if words is None:
        return list(USUAL)
    names = [word.strip() for word in words.split(",") if word.strip()]
    for name in names:
        if name not in COURSES:
            raise InputError(f"there is no policy {name[:40]!r}{near(name, COURSES)}")
    if not names:
        raise InputError(f"no policy is given; there are {', '.join(COURSES)}")
    return [name for name in COURSES if name in names]


def alphas_of(words: Sequence[str]) -> dict[str, float]:
    """Step sizes by policy, from words such as ``balance=0.5``.

    >>> alphas_of(["balance=0.5"])
    {'balance': 0.5}
    """
    found: dict[str, float] = {}
    for word in words:
        name, _, number = word.partition("=")
        if name not in COURSES or COURSES[name].learner == "mm":
            raise InputError(f"alpha: {name[:40]!r} is not a policy with a step size{near(name, COURSES)}")
        try:
            found[name] = float(number)
        except ValueError:
            raise InputError(f"alpha: {number[:40]!r} is not a number, as in {name}=0.5") from None
    return found


def read_experiment(folder: str | Path) -> Experiment:
    """The settings that a folder was made with."""
    path = Path(folder) / "experiment.json"
    if not path.exists():
        raise InputError(f"{folder} is not the folder of an experiment: it has no experiment.json")
    try:
        return Experiment(**json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise InputError(f"{path} is not what we have written") from None


def open_experiment(folder: str | Path, experiment: Experiment) -> None:
    """Make the folder, or see that it is of the same experiment.

    How many positions a data set has may be changed until it is finished.
    """
    place = Path(folder)
    free = [name for name, file in SETS.items() if not (place / file).exists()]
    keep_settings(place / "experiment.json", experiment, "the folder of an experiment", free)


class Workshop:
    """Makes an experiment in its folder, piece by piece; what is there already is not made again."""

    def __init__(
        self,
        folder: str | Path,
        experiment: Experiment,
        *,
        alphas: dict[str, float] | None = None,
        threads: int = 1,
        progress: Progress = lambda what, done, total: None,
    ) -> None:
        self.folder, self.experiment = Path(folder), experiment
        self.alphas, self.threads, self.progress = alphas or {}, threads, progress
        self._data: dict[str, Positions] = {}
        Valuer(experiment.search).close()  # refuses what is no player
        for name in self.alphas:
            self.plan(name)  # refuses what is no step size
        open_experiment(folder, experiment)

    def data(self, name: str) -> Positions:
        """A data set: positions, leaves or cycle."""
        if name not in self._data:
            e = self.experiment
            recipe, count = {
                "positions": (e.recipe, e.positions),
                "leaves": (e.leaves_recipe, e.leaf_positions),
                "cycle": (self._cycle_recipe(), min(e.cycle_positions, e.positions)),
            }[name]
            path = self.folder / f"{name}.npz"
            valuer = Valuer(recipe.search)
            try:
                self._data[name] = produce(
                    path,
                    recipe,
                    count,
                    valuer,
                    threads=self.threads,
                    progress=lambda done: self.progress(f"{name}.npz", done, count),
                )
            finally:
                valuer.close()
        return self._data[name]

    def _cycle_recipe(self) -> Recipe:
        """Deep search whose simulations are those of the balanced policy values the same positions."""
        weights = self.folder / "balance" / "weights.npz"
        search = f"mogo:policy=softmax,policy.weights={weights}"
        return replace(self.experiment.recipe, search=search, exact_nodes=0)

    def judge(self) -> Judge:
        """Who measures the errors of values."""
        return Judge(self.data("positions").test, self.experiment.seed, self.threads)

    def plan(self, name: str) -> PolicyPlan:
        """What `playout train` would be told."""
        course, e = COURSES[name], self.experiment
        changes = {**course.changes, **({"alpha": self.alphas[name]} if name in self.alphas else {})}
        return PolicyPlan(
            learner=course.learner,
            settings=SETTINGS[course.learner](**changes),
            shapes=Shapes(side=e.size, sizes=PAPER),
            updates=min(e.updates, MM_UPDATES) if course.learner == "mm" else e.updates,
            komi=e.komi,
            seed=e.seed,
        )

    def train(self, name: str) -> str:
        """Learn a policy; how it ended."""
        course, place, plan = COURSES[name], self.folder / name, self.plan(name)
        if (place / DIVERGED).exists():
            return (place / DIVERGED).read_text(encoding="utf-8").strip()
        first = None
        for other in filter(None, (course.first, NEEDS.get(course.data, ""))):
            if not (self.folder / other / "weights.npz").exists():
                raise InputError(f"{name} needs the policy {other} in {self.folder}: make that first")
        if course.first:
            first = load(self.folder / course.first / "weights.npz")
        lessons = None
        if course.learner != "reinforce":
            lessons = Lessons.of(self.data(course.data), course.values)
        run = PolicyRun(place, plan, lessons, first, self.threads, f"playout reproduce balancing, {name}")
        if not run.is_finished:
            try:
                run.train(lambda run: self.progress(f"{name}: {run.words()}", run.updates, plan.updates))
            except Diverged as failure:
                write_text(place / DIVERGED, f"{failure}\n")
                return str(failure)
        return f"{run.updates:,} updates, {run.words()}"

    def is_there(self, name: str) -> bool:
        """Whether a policy has weights to measure; those that have lost all meaning do not count."""
        place = self.folder / name
        return (place / "checkpoint.npz").exists() and not (place / DIVERGED).exists()

    def measure(self, name: str, judge: Judge) -> list[dict[str, Any]]:
        """The errors of a policy's values, for all weights on the way; kept in its folder."""
        record = read_policy_run(self.folder / name)
        path = self.folder / name / "errors.json"
        known = _known_errors(path, judge.digest)
        last = int(record.weights.how.get("updates", 0))
        marks = sorted({*map(int, record.marks), last})
        rows: list[dict[str, Any]] = []
        for mark in marks:
            weights: Any = record.at(mark) if mark in record.marks else record.weights
            word = judge.word(weights)
            row = known.get(mark)
            if row is None or row["weights"] != word:
                row = {"updates": mark, "weights": word, **judge.errors_of(weights)}
                known[mark] = row
                rest = [known[other] for other in sorted(known) if other in marks]
                write_text(path, json.dumps({"judge": judge.digest, "rows": rest}, indent=0) + "\n")
            rows.append(row)
            self.progress(f"{name}: errors of values", len(rows), len(marks))
        best = min(rows, key=lambda row: row["mse"])["updates"]
        (record.at(best) if best in record.marks else record.weights).save(self.folder / name / BEST)
        return rows

    def make(self, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        """All of it; for each policy its name and how it ended. Then the figures are in the folder."""
        from playout.reproduce.balancing_report import write_report

        judge = self.judge()
        test = judge.positions
        yield (
            "positions",
            f"{len(test):,} for testing, {int(test.decided.sum()):,} of them decided by the solver",
        )
        for name in names:
            words = self.train(name)
            if self.is_there(name):
                row = self.measure(name, judge)[-1]
                words += f"; mean squared error {row['mse']:.4f}"
            yield name, words
        write_report(self, judge)


def _known_errors(path: Path, digest: str) -> dict[int, dict[str, Any]]:
    """The rows of errors.json by update, if they were measured in the same way."""
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        if facts["judge"] != digest:
            return {}
        return {int(row["updates"]): row for row in facts["rows"] if "weights" in row and "mse" in row}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
