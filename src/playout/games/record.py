"""A game that was played, move by move: what an analysis walks through.

A game says how its files are read (`Game.read_record`) and how notes are written into them
(`Game.write_notes`); any position can tell the game that led to it (`Position.as_record`).

>>> from playout.games.toy.tictactoe import GAME
>>> record = GAME.new_position().play("b2").play("a1").as_record()
>>> [(step.player, step.before.spell(step.action)) for step in record.steps()]
[(1, 'b2'), (2, 'a1')]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from playout.games.position import CHANCE, Position

if TYPE_CHECKING:
    from playout.games.game import Game


class Ended(NamedTuple):
    """How a game ended by its rules, for player 1."""

    value: float  # the share of what lies between the lowest and the highest outcome
    lead: float | None = None  # in points, where the game has points


class Rolled(NamedTuple):
    """What chance did before a move: the state before, the number of the event, and a word for it."""

    before: np.ndarray
    event: int
    word: str


class Step(NamedTuple):
    """A move of a player: the position that it was made in, and the one that it led to."""

    player: int
    action: int
    before: Position
    after: Position
    ended: Ended | None = None  # if it ended the game
    rolled: Rolled | None = None
    part: int = 1  # which game it is of, where a record has several


@dataclass(frozen=True)
class Record:
    """A game that was played.

    steps: walks through it; positions are made on the way, as a long game has too many to keep. names: of
    the players, where known. remarks: what people should know of the record, a sentence each. source: what
    the game needs to write it again.
    """

    game: Game
    moves: int
    steps: Callable[[], Iterator[Step]]
    names: tuple[str, ...] = ()
    result: str = ""
    remarks: tuple[str, ...] = ()
    source: Any = None


class Note(NamedTuple):
    """What an analysis says of a move; in words, and as numbers for programs that draw graphs."""

    comment: str
    value: float  # player 1's share after the move
    lead: float | None  # player 1's lead in points after it
    is_bad: bool
    line: Sequence[int] = ()  # a better line, from the position before the move
    line_comment: str = ""


def ended(position: Position) -> Ended | None:
    """How a position has ended, by its rules."""
    if not position.is_over:
        return None
    facts = position.game.facts
    return Ended((position.outcome - facts.low) / (facts.high - facts.low))


def record_of(position: Position) -> Record:
    """The game that led to a position; moves of chance lie between the steps."""
    last = position.copy()
    if last.resigned is not None:
        last.undo()

    def steps() -> Iterator[Step]:
        for k, move in enumerate(last.moves):
            if move.player != CHANCE:
                before, after = _after(last, k), _after(last, k + 1)
                yield Step(move.player, move.action, before, after, ended(after), _rolled(last, k))

    moves = sum(move.player != CHANCE for move in last.moves)
    return Record(position.game, moves, steps, result=position.result() if position.is_over else "")


def _rolled(position: Position, number: int) -> Rolled | None:
    """What chance did for the player before the move of a number, where it has a number too."""
    if not number or position.moves[number - 1].player != CHANCE or not position.game.events:
        return None
    earlier = _after(position, number - 1)
    if earlier.to_play != position.moves[number].player:
        return None
    event = position.moves[number - 1].action
    return Rolled(earlier.simulation_root(), event, earlier.spell_event(event))


def _after(position: Position, moves: int) -> Position:
    """The position after so many moves of its game."""
    earlier = position.copy()
    while len(earlier.moves) > moves:
        earlier.undo()
    return earlier
