"""The process that plays somebody's game for `playout.games.check`, which starts it with a task as JSON.

It answers in JSON on stdout, also when a function of the game never returns: a thread looks after that.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import numba
import numpy as np

from playout.errors import InputError
from playout.games import api
from playout.games.check import blame
from playout.games.check.parts import Wrong, compiled_functions, file_of, started
from playout.games.check.replay import Replay, difference, load, random_game, save
from playout.games.check.trial import TOLERANCE, Trial, game_rng
from playout.games.registry import find_game
from playout.kernel import clone
from playout.kernel.rng import RNG
from playout.policy.random import Random

if TYPE_CHECKING:
    from playout.games.game import Game

LONGEST = 1_000_000  # moves of a compiled game that says nothing of its length
IMPORTS = 4  # times the patience, for a file that imports what is large
THE_FILE, THE_STEPS, A_GAME = "the file", "the steps", "a game"  # what may be under way, beside a function


@dataclass(frozen=True, kw_only=True)
class Task:
    """What to do: play games of a seed from a number on, in plain Python or compiled.

    source: a file, or the name of a game. record: the file with the steps made in plain Python. seconds: in
    which games are begun. patience: the seconds that a function may take.
    """

    source: str
    record: str
    compiled: bool
    seed: int
    first: int
    games: int
    seconds: float
    patience: float

    def as_word(self) -> str:
        """For a command line."""
        return json.dumps(dataclasses.asdict(self))


@dataclass
class Answer:
    """What was found. suspect: the number of a compiled game that went wrong."""

    problems: list[str] = field(default_factory=list)
    played: int = 0
    suspect: int | None = None


class Watch(threading.Thread):
    """Calls for help when something does not end."""

    def __init__(self, patience: float, stuck: Callable[[str], object]) -> None:
        super().__init__(daemon=True)
        self._patience, self._stuck = patience, stuck
        self._watched = threading.get_ident()
        self._begun: tuple[str, float] = ("", 0.0)

    def begin(self, what: str, times: int = 1) -> None:
        """A function is called now, or something else that must end begins; with no name: nothing does.

        times: how much more patience it deserves.
        """
        self._begun = (what, time.monotonic() + times * self._patience)

    def run(self) -> None:
        """Look from time to time."""
        while True:
            time.sleep(self._patience / 20)
            what, deadline = self._begun
            if what and time.monotonic() > deadline:
                self._stuck(what)

    def where(self, file: str) -> str:
        """Where in a file the watched thread is now, in words."""
        frame = sys._current_frames().get(self._watched)
        while frame is not None and frame.f_code.co_filename != file:
            frame = frame.f_back
        return "" if frame is None else f" in line {frame.f_lineno}"


class Check:
    """One process's part of a check."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.answer = Answer()
        self.watch = Watch(task.patience, self._stuck)
        self._file = task.source
        self._replay: Replay | None = None
        self._playing = 0

    def run(self) -> NoReturn:
        """Do it, answer, and end the process."""
        # What the game prints goes to stderr; the answer goes where stdout was.
        self._out = os.dup(1)
        os.dup2(2, 1)
        self.watch.start()
        try:
            self.watch.begin(THE_FILE, times=IMPORTS)
            game = find_game(self.task.source)
            self._file = file_of(game)
            if self.task.compiled:
                self._play_compiled(game)
            else:
                self._play_in_plain_python(game)
        except (InputError, Wrong) as error:
            self.answer.problems.append(str(error))
        self.watch.begin("")
        self._end()

    def _end(self) -> NoReturn:
        os.write(self._out, json.dumps(dataclasses.asdict(self.answer)).encode())
        os._exit(0)  # whatever the game has begun

    def _stuck(self, what: str) -> NoReturn:
        seconds, where = self.task.patience, self.watch.where(self._file)
        after = f"after {seconds:g} s{where}"
        if what == THE_FILE:
            after = f"after {IMPORTS * seconds:g} s{where}"
            sentence = f"{self.task.source} does not end {after}: let it define the game and no more"
        elif what == A_GAME:
            self.answer.suspect = self._playing
            sentence = f"a random game does not end {after} compiled: let all loops end"
        else:
            name = self._replay.function if what == THE_STEPS and self._replay is not None else what
            sentence = f"{name}() does not return {after}: let its loops end"
        self.answer.problems.append(sentence)
        self._end()

    # -- in plain Python ----------------------------------------------------------------------------

    def _play_in_plain_python(self, game: Game) -> None:
        task = self.task
        trial = Trial(game, task.seed, self.watch.begin)
        self.answer.problems += trial.run(task.first, task.games, task.seconds)
        self.answer.played = trial.played
        self.watch.begin("")
        if not self.answer.problems:
            self._replay = Replay(game, trial.steps.arrays())
            with np.errstate(all="ignore"):
                self._replay.run()
            save(task.record, self._replay, trial.hint())

    # -- compiled -----------------------------------------------------------------------------------

    def _play_compiled(self, game: Game) -> None:
        root = started(game)
        policies = clone(Random().record_for(root))
        steps = load(self.task.record)
        self._replay = Replay(game, steps)
        self.watch.begin("")  # compiling takes its time
        try:
            self._replay.compile()
            random_game(clone(root), policies, game_rng(0, 0), 0)
        except Exception as error:
            self.answer.problems.append(uncompilable(game, error))
            return
        self.watch.begin(THE_STEPS)
        try:
            self._replay.run()
        except Exception as error:
            self.answer.problems.append(
                f"{self._replay.function}() fails compiled and not in plain Python: {blame.said_by(error)}"
            )
            return
        differs = difference(self._replay, steps)
        if differs is not None:
            self.answer.problems.append(differs)
            return
        self._play_games(game, root, policies)

    def _play_games(self, game: Game, root: np.ndarray, policies: np.ndarray) -> None:
        task, answer = self.task, self.answer
        is_limited = game.moves < api.UNLIMITED
        may_be_cut = is_limited and api.has_rewards(root[0])
        deadline = time.monotonic() + task.seconds
        for self._playing in range(task.first, task.first + task.games):
            if time.monotonic() > deadline:
                break
            rng = game_rng(task.seed, self._playing)
            self.watch.begin(A_GAME)
            try:
                total, moves, ended = random_game(clone(root), policies, rng, min(game.moves, LONGEST))
            except Exception as error:
                answer.problems.append(f"a random game fails compiled: {blame.said_by(error)}")
                answer.suspect = self._playing
                return
            if not ended and not may_be_cut:
                declare = f"declare more than moves={moves}" if is_limited else "declare moves=…"
                answer.problems.append(
                    f"is_over() is still False after {moves:,} moves of a random game: end the game, "
                    f"or {declare}"
                )
                return
            if not game.low - TOLERANCE <= total <= game.high + TOLERANCE:
                answer.problems.append(
                    f"outcome() gives {total:g} compiled, beyond what is declared (low={game.low:g}, "
                    f"high={game.high:g})"
                )
                answer.suspect = self._playing
                return
            answer.played += 1


def uncompilable(game: Game, error: Exception) -> str:
    """Which function of a game Numba cannot compile, and why; error: what it said when all were compiled."""
    for name, function in compiled_functions(game).items():
        for arguments in _argument_types(game, name):
            try:
                function.compile(arguments)
            except Exception as inside:
                return blame.uncompilable(f"{name}()", inside, file_of(game))
    return blame.uncompilable("the game", error, file_of(game))


def _argument_types(game: Game, name: str) -> Iterator[tuple[Any, ...]]:
    """What algorithms call a function with, as Numba types."""
    state, types = numba.from_dtype(game.state), numba.types
    if name in ("legal_moves", "tree_moves"):
        yield state, types.Array(types.uint16, 1, "C")
        yield state, types.NestedArray(types.uint16, (game.facts.most_choices,))
    elif name == "chances":
        yield state, types.Array(types.float64, 1, "C")
    elif name == "roll":
        yield state, numba.from_dtype(RNG)
    elif name in ("play", "is_legal", "happen"):
        yield state, types.uint16
        yield state, types.int64
    else:
        yield (state,)


def main() -> None:
    """Do the task that the command line names."""
    Check(Task(**json.loads(sys.argv[1]))).run()
