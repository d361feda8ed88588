"""The commands `reproduce balancing` and `reproduce paradox`: what makes a simulation policy good."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from playout.cli.options import Events, Json, console, print_json, with_settings
from playout.errors import InputError

EXAMPLE = "Example: playout reproduce balancing --size 5 --output runs5 --threads 2"


def register(reproduce: typer.Typer) -> None:
    """Add the commands."""
    reproduce.command("balancing", epilog=EXAMPLE)(balancing)
    example = "Example: playout reproduce paradox --output paradox --threads 2"
    reproduce.command("paradox", epilog=example)(paradox)


@with_settings("playout.reproduce.balancing:Experiment")
def balancing(
    settings: Any,
    output: Annotated[Path, typer.Option(help="The folder of the experiment.", show_default=False)],
    alpha: Annotated[
        list[str] | None,
        typer.Option(help="Another step size for a policy, as in balance=0.5.", show_default=False),
    ] = None,
    policies: Annotated[
        str | None,
        typer.Option(
            help="Only these, with commas; else all but balance-cycle, or with --rate all that are there.",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[int, typer.Option(help="Threads that share the work.", min=1, max=256)] = 1,
    rate: Annotated[
        bool,
        typer.Option("--rate", help="Train nothing: let the policies of the folder play a round robin."),
    ] = False,
    shipped: Annotated[
        bool,
        typer.Option("--shipped", help="With --rate: the policies that come with the package play."),
    ] = False,
    pairs: Annotated[
        int,
        typer.Option(
            help="With --rate: pairs of games of every two players; 120 are 5,000 games a player.", min=1
        ),
    ] = 120,
    opening: Annotated[
        int,
        typer.Option(
            help="With --rate: random moves that a pair of games begins with; the paper tells of none.",
            min=0,
            max=20,
        ),
    ] = 0,
    event: Events = None,
    as_json: Json = False,
) -> None:
    """Learn all policies of Silver & Tesauro (2009) and measure them; goes on where it stopped.

    Makes data sets, learns regression, mm, reinforce, balance, two-step, regression-balance,
    balance-baseline, balance-exact and, when asked, balance-cycle; writes mse.json, mse.png (Figure 4) and
    weights.png (Figure 2). Then --rate makes Table 1: ratings.json, ratings.png and duels.csv for `playout
    rate`; the size and the komi are those of the folder, but for --shipped in a new one.
    """
    from playout.reproduce import balancing as experiments
    from playout.reproduce.balancing_rating import shipped_policies
    from playout.reproduce.balancing_report import read_report

    if event and not rate:
        raise InputError("--event says what to rate together: give --rate too")
    if shipped and not rate:
        raise InputError("--shipped says whom to rate: give --rate too")
    if rate:
        names = None if policies is None else experiments.chosen(policies)
        if shipped and not output.exists():
            shipped_policies(settings.size, names)  # refuses what does not come along before anything is made
            mine = experiments.Experiment(size=settings.size, komi=settings.komi)
            experiments.open_experiment(output, mine)
        _rate(output, names, shipped, pairs, opening, threads, settings.seed, event or [], as_json)
        return
    names = experiments.chosen(policies)
    alphas = experiments.alphas_of(alpha or [])
    from playout.cli.app import _Bar

    with _Bar("made", 1) as bar:

        def progress(what: str, done: int, total: int) -> None:
            bar.say(what)
            bar.of(done, total)

        workshop = experiments.Workshop(output, settings, alphas=alphas, threads=threads, progress=progress)
        try:
            for name, words in workshop.make(names):
                bar.note(f"{name}: {words}")
        except KeyboardInterrupt:
            bar.stop()
            bar.note(f"stopped; the same command goes on with {output}")
            raise
    told = read_report(output)
    if as_json:
        print_json(told)
        return
    _show_errors(told)
    print(f"{output / 'mse.json'}, {output / 'mse.png'}, {output / 'weights.png'}")


def _rate(
    output: Path,
    chosen: list[str] | None,
    shipped: bool,
    pairs: int,
    opening: int,
    threads: int,
    seed: int,
    events: list[Path],
    as_json: bool,
) -> None:
    """Table 1."""
    from playout.cli.app import _Bar
    from playout.reproduce.balancing_rating import rate_policies

    with _Bar("games", 1) as bar:
        try:
            rows = rate_policies(
                output,
                chosen=chosen,
                shipped=shipped,
                pairs=pairs,
                opening=opening,
                threads=threads,
                seed=seed,
                events=events,
                progress=lambda done, total: bar.of(done, total),
            )
        except KeyboardInterrupt:
            bar.stop()
            bar.note(f"stopped; the same command goes on with {output}")
            raise
    if as_json:
        print_json(rows)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("policy", "direct", "in search", "games each"):
        table.add_column(title, justify="left" if title == "policy" else "right")
    for row in rows:
        table.add_row(
            row["policy"], *(_elo(row[name]) for name in ("direct", "search")), f"{row['search']['games']:,}"
        )
    console().print(table)
    print(f"{output / 'ratings.json'}, {output / 'ratings.png'}, {output / 'duels.csv'}")


def _elo(rated: dict[str, Any]) -> str:
    return f"{rated['elo']:.0f} ± {(rated['interval'][1] - rated['interval'][0]) / 2:.0f}"


def _show_errors(told: dict[str, Any]) -> None:
    """The last errors of each policy, and the least."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("policy", "updates", "MSE", "least", "at", "MSE exact", "of uniform's"):
        table.add_column(title, justify="left" if title == "policy" else "right")
    uniform = told["levels"]["uniform"]["mse"]
    for name, row in told["levels"].items():
        table.add_row(name, "", f"{row['mse']:.4f}", "", "", _exact(row), _of(row["mse"], uniform))
    for name, run in told["policies"].items():
        last, least = run["errors"][-1], min(run["errors"], key=lambda row: row["mse"])
        table.add_row(
            name,
            f"{last['updates']:,}",
            f"{last['mse']:.4f}",
            f"{least['mse']:.4f}",
            f"{least['updates']:,}",
            _exact(last),
            _of(last["mse"], uniform),
        )
    console().print(table)
    if told["moves"]:
        _show_move_errors(told["moves"])
    if told["cycle"]:
        before, after = (told["cycle"][name]["exact_mse"] for name in ("before", "after"))
        print(
            f"Deep search's own MSE against exact values, {told['cycle']['positions']:,} positions: "
            f"{before:.5f}; with simulations of balance {after:.5f}."
        )


