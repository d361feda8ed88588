"""The analysis of games with dice: each decision is looked at once, and all its moves are valued together.

What a move is worth is what the player knows of it: what its policy expects after it, or the mean of its
rollouts. In a game that has points (`Game.appraise`) values are points, else chances to win. The luck of a
roll is what the policy expects after it, less the mean over all rolls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from playout.analysis.results import Judged
from playout.analysis.searches import Analyst
from playout.games import api
from playout.games.game import Game
from playout.games.record import Step
from playout.kernel import is_implemented, new_rng
from playout.player.api import Analysis, MoveInfo, Player
from playout.policy.api import Copies, has_estimate
from playout.search.luck import luck_of


class Decision(NamedTuple):
    """All that is known of a decision; values are those of who made it.

    best: the action that is worth most. luck: of the roll before it, where there was one and it is known.
    choices: how many moves there were.
    """

    step: Step
    value: float
    best: int
    best_value: float
    luck: float | None
    choices: int


def has_dice(game: Game) -> bool:
    """Whether chance moves in a game."""
    return is_implemented(api.is_chance, game.state)


class DecisionAnalyst(Analyst):
    """Looks at the decisions of a record.

    In its file are for decision 7: ``7``, the best move; ``7 played``, with the number of choices as visits;
    and ``7 luck``.
    """

    def decisions(self, threads: int, progress: Callable[[int], None]) -> Iterator[Decision]:
        """Every decision, in order, when all are looked at. progress: is told how many are."""
        self._make(threads, progress)
        for number, step in enumerate(self._record.steps(), 1):
            best, played = self._searches[f"{number}"], self._searches[f"{number} played"]
            luck = self._searches.get(f"{number} luck")
            yield Decision(step, played.value, best.line[0], best.value, luck and luck.value, played.visits)

    def _look(self, number: int, step: Step, shares: bool) -> None:
        if self._searches.get(f"{number}") is not None:
            return
        player = self._player(f"{number}")
        try:
            if step.rolled is not None and (luck := self._luck(player, step)) is not None:
                self._searches.add(f"{number} luck", Judged(luck, None, (), 0))
            analysis = self._thought(player, step.before)
        finally:
            player.close()
        values = {move.action: self._worth(step, move) for move in analysis.moves}
        best = self._best(analysis, values)
        self._searches.add(f"{number} played", Judged(values[step.action], None, (), len(values)))
        self._searches.add(f"{number}", Judged(values[best], None, (best,), analysis.visits))

    def _worth(self, step: Step, move: MoveInfo) -> float:
        """What a move is worth to who makes it."""
        appraise = self._record.game.appraise
        return move.winrate if appraise is None else float(appraise(step.before, move))

    def _best(self, analysis: Analysis, values: dict[int, float]) -> int:
        """The move that is worth most; what the player likes best where several are."""
        return max((move.action for move in analysis.moves), key=values.__getitem__)

    def _luck(self, player: Player, step: Step) -> float | None:
        """The luck of the roll for who rolled, where the player's policy expects something."""
        rolled: Any = step.rolled
        if player.policy is None:
            return None
        policies = Copies(player.policy).at(rolled.before)[0]
        if not has_estimate(policies[0]):
            return None
        luck = luck_of(rolled.before, rolled.event, policies, new_rng(0))
        if self._record.game.appraise is None:
            facts = self._record.game.facts
            luck /= facts.high - facts.low
        return luck if step.player == 1 else -luck
