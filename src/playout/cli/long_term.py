"""The command `train long-term`: weights that Dyna-2 begins a game with, in any game."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from playout.cli.learning import carry_out
from playout.cli.options import Game, Json, Set, game_options
from playout.errors import InputError, shown


def register(train: typer.Typer) -> None:
    """Add the command."""
    example = "playout train long-term dyna2 --game four.py --simulations 200000 --output runs/four"
    train.command("long-term", epilog=f"Example: {example}")(long_term)


def long_term(
    player: Annotated[
        str, typer.Argument(help="td-search or dyna2, with the settings that it will play with.")
    ],
    output: Annotated[Path, typer.Option(help="The folder of the run; it is made.", show_default=False)],
    game: Game,
    option: Set = None,
    simulations: Annotated[
        int, typer.Option(help="Simulations in all, from the first state.", min=1)
    ] = 100_000,
    seed: Annotated[int, typer.Option(help="Random seed; with one thread a run can be repeated.", min=0)] = 1,
    as_json: Json = False,
) -> None:
    """Learn the weights that Dyna-2 begins a game with, in any game.

    They are learnt by simulations from the first state, about the player's own features. Ctrl-C or a kill
    loses some seconds at most: the same command goes on where it stopped. Then dyna2 plays by them with
    long_term=RUN/weights.npz and the same features. Local shapes of Go are learnt by playout train td.
    """
    from playout.games.registry import find_game
    from playout.learn.long_term import LongTermRun
    from playout.memory.saved import FEATURES
    from playout.player.learning import FeaturesSearchPlayer
    from playout.player.registry import make_player

    found = find_game(game)
    options = found.configured(game_options(option))
    learner = make_player(f"{player}{',' if ':' in player else ':'}seed={seed}", found)
    try:
        if not isinstance(learner, FeaturesSearchPlayer) or learner.settings.features not in FEATURES:
            raise InputError(
                f"{shown(player, 60)} does not learn about features of any game: td-search and dyna2 do, "
                f"with features={'|'.join(FEATURES)} (local shapes of Go are learnt by playout train td)"
            )
        if learner.settings.two_memories:
            raise InputError("two_memories: long-term memory is learnt by itself; leave it false here")
        plan = {"game": found.name, "options": asdict(options), "player": player, "seed": seed}
        root, search = found.new_position(options).simulation_root(), learner.new_search()
        carry_out(
            lambda: LongTermRun(output, search, learner.features, root, plan, simulations),
            "simulations",
            simulations,
            output,
            as_json,
        )
    finally:
        learner.close()
