"""The commands `reproduce false-stops` and `reproduce pruning`: what dropping candidates costs and saves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.options import Game, Json, console, print_json

ROLLOUT = "rollout:base=lin1"


def register(reproduce: typer.Typer) -> None:
    """Add the commands."""
    example = "Example: playout reproduce false-stops --decisions 2000"
    reproduce.command("false-stops", epilog=example)(false_stops)
    example = "Example: playout reproduce pruning backgammon --player rollout:base=lin1,trials=1296"
    reproduce.command("pruning", epilog=example)(pruning)


def false_stops(
    decisions: Annotated[int, typer.Option(help="Simulated decisions of each kind.", min=1)] = 2000,
    trials: Annotated[int, typer.Option(help="Trials of a candidate at most.", min=36)] = 5000,
    confidence: Annotated[float, typer.Option(help="What our rule promises.", min=0.5, max=0.999999)] = 0.95,
    seed: Annotated[int, typer.Option(help="Makes it repeatable.", min=0)] = 1,
    as_json: Json = False,
) -> None:
    """Simulate decisions whose true values are known, and count how often the best candidate is dropped.

    By our rule for rollouts, which promises a rate however often it looks, and on the same trials by GNU
    Backgammon's, which drops a candidate that is 2.5 joint standard deviations behind, as if it looked once.
    """
    from rich.table import Table

    from playout.cli.app import _Bar
    from playout.reproduce.false_stops import KINDS, FalseStops, measure

    found = {}
    with _Bar("decisions", decisions * len(KINDS)) as bar:
        for kind, changes in KINDS.items():
            bar.say(kind)
            settings = FalseStops(
                **{
                    "decisions": decisions,
                    "trials": trials,
                    "confidence": confidence,
                    "seed": seed,
                    **changes,
                }
            )
            found[kind] = measure(settings, bar.advance)
    if as_json:
        print_json({kind: [rate.facts() for rate in rates] for kind, rates in found.items()})
        return
    table = Table(box=None, pad_edge=False)
    for title in ("decisions", "rule", "false stops", "95 %", "decided", "trials"):
        table.add_column(title, justify="left" if title in ("decisions", "rule") else "right")
    for kind, rates in found.items():
        for rate in rates:
            low, high = rate.interval
            table.add_row(
                kind if rate is rates[0] else "",
                rate.rule,
                f"{rate.rate:.2%}",
                f"{low:.1%} – {high:.1%}",
                f"{rate.decided / rate.decisions:.0%}",
                f"{rate.trials:,.0f}",
            )
    console().print(table)


def pruning(
    file: Annotated[
        Path, typer.Argument(help="A test suite: JSON lines; or the word backgammon.", show_default=False)
    ],
    player: Annotated[str, typer.Option(help="Whose rollouts these are: a player spec.")] = ROLLOUT,
    game: Game = "backgammon",
    first: Annotated[
        int | None, typer.Option(help="Only so many positions, from the first on.", show_default=False, min=1)
    ] = None,
    seed: Annotated[int, typer.Option(help="Makes it repeatable.", min=0)] = 1,
    as_json: Json = False,
) -> None:
    """Roll the positions of a test suite out with pruning and without: how often both choose the same play.

    And how many trials pruning saves. Ctrl-C shows what there is.
    """
    from playout.arena.suite import load, suite_of
    from playout.cli.app import _Bar
    from playout.games.registry import find_game
    from playout.player.rollout import rollout_player
    from playout.reproduce.pruned import Pruned, compare

    found_game = find_game(game)
    rollout_player(player, found_game)
    positions = [each.board for each in load(suite_of(file), found_game)][:first]
    found, stopped = Pruned(0, 0, 0, 0, 0.0), None
    with _Bar("positions", len(positions)) as bar:

        def progress(now: Pruned) -> None:
            nonlocal found
            found = now
            bar.say(f"{now.same}/{now.positions} the same, {now.saved:.0%} saved")
            bar.advance()

        try:
            compare(positions, player, seed, progress)
        except KeyboardInterrupt as interrupt:
            stopped = interrupt
    if as_json:
        print_json(found.facts())
    elif found.positions:
        low, high = found.facts()["interval"]
        print(
            f"{found.same} of {found.positions} plays are those of the whole rollouts "
            f"({low:.1%} – {high:.1%}); others lose {found.lost:.5f} a decision. "
            f"{found.saved:.1%} of {found.all_trials:,} trials saved."
        )
    if stopped is not None:
        raise stopped
