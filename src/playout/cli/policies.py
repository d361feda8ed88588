"""The commands `train regression|mm|reinforce|balance|two-step|adjust`: learn a softmax policy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.learning import carry_out
from playout.cli.options import Json

if TYPE_CHECKING:
    from playout.games.go.learn.policy_training import Lessons

Size = Annotated[int, typer.Option(help="Board size, 2 to 19.")]
Data = Annotated[Path, typer.Option(help="A data set of positions with deep values.", show_default=False)]
Output = Annotated[Path, typer.Option(help="The folder of the run; it is made.", show_default=False)]
First = Annotated[
    Path | None,
    typer.Option("--from", help="Weights to start from; else all are 0.", show_default=False),
]
Updates = Annotated[int, typer.Option(help="Updates in all.")]
Alpha = Annotated[float, typer.Option(help="Step size α.")]
Cooling = Annotated[bool, typer.Option(help="Let α fall to 0 towards the last update.")]
Baseline = Annotated[
    str, typer.Option(help="What is taken from outcomes to cut the gradient's noise: none or mean.")
]
Sharing = Annotated[str, typer.Option(help="Weights by location: both, dependent or independent.")]
Values = Annotated[
    str,
    typer.Option(help="Whose values: searched (deep search), exact (solver) or both."),
]
Seed = Annotated[int, typer.Option(help="Random seed; a run can be repeated.")]


def register(train: typer.Typer) -> None:
    """Add the commands."""
    for name, function, example in (
        ("regression", regression, "--data positions-5.npz --output runs/regression"),
        ("mm", mm, "--data positions-5.npz --output runs/mm"),
        ("reinforce", reinforce, "--output runs/reinforce"),
        ("balance", balance, "--data positions-5.npz --output runs/balance --threads 2"),
        ("two-step", two_step, "--data positions-5.npz --output runs/two-step"),
    ):
        train.command(name, epilog=f"Example: playout train {name} --size 5 {example}")(function)
    example = "playout train adjust --problems problems-4 --output runs/adjust --threads 2"
    train.command("adjust", epilog=f"Example: {example}")(adjust)


def regression(
    data: Data,
    output: Output,
    size: Size = 5,
    updates: Updates = 100_000,
    alpha: Alpha = 0.05,
    cooling: Cooling = False,
    sharing: Sharing = "both",
    first: First = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Learn a softmax policy that chooses as deep search does (softmax regression)."""
    settings = {"alpha": alpha, "cooling": cooling}
    _train("regression", settings, output, size, sharing, updates, seed, data, first, as_json=as_json)


def mm(
    data: Data,
    output: Output,
    size: Size = 5,
    updates: Annotated[int, typer.Option(help="How often to go through all strengths.")] = 200,
    ties: Annotated[
        float, typer.Option(help="Wins and losses of each strength against 1, beside the data.")
    ] = 1.0,
    sharing: Sharing = "both",
    first: First = None,
    as_json: Json = False,
) -> None:
    """Learn a softmax policy that chooses as deep search does (minorization–maximization)."""
    _train("mm", {"ties": ties}, output, size, sharing, updates, 1, data, first, as_json=as_json)


