"""Games that are Python objects and no records: what a bridge gives, and the plug and the position made of
it.

Nothing of such a game is compiled. A bridge to another library implements `State`; the rest of the package
sees a `Game` whose positions are `Position`s and whose players (`bridges.players`) are plain Python.

All that a state is worth is paid step by step: player 1's return is the sum of what the steps pay, each
discounted by the actions before it (Silver 2009, section 2.1). A board game pays at its last move only.
"""

from __future__ import annotations

import copy
import math
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from playout.errors import InputError, near, shown
from playout.games.game import SEATS, Game
from playout.games.position import (
    CHANCE,
    UNNAMED,
    USUAL_SPAN,
    IllegalMove,
    Move,
    Position,
    number_of,
    text_as_svg,
)
from playout.kernel import next_u64

OVER = -1  # whose turn it is when a game has ended


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What holds in all states of a game.

    longest: the moves of the longest game, those of chance included. low, high: what returns lie between, or
    nearly so. discount: γ, of every action; what chance does takes no time. numbered: whether what chance
    does has numbers and probabilities; where it has none, searches are open loop.
    """

    longest: int
    low: float
    high: float
    discount: float = 1.0
    numbered: bool = True

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError(f"low and high: {self.low:g} is not less than {self.high:g}")

    def share(self, value: float, player: int) -> float:
        """Player 1's return as a share of what lies between the bounds; 2's is what is missing to 1."""
        share = (value - self.low) / (self.high - self.low)
        return 1.0 - share if player == 2 else share


class State(ABC):
    """A state of another library's game, which steps change in place."""

    __slots__ = ("rules",)
    rules: Rules

    @abstractmethod
    def turn(self) -> int:
        """Who moves: 1, 2, CHANCE, or OVER at the end."""

    @abstractmethod
    def legal_moves(self) -> list[int]:
        """The actions of the player to move; at least one."""

    @abstractmethod
    def step(self, action: int) -> float:
        """Make a legal action; what it pays player 1."""

    @abstractmethod
    def roll(self, draw: random.Random) -> tuple[int, float]:
        """Let chance move: the number of what has happened, or 0 where that has none, and what it pays."""

    @abstractmethod
    def copy(self) -> State:
        """The same state, with the same luck to come."""

    @abstractmethod
    def fork(self, draw: random.Random) -> State:
        """The same state, with luck of its own: a search must not see what will happen."""

    @abstractmethod
    def spell(self, action: int) -> str:
        """An action of the player to move as people write it."""

    def chances(self) -> dict[int, float]:
        """The probability of everything that may happen now, by number."""
        return {}

    def happen(self, event: int) -> float:
        """Let the event of this number happen; what it pays player 1."""
        raise NotImplementedError

    def spell_event(self, event: int) -> str:
        """What chance does now as people write it."""
        return UNNAMED


def not_compiled(game: Game) -> InputError:
    """What whoever asks for a compiled game's record is told."""
    kinds = [name for name, kind in game.kinds.items() if kind is not None]
    return InputError(f"{game.name} is interpreted, not compiled: what can search it is {', '.join(kinds)}")


_NOTHING = np.dtype([])


def _no_record() -> NoReturn:
    raise TypeError("an interpreted game has no record to start from")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InterpretedGame(Game):
    """A game whose states are Python objects. begin: makes the first one from the options."""

    state: np.dtype = _NOTHING
    start: Callable[..., Any] = _no_record
    begin: Callable[[Any], State]

    def __post_init__(self) -> None:
        # A compiled game would declare its functions and facts here.
        for name, value in (("spec", self.name), ("seats", SEATS[self.players])):
            if not getattr(self, name):
                object.__setattr__(self, name, value)

    def new_position(self, options: Any = None) -> InterpretedPosition:
        return InterpretedPosition(self, self.options() if options is None else options)

    def started(self, options: Any = None) -> np.ndarray:
        raise not_compiled(self)


