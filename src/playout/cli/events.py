"""The commands of the arena: matches, tournaments, and the games of a run."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli import FAILED
from playout.cli.options import Force, Game, Json, Set, console, game_options, print_json
from playout.errors import InputError

if TYPE_CHECKING:
    from playout.arena.match import GameResult, Match
    from playout.arena.sprt import Sprt
    from playout.arena.store import GameRecord, Store

MAX_CAUSES = 3  # of void games that are told

Seed = Annotated[int | None, typer.Option(help="Makes it repeatable.", show_default=False, min=0)]
Sgf = Annotated[
    Path | None, typer.Option(help="A folder; each game is saved there at once.", show_default=False)
]
Address = Annotated[
    str | None,
    typer.Option(help="Let the workers of a Dask scheduler play: its address.", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(epilog="Example: playout match flat:policy=mogo flat --games 20 --size 9 --seed 1")(match)
    app.command(epilog="Example: playout tournament event.toml --threads 2")(tournament)
    app.command(epilog="Example: playout games; playout games event.db --game 12")(games)


def match(
    a: Annotated[str, typer.Argument(help="A player: its spec, or NAME=SPEC.", show_default=False)],
    b: Annotated[str, typer.Argument(help="Another one.", show_default=False)],
    games: Annotated[int, typer.Option(help="How many games; colours alternate.")] = 100,
    game: Game = "go",
    option: Set = None,
    size: Annotated[
        int | None, typer.Option(help="Board size; in Go 2 to 19, by default 9.", show_default=False)
    ] = None,
    komi: Annotated[
        float | None,
        typer.Option(help="White's compensation for moving second, by default 7.5.", show_default=False),
    ] = None,
    seed: Seed = None,
    opening: Annotated[int, typer.Option(help="Random moves of each side that begin a pair of games.")] = 0,
    openings: Annotated[
        Path | None,
        typer.Option(
            help="Or a file of openings, a line each, such as 'E5 C3'; or SGF files.", show_default=False
        ),
    ] = None,
    superko: Annotated[
        str | None,
        typer.Option(
            help="Which repetitions are illegal: positional (by default), situational or simple.",
            show_default=False,
        ),
    ] = None,
    scoring: Annotated[
        str | None,
        typer.Option(
            help="'area' removes dead stones (by default), 'alive' counts all stones as alive.",
            show_default=False,
        ),
    ] = None,
    move_timeout: Annotated[
        float | None, typer.Option(help="Seconds for a move; more loses.", show_default=False)
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option(
            help="Seconds for a game: 300, or 300+5 with 5 more each move, or 300+30/10 with 10 moves "
            "in every further 30.",
            show_default=False,
        ),
    ] = None,
    engine_timeout: Annotated[
        float, typer.Option(help="Seconds for an answer of an engine where no clock runs.")
    ] = 60.0,
    max_moves: Annotated[
        int | None, typer.Option(help="At so many moves a game is a draw.", show_default=False)
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            help="ELO0,ELO1: end as soon as it is clear which of these a is stronger by.", show_default=False
        ),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(help="A file where games are kept; the same command goes on.", show_default=False),
    ] = None,
    sgf: Sgf = None,
    threads: Annotated[int, typer.Option(help="Games at once.")] = 1,
    cluster: Address = None,
    keep_engines: Annotated[
        bool, typer.Option("--keep-engines", help="Do not start engines anew for each game.")
    ] = False,
    count_copies: Annotated[bool, typer.Option("--count-copies", help="Let identical games count.")] = False,
    each: Annotated[
        bool, typer.Option("--each", help="Show also who won each opening twice, with both colours.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Let two players play a match, in any game.

    Our rules decide what is legal and who has won. A player that plays an illegal move, takes too long or
    fails in a game loses it; a game that a player cannot begin is void. Ctrl-C ends the match and shows
    the games so far; with --store the same command then goes on. In the command of an engine {seed} stands
    for the seed of the game.
    """
    from dataclasses import asdict

    from playout.arena.match import Match
    from playout.arena.sprt import Sprt
    from playout.games.registry import find_game

    played = find_game(game)
    words = game_options(option, size=size, komi=komi, superko=superko, scoring=scoring)
    bounds = _bounds(sprt)
    stopping = None if bounds is None else Sprt(*bounds)
    with (
        Match(
            a,
            b,
            games,
            game=played,
            **asdict(played.configured(words)),
            seed=seed,
            opening=opening,
            openings=openings,
            move_timeout=move_timeout,
            clock=clock,
            engine_timeout=engine_timeout,
            max_moves=max_moves,
            store=store,
            sgf=sgf,
            threads=threads,
            cluster=cluster,
            keep_engines=keep_engines,
            count_copies=count_copies,
            stopping=stopping,
            also=None if bounds is None else {"sprt": list(bounds)},
        ) as event,
        _said(store),
    ):
        _play_match(event, games, stopping, each, as_json)
        void = _all_void(event.results())
    _end(void)


