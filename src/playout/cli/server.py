"""The command that plays on CGOS."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from playout.cli.options import Json, print_json
from playout.errors import InputError

VARIABLE = "PLAYOUT_CGOS_PASSWORD"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Example: playout cgos --player mogo:sims=none --user my-bot --password-file secret.txt"
    )(cgos)


def cgos(
    player: Annotated[str, typer.Option(help="Who plays: a player spec.", show_default=False)],
    user: Annotated[str, typer.Option(help="The name of the account.", show_default=False)],
    password_file: Annotated[
        Path | None,
        typer.Option(help=f"A file with the password; else the variable {VARIABLE}.", show_default=False),
    ] = None,
    server: Annotated[
        str, typer.Option(help="HOST:PORT. At yss-aya.com 6819 is 9×9, 6813 is 13×13, 6809 is 19×19.")
    ] = "yss-aya.com:6819",
    games: Annotated[
        int | None, typer.Option(help="Stop after so many games; else go on for ever.", show_default=False)
    ] = None,
    lag: Annotated[float, typer.Option(help="Seconds a move that the way to the server takes.")] = 0.2,
    sgf: Annotated[
        Path | None, typer.Option(help="A folder; each game is saved there.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Play on CGOS, the Computer Go Server.

    A first login with a new name makes the account. Size, komi and time are the server's; sims=none lets a
    player use its time. A lost connection is made again and the game goes on. The server counts every stone
    as alive: engines need the option that makes them capture dead stones (gnugo: --capture-all-dead). Ctrl-C
    stops after the game, a second one at once.
    """
    from playout.gtp.cgos import Account, Client
    from playout.kernel.progress import compile_progress
    from playout.player.registry import make_player

    host, port = _address(server)
    account = Account(user=user, password=_password(password_file), host=host, port=port)
    with compile_progress():
        who = make_player(player)
        try:
            client = Client(who, account, games=games, lag=lag, sgf=sgf, log=_say)
            stopping = _Stopping(client)
            before = signal.signal(signal.SIGINT, stopping)
            try:
                client.run()
            finally:
                signal.signal(signal.SIGINT, before)
                if as_json:
                    print_json(vars(client.tally))
        finally:
            who.close()
    if stopping.asked:
        raise KeyboardInterrupt


class _Stopping:
    """What Ctrl-C does: the first time it lets the game end."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.asked = False

    def __call__(self, number: int, frame: Any) -> None:
        if self.asked or self.client.match is None:
            raise KeyboardInterrupt
        self.asked = self.client.last_game = True
        _say("stopping after this game; Ctrl-C again stops now")


def _say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.strip().rpartition(":")
    host = host.removeprefix("[").removesuffix("]")  # of an IPv6 address
    if not colon or not host or not (port.isascii() and port.isdigit() and len(port) <= 5):
        raise InputError(f"--server {text!r} is not HOST:PORT, as in yss-aya.com:6819")
    return host, int(port)


def _password(path: Path | None) -> str:
    """From a file, the environment or the keyboard: who lists processes can read a command line."""
    if path is not None:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not a text"
            raise InputError(f"the password file {str(path)!r} cannot be read: {reason}") from None
        if not lines or not lines[0].strip():
            raise InputError(f"the password file {str(path)!r} has no password on its first line")
        return lines[0].strip()
    if found := os.environ.get(VARIABLE):
        return found
    if sys.stdin is not None and sys.stdin.isatty():
        import getpass

        return getpass.getpass("CGOS password: ")
    raise InputError(f"the password is missing: give --password-file, or set {VARIABLE}")
