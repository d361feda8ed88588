"""The commands. Each one is thin: it reads its words, calls the package, and shows the result.

Nothing heavy is imported here, so that --help is quick.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from playout import __version__
from playout.cli import (
    analysing,
    check,
    data,
    events,
    learning,
    long_term,
    looking,
    networks,
    playing,
    policies,
    problems,
    rating,
    reproduce,
    rollouts,
    server,
    solving,
    suites,
    tuning,
)
from playout.cli.options import SECONDS_BETWEEN_LINES, Commands, Force, Game, Json, Set, game_options
from playout.cli.options import console as _console
from playout.cli.options import print_json as _print_json
from playout.cli.playing import OPPONENT
from playout.errors import InputError, shown

app = typer.Typer(
    name="playout",
    cls=Commands,
    help="Learn and search by simulation, at machine speed, in readable Python.",
    epilog="Example: playout play --size 9 --player mogo:sims=10000",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"playout {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


playing.register(app)


@app.command(epilog="Example: playout gtp --player mogo:seconds=5,ponder=true")
def gtp(
    player: Annotated[str, typer.Option(help="Who plays: a player spec.")] = OPPONENT,
) -> None:
    """Speak GTP 2, for GUIs and other programs.

    GUIs such as Sabaki and Lizzie start this command and talk to it over stdin and stdout. A player keeps
    the time that they set (absolute, Canadian, byo-yomi, Fischer); sims=none lets it use all of it.
    """
    from playout.gtp.server import serve_stdio
    from playout.kernel.progress import compile_progress

    with compile_progress():
        serve_stdio(player)


@app.command(epilog='Example: playout match random "ubgi:playout ubgi --player random" --game backgammon')
def ubgi(
    player: Annotated[str, typer.Option(help="Who plays: a player spec of backgammon.")] = "random",
) -> None:
    """Speak UBGI, the draft of a protocol for backgammon engines, over stdin and stdout.

    Commands: ubgi, isready, newgame, position gnubgid ID (or xgid), dice D1 D2, go chequer, quit; the answer
    is bestmove 8/5 6/5. An XGID alone is answered by the play.
    """
    from playout.games.backgammon.engines.ubgi_server import serve_stdio
    from playout.kernel.progress import compile_progress

    with compile_progress():
        serve_stdio(player)


@app.command(epilog="Example: playout bench light-9 mogo-9 --json")
def bench(
    names: Annotated[
        list[str] | None, typer.Argument(help="Which benchmarks; all if none is named.", show_default=False)
    ] = None,
    as_json: Json = False,
    repeats: Annotated[int, typer.Option(help="Runs of each benchmark.", min=1)] = 9,
    seconds: Annotated[float, typer.Option(help="Length of a run.", min=0.001)] = 0.25,
    reference: Annotated[
        Path | None,
        typer.Option(
            help="Another calibrator's file; else the variable PLAYOUT_REFERENCE, else our own.",
            show_default=False,
        ),
    ] = None,
    list_names: Annotated[bool, typer.Option("--list", help="Only list the benchmarks.")] = False,
    game: Game = "go",
    option: Set = None,
    peer: Annotated[
        str | None,
        typer.Option(help="With --game: the same game's name in OpenSpiel, to compare.", show_default=False),
    ] = None,
) -> None:
    """Measure speed, beside a calibrator in the same run.

    The unit is the calibrator: light playouts on 9×9 by a small program that never changes, on this machine,
    now. With --game another game is measured: random games and tree search, and OpenSpiel's beside them with
    --peer.
    """
    from playout import bench as benchmarks
    from playout.cli.show import bench_table

    tasks = benchmarks.TASKS
    if game != "go":
        from playout.bench_games import tasks_of
        from playout.games.registry import find_game

        found = find_game(game)
        tasks = tasks_of(found, found.configured(game_options(option)), peer)
    elif option or peer:
        raise InputError("--set and --peer are for other games than Go: name one with --game")
    if list_names:
        for name, task in tasks.items():
            print(f"{name:20} {task.what}")
        return
    chosen = benchmarks.choose(names or [], tasks)
    path = benchmarks.find_reference(reference)
    figures: list[benchmarks.Figure] = []
    with _Bar("benchmarks", len(chosen) * repeats) as bar:
        unit = benchmarks.load_reference(path)
        try:
            for name in chosen:
                bar.say(name)
                figures.append(
                    benchmarks.measure(
                        name,
                        unit,
                        repeats=repeats,
                        seconds=seconds,
                        progress=lambda *_: bar.advance(),
                        tasks=tasks,
                    )
                )
        finally:
            bar.stop()
            if as_json:
                _print_json({figure.name: figure.facts() for figure in figures})
            elif figures:
                _console().print(bench_table(figures))


@app.command(epilog="Example: playout warmup; playout warmup uct:policy=balanced")
def warmup(
    players: Annotated[
        list[str] | None,
        typer.Argument(help="Player specs; all players of the game if none is named.", show_default=False),
    ] = None,
    game: Game = "go",
    clean: Annotated[bool, typer.Option("--clean", help="First drop all machine code kept so far.")] = False,
) -> None:
    """Compile what the players of a game need now, so that they start at once later.

    For Go that is every player with its own prior and the policies uniform, mogo, tactical and mango, the
    count and the solver: all that play, match, gtp, sgf and solve need. Other priors and learnt policies are
    compiled if you name a player with them; what training, data sets and benchmarks need is compiled when it
    is first used. A game in a file that takes code or data from others is compiled in every process.
    """
    from playout.kernel.cache import complaint, directory
    from playout.warmup import drop_cache, steps

    if clean:
        print(f"dropped {drop_cache()}", file=sys.stderr)
    if directory() is None:
        raise OSError(f"nothing was compiled: {complaint()}")
    todo = steps(game, players or ())
    with _Bar("warming up", len(todo)) as bar:
        for name, step in todo:
            bar.say(name)
            step()
            bar.advance()
        compiled = bar.compiled
    if compiled.lost:
        print(
            f"{compiled.lost} of {compiled.kernels} kernels cannot be kept for the next process: "
            "each process compiles them anew."
        )
        return
    print(f"{compiled.kernels} kernels compiled in {compiled.seconds:.1f} s; the rest was there already.")


@app.command(epilog="Example: playout players mogo")
def players(
    name: Annotated[
        str | None, typer.Argument(help="A player, to see its settings.", show_default=False)
    ] = None,
    game: Game = "go",
    as_json: Json = False,
) -> None:
    """List the players of a game, or the settings of one of them.

    With --json: the settings of all, or of the one.
    """
    from playout.player.registry import player_table

    rows = player_table(game, name)
    if as_json:
        _print_json(rows)
        return
    from playout.cli.show import players_table, settings_table

    console = _console()
    if name is not None:
        console.print(settings_table(rows[0]))
        return
    console.print(players_table(rows))
    example = "mogo" if any(row["name"] == "mogo" for row in rows) else "uct"
    print(f"\nThe settings of one: playout players {example}. To set them: {example}:sims=1000,seed=7")


events.register(app)
rating.register(app)
suites.register(app)
solving.register(app)
rollouts.register(app)
analysing.register(app)
check.register(app)
tuning.register(app)
server.register(app)


@app.command(epilog="Example: playout sgf game.sgf --move 30")
def sgf(
    file: Annotated[Path, typer.Argument(help="A game record.", show_default=False)],
    move: Annotated[
        int | None, typer.Option(help="The position after so many moves; the last by default.")
    ] = None,
    number: Annotated[
        int | None,
        typer.Option("--game", help="Which game of a file that has several.", show_default="the first"),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(help="Also write a picture of the board.", show_default=False)
    ] = None,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Show a position of a game record and who is ahead."""
    from playout.cli.record import facts_of, position_of
    from playout.files import check_output, write_text
    from playout.games.go.draw import SVG
    from playout.games.go.sgf import count_games
    from playout.kernel.progress import compile_progress

    if svg is not None:
        check_output(svg, SVG, force)
    with compile_progress():
        game, board = position_of(file, number, move)
        games = count_games(file)
        facts, dead = facts_of(game, board)
        facts |= {"game": number or 1, "games": games}
        if svg is not None:
            write_text(svg, board._repr_svg_(), SVG, force)
        if as_json:
            _print_json(facts)
            return
        from playout.cli.show import board_picture, facts_table

        console = _console()
        console.print(board_picture(board, console, dead))
        console.print(facts_table(facts))
        if games > 1 and number is None:
            print(f"{shown(file, 120)} has {games} games, and this is the first: --game N shows another.")


