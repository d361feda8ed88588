"""Learn where a search will look: softmax regression of its visits on the features of moves.

    python -m playout.games.go.learn.moves --games 200 --sims 1200 --prior handcrafted --output weights.json

A tree search plays against itself. In each position the shares of its visits are what the softmax
π ∝ exp(w · φ(s, a)) is to predict: w minimises the cross-entropy, a convex function, by gradient descent
with momentum and a step of its own for each weight (Kingma & Ba 2015). A small penalty on w² keeps what is
hardly seen near 0.

Where a search looks depends on its own prior too. So weights are learnt in rounds: the first with another
prior, the next with ``--prior tactical``, which has the weights of the round before.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

import playout
from playout.files import write_text
from playout.games.go.board import Board
from playout.games.go.learn.self_play import LEARNT, given, searched_positions
from playout.games.go.policy import Tactical
from playout.games.go.prior import PRIORS
from playout.games.go.prior.features import EYES, NAMES, open_eyes, see
from playout.games.go.state import PASS
from playout.search.mcts import Selection, TreeSearch

SEARCH = Selection(
    rave="mse", bias=0.05, experience=5.0, amaf_experience=10.0, first_only=True, expand_at=4, silent=PASS
)
WANDER = 0.12
PENALTY = 1e-4
RATE, MOMENTUM, MEMORY = 0.03, 0.9, 0.99


@dataclass(frozen=True)
class Position:
    """The features of a position's moves, a row each, and their shares of the visits."""

    features: np.ndarray
    shares: np.ndarray


def position(board: Board, children: np.ndarray, eyes: np.ndarray) -> Position:
    """What is learnt from a searched position."""
    features = np.zeros((len(children), len(NAMES)), np.float32)
    see(eyes, board.simulation_root(), np.ascontiguousarray(children["action"]), features)
    return Position(features, children["visits"] / children["visits"].sum())


def cross_entropy(weights: np.ndarray, positions: Sequence[Position]) -> tuple[float, np.ndarray]:
    """The mean of −Σ share × log π over the positions, and its gradient."""
    return _cross_entropy(weights, *_stack(positions))


def _stack(positions: Sequence[Position]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    sizes = np.array([len(p.shares) for p in positions])
    return np.vstack([p.features for p in positions]), np.concatenate([p.shares for p in positions]), sizes


def _cross_entropy(
    weights: np.ndarray, features: np.ndarray, shares: np.ndarray, sizes: np.ndarray
) -> tuple[float, np.ndarray]:
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    z = features @ weights
    z -= np.repeat(np.maximum.reduceat(z, starts), sizes)
    log_pi = z - np.repeat(np.log(np.add.reduceat(np.exp(z), starts)), sizes)
    gradient = features.T @ (np.exp(log_pi) - shares)
    return float(-(shares @ log_pi)) / len(sizes), gradient / len(sizes)


def fit(positions: Sequence[Position], steps: int = 600) -> np.ndarray:
    """The weights that predict the shares best."""
    stacked = _stack(positions)
    weights, slope, square = np.zeros((3, stacked[0].shape[1]))
    for step in range(1, steps + 1):
        gradient = _cross_entropy(weights, *stacked)[1] + PENALTY * weights
        slope = MOMENTUM * slope + (1 - MOMENTUM) * gradient
        square = MEMORY * square + (1 - MEMORY) * gradient**2
        weights = weights - RATE * (slope / (1 - MOMENTUM**step)) / (
            np.sqrt(square / (1 - MEMORY**step)) + 1e-8
        )
    return weights


def main(arguments: list[str] | None = None) -> None:
    """The command: play, learn, write."""
    words, command = given(
        "playout.games.go.learn.moves",
        "Learn from self-play where a search will look.",
        200,
        1200,
        "tactical",
        arguments,
    )

    def new_search(seed: int) -> TreeSearch:
        return TreeSearch(SEARCH, Tactical(), PRIORS[words.prior](), nodes=1_000_000, seed=seed)

    eyes = open_eyes(np.zeros(1, EYES))
    found: dict[int, list[Position]] = {}
    try:
        for game, board, children in searched_positions(
            new_search, words.games, words.sims, words.size, words.seed, WANDER
        ):
            found.setdefault(game, []).append(position(board, children, eyes))
            if len(found[game]) == 1:
                print(f"\r{game} games", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("\nstopped: learning from what there is", file=sys.stderr)
    games = list(found.values())
    tenth = max(1, len(games) // 10)
    held_out, learnt = list(chain(*games[:tenth])), list(chain(*games[tenth:]))
    weights = fit(learnt)
    how = {
        "what": "weights of the tactical prior, learnt from self-play",
        "command": command,
        "version": playout.__version__,
        "games": len(games),
        "positions": len(learnt),
        "cross_entropy": round(cross_entropy(weights, learnt)[0], 4),
        "held_out": {
            "positions": len(held_out),
            "cross_entropy": round(cross_entropy(weights, held_out)[0], 4),
            "of_equal_moves": round(cross_entropy(0 * weights, held_out)[0], 4),
        },
    }
    rounded = {name: round(float(weight), 3) for name, weight in zip(NAMES, weights, strict=True)}
    text = json.dumps({"how": how, "weights": rounded}, indent=1, ensure_ascii=False)
    write_text(words.output, text + "\n", LEARNT, words.force)
    print(f"\n{json.dumps(how['held_out'])} {words.output}", file=sys.stderr)


if __name__ == "__main__":
    main()
