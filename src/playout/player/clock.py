"""The time a player has: absolute, Canadian, byo-yomi or Fischer time, and how much of it a move gets.

>>> clock = Clock.absolute(5)
>>> round(clock.share(81, 0), 3)  # the first move on 9×9
0.126
>>> round(clock.share(81, 0, decay=4), 3)  # exponentially decaying: 4/81 of what is left
0.207
>>> clock.used(1.5)
>>> clock.main
3.5
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from playout.games.position import Position

OVERHEAD = 0.01  # seconds a move around the search: the way to the referee, a late wake-up
LAG = 0.003  # of it what nobody but the referee sees; to be added where there is a referee
SAFE = 0.9  # part of an overtime or an increment that is planned for
ROUNDING = 1.0  # referees send whole seconds, and some round up
DECAYS = 0.1, 20.0  # how fast exponentially decaying time may go, see `Clock.share`


@dataclass
class Clock:
    """What is left on one player's clock. With no time set there is no limit.

    It keeps an account of its own by `used`; a referee that tells what is left (`left`) corrects it.
    """

    main: float = 0.0  # seconds of main time left
    period: float = 0.0  # seconds left of this overtime period
    stones: int = 0  # moves to make in it; always 1 in byo-yomi
    limited: bool = False
    increment: float = 0.0  # seconds that each move adds (Fischer)
    periods: int = 0  # byo-yomi periods left; 0 where there are none
    full_period: float = 0.0  # a new overtime period: its seconds
    full_stones: int = 0  # and its moves

    @classmethod
    def absolute(cls, main: float) -> Clock:
        """So many seconds for the game."""
        return cls(main, limited=True)

    @classmethod
    def canadian(cls, main: float, period: float, stones: int) -> Clock:
        """Then so many moves in every period. GTP says "no limit" by a period with no moves in it."""
        return cls(main, period, stones, not (period > 0 and stones == 0), 0.0, 0, period, stones)

    @classmethod
    def byo_yomi(cls, main: float, period: float, periods: int) -> Clock:
        """Then a period for every move; one that is overstepped is gone."""
        return cls(main, period, min(1, periods), True, 0.0, periods, period, min(1, periods))

    @classmethod
    def fischer(cls, main: float, increment: float) -> Clock:
        """Every move made adds seconds to the main time."""
        return cls(main, limited=True, increment=increment)

    def copy(self) -> Clock:
        """Another clock that shows the same."""
        return dataclasses.replace(self)

    def set(self, main: float, period: float = 0.0, stones: int = 0) -> None:
        """Begin a game with absolute or Canadian time."""
        self.__dict__.update(Clock.canadian(main, period, stones).__dict__)

    def left(self, seconds: float, stones: int) -> None:
        """What the referee's clock shows: main time if stones is 0, else this overtime period.

        In byo-yomi the stones are periods, as KGS sends them. A referee that shows a little more than our
        own account rounds; ours is then the better one.
        """
        self.limited = True
        if stones == 0:
            self.main = self.main if 0 < seconds - self.main < ROUNDING else seconds
            return
        moves = 1 if self.periods else stones
        same = self.main <= 0 and self.stones == moves
        self.period = self.period if same and 0 < seconds - self.period < ROUNDING else seconds
        self.main, self.stones = 0.0, moves
        if self.periods:
            self.periods = stones

    def used(self, seconds: float) -> None:
        """Take the time of a move off the clock."""
        if not self.limited:
            return
        if self.main > seconds or self.stones == 0:
            self.main = max(0.0, self.main - seconds) + self.increment
            return
        seconds, self.main = seconds - self.main, 0.0
        while seconds > self.period and self.periods > 1:
            seconds -= self.period
            self.periods -= 1
            self.period = self.full_period
        self.period = max(0.0, self.period - seconds)
        self.stones -= 1
        if self.stones <= 0:
            self.period, self.stones = self.full_period, self.full_stones

    def budget(self, position: Position, decay: float | None = None) -> float | None:
        """Seconds for the next move; None where there is no limit. decay: see `share`."""
        return self.share(position.span, len(position.moves), decay) if self.limited else None

    def share(self, area: int, played: int, decay: float | None = None) -> float:
        """Seconds for a move on a board of `area` points after `played` moves of both.

        Main time less what a long game costs around the searches is dealt out evenly over the moves that
        are expected, later always over a sixth of the board's points: much in the opening and the middle
        game, ever less in the end. Overtime is shared among its stones and used as soon as it gives more.

        decay: with it every move takes the same part of what is then left of the main time, decay/area: time
        that decays exponentially (Silver 2009, section 7.5, where no rate is given).
        """
        own = played / 2
        expected = max(area / 6, 0.4 * area - own) if decay is None else max(2.0, area / decay)
        longest = max(50.0, area / 2, 0.75 * area - own)
        reserve = 0.0 if self.stones else max(0.0, OVERHEAD - self.increment) * longest
        share = max(0.0, self.main - reserve) / expected
        if self.increment:
            share = min(share + SAFE * self.increment, self.main / 2)
        if self.stones:
            share = max(share, SAFE * self.period / self.stones)
        return max(0.0, share - OVERHEAD)
