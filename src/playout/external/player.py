"""A player that is a program outside."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from playout.external.program import Program
from playout.player.api import Player
from playout.player.clock import Clock
from playout.settings import setting

OnStart = Callable[[Any], None]


@dataclass(frozen=True, kw_only=True)
class EngineSettings:
    """Settings of a player that is a program outside."""

    command: str = setting("", "command line that starts the engine")
    timeout: float = setting(60.0, "seconds to wait for any answer", low=0.001, high=1e6)


class EnginePlayer(Player):
    """An engine, started when the player is made, and again after it has failed.

    settings: those of its protocol, with `timeout`, the seconds that any answer may take. on_start: is told
    of every program that was started, before it is asked anything. folder: where it starts.

    takes_command: whether all that follows the name in a spec is its command line, as in ``gtp:gnugo --mode
    gtp``; else settings follow, as for our own players. forgets: whether an answer depends on nothing that
    was asked before, so that one program may serve game after game.
    """

    takes_command = True
    forgets = False
    engine: Any = None

    def __init__(
        self, settings: Any, on_start: OnStart | None = None, folder: str | Path | None = None
    ) -> None:
        self.settings, self.on_start, self._folder = settings, on_start, folder
        self.timeout = settings.timeout
        self.clock = Clock()
        self.name = self._running().name

    @classmethod
    def made(cls, settings: Any, on_start: OnStart | None = None, folder: str | Path | None = None) -> Self:
        """The player from its settings."""
        return cls(settings, on_start, folder)

    @abstractmethod
    def _start(self) -> Program:
        """Start the program."""

    def _greet(self, engine: Any) -> None:
        """What is said to a program that has just started."""

    @property
    def version(self) -> str:
        """The engine's name and version, as it gives them."""
        return self.name

    def take_errors(self) -> str:
        """The last that the engine has written to its error output since this was asked before."""
        return "" if self.engine is None else str(self.engine.take_errors())

    def close(self) -> None:
        if self.engine is not None:
            self.engine.close()

    def _running(self) -> Any:
        """The engine, started anew if it has ended."""
        if self.engine is None or not self.engine.alive:
            self.engine = self._start()
            if self.on_start is not None:
                self.on_start(self.engine)
            self._greet(self.engine)
        self.engine.timeout = self.timeout
        return self.engine
