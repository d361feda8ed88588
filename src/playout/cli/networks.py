"""The commands `train backgammon` and `train backgammon-rollouts`: networks that value positions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.learning import Json, carry_out

Output = Annotated[Path, typer.Option(help="The folder of the run; it is made.", show_default=False)]
Hidden = Annotated[int, typer.Option(help="Hidden units; 0: none, a linear function.")]
Encoding = Annotated[str, typer.Option(help="What the network sees: raw, hits or rich.")]
Outputs = Annotated[int, typer.Option(help="5: chances of wins and gammons; 1: the equity alone.")]
Seed = Annotated[int, typer.Option(help="Random seed: the same one learns the same.")]


def by_self_play(
    output: Output,
    hidden: Hidden = 80,
    games: Annotated[int, typer.Option(help="Games of self-play in all.")] = 500_000,
    encoding: Encoding = "rich",
    outputs: Outputs = 5,
    alpha: Annotated[float, typer.Option(help="Step size α at the beginning.")] = 0.05,
    last_alpha: Annotated[float, typer.Option(help="Step size α at the end.")] = 0.001,
    lam: Annotated[float, typer.Option("--lambda", help="λ at the beginning; it falls to 0.")] = 0.7,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Learn a network for backgammon by TD(λ) from games against itself, as TD-Gammon did.

    Ctrl-C or a kill loses some seconds at most: the same command goes on where it stopped. Then
    td80:policy.weights=RUN/weights.npz plays by it.
    """
    from playout.games.backgammon.learn.self_play import SelfPlayPlan, SelfPlayRun
    from playout.settings import parse

    words = {
        "hidden": hidden,
        "games": games,
        "encoding": encoding,
        "outputs": outputs,
        "alpha": alpha,
        "last_alpha": last_alpha,
        "lam": lam,
        "seed": seed,
    }
    plan = parse(SelfPlayPlan, words, "train backgammon")
    carry_out(lambda: SelfPlayRun(output, plan), "games", games, output, as_json)


def by_rollouts(
    output: Output,
    teacher: Annotated[
        str, typer.Option(help="The first teacher: a file of weights, or td10, td80, td.")
    ] = "td80",
    hidden: Hidden = 160,
    encoding: Encoding = "rich",
    outputs: Outputs = 5,
    targets: Annotated[
        str, typer.Option(help="What positions are drawn towards: replies (best ones), rollouts, or returns.")
    ] = "replies",
    source: Annotated[
        list[Path] | None,
        typer.Option(
            help="A run from whose rounds it learns; none are made then. May be given again.",
            show_default=False,
        ),
    ] = None,
    balanced: Annotated[
        bool,
        typer.Option(
            "--balanced/--as-they-come", help="Rare kinds of positions more often than games come to them."
        ),
    ] = True,
    begin: Annotated[
        str,
        typer.Option(help="What the network begins as: anew, or teacher (with more hidden units if asked)."),
    ] = "anew",
    rounds: Annotated[int, typer.Option(help="Rounds; after each the network is the teacher.")] = 12,
    positions: Annotated[int, typer.Option(help="Positions a round.")] = 150_000,
    kept: Annotated[int, typer.Option(help="Rounds that are learnt from: the last ones.")] = 5,
    epochs: Annotated[int, typer.Option(help="How often a round goes through its positions.")] = 10,
    last_epochs: Annotated[int, typer.Option(help="The same in the last round.")] = 20,
    lam: Annotated[float, typer.Option("--lambda", help="λ, with --targets returns.")] = 0.7,
    length: Annotated[int, typer.Option(help="Positions of a game, with --targets returns.")] = 8,
    trials: Annotated[int, typer.Option(help="Trials of a rollout, with --targets rollouts.")] = 36,
    steps: Annotated[int, typer.Option(help="Steps of a rollout.")] = 5,
    alpha: Annotated[float, typer.Option(help="Step size α at the beginning of a round.")] = 0.1,
    last_alpha: Annotated[float, typer.Option(help="Step size α at the end.")] = 0.002,
    seed: Seed = 1,
    threads: Annotated[
        int, typer.Option(help="Threads that make positions; the same ones with any number.")
    ] = 1,
    as_json: Json = False,
) -> None:
    """Learn a network for backgammon from what another one finds when it looks further.

    The two ideas of Tesauro & Galperin's last section. Ctrl-C or a kill loses the round that is under way:
    the same command goes on with it.
    """
    from playout.games.backgammon.learn.from_rollouts import RolloutPlan, RolloutRun
    from playout.settings import parse

    words = {
        "teacher": teacher,
        "hidden": hidden,
        "encoding": encoding,
        "outputs": outputs,
        "targets": targets,
        "source": ",".join(map(str, source)) if source else None,
        "balanced": balanced,
        "begin": begin,
        "rounds": rounds,
        "positions": positions,
        "kept": kept,
        "epochs": epochs,
        "last_epochs": last_epochs,
        "lam": lam,
        "length": length,
        "trials": trials,
        "steps": steps,
        "alpha": alpha,
        "last_alpha": last_alpha,
        "seed": seed,
    }
    plan = parse(RolloutPlan, words, "train backgammon-rollouts")
    unit, wanted = ("rounds", rounds) if source else ("positions", rounds * positions)
    carry_out(lambda: RolloutRun(output, plan, threads), unit, wanted, output, as_json)


def register(train: typer.Typer) -> None:
    """Add the commands to `playout train`."""
    example = "Example: playout train backgammon"
    train.command("backgammon", epilog=f"{example} --hidden 80 --games 500000 --output runs/td80")(
        by_self_play
    )
    train.command("backgammon-rollouts", epilog=f"{example}-rollouts --teacher td80 --output runs/td")(
        by_rollouts
    )