def _play_match(event: Match, games: int, test: Sprt | None, each: bool, as_json: bool) -> None:
    from playout.cli.live import Scoreboard
    from playout.cli.show import live_match_table, match_table, openings_table

    (a, b), players = event.names, event.event.players

    def table() -> tuple[Any, str]:
        so_far = event.result()
        return live_match_table(so_far, a, b), f"{so_far.a_wins} – {so_far.b_wins}"

    with Scoreboard(games, event.result().games, table) as board:
        try:
            for game in event.play():
                board.ended(game.number, game.reason, game.detail)
        finally:
            board.stop()
            result = event.result()
            if result.games or sys.exc_info()[0] in (None, KeyboardInterrupt):
                if as_json:
                    facts = {
                        "a": a,
                        "b": b,
                        "players": dict(players),
                        "seed": event.event.seed,
                        **result.facts(),
                    }
                    if test is not None:
                        facts["sprt"] = {
                            "elo0": test.elo0,
                            "elo1": test.elo1,
                            "verdict": event.verdict or "go on",
                            "llr": test.llr(event.pair_scores),
                            "bounds": list(test.bounds),
                        }
                    print_json(facts)
                elif result.games:
                    screen = console()
                    screen.print(match_table(result, players, _verdict(event, test)))
                    if each and result.pairs.total:
                        screen.print()
                        screen.print(openings_table(result.pairs, players))
            _warn_of_copies(result.duplicates, result.games)


def _verdict(event: Match, test: Sprt | None) -> str | None:
    """What a sequential test has found, in words, and its log-likelihood ratio."""
    if test is None:
        return None
    from playout.cli.show import called

    low, high = (f"{elo:+g} Elo" for elo in (test.elo0, test.elo1))
    who = " over ".join(called(event.event.players))
    words = {
        "accept": f"accepted: {who} is rather {high} than {low}",
        "reject": f"rejected: {who} is rather {low} than {high}",
    }
    ends = " or ".join(f"{bound:+.2f}" for bound in test.bounds)
    ratio = f"log-likelihood ratio {test.llr(event.pair_scores):+.2f}, to end at {ends}"
    return f"{words.get(event.verdict, 'not decided yet')} ({ratio})"


def _bounds(sprt: str | None) -> tuple[float, float] | None:
    if sprt is None:
        return None
    try:
        low, high = (float(word) for word in sprt.split(","))
        if not low < high:
            raise ValueError
    except ValueError:
        raise InputError(f"--sprt {sprt!r} is not two Elo bounds, the lower first, such as 0,20") from None
    return low, high


def tournament(
    file: Annotated[Path, typer.Argument(help="A TOML file.", show_default=False)],
    threads: Annotated[
        int | None, typer.Option(help="Games at once; the file's number by default.", show_default=False)
    ] = None,
    cluster: Address = None,
    store: Annotated[
        Path | None,
        typer.Option(help="Where games are kept; by default beside the file.", show_default=False),
    ] = None,
    sgf: Sgf = None,
    as_json: Json = False,
) -> None:
    """Let any number of players play a tournament, in any game.

    The file names the players and says what they play: a round robin, a gauntlet or a Swiss tournament. Every
    game is kept as soon as it ends. The same command goes on with a tournament that was broken off, or that
    got more rounds or players.

    \b
    game = "go"                    # or another, or a file; size is an option of Go
    schedule = "round-robin"       # or "gauntlet", "swiss"
    rounds = 50                    # of two games, colours exchanged
    size = 9
    opening = 2                    # random moves; or openings = "FILE"
    [players]
    flat = "flat:sims=100"
    gnugo = "gtp:gnugo --mode gtp --level 0 --seed {seed}"
    """
    from playout.arena.tournament import Tournament
    from playout.cli.live import Scoreboard

    with Tournament(file, threads=threads, cluster=cluster, store=store, sgf=sgf) as event:
        games = event.store

        def table() -> tuple[Any, str]:
            rows = _rows(games)
            leader = f"{rows[0]['name']} leads" if rows and rows[0]["games"] else "nobody leads yet"
            return _table(rows), leader

        with (
            _said(event.file.store),
            Scoreboard(event.event.total(), len(games.numbers()), table) as board,
        ):
            try:
                for game in event.play():
                    board.ended(game.number, game.reason, game.detail)
            finally:
                board.stop()
                _show_tournament(games, as_json)
        void = _all_void(games.games())
    _end(void)


