"""What a game of an event is played under: which game with which options, and how long players may think."""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playout.errors import InputError, near, shown
from playout.games.game import Game
from playout.games.position import Position
from playout.player.clock import Clock
from playout.player.registry import the_game
from playout.settings import check_values, names, setting

_CLOCK = re.compile(
    r"([0-9]{1,7}(?:\.[0-9]{1,6})?)(?:\+([0-9]{1,7}(?:\.[0-9]{1,6})?)(?:/([1-9][0-9]{0,2}))?)?"
)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How long a game and its players may take."""

    move_timeout: float | None = setting(None, "seconds for a move; more loses")
    clock: str | None = setting(None, "seconds for a game: 300, 300+5 (a move), 300+30/10 (for 10 moves)")
    engine_timeout: float = setting(60.0, "seconds for any other answer of an engine")
    max_moves: int | None = setting(None, "at so many moves a game is a draw")

    def __post_init__(self) -> None:
        for seconds in (self.move_timeout, self.engine_timeout):
            if seconds is not None and not (seconds > 0 and math.isfinite(seconds)):
                raise InputError(f"a time of {seconds} seconds is not a positive number")
        if self.max_moves is not None and self.max_moves < 1:
            raise InputError(f"a limit of {self.max_moves} moves is none: it takes at least 1")
        if self.clock is not None and self.move_timeout is not None:
            raise InputError("a game has a clock or a time for each move, not both")
        self.new_clock()

    def new_clock(self) -> Clock | None:
        """What a player's clock shows before the first move; None where there is no limit.

        >>> Limits(clock="300+5").new_clock().increment
        5.0
        """
        if self.move_timeout is not None:
            return Clock.canadian(0.0, self.move_timeout, 1)
        if self.clock is None:
            return None
        words = _CLOCK.fullmatch(str(self.clock).strip())
        if words is None or float(words[1]) + float(words[2] or 0) <= 0:
            raise InputError(
                f"clock {shown(self.clock)} is not a time in seconds such as 300, or 300+5 with 5 more each "
                "move, or 300+30/10 with 10 moves in every further 30"
            )
        main, more, stones = float(words[1]), float(words[2] or 0), int(words[3] or 0)
        if stones:
            return Clock.canadian(main, more, stones)
        return Clock.fischer(main, more) if more else Clock.absolute(main)


class Terms(Limits):
    """What a game is played under: `Limits`, the game, and its options by name.

    >>> Terms(size=5, max_moves=20).position()
    Board(5, moves=0, to_play='B')
    >>> Terms("tic-tac-toe").longest
    9
    >>> Terms(sise=5)
    Traceback (most recent call last):
    ...
    playout.errors.InputError: a game of go has no setting 'sise'; did you mean size?
    """

    game: Game
    options: Any

    def __init__(self, game: Game | str | Path | None = None, **settings: Any) -> None:
        found = the_game(game)
        known = names(found.options)
        limits = {key: settings.pop(key) for key in names(Limits) if key in settings}
        for key in settings:
            if key not in known:
                raise InputError(
                    f"a game of {found.name} has no setting {shown(key)}{near(key, [*known, *names(Limits)])}"
                )
        check_values(found.options, settings)
        object.__setattr__(self, "game", found)
        object.__setattr__(self, "options", found.options(**settings))
        super().__init__(**limits)

    def __reduce__(self) -> Any:
        # A game's functions and options stay where they are: whoever gets the terms finds the game again.
        return _again, (self.game.spec, self.settings(plain=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Terms) and self.settings() == other.settings()

    def __hash__(self) -> int:
        return hash(repr(self.settings()))

    def settings(self, plain: bool = False) -> dict[str, Any]:
        """Everything as plain values, as a store keeps it; plain: without the name of the game."""
        said = {} if plain else {"game": self.game.name}
        if self.game.version and not plain:
            said["game_version"] = self.game.version
        limits = {key: getattr(self, key) for key in names(Limits)}
        return {**said, **dataclasses.asdict(self.options), **limits}

    def position(self) -> Any:
        """The position that a game begins with."""
        return self.game.new_position(self.options)

    @property
    def longest(self) -> int:
        """The number of moves at which a game is a draw."""
        return self.max_moves if self.max_moves is not None else int(self.position().longest)


def _again(spec: str, settings: dict[str, Any]) -> Terms:
    return Terms(spec, **settings)


def joined(words: list[str]) -> str:
    """Moves as one line; a move has no spaces there."""
    return " ".join(word.replace(" ", "_") for word in words)


def put(position: Position, word: str) -> None:
    """Make a move of such a line."""
    position.play(word.replace("_", " "))