def reinforce(
    output: Output,
    size: Size = 5,
    updates: Annotated[int, typer.Option(help="Games of self-play in all.")] = 100_000,
    alpha: Alpha = 0.02,
    baseline: Baseline = "none",
    komi: Annotated[float, typer.Option(help="White's compensation for moving second.")] = 7.5,
    sharing: Sharing = "both",
    first: First = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Learn a softmax policy that wins, from self-play (policy-gradient reinforcement learning)."""
    settings = {"alpha": alpha, "baseline": baseline}
    _train("reinforce", settings, output, size, sharing, updates, seed, None, first, komi, as_json=as_json)


def balance(
    data: Data,
    output: Output,
    size: Size = 5,
    updates: Updates = 100_000,
    m: Annotated[int, typer.Option("--m", help="Simulations for the bias, M.")] = 100,
    n: Annotated[int, typer.Option("--n", help="Other simulations for the gradient, N.")] = 100,
    alpha: Alpha = 5.0,
    cooling: Cooling = False,
    baseline: Baseline = "none",
    per_move: Annotated[
        bool, typer.Option(help="Divide each simulation's gradient by its moves, as the paper does.")
    ] = True,
    values: Values = "searched",
    sharing: Sharing = "both",
    first: First = None,
    seed: Seed = 1,
    threads: Annotated[int, typer.Option(help="Threads; two give the same bits as one.")] = 1,
    as_json: Json = False,
) -> None:
    """Learn a softmax policy whose simulations end as deep search says (simulation balancing)."""
    settings = {
        "alpha": alpha,
        "m": m,
        "n": n,
        "baseline": baseline,
        "per_move": per_move,
        "cooling": cooling,
    }
    _train(
        "balance",
        settings,
        output,
        size,
        sharing,
        updates,
        seed,
        data,
        first,
        values=values,
        threads=threads,
        as_json=as_json,
    )


def two_step(
    data: Data,
    output: Output,
    size: Size = 5,
    updates: Updates = 100_000,
    alpha: Alpha = 0.1,
    cooling: Cooling = False,
    values: Values = "searched",
    sharing: Sharing = "both",
    first: First = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Learn a softmax policy that is balanced over every two moves (two-step balancing)."""
    settings = {"alpha": alpha, "cooling": cooling}
    _train(
        "two-step",
        settings,
        output,
        size,
        sharing,
        updates,
        seed,
        data,
        first,
        values=values,
        as_json=as_json,
    )


def adjust(
    output: Output,
    problems: Annotated[
        str,
        typer.Option(help="Problems: an SGF file or a folder, a .tst file, or problems-4, problems-5."),
    ] = "problems-4",
    size: Annotated[int, typer.Option(help="Board size; other problems are left out.")] = 4,
    loops: Annotated[int, typer.Option(help="Iterations, in which each problem comes once.", min=1)] = 150,
    m: Annotated[int, typer.Option("--m", help="Simulations of each move, M.")] = 50,
    n: Annotated[int, typer.Option("--n", help="Other simulations of two moves for the gradient, N.")] = 50,
    alpha: Annotated[float, typer.Option(help="Step size α, before it falls.")] = 1.0,
    step_sizes: Annotated[str, typer.Option(help="How α falls: logarithm, root or constant.")] = "logarithm",
    baseline: Baseline = "none",
    batch: Annotated[int, typer.Option(help="Problems that take their steps together.")] = 1,
    features: Annotated[str, typer.Option(help="Features of moves, or shapes after them.")] = "moves",
    sharing: Sharing = "both",
    first: First = None,
    seed: Seed = 1,
    threads: Annotated[
        int, typer.Option(help="Threads that share a batch; two give the same bits as one.")
    ] = 1,
    as_json: Json = False,
) -> None:
    """Learn a softmax policy whose simulations find right moves (simulation adjusting)."""
    settings = {
        "alpha": alpha,
        "step_sizes": step_sizes,
        "m": m,
        "n": n,
        "baseline": baseline,
        "batch": batch,
    }
    _train(
        "adjust",
        settings,
        output,
        size,
        sharing,
        loops,
        seed,
        None,
        first,
        threads=threads,
        problems=problems,
        features=features,
        as_json=as_json,
    )


def _train(
    learner: str,
    settings: dict[str, Any],
    output: Path,
    size: int,
    sharing: str,
    updates: int,
    seed: int,
    data: Path | None,
    first: Path | None,
    komi: float = 7.5,
    values: str = "searched",
    threads: int = 1,
    problems: str | None = None,
    features: str = "shapes",
    as_json: bool = False,
) -> None:
    """A run in a folder, with progress; Ctrl-C or a kill loses some seconds at most.

    With problems `updates` is how often each of them comes.
    """
    from playout.games.go.learn.policy_training import SETTINGS, PolicyPlan, PolicyRun
    from playout.games.go.memory.shapes import Shapes
    from playout.games.go.policy.shape_policy import PAPER

    chosen: Any = SETTINGS[learner](**settings)
    lessons = None if data is None else _lessons(data, size, values)
    loops = updates
    if problems is not None:
        lessons = _problems(problems, size)
        updates *= -(-len(lessons.roots) // chosen.batch)
    plan = PolicyPlan(
        learner=learner,
        settings=chosen,
        features=features,
        shapes=Shapes(side=size, sizes=PAPER, sharing=sharing),
        updates=updates,
        komi=komi,
        seed=seed,
    )
    start = None if first is None else _first(first)
    command = _command(plan, data, first, values)
    if problems is not None:
        command += f" --problems {problems} --loops {loops}"
    carry_out(
        lambda: PolicyRun(output, plan, lessons, start, threads, command), "updates", updates, output, as_json
    )


def _first(path: Path) -> Any:
    """Weights to start from, of either kind."""
    from playout.games.go.learn.policy_training import read_weights
    from playout.games.go.memory.move_weights import is_of_moves
    from playout.games.go.memory.store import load
    from playout.memory.archives import read_arrays

    facts, arrays = read_arrays(path)
    return read_weights(path, facts, arrays) if is_of_moves(facts) else load(path, "policy")


def _problems(word: str, size: int) -> Lessons:
    """Problems as learners want them; what is left out is said."""
    import sys

    from playout.games.go.coords import parse_side
    from playout.games.go.learn.policy_training import Lessons
    from playout.games.go.problem_set import load_problems

    found = load_problems(word, parse_side(size), lambda words: print(f"playout: {words}", file=sys.stderr))
    return Lessons.of_problems(found)


def _lessons(path: Path, size: int, values: str) -> Lessons:
    """A data set as learners want it."""
    from playout.games.go.learn import positions
    from playout.games.go.learn.policy_training import Lessons

    return Lessons.of(positions.load(path, size), values)


def _command(plan: Any, data: Path | None, first: Path | None, values: str) -> str:
    """The command that makes a run; only what differs from the defaults is said."""
    from dataclasses import fields

    default = type(plan.settings)()
    words = [f"playout train {plan.learner} --size {plan.shapes.side}"]
    words += [] if plan.learner == "adjust" else [f"--updates {plan.updates}"]
    for setting in fields(plan.settings):
        value = getattr(plan.settings, setting.name)
        if value != getattr(default, setting.name):
            option = setting.name.replace("_", "-")
            flag = f"--{option}" if value else f"--no-{option}"
            words.append(flag if isinstance(value, bool) else f"--{option} {value}")
    if plan.shapes.sharing != "both":
        words.append(f"--sharing {plan.shapes.sharing}")
    if plan.learner == "reinforce" and plan.komi != 7.5:
        words.append(f"--komi {plan.komi:g}")
    if data is not None:
        words.append(f"--data {data.name}" + (f" --values {values}" if values != "searched" else ""))
    if first is not None:
        words.append(f"--from {first.name}")
    if plan.learner != "mm":
        words.append(f"--seed {plan.seed}")
    return " ".join(words)
