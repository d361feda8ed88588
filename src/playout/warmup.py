"""Compile everything that the players need, once, before many processes start at a time."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from playout.kernel import cache

RARE = ("shapes", "softmax")  # simulation policies that are compiled when somebody wants them


def drop_cache() -> Path:
    """Remove the machine code of all versions; the folder it was in. To be called before any is loaded."""
    for folder in cache.root().glob("kernels-*"):
        shutil.rmtree(folder, ignore_errors=True)
    return cache.root()


def steps() -> list[tuple[str, Callable[[], None]]]:
    """What there is to warm up, by name: one step a player, and what stands beside the players."""
    from playout.games.go.game import GAME
    from playout.games.go.policy import POLICIES
    from playout.player.registry import players_of

    specs = [
        spec
        for name, entry in players_of(GAME).items()
        for spec in (
            [name]
            if entry.policy or not entry.has("policy")
            else [
                f"{name}:policy={policy}{',sims=50' if entry.has('sims') else ''}"
                for policy in POLICIES
                if policy not in RARE
            ]
        )
    ]
    return [
        ("rules", _rules),
        ("scoring", _scoring),
        ("solver", _solver),
        *((spec, _player(spec)) for spec in specs),
    ]


def _rules() -> None:
    from playout.games.go.board import Board

    board = Board(5)
    board.place_handicap(["B2", "D4"]).play("C3")
    board.legal_moves()
    board.score()


def _scoring() -> None:
    from playout.games.go.board import Board
    from playout.games.go.ownership import dead_stones

    board = Board(5).play("C3")
    board.area(["C3"])
    dead_stones(board, 2)


def _solver() -> None:
    from playout.games.go.board import Board
    from playout.games.go.solve import solve

    solve(Board(2), memory=1)


def _player(spec: str) -> Callable[[], None]:
    def step() -> None:
        from playout.games.go.board import Board
        from playout.player.api import RESIGN
        from playout.player.registry import make_player

        player = make_player(spec)
        board = Board(5)
        for _ in range(4):
            p = player.choose(board)
            if p != RESIGN:
                board.play(p)
        next(iter(player.analyse(board)))
        player.close()

    return step
