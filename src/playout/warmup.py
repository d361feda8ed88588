"""Compile what the players of a game need, once, before many processes start at a time."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from playout.errors import InputError
from playout.games.registry import DEFAULT
from playout.kernel import cache

if TYPE_CHECKING:
    from playout.games.game import Game

RARE = ("shapes", "softmax")  # simulation policies that are compiled when somebody wants them


def drop_cache() -> Path:
    """Remove the machine code of all versions; the folder it was in. To be called before any is loaded."""
    for folder in cache.root().glob("kernels-*"):
        shutil.rmtree(folder, ignore_errors=True)
    return cache.root()


def steps(game: str = DEFAULT, players: Sequence[str] = ()) -> list[tuple[str, Callable[[], None]]]:
    """What there is to warm up, by name: one step a player, and in Go what stands beside the players.

    game: a game by its name or its file. players: specs; where there are none, all players of the game, with
    the policies that most use.
    """
    from playout.games.registry import find_game
    from playout.player.registry import make_player

    found = find_game(game)
    for spec in players:
        make_player(spec, found).close()  # which refuses a wrong one before anything is compiled
    beside = [("rules", _rules), ("scoring", _scoring), ("solver", _solver)] if found.name == DEFAULT else []
    specs = list(players) or _specs(found)
    return [*beside, *((spec, _player(spec, found)) for spec in specs)]


def _specs(game: Game) -> list[str]:
    """Every player, with every policy that it can have but for the rare ones."""
    from playout.player.registry import parts_of, players_of

    policies = [policy for policy in parts_of(game, "policy") if policy not in RARE]
    specs = []
    for name, entry in players_of(game).items():
        part = "base" if entry.has("base") else "policy"
        if entry.policy or not entry.has(part):
            specs.append(name)
        else:
            few = ",sims=50" if entry.has("sims") else ",trials=50" if entry.has("trials") else ""
            specs += [f"{name}:{part}={policy}{few}" for policy in policies]
    return specs


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


def _player(spec: str, game: Game) -> Callable[[], None]:
    def step() -> None:
        from playout.games.go.board import Board
        from playout.kernel import new_rng
        from playout.player.api import RESIGN
        from playout.player.registry import make_player

        player, luck = make_player(spec, game), new_rng(0)
        position = Board(5) if game.name == DEFAULT else game.new_position().settle(luck)
        for _ in range(4):
            if not position.is_over:
                with contextlib.suppress(InputError):  # not every player analyses
                    next(iter(player.analyse(position)))
                action = player.choose_action(position)
                position.play("resign" if action == RESIGN else action).settle(luck)
        player.close()

    return step
