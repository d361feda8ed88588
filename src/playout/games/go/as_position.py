"""A board of Go as any game's position: what players, referees and the terminal ask of every game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from playout.games.go import coords
from playout.games.go.state import BLACK, EMPTY, WHITE
from playout.games.position import Position, Verdict

if TYPE_CHECKING:
    from playout.games.game import Game
    from playout.games.go.board import Board
    from playout.games.go.game import GoOptions
    from playout.games.record import Record


class GoPosition(Position):
    """What `Board` is beside a board; it has the stones, the moves and the score."""

    size: int
    superko: str
    komi: Any
    initial_stones: Any
    resumed: int
    moves: list[Any]
    suicide: Any
    _seen: dict[int, list[tuple[bytes, int]]]
    stones: Any
    score: Any
    by_record = False  # superko asks for the history
    scoring = "area"  # how a match counts a game that has ended: with dead stones removed, or all "alive"

    @property
    def game(self) -> Game:  # type: ignore[override]
        """Go."""
        from playout.games.go.game import GAME

        return GAME

    @property
    def options(self) -> GoOptions:
        """What the game is played under."""
        from playout.games.go.game import GoOptions

        return GoOptions(size=self.size, komi=self.komi, superko=self.superko, scoring=self.scoring)

    @property
    def is_chance(self) -> bool:
        """Never: there are no dice."""
        return False

    @property
    def origin(self) -> object:
        """What makes this the same game as another one: how it began, and went on after two passes."""
        return self.size, self.komi, self.initial_stones, self.resumed

    @property
    def facts(self) -> tuple[object, ...]:
        """All that the present state depends on, as plain values."""
        return self.size, self.komi, self.to_play, (self.stones(BLACK), self.stones(WHITE))

    def _state_of_play(self) -> tuple[object, ...]:
        """The stones, whose turn it is, the ko, the rules, and the earlier positions as superko sees them."""
        ko, passes = (int(self._array[name][0]) for name in ("ko", "passes"))
        seen = {
            (stones, whose if self.superko == "situational" else EMPTY)
            for entries in self._seen.values()
            for stones, whose in entries
            if self.superko != "simple"
        }
        rules = (self.superko, self.suicide, self.scoring)
        return *self.facts, ko, passes, self.resigned, rules, seen

    @property
    def span(self) -> int:
        """About how many moves a long game has."""
        return self.size * self.size

    @property
    def longest(self) -> int:
        """The number of moves at which a match calls a game a draw: met only in multiple kos."""
        return max(60, 3 * self.size * self.size)

    @property
    def longest_opening(self) -> int:
        """How many random moves of each side a game may begin with."""
        return self.size * self.size // 4

    def line_from(self, number: int, turn: int) -> list[int] | None:
        """The moves after so many; None where they were not made in turn, or now another is to play."""
        later = self.moves[number:]
        in_turn = all(move.color == (turn if k % 2 == 0 else 3 - turn) for k, move in enumerate(later))
        to_play = turn if len(later) % 2 == 0 else 3 - turn
        return [move.point for move in later] if in_turn and to_play == self.to_play else None

    def spell(self, action: int) -> str:
        """A point as people write it."""
        return coords.vertex(action, self.size)

    def parse(self, word: str) -> int:
        """The point that a word means."""
        return coords.parse_vertex(word, self.size)

    def spelled_moves(self) -> list[str]:
        """All moves of the game as people write them."""
        return [self.spell(move.point) for move in self.moves]

    def playing_on(self) -> Board:
        """A copy in which nobody has passed yet: dead stones can still be taken before the count."""
        board = cast("Board", self.copy())
        board.record["passes"] = 0
        board.resigned = None
        return board

    def as_record(self) -> Record:
        """The game so far, move by move."""
        from playout.games.go.record import record_of
        from playout.games.go.sgf import from_board

        return record_of(from_board(cast("Board", self)))

    @property
    def outcome(self) -> float:
        """1 if Black has won by the count as it stands, 0 if White has, a half for a draw."""
        if self.resigned is not None:
            return float(self.resigned != BLACK)
        score = self.score()
        return 0.5 if score == 0 else float(score > 0)

    def warm_up(self) -> None:
        """Compile what a referee needs."""
        from playout.games.go.ownership import dead_stones

        dead_stones(cast("Board", self), simulations=2)

    def verdict(self) -> Verdict:
        """Who has won a game that has ended; how it is counted says `scoring`."""
        from playout.games.go.ownership import dead_stones

        board = cast("Board", self)
        dead = dead_stones(board) if self.scoring == "area" else []
        score, result = board.score(dead), board.result(dead)
        winner = BLACK if score > 0 else WHITE if score < 0 else None
        stones = "1 dead stone" if len(dead) == 1 else f"{len(dead)} dead stones"
        return Verdict(winner, result, f"{result} with {stones} removed" if dead else result)
