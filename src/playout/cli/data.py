"""The command `data`: make what others learn from, and measure policies on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.options import Commands, Force, Json, Size, console, print_json

if TYPE_CHECKING:
    from rich.table import Table

data = typer.Typer(
    cls=Commands,
    help="Make data to learn from, and measure simulation policies on it.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)


@data.callback()
def _options() -> None:
    pass


@data.command(epilog="Example: playout data positions --size 5 --count 5000 --output positions-5.npz")
def positions(
    output: Annotated[Path, typer.Option(help="The file, ending in .npz.", show_default=False)],
    size: Size = 5,
    count: Annotated[int, typer.Option(help="Positions, each of a game of its own.", min=1)] = 1000,
    komi: Annotated[float, typer.Option(help="White's compensation for moving second.")] = 7.5,
    games: Annotated[
        str, typer.Option(help="The policy that plays the games: uniform, mogo, tactical or mango.")
    ] = "uniform",
    search: Annotated[str, typer.Option(help="The player whose tree search gives the values.")] = "mogo",
    sims: Annotated[int, typer.Option(help="Simulations of a position; 0 for none.", min=0)] = 10_000,
    leaf_sims: Annotated[
        int, typer.Option(help="Simulations of each position two moves later; 0 for none.", min=0)
    ] = 0,
    exact: Annotated[
        int, typer.Option(help="Nodes of the solver for who wins and again for the score; 0 for none.", min=0)
    ] = 0,
    test: Annotated[float, typer.Option(help="Share of positions that are for testing.")] = 0.2,
    seed: Annotated[int, typer.Option(help="Makes it repeatable.", min=0)] = 1,
    threads: Annotated[int, typer.Option(help="Threads that share the work.", min=1, max=256)] = 1,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Make positions of random games with values by deep search, by the solver, or both.

    Ctrl-C or a kill loses 16 positions at most: the same command goes on where it stopped. With a greater
    --count a file that is there is made longer. Leaves (--leaf-sims 2000) are for two-step balancing, and
    are some hundreds a position.
    """
    from playout.cli.app import _Bar
    from playout.games.go.learn.position_maker import produce
    from playout.games.go.learn.positions import Recipe
    from playout.player.valuer import Valuer

    recipe = Recipe(
        size=size,
        komi=komi,
        games=games,
        search=search,
        sims=sims,
        leaf_sims=leaf_sims,
        exact_nodes=exact,
        test=test,
        seed=seed,
    )
    valuer = Valuer(search) if sims or leaf_sims else None
    with _Bar("positions", count) as bar:
        try:
            found = produce(
                output,
                recipe,
                count,
                valuer,
                threads=threads,
                force=force,
                progress=lambda done: bar.of(done, count),
            )
        except KeyboardInterrupt:
            bar.stop()
            bar.note(f"stopped; the same command goes on with {output}")
            raise
        finally:
            bar.stop()
            if valuer is not None:
                valuer.close()
    facts = found.facts()
    if as_json:
        print_json(facts)
        return
    words = [f"{len(found):,} positions", f"{facts['test_positions']:,} for testing"]
    words += [f"{facts['decided']:,} with a known winner, {facts['solved']:,} solved"] if exact else []
    words += [f"{facts['leaves']:,} leaves"] if leaf_sims else []
    print(f"{', '.join(words)}; in {output}")


