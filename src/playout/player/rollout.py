"""The player `rollout`: tries every legal move by trials of a base policy, and drops moves on the way."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.games.game import Game
from playout.games.position import Position
from playout.kernel import new_rng, next_u64
from playout.player.api import VALUED, Analysis, MoveInfo, Player
from playout.player.clock import Clock
from playout.player.timing import UNBOUNDED, deadline
from playout.search.rollout import Candidate, Helpers, Rollout, RolloutSettings
from playout.settings import setting

PROGRESS = Callable[[Rollout], None]


@dataclass(frozen=True, kw_only=True)
class RolloutPlayerSettings(RolloutSettings):
    """Settings of rollouts."""

    base: str = setting("random", "policy that plays the trials, for all players")
    seconds: float | None = setting(
        None, "seconds a move at most; a clock may allow less", low=0.001, high=1_000_000
    )
    threads: int = setting(1, "threads that share the trials; the result is the same", low=1, high=256)
    seed: int | None = setting(None, "random seed; none takes a new one each time", low=0)


class _Threads:
    """Threads of a player that make trials."""

    def __init__(self, count: int) -> None:
        self._count, self._pool = count, ThreadPoolExecutor(count, thread_name_prefix="rollout")

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self._pool.submit(work, *arguments)

    def slots(self) -> int:
        return self._count

    def is_lost(self, error: BaseException) -> bool:
        return False

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


class RolloutPlayer(Player):
    """Plays the move with the greatest mean of its trials.

    helpers: who makes the trials, where that are not the player's own threads: a cluster (`arena.pool`).
    """

    def __init__(self, name: str, settings: RolloutPlayerSettings, base: Any) -> None:
        self.name, self.settings, self.clock = name, settings, Clock()
        self.policy = base
        self.helpers: Helpers | None = None
        self._threads: _Threads | None = None
        self._rng = new_rng(settings.seed)
        self._stopped = threading.Event()

    def prepare(
        self,
        position: Position,
        trials: int | None = 0,
        root: np.ndarray | None = None,
        actions: Sequence[int] | None = None,
    ) -> Rollout:
        """A rollout of all candidates of a position, without a trial yet. trials: 0 takes the player's.

        root, actions: a state and what is done in it, where those are not the position's.
        """
        settings = self.settings if trials == 0 else dataclasses.replace(self.settings, trials=trials)
        helpers = self.helpers
        if helpers is None and settings.threads > 1:
            helpers = self._threads = self._threads or _Threads(settings.threads)
        return Rollout(
            position.game,
            position.simulation_root() if root is None else root,
            position.candidates() if actions is None else actions,
            self.policy,
            settings,
            int(next_u64(self._rng[0])),
            helpers,
        )

    def roll_out(self, position: Position, progress: PROGRESS | None = None) -> Rollout:
        """A rollout of all candidates of a position, with as many trials as a move gets.

        progress: told of it after each round.

        >>> from playout import make_player
        >>> from playout.games.toy.tictactoe import GAME
        >>> position = GAME.new_position().play("a1").play("a2").play("b1").play("b2")
        >>> rollout = make_player("rollout:trials=300,seed=1", GAME).roll_out(position)
        >>> position.spell(rollout.best), rollout.candidates()[0].equity
        ('c1', 1.0)
        """
        go_on = self._limit(position)
        rollout = self.prepare(position)

        def tell() -> None:
            if self.onlooker is not None:
                self.onlooker.glance(lambda: analysis_of(position, rollout))
            if progress is not None:
                progress(rollout)

        rollout.run(go_on, tell)
        return rollout

    def _limit(self, position: Position) -> Callable[[], bool]:
        """What says, whenever it is asked, whether there is time for more trials."""
        until = self._deadline(position)
        self._stopped.clear()
        return lambda: not self._stopped.is_set() and (until is None or time.monotonic() < until)

    def roll_one(self, position: Position, root: np.ndarray, action: int) -> Candidate:
        """What an action comes to in a state, with as many trials as a move gets."""
        go_on = self._limit(position)
        rollout = self.prepare(position, root=root, actions=[action])
        most = self.settings.trials or VALUED
        while rollout.trials < most and rollout.step(go_on) and go_on():
            pass
        return rollout.candidates()[0]

    def choose_action(self, position: Position) -> int:
        moves = position.candidates()
        if len(moves) == 1 and self.onlooker is None:
            return moves[0]
        rollout = self.roll_out(position)
        if self.onlooker is not None:
            self.onlooker.tell(analysis_of(position, rollout).putting_first(rollout.best))
        return rollout.best

    def value(self, position: Position) -> float:
        share = analysis_of(position, self.roll_out(position)).winrate
        return share if position.to_play == 1 else 1.0 - share

    def analyse(self, position: Position) -> Iterator[Analysis]:
        rollout = self.prepare(position, trials=None)
        while True:
            rollout.step()
            yield analysis_of(position, rollout)

    def thoughts(self, position: Position) -> Iterator[Analysis]:
        go_on = self._limit(position)
        rollout = self.prepare(position)
        while not rollout.trials or (not rollout.is_finished and go_on()):
            rollout.step(go_on)
            yield analysis_of(position, rollout)

    def check(self, position: Position) -> None:
        self._deadline(position)

    def _deadline(self, position: Position) -> float | None:
        """When a rollout that begins now must end; refused where nothing would end it."""
        s = self.settings
        trials = UNBOUNDED if s.trials is None and s.precision is not None else s.trials
        return deadline(self.name, trials, s.seconds, self.clock, position)

    def stop(self) -> None:
        self._stopped.set()

    def warm_up(self, position: Position) -> None:
        if position.is_chance or position.is_over:
            position = position.copy().settle(new_rng(0))
        if position.candidates():
            self.prepare(position, trials=1).step()

    def close(self) -> None:
        if self._threads is not None:
            self._threads.close()
            self._threads = None


def rollout_player(spec: str, game: Game, **changes: str) -> RolloutPlayer:
    """A player of rollouts from its spec, with some settings changed.

    >>> from playout.games.toy.dice_race import GAME
    >>> rollout_player("rollout:trials=100", GAME, trials="50").settings.trials
    50
    """
    from playout.player.registry import make_player, spec_of, split_spec

    name, values = split_spec(spec, game)
    player = make_player(spec_of(name, {**values, **changes}, game), game)
    if not isinstance(player, RolloutPlayer):
        raise InputError(f"player {player.name} makes no rollouts: give a spec that begins with rollout")
    return player


def analysis_of(position: Position, rollout: Rollout) -> Analysis:
    """A rollout as every player tells what it has found."""
    facts, found = position.game.facts, rollout.candidates()
    if not found[0].trials:
        raise InputError("a rollout was stopped before its first trial")

    def share(equity: float) -> float:
        return float(np.clip((equity - facts.low) / (facts.high - facts.low), 0.0, 1.0))

    moves = []
    for each in found:
        interval = each.standing.interval
        lowest = facts.low if interval is None else interval[0]
        moves.append(
            MoveInfo(
                each.action,
                each.trials,
                share(each.equity),
                share(lowest),
                1 / len(found),
                (each.action,),
                chances=each.chances,
            )
        )
    return Analysis(position.to_play, tuple(moves))
