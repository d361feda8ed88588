"""The commands `train regression|mm|reinforce|balance|two-step`: learn a softmax policy for simulations."""

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
    as_json: bool = False,
) -> None:
    """A run in a folder, with progress; Ctrl-C or a kill loses some seconds at most."""
    from playout.games.go.learn.policy_training import SETTINGS, PolicyPlan, PolicyRun
    from playout.games.go.memory.shapes import Shapes
    from playout.games.go.memory.store import load
    from playout.games.go.policy.shape_policy import PAPER

    plan = PolicyPlan(
        learner=learner,
        settings=SETTINGS[learner](**settings),
        shapes=Shapes(side=size, sizes=PAPER, sharing=sharing),
        updates=updates,
        komi=komi,
        seed=seed,
    )
    start = None if first is None else load(first, "policy")
    lessons = None if data is None else _lessons(data, size, values)
    command = _command(plan, data, first, values)
    carry_out(
        lambda: PolicyRun(output, plan, lessons, start, threads, command), "updates", updates, output, as_json
    )


def _lessons(path: Path, size: int, values: str) -> Lessons:
    """A data set as learners want it."""
    from playout.games.go.learn import positions
    from playout.games.go.learn.policy_training import Lessons

    return Lessons.of(positions.load(path, size), values)


def _command(plan: Any, data: Path | None, first: Path | None, values: str) -> str:
    """The command that makes a run; only what differs from the defaults is said."""
    from dataclasses import fields

    default = type(plan.settings)()
    words = [f"playout train {plan.learner} --size {plan.shapes.side} --updates {plan.updates}"]
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
