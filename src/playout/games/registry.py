"""Games by name or by file: those of the package, of installed packages, of other libraries by a bridge
(``openspiel:NAME``), and anybody's Python file.

A game's file is run once for each version of it: its module is named by a hash of the source, and so are the
types of its records. What has been edited is another game, and old machine code never runs.
"""

from __future__ import annotations

import ast
import hashlib
import os
import sys
import traceback
from importlib import import_module
from importlib.metadata import entry_points
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from playout.errors import InputError, near, shown
from playout.kernel import cache

if TYPE_CHECKING:
    from playout.games.game import Game

DEFAULT = "go"
GROUP = "playout.games"  # of entry points: NAME = "MODULE" whose GAME it is
MAX_BYTES = 4 << 20
_KNOWN = {*sys.stdlib_module_names, "playout", "numpy", "numba"}
# In a word of a file's code: it may take something from outside, which then stands in its machine code.
_READING = (
    "open",
    "load",
    "read",
    "fromfile",
    "loadtxt",
    "genfromtxt",
    "memmap",
    "environ",
    "getenv",
    "argv",
    "input",
)
HASHED = 12  # letters of a hash in a module's name

# Where the package's own games are; a module is imported when its game is asked for.
MODULES = {
    "go": "playout.games.go.game",
    "backgammon": "playout.games.backgammon.game",
    "tic-tac-toe": "playout.games.toy.tictactoe",
    "connect-four": "playout.games.toy.connect_four",
    "hex": "playout.games.toy.hex_board",
    "nim": "playout.games.toy.nim",
    "dice-race": "playout.games.toy.dice_race",
    "2048": "playout.games.toy.twenty48",
    "random-walk": "playout.games.toy.random_walk",
    "gridworld": "playout.games.toy.gridworld",
    "mountain-car": "playout.games.toy.mountain_car",
}

# Other libraries' games, by the word before the colon: modules whose find(NAME) gives a game.
BRIDGES = {
    "gymnasium": "playout.bridges.gymnasium",
    "openspiel": "playout.bridges.openspiel",
}


def game_names() -> list[str]:
    """The games that can be asked for by name, those of installed packages last."""
    return [*MODULES, *(entry.name for entry in _installed() if entry.name not in MODULES)]


def find_game(name: str | PathLike[str]) -> Game:
    """A game by its name, from a file ``….py``, or of another library as ``openspiel:NAME``.

    >>> find_game("tic-tac-toe")
    Game('tic-tac-toe')
    >>> find_game("tik-tac-toe")
    Traceback (most recent call last):
    ...
    playout.errors.InputError: there is no game 'tik-tac-toe'; did you mean tic-tac-toe?
    """
    if not isinstance(name, str | PathLike):
        raise InputError(f"the name of a game is a word or a path, and {shown(name)} is neither")
    word = os.fspath(name).strip()
    library, colon, rest = word.partition(":")
    if colon and library in BRIDGES:
        return import_module(BRIDGES[library]).find(rest.strip())
    if word.endswith(".py"):
        return load_game(word)
    if word in MODULES:
        return _game_of(import_module(MODULES[word]), f"game {word}")
    for entry in _installed():
        if entry.name == word:
            try:
                module = import_module(entry.module)
            except Exception as error:
                raise InputError(f"the game {word!r} of an installed package is broken: {error}") from None
            return _game_of(module, f"game {word}")
    known = near(word, [*game_names(), *(f"{library}:NAME" for library in BRIDGES)])
    hint = "" if known.startswith("; did") else ", or a file such as mygame.py"
    raise InputError(f"there is no game {word[:60]!r}{known}{hint}")


def load_game(path: str | Path) -> Game:
    """The game of a Python file: its ``GAME``."""
    name = str(path)
    try:
        if not Path(path).is_file():
            raise OSError("it is not a file" if Path(path).exists() else "there is no such file")
        if Path(path).stat().st_size > MAX_BYTES:
            raise OSError(f"it has over {MAX_BYTES >> 20} megabytes")
        source = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(
            f"the game {name!r} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    digest = digest_of(source)
    stem = "".join(letter if letter.isalnum() else "_" for letter in Path(path).stem)
    known = sys.modules.get(f"playout_game_{stem}_{digest}")
    game = _game_of(known or _run(f"playout_game_{stem}_{digest}", source, Path(path)), name)
    object.__setattr__(game, "spec", str(Path(path).resolve()))
    object.__setattr__(game, "version", digest)
    return game


def digest_of(source: bytes) -> str:
    """A word that changes with the source of a game."""
    return hashlib.sha256(source).hexdigest()[:HASHED]


def _run(module_name: str, source: bytes, path: Path) -> ModuleType:
    """Run a game's file as a module; what goes wrong there is said in a sentence, with the line."""
    module = ModuleType(module_name)
    module.__file__ = str(path.resolve())
    try:
        code = compile(source, str(path), "exec")
    except (SyntaxError, ValueError) as error:
        number = getattr(error, "lineno", None)
        line = f", line {number}" if number else ""
        what = getattr(error, "msg", None) or error
        raise InputError(f"{path}{line}: this is not Python: {what}") from None
    sys.modules[module_name] = module  # dataclasses and Numba look their module up
    if _stands_alone(source):
        cache.seal(module_name)
    try:
        exec(code, module.__dict__)
    except KeyboardInterrupt:
        del sys.modules[module_name]
        raise
    except BaseException as error:
        del sys.modules[module_name]
        lines = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)
        ]
        line = f", line {lines[-1]}" if lines else ""
        kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
        raise InputError(f"{path}{line}: {kind}{' '.join(str(error).split())[:300]}") from None
    return module


def _stands_alone(source: bytes) -> bool:
    """Whether what a file does depends on its text alone: machine code of it may then be kept.

    It imports nothing but the package, NumPy, Numba and Python's own modules, and by its words reads nothing.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or ""))
        elif isinstance(node, ast.Name | ast.Attribute):
            word = node.id if isinstance(node, ast.Name) else node.attr
            if any(reads in word.lower() for reads in _READING):
                return False
    return all(name.split(".")[0] in _KNOWN for name in names)


def _game_of(module: ModuleType, where: str) -> Game:
    from playout.games.game import Game

    games = {id(value): value for value in vars(module).values() if isinstance(value, Game)}
    found = getattr(module, "GAME", None)
    if found is None:
        more = "; there is a Game by another name: call it GAME" if games else ""
        raise InputError(f"{where}: there is no GAME = Game(…) in it{more}")
    if not isinstance(found, Game):
        raise InputError(f"{where}: GAME is a {type(found).__name__}, not a Game(…)")
    names = [game.name for game in games.values()]
    if len(set(names)) < len(names):
        raise InputError(f"{where}: two games have one name, {found.name!r}: give each its own")
    return found


def _installed() -> list:
    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
