"""A position that people touch: any game's state with its history, actions by name, undo, drawings.

>>> from playout.games.toy.tictactoe import GAME
>>> position = GAME.new_position()
>>> position.play("b2").play("a1")
Position(tic-tac-toe, moves=2, first to play)
>>> print(position)
3 . . .
2 . X .
1 O . .
  a b c
>>> position.undo().is_legal("a1")
True
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from playout.errors import InputError, near, shown
from playout.games import api
from playout.kernel import clone, is_implemented

if TYPE_CHECKING:
    from playout.games.game import Game
    from playout.games.record import Record

CHANCE = 0  # in place of a player
UNNAMED = "~"  # what chance did, where that has no number
_MAX_SHOWN = 40
USUAL_SPAN = 100  # moves of a game that declares no length
_LINE, _LETTER, _EDGE = 18, 8.5, 10  # of a picture of text, in pixels


class IllegalMove(InputError):
    """A move that the rules forbid."""


def number_of(move: object) -> int:
    """The number of an action or an event that was given as one."""
    if isinstance(move, bool) or not isinstance(move, int | np.integer):
        raise InputError(f"a move is a word or a whole number, and {shown(move)} is neither")
    return int(move)


class Move(NamedTuple):
    """A move of the game: who made it (1, 2, or CHANCE) and the number of the action or the event."""

    player: int
    action: int


class Verdict(NamedTuple):
    """How a game has ended."""

    winner: int | None
    result: str  # in a word
    detail: str  # in words


class Position:
    """A game under way.

    by_record: whether the state alone says what is legal and how a game ends, so that compiled code may play
    whole games of it; not so where the rules ask for the history.
    """

    by_record = True

    def __init__(self, game: Game, options: Any) -> None:
        self.game, self.options = game, options
        self._array = clone(game.started(options))
        self._earlier: list[np.ndarray] = []
        self.moves: list[Move] = []
        self.rewards: list[float] = []  # what each move has paid player 1
        self._discounts: list[float] = []
        self.resigned: int | None = None

    # -- the position -------------------------------------------------------------------------------

    @property
    def record(self) -> np.ndarray:
        """The state as an array of one record."""
        return self._array

    def simulation_root(self) -> np.ndarray:
        """A copy of the state from which simulations start."""
        return clone(self._array)

    @property
    def to_play(self) -> int:
        """The player to move: 1 or 2."""
        return int(api.to_play(self._array[0])) if self._has(api.to_play) else 1

    @property
    def is_chance(self) -> bool:
        """Whether chance moves next."""
        return self._has(api.is_chance) and not self.is_over and bool(api.is_chance(self._array[0]))

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.resigned is not None or bool(api.is_over(self._array[0]))

    @property
    def history(self) -> list[np.ndarray]:
        """The states of the game, each an array of one record: before every move, and the present one."""
        return [*self._earlier, self._array]

    @property
    def origin(self) -> object:
        """What makes this the same game as another one: how it began."""
        first = self._earlier[0] if self._earlier else self._array
        return self.game.name, self.options, first.tobytes()

    @property
    def facts(self) -> tuple[object, ...]:
        """All that the present state depends on, as plain values."""
        return self.game.name, self.options, self._array.tobytes()

    @property
    def span(self) -> int:
        """About how many moves a long game has; clocks go by it."""
        return min(self.game.moves, USUAL_SPAN)

    @property
    def longest(self) -> int:
        """The number of moves at which a match calls a game a draw."""
        return self.game.moves

    @property
    def longest_opening(self) -> int:
        """How many random moves of each side a game may begin with; none where luck has no name."""
        unnamed = self.game.is_chance is not None and not self.game.events
        return 0 if unnamed else min(self.longest // 4, USUAL_SPAN)

    def warm_up(self) -> None:
        """Compile what a referee needs."""

    def line_from(self, number: int, turn: int) -> list[int] | None:
        """The moves after so many, as a tree counts them; None where they were not made in turn.

        turn: who was to play then. A tree in an open loop does not know what chance did.
        """
        later = self.moves[number:]
        if not self.game.events:
            later = [move for move in later if move.player != CHANCE]
        return [move.action for move in later]

    def legal_moves(self) -> list[int]:
        """The legal actions, in the order of the game."""
        if self.is_over or self.is_chance:
            return []
        moves = np.zeros(self.game.facts.most_choices, np.uint16)
        count = int(api.legal_moves(self._array[0], moves))
        if not 1 <= count <= moves.size:
            raise api.GameError(
                f"legal_moves() gives {count} actions where the game declares 1 to {moves.size} (choices)"
            )
        return [int(action) for action in moves[:count]]

    def candidates(self) -> list[int]:
        """The legal actions that a search looks at."""
        legal = self.legal_moves()
        if not legal or not self._has(api.tree_moves):
            return legal
        moves = np.zeros(self.game.facts.most_choices, np.uint16)
        count = int(api.tree_moves(self._array[0], moves))
        return [int(action) for action in moves[:count]] or legal

    @property
    def is_decided_apart(self) -> bool:
        """Whether what is to be chosen now is no matter of a search (`Game.decide`)."""
        return False

    def idle_move(self) -> int | None:
        """The move of a player who can do nothing, where the game has one; people need not make it."""
        return None

    def is_legal(self, move: str | int) -> bool:
        """Whether the player to move may make an action."""
        if self.is_over or self.is_chance:
            return False
        return self._action(move) in self.legal_moves()

    # -- moves --------------------------------------------------------------------------------------

    def play(self, move: str | int) -> Position:
        """Make a move, by its name or its number; what chance does has a number too. Returns the position."""
        if isinstance(move, str) and move.strip().lower() == "resign":
            self.resigned = self.to_play
            return self
        if self.is_over:
            raise IllegalMove("the game is over")
        if self.is_chance:
            return self._happen(move)
        action, player = self._action(move), self.to_play
        if action not in self.legal_moves():
            raise IllegalMove(f"{self.seat(player)} may not play {self.spell(action)}")
        self._step(player, action, lambda state: api.play(state, action))
        return self

    def roll(self, rng: np.ndarray) -> Position:
        """Let chance make its move."""
        if not self.is_chance:
            raise IllegalMove("it is not chance that moves now")
        happened = []
        self._step(CHANCE, 0, lambda state: happened.append(int(api.roll(state, rng[0]))))
        if self.game.events:
            self.moves[-1] = Move(CHANCE, happened[0])
        return self

    def settle(self, rng: np.ndarray) -> Position:
        """Let chance move until a player is to."""
        while self.is_chance:
            self.roll(rng)
        return self

    def _happen(self, move: str | int) -> Position:
        if not self._has(api.happen):
            raise IllegalMove(
                f"it is chance that moves now, and what it does has no number in {self.game.name}"
            )
        event = self._event(move)
        self._step(CHANCE, event, lambda state: api.happen(state, event))
        return self

    def _step(self, player: int, action: int, change: Any) -> None:
        after = clone(self._array)
        change(after[0])
        self._earlier.append(self._array)
        self._array = after
        self.moves.append(Move(player, action))
        # What a game does not have is not asked for: it would be compiled first.
        has_reward, has_discount = (self._has(function) for function in (api.reward, api.discount))
        self.rewards.append(float(api.reward(after[0])) if has_reward else 0.0)
        self._discounts.append(float(api.discount(after[0])) if has_discount else 1.0)

    def _has(self, function: Any) -> bool:
        """Whether the game has its own way with a function of `games.api`."""
        return is_implemented(function, self._array.dtype)

    def undo(self) -> Position:
        """Take back the last move (or a resignation)."""
        if self.resigned is not None:
            self.resigned = None
            return self
        if not self.moves:
            raise InputError("there is no move to take back")
        self._array = self._earlier.pop()
        for kept in (self.moves, self.rewards, self._discounts):
            kept.pop()
        return self

    def at(self, state: np.ndarray) -> Position:
        """A position of its own at a state of the same game, an array of one record, without a history."""
        other = self.copy()
        other._array = clone(state)
        for name in ("moves", "rewards", "_discounts", "_earlier"):
            setattr(other, name, [])
        return other

    def copy(self) -> Position:
        """A position of its own with the same game."""
        other = copy.copy(self)
        other._array = clone(self._array)
        for name in ("moves", "rewards", "_discounts", "_earlier"):
            setattr(other, name, list(getattr(self, name)))
        return other

    def playing_on(self) -> Position:
        """A copy in which nobody has agreed to end the game; most games end by their rules alone."""
        return self.copy()

    def as_record(self) -> Record:
        """The game so far, move by move."""
        from playout.games.record import record_of

        return record_of(self)

    def __eq__(self, other: object) -> bool:
        """Whether a game goes on in the same way from both: the same game and options, the same state, the
        same return so far. How it came there matters only where the rules ask for it (superko)."""
        if not isinstance(other, Position):
            return NotImplemented
        return type(self) is type(other) and self._state_of_play() == other._state_of_play()

    __hash__ = None  # type: ignore[assignment] # a position changes

    def _state_of_play(self) -> tuple[object, ...]:
        """All that the rest of a game depends on."""
        return *self.facts, self.game.version, self.resigned, self._paid()

    # -- the end ------------------------------------------------------------------------------------

    def _paid(self) -> tuple[float, float]:
        """Player 1's discounted rewards so far, and the discount of what comes."""
        total, weight = 0.0, 1.0
        for paid, discount in zip(self.rewards, self._discounts, strict=True):
            total += weight * paid
            weight *= discount
        return total, weight

    @property
    def outcome(self) -> float:
        """Player 1's return so far: discounted rewards, and the outcome of a game that has ended."""
        if self.resigned is not None:
            return self.game.low if self.resigned == 1 else self.game.high
        total, weight = self._paid()
        return total + weight * float(api.outcome(self._array[0])) if self.is_over else total

    @property
    def payoff(self) -> float | None:
        """Player 1's points, where games are played for more than a win: by the outcome, 0 being a draw."""
        if self.game.players == 1 or (self.game.low, self.game.high) == (0.0, 1.0):
            return None
        return self.outcome - (self.game.low + self.game.high) / 2

    @property
    def winner(self) -> int | None:
        """Who has won: 1, 2, or None for a draw, an unfinished game and a game for one."""
        if not self.is_over or self.game.players == 1:
            return None
        if self.resigned is not None:
            return 3 - self.resigned
        middle, outcome = (self.game.low + self.game.high) / 2, self.outcome
        return None if outcome == middle else 1 if outcome > middle else 2

    def result(self) -> str:
        """The result in a word: ``1+``, ``2+R`` (resigned), ``0`` (a draw); of a game for one its return."""
        if self.game.players == 1:
            return f"{self.outcome:g}"
        if self.winner is None:
            return "0"
        middle, half = (self.game.low + self.game.high) / 2, (self.game.high - self.game.low) / 2
        by = abs(self.outcome - middle)
        how = "R" if self.resigned is not None else "" if by == half else f"{2 * by:g}"
        return f"{self.game.letters[self.winner - 1]}+{how}"

    def verdict(self) -> Verdict:
        """Who has won a game that has ended, and by how much."""
        return Verdict(self.winner, self.result(), self.result())

    # -- words --------------------------------------------------------------------------------------

    def seat(self, player: int) -> str:
        """What a player is called."""
        return "chance" if player == CHANCE else self.game.seats[player - 1]

    def spell(self, action: int) -> str:
        """An action of the present state as people write it."""
        return self._spelled(self._array, action)

    def _spelled(self, state: np.ndarray, action: int) -> str:
        return str(action) if self.game.spell is None else str(self.game.spell(state[0], int(action)))

    def spell_event(self, event: int) -> str:
        """What chance does in the present state as people write it."""
        if not self.game.events:
            return UNNAMED
        return str(event) if self.game.spell_event is None else self.game.spell_event(self._array[0], event)

    def spelled_moves(self) -> list[str]:
        """All moves of the game as people write them; those of chance are in it."""
        now, words = self._array, []
        for state, move in zip(self._earlier, self.moves, strict=True):
            self._array = state
            words.append(
                self.spell_event(move.action) if move.player == CHANCE else self._spelled(state, move.action)
            )
        self._array = now
        return words

    def parse(self, word: str) -> int:
        """The action that a word means in the present state; refused if it means none."""
        return self._action(word)

    def _action(self, move: str | int) -> int:
        if not isinstance(move, str):
            return number_of(move)
        word = move.strip()
        if self.game.parse is not None:
            return int(self.game.parse(self._array[0], word))
        words = {self.spell(action).lower(): action for action in self.legal_moves()}
        if word.lower() not in words:
            raise IllegalMove(f"{word[:_MAX_SHOWN]!r} is no legal move{near(word.lower(), words)}")
        return words[word.lower()]

    def _event(self, move: str | int) -> int:
        """The event that a word or a number means; refused if that cannot happen now."""
        probabilities = np.zeros(max(1, self.game.events))
        count = int(api.chances(self._array[0], probabilities))
        if isinstance(move, str):
            words = {self.spell_event(event).lower(): event for event in range(count)}
            word = move.strip().lower()
            if word not in words:
                raise IllegalMove(f"{word[:_MAX_SHOWN]!r} cannot happen now{near(word, words)}")
            return words[word]
        event = number_of(move)
        if not 0 <= event < count or probabilities[event] <= 0:
            raise IllegalMove(f"event {event} cannot happen now")
        return event

    # -- showing ------------------------------------------------------------------------------------

    def __str__(self) -> str:
        if self.game.draw is not None:
            return str(self.game.draw(self._array[0]))
        record = self._array[0]
        names = [name for name in record.dtype.names or () if not name.startswith("of ")]
        return "\n".join(f"{name}: {record[name]}" for name in names)

    def __repr__(self) -> str:
        turn = (
            "over"
            if self.is_over
            else "chance moves"
            if self.is_chance
            else f"{self.seat(self.to_play)} to play"
        )
        return f"{type(self).__name__}({self.game.name}, moves={len(self.moves)}, {turn})"

    def _repr_svg_(self) -> str:
        if self.game.svg is not None:
            return str(self.game.svg(self._array[0]))
        return text_as_svg(str(self))


def text_as_svg(text: str) -> str:
    """A picture of some lines of text."""
    lines = text.splitlines() or [""]
    width = 2 * _EDGE + _LETTER * max(len(line) for line in lines)
    height = 2 * _EDGE + _LINE * len(lines)
    rows = "".join(
        f'<text x="{_EDGE}" y="{_EDGE + _LINE * (k + 0.75):g}">{escape(line)}</text>'
        for k, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'font-family="monospace" font-size="14" xml:space="preserve">'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{rows}</svg>'
    )
