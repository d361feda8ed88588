"""Check the grades of a test suite by long rollouts of a sample of its positions.

Of each position in the sample two plays are rolled out to the end: the best by the grades, and the one in the
middle of the list. A rollout by players that err is no more right than the grades, but it errs otherwise:
what is seen is whether grades are off as a whole, and whether both put the two plays in the same order.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.files import read_plays
from playout.player.rollout import rollout_player

PLAYER = "rollout:base=td,trials=1296,variance_reduction=true,seed=1"
Z95 = 1.96


def rolled_out(
    lines: Sequence[Mapping[str, Any]],
    count: int,
    spec: str = PLAYER,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[str, Any]:
    """How far rollouts of so many positions, evenly from the lines, are from their grades."""
    from playout.games.backgammon.game import GAME

    sample = [lines[k * len(lines) // count] for k in range(min(count, len(lines)))]
    differences, same_order = [], 0
    with contextlib.closing(rollout_player(spec, GAME)) as player:
        for done, line in enumerate(sample):
            progress(done)
            position = BackgammonPosition.from_id(line["position"], line["dice"])
            plays = read_plays(position, line["plays"])[0]
            best, *others = sorted(plays, key=lambda action: -plays[action])
            chosen = (best, others[len(others) // 2])
            root = position.simulation_root()
            found = [player.roll_one(position, root, action).equity for action in chosen]
            differences += [equity - plays[action] for action, equity in zip(chosen, found, strict=True)]
            same_order += found[0] >= found[1]
    apart = np.array(differences)
    mean, half = float(apart.mean()), Z95 * float(apart.std(ddof=1)) / len(apart) ** 0.5
    return {
        "player": spec,
        "positions": len(sample),
        "plays": len(apart),
        "mean_difference": round(mean, 4),
        "interval": [round(mean - half, 4), round(mean + half, 4)],
        "root_mean_square": round(float(np.sqrt((apart**2).mean())), 4),
        "same_order": same_order,
    }
