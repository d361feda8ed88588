"""The commands `train regression|mm|reinforce|balance|two-step|adjust`: learn a softmax policy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.learning import carry_out
from playout.cli.options import Json
from playout.errors import InputError

if TYPE_CHECKING:
    from playout.games.go.learn.policy_training import Lessons

Size = Annotated[int, typer.Option(help="Board size, 2 to 19.")]
Given = Annotated[Path, typer.Option(help="A data set of positions with deep values.", show_default=False)]
Data = Annotated[
    Path | None, typer.Option(help="A data set of positions with the best moves.", show_default=False)
]
Games = Annotated[
    Path | None,
    typer.Option(help="Or games, SGF: a file, a collection or a folder.", show_default=False),
]
Problems = Annotated[
    str | None,
    typer.Option(
        help="Problems with right moves in place of --data: SGF, a .tst file, or problems-4, problems-5.",
        show_default=False,
    ),
]
Whose = Annotated[str, typer.Option(help="With --games: moves of the winner, or of both.")]
Each = Annotated[int, typer.Option(help="With --games: how many moves of a game, at most.", min=1)]
Skip = Annotated[int, typer.Option(help="With --games: so many moves that begin a game are left out.", min=0)]
Features = Annotated[str, typer.Option(help="Features of moves, or shapes after them: moves, shapes.")]
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
    output: Output,
    data: Data = None,
    games: Games = None,
    problems: Problems = None,
    whose: Whose = "winner",
    each: Each = 20,
    skip: Skip = 0,
    size: Size = 5,
    updates: Updates = 100_000,
    alpha: Alpha = 0.05,
    cooling: Cooling = False,
    features: Features = "shapes",
    sharing: Sharing = "both",
    first: First = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Learn a softmax policy that chooses as deep search does, or players of games (softmax regression)."""
    settings = {"alpha": alpha, "cooling": cooling}
    source = partial(_of_experts, data, games, problems, size, whose, each, skip, seed)
    _train(
        "regression",
        settings,
        output,
        size,
        sharing,
        updates,
        seed,
        source,
        first,
        features=features,
        as_json=as_json,
    )


def mm(
    output: Output,
    data: Data = None,
    games: Games = None,
    problems: Problems = None,
    whose: Whose = "winner",
    each: Each = 20,
    skip: Skip = 0,
    size: Size = 5,
    updates: Annotated[int, typer.Option(help="How often to go through all strengths.")] = 200,
    ties: Annotated[
        float, typer.Option(help="Wins and losses of each strength against 1, beside the data.")
    ] = 1.0,
    features: Features = "shapes",
    sharing: Sharing = "both",
    first: First = None,
    seed: Annotated[int, typer.Option(help="With --games: random seed of the choice of positions.")] = 1,
    as_json: Json = False,
) -> None:
    """Learn a softmax policy that chooses as deep search does, or players of games.

    By minorization–maximization: the same as regression, in few sweeps.
    """
    source = partial(_of_experts, data, games, problems, size, whose, each, skip, seed)
    _train(
        "mm",
        {"ties": ties},
        output,
        size,
        sharing,
        updates,
        seed,
        source,
        first,
        features=features,
        as_json=as_json,
    )


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
    _train("reinforce", settings, output, size, sharing, updates, seed, Source, first, komi, as_json=as_json)


def balance(
    data: Given,
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
        partial(_of_data, data, size, values),
        first,
        threads=threads,
        as_json=as_json,
    )


def two_step(
    data: Given,
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
        partial(_of_data, data, size, values),
        first,
        as_json=as_json,
    )


def adjust(
    output: Output,
    problems: Annotated[
        str,
        typer.Option(help="Problems: an SGF file or a folder, a .tst file, or problems-4, problems-5."),
    ] = "problems-4",
    games: Games = None,
    whose: Whose = "winner",
    each: Each = 20,
    skip: Skip = 0,
    size: Annotated[int, typer.Option(help="Board size; other problems are left out.")] = 4,
    loops: Annotated[int, typer.Option(help="Iterations, in which each problem comes once.", min=1)] = 150,
    m: Annotated[int, typer.Option("--m", help="Simulations of each move, M.")] = 50,
    n: Annotated[int, typer.Option("--n", help="Other simulations of two moves for the gradient, N.")] = 50,
    alpha: Annotated[float, typer.Option(help="Step size α, before it falls.")] = 1.0,
    step_sizes: Annotated[str, typer.Option(help="How α falls: logarithm, root or constant.")] = "logarithm",
    baseline: Baseline = "none",
    batch: Annotated[int, typer.Option(help="Problems that take their steps together.")] = 1,
    objective: Annotated[
        str, typer.Option(help="What falls: square (as printed), or margin: the right move's want of a lead.")
    ] = "square",
    temperature: Annotated[float, typer.Option(help="How soft the margin is, τ.")] = 0.3,
    features: Features = "moves",
    sharing: Sharing = "both",
    first: First = None,
    seed: Seed = 1,
    threads: Annotated[
        int, typer.Option(help="Threads that share a batch; two give the same bits as one.")
    ] = 1,
    as_json: Json = False,
) -> None:
    """Learn a softmax policy whose simulations find right moves (simulation adjusting).

    Right moves are those of problems, or with --games those that strong players made.
    """
    source = partial(_of_problems, problems, size)
    if games is not None:
        source = partial(_of_games, games, size, whose, each, skip, seed)
    settings = {
        "alpha": alpha,
        "step_sizes": step_sizes,
        "m": m,
        "n": n,
        "baseline": baseline,
        "batch": batch,
        "objective": objective,
        "temperature": temperature,
    }
    _train(
        "adjust",
        settings,
        output,
        size,
        sharing,
        loops,
        seed,
        source,
        first,
        threads=threads,
        features=features,
        as_json=as_json,
    )