def _show_move_errors(told: dict[str, Any]) -> None:
    """J, B₂ and B∞ of each policy."""
    from rich.table import Table

    print(f"Errors of moves, on {told['positions']:,} positions with values two moves later:")
    table = Table(box=None, pad_edge=False)
    for title in ("policy", "J", "B₂", "B∞"):
        table.add_column(title, justify="left" if title == "policy" else "right")
    for name, row in told["policies"].items():
        pairs = zip(row["measures"].values(), row["standard_errors"].values(), strict=True)
        table.add_row(name, *(f"{mean:.4f} ± {1.96 * error:.4f}" for mean, error in pairs))
    console().print(table)


def _of(error: float, uniform: float) -> str:
    """An error as a part of uniform play's, which on a few positions may have none."""
    return f"{error / uniform:.2f}" if uniform > 0 else "–"


def _exact(row: dict[str, Any]) -> str:
    return f"{row['exact_mse']:.4f}" if "exact_mse" in row else ""


@with_settings("playout.reproduce.paradox:Paradox")
def paradox(
    settings: Any,
    output: Annotated[Path, typer.Option(help="The folder of the experiment.", show_default=False)],
    threads: Annotated[int, typer.Option(help="Threads that share the work.", min=1, max=256)] = 1,
    as_json: Json = False,
) -> None:
    """Draw Figures 9.1 and 9.2 of Silver (2009): policies that play well and simulate badly.

    Writes paradox.json and paradox.png; goes on where it stopped. Table 9.1 is a tournament:
    docs/events/paradox.toml.
    """
    from rich.table import Table

    from playout.cli.app import _Bar
    from playout.reproduce.paradox import OPPONENTS, run

    with _Bar("made", 1) as bar:

        def progress(what: str, done: int, total: int) -> None:
            bar.say(what)
            bar.of(done, total)

        try:
            told = run(output, settings, threads=threads, progress=progress)
        except KeyboardInterrupt:
            bar.stop()
            bar.note(f"stopped; the same command goes on with {output}")
            raise
    if as_json:
        print_json(told)
        return
    table = Table(box=None, pad_edge=False)
    for title in ("policy", *(f"against {other}" for other in OPPONENTS), "MSE"):
        table.add_column(title, justify="left" if title == "policy" else "right")
    for name, row in told["policies"].items():
        shares = [row.get(f"against_{other}") for other in OPPONENTS]
        wins = ["" if share is None else f"{100 * share['share']:.1f} %" for share in shares]
        table.add_row(name, *wins, f"{row['mse']:.4f}")
    console().print(table)
    print(f"{output / 'paradox.json'}, {output / 'paradox.png'}")
