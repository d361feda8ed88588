"""playout: learn and search by simulation, at machine speed, in readable Python.

What a user needs first is here by name; it is loaded when it is first used, so that ``import playout``
takes no time.

>>> from playout import Board, make_player
>>> board = Board(9)
>>> board.play("E5").play("C3")
Board(9, moves=2, to_play='B')
>>> player = make_player("flat:sims=20,policy=mogo,seed=1")
>>> board.is_legal(player.choose(board))  # a word, such as 'G6'
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from playout.errors import InputError

if TYPE_CHECKING:
    from playout.analysis import GameAnalysis, MoveAnalysis, analyse
    from playout.arena.elo import Ratings, rate
    from playout.arena.match import MatchResult, match
    from playout.arena.sprt import Sprt
    from playout.games.game import Game
    from playout.games.go.board import Board
    from playout.games.go.ownership import dead_stones
    from playout.games.position import IllegalMove, Position
    from playout.games.registry import find_game
    from playout.player.api import Analysis, MoveInfo, Player
    from playout.player.registry import make_player, player_table

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "Board",
    "Game",
    "GameAnalysis",
    "IllegalMove",
    "InputError",
    "MatchResult",
    "MoveAnalysis",
    "MoveInfo",
    "Player",
    "Position",
    "Ratings",
    "Sprt",
    "__version__",
    "analyse",
    "dead_stones",
    "find_game",
    "make_player",
    "match",
    "player_table",
    "rate",
]

_WHERE = {
    "Analysis": "playout.player.api",
    "Board": "playout.games.go.board",
    "Game": "playout.games.game",
    "GameAnalysis": "playout.analysis",
    "IllegalMove": "playout.games.position",
    "MatchResult": "playout.arena.match",
    "MoveAnalysis": "playout.analysis",
    "MoveInfo": "playout.player.api",
    "Player": "playout.player.api",
    "Position": "playout.games.position",
    "Ratings": "playout.arena.elo",
    "Sprt": "playout.arena.sprt",
    "analyse": "playout.analysis",
    "dead_stones": "playout.games.go.ownership",
    "find_game": "playout.games.registry",
    "make_player": "playout.player.registry",
    "match": "playout.arena.match",
    "player_table": "playout.player.registry",
    "rate": "playout.arena.elo",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used (PEP 562)."""
    if name not in _WHERE:
        raise AttributeError(f"module 'playout' has no attribute {name!r}")
    found = getattr(import_module(_WHERE[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
