"""What a GTP session knows: the game, the player, both clocks, and how games are scored.

A command works on a copy of the board and puts it in place when all went well, so that a command that
fails leaves the position as it was.
"""

from __future__ import annotations

import time
from collections.abc import Collection

from playout.errors import InputError, near
from playout.games.go import coords
from playout.games.go.board import SUPERKO, Board
from playout.games.go.state import BLACK, WHITE
from playout.player.api import RESIGN, Onlooker, Player
from playout.player.clock import LAG, Clock
from playout.player.registry import PARTS, build, settings_of, split_spec

SCORING = {
    "area": "dead stones are found by playouts and removed",
    "alive": "every stone counts as alive (CGOS, the papers' training games)",
}

_SWITCH = ("true", "false", "1", "0")


class Session:
    """One controller's game.

    player: a spec, or a Player (whose settings then cannot be changed over GTP).
    """

    def __init__(self, player: str | Player, size: int = 9, komi: float = 7.5) -> None:
        self._first = coords.parse_side(size), komi
        self._board: Board | None = None
        self.scoring = "area"
        self._time = Clock()  # both clocks at the start of a game
        self.clocks = {BLACK: Clock(), WHITE: Clock()}
        self._answered: Board | None = None  # the position after our last answer to genmove
        self._warm: Player | None = None
        self.spec: tuple[str, dict[str, str]] | None = None
        if isinstance(player, Player):
            self.player = player
        else:
            self.spec = split_spec(player)
            self.player = build(*self.spec)

    # The board is made when it is first needed: a controller gets its first answers while nothing is
    # compiled yet.
    @property
    def board(self) -> Board:
        """The game."""
        if self._board is None:
            size, komi = self._first
            self._board = Board(size, komi)
        return self._board

    @board.setter
    def board(self, board: Board) -> None:
        self._board = board

    def point(self, vertex: str) -> int:
        """The point that a word names."""
        return coords.parse_vertex(vertex, self.board.size)

    def vertices(self, points: list[int]) -> str:
        """Points as GTP lists them."""
        return " ".join(coords.vertex(p, self.board.size) for p in points)

    def new_game(self, board: Board) -> None:
        """Begin with a board."""
        self.player.new_game()
        self._reset_clocks()
        self.board = board

    def turned(self, color: int) -> Board:
        """A copy of the board on which a colour is to move, also after two passes.

        Who asks for a move then wants one: a game goes on where the players do not agree on dead stones.
        """
        board = self.board.copy().resume()
        board.to_play = color
        return board

    def think(self, color: int, onlooker: Onlooker | None = None) -> int:
        """The player's move for a colour: a point, PASS or RESIGN. Takes its time off the clock."""
        clock = self.player.clock = self.clocks[color]
        board = self.turned(color)
        began = time.monotonic()
        self.player.onlooker = onlooker
        try:
            point = int(self.player.choose_action(board))
        finally:
            self.player.onlooker = None
        clock.used(time.monotonic() - began + LAG)
        if point != RESIGN and not board.is_legal(point):
            vertex = coords.vertex(point, board.size)
            raise InputError(f"player {self.player.name} chose {vertex}, which is not legal")
        return point

    def move(self, point: int, color: int) -> str:
        """Make a move that was thought of and name it. Resigning leaves the position as it is."""
        if point == RESIGN:
            return "resign"
        self.board = self.board.copy().play(point, color)
        return coords.vertex(point, self.board.size)

    def answer(self, point: int, color: int) -> str:
        """Make a move as the answer to genmove: from here on the opponent thinks."""
        text = self.move(point, color)
        self._answered = None if point == RESIGN else self._board
        return text

    def idle(self) -> None:
        """Nothing is asked of us: ponder, if the opponent is thinking about our move."""
        if self._answered is not None and self._answered is self._board:
            self.player.ponder(self._answered)

    def wake(self) -> None:
        """Something is asked of us."""
        self.player.stop()

    # -- time ---------------------------------------------------------------------------------------

    def set_time(self, clock: Clock) -> None:
        """The time of both players for this game and the next ones."""
        self._time = clock
        self._reset_clocks()
        if clock.limited:
            self._warm_up()

    def time_left(self, color: int, seconds: float, stones: int) -> None:
        """What the referee's clock shows for a player."""
        self.clocks[color].left(seconds, stones)
        self._warm_up()

    def _reset_clocks(self) -> None:
        self.clocks = {color: self._time.copy() for color in (BLACK, WHITE)}

    def _warm_up(self) -> None:
        """Compile now, when no clock runs, what would take time off it later."""
        if self._warm is not self.player:
            self.player.warm_up(Board(self.board.size))
            self._warm = self.player

    def close(self) -> None:
        """Give back what the player holds."""
        self.player.close()

    # -- parameters ---------------------------------------------------------------------------------

    def parameters(self) -> dict[str, object]:
        """Every setting of the player and every rule, with its value."""
        own = settings_of(*self.spec) if self.spec else {}
        board = self.board
        return {**own, "superko": board.superko, "suicide": board.suicide, "scoring": self.scoring}

    def set_parameter(self, name: str, value: str) -> None:
        """Change one of them."""
        if name == "scoring":
            self.scoring = _choice(name, value, SCORING)
        elif name == "superko":
            self.board = replayed(self.board, superko=_choice(name, value, SUPERKO))
        elif name == "suicide":
            self.board = replayed(self.board, suicide=_choice(name, value, _SWITCH) in ("true", "1"))
        else:
            self._set_player(name, value)

    def _set_player(self, name: str, value: str) -> None:
        known = self.parameters()
        if name not in known:
            raise InputError(f"there is no parameter {coords.shown(name)}{near(name[:40], known)}")
        assert self.spec is not None
        kind, values = self.spec
        if name in PARTS and value != known[name]:  # another policy or prior has settings of its own
            values = {key: old for key, old in values.items() if not key.startswith(f"{name}.")}
        spec = kind, {**values, name: value}
        player = build(*spec)
        player.clock = self.player.clock
        self.player.close()
        self.player, self.spec = player, spec
        if self._warm is not None:
            self._warm_up()


def _choice(name: str, value: str, choices: Collection[str]) -> str:
    if value.lower() not in choices:
        raise InputError(f"{name} {coords.shown(value)} is not one of {', '.join(choices)}")
    return value.lower()


def replayed(board: Board, **rules: object) -> Board:
    """The same game under other rules; refused if a move of it breaks them."""
    start = board.copy()
    while start.moves:
        start.undo()
    kept = {"superko": board.superko, "suicide": board.suicide, **rules}
    fresh = Board(board.size, board.komi, **kept)  # type: ignore[arg-type]
    fresh.set_up(start.stones(BLACK), start.stones(WHITE), start.to_play)
    fresh.handicap = start.handicap
    for number, move in enumerate(board.moves, 1):
        try:
            fresh.play(move.point, move.color)
        except InputError as error:
            raise InputError(f"move {number} of the game breaks a rule: {error}") from None
    return fresh
