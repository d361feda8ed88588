"""Whole trees, to the last bit, as they were when `tests/golden/trees.json` was made.

A change that is not meant to alter any search must leave them alone. After one that is, make them anew and
look at what the difference in git says::

    python tests/search/test_golden_trees.py

Every setting is written out here, so that new defaults of the players change nothing.
"""

import dataclasses
import hashlib
import json

import numpy as np
import pytest
from places import TESTS

from playout.games.api import NO_ACTION
from playout.games.go.board import Board
from playout.games.go.policy import Mogo, Uniform
from playout.games.go.prior.handcrafted import Handcrafted
from playout.games.go.state import PASS
from playout.games.toy import tictactoe
from playout.policy.random import Random
from playout.search.mcts import Even, Selection, TreeSearch
from playout.search.prior import Grandfather

STORE = TESTS / "golden" / "trees.json"

FOUR_RULES = {
    "saves": True,
    "patterns": True,
    "captures": True,
    "hopeless_saves": False,
    "pattern_self_atari": False,
    "random_self_atari": True,
}
SELECTION = {
    "exploration": 0.0,
    "urgency": 1.1,
    "rave": "none",
    "bias": 0.1,
    "equivalence": 1000.0,
    "experience": 0.0,
    "amaf_experience": 0.0,
    "expand_at": 1,
    "virtual_loss": 0,
    "first_only": False,
    "silent": NO_ACTION,
}


def mogo():
    """MoGo's four rules; rules that the policy learns later are off."""
    off = {f.name: type(f.default)(0) for f in dataclasses.fields(Mogo) if isinstance(f.default, int | float)}
    return Mogo(**{**off, **FOUR_RULES})


def opening():
    """Some moves into a game on 9×9."""
    board = Board(9, komi=7.5)
    for move in ["E5", "C3", "G3", "G6", "F6", "F7", "E7", "G5", "D3", "C4", "F3", "C6"]:
        board.play(move)
    return board


def go(board):
    return board.simulation_root(), board.legal_moves()


GAMES = {
    "tic-tac-toe": lambda: (tictactoe.start(), list(range(9))),
    "go 5": lambda: go(Board(5, komi=0.5)),
    "go 9": lambda: go(Board(9, komi=7.5)),
    "go 9, opening": lambda: go(opening()),
}

# name: game, policy, prior, simulations, seed, and what differs from SELECTION
CASES = {
    "uct, tic-tac-toe": ("tic-tac-toe", Random, Even, 2000, 1, {"exploration": 0.5}),
    "uct, 5×5": ("go 5", Uniform, Even, 2000, 2, {"exploration": 0.3, "expand_at": 2}),
    "uct with urgency, 9×9": ("go 9", Uniform, Even, 2000, 3, {"exploration": 0.2, "urgency": 0.6}),
    "mc-rave by mse, tic-tac-toe": ("tic-tac-toe", Random, Even, 2000, 4, {"rave": "mse", "experience": 2.0}),
    "mc-rave by mse, 9×9": (
        "go 9",
        mogo,
        Even,
        2000,
        5,
        {"rave": "mse", "bias": 0.05, "experience": 5.0, "expand_at": 4, "silent": PASS},
    ),
    "uct-rave by schedule, 5×5": (
        "go 5",
        mogo,
        Even,
        2000,
        6,
        {"rave": "heuristic", "equivalence": 300.0, "exploration": 0.1, "silent": PASS},
    ),
    "handcrafted mc-rave, 9×9 opening": (
        "go 9, opening",
        mogo,
        Handcrafted,
        3000,
        7,
        {
            "rave": "mse",
            "bias": 0.05,
            "experience": 5.0,
            "amaf_experience": 10.0,
            "expand_at": 4,
            "first_only": True,
            "silent": PASS,
        },
    ),
    "grandfather mc-rave, 9×9 opening": (
        "go 9, opening",
        mogo,
        Grandfather,
        3000,
        8,
        {"rave": "mse", "bias": 0.05, "experience": 5.0, "amaf_experience": 20.0, "silent": PASS},
    ),
    "grandfather uct, tic-tac-toe": (
        "tic-tac-toe",
        Random,
        Grandfather,
        2000,
        9,
        {"exploration": 0.3, "experience": 3.0},
    ),
    "two losses on the way, 5×5": (
        "go 5",
        Uniform,
        Even,
        1500,
        10,
        {"rave": "mse", "virtual_loss": 2, "experience": 1.0},
    ),
}


def tree_of(name):
    """What is kept of a case: the root's children, the nodes used, and a digest of the whole tree.

    Counts and values of a node are exact in JSON: a single-precision number is a double, and a double is
    read back as it was written.
    """
    game, policy, prior, simulations, seed, differences = CASES[name]
    root, actions = GAMES[game]()
    search = TreeSearch(
        Selection(**{**SELECTION, **differences}), policy(), prior(), nodes=300_000, seed=seed
    )
    search.start(root, actions)
    search.run(simulations)
    columns = ["action", "visits", "wins", "amaf_visits", "amaf_wins", "prior"]
    digest = hashlib.sha256()
    for column in [*columns, "first", "children"]:
        values = search._nodes[: search.used][column]
        # Halves, so single precision has them all; so they were kept when the trees were made.
        kept = values.astype(np.float32) if column == "wins" else np.ascontiguousarray(values)
        digest.update(kept.tobytes())
    return {
        "simulations": simulations,
        "nodes": search.used,
        "sha256": digest.hexdigest(),
        "children": {c: search.children()[c].tolist() for c in columns},
    }


@pytest.mark.parametrize("name", CASES)
def test_the_tree_is_the_golden_one(name):
    golden = json.loads(STORE.read_text(encoding="utf-8"))
    assert list(golden) == list(CASES), "make the golden trees anew: python tests/search/test_golden_trees.py"
    assert tree_of(name) == golden[name]


def test_a_tree_of_another_seed_is_another():
    """The comparison can fail: seeds and settings reach the digest."""
    trees = [tree_of(name)["sha256"] for name in ("uct, tic-tac-toe", "mc-rave by mse, tic-tac-toe")]
    assert len(set(trees)) == 2


if __name__ == "__main__":
    trees = {name: tree_of(name) for name in CASES}
    text = json.dumps(trees, ensure_ascii=False, indent=1)
    # A column of numbers in one line.
    rows = text.split("[\n")
    text = rows[0] + "".join(
        "[" + " ".join(row.partition("]")[0].split()) + "]" + row.partition("]")[2] for row in rows[1:]
    )
    STORE.parent.mkdir(exist_ok=True)
    STORE.write_text(text + "\n", encoding="utf-8")
