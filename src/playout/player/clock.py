"""The time a player has: GTP's main time, Canadian overtime and KGS byo-yomi."""

from dataclasses import dataclass

from playout.games.go.board import Board


@dataclass
class Clock:
    """What is left on one player's clock. With no time set there is no limit.

    main: seconds of main time; period: seconds of an overtime period; stones: moves to make in it.
    """

    main: float = 0.0
    period: float = 0.0
    stones: int = 0
    limited: bool = False

    def set(self, main: float, period: float = 0.0, stones: int = 0) -> None:
        """Begin a game. GTP says "no limit" by an overtime with no stones to play in it."""
        self.main, self.period, self.stones = main, period, stones
        self.limited = not (period > 0 and stones == 0)

    def left(self, seconds: float, stones: int) -> None:
        """What the referee's clock shows: main time if stones is 0, else this overtime period."""
        self.limited = True
        if stones == 0:
            self.main = seconds
        else:
            self.main, self.period, self.stones = 0.0, seconds, stones

    def budget(self, board: Board) -> float | None:
        """Seconds for this move; None where there is no limit.

        Main time is shared among the moves still to come: at least a sixth of the board's points. A
        tenth is kept back for the way to the referee.
        """
        if not self.limited:
            return None
        to_come = max(board.size * board.size / 6, board.size * board.size * 0.4 - len(board.moves) / 2)
        overtime = self.period / self.stones if self.stones else 0.0
        return max(0.0, 0.9 * max(self.main / to_come, overtime if self.main < overtime else 0.0) - 0.02)
