"""Thousands of games between learnt weights, in compiled code, for `arena.elo` to rate.

Every two players meet in pairs of games that begin with the same random moves, colours exchanged; each side
plays its best move by one ply. All stones count as alive, as in training.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from playout.arena.elo import Result
from playout.games.go.board import Board
from playout.games.go.learn.training import LONGEST_GAME
from playout.games.go.memory.codes import shapes_record
from playout.games.go.memory.store import Weights
from playout.kernel import new_rng
from playout.search.duel import NO_ACTIONS, Side, begun, duel, in_turns, open_games

OPENING = 6  # random moves that a pair of games begins with


def round_robin(
    players: Mapping[str, Weights],
    pairs: int,
    *,
    komi: float = 7.5,
    seed: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Result]:
    """Every two players in `pairs` pairs of games: Black, White and Black's score of each game."""
    sides = {weights.shapes.side for weights in players.values()}
    root = Board(sides.pop(), komi).simulation_root(LONGEST_GAME)
    ready = {
        name: Side(shapes_record(weights.features), weights.features.index, weights.pairs())
        for name, weights in players.items()
    }
    results: list[Result] = []
    rng, games = new_rng(seed), in_turns(2 * pairs)
    names = list(ready)
    total, done = len(names) * (len(names) - 1) // 2, 0
    for i, one in enumerate(names):
        for other in names[:i]:
            states = begun(root, games.size)
            open_games(states, ready[one].record, OPENING, rng)
            duel(states, games, ready[one], ready[other], rng, rng, rng, LONGEST_GAME, NO_ACTIONS)
            results += [
                (other, one, float(game["outcome"]))
                if game["other_is_first"]
                else (one, other, float(game["outcome"]))
                for game in games
            ]
            done += 1
        progress(done, total)
    return results
