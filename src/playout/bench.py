"""How fast we are: figures with their spread, each beside a calibrator in the same run.

A machine's speed drifts with its load and its clock, so a figure alone says little. Every benchmark runs
in turns with a calibrator (calibrator, benchmark, calibrator, benchmark, …): light playouts on 9×9 that stand
apart from the rest of the package and never change (`calibrator`). The *unit* of a benchmark is the median of
the ratios of neighbouring runs. On other sizes the calibrator also runs on that size.

One-thread figures are per second of processor time on one core; those of several threads per second on
the clock, and beside them stands what the same work does on one thread, in turns too, and how many cores
the threads got: on a busy machine they share them with others.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

from playout.bench_backgammon import BACKGAMMON
from playout.bench_tasks import Run, Task, shared
from playout.errors import InputError, near
from playout.games.go.board import Board
from playout.games.go.policy import POLICIES
from playout.games.go.state import STATE
from playout.kernel import cache, spawn
from playout.player.registry import make_player
from playout.policy.api import Copies
from playout.search.simulation import evaluate

CALIBRATOR = Path(__file__).with_name("calibrator.py")
REPEATS, SECONDS = 9, 0.25
UNIT_SIDE = 9
EVALUATIONS_A_GAME = 3500  # about, of self-play on 9×9
PAPER = "mogo:policy=mogo,prior=handcrafted,experience=5,amaf_experience=10"
_REFERENCE_MODULE = "playout_reference"


@dataclass(frozen=True)
class Figure:
    """What one benchmark has shown."""

    name: str
    what: str
    per_second: float  # median of the repeats
    spread: tuple[float, float]  # their quartiles
    threads: int
    repeats: int
    moves_per_second: float | None
    unit: float | None  # median ratio to the calibrator on 9×9; None without one
    unit_same_size: float | None  # the same on the benchmark's own board size
    scaling: float | None  # how much faster than on one thread
    cores: float | None  # how many cores the threads got: fewer than threads on a busy machine

    def facts(self) -> dict[str, Any]:
        """The figure as plain numbers, for machines."""
        facts = asdict(self)
        del facts["name"]
        return {**facts, "spread": list(self.spread)}


def _playouts(policy: str, side: int) -> Callable[[int], Run]:
    def prepare(threads: int) -> Run:
        root = Board(side).simulation_root()
        policies = Copies(POLICIES[policy](), threads).at(root)
        rngs = spawn(1, threads)
        works = [np.empty(1, STATE) for _ in range(threads)]
        return shared(lambda k, n: evaluate(root, works[k], policies[k], n, rngs[k])[1], threads)

    return prepare


def _softmax(side: int, gradient: bool = False) -> Callable[[int], Run]:
    """Softmax playouts over 1×1 and 2×2 shapes with random weights; with the policy gradient if wanted."""

    def prepare(threads: int) -> Run:
        from playout.games.go.memory.shapes import Shapes, features_of
        from playout.games.go.policy.shape_policy import PAPER, ShapePolicy
        from playout.learn.balance import policy_gradient

        shapes = Shapes(side=side, sizes=PAPER)
        theta = 0.2 * np.random.default_rng(1).normal(size=features_of(shapes).unique)
        policy = ShapePolicy(shapes, theta, threads)
        policy.records["learning"] = gradient
        root = Board(side).simulation_root()
        rngs = spawn(1, threads)
        works = [np.empty(1, STATE) for _ in range(threads)]

        def work(k: int, n: int) -> int:
            if not gradient:
                return evaluate(root, works[k], policy.policies[k], n, rngs[k])[1]
            weighted, plain = policy.sums(), policy.sums()
            return policy_gradient(root, works[k], policy.policies[k], n, True, rngs[k], weighted, plain)[1]

        return shared(work, threads)

    return prepare


def _features(side: int) -> Callable[[int], Run]:
    """Softmax playouts over the features of moves with random weights."""

    def prepare(threads: int) -> Run:
        from playout.games.go.policy.feature_policy import FeaturePolicy
        from playout.games.go.policy.feature_softmax import COUNT

        theta = 0.2 * np.random.default_rng(1).normal(size=COUNT)
        policy = FeaturePolicy(side, theta, threads)
        policy.records["learning"] = False
        root = Board(side).simulation_root()
        rngs = spawn(1, threads)
        works = [np.empty(1, STATE) for _ in range(threads)]
        return shared(lambda k, n: evaluate(root, works[k], policy.policies[k], n, rngs[k])[1], threads)

    return prepare


def _balancing(threads: int) -> Run:
    """Updates of simulation balancing with M = N = 100 on 5×5, from the empty board."""
    from playout.games.go.memory.shapes import Shapes
    from playout.games.go.policy.shape_policy import PAPER, ShapePolicy
    from playout.learn.balance import Balance, BalanceLearner

    policy = ShapePolicy(Shapes(side=5, sizes=PAPER), records=2)
    roots = np.repeat(Board(5).simulation_root(), 8)
    learner = BalanceLearner(policy, Balance(), roots, np.full(8, 0.5), threads=threads)

    def run(count: int) -> tuple[int, int | None]:
        learner.learn(count)
        return count, None

    return run


def _flat(threads: int) -> Run:
    board = Board(9)
    moves = len(board.legal_moves())

    def run(count: int) -> tuple[int, int | None]:
        sims = max(1, round(count / moves))
        player: Any = make_player(f"flat:sims={sims},seed=1,threads={threads}")
        player.values(board)
        return sims * moves, player.moves_made

    return run


def _tree(spec: str, side: int) -> Callable[[int], Run]:
    """Simulations of a tree search from the empty board, a new tree each run."""

    def prepare(threads: int) -> Run:
        board = Board(side)
        player = make_player(f"{spec},seed=1,threads={threads}")

        def run(count: int) -> tuple[int, int | None]:
            player.new_game()
            player.prepare(board).run(count)  # type: ignore[attr-defined]
            return count, None

        return run

    return prepare


def _evaluations(threads: int) -> Run:
    """After-states evaluated in ε-greedy games with the shipped weights."""
    from playout.games.go.memory.shipped import memory_for, shipped
    from playout.learn.contest import watch

    root = Board(9).simulation_root(1000)
    memories, index, weights = memory_for(shipped(9))
    rng, work = spawn(1, 1)[0], np.empty(1, STATE)

    def run(count: int) -> tuple[int, int | None]:
        done, moves = watch(root, work, memories, index, weights, 0.1, count, rng)
        return int(done), int(moves)

    return run


def _training(evaluations: bool) -> Callable[[int], Run]:
    """Self-play with learning, from the shipped weights on: after-states evaluated, or games."""

    def prepare(threads: int) -> Run:
        from playout.games.go.learn.training import Trainer
        from playout.games.go.memory.shipped import shipped

        weights = shipped(9)
        trainers = Trainer.several(weights.shapes, weights.theta, threads=threads, seed=1)

        def work(k: int, games: int) -> tuple[int, int]:
            before = trainers[k].experience.copy()
            trainers[k].play(games)
            done = trainers[k].experience
            return (int(done[name][0] - before[name][0]) for name in ("evaluations", "moves"))  # type: ignore[return-value]

        if evaluations:

            def run(count: int) -> tuple[int, int | None]:
                done, moves = work(0, max(1, round(count / EVALUATIONS_A_GAME)))
                return done, moves

            return run
        return shared(lambda k, n: tuple(work(k, n))[1], threads)

    return prepare


def _td_search(spec: str) -> Callable[[int], Run]:
    """Simulations of a TD player's search from the empty 9×9 board, without looking at the clock."""

    def prepare(threads: int) -> Run:
        from playout.games.go.player.td_search import ShapesSearchPlayer
        from playout.player.registry import make_player

        player = make_player(f"{spec}threads={threads},seed=1")
        assert isinstance(player, ShapesSearchPlayer)
        search = player.prepare(Board(9))

        def run(count: int) -> tuple[int, int | None]:
            return search.run(count), None

        return run

    return prepare


