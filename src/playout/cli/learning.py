"""The commands `train` and `show`: learn weights, and see what was learnt."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from playout.cli.options import Commands, Force, with_settings

if TYPE_CHECKING:
    from playout.games.go.memory.store import Weights

OPTIONS = {"help_option_names": ["-h", "--help"]}
train = typer.Typer(
    cls=Commands,
    help="Learn weights: of values by self-play, of simulation policies from games and data sets.",
    no_args_is_help=True,
    context_settings=OPTIONS,
    rich_markup_mode=None,
)
show = typer.Typer(
    cls=Commands,
    help="See features, what was learnt, and what a search thinks.",
    no_args_is_help=True,
    context_settings=OPTIONS,
    rich_markup_mode=None,
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
SizeOfShipped = Annotated[int | None, typer.Option(help="Board size of shipped weights.", show_default="9")]
Picture = Annotated[Path | None, typer.Option(help="The PNG to write.", show_default=False)]


@train.command(epilog="Example: playout train td --games 200000 --output runs/first")
@with_settings("playout.games.go.learn.training:Plan")
def td(
    settings: Any,
    output: Annotated[Path, typer.Option(help="The folder of the run; it is made.", show_default=False)],
    threads: Annotated[int, typer.Option(help="Threads that share the weights.")] = 1,
    as_json: Json = False,
) -> None:
    """Learn weights of local shapes by temporal-difference learning from self-play.

    Ctrl-C or a kill loses some seconds at most: the same command goes on where it stopped. The folder gets
    the weights, how they were made, the curve of the errors and snapshots on the way.
    """
    from playout.games.go.learn.training import Run

    carry_out(lambda: Run(output, settings, threads), "games", settings.games, output, as_json)


@train.command(epilog="Example: playout train games league/*.sgf --output mine.npz")
@with_settings("playout.games.go.learn.real_games:FromGames")
def games(
    settings: Any,
    files: Annotated[list[Path], typer.Argument(help="SGF files or collections.", show_default=False)],
    output: Annotated[Path, typer.Option(help="The weight file to write.", show_default=False)],
    weights: Annotated[
        str, typer.Option(help="What to begin with: a weight file, or 'shipped'.")
    ] = "shipped",
    size: SizeOfShipped = None,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Learn on from games that were really played, as the long-term memory of Dyna-2 does.

    Each game is learnt from once, in order. Those of another board size or without a winner are passed over.
    Then dyna2:long_term=FILE plays by the file.
    """
    from playout.cli.app import _Bar, _print_json
    from playout.games.go.learn.real_games import learn_from_games, read_games
    from playout.games.go.memory.store import FILES

    FILES.check(output, force)
    learner = settings.learner()
    begun = _named_weights(weights, size, "values")
    with _Bar("games", len(files)) as bar:
        learnt, experience = learn_from_games(
            begun, read_games(files), learner, lambda done: bar.of(done, max(done, len(files)))
        )
    learnt.save(output, force=force)
    found = {
        "games": int(experience["games"]),
        "positions": int(experience["moves"]),
        "squared_error": float(experience["squared_error"] / experience["moves"]),
        "weights": str(output),
    }
    if as_json:
        _print_json(found)
    else:
        print(
            f"learnt from {found['positions']:,} positions of {found['games']:,} games; "
            f"weights in {output}: dyna2:long_term={output}"
        )


def carry_out(start: Callable[[], Any], unit: str, wanted: int, output: Path, as_json: bool) -> None:
    """Take up a training run and bring it to its end, with a bar; Ctrl-C says how to go on.

    unit: what is counted, an attribute of the run; wanted: how many of them there are to be.
    """
    from playout.cli.app import _Bar, _print_json
    from playout.errors import Diverged, InputError

    with _Bar(unit, wanted) as bar:
        run = start()
        shown = getattr(run, unit)
        if shown > wanted:
            raise InputError(f"{output} has {shown:,} {unit} already; --{unit} {wanted} is fewer")
        bar.advance(shown)

        def progress(run: Any) -> None:
            nonlocal shown
            bar.say(run.words())
            bar.advance(getattr(run, unit) - shown)
            shown = getattr(run, unit)

        try:
            run.train(progress)
        except Diverged as failure:
            bar.stop()
            raise InputError(str(failure)) from None
        except KeyboardInterrupt:
            bar.stop()
            bar.note(f"{getattr(run, unit):,} {unit} are in {output}; the same command goes on from there")
            raise
        finally:
            bar.stop()
    if as_json:
        _print_json(run.weights().facts())
    else:
        print(f"{getattr(run, unit):,} {unit}: {run.words()}; weights in {output / 'weights.npz'}")


