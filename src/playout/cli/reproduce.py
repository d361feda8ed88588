"""The command `reproduce`: make the papers' experiments anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from playout.cli import adjusting, balancing, pruning, single_agent, td_figures, tuner_figures
from playout.cli.options import Commands, Events, Force, Json, with_settings
from playout.errors import InputError

reproduce = typer.Typer(
    cls=Commands,
    help="Make the papers' experiments anew.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)


@reproduce.callback()
def _options() -> None:
    pass


adjusting.register(reproduce)
balancing.register(reproduce)
pruning.register(reproduce)
single_agent.register(reproduce)
td_figures.register(reproduce)
tuner_figures.register(reproduce)


@reproduce.command(
    "learning-curves", epilog="Example: playout reproduce learning-curves --output runs --figure sizes"
)
@with_settings("playout.reproduce.learning_curves:LearningCurves")
def learning_curves(
    settings: Any,
    output: Annotated[Path, typer.Option(help="The folder of the runs.", show_default=False)],
    figure: Annotated[
        str | None,
        typer.Option(
            help="Only one of: sizes, sharing, step-size, plies, exploration, slope, accumulating, "
            "replacing, colour, stage.",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[int, typer.Option(help="Threads that share the weights of a run.")] = 1,
    rate: Annotated[
        bool, typer.Option("--rate", help="Train nothing: let what is there play a round robin, and draw it.")
    ] = False,
    event: Events = None,
    list_players: Annotated[
        bool, typer.Option("--list", help="Train nothing: print the players of a tournament as JSON.")
    ] = False,
    force: Force = False,
) -> None:
    """Train what Figures 5.6 to 5.16 of Silver (2009) compare; goes on where it stopped."""
    from playout.cli.app import _Bar, _print_json
    from playout.games.go.learn.training import Run
    from playout.reproduce.learning_curves import chosen, entrants, make_runs, rate_runs

    names = chosen(figure)
    if event and not rate:
        raise InputError("--event says what to rate together: give --rate too")
    if list_players:
        _print_json([{"name": entrant.name, **entrant.__dict__} for entrant in entrants(output, names)])
        return
    if rate:
        with _Bar("pairs of players", 1) as bar:
            rows = rate_runs(
                output,
                pairs=settings.pairs,
                events=event or (),
                force=force,
                progress=lambda done, total: bar.of(done, total),
            )
        _print_json(rows)
        return
    total = sum(settings.games_of(name) for name in names)
    with _Bar("games", total) as bar:
        shown: dict[str, int] = {}

        def progress(name: str, run: Run) -> None:
            bar.say(f"{name}: {run.words()}")
            bar.advance(run.games - shown.get(name, 0))
            shown[name] = run.games

        for name, words in make_runs(output, names, settings, threads=threads, progress=progress):
            bar.note(f"{name}: {words}")
            bar.advance(settings.games_of(name) - shown.get(name, 0))


@reproduce.command("frequencies", epilog="Example: playout reproduce frequencies --output frequencies.png")
def frequencies(
    weights: Annotated[str, typer.Option(help="A weight file of values, or 'shipped'.")] = "shipped",
    size: Annotated[int, typer.Option(help="Board size of shipped weights.")] = 9,
    games: Annotated[int, typer.Option(help="Games of self-play.", min=1)] = 10_000,
    output: Annotated[Path, typer.Option(help="Where the picture goes.")] = Path("frequencies.png"),
    seed: Annotated[int, typer.Option(help="Makes it repeatable.", min=0)] = 1,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Draw Figure 5.5 of Silver (2009): how often each local shape occurs in games of self-play."""
    from rich.table import Table

    from playout.cli.app import _Bar
    from playout.cli.options import console, print_json
    from playout.files import check_output
    from playout.games.go.coords import parse_side
    from playout.games.go.memory.shipped import weights_for
    from playout.picture import PNG
    from playout.reproduce import frequencies as experiment

    check_output(output, PNG, force)
    found = weights_for(weights, parse_side(size))
    with _Bar("games", games) as bar:
        counts = experiment.frequencies(found, games, seed=seed, progress=lambda done: bar.of(done, games))
    path = experiment.draw(found, counts, games, output, force)
    told = experiment.summary(found, counts)
    if as_json:
        print_json({"picture": str(path), "games": games, "sets": told})
        return
    table = Table(box=None, pad_edge=False)
    for title in ("shapes", "weights", "never", "active in all", "median", "most"):
        table.add_column(title, justify="left" if title == "shapes" else "right")
    for name, row in told.items():
        table.add_row(name, *(f"{row[key]:,.0f}" for key in ("weights", "never", "total", "median", "most")))
    console().print(table)
    print(path)


@reproduce.command(
    "artificial-game", epilog="Example: playout reproduce artificial-game --output figure1.png"
)
def artificial_game(
    output: Annotated[Path, typer.Option(help="Where the picture goes.")] = Path("artificial-game.png"),
    simulations: Annotated[int, typer.Option(help="Simulations of each pair of players.", min=2)] = 30,
    steps: Annotated[int, typer.Option(help="Moves of a game.", min=2)] = 100,
    seed: Annotated[int, typer.Option(help="Makes it repeatable.", min=0)] = 1,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Draw Figure 1 of Silver & Tesauro (2009): strong play out of balance against weak play in balance.

    Beside the picture stand the Monte-Carlo value (the true one is 0), the strength J and the imbalances B2
    and B-infinity of both.
    """
    from playout.cli.options import console, print_json
    from playout.files import check_output
    from playout.kernel.progress import compile_progress
    from playout.picture import PNG
    from playout.reproduce.artificial_game import draw, simulate

    check_output(output, PNG, force)
    with compile_progress():
        experiments = simulate(simulations=simulations, steps=steps, seed=seed)
    path = draw(experiments, output, force)
    rows = [experiment.facts() for experiment in experiments]
    if as_json:
        print_json({"picture": str(path), "simulations": simulations, "steps": steps, "experiments": rows})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("λ₁", "λ₂", "value", "expected", "J", "B₂", "B∞"):
        table.add_column(title, justify="right")
    for row in rows:
        table.add_row(
            f"{row['lambda_1']:g}",
            f"{row['lambda_2']:g}",
            *(f"{row[name]:+.3f}" for name in ("monte_carlo_value", "expected_value")),
            *(f"{row[name]:.4f}" for name in ("J", "B2", "B_infinity")),
        )
    console().print(table)
    print(path)