def _solving(threads: int) -> Run:
    """Nodes of the solver from the empty 4×4 board, from empty tables each run."""
    from playout.games.go.solve import Solver

    solver, board = Solver(4, memory=20), Board(4)

    def run(count: int) -> tuple[int, int | None]:
        solver.forget()
        solver.limit = count
        return solver.solve(board, moves=False, line=False).nodes, None

    return run


def _open_spiel(threads: int) -> Run:
    import pyspiel

    game = pyspiel.load_game("go(board_size=9,komi=7.5)")
    state = game.new_initial_state()

    def run(count: int) -> tuple[int, int | None]:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        pyspiel.MCTSBot(game, evaluator, 1.4, count, 1000, False, 1, False).step(state)
        return count, None

    return run


TASKS: dict[str, Task] = {
    **{
        f"{name}-{side}": Task(f"{name} playouts, {side}×{side}", _playouts(policy, side), side)
        for name, policy in (("light", "uniform"), *((name, name) for name in ("mogo", "tactical", "mango")))
        for side in (9, 13, 19)
    },
    "light-5": Task("light playouts, 5×5", _playouts("uniform", 5), 5),
    **{
        f"softmax-{side}": Task(f"softmax playouts, 1×1 and 2×2 shapes, {side}×{side}", _softmax(side), side)
        for side in (5, 9)
    },
    **{
        f"softmax-gradient-{side}": Task(
            f"softmax playouts with the policy gradient, {side}×{side}", _softmax(side, True), side
        )
        for side in (5, 9)
    },
    **{
        f"features-{side}": Task(
            f"softmax playouts over tactical features of moves, {side}×{side}", _features(side), side
        )
        for side in (9, 19)
    },
    "balance-5": Task("updates of simulation balancing, M = N = 100, 5×5", _balancing, 5),
    "balance-5-threads": Task(
        "updates of simulation balancing, M = N = 100, 5×5, 2 threads", _balancing, 5, 2
    ),
    "flat-9": Task("simulations of flat search, 9×9", _flat),
    **{
        f"{name}-{side}": Task(f"simulations of {what}, {side}×{side}", _tree(spec, side), side)
        for name, what, spec in (
            ("uct", "UCT with light playouts", "uct:policy=uniform"),
            ("rave", "MC–RAVE with light playouts", "rave:policy=uniform"),
            ("mogo-search", "heuristic MC–RAVE with the paper's rules", PAPER),
            ("tactical-search", "heuristic MC–RAVE with tactical playouts and prior", "mogo:policy=tactical"),
            ("mango-search", "MANGO's search and playouts", "mango:policy=mango"),
        )
        for side in (9, 19)
    },
    "mogo-search-9-threads": Task(
        "simulations of heuristic MC–RAVE with the paper's rules, 9×9, 2 threads", _tree(PAPER, 9), 9, 2
    ),
    "tactical-search-9-threads": Task(
        "simulations of heuristic MC–RAVE, tactical, 9×9, 2 threads", _tree("mogo:policy=tactical", 9), 9, 2
    ),
    "light-9-threads": Task("light playouts, 9×9, 2 threads", _playouts("uniform", 9), 9, 2),
    "mogo-9-threads": Task("mogo playouts, 9×9, 2 threads", _playouts("mogo", 9), 9, 2),
    "shapes-eval-9": Task("after-states evaluated by local shapes in greedy games, 9×9", _evaluations),
    "td-search-9": Task("TD search, MoGo's rules after 6 moves, 9×9", _td_search("td-search:")),
    "td-search-9-threads": Task(
        "TD search, MoGo's rules after 6 moves, 9×9, 2 threads", _td_search("td-search:"), 9, 2
    ),
    "td-search-greedy-9": Task("TD search, ε-greedy to the end, 9×9", _td_search("td-search:switch=none,")),
    "dyna2-9": Task("Dyna-2, MoGo's rules mixed with random moves after 10, 9×9", _td_search("dyna2:")),
    "dyna2-9-threads": Task("the same, 2 threads", _td_search("dyna2:"), 9, 2),
    "rlgo-9": Task("the simulations of the hybrid, tactical rules after 10 moves, 9×9", _td_search("rlgo:")),
    "td-train-9": Task("after-states evaluated in TD self-play, learning included, 9×9", _training(True)),
    "td-games-9": Task("training games of TD self-play, 9×9", _training(False)),
    "td-games-9-threads": Task("training games of TD self-play, 9×9, 2 threads", _training(False), 9, 2),
    **BACKGAMMON,
    "solve-4": Task("nodes of the solver, empty 4×4 board", _solving, 4),
    "open_spiel-mcts-9": Task(
        "simulations of open_spiel's C++ MCTSBot, 9×9 (a peer)", _open_spiel, needs="pyspiel"
    ),
}


