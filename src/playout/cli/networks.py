"""The commands `train backgammon` and `train backgammon-rollouts`: networks that value positions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from playout.cli.learning import Json, carry_out
from playout.cli.options import with_settings

Output = Annotated[Path, typer.Option(help="The folder of the run; it is made.", show_default=False)]


@with_settings("playout.games.backgammon.learn.self_play:SelfPlayPlan")
def by_self_play(
    settings: Any,
    output: Output,
    as_json: Json = False,
) -> None:
    """Learn a network for backgammon by TD(λ) from games against itself, as TD-Gammon did.

    Ctrl-C or a kill loses some seconds at most: the same command goes on where it stopped. Then
    td80:policy.weights=RUN/weights.npz plays by it.
    """
    from playout.games.backgammon.learn.self_play import SelfPlayRun

    carry_out(lambda: SelfPlayRun(output, settings), "games", settings.games, output, as_json)


@with_settings("playout.games.backgammon.learn.from_rollouts:RolloutPlan")
def by_rollouts(
    settings: Any,
    output: Output,
    threads: Annotated[
        int, typer.Option(help="Threads that make positions; the same ones with any number.", min=1, max=256)
    ] = 1,
    as_json: Json = False,
) -> None:
    """Learn a network for backgammon from what another one finds when it looks further.

    The two ideas of Tesauro & Galperin's last section. Ctrl-C or a kill loses the round that is under way:
    the same command goes on with it.
    """
    from playout.games.backgammon.learn.from_rollouts import RolloutRun

    made = settings.rounds * settings.positions
    unit, wanted = ("rounds", settings.rounds) if settings.source else ("positions", made)
    carry_out(lambda: RolloutRun(output, settings, threads), unit, wanted, output, as_json)


def register(train: typer.Typer) -> None:
    """Add the commands to `playout train`."""
    example = "Example: playout train backgammon"
    train.command("backgammon", epilog=f"{example} --hidden 80 --games 500000 --output runs/td80")(
        by_self_play
    )
    train.command("backgammon-rollouts", epilog=f"{example}-rollouts --teacher td80 --output runs/td")(
        by_rollouts
    )