policies.register(learning.train)
networks.register(learning.train)
long_term.register(learning.train)
looking.register(learning.show)
app.add_typer(learning.train, name="train")
app.add_typer(learning.show, name="show")
app.add_typer(reproduce.reproduce, name="reproduce")
app.add_typer(data.data, name="data")
app.add_typer(problems.problems, name="problems")


# -- what commands share ------------------------------------------------------------------------------


class _Bar:
    """A progress bar on stderr that also says what is being compiled; lines where there is no terminal."""

    def __init__(self, what: str, total: int) -> None:
        from contextlib import ExitStack

        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._console = Console(stderr=True, highlight=False)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[said]}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._progress.add_task(what, total=total, said="")
        self._what, self._total, self._done = what, total, 0
        self._line_at = time.monotonic() + SECONDS_BETWEEN_LINES
        self._said = ""
        self._stack = ExitStack()

    def __enter__(self) -> _Bar:
        from playout.kernel.progress import compile_progress

        self._stack.__enter__()
        self._stack.enter_context(self._progress)
        shown = self._tell if self._console.is_terminal else None
        self.compiled = self._stack.enter_context(compile_progress(shown))
        return self

    def __exit__(self, *failure: Any) -> None:
        self._stack.__exit__(*failure)

    def stop(self) -> None:
        """Take the bar away."""
        self._progress.stop()

    def say(self, words: str) -> None:
        """What is going on."""
        self._said = words
        self._progress.update(self._task, said=words)

    def note(self, words: str) -> None:
        """Something that stays on the screen."""
        self._console.print(words, markup=False, soft_wrap=True)

    def advance(self, count: int = 1) -> None:
        """So many more are done."""
        self._done += count
        self._progress.advance(self._task, count)
        if not self._console.is_terminal and time.monotonic() >= self._line_at:
            self._line_at = time.monotonic() + SECONDS_BETWEEN_LINES
            self.note(f"{self._what} {self._done}/{self._total}: {self._said}")

    def of(self, done: int, total: int) -> None:
        """So many of so many are done."""
        self._total = total
        self._progress.update(self._task, total=total)
        self.advance(done - self._done)

    def _tell(self, compiling: str | None) -> None:
        said = self._said if compiling is None else compiling
        self._progress.update(self._task, said=said, refresh=True)
