"""Games of a run as files: SGF or text, and beside it what engines wrote to their error output."""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from playout.arena.store import GameRecord, Store
from playout.files import Kind, beginning, check_output, make_folder, write_text
from playout.games.registry import DEFAULT, find_game, game_names

PLAIN = ".txt"  # the files of a game that has no format of its own
NUMBERED = re.compile(r"\d{5,}\.(sgf|txt)")
GAME = Kind(
    "a game of ours", lambda path: any(mark in beginning(path)[:200] for mark in (b"AP[playout", b"game: "))
)


def transcript(game: GameRecord, settings: Mapping[str, Any]) -> tuple[str, str]:
    """A game as a file: its ending and its text. settings: those of its run."""
    name = settings.get("game", DEFAULT)
    written = find_game(name).transcript if name in game_names() else None
    if written is not None:
        return written(game, settings)
    facts = {
        "game": name,
        "first": game.black,
        "second": game.white,
        "date": time.strftime("%Y-%m-%d", time.localtime(game.started)),
        "result": f"{game.result} ({game.detail})",
        "moves": game.moves,
    }
    return PLAIN, "".join(f"{key}: {value}\n" for key, value in facts.items())


def open_folder(folder: str | Path, force: bool | None = None) -> Path:
    """The folder for the files, made if it is not there; games in it that may be replaced must be ours."""
    path = make_folder(folder)
    for found in sorted(path.iterdir()):
        if NUMBERED.fullmatch(found.name):
            check_output(found, GAME, force)
    return path


def save(game: GameRecord, settings: Mapping[str, Any], folder: Path, force: bool | None = None) -> None:
    """Write a game's files; those that are there already stay."""
    ending, text = transcript(game, settings)
    files = {ending: text}
    for color, text in (("black", game.black_stderr), ("white", game.white_stderr)):
        if text:
            files[f".{color}.stderr"] = text
    for ending, text in files.items():
        path = folder / f"{game.number:05d}{ending}"
        if not _holds(path, text):  # what an engine said goes with the game
            write_text(path, text, GAME if NUMBERED.fullmatch(path.name) else None, force)


def _holds(path: Path, text: str) -> bool:
    try:
        return path.is_file() and path.read_bytes() == text.encode()
    except (OSError, UnicodeError):
        return False


def export(store: Store, folder: str | Path, force: bool | None = None) -> int:
    """Write all games of a run; how many there are. force: also over files that are not games of ours."""
    path, settings, count = open_folder(folder, force), store.settings, 0
    for game in store.games():
        save(game, settings, path, force)
        count += 1
    return count


def saving(
    games: Generator[GameRecord, None, None], store: Store, folder: str | Path | None
) -> Generator[GameRecord, None, None]:
    """Games as they end, each saved in a folder if there is one, with those that were there before.

    Whatever breaks the games off, a game that is in the store is in the folder.
    """
    path, settings = None if folder is None else open_folder(folder), store.settings
    if path is not None:
        export(store, path)
    try:
        for game in games:
            if path is not None:
                save(game, settings, path)
            yield game
    finally:
        games.close()
        if path is not None:
            _catch_up(store, path)


def _catch_up(store: Store, folder: Path) -> None:
    """Save the games that ended but were not saved any more."""
    for number in sorted(store.numbers()):
        if not any((folder / f"{number:05d}{ending}").is_file() for ending in (".sgf", PLAIN)):
            for game in store.games(number):
                save(game, store.settings, folder)
