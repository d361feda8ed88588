"""What an analysis of a game says: of each move, and of the game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

WORST = 5  # moves of each side that are shown
# Two standard deviations of a loss from seed to seed, with 3,000 simulations on 9×9 (docs/analysis.md): a
# smaller one is no news.
NOISE = 0.04
SMALL = 0.02  # points; a smaller loss is hardly an error


CHANCES = "chances to win, and leads, of the player who made the move, after it"
IN_POINTS = (
    "points of the player who made the move, after it, in units of the cube; in a match normalised, so that "
    "winning the cube as it shows is 1 and losing it -1"
)


class Judged(NamedTuple):
    """What a search says of a position; of an ended game, what the rules say."""

    value: float  # player 1's chance to win, 0 … 1
    lead: float | None  # player 1's lead in points, where the game has points
    line: tuple[int, ...]  # the best line, the best move first
    visits: int  # simulations behind it; 0 where none were needed

    def and_then(self, child: Judged) -> Judged:
        """With the search after its best move: the mean of both.

        A search is kind to the side that is to move, as the other side's answers in its tree are not all good
        ones. In these two searches that is one side and the other.
        """
        if not child.visits:
            return self._replace(value=child.value, lead=child.lead)  # the rules know better
        lead = None if self.lead is None or child.lead is None else (self.lead + child.lead) / 2
        return self._replace(value=(self.value + child.value) / 2, lead=lead)

    def chance(self, player: int) -> float:
        """A player's chance to win."""
        return self.value if player == 1 else 1.0 - self.value

    def lead_of(self, player: int) -> float | None:
        """A player's lead."""
        return None if self.lead is None else self.lead if player == 1 else -self.lead


@dataclass(frozen=True)
class MoveAnalysis:
    """One move of a game. All values are those of the player who made it.

    value: the chance to win after the move, by a search of its own; best_value: after the best move, by a
    search with as many simulations. score, best_score: the mean lead in simulations there, komi included.
    line: how the game could have gone on, the best move first.

    In a game with dice: roll: what was rolled before the move; luck: how much better that was than the mean
    of all rolls; choices: how many moves there were; part: which game it is of. in_points: whether values are
    points and not chances.
    """

    number: int  # from 1
    player: int  # 1 or 2
    seat: str
    move: str
    value: float
    score: float | None
    best: str
    best_value: float
    best_score: float | None
    line: tuple[str, ...]
    actions: tuple[int, ...]  # the line, as numbers
    in_points: bool = False
    roll: str = ""
    luck: float | None = None
    choices: int | None = None
    part: int = 1

    @property
    def words(self) -> str:
        """The move, with the roll."""
        return f"{self.roll}: {self.move}" if self.roll else self.move

    @property
    def is_forced(self) -> bool:
        """Whether there was no choice."""
        return self.choices == 1

    @property
    def loss(self) -> float:
        """How much the chance to win, or the points, fell for not playing the best move."""
        return max(0.0, self.best_value - self.value)

    @property
    def first_value(self) -> float:
        """The chance of player 1 to win after the move, or player 1's points."""
        if self.player == 1:
            return self.value
        return -self.value if self.in_points else 1.0 - self.value

    @property
    def first_score(self) -> float | None:
        """Player 1's lead after the move."""
        return None if self.score is None else self.score if self.player == 1 else -self.score

    def facts(self) -> dict[str, Any]:
        """As plain values."""
        with_dice = {
            "roll": self.roll or None,
            "luck": _rounded(self.luck),
            "choices": self.choices,
            "game": self.part,
        }
        return {
            "number": self.number,
            "player": self.seat,
            "move": self.move,
            "value": _rounded(self.value),
            "loss": _rounded(self.loss),
            "best": self.best,
            "best_value": _rounded(self.best_value),
            "score": _rounded(self.score, 2),
            "best_score": _rounded(self.best_score, 2),
            "line": list(self.line),
            **({} if self.choices is None else with_dice),
        }


@dataclass(frozen=True)
class GameAnalysis:
    """A game, move by move."""

    moves: tuple[MoveAnalysis, ...]
    start_value: float  # player 1's chance before the first move
    start_score: float | None
    seats: tuple[str, ...]
    names: tuple[str, ...]
    result: str
    spec: str
    seed: int
    visits: int  # simulations in all
    in_points: bool = False  # whether values are points, and not chances

    @property
    def least(self) -> float:
        """Smaller losses are no news."""
        return SMALL if self.in_points else NOISE

    @property
    def has_dice(self) -> bool:
        """Whether there were rolls before the moves."""
        return any(move.roll for move in self.moves)

    def worst(self, player: int, count: int = WORST) -> list[MoveAnalysis]:
        """A player's costliest moves, the worst first; losses that may be noise are not among them."""
        found = [move for move in self.moves if move.player == player and move.loss >= self.least]
        return sorted(found, key=lambda move: (-move.loss, move.number))[:count]

    def of(self, player: int) -> list[MoveAnalysis]:
        """A player's moves."""
        return [move for move in self.moves if move.player == player]

    def decisions_of(self, player: int) -> dict[str, list[MoveAnalysis]]:
        """A player's moves where he had a choice: with a roll (plays) and without (the cube)."""
        mine = [move for move in self.of(player) if not move.is_forced]
        return {
            "plays": [move for move in mine if move.roll],
            "cube": [move for move in mine if not move.roll],
        }

    def luck_of(self, player: int) -> float | None:
        """The sum of a player's luck, where it is known."""
        found = [move.luck for move in self.of(player) if move.luck is not None]
        return sum(found) if found else None

    def facts(self) -> dict[str, Any]:
        """As plain values."""
        sides: dict[str, dict[str, Any]] = {}
        for player, seat in enumerate(self.seats, 1):
            mine = self.of(player)
            sides[seat] = {
                "name": self.names[player - 1] if self.names else "",
                "moves": len(mine),
                "best_moves": sum(move.move == move.best for move in mine),
                "mean_loss": _rounded(mean_loss(mine)),
                "worst": [move.number for move in self.worst(player)],
            }
            if self.has_dice:
                sides[seat] |= {
                    kind: {
                        "decisions": len(made),
                        "errors": sum(move.loss >= self.least for move in made),
                        "loss": _rounded(sum(move.loss for move in made)),
                        "mean_loss": _rounded(mean_loss(made)),
                    }
                    for kind, made in self.decisions_of(player).items()
                }
                sides[seat]["luck"] = _rounded(self.luck_of(player))
        return {
            "values_are": IN_POINTS if self.in_points else CHANCES,
            "player": self.spec,
            "seed": self.seed,
            "simulations": self.visits,
            "result": self.result,
            "start": {
                "player": self.seats[0],
                "value": _rounded(self.start_value),
                "score": _rounded(self.start_score, 2),
            },
            "sides": sides,
            "moves": [move.facts() for move in self.moves],
        }


def mean_loss(moves: list[MoveAnalysis]) -> float | None:
    """The mean loss of some moves."""
    return sum(move.loss for move in moves) / len(moves) if moves else None


def _rounded(value: float | None, digits: int = 4) -> Any:
    return None if value is None else round(value, digits)