@data.command(
    "backgammon-suite",
    epilog="Example: playout data backgammon-suite --output suite.jsonl --player td --player random",
)
def backgammon_suite(
    output: Annotated[Path, typer.Option(help="The file, such as suite.jsonl.", show_default=False)],
    player: Annotated[
        list[str] | None,
        typer.Option(
            help="Whose games: a player spec; may be given again. By default random, lin1, td10, td80, td.",
            show_default=False,
        ),
    ] = None,
    count: Annotated[int, typer.Option(help="Positions, each of a game of its own.", min=1)] = 800,
    plies: Annotated[int, typer.Option(help="Of GNU Backgammon, which grades.", min=0, max=4)] = 2,
    check: Annotated[
        int, typer.Option(help="Roll so many of the positions out, by td, to check the grades.", min=0)
    ] = 0,
    seed: Annotated[int, typer.Option(help="Makes it repeatable.", min=0)] = 1,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Make a test suite of backgammon: positions of games, every legal play graded by GNU Backgammon.

    Players of different strength play each other; a position with a decision is taken from each game, evenly
    from its beginning to its end, none twice. A play's grade is its equity without the cube. The file is for
    `playout suite`; how it was made lies beside it, with the ending .json. Ctrl-C or a kill loses 8 positions
    at most: the same command goes on.
    """
    from playout.cli.app import _Bar
    from playout.games.backgammon.suite_maker import Recipe, default_players, produce
    from playout.games.registry import find_game

    players = tuple(player or default_players(find_game("backgammon")))
    with _Bar("positions", count) as bar:
        try:
            lines = produce(
                output,
                Recipe(players=players, seed=seed, plies=plies),
                count,
                force=force,
                progress=lambda done: bar.of(done, count),
                check=check,
            )
        except KeyboardInterrupt:
            bar.stop()
            bar.note(f"stopped; the same command goes on with {output}")
            raise
        finally:
            bar.stop()
    plays = sum(len(line["plays"]) for line in lines)
    if as_json:
        print_json({"positions": len(lines), "plays": plays, "players": list(players), "seed": seed})
        return
    print(f"{len(lines):,} positions with {plays:,} plays; in {output}")


@data.command(
    epilog="Example: playout data measure positions-5.npz --policy mogo --policy softmax:weights=w.npz"
)
def measure(
    file: Annotated[Path, typer.Argument(help="A data set of positions.", show_default=False)],
    policy: Annotated[
        list[str] | None,
        typer.Option(help="A simulation policy, as mogo:captures=false; several may be given."),
    ] = None,
    simulations: Annotated[int, typer.Option(help="Simulations from each position.")] = 100,
    seed: Annotated[int, typer.Option(help="Makes it repeatable.", min=0)] = 1,
    threads: Annotated[int, typer.Option(help="Threads that share the work.", min=1, max=256)] = 1,
    as_json: Json = False,
) -> None:
    """Measure how far simulations are from the values of positions: MSE, balance and strength.

    On the positions for testing, or all if there are none. MSE and B∞ are those of the mean outcome against
    deep search and against exact values; a ratio is to the MSE of the first policy; J and B₂ need a set with
    leaves. Without --policy: uniform and mogo.
    """
    from playout.games.go.learn.positions import load
    from playout.player.registry import make_policy
    from playout.reproduce.move_errors import move_errors
    from playout.reproduce.value_errors import Judge

    specs = policy or ["uniform", "mogo"]
    chosen = {spec: make_policy(spec) for spec in specs}
    found = load(file)
    used = found.test if found.is_test.any() else found
    judge = Judge(used, seed, threads, simulations)
    rows: dict[str, Any] = {}
    first = None
    for spec, settings in chosen.items():
        values = judge.values_of(settings)
        rows[spec] = judge.errors(values)
        if first is None:
            first = values
        else:
            rows[spec].update(judge.ratios(values, first))
        if used.leaves is not None and len(used) > 1:
            measures, _ = move_errors(settings, used, seed)
            rows[spec].update(strength=measures.strength, two_step=measures.two_step)
    if as_json:
        print_json({"file": str(file), **judge.facts(), "policies": rows})
        return
    console().print(_errors_table(rows))
    print(f"{len(used):,} positions of {file}, {simulations:,} simulations from each")


def _errors_table(rows: dict[str, Any]) -> Table:
    """The errors of each policy: a line for those against deep search, and one for exact values."""
    from rich.table import Table

    titles = {"mse": "MSE", "ratio": "ratio", "imbalance": "B∞", "strength": "J", "two_step": "B₂"}
    errors = {"mse": "standard_error", "ratio": "ratio_standard_error"}
    shown = [key for key in titles if any(key in row or f"exact_{key}" in row for row in rows.values())]
    table = Table(box=None, pad_edge=False)
    table.add_column("policy", overflow="fold", min_width=12)
    for title in ("values", *(titles[key] for key in shown)):
        table.add_column(title, justify="left" if title == "values" else "right", no_wrap=True)
    for spec, row in rows.items():
        name = spec
        for values, prefix in (("search", ""), ("exact", "exact_")):
            if f"{prefix}mse" not in row:
                continue
            cells = []
            for key in shown:
                digits = 2 if key == "ratio" else 4
                words = f"{row[prefix + key]:.{digits}f}" if prefix + key in row else ""
                if words and key in errors:
                    words += f" ± {1.96 * row[prefix + errors[key]]:.{digits}f}"
                cells.append(words)
            table.add_row(name, values, *cells)
            name = ""
    return table
