"""Players sit a test suite (`suite`); their answers are kept in a file, so that it can be stopped and go on.

An answer depends on the seed, the player, the number of the position and nothing else: players that take a
seed are made anew for every position. So a suite that was stopped and goes on ends as one that was not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from playout.arena.event import new_seed
from playout.arena.suite import Answer, Position, answers
from playout.arena.work import seeded
from playout.errors import InputError
from playout.files import check_output, json_kind, write_text
from playout.games.game import Game
from playout.player.api import RESIGN, Player
from playout.player.registry import build, the_game
from playout.runs import Checkpoints

KIND = "answers to a test suite"
ANSWERS = json_kind("a file of answers", kind=KIND)
SAVE_SECONDS = 1.0  # answers that took longer are saved at once


class Exam:
    """A suite, and the answers of players to it.

    game: whose positions they are, Go by default. seed: None takes that of the file, or a new one. path:
    where answers are kept; what it has is not asked again.
    """

    def __init__(
        self,
        positions: Sequence[Position],
        seed: int | None = None,
        path: str | Path | None = None,
        game: Game | str | None = None,
    ) -> None:
        self._game = the_game(game)
        self.positions, self._suite = positions, _digest(positions)
        self._path = None if path is None else Path(path)
        self._said: dict[str, list[Answer]] = {}
        known = None
        if self._path is not None and self._path.is_file():
            known = self._read(self._path)
            if seed not in (None, known):
                raise InputError(f"{path} has answers with another seed: it was {known} and is {seed}")
        elif self._path is not None:
            check_output(self._path, ANSWERS, force=None)
        self.seed: int = known if known is not None else new_seed() if seed is None else seed

    def known(self, spec: str) -> int:
        """How many answers of a player there are."""
        return len(self._said.get(spec, ()))

    def check(self, spec: str) -> None:
        """Refuse what is no player."""
        build(*seeded(spec, 0, self._game)[:2], self._game).close()

    def answers(self, spec: str) -> Generator[Answer]:
        """What a player says to each position: first what is known, then what it is asked now."""
        said = self._said.setdefault(spec, [])
        yield from tuple(said)
        self.save()  # what cannot be written is known before anybody thinks
        player: Player | None = None
        words: tuple[str, dict[str, str]] | None = None
        with Checkpoints(self.save, SAVE_SECONDS) as checkpoints:
            try:
                for k in range(len(said), len(self.positions)):
                    wanted = seeded(spec, self._seed_of(spec, k), self._game)[:2]
                    if player is None or wanted != words:
                        if player is not None:
                            player.close()
                        player, words = build(*wanted, self._game), wanted
                    answer = next(answers(player, [self.positions[k]]))
                    said.append(answer)
                    checkpoints.between()
                    yield answer
            finally:
                if player is not None:
                    player.close()

    def save(self) -> None:
        """Write the file, if there is one."""
        if self._path is not None:
            players = {
                spec: [[answer.word, answer.value, answer.failure] for answer in said]
                for spec, said in self._said.items()
            }
            facts = {"kind": KIND, "suite": self._suite, "seed": self.seed, "players": players}
            write_text(self._path, json.dumps(facts, indent=0) + "\n")

    def _seed_of(self, spec: str, k: int) -> int:
        player = int.from_bytes(hashlib.sha256(spec.encode()).digest()[:8], "little")
        return int(np.random.SeedSequence([self.seed, player, k]).generate_state(1)[0]) & 0x7FFFFFFF

    def _read(self, path: Path) -> int:
        """Take over the answers of a file; its seed."""
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
            if facts["kind"] != KIND:
                raise ValueError
            suite, seed = str(facts["suite"]), int(facts["seed"])
            said = {
                str(spec): [_answer(*pair) for pair in zip(self.positions, rows, strict=False)]
                for spec, rows in facts["players"].items()
            }
        except (ValueError, KeyError, TypeError, AttributeError, InputError):
            raise InputError(f"{path} is not a file of answers that we have written") from None
        if suite != self._suite:
            raise InputError(f"{path} has the answers to another suite: choose another file")
        self._said = said
        return seed


def _digest(positions: Sequence[Position]) -> str:
    """A word that is another one if the suite is."""
    word = hashlib.sha256()
    for position in positions:
        facts = (*position.board.facts, position.board.moves, position.right, position.value)
        facts += (position.wrong,) if position.wrong else ()
        facts += (sorted(position.plays.items()),) if position.plays else ()
        word.update(repr(facts).encode())
    return word.hexdigest()[:16]


def _answer(position: Position, facts: list[Any]) -> Answer:
    """An answer from the file: its move, value and failure."""
    move, value, failure = facts
    if move is not None:
        move = RESIGN if move == "resign" else position.board.parse(move)
    if value is not None and not 0 <= value <= 1:
        raise ValueError
    return Answer(position, move, None if value is None else float(value), str(failure))
