"""Go, plugged in."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from playout.errors import InputError, shown
from playout.games.api import Names
from playout.games.game import Game
from playout.games.go.board import SCORING, SUPERKO, Board
from playout.games.go.ending import GoEnding
from playout.games.go.files import KEYS, opening, set_up, transcript
from playout.games.go.memory.shipped import LEARNERS
from playout.games.go.memory.squares import Squares
from playout.games.go.ownership import ownership
from playout.games.go.player import KINDS
from playout.games.go.player.td_search import SHAPES, ShapeFeatures
from playout.games.go.policy import POLICIES
from playout.games.go.prior import OWN
from playout.games.go.problems import problems
from playout.games.go.questions import questions
from playout.games.go.record import read_record, write_notes
from playout.games.go.rules import FACTS
from playout.games.go.state import STATE, STRIDE
from playout.settings import setting


@dataclass(frozen=True, kw_only=True)
class GoOptions:
    """What a game of Go is played under."""

    size: int = setting(9, "board size, 2 to 19")
    komi: float = setting(7.5, "White's compensation for moving second")
    superko: str = setting("positional", "which repetitions are illegal", choices=SUPERKO)
    scoring: str = setting("area", "'area' removes dead stones, 'alive' counts all", choices=SCORING)

    def __post_init__(self) -> None:
        new_board(GAME, self)  # refuses what cannot be played
        if self.scoring not in SCORING:
            raise InputError(f"scoring {shown(self.scoring)} is not one of {', '.join(SCORING)}")


def start(**options: object) -> np.ndarray:
    """The empty board, as an array of one record."""
    return new_board(GAME, GoOptions(**options)).record  # type: ignore[arg-type]


def new_board(game: Game, options: GoOptions) -> Board:
    """The board that a game begins with."""
    board = Board(options.size, options.komi, superko=options.superko)
    board.scoring = options.scoring
    return board


def squares(root: np.ndarray) -> Names:
    """Points, and squares of four: the groups of variables that features of any game are made of."""
    side = int(root["side"][0])
    return tuple(
        tuple(f"color[{row * STRIDE + column}]" for row in rows for column in columns)
        for width in (1, 2)
        for rows in _runs(side, width)
        for columns in _runs(side, width)
    )


def _runs(side: int, width: int) -> list[range]:
    return [range(first, first + width) for first in range(1, side + 2 - width)]


GAME = Game(
    name="go",
    summary="surround more than the other",
    state=STATE,
    start=start,
    options=GoOptions,
    seats=("Black", "White"),
    letters=("B", "W"),
    default_policy="uniform",
    policies=POLICIES,
    priors=OWN,
    groups=squares,
    features={SHAPES: ShapeFeatures, "incremental": Squares},
    learners=LEARNERS,
    kinds=KINDS,
    engines={"gtp": "playout.gtp.client"},
    position=new_board,
    ending=GoEnding,
    ownership=ownership,
    opening=opening,
    transcript=transcript,
    set_up=set_up,
    set_up_keys=KEYS,
    problems=problems,
    questions=questions,
    read_record=read_record,
    write_notes=write_notes,
    **dataclasses.asdict(FACTS),
)
