"""How often each local shape occurs in games of self-play: Figure 5.5 of Silver (2009).

Games are those of training: ε-greedy by values that are learnt already. In every position the active features
are counted by the weight that they share. The figure has a curve a set: how many weights occur at least so
often.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.files import check_output, write_bytes
from playout.games.api import MAX_ACTIONS, is_over, play
from playout.games.go.board import Board
from playout.games.go.learn.training import LONGEST_GAME
from playout.games.go.memory.codes import shapes_record
from playout.games.go.memory.store import Weights
from playout.games.go.state import STATE
from playout.kernel import kernel, new_rng
from playout.memory.api import active, look
from playout.memory.td import EXPERIENCE, Learner, epsilon_greedy
from playout.picture import LARGE, NORMAL, PNG, SMALL, Label, label_ends, line_style, new_figure, png
from playout.plots import shape_sets

PIECE = 500  # games between two words of progress


@kernel
def count_shapes(roots, work, memories, index, weights, learners, experiences, rng, games, counts):
    """Play games and add 1 to a weight's count for each of its features that is active in a position."""
    memory = memories[0]
    actions = np.zeros(MAX_ACTIONS, np.uint16)
    after = np.zeros(MAX_ACTIONS, np.float32)
    features = np.zeros(counts.size, np.uint32)
    known = np.zeros((2, 1), np.float32)
    for _ in range(games):
        work[0] = roots[0]
        while not is_over(work[0]):
            look(memory, index, weights, work[0])
            for k in range(active(memory, index, work[0], features)):
                counts[features[k] >> np.uint32(1)] += 1
            action = epsilon_greedy(
                memory,
                index,
                weights,
                work[0],
                learners[0].epsilon,
                0.0,
                known,
                actions,
                after,
                experiences[0],
                rng[0],
            )
            play(work[0], action)


def frequencies(
    weights: Weights,
    games: int = 10_000,
    *,
    seed: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> np.ndarray:
    """By weight: how often its features are active in so many games."""
    if games < 1:
        raise InputError(f"games: {games} is not a number of at least 1")
    root = Board(weights.shapes.side).simulation_root(LONGEST_GAME)
    pairs = weights.pairs()
    counts = np.zeros(pairs.size // 2 + weights.features.max_active, np.int64)
    fixed = (root, np.empty(1, STATE), shapes_record(weights.features), weights.features.index, pairs)
    learner, experience, rng = Learner().record(), np.zeros(1, EXPERIENCE), new_rng(seed)
    done = 0
    while done < games:
        piece = min(PIECE, games - done)
        count_shapes(*fixed, learner, experience, rng, piece, counts)
        done += piece
        progress(done)
    return counts[1 : 1 + weights.theta.size]  # the first pair is that of features without a weight


def summary(weights: Weights, counts: np.ndarray) -> dict[str, dict[str, Any]]:
    """By set of shapes: how many weights there are, how many never occur, and how often the others do."""
    told = {}
    for name, numbers in shape_sets(weights).items():
        found = counts[numbers]
        seen = found[found > 0]
        told[name] = {
            "weights": len(found),
            "never": int((found == 0).sum()),
            "total": int(found.sum()),
            "median": float(np.median(seen)) if seen.size else 0.0,
            "most": int(found.max(initial=0)),
        }
    return told


def draw(weights: Weights, counts: np.ndarray, games: int, path: str | Path, force: bool = False) -> Path:
    """Figure 5.5: how many weights of a set occur at least so often."""
    check_output(path, PNG, force)
    figure = new_figure(9, 5.5)
    axis = figure.subplots()
    labels = []
    for k, (name, numbers) in enumerate(shape_sets(weights).items()):
        found = np.sort(counts[numbers][counts[numbers] > 0])[::-1]
        if found.size == 0:
            continue
        style = line_style(k, len(found))
        axis.plot(found, np.arange(1, found.size + 1), **style)
        labels.append(Label(float(found[-1]), float(found.size), name, style["color"]))
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.invert_xaxis()  # the most frequent first, and a set's name where its curve ends
    axis.set_xlabel(f"times that a weight's features were active in {games:,} games", fontsize=NORMAL)
    axis.set_ylabel("weights that are active as often or more", fontsize=NORMAL)
    axis.set_title("How often local shapes occur (Figure 5.5)", fontsize=LARGE)
    axis.tick_params(labelsize=SMALL)
    axis.grid(alpha=0.3)
    label_ends(axis, labels)
    write_bytes(path, png(figure), PNG, force)
    return Path(path)
