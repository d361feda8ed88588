"""TOML files that say what is played: what is wrong in one is said with its name and the line."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import tomllib
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from playout.errors import InputError, near
from playout.games.game import Game
from playout.games.registry import DEFAULT, find_game
from playout.settings import convert, expected

MAX_BYTES = 4 << 20


class AtKey(InputError):
    """Something is wrong with what a key says; table: the header that it stands under."""

    def __init__(self, table: str, key: str, message: str) -> None:
        super().__init__(message)
        self.table, self.key = table, key


def read_text(path: str | Path, what: str) -> str:
    """The text of a file. what: as in "the tournament FILE cannot be read"."""
    file = Path(path)
    try:
        if not file.is_file():
            raise OSError("it is not a file" if file.exists() else "there is no such file")
        if file.stat().st_size > MAX_BYTES:
            raise OSError(f"it has over {MAX_BYTES >> 20} megabytes")
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{what} {str(path)!r} cannot be read: it is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{what} {str(path)!r} cannot be read: {reason}") from None


@contextlib.contextmanager
def located(path: str | Path, text: str) -> Iterator[dict[str, Any]]:
    """What a TOML text says; errors that are raised meanwhile get the file's name, and the line if known."""
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path}: this is not TOML: {error}") from None
    try:
        yield found
    except AtKey as error:
        raise InputError(f"{path}{line_of(error.table, error.key, text)}: {error}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def settings_of(
    found: Mapping[str, Any],
    kinds: Sequence[Any],
    others: Iterable[str] = (),
    table: str = "",
    lists: Iterable[str] = (),
) -> dict[Any, dict[str, Any]]:
    """The keys of a table by the dataclass whose settings they are.

    others: keys that somebody else reads; lists: settings that are lists of words.
    """
    fields = {field.name: (kind, field) for kind in kinds for field in dataclasses.fields(kind)}
    chosen: dict[Any, dict[str, Any]] = {kind: {} for kind in kinds}
    for key, value in found.items():
        if key in others:
            continue
        if key not in fields:
            raise AtKey(table, key, f"there is no key {key!r}{near(key, [*fields, *others])}")
        kind, entry = fields[key]
        try:
            if key in lists:
                chosen[kind][key] = words_of(key, value)
            else:
                chosen[kind][key] = value_of(entry, typing.get_type_hints(kind)[key], value)
            kind(**{key: chosen[kind][key]})
        except InputError as error:
            raise AtKey(table, key, str(error)) from None
    return chosen


def words_of(key: str, value: Any) -> tuple[str, ...]:
    """A name, or a list of names."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(f"{key} is not a list of names")
    return tuple(names)


def value_of(field: dataclasses.Field[Any], hint: Any, value: Any) -> Any:
    """A value of TOML's as a setting: of the right type, and in its range."""
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    target = next(part for part in parts if part is not type(None))
    fits = isinstance(value, int | float if target is float else target)
    if not fits or (isinstance(value, bool) and target is not bool):
        shown = str(value).lower() if isinstance(value, bool) else repr(value)[:40]
        raise InputError(f"{field.name} = {shown} is not {expected(field, hint)}")
    return convert(field, hint, value)


def game_of(path: Path, found: Mapping[str, Any]) -> Game:
    """The game that is played; a file is seen from the one that names it."""
    name = found.get("game", DEFAULT)
    try:
        if not isinstance(name, str):
            raise InputError(f"game = {name!r} is not a name in quotes")
        return find_game(str(path.parent / name) if name.endswith(".py") else name)
    except InputError as error:
        raise AtKey("", "game", str(error)) from None


def line_of(table: str, key: str, text: str) -> str:
    """Where a key stands, as the end of a file's name; nothing if it cannot be found."""
    now, wanted = "", re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]")
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([^\]]*?)\s*\]", line):
            now = header[1].strip("\"' ")
            if not table and key in (now, now.split(".")[0].strip("\"' ")):
                return f", line {number}"
        elif now == table and wanted.match(line):
            return f", line {number}"
    return ""
