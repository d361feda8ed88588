"""A player that does what a test tells it."""

import time

from playout.arena.match import GameResult, played
from playout.games.go.board import Board
from playout.games.go.coords import parse_vertex
from playout.games.go.state import PASS
from playout.player.api import Player
from playout.player.clock import Clock


class Scripted(Player):
    """Does what it is told, move by move; then passes."""

    def __init__(self, *script: object, name: str = "scripted") -> None:
        self.name, self.settings, self.clock, self.script = name, None, Clock(), script
        self.boards: list[Board] = []
        self.made = 0

    def new_game(self) -> None:
        self.made = 0

    def choose_action(self, board: Board) -> int:
        step = self.script[self.made] if self.made < len(self.script) else "pass"
        self.made += 1
        self.boards.append(board.copy())
        if isinstance(step, Exception):
            raise step
        if isinstance(step, float):
            time.sleep(step)
            return PASS
        return step if isinstance(step, int) else parse_vertex(str(step), board.size)


def game_between(black: Player, white: Player, **settings: object) -> GameResult:
    return next(iter(played(black, white, 1, size=5, **settings)))
