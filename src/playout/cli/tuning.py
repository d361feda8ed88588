"""The command `tune`: the settings of any engine, from games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.events import Address
from playout.cli.options import Json, console, print_json

if TYPE_CHECKING:
    from playout.tune.job import TuningJob
    from playout.tune.tuner import Tuning


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Example: playout tune mango.toml --threads 2; playout match mango-tuned/best.toml mango"
    )(tune)


def tune(
    file: Annotated[Path, typer.Argument(help="A TOML file.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option(
            help="The folder of the tuning; by default FILE-tuned beside the file.", show_default=False
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            help="Games at once; the file's number by default.", show_default=False, min=1, max=1024
        ),
    ] = None,
    cluster: Address = None,
    verify: Annotated[bool, typer.Option(help="Play the matches that try the result.")] = True,
    as_json: Json = False,
) -> None:
    """Tune the settings of a player, in any game, by the cross-entropy method; then verify the result.

    Every game is kept as soon as it ends; the same command goes on after any stop. The folder gets pictures,
    the report, and best.toml: a player for other commands, as in match best.toml mango.

    \b
    player = "mango:sims=1000"       # or "gtp:COMMAND LINE" with places such as {exploration}
    opponent = "gtp:gnugo --mode gtp --level 0 --seed {seed}"   # or "default": the player itself
    size = 9
    opening = 2                      # random moves of each side
    samples = 100                    # N, of which a share of ratio = 0.1 is elite
    batch = 50                       # games of a sample; growth = 1.15 for more in each generation
    [parameters.exploration]
    range = [0.2, 2]
    scale = "log"                    # or "linear"; type = "integer"; choices = ["mogo", "uniform"]
                                     # gtp = "uct_param_search exploration {value}" for an engine
    [verification]
    games = 400
    """
    from playout.cli.live import Scoreboard
    from playout.tune.job import TuningJob

    def tell(tuning: Tuning) -> None:
        board.at(tuning.results.total)

    with TuningJob(file, output, threads=threads, cluster=cluster, tell=tell) as job:
        there = job.results.total if job.results is not None else 0
        with Scoreboard(_most_games(job), there, lambda: _table(job)) as board:
            try:
                for _ in job.run():
                    pass
            except KeyboardInterrupt:
                board.stop()
                _say(f"the games are in {job.folder}; the same command goes on")
                raise
            finally:
                board.stop()
        report = _verified(job) if verify else job.report(job.best(), None, [])
    if as_json:
        print_json(report)
        return
    from playout.cli.tuning_tables import result_table

    screen = console()
    for table in result_table(job.file, report):
        screen.print(table)
    print(f"{report['verdict']}: {report['why']}" if verify else "not verified")
    print(f"{job.folder / 'best.toml'}: {report['player']}" if verify else report["player"])


def _verified(job: TuningJob) -> dict[str, Any]:
    """The matches of the verification, one after the other."""
    from playout.cli.live import Scoreboard
    from playout.cli.show import live_match_table
    from playout.tune.verify import meetings

    plan = meetings(job.file, job.best())
    shown: dict[str, Any] = {}
    done = dict.fromkeys((meeting.label for meeting in plan), 0)

    def table() -> tuple[Any, str]:
        if not shown:
            return None, "verification"
        meeting, result = shown["last"]
        names = meeting.a[0], meeting.b[0]
        return live_match_table(result, *names), f"{meeting.label}: {result.a_wins} – {result.b_wins}"

    with Scoreboard(sum(meeting.games for meeting in plan), 0, table) as board:

        def progress(meeting: Any, result: Any) -> None:
            shown["last"] = meeting, result
            done[meeting.label] = result.games
            board.at(sum(done.values()))

        try:
            return job.verify(progress)
        except KeyboardInterrupt:
            board.stop()
            _say(f"the games are in {job.folder}; the same command goes on")
            raise


def _most_games(job: TuningJob) -> int:
    """How many games there may be, at most."""
    batches, settings = job.file.batches, job.file.cross_entropy
    if job.file.settings.method != "cross-entropy":
        return batches.games or 0
    most = sum(settings.samples * batches.games_of(t) for t in range(settings.generations))
    return most if batches.games is None else min(most, batches.games)


def _table(job: TuningJob) -> tuple[Any, str]:
    from playout.cli.tuning_tables import generations_table, line

    return generations_table(job.tuning), line(job.tuning)


def _say(words: str) -> None:
    import sys

    print(f"playout: {words}", file=sys.stderr)
