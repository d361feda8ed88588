"""Is a game right? It is played at random, in plain Python and compiled; what is wrong is said in a sentence.

1. In plain Python (Numba off), every function is asked in every state and its answers are judged (`trial`).
2. Compiled, the same steps must give the same answers (`replay`), and many more games are played.
3. A compiled game that goes wrong is played again in plain Python, where an error has a function and a line.

Each of these runs in a process of its own (`checking`), so that neither an endless loop nor a crash of the
game harms whoever asks.

>>> check("nowhere.py").problems
["the game 'nowhere.py' cannot be read: there is no such file"]
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from playout.errors import InputError
from playout.games.check import blame
from playout.games.check.parts import file_of
from playout.games.check.process import Answer, Task
from playout.games.check.trial import Trial
from playout.games.registry import digest_of, find_game
from playout.kernel.cache import in_package

if TYPE_CHECKING:
    from playout.games.game import Game

CHILD = "from playout.games.check.process import main; main()"
GAMES = 20  # in plain Python
COMPILED_GAMES = 2000
SECONDS = 3.0  # in which games are begun, in plain Python and compiled
PATIENCE = 10.0  # seconds that a function may take
MOST_SECONDS = 600.0  # of a process, with all that it compiles


@dataclass(frozen=True)
class Report:
    """What a check has found.

    problems: one sentence each. games, compiled_games: how many were played.
    """

    problems: list[str] = field(default_factory=list)
    games: int = 0
    compiled_games: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def facts(self) -> dict[str, object]:
        """For machines."""
        return {"ok": self.ok, "problems": self.problems}


def check(
    game: Game | str | Path, *, games: int = GAMES, seed: int = 1, patience: float = PATIENCE
) -> Report:
    """Play a game at random and say what is wrong with it.

    game: a file, the name of a game, or a `Game`. games: how many in plain Python. patience: the seconds
    after which a function that has not answered counts as endless.
    """
    source = str(game) if isinstance(game, str | Path) else _source(game)
    if source is None:
        assert not isinstance(game, str | Path)
        return _check_here(game, games, seed)
    with tempfile.TemporaryDirectory(prefix="playout-check-") as folder:
        record = str(Path(folder) / "steps.npz")

        def ask(compiled: bool, first: int, count: int) -> Answer:
            return _ask_process(
                Task(
                    source=source,
                    record=record,
                    compiled=compiled,
                    seed=seed,
                    first=first,
                    games=count,
                    seconds=SECONDS,
                    patience=patience,
                )
            )

        plain = ask(False, 0, games)
        if plain.problems:
            return Report(plain.problems, plain.played)
        compiled = ask(True, games, COMPILED_GAMES)
        problems, suspect = compiled.problems, compiled.suspect
        if suspect is not None:
            problems = ask(False, suspect, 1).problems or ask(True, suspect, 0).problems or problems
        return Report(problems, plain.played, compiled.played)


class BrokenGame(InputError):
    """It is the game that is wrong, and no player."""


def explain(error: BaseException, game: Game) -> InputError:
    """What is wrong with a game that a search could not play, in one sentence."""
    if isinstance(error, InputError):
        return error
    problems = check(game).problems
    said = problems[0] if problems else blame.said_by(error, file_of(game))
    return BrokenGame(f"game {game.name}: {said}")


@contextmanager
def explained(game: Game) -> Iterator[None]:
    """Say in one sentence what is wrong with somebody's game where it breaks what is done in the block.

    A game of this package is left alone: what is wrong with it is wrong with the package.
    """
    try:
        yield
    except (InputError, OSError, MemoryError):
        raise
    except Exception as error:
        if in_package(game.start.__module__):
            raise
        raise explain(error, game) from error


def _source(game: Game) -> str | None:
    """How another process finds a game: its file, if that is still what it was, or its name."""
    try:
        if game.version:
            return game.spec if digest_of(Path(game.spec).read_bytes()) == game.version else None
        return game.spec if find_game(game.spec) is game else None
    except (InputError, OSError):
        return None


def _check_here(game: Game, games: int, seed: int) -> Report:
    """Check a game that no other process can find, one from a notebook, say; as this process runs it."""
    trial = Trial(game, seed)
    return Report(trial.run(0, games, SECONDS), trial.played)


def _ask_process(task: Task) -> Answer:
    """What a process of its own says of a game."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),  # it finds what we find
        "NUMBA_DISABLE_JIT": "0" if task.compiled else "1",
    }
    command = [sys.executable, "-P", "-c", CHILD, task.as_word()]
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        return Answer([f"the game is not compiled after {MOST_SECONDS:g} s: make its functions smaller"])
    try:
        return Answer(**json.loads(done.stdout))
    except ValueError:
        way = "compiled" if task.compiled else "in plain Python"
        code = done.returncode
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        how += f": {blame.shortened(last)}" if last else ""
        return Answer([f"the game ends the process that plays it {way} ({how}): let its functions return"])
