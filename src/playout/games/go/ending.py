"""The end of a game of Go: when to pass, and which dead stones to take before.

A game may be counted as it stands (Tromp–Taylor: every stone is alive) or with dead stones removed
(Chinese rules between people). A player that does not know which passes when it is ahead by both counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from playout.games.go.board import Board
from playout.games.go.ownership import dead_stones, ownership
from playout.games.go.rules import fills_eye
from playout.games.go.state import BLACK, PASS
from playout.kernel import new_rng
from playout.player.ending import Ending
from playout.policy.api import Copies

SURE = 0.98  # share of simulations that must be won after a pass that is offered early, or lost to give in
PATIENCE = 3  # passes of the opponent before a lost game is given in
PIECE = 20  # simulations between two looks at whether they can still be enough


class GoEnding(Ending):
    """The end of a game as the side to move sees it; what takes simulations is found out once, if asked."""

    position: Board

    @property
    def board(self) -> Board:
        """The position."""
        return self.position

    def at_once(self) -> int | None:
        """A pass, where the game is over or a pass is safe."""
        return PASS if self.board.is_over or self.may_pass() else None

    def decide(self, ranked: Sequence[tuple[int, float]], value: float | None) -> int:
        """The best move, unless it is a pass that loses by the count, or nothing is left to win."""
        best = ranked[0][0]
        if value is not None and self.is_lost(value):
            return PASS
        if best == PASS and len(ranked) > 1 and self.is_behind:
            return self.instead_of_pass(*ranked[1])
        return best

    def pick(self, tied: Sequence[int]) -> int | None:
        """A pass where it is as good as any move, and we are ahead or there is no other."""
        return PASS if PASS in tied and (self.lead_as_it_stands > 0 or len(tied) == 1) else None

    @property
    def after_pass(self) -> bool:
        """Whether our pass ends the game."""
        return self.board.passes > 0

    def _lead(self, dead: list[int]) -> float:
        return self.board.score(dead) if self.board.to_play == BLACK else -self.board.score(dead)

    @cached_property
    def lead_as_it_stands(self) -> float:
        """By how much we win if every stone is alive."""
        return self._lead([])

    @cached_property
    def dead(self) -> list[int]:
        """The dead stones of both sides."""
        return dead_stones(self.board, self.simulations)

    @cached_property
    def lead_without_dead(self) -> float:
        """By how much we win once the dead stones are removed."""
        return self._lead(self.dead)

    @property
    def is_behind(self) -> bool:
        """Whether we lose by one of the counts."""
        return self.lead_as_it_stands < 0 or self.lead_without_dead < 0

    def may_pass(self) -> bool:
        """Whether to pass without a search: ahead by both counts, and nothing to fear.

        After the opponent's pass ours ends the game; otherwise nearly all simulations after our pass must
        be won. In the middle of a game the first few tell.
        """
        if self.lead_as_it_stands <= 0:
            return False
        return (self.after_pass or self._is_settled()) and self.lead_without_dead > 0

    def is_lost(self, value: float) -> bool:
        """Whether nothing is left to hope for, and the opponent has passed for some turns.

        value: the winning rate of our best move. Playing on would fill our own territory, for very long.
        """
        turns = self.board.moves[-1 : -2 * PATIENCE : -2]
        return value < 1 - SURE and len(turns) == PATIENCE and all(move.point == PASS for move in turns)

    def _is_settled(self) -> bool:
        after = self.board.copy().play("pass")
        policies, rng = Copies(self.policy).at(after.record)[0], new_rng(1)
        lost = 0.0
        for _ in range(0, self.simulations, PIECE):
            black = ownership(after, policies, PIECE, rng).winrate
            lost += PIECE * (1 - black if self.board.to_play == BLACK else black)
            if lost > (1 - SURE) * self.simulations:
                return False
        return True

    def warm_up(self) -> None:
        """Compile what the questions need."""
        self._is_settled()
        self._lead(self.dead)
        capture(self.board, self.dead)

    def instead_of_pass(self, other: int, value: float) -> int:
        """What to play when the search would pass although we are behind by one of the counts.

        other, value: the next best move and its winning rate.
        """
        if self.after_pass and self.lead_as_it_stands > 0 and value < 0.5:
            return PASS  # played on, the game is lost; counted as it stands, it is won
        if self.lead_as_it_stands < 0 < self.lead_without_dead:
            return self._take_dead() or other
        return other

    def _take_dead(self) -> int | None:
        """A move on a liberty of a dead chain of the other side, if one helps."""
        enemy = 3 - self.board.to_play
        dead = [p for p in self.dead if self.board.color_at(p) == enemy]
        p = capture(self.board, dead)
        return p if p in {q for stone in dead for q in self.board.liberties(stone)} else None


def capture(board: Board, dead: list[int]) -> int:
    """A move that comes nearer to capturing dead stones; a pass if there is no legal one."""
    color = board.to_play
    left: dict[int, int] = {}  # by liberty of a dead chain: how many liberties that chain has
    for stone in dead:
        liberties = board.liberties(stone)
        for p in liberties:
            left[p] = min(left.get(p, len(liberties)), len(liberties))

    def badness(p: int) -> tuple[bool, bool, bool, int]:
        after = board.copy().play(p)
        captures = after.captures(color) > board.captures(color)
        self_atari = not captures and after.color_at(p) == color and len(after.liberties(p)) == 1
        return bool(fills_eye(board.record[0], p)), p not in left, self_atari, left.get(p, 0)

    *moves, no_move = board.legal_moves()
    return min(moves, key=badness, default=no_move)
