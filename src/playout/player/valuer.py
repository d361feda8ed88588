"""A player's tree search as a function from states to values, for data that others learn from."""

from __future__ import annotations

import dataclasses

import numpy as np

from playout.errors import InputError
from playout.games.api import facts_of, to_play, tree_moves
from playout.player.registry import make_player
from playout.player.searcher import TreePlayer
from playout.search.mcts import TreeSearch

MEGABYTES_A_SIMULATION = 0.004  # more than a tree takes with a new node of forty children every time


class Valuer:
    """Values states by the search of a player such as ``mogo``; each search is a new tree.

    It searches states and not games: superko ends at the root, as in simulations.
    """

    def __init__(self, spec: str) -> None:
        player = make_player(spec)
        if not isinstance(player, TreePlayer):
            player.close()
            raise InputError(f"{spec[:60]!r} searches no tree: its values cannot be taken")
        self._player = player

    def __call__(self, root: np.ndarray, simulations: int, seed: int) -> tuple[float, int]:
        """Player 1's chance to win in a state that is not over, and the most visited move."""
        moves = np.zeros(facts_of(root.dtype).most_choices, np.uint16)
        moves = moves[: tree_moves(root[0], moves)]
        search = self._search(simulations, seed, facts_of(root.dtype).silent)
        search.start(root, moves)
        search.run(simulations)
        children = search.children()
        best = children[np.argmax(children["visits"])]
        rate = float(best["wins"]) / max(1, int(best["visits"]))
        return (rate if int(to_play(root[0])) == 1 else 1.0 - rate), int(best["action"])

    def _search(self, simulations: int, seed: int, silent: int) -> TreeSearch:
        player = self._player
        memory = min(player.settings.memory, 1 + int(simulations * MEGABYTES_A_SIMULATION))
        settings = dataclasses.replace(player.settings, seed=seed, threads=1, memory=memory)
        return TreePlayer(player.name, settings, player.policy, player._prior)._new_search(silent)

    def close(self) -> None:
        """Give back what the player holds."""
        self._player.close()
