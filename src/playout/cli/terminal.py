"""Go in the terminal: stones on wood, handicap, dead stones and SGF beside what any game has (`session`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from playout.arena.terms import Terms as GameTerms
from playout.cli import session
from playout.cli.saved import YOU
from playout.cli.session import Session
from playout.cli.show import board_picture, estimate_sentence, score_sentence
from playout.cli.waiting import waiting
from playout.errors import InputError, shown
from playout.games.go.board import Board
from playout.games.go.ownership import dead_stones, ownership
from playout.games.go.policy.mogo import Mogo
from playout.games.go.sgf import from_board
from playout.games.go.state import BLACK, PASS, WHITE
from playout.kernel import new_rng
from playout.player.api import Player

ESTIMATE_SIMULATIONS = 1000

HELP = """\
E5          play there (column and row as drawn)
pass        pass; two passes in a row end the game
undo        take back your last move and the answer to it
hint        the moves that a quick search likes best
score       who is ahead, by playouts
resign      give up
save FILE   write the game as SGF
new         begin a new game
help        this
quit        leave (so does Ctrl-D); the game is saved
Ctrl-C      while the other player thinks: it moves at once"""

_LIKE_A_POINT = re.compile(r"[A-Za-z]\s*[0-9]+")


@dataclass(frozen=True)
class Terms:
    """What is played: size, komi and handicap, and the person's colour."""

    size: int
    komi: float
    handicap: int
    human: int

    def board(self) -> Board:
        """The board at the start."""
        board = Board(self.size, self.komi)
        return board.place_handicap(self.handicap) if self.handicap else board


class TerminalGame(Session):
    """One person's session at the board."""

    WORDS = ("pass", "undo", "hint", "score", "resign", "save", "new", "help", "quit")
    hint_spec = "mogo"
    _ending = ".sgf"
    board: Board

    def __init__(
        self,
        terms: Terms,
        player: Player,
        console: Console,
        ask: Callable[[str], str] = input,
        **resumed: Any,
    ) -> None:
        self._go = terms
        self._scored: tuple[int, list[int]] | None = None
        any_terms = GameTerms("go", size=terms.size, komi=terms.komi)
        super().__init__(any_terms, terms.human, player, console, ask, **resumed)

    def _start(self) -> Board:
        return self._go.board()

    def _obey(self, line: str) -> bool:
        if line.lower() == "score":
            self._score()
            return True
        return super()._obey(line)

    def _help(self) -> str:
        return HELP

    def _understood(self, word: str) -> str:
        if _LIKE_A_POINT.fullmatch(word):
            return "".join(word.split())
        if word.lower() not in self.WORDS:
            known = self._nearest(word, list(self.WORDS))
            what = "no command" if "did you mean" in known else "neither a point such as E5 nor a command"
            raise InputError(f"{shown(word)} is {what}{known}")
        return word

    def _score(self) -> None:
        if self.board.is_over:
            self._say(self._result())
            return
        with waiting(self.console, lambda: "Counting"):
            lead = ownership(self.board, Mogo().record(), ESTIMATE_SIMULATIONS, new_rng()).lead
        self._say(estimate_sentence(lead))

    def _saved(self) -> str:
        me, other = YOU, self.player.name
        black, white = (me, other) if self.human == BLACK else (other, me)
        result = self.board.result(self._dead()) if self.board.is_over else None
        return from_board(self.board, black=black, white=white, result=result).to_sgf()

    def _says(self, action: int) -> str:
        return "passes" if action == PASS else super()._says(action)

    def _result(self) -> str:
        return score_sentence(self.board, self._dead())

    def _dead(self) -> list[int]:
        """The dead stones of a finished game, found once."""
        if self.board.resigned is not None:
            return []
        key = hash(tuple(self.board.moves))
        if self._scored is None or self._scored[0] != key:
            self._scored = key, dead_stones(self.board)
        return self._scored[1]

    def _draw(self) -> None:
        dead = self._dead() if self.board.is_over else []
        self.console.print(board_picture(self.board, self.console, dead))
        taken = [self.board.captures(color) for color in (BLACK, WHITE)]
        if any(taken):
            self._say(f"Captured: Black {taken[0]}, White {taken[1]}.")


def demonstrate(black: str, white: str, console: Console, board: Board) -> None:
    """Show one game between two players, a few boards of it and the result."""

    def dead(board: Board) -> list[int]:
        return dead_stones(board) if board.is_over and board.resigned is None else []

    session.demonstrate(
        black,
        white,
        console,
        board,
        lambda board: board_picture(board, console, dead(board)),
        lambda board: score_sentence(board, dead(board)),
        f"; {board.size}×{board.size}, komi {board.komi:g}",
    )
