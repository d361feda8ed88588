"""The commands `problems make` and `problems check`: positions in which exactly one move wins."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.options import Commands, Json, print_json

problems = typer.Typer(
    cls=Commands,
    help="Make problems with exactly one right move, and check anybody's.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)


@problems.callback()
def _options() -> None:
    pass


@problems.command(epilog="Example: playout problems make --size 4 --count 70 --seed 1 --output mine")
def make(
    output: Annotated[Path, typer.Option(help="The folder; it is made.", show_default=False)],
    size: Annotated[int, typer.Option(help="Board size, 2 to 7.")] = 4,
    count: Annotated[int, typer.Option(help="How many.", min=1)] = 70,
    komi: Annotated[float, typer.Option(help="White's compensation for moving second.")] = 0.0,
    nodes: Annotated[int, typer.Option(help="The solver gives up after so many positions a move.")] = 200_000,
    tries: Annotated[int, typer.Option(help="How often uniform Monte-Carlo search tries one.")] = 20,
    easiest: Annotated[
        float, typer.Option(help="Leave out what it finds in a greater share of tries.")
    ] = 1.0,
    seed: Annotated[int, typer.Option(help="Makes it repeatable.", min=0)] = 1,
    as_json: Json = False,
) -> None:
    """Make problems: Black to play, exactly one move wins, by the exact solver.

    One SGF a problem, with where it is from and how often uniform Monte-Carlo search (50 simulations a move)
    finds it. None is another one turned or mirrored. After Ctrl-C or a kill the same command goes on.
    """
    from playout.cli.app import _Bar
    from playout.games.go.problem_maker import Making
    from playout.games.go.problem_maker import make as make_problems

    making = Making(size=size, komi=komi, seed=seed, nodes=nodes, tries=tries, easiest=easiest)
    with _Bar("problems", count) as bar:

        def progress(made: int, tried: int) -> None:
            bar.of(min(made, count), count)
            bar.say(f"{tried:,} positions tried")

        try:
            files = make_problems(output, making, count, progress)
        except KeyboardInterrupt:
            bar.stop()
            bar.note(f"stopped; the same command goes on with {output}")
            raise
        finally:
            bar.stop()
    if as_json:
        print_json({"problems": len(files), "size": size})
    else:
        print(f"{len(files):,} problems of {size}×{size} in {output}")


@problems.command(epilog="Example: playout problems check mine.sgf")
def check(
    file: Annotated[
        str, typer.Argument(help="SGF, a folder of SGF, a .tst file, or problems-4.", show_default=False)
    ],
    size: Annotated[int | None, typer.Option(help="Board size.", show_default="that of the first")] = None,
    nodes: Annotated[
        int, typer.Option(help="The solver gives up after so many positions a move; 0: it is not asked.")
    ] = 5_000_000,
    as_json: Json = False,
) -> None:
    """Say which problems can be learnt from, and what is wrong with the others (then exit code 1)."""
    from playout.cli.app import _Bar
    from playout.games.go.problem_maker import MEMORY
    from playout.games.go.problem_maker import check as check_problem
    from playout.games.go.problem_set import problem_set, read_problems, shipped_path
    from playout.games.go.solve import Solver

    wrong: list[str] = []
    named = read_problems(shipped_path(file) or file, wrong.append)
    found = problem_set(named, size, wrong.append)
    by_name = dict(named)
    if nodes:
        solver = Solver(found.side, memory=MEMORY, nodes=nodes)
        with _Bar("problems", len(found)) as bar:
            for name, right in zip(found.names, found.right, strict=True):
                reason = check_problem(by_name[name].board, right[0], solver)
                if reason:
                    wrong.append(f"{name}: {reason}")
                bar.advance()
    facts = {"problems": len(named), "size": found.side, "usable": len(found), "wrong": wrong}
    if as_json:
        print_json(facts)
    else:
        for words in wrong:
            print(words)
        print(f"{len(found):,} of {len(named):,} problems can be learnt from; {len(wrong):,} are wrong")
    if wrong:
        raise typer.Exit(1)
