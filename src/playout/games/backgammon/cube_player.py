"""What players do with the cube: any player whose policy can say what a state is worth, or be rolled out.

- A rollout player rolls out the position before the roll, with as many trials as a play gets.
- A player whose policy has an estimate takes that.
- A search without an estimate (`flat`, `uct`, …) lets its simulation policy play on, 1,296 times.
- Who has nothing of the kind (`random`) never doubles and always takes. Programs outside decide themselves.

Chances of wins, gammons and backgammons are found without the cube; `cube` makes decisions of them.
"""

from __future__ import annotations

import numpy as np

from playout.games.backgammon.as_position import BackgammonPosition
from playout.games.backgammon.cube import CubeDecision, decision_of, equity_of
from playout.games.backgammon.doubling import DOUBLE, PASS, PLAYS, ROLL, TAKE
from playout.games.backgammon.notation import after
from playout.games.backgammon.rules import TALLIES
from playout.games.backgammon.state import OFFERED, UNUSED
from playout.kernel import clone, kernel, new_rng, next_u64
from playout.player.api import Analysis, MoveInfo, Player
from playout.player.rollout import RolloutPlayer
from playout.player.simple import PolicyPlayer
from playout.policy.api import Copies, estimate, has_estimate
from playout.search.rollout import Candidate, Rollout, RolloutSettings, seen_by_other

TRIALS = 1296


@kernel
def _estimate(states, policies, chances):
    """The chances of kinds of ends that a policy expects of a state."""
    estimate(policies[0], states[0], chances)


def before_roll(position: BackgammonPosition) -> np.ndarray:
    """The state before the roll, without the cube, as an array of one record."""
    state = position.simulation_root()
    state["dice"] = 0
    return state


def tallies_by(player: Player, position: BackgammonPosition) -> tuple[tuple[float, ...], int] | None:
    """The chances of ends from player 1's side before the roll, by a player; and of how many trials they are.

    None where the player has no opinion.
    """
    state = before_roll(position)
    if isinstance(player, RolloutPlayer):
        return _tallies(player.roll_one(position, state, ROLL), state)
    if player.policy is None:
        return None
    policies = Copies(player.policy).at(state)[0]
    if has_estimate(policies[0]):
        chances = np.zeros(len(TALLIES))
        _estimate(state, policies, chances)
        return tuple(map(float, chances)), 1
    if isinstance(player, PolicyPlayer):
        return None
    seed = int(next_u64(new_rng(getattr(player.settings, "seed", None))[0]))
    rollout = Rollout(position.game, state, [ROLL], player.policy, RolloutSettings(trials=TRIALS), seed)
    while rollout.trials < TRIALS:
        rollout.step()
    return _tallies(rollout.candidates()[0], state)


def _tallies(found: Candidate, state: np.ndarray) -> tuple[tuple[float, ...], int]:
    """From player 1's side, and the trials behind them."""
    mine = np.array(found.chances)
    tallies = mine if state["turn"][0] == 1 else seen_by_other(TALLIES, mine)
    return tuple(map(float, tallies)), found.trials


def cube_decision(player: Player, position: BackgammonPosition) -> CubeDecision | None:
    """Whether who is on roll should double, and the other take, by a player; None: it has no opinion.

    >>> from playout import make_player
    >>> position = BackgammonPosition.from_id("4HPwATDgc/ABMA", cube=True)
    >>> cube_decision(make_player("td80", "backgammon"), position).verdict
    'no double, take'
    """
    found = tallies_by(player, position)
    return None if found is None else decision_of(position.record[0], found[0])


def decide(player: Player, position: BackgammonPosition) -> Analysis | None:
    """What a player thinks of doubling or taking, the better first; None where that is not asked for."""
    if not position.is_decided_apart:
        return None
    offered = position.record["doubling"][0] == OFFERED
    found = tallies_by(player, position)
    if found is None:
        ranked = [(TAKE, 0.0), (PASS, 0.0)] if offered else [(ROLL, 0.0), (DOUBLE, 0.0)]
        return _analysis(position, ranked, 1)
    decision = decision_of(position.record[0], found[0])
    if offered:
        ranked = [(TAKE, -decision.double_take), (PASS, -decision.double_pass)]
        first = TAKE if decision.takes else PASS
    else:
        ranked = [(ROLL, decision.no_double), (DOUBLE, decision.doubled)]
        first = DOUBLE if decision.doubles else ROLL
    return _analysis(position, sorted(ranked, key=lambda each: each[0] != first), found[1])


def _analysis(position: BackgammonPosition, ranked: list[tuple[int, float]], trials: int) -> Analysis:
    facts = position.game.facts
    moves = []
    for action, equity in ranked:
        share = float(np.clip((equity - facts.low) / (facts.high - facts.low), 0.0, 1.0))
        moves.append(MoveInfo(action, trials, share, share, 0.5, (action,), score_lead=equity))
    return Analysis(position.to_play, tuple(moves))


def appraise(position: BackgammonPosition, move: MoveInfo) -> float:
    """What a move is worth to who makes it: in units of the cube, in a match normalised (EMG).

    Where the cube is in use, with what it may still do.
    """
    facts = position.game.facts
    if move.action >= PLAYS:
        return float(move.score_lead or 0.0)
    plain = facts.low + (facts.high - facts.low) * move.winrate
    state = position.record[0]
    if not move.chances or (state.doubling == UNUSED and not state.length):
        return plain
    later = after(clone(position.record), move.action)
    player = position.to_play
    mine = np.array(move.chances)
    tallies = mine if player == 1 else seen_by_other(TALLIES, mine)
    return equity_of(later[0], tallies, player)
