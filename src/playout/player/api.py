"""What a player is, and what it can tell of its thoughts."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.errors import InputError, shown
from playout.games.position import Position
from playout.player.clock import Clock
from playout.player.timing import deadline

AnyPosition = Any  # a `games.position.Position`, or what a game has in its place
RESIGN = -1
VALUED = 1000  # simulations for the value of a position where a player has no limit of its own (thesis 9.2.3)


class EngineError(InputError):
    """A program outside did not do what its protocol asks of it."""


class Refusal(EngineError):
    """It refused a command; it is still there."""


class NoAnswer(EngineError):
    """It did not answer in time."""


class WrongMove(EngineError):
    """It answered with a move that the rules forbid."""


@dataclass(frozen=True)
class MoveInfo:
    """What a search knows of one move, for the side to move."""

    action: int
    visits: int
    winrate: float  # mean outcome, 0 … 1
    lcb: float  # lower end of its 95 % interval
    prior: float  # share of attention before any simulation
    pv: tuple[int, ...]  # the line that follows, this move first
    rave: float | None = None  # its all-moves-as-first (AMAF) value, where the search has one
    score_lead: float | None = None  # mean of its simulations' ends, in points; None where there were none
    chances: tuple[float, ...] = ()  # of each kind of end that the game counts (`Facts.tallies`), where known


@dataclass(frozen=True)
class Analysis:
    """What a search knows of a position: its moves, best first; in Go also who owns the board."""

    to_play: int
    moves: tuple[MoveInfo, ...]
    ownership: np.ndarray | None = None  # rows from the top, 1 Black … -1 White
    score_lead: float | None = None  # for the side to move, komi included; as `winrate` the best move's

    def __repr__(self) -> str:
        best = f", best {self.moves[0].action} wins {self.winrate:.1%}" if self.moves else ""
        return f"Analysis({self.visits:,} simulations, {len(self.moves)} moves{best})"

    @property
    def visits(self) -> int:
        """All simulations behind this analysis."""
        return sum(move.visits for move in self.moves)

    @property
    def winrate(self) -> float:
        """The best move's value for the side to move."""
        return self.moves[0].winrate

    def putting_first(self, action: int) -> Analysis:
        """The same where a move comes first, because that is the one that was chosen."""
        chosen = [move for move in self.moves if move.action == action]
        if not chosen:
            return self
        others = [move for move in self.moves if move.action != action]
        lead = self.score_lead if chosen[0].score_lead is None else chosen[0].score_lead
        return dataclasses.replace(self, moves=(*chosen, *others), score_lead=lead)


LOOKING = 0.1  # share of the time that an onlooker may cost


@dataclass
class Onlooker:
    """Is told what a player finds while it chooses a move, and once more when it has chosen.

    tell: takes an `Analysis`; in the last one the chosen move comes first. interval: seconds between two of
    them; more where it would cost much time to make them. ownership: whether they say who owns the board.
    """

    tell: Callable[[Analysis], None]
    interval: float = 0.1
    ownership: bool = False
    _due: float = 0.0

    def glance(self, look: Callable[[], Analysis]) -> None:
        """Called again and again by a player that searches: look at it if it is time."""
        began = time.monotonic()
        if began >= self._due:
            self.tell(look())
            now = time.monotonic()
            self._due = now + max(self.interval, (now - began) / LOOKING)


