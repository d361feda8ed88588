"""The searches of an analysis: which there are, their results in a file, and who makes them.

A search depends on the seed, the player, its own name and its position, and on nothing else. So an analysis
that was stopped and goes on ends as one that was not, with any number of threads.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from playout.analysis.results import Judged
from playout.arena.work import seeded
from playout.errors import InputError
from playout.files import write_bytes, write_text
from playout.games.game import Game
from playout.games.position import Position
from playout.games.record import Ended, Record, Step, ended
from playout.player.api import Analysis, Player
from playout.player.registry import build
from playout.runs import Window

KIND = "searches of an analysis"
AHEAD = 2  # moves a thread that wait to be looked at: positions are large


class Stopped(Exception):
    """Somebody has ended the analysis."""


class Searches:
    """The results of searches by name: ``7`` before move 7, ``7 best`` after the best move there, ``7 best
    answer`` after the best answer to that, and ``7 played`` after the move that was played, where that is not
    the position before move 8.

    path: where they are kept, each as soon as it is there; a kill loses those under way. what: the settings
    of the analysis; the file of another one is refused.
    """

    def __init__(self, what: Mapping[str, Any], path: Path | None = None) -> None:
        self._found: dict[str, Judged] = {}
        self._path, self._lock = path, threading.Lock()
        if path is None:
            return
        if path.exists():
            self._read(path, what)
        else:
            write_text(path, json.dumps({"kind": KIND, **what}) + "\n")

    def _read(self, path: Path, what: Mapping[str, Any]) -> None:
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]  # a kill may have left half a line
        try:
            head, *rows = [json.loads(line) for line in whole.splitlines()]
            if head.pop("kind") != KIND:
                raise ValueError
            found = {
                row["search"]: Judged(row["value"], row["lead"], tuple(row["line"]), row["visits"])
                for row in rows
            }
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError(f"{path} is not a file of searches that we have written") from None
        for key, value in what.items():
            if head.get(key) != value:
                wrong = "another game" if key == "moves" else f"{key} {head.get(key)}, not {value}"
                raise InputError(f"{path.parent} has an analysis of {wrong}: choose another folder")
        if whole != data:
            write_bytes(path, whole)
        self._found = found

    def __getitem__(self, name: str) -> Judged:
        return self._found[name]

    def get(self, name: str) -> Judged | None:
        """A result, if it is there."""
        return self._found.get(name)

    @property
    def visits(self) -> int:
        """The simulations of all searches."""
        return sum(judged.visits for judged in self._found.values())

    def add(self, name: str, judged: Judged) -> Judged:
        """Keep a result."""
        with self._lock:
            self._found[name] = judged
            if self._path is not None:
                with open(self._path, "a", encoding="utf-8") as file:
                    file.write(json.dumps({"search": name, **judged._asdict()}) + "\n")
        return judged


class Looked(NamedTuple):
    """All that is known of a move: of the positions before and after it, and after the best move there."""

    step: Step
    before: Judged
    after: Judged
    best: Judged  # `after` where that was played


def digest_of(record: Record) -> str:
    """A word that is another one if the game is."""
    word = hashlib.sha256()
    for step in record.steps():
        word.update(repr((step.before.facts, step.player, step.action)).encode())
    return word.hexdigest()[:16]


class Analyst:
    """Looks at the moves of a record, with searches of a player."""

    def __init__(self, record: Record, spec: str, seed: int, searches: Searches) -> None:
        self._record, self._spec, self._seed, self._searches = record, spec, seed, searches
        self._stopped = threading.Event()

    def run(self, threads: int, progress: Callable[[int], None]) -> Iterator[Looked]:
        """Every move, in order, when all searches are made; only a few at a time are in memory.

        progress: is told how many moves are done.
        """
        self._make(threads, progress)
        waiting: tuple[int, Step, Judged] | None = None
        for number, step, shares in self._steps():
            before = self._before(number, step, shares)
            if waiting is not None:
                yield self._looked(*waiting, before)
            waiting = number, step, before
            if not shares:
                yield self._looked(*waiting, None)
                waiting = None

    def _make(self, threads: int, progress: Callable[[int], None]) -> None:
        """Make all searches that are not there yet."""
        for done, _ in enumerate(self._looks(threads), 1):
            progress(done)

    def _before(self, number: int, step: Step, shares: bool) -> Judged:
        """The position before a move, by its search and that of the position after its best move."""
        judged, searched = self._searches[f"{number}"], self._searches
        if judged.line[0] != step.action:
            return judged.and_then(searched[f"{number} best"])
        if step.ended is not None:
            return judged.and_then(_by_rule(step.ended))
        return judged.and_then(searched[f"{number + 1}" if shares else f"{number} played"])

    def _looked(self, number: int, step: Step, before: Judged, following: Judged | None) -> Looked:
        """What the searches of a move say. following: the position before the next one, if it leads there."""
        if step.ended is not None:
            after = _by_rule(step.ended)
        else:
            after = self._with_answer(f"{number} played") if following is None else following
        is_best = self._searches[f"{number}"].line[0] == step.action
        return Looked(step, before, after, after if is_best else self._with_answer(f"{number} best"))

    def _with_answer(self, name: str) -> Judged:
        """A position by its search and that of the best answer."""
        judged = self._searches[name]
        return judged.and_then(self._searches[f"{name} answer"]) if judged.visits else judged

    def _steps(self) -> Iterator[tuple[int, Step, bool]]:
        """The moves with their numbers, and whether the next one begins where each leads to."""
        last = None
        for number, step in enumerate(self._record.steps(), 1):
            if last is not None:
                yield number - 1, last, last.after.facts == step.before.facts
            last = step
        if last is not None:
            yield self._record.moves, last, False

    def _looks(self, threads: int) -> Iterator[None]:
        """Make the searches of each move; one thing is given for each."""
        steps = self._steps()
        for first in steps:  # alone, so that only one thread compiles
            self._look(*first)
            yield
            if threads > 1:
                break
        if threads == 1:
            return
        with (
            ThreadPoolExecutor(threads, thread_name_prefix="analysis") as pool,
            Window(
                lambda step: pool.submit(self._look, *step),
                steps,
                lambda: AHEAD * threads,
                stop=self._stopped.set,
            ) as window,
        ):
            for _, looked in window:
                yield looked.result()

    def _look(self, number: int, step: Step, shares: bool) -> None:
        """Make the searches of a move that are not there yet."""
        before = self._judge(f"{number}", step.before)
        if step.ended is None and not shares:
            self._judge_with_answer(f"{number} played", step.after)
        if before.line[0] != step.action:
            self._judge_with_answer(f"{number} best", _then(step.before, before))

    def _judge_with_answer(self, name: str, position: Position) -> None:
        judged = self._judge(name, position)
        if judged.visits:
            self._judge(f"{name} answer", _then(position, judged))

    def _judge(self, name: str, position: Position) -> Judged:
        known = self._searches.get(name)
        if known is not None:
            return known
        if (end := ended(position)) is not None:
            return self._searches.add(name, _by_rule(end))
        return self._searches.add(name, self._search(name, position))

    def _player(self, name: str) -> Player:
        """Who makes a search."""
        seed = int.from_bytes(hashlib.sha256(f"{self._seed} {name}".encode()).digest()[:4], "little") >> 1
        return build(*seeded(self._spec, seed, self._record.game)[:2], self._record.game)

    def _thought(self, player: Player, position: Position) -> Analysis:
        """What a player finds at a position, in as much time as a move gets."""
        analysis = None
        for analysis in player.thoughts(position):  # noqa: B007
            if self._stopped.is_set():
                raise Stopped
        assert analysis is not None
        return analysis

    def _search(self, name: str, position: Position) -> Judged:
        player = self._player(name)
        try:
            analysis = self._thought(player, position)
        finally:
            player.close()
        first, lead = analysis.to_play == 1, analysis.score_lead
        value, line = analysis.winrate, analysis.moves[0].pv or (analysis.moves[0].action,)
        return Judged(
            float(value if first else 1.0 - value),
            None if lead is None else float(lead if first else -lead),
            tuple(int(action) for action in line),
            analysis.visits,
        )


def _then(position: Position, judged: Judged) -> Position:
    """The position after the best move."""
    return position.copy().play(judged.line[0]).playing_on()


def _by_rule(end: Ended) -> Judged:
    return Judged(end.value, end.lead, (), 0)


def check(spec: str, game: Game, position: Position) -> None:
    """Refuse what is no player, or tells nothing of what it thinks."""
    name, values, _ = seeded(spec, 0, game)
    if name in game.engines:
        raise InputError(f"a program behind {name}: does not say what it thinks: name a player of ours")
    player = build(name, values, game)
    try:
        player.analyse(position)
    finally:
        player.close()


def spelled(position: Position, line: tuple[int, ...]) -> tuple[list[int], list[str]]:
    """A line of play and its words, as far as the rules allow it: a tree knows only the simple ko."""
    here, actions, words = position.copy(), [], []
    for action in line:
        if here.is_over or here.is_chance or not here.is_legal(action):
            break
        words.append(here.spell(action))
        actions.append(action)
        here.play(action)
    return actions, words
