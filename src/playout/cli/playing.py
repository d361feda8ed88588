"""The command `play`: a game in the terminal, new or saved."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.options import Game, Set, console, game_options
from playout.errors import InputError

if TYPE_CHECKING:
    from playout.cli.saved import Saved
    from playout.cli.session import Session
    from playout.games.game import Game as AnyGame

DEMO = ("flat:policy=mogo,sims=40", "mogo-policy")
OPPONENT = "mogo:sims=3000"
ANY_OPPONENT = "uct:sims=3000"
OPPONENTS = {"backgammon": "td"}
DEFAULTS = f"{OPPONENT}; in backgammon td, in other games {ANY_OPPONENT}"
NO_TERMINAL = "There is no terminal to play in, so here is a game between two players."


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: playout play --size 9 --color white --player mogo:sims=10000")(play)


def play(
    file: Annotated[
        Path | None, typer.Argument(help="A saved game to go on with: SGF in Go.", show_default=False)
    ] = None,
    player: Annotated[
        str | None,
        typer.Option(help="Whom you play against (playout players lists them).", show_default=DEFAULTS),
    ] = None,
    size: Annotated[int | None, typer.Option(help="Board size, 2 to 19.", show_default="9")] = None,
    komi: Annotated[
        float | None,
        typer.Option(help="White's compensation.", show_default="7.5, or 0.5 with a handicap"),
    ] = None,
    color: Annotated[
        str | None,
        typer.Option(
            help="Your colour: black, white or random; in other games first or second.", show_default="black"
        ),
    ] = None,
    handicap: Annotated[int, typer.Option(help="Handicap stones for Black, 0 for none.")] = 0,
    game: Game = "go",
    option: Set = None,
) -> None:
    """Play in the terminal against a player: Go, or any other game.

    Ctrl-C makes the player move at once; twice ends the game. A game that you leave is saved; with its file
    you go on. Where there is no terminal, shows one game between two players and ends.
    """
    from playout.games.registry import DEFAULT, find_game
    from playout.kernel.progress import compile_progress

    with compile_progress():
        chosen = None if game == DEFAULT else find_game(game)
        if file is not None:
            if option or size is not None or komi is not None or handicap:
                raise InputError(
                    "a saved game has its options: leave --size, --komi, --handicap and --set out"
                )
            found = _load(file, chosen)
            chosen = None if found.position.game.name == DEFAULT else found.position.game
        else:
            found = None
        if chosen is None:
            if option:
                raise InputError("--set is for other games: Go has --size, --komi and --handicap")
            if komi is None:
                komi = 0.5 if handicap else 7.5
            _play_go(file, found, player, color, 9 if size is None else size, komi, handicap)
        else:
            if handicap:
                raise InputError("--handicap is for Go")
            _play_any(file, found, chosen, game_options(option, size=size, komi=komi), player, color)


def _load(file: Path, game: AnyGame | None) -> Saved:
    from playout.cli import saved

    found = saved.load(file.expanduser(), game)
    if found.games > 1:
        print(f"{file} has {found.games} games: this is the first.")
    return found


def _play_go(
    file: Path | None,
    found: Saved | None,
    player: str | None,
    color: str | None,
    size: int,
    komi: float,
    handicap: int,
) -> None:
    from playout.cli.terminal import TerminalGame, Terms, demonstrate
    from playout.games.go.coords import parse_color
    from playout.player.registry import make_player

    if color is None:
        human = 1 if found is None else found.human or found.position.to_play
    else:
        human = parse_color(_drawn(color, "black", "white"))
    if found is not None:
        size, komi, handicap = found.position.size, found.position.komi, found.position.handicap
    terms = Terms(size, komi, handicap, human)
    board = terms.board() if found is None else found.position
    if not _is_terminal():
        watched = player or DEMO[0]
        make_player(watched).close()
        print(NO_TERMINAL, flush=True)
        demonstrate(watched, DEMO[1], console(whole=False), board)
        return
    opponent = make_player(player or OPPONENT)
    try:
        TerminalGame(terms, opponent, console(whole=False), board=board, **_kept(file, player)).run()
    finally:
        opponent.close()


def _play_any(
    file: Path | None,
    found: Saved | None,
    game: AnyGame,
    options: dict[str, object],
    player: str | None,
    color: str | None,
) -> None:
    """A game that is not Go."""
    from playout.arena.terms import Terms
    from playout.cli.session import demonstrate
    from playout.player.registry import make_player

    chosen = game.configured(options) if found is None else found.position.options
    terms = Terms(game, **dataclasses.asdict(chosen))
    if game.players == 1:
        human = 1
    elif color is None:
        human = 1 if found is None else found.human or found.position.to_play
    else:
        human = _seat(game, color)
    position = terms.position() if found is None else found.position
    usual = OPPONENTS.get(game.name, ANY_OPPONENT)
    if not _is_terminal():
        print(NO_TERMINAL, flush=True)
        demonstrate(player or usual, "random", console(whole=False), position)
        return
    opponent = make_player(player or usual, game)
    try:
        kept = _kept(file, player, game)
        _session_of(position)(terms, human, opponent, console(whole=False), board=position, **kept).run()
    finally:
        opponent.close()


def _session_of(position: Any) -> type[Session]:
    """What a person plays a game in."""
    from playout.cli.backgammon import BackgammonSession
    from playout.cli.session import Session
    from playout.games.backgammon.as_position import BackgammonPosition

    return BackgammonSession if isinstance(position, BackgammonPosition) else Session


def _seat(game: AnyGame, color: str) -> int:
    """The player that a word means: 1 or 2."""
    seats = {"black": 1, "white": 2, "first": 1, "second": 2, "1": 1, "2": 2}
    seats |= {seat.lower(): k for k, seat in enumerate(game.seats, 1)}
    word = _drawn(color, "first", "second").lower()
    if word not in seats:
        raise InputError(f"--color {color[:40]!r} is not one of {', '.join(game.seats)} or random")
    return seats[word]


def _drawn(color: str, *colors: str) -> str:
    """A colour, drawn by lot where that is wanted."""
    import secrets

    return secrets.choice(colors) if color.lower() == "random" else color


def _is_terminal() -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - input() then has a history and can be edited
    return True


def _kept(file: Path | None, player: str | None, game: AnyGame | None = None) -> dict[str, Any]:
    """Where a session saves its game again, and the options that go on with it."""
    from playout.cli import saved

    options = [] if player is None else ["--player", player]
    if (
        game is not None and game.version
    ):  # a file that a saved game does not name: nobody's file runs another
        options += ["--game", game.spec]
    own = file is not None and file.expanduser().resolve().parent == saved.folder().resolve()
    return {"file": file.expanduser() if own and file is not None else None, "options": tuple(options)}