class Player(ABC):
    """Chooses moves. One player serves one game at a time.

    A player of your own has a name and `choose_action`; what else it can do has a default here. policy:
    settings of the policy that plays its simulations, where it has one. onlooker: who is told what it finds
    while it chooses; the choice does not depend on it. spec, game: what it was made from, and which game it
    plays, where `make_player` has made it.
    """

    name: str
    settings: Any
    clock: Clock
    policy: Any = None
    onlooker: Onlooker | None = None
    spec: str = ""
    game: Any = None

    def choose(self, position: AnyPosition) -> str:
        """The move of the player to move, as people write it: ``E5``, ``pass``, ``resign``.

        The position is left as it is; `position.play` takes the word.

        >>> from playout import Board, make_player
        >>> board = Board(2, komi=0.5).play("A1").play("B2")
        >>> make_player("uct:sims=50,seed=1").choose(board) in ("A2", "B1")
        True
        """
        if not isinstance(position, Position):
            raise InputError(f"choose takes a position, such as Board(9), and {shown(position)} is none")
        if self.game is not None and position.game.name != self.game.name:
            raise InputError(
                f"player {self.name} plays {self.game.name}, and this is a position of {position.game.name}: "
                "say which game where the player is made"
            )
        if position.is_chance or (position.is_over and not position.legal_moves()):
            raise InputError("there is no move to choose: the game is over, or chance moves now")
        action = self.choose_action(position)
        return "resign" if action == RESIGN else position.spell(action)

    @abstractmethod
    def choose_action(self, position: AnyPosition) -> int:
        """The same as a number: an action of the position's, or RESIGN."""

    def analyse(self, position: AnyPosition) -> Iterator[Analysis]:
        """Look at a position for as long as the caller asks for more; each analysis is a better one."""
        raise InputError(f"player {self.name} does not analyse")

    def value(self, position: AnyPosition) -> float:
        """Player 1's chance to win, 0 … 1, after as much thought as a move gets.

        In a game with other outcomes, and in a problem with rewards: the share of what lies between the
        lowest and the highest.
        """
        analysis = None
        for analysis in self.thoughts(position):  # noqa: B007
            pass
        if analysis is None:
            raise InputError(f"player {self.name} gives no value")
        return analysis.winrate if analysis.to_play == 1 else 1.0 - analysis.winrate

    def thoughts(self, position: AnyPosition) -> Iterator[Analysis]:
        """Look at a position for as long as a move gets; the last analysis has all of it."""
        sims, seconds = (getattr(self.settings, key, None) for key in ("sims", "seconds"))
        until = math.inf if seconds is None else time.monotonic() + seconds
        enough = VALUED if sims is None and seconds is None else sims or math.inf
        before = -1
        for analysis in self.analyse(position):
            yield analysis
            done = self._effort(analysis)
            if done >= enough or done == before or time.monotonic() >= until:  # or it will not know more
                break
            before = done

    def _effort(self, analysis: Analysis) -> int:
        """What `sims` counts."""
        return analysis.visits

    def ponder(self, position: AnyPosition) -> None:  # noqa: B027 - most players do not
        """Think on at a position where the opponent is to move, in the background, until `stop`."""

    def stop(self) -> None:  # noqa: B027 - most players answer at once
        """From any thread: end the search under way. `choose` then returns the best move so far."""

    def warm_up(self, position: AnyPosition) -> None:  # noqa: B027 - most players have little to compile
        """Compile what `choose` needs in games that begin so, so that compiling takes no time off a clock."""

    def new_game(self) -> None:  # noqa: B027 - most players have nothing to forget
        """Forget everything about the game before."""

    def check(self, position: AnyPosition) -> None:
        """Refuse games that begin so, under the clock as it is set, where nothing would end a search.

        Other reasons (weights for another board, an engine that refuses it) show in `warm_up` and `begin`.
        """
        settings: Any = getattr(self, "settings", None)
        if hasattr(settings, "sims") and hasattr(settings, "seconds"):
            deadline(self.name, settings.sims, settings.seconds, self.clock, position)

    def begin(self, position: AnyPosition) -> None:  # noqa: B027 - most players need nothing
        """Get ready for a game that begins at a position; no clock runs yet."""

    def close(self) -> None:  # noqa: B027 - most players hold nothing
        """Give back what the player holds (processes, threads)."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.spec or self.name!r})"


@contextlib.contextmanager
def moves_on_interrupt(player: Player) -> Iterator[threading.Event]:
    """Inside the block a first Ctrl-C makes the player move at once with what it has found.

    Gives an event that is set from then on. A second Ctrl-C is a KeyboardInterrupt, as everywhere. For the
    main thread, which alone hears of Ctrl-C.
    """
    hurried = threading.Event()

    def hurry(number: int, frame: object) -> None:
        if hurried.is_set():
            raise KeyboardInterrupt
        hurried.set()
        player.stop()

    before = signal.signal(signal.SIGINT, hurry)
    try:
        yield hurried
    finally:
        signal.signal(signal.SIGINT, before)