@dataclass(frozen=True)
class Source:
    """What is learnt from, and the words of the command that say so."""

    lessons: Lessons | None = None
    words: str = ""


def _train(
    learner: str,
    settings: dict[str, Any],
    output: Path,
    size: int,
    sharing: str,
    updates: int,
    seed: int,
    read_source: Callable[[], Source],
    first: Path | None,
    komi: float = 7.5,
    threads: int = 1,
    features: str = "shapes",
    as_json: bool = False,
) -> None:
    """A run in a folder, with progress; Ctrl-C or a kill loses some seconds at most.

    Adjusting's `updates` is how often each position comes.
    """
    from playout.games.go.learn.policy_training import SETTINGS, PolicyPlan, PolicyRun
    from playout.games.go.memory.shapes import Shapes
    from playout.games.go.policy.shape_policy import PAPER

    chosen: Any = SETTINGS[learner](**settings)
    source = read_source()
    words = source.words
    if learner == "adjust":
        assert source.lessons is not None
        words += f" --loops {updates}"
        updates *= -(-len(source.lessons.roots) // chosen.batch)
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
    command = _command(plan, words, first)
    carry_out(
        lambda: PolicyRun(output, plan, source.lessons, start, threads, command),
        "updates",
        updates,
        output,
        as_json,
    )


def _first(path: Path) -> Any:
    """Weights to start from, of either kind."""
    from playout.games.go.learn.policy_training import read_weights
    from playout.games.go.memory.move_weights import is_of_moves
    from playout.games.go.memory.store import load
    from playout.memory.archives import read_arrays

    facts, arrays = read_arrays(path)
    return read_weights(path, facts, arrays) if is_of_moves(facts) else load(path, "policy")


def _say(words: str) -> None:
    """Say what is left out."""
    print(f"playout: {words}", file=sys.stderr)


def _of_problems(word: str, size: int) -> Source:
    """Problems as learners want them; what is left out is said."""
    from playout.games.go.coords import parse_side
    from playout.games.go.learn.policy_training import Lessons
    from playout.games.go.problem_set import load_problems

    found = load_problems(word, parse_side(size), _say)
    return Source(Lessons.of_problems(found), f" --problems {word}")


def _of_games(path: Path, size: int, whose: str, each: int, skip: int, seed: int) -> Source:
    """Moves of games as learners want them; what is left out is said."""
    from playout.games.go.coords import parse_side
    from playout.games.go.game_problems import load_game_problems
    from playout.games.go.learn.policy_training import Lessons

    side = parse_side(size)
    found = load_game_problems(path, side, whose=whose, each=each, skip=skip, seed=seed, say=_say)
    words = f" --games {path.name} --whose {whose} --each {each} --skip {skip}"
    return Source(Lessons.of_problems(found), words)


def _of_data(path: Path, size: int, values: str = "searched") -> Source:
    """A data set as learners want it."""
    from playout.games.go.learn import positions
    from playout.games.go.learn.policy_training import Lessons

    words = f" --data {path.name}" + (f" --values {values}" if values != "searched" else "")
    return Source(Lessons.of(positions.load(path, size), values), words)


def _of_experts(
    data: Path | None,
    games: Path | None,
    problems: str | None,
    size: int,
    whose: str,
    each: int,
    skip: int,
    seed: int,
) -> Source:
    """Moves of a data set, of games, or of problems."""
    if sum(given is not None for given in (data, games, problems)) != 1:
        raise InputError(
            "moves to learn are needed: --data FILE (of `playout data positions`), --games SGF or "
            "--problems SGF"
        )
    if data is not None:
        return _of_data(data, size)
    if problems is not None:
        return _of_problems(problems, size)
    assert games is not None
    return _of_games(games, size, whose, each, skip, seed)


def _command(plan: Any, source: str, first: Path | None) -> str:
    """The command that makes a run; only what differs from the defaults is said.

    source: the words that say what it learns from.
    """
    default = type(plan.settings)()
    words = [f"playout train {plan.learner} --size {plan.shapes.side}"]
    words += [] if plan.learner == "adjust" else [f"--updates {plan.updates}"]
    for setting in fields(plan.settings):
        value = getattr(plan.settings, setting.name)
        if value != getattr(default, setting.name):
            option = setting.name.replace("_", "-")
            flag = f"--{option}" if value else f"--no-{option}"
            words.append(flag if isinstance(value, bool) else f"--{option} {value}")
    if plan.features != ("moves" if plan.learner == "adjust" else "shapes"):
        words.append(f"--features {plan.features}")
    if plan.shapes.sharing != "both":
        words.append(f"--sharing {plan.shapes.sharing}")
    if plan.learner == "reinforce" and plan.komi != 7.5:
        words.append(f"--komi {plan.komi:g}")
    words += source.split()
    if first is not None:
        words.append(f"--from {first.name}")
    words.append(f"--seed {plan.seed}")
    return " ".join(words)