class InterpretedPosition(Position):
    """A game under way: a state with its history, as `Position` has it of records."""

    game: InterpretedGame
    _array: Any  # a `State`

    def __init__(self, game: InterpretedGame, options: Any) -> None:
        self.game, self.options = game, options
        self._array = game.begin(options)
        self._earlier = []
        self.moves = []
        self.rewards = []
        self._discounts = []
        self.resigned = None

    # -- the position -------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The present state; searches take forks of it."""
        return self._array

    @property
    def record(self) -> np.ndarray:
        raise not_compiled(self.game)

    def simulation_root(self) -> np.ndarray:
        raise not_compiled(self.game)

    @property
    def to_play(self) -> int:
        return max(1, self.state.turn())

    @property
    def is_chance(self) -> bool:
        return not self.is_over and self.state.turn() == CHANCE

    @property
    def is_over(self) -> bool:
        return self.resigned is not None or self.state.turn() == OVER

    @property
    def origin(self) -> object:
        return self.game.name, self.options

    @property
    def facts(self) -> tuple[object, ...]:
        return self.game.name, self.options, tuple(self.moves)

    @property
    def span(self) -> int:
        return min(self.longest, USUAL_SPAN)

    @property
    def longest(self) -> int:
        return self.state.rules.longest

    @property
    def longest_opening(self) -> int:
        return min(self.longest // 4, USUAL_SPAN) if self.state.rules.numbered else 0

    def legal_moves(self) -> list[int]:
        return self.state.legal_moves() if not (self.is_over or self.is_chance) else []

    def candidates(self) -> list[int]:
        return self.legal_moves()

    # -- moves --------------------------------------------------------------------------------------

    def play(self, move: str | int) -> InterpretedPosition:
        if isinstance(move, str) and move.strip().lower() == "resign":
            self.resigned = self.to_play
        elif self.is_over:
            raise IllegalMove("the game is over")
        elif self.is_chance:
            event = self._event(move)
            self._step(CHANCE, event, lambda state: state.happen(event))
        else:
            action, player = self._action(move), self.to_play
            if action not in self.legal_moves():
                raise IllegalMove(f"{self.seat(player)} may not play {shown(move)}")
            self._step(player, action, lambda state: state.step(action))
        return self

    def roll(self, rng: np.ndarray) -> InterpretedPosition:
        if not self.is_chance:
            raise IllegalMove("it is not chance that moves now")
        draw = random.Random(int(next_u64(rng[0])))
        happened = []

        def change(state: State) -> float:
            event, paid = state.roll(draw)
            happened.append(event)
            return paid

        self._step(CHANCE, 0, change)
        self.moves[-1] = Move(CHANCE, happened[0])
        return self

    def _step(self, player: int, action: int, change: Callable[[State], float]) -> None:
        after = self.state.copy()
        paid = change(after)
        self._earlier.append(self._array)
        self._array = after
        self.moves.append(Move(player, action))
        self.rewards.append(paid)
        self._discounts.append(1.0 if player == CHANCE else after.rules.discount)

    def copy(self) -> InterpretedPosition:
        other = copy.copy(self)  # states in a position never change: a step makes another one
        for name in ("moves", "rewards", "_discounts", "_earlier"):
            setattr(other, name, list(getattr(self, name)))
        return other

    def _state_of_play(self) -> tuple[object, ...]:
        # Luck without numbers is in the state alone, and what that holds is another library's.
        luck = None if self.state.rules.numbered else id(self.state)
        return *super()._state_of_play(), luck

    # -- the end and words --------------------------------------------------------------------------

    @property
    def outcome(self) -> float:
        if self.resigned is not None:
            return self.game.low if self.resigned == 1 else self.game.high
        return self._paid()[0]

    def _spelled(self, state: Any, action: int) -> str:
        return state.spell(action)

    def spell_event(self, event: int) -> str:
        return self.state.spell_event(event)

    def _action(self, move: str | int) -> int:
        if not isinstance(move, str):
            return number_of(move)
        return _meant(move, self.legal_moves(), self.state.spell, "is no legal move")

    def _event(self, move: str | int) -> int:
        possible = self.state.chances()
        if not possible:
            raise IllegalMove(
                f"it is chance that moves now, and what it does has no number in {self.game.name}"
            )
        if isinstance(move, str):
            return _meant(move, possible, self.state.spell_event, "cannot happen now")
        event = number_of(move)
        if possible.get(event, 0.0) <= 0:
            raise IllegalMove(f"event {event} cannot happen now")
        return event

    # -- showing ------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return str(self.state)

    def _repr_svg_(self) -> str:
        return text_as_svg(str(self))


def _meant(word: str, numbers: Iterable[int], spell: Callable[[int], str], otherwise: str) -> int:
    """The number that a word means: spelled just so, else but for capitals, if that is only one.

    In chess ``Bxc3`` and ``bxc3`` may both be legal. A space may be written as ``_``.
    """
    words = {number: _plain(spell(number)) for number in numbers}
    for change in (str, str.lower):
        found = [number for number, known in words.items() if change(known) == change(_plain(word))]
        if len(found) == 1:
            return found[0]
    raise IllegalMove(f"{shown(word)} {otherwise}{near(_plain(word), words.values())}")


def _plain(word: str) -> str:
    return " ".join(word.replace("_", " ").split())