@show.command(epilog="Example: playout show features --size 9 --sizes 1,2,3 --json")
@with_settings("playout.games.go.memory.shapes:Shapes")
def features(
    settings: Any,
    as_json: Json = False,
) -> None:
    """Count local shape features, their weights, and how many are active at once."""
    from playout.cli.app import _console, _print_json
    from playout.games.go.memory.shapes import Features

    facts = Features(settings).facts()
    if as_json:
        _print_json(facts)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("shapes", "weights by location", "features", "weights", "active at most"):
        table.add_column(title, justify="left" if title.startswith(("shapes", "weights by")) else "right")
    for name, row in facts["by_size"].items():
        kinds = [kind for kind in row if kind not in ("total", "max_active")]
        for k, kind in enumerate(kinds):
            table.add_row(
                f"{name}×{name}",
                kind,
                f"{row['total']:,}" if k == 0 else "",
                f"{row[kind]:,}",
                str(row["max_active"]),
            )
    table.add_row("all", "", f"{facts['total']:,}", f"{facts['unique']:,}", str(facts["max_active"]))
    _console().print(table)


@show.command(epilog="Example: playout show shapes shipped --size 9 --output shapes.png")
def shapes(
    weights: Annotated[str, typer.Argument(help="A weight file, or 'shipped'.", show_default=False)],
    output: Picture = None,
    size: SizeOfShipped = None,
    count: Annotated[int, typer.Option(help="How many of each set.", min=1, max=1000)] = 20,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Draw the shapes of greatest weight in each set."""
    from playout.cli.app import _print_json
    from playout.plots import draw_shapes, top_shapes

    found = _named_weights(weights, size)
    if as_json:
        _print_json(
            {
                name: [
                    {"rows": shape.rows(), "place": shape.place, "weight": round(weight, 6)}
                    for shape, weight in chosen
                ]
                for name, chosen in top_shapes(found, count).items()
            }
        )
        if output is None:
            return
    target = output or Path(weights).with_suffix(".png")
    print(f"{draw_shapes(found, target, count, force)}", file=_stderr(as_json))


@show.command(epilog="Example: playout show curves runs/first --output curves.png")
def curves(
    run: Annotated[Path, typer.Argument(help="The folder of a run.", show_default=False)],
    output: Picture = None,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Draw how a training run developed: its weights, and those of train td its errors too."""
    from playout.cli.app import _print_json
    from playout.games.go.learn.policy_training import is_policy_run, read_policy_run
    from playout.games.go.learn.training import read_run
    from playout.plots import draw_curves, draw_policy_curves

    if is_policy_run(run):
        policy = read_policy_run(run)
        updates, theta = policy.curve()
        columns = {"updates": updates, "largest_weight": abs(theta).max(axis=1)}
        draw = partial(draw_policy_curves, policy)
    else:
        record = read_run(run)
        columns, draw = record.curve, partial(draw_curves, record)
    if as_json:
        _print_json({name: [_number(x) for x in column.tolist()] for name, column in columns.items()})
        if output is None:
            return
    print(f"{draw(output or run / 'curves.png', force)}", file=_stderr(as_json))


def _named_weights(word: str, size: int | None, purpose: str | None = None) -> Weights:
    """The weights that the words of a command name: of a file, or shipped ones of a size."""
    from playout.errors import InputError
    from playout.games.go.coords import parse_side
    from playout.games.go.memory.shipped import SHIPPED, shipped
    from playout.games.go.memory.store import load

    if word == SHIPPED:
        return shipped(parse_side(9 if size is None else size))
    if size is not None:
        raise InputError("--size chooses among shipped weights; a file has a board size of its own")
    return load(word, purpose)


def _number(x: float) -> float | None:
    return None if x != x else x


def _stderr(wanted: bool) -> TextIO:
    """Where a note goes, so that JSON stays alone on stdout."""
    import sys

    return sys.stderr if wanted else sys.stdout
