"""What learners learn, to the last bit, as it was when `tests/golden/learnt.json` was made.

A change that is not meant to alter what is learnt must leave the digests alone. After one that is, make them
anew::

    python tests/learn/test_learnt_bits.py
"""

import hashlib
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from draw import empty_board
from learners import leaves_of, point
from naive.go import Go
from places import TESTS

from playout.games.api import play
from playout.games.go.learn.policy_training import SETTINGS, Lessons, PolicyPlan, PolicyRun
from playout.games.go.memory.shapes import Shapes
from playout.games.go.state import STATE
from playout.learn.two_step import Leaves
from playout.memory.archives import read_arrays

STORE = TESTS / "golden" / "learnt.json"
RUNS = {
    "regression": (300, {}),
    "regression cooled": (300, {"alpha": 0.2, "cooling": True}),
    "mm": (15, {}),
    "mm with few ties": (5, {"ties": 0.1}),
    "reinforce": (300, {}),
    "reinforce with a baseline": (200, {"alpha": 0.1, "baseline": "mean"}),
    "balance": (40, {"m": 11, "n": 7}),
    "balance with a baseline": (40, {"alpha": 2.0, "m": 10, "n": 10, "baseline": "mean", "per_move": False}),
    "two-step": (60, {}),
    "two-step cooled": (60, {"alpha": 1.0, "cooling": True}),
}
SIDES = (3, 4)
LENGTHS = (0, 1, 2, 3, 5, 7, 9, 12)  # moves before a position; on small boards stones are captured by then


def data(side):
    """Positions of random games with made-up values and moves, and values two moves later."""
    dice = np.random.default_rng(side)
    roots = np.zeros(len(LENGTHS), STATE)
    actions, rows, starts = [], [], [0]
    for k, length in enumerate(LENGTHS):
        game = Go(side)
        roots[k] = empty_board(side)
        roots[k]["komi"] = 0.5
        for _ in range(length):
            moves = [move for move in game.policy_moves() if move is not None]
            if not moves:
                break
            move = moves[dice.integers(len(moves))]
            game.play(move)
            play(roots[k], point(move))
        moves = game.policy_moves()
        actions.append(point(moves[dice.integers(len(moves))]))
        rows += leaves_of(game, dice)
        starts.append(len(rows))
    first, second, value = (np.array(column) for column in zip(*rows, strict=True))
    leaves = Leaves(np.array(starts), first.astype(np.uint16), second.astype(np.uint16), value)
    return Lessons(roots, dice.random(len(LENGTHS)), np.array(actions, np.uint16), leaves)


def learnt(name, side):
    """A digest of the weights of a run."""
    updates, changes = RUNS[name]
    learner = name.partition(" ")[0]
    plan = PolicyPlan(
        learner=learner,
        settings=SETTINGS[learner](**changes),
        shapes=Shapes(side=side, sizes=(1, 2)),
        updates=updates,
        komi=0.5,
        seed=3,
    )
    with tempfile.TemporaryDirectory() as folder:
        PolicyRun(Path(folder) / "run", plan, data(side)).train()
        theta = read_arrays(Path(folder) / "run" / "checkpoint.npz")[1]["exact"]
    assert np.abs(theta).max() > 0.01
    return hashlib.sha256(theta.astype(np.float64).tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", RUNS)
def test_the_same_weights_are_learnt(name, side):
    assert learnt(name, side) == json.loads(STORE.read_text())[f"{name}, {side}×{side}"]


if __name__ == "__main__":
    found = {f"{name}, {side}×{side}": learnt(name, side) for name in RUNS for side in SIDES}
    STORE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
