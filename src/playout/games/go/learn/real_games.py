"""Learn on from games that were really played: the long-term memory of Dyna-2 (Silver 2009, Algorithm 6).

The positions of a game record are updated as those of self-play are (`memory.td`); moves and outcome are the
record's. What comes of it is a weight file like any other: ``dyna2:long_term=FILE``.

>>> from playout.games.go.memory.shipped import shipped
>>> from playout.games.go.sgf import read
>>> game = read(b"(;SZ[9]RE[B+R];B[ee];W[ec];B[cc];W[gg];B[gc])")
>>> weights, experience = learn_from_games(shipped(9), [game])
>>> int(experience["games"]), int(experience["updates"])
(1, 5)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from playout.errors import InputError
from playout.games.go import sgf
from playout.games.go.memory.codes import shapes_record
from playout.games.go.memory.store import Weights
from playout.games.go.state import STATE
from playout.kernel import kernel
from playout.memory.td import EXPERIENCE, Learner
from playout.search.self_play import Episode, begin_episode, see_end, see_position
from playout.settings import like

OUTCOMES = {"B+": 1.0, "W+": 0.0, "0": 0.5}
MOST_MOVES = 2000  # of a record: more than any game has


@dataclass(frozen=True, kw_only=True)
class FromGames:
    """How is learnt from them."""

    alpha: float = like(Learner, "alpha")
    lam: float = like(Learner, "lam")

    def learner(self) -> Learner:
        """The same as what the update is told."""
        return Learner(alpha=self.alpha, lam=self.lam)


@kernel
def learn_game(states, memories, index, weights, learners, z, episode, experiences):
    """Draw the value of each position towards a later one's, and the last towards z, Black's share."""
    begin_episode(learners[0], episode)
    for t in range(states.size):
        see_position(memories[0], index, weights, weights, states[t], learners[0], t, episode, experiences[0])
    see_end(weights, learners[0], states[0], states.size, z, episode, experiences[0])


def learn_from_games(
    weights: Weights,
    games: Iterable[sgf.Game],
    learner: Learner | None = None,
    progress: Callable[[int], None] = lambda learnt: None,
) -> tuple[Weights, np.ndarray]:
    """Weights that have learnt on from games, each once in order; and what happened, a record of sums.

    A game of another board size, or without a winner, is passed over.
    """
    learner, features = learner or Learner(), weights.features
    memory, pairs = shapes_record(features), weights.pairs()
    episode = Episode.of(learner, pairs, features.max_active, MOST_MOVES).arrays()
    experience = np.zeros(1, EXPERIENCE)
    settings, taught = learner.record(), 0
    for game in games:
        z = OUTCOMES.get(game.result[:2])
        if game.size != weights.shapes.side or z is None:
            continue
        states = positions(game)
        if states.size:
            learn_game(states, memory, features.index, pairs, settings, z, episode, experience)
            taught += 1
        progress(taught)
    if not taught:
        side = weights.shapes.side
        raise InputError(f"there is no {side}×{side} game with a winner to learn from")
    if not np.isfinite(pairs).all():
        raise InputError(f"alpha: with steps of {learner.alpha:g} the weights go beyond all bounds")
    how = {**weights.how, "learner": learner.facts(), "real_games": taught}
    return Weights(weights.shapes, features.theta(pairs), how), experience[0]


def positions(game: sgf.Game) -> np.ndarray:
    """The positions of a game, its last one left out: that is what its outcome stands for."""
    states = [board.simulation_root() for _, board in game.replay()]
    if len(states) > MOST_MOVES:
        raise InputError(f"a game of {len(states) - 1:,} moves is longer than {MOST_MOVES:,}")
    return np.concatenate(states[:-1]) if len(states) > 1 else np.zeros(0, STATE)


def read_games(paths: Sequence[Path]) -> Iterator[sgf.Game]:
    """The games of SGF files and collections, in order."""
    for path in paths:
        for number in range(1, max(1, sgf.count_games(path)) + 1):  # a file of none is refused
            yield sgf.load(path, number)
