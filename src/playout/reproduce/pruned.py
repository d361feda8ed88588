"""What pruning saves, and what it costs: the positions of a test suite rolled out with it and without.

Trials of the same number have the same dice, so both rollouts see the same trials: they can only differ where
a candidate was dropped that would have led in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from playout.arena.match import wilson
from playout.games.position import Position
from playout.player.rollout import rollout_player


@dataclass(frozen=True)
class Pruned:
    """Rollouts with pruning beside those without. lost: equity a decision, as the whole rollouts have it."""

    positions: int
    same: int
    trials: int
    all_trials: int
    lost: float

    @property
    def saved(self) -> float:
        """The share of trials that were not needed."""
        return 1 - self.trials / self.all_trials if self.all_trials else 0.0

    def facts(self) -> dict[str, Any]:
        """The same for machines."""
        return {
            "positions": self.positions,
            "same": self.same / max(1, self.positions),
            "interval": list(wilson(self.same, self.positions)),
            "trials": self.trials,
            "all_trials": self.all_trials,
            "saved": self.saved,
            "lost": self.lost,
        }


def compare(
    positions: Sequence[Position],
    spec: str,
    seed: int = 1,
    progress: Callable[[Pruned], None] | None = None,
) -> Pruned:
    """Roll positions out with a player's pruning and without any.

    >>> from playout.games.toy.dice_race import GAME
    >>> compare([GAME.new_position()], "rollout:trials=500").positions
    1
    """
    found = Pruned(0, 0, 0, 0, 0.0)
    for number, position in enumerate(positions):
        seeded = {"seed": str(seed + number)}
        pruned = rollout_player(spec, position.game, **seeded).roll_out(position)
        whole = rollout_player(spec, position.game, **seeded, confidence="none").roll_out(position)
        equities = {each.action: each.equity for each in whole.candidates()}
        lost = equities[whole.best] - equities[pruned.best]
        found = Pruned(
            found.positions + 1,
            found.same + (pruned.best == whole.best),
            found.trials + sum(each.trials for each in pruned.candidates()),
            found.all_trials + sum(each.trials for each in whole.candidates()),
            found.lost + (lost - found.lost) / (found.positions + 1),
        )
        if progress is not None:
            progress(found)
    return found