def choose(names: Iterable[str], tasks: Mapping[str, Task] = TASKS) -> list[str]:
    """The benchmarks of these names, by default all that can run here."""
    chosen = list(dict.fromkeys(names))
    for name in chosen:
        if name not in tasks:
            raise InputError(f"there is no benchmark {name[:40]!r}{near(name, tasks)}")
        if tasks[name].needs and importlib.util.find_spec(tasks[name].needs) is None:
            raise InputError(f"benchmark {name} needs the module {tasks[name].needs}, which is not installed")
    return chosen or [
        name
        for name, task in tasks.items()
        if not task.needs or importlib.util.find_spec(task.needs) is not None
    ]


def find_reference(path: str | Path | None = None) -> Path:
    """The calibrator's file: the one given, or ``PLAYOUT_REFERENCE``, or our own."""
    given = path or os.environ.get("PLAYOUT_REFERENCE")
    if given:
        if not Path(given).is_file():
            raise InputError(f"the reference {str(given)!r} is not a file")
        return Path(given)
    return CALIBRATOR


def load_reference(path: Path) -> Callable[[int], Run]:
    """The calibrator: a run of its light playouts on a board size."""
    spec = importlib.util.spec_from_file_location(_REFERENCE_MODULE, path)
    if spec is None or spec.loader is None:
        raise InputError(f"the reference {str(path)!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_REFERENCE_MODULE] = module  # or its machine code cannot be loaded again
    folder = cache.directory()
    before = numba.config.CACHE_DIR
    if folder is not None:  # its own folder may be read-only
        numba.config.CACHE_DIR = str(folder)
    try:
        spec.loader.exec_module(module)
        board, reset, work = module.BOARD, module.reset, module.run
    except Exception as error:
        raise InputError(f"the reference {str(path)!r} cannot be used: {error}") from None
    finally:
        numba.config.CACHE_DIR = before

    def on_side(side: int) -> Run:
        root, scratch = np.zeros(1, board), np.zeros(1, board)
        root["side"] = side
        reset(root[0])
        rng = np.array([88172645463325252], np.uint64)
        return lambda count: (count, work(root, scratch, rng, count)[1])

    return on_side


class _Timed:
    """A run, how long it takes, and how often to repeat it to fill a stretch of time."""

    def __init__(self, run: Run, clock: Callable[[], float], seconds: float) -> None:
        self.run, self.clock = run, clock
        run(1)  # compiles
        count = 16
        while True:
            took = self._time(count)[0]
            if took >= min(0.05, seconds / 2):
                break
            count *= 2
        self.count = max(1, int(count * seconds / took))
        self.rates: list[float] = []
        self.moves: list[float] = []
        self.cores: list[float] = []

    def _time(self, count: int) -> tuple[float, int, int | None]:
        start = self.clock()
        done, moves = self.run(count)
        return self.clock() - start, done, moves

    def once(self) -> float:
        """Run once more; work per second."""
        processor = time.process_time()
        took, done, moves = self._time(self.count)
        self.cores.append((time.process_time() - processor) / took)
        self.rates.append(done / took)
        if moves is not None:
            self.moves.append(moves / took)
        return self.rates[-1]


def measure(
    name: str,
    reference: Callable[[int], Run] | None = None,
    *,
    repeats: int = REPEATS,
    seconds: float = SECONDS,
    progress: Callable[[str, int], None] = lambda name, done: None,
    tasks: Mapping[str, Task] = TASKS,
) -> Figure:
    """Measure one benchmark in turns with the calibrator. progress: told after every repeat."""
    task = tasks[name]
    clock = time.thread_time if task.threads == 1 else time.perf_counter
    subject = _Timed(task.prepare(task.threads), clock, seconds)
    single = _Timed(task.prepare(1), clock, seconds) if task.threads > 1 else None
    units = {
        side: _Timed(reference(side), clock, seconds)
        for side in sorted({UNIT_SIDE, task.side})
        if reference is not None
    }
    ratios: dict[int, list[float]] = {side: [] for side in units}
    scaling: list[float] = []
    for done in range(repeats):
        beside = {side: unit.once() for side, unit in units.items()}
        alone = single.once() if single is not None else None
        rate = subject.once()
        for side, unit_rate in beside.items():
            ratios[side].append(rate / unit_rate)
        if alone is not None:
            scaling.append(rate / alone)
        progress(name, done + 1)
    return Figure(
        name=name,
        what=task.what,
        per_second=statistics.median(subject.rates),
        spread=_quartiles(subject.rates),
        threads=task.threads,
        repeats=repeats,
        moves_per_second=statistics.median(subject.moves) if subject.moves else None,
        unit=_median(ratios.get(UNIT_SIDE, [])),
        unit_same_size=_median(ratios.get(task.side, [])),
        scaling=_median(scaling),
        cores=_median(subject.cores) if task.threads > 1 else None,
    )


def _median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None


def _quartiles(values: Sequence[float]) -> tuple[float, float]:
    low, high = np.quantile(values, [0.25, 0.75])
    return float(low), float(high)