def _all_void(games: Iterable[GameRecord | GameResult]) -> str:
    """Why no game of an event could be played, in words, once for each who could not; empty where one was."""
    count, causes = 0, dict[str, str]()
    for game in games:
        if game.reason != "void":
            return ""
        count += 1
        who = game.detail.partition(": ")[0].rpartition(" (")[2]  # whichever seat it had
        causes.setdefault(who, game.detail)
    if not count:
        return ""
    told = "; ".join(list(causes.values())[:MAX_CAUSES])
    return f"{'the only game' if count == 1 else f'each of the {count} games'} was void: {told}"


def _end(void: str) -> None:
    """An event of nothing but void games has failed."""
    if void:
        _say(void)
        raise typer.Exit(FAILED)


def _show_tournament(store: Store, as_json: bool) -> None:
    rows, tallies = _rows(store), store.tally()
    played = sum(tally.games for tally in tallies)
    copies = sum(tally.games for tally in tallies if tally.copies)
    if as_json:
        facts = {
            "games": played,
            "counted": sum(tally.games for tally in tallies if tally.counted),
            "void": sum(tally.games for tally in tallies if tally.reason == "void"),
            "duplicates": copies,
            "seed": store.settings["seed"],
            "store": store.name,
            "players": rows,
        }
        print_json(facts)
    else:
        console().print(_table(rows))
    _warn_of_copies(copies, played)


def _rows(store: Store) -> list[dict[str, Any]]:
    """The table of a run: each player's games and its rating."""
    from playout.arena import elo

    anchors = store.settings.get("anchors") or elo.default_anchors(store.players())
    ratings = elo.rate(store.results(), players=list(store.players()), anchors=anchors)
    void, duplicates = Counter[str](), Counter[str]()
    for tally in store.tally():
        for name in (tally.black, tally.white):
            void[name] += tally.games * (tally.reason == "void")
            duplicates[name] += tally.games * bool(tally.copies)
    return [
        {
            "name": row.name,
            "games": row.games,
            "wins": row.wins,
            "draws": row.draws,
            "losses": row.losses,
            "score": row.points / row.games if row.games else None,
            "void": void[row.name],
            "duplicates": duplicates[row.name],
            "elo": row.elo if row.known else None,
            "elo_margin": (row.high - row.low) / 2 if row.known else None,
        }
        for row in ratings.standings()
    ]


def _table(rows: list[dict[str, Any]]) -> Any:
    from playout.cli.show import tournament_table

    return tournament_table(rows)


def games(
    run: Annotated[
        Path | None, typer.Argument(help="The store of a match or a tournament.", show_default=False)
    ] = None,
    game: Annotated[int | None, typer.Option(help="Only this game, with all that is known.")] = None,
    sgf: Annotated[
        Path | None, typer.Option(help="A folder; all games are saved there.", show_default=False)
    ] = None,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """List the games that can be played; or those of a run, or save them.

    With a run and --game: everything that is kept of one game, also what engines wrote to stderr. Games of Go
    are saved as SGF, others as text.
    """
    from dataclasses import asdict

    from playout.arena.export import export, open_folder, save
    from playout.arena.store import Store

    if run is None:
        _list_games(as_json)
        return
    with Store.open(run) as store:
        found = list(store.games(game))
        if game is not None and not found:
            raise InputError(f"there is no game {game} in {str(run)!r}, which has {len(store.numbers())}")
        if sgf is not None:
            if game is None:
                export(store, sgf, force)
            else:
                save(found[0], store.settings, open_folder(sgf, force), force)
            _say(f"{len(found)} games saved in {sgf}")
            if not as_json:
                return
        if as_json:
            print_json([asdict(entry) for entry in found])
            return
        from playout.cli.show import game_table, games_table

        console().print(games_table(found) if game is None else game_table(found[0], store.settings))


def _list_games(as_json: bool) -> None:
    """The games that can be asked for by name, with their options and players."""
    from playout.games.registry import find_game, game_names
    from playout.player.registry import players_of
    from playout.settings import describe

    found = []
    for name in game_names():
        try:
            found.append(find_game(name))
        except InputError as error:  # an installed package's: the others can be played
            _say(f"warning: {error}")
    if as_json:
        facts = [
            {
                "name": game.name,
                "summary": game.summary,
                "options": describe(game.options),
                "players": [*players_of(game), *game.engines],
            }
            for game in found
        ]
        print_json(facts)
        return
    from playout.cli.show import known_games_table

    console().print(known_games_table(found))


@contextlib.contextmanager
def _said(store: Path | None) -> Iterator[None]:
    """Say at the end where the games are, and after Ctrl-C how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        if store is not None:
            _say(f"the games are in {store}; the same command goes on")
        raise
    if store is not None:
        _say(f"the games are in {store}")


def _warn_of_copies(copies: int, games: int) -> None:
    if copies:
        _say(
            f"warning: {copies} of {games} games are copies of earlier ones and do not count; "
            "players without chance need openings, and a spec with a seed plays alike each time"
        )


def _say(words: str) -> None:
    print(f"playout: {words}", file=sys.stderr)
