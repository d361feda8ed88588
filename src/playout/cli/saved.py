"""Games that people leave and go on with: SGF in Go, some lines of text in any other game.

::

    game: hex
    set: size=5
    you: first
    moves: a1 c3 b2
"""

from __future__ import annotations

import dataclasses
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from playout.arena.terms import joined, put
from playout.errors import InputError, shown
from playout.games.game import Game
from playout.games.registry import BRIDGES, DEFAULT, find_game, game_names

MAX_BYTES = 4 << 20
YOU = "you"  # the person's name in a game record


@dataclass(frozen=True)
class Saved:
    """A game as a file has it.

    position: after its last move. human: the player that the person was, None where the file does not say.
    games: how many the file has; this is the first of them.
    """

    position: Any
    human: int | None
    games: int = 1


def folder() -> Path:
    """Where games are kept that nobody has given a name; ``PLAYOUT_GAMES_DIR`` moves it."""
    chosen = os.environ.get("PLAYOUT_GAMES_DIR")
    return Path(chosen) if chosen else platformdirs.user_data_path("playout", appauthor=False) / "games"


def new_file(game: str, ending: str) -> Path:
    """A file in that folder that is not there yet; its name says which game, and when."""
    folder().mkdir(parents=True, exist_ok=True)
    plain = "".join(letter if letter.isalnum() else "-" for letter in game)
    stem = f"{plain}-{time.strftime('%Y-%m-%d-%H%M%S')}"
    names = [stem, *(f"{stem}-{k}" for k in range(2, 1000))]
    return next(path for path in (folder() / f"{name}{ending}" for name in names) if not path.exists())


def why_not(game: Game) -> str:
    """Why a game of this kind cannot be gone on with; nothing where it can."""
    unnamed = game.is_chance is not None and not game.events
    return f"what chance does in {game.name} has no name that a file could hold" if unnamed else ""


def text_of(position: Any, human: int) -> str:
    """A game that is not Go, as a file has it.

    >>> from playout.games.toy.tictactoe import GAME
    >>> print(text_of(GAME.new_position().play("b2"), 1), end="")
    game: tic-tac-toe
    you: first
    moves: b2
    """
    words = position.spelled_moves() + ["resign"] * (position.resigned is not None)
    options = dataclasses.asdict(position.options)
    lines = [
        f"game: {position.game.name}",
        *(f"set: {key}={value}" for key, value in options.items()),
        f"you: {position.seat(human)}",
        f"moves: {joined(words)}",
    ]
    return "\n".join(lines) + "\n"


def load(path: Path, game: Game | None = None) -> Saved:
    """The game of a file. game: which it is of, where that is in a file of its own and has no name."""
    if path.suffix.lower() == ".sgf":
        if game is not None and game.name != DEFAULT:
            raise InputError(f"{shown(path, 120)} is a game of go, not of {game.name}")
        return _from_sgf(path)
    name = shown(path, 120)
    try:
        if not path.is_file():
            raise OSError("it is not a file" if path.exists() else "there is no such file")
        if path.stat().st_size > MAX_BYTES:
            raise OSError(f"it has over {MAX_BYTES >> 20} megabytes")
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = "it is not text" if isinstance(error, UnicodeDecodeError) else None
        raise InputError(
            f"{name} cannot be read: {reason or getattr(error, 'strerror', None) or error}"
        ) from None
    if text.lstrip().startswith("(;"):
        return _from_sgf(path)
    try:
        return _from_text(text, game)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _from_sgf(path: Path) -> Saved:
    from playout.games.go import sgf

    game = sgf.load(path)
    board = game.board()
    if game.result in ("B+R", "W+R") and not board.is_over:
        board.play("resign", "W" if game.result == "B+R" else "B")
    human = {game.black: 1, game.white: 2}.get(YOU)
    return Saved(board, human, sgf.count_games(path))


def _from_text(text: str, game: Game | None) -> Saved:
    lines = [line.partition(":") for line in text.splitlines() if line.strip()]
    facts = {key.strip(): value.strip() for key, _, value in lines}
    if "game" not in facts or "moves" not in facts:
        raise InputError("this is no saved game: it has no lines 'game: …' and 'moves: …', and is no SGF")
    if game is None:
        if facts["game"].partition(":")[0] not in (*game_names(), *BRIDGES):
            raise InputError(f"this is a game of {shown(facts['game'])}: name its file with --game")
        game = find_game(facts["game"])
    elif game.name != facts["game"]:
        raise InputError(f"this is a game of {shown(facts['game'])}, not of {game.name}")
    if reason := why_not(game):
        raise InputError(f"it cannot be gone on with: {reason}")
    pairs = [value.strip().partition("=") for key, _, value in lines if key.strip() == "set"]
    options = game.configured({key.strip(): value.strip() for key, _, value in pairs})
    position = game.new_position(options)
    for number, word in enumerate(facts["moves"].split(), 1):
        try:
            put(position, word)
        except InputError as error:
            raise InputError(f"move {number}: {error}") from None
    seats = {seat: k for k, seat in enumerate(game.seats, 1)}
    return Saved(position, seats.get(facts.get("you", "")))
