"""Temporal-difference search and Dyna-2 as players: learn about the position, then play by what was learnt.

A game says what is learnt into (`TDSearchPlayer.memory`). With `depth` above 1 the move is found by
alpha-beta over the values that the search has learnt: the hybrid search of Silver (2009), section 7.5. Where
there is a time for the move, the two share it, and neither leaves idle what the other has no use for.
"""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.games.position import Position
from playout.kernel import new_rng
from playout.memory import step_sizes
from playout.memory.td import TRACES
from playout.player.alphabeta import deepen, share_of
from playout.player.api import RESIGN, Analysis, MoveInfo, Player
from playout.player.clock import DECAYS, Clock
from playout.player.ending import QUICK, Resignation, checks_until, ending_of
from playout.player.pondering import Pondering
from playout.player.simple import Outlook
from playout.player.timing import UNBOUNDED, Limit, deadline
from playout.policy.api import Copies
from playout.search.alphabeta import MAX_DEPTH, AlphaBeta, Enhancements
from playout.search.td_search import Memory, TDSearch, TDSettings
from playout.settings import names, setting

ROUND = 256  # simulations between two analyses
TAKEN_BACK = 2  # moves at most in a game that is still the same
SPARE = 2.0  # times what alpha-beta took before is kept for it when it comes once more
Look = Callable[[int], Analysis]
Moment = tuple[object, list[Any]]  # of a game: how it began, and its moves


@dataclass(frozen=True, kw_only=True)
class TDSearchSettings:
    """Settings of temporal-difference search; the defaults are the paper's but for α, which was measured."""

    sims: int | None = setting(
        2000,
        "simulations a move at most; none, as with seconds: only time ends a search",
        low=1,
        high=1_000_000_000,
    )
    seconds: float | None = setting(
        None, "seconds a move at most; a clock may allow less", low=0.001, high=1_000_000
    )
    policy: str = setting("random", "default policy, from the switch on")
    switch: int | None = setting(
        6, "T: moves of a simulation before the default policy plays; none: never", low=0, high=100_000
    )
    alpha: float = setting(0.5, "α: step size, divided by the active features (6.3)", low=1e-9, high=1000)
    epsilon: float = setting(0.1, "ε: how often a move before the switch is random", low=0, high=1)
    policy_epsilon: float = setting(
        0.0, "ε′: how often a move before the switch is the default policy's (10.3.2)", low=0, high=0.99
    )
    late_epsilon: float = setting(0.0, "how often a move after the switch is random", low=0, high=1)
    lam: float = setting(0.0, "λ: how far back an error reaches (5.4–5.6)", low=0, high=1)
    traces: str = setting("accumulating", "kind of traces, with λ above 0", choices=TRACES)
    plies: int = setting(2, "moves between the two positions of an update", low=1, high=2)
    online: bool = setting(False, "update in the middle of a simulation, as printed (Algorithm 5)")
    steps: str = setting("constant", "rule of step sizes (10.3.1)", choices=tuple(step_sizes.RULES))
    halving: float = setting(
        1000.0,
        "simulations (decaying) or occurrences (per-feature) after which a step is half as large",
        low=1e-6,
        high=1e12,
    )
    variance: float = setting(0.01, "of weights at first, for steps=kalman", low=1e-9, high=1000)
    optimism: float = setting(
        0.0,
        "c of the bonus by virtual counts (10.3.2); for features shapes, groups and table",
        low=0,
        high=1000,
    )
    keep: bool = setting(True, "keep what was learnt from move to move")
    lag: int = setting(
        0, "play by what the search of so many moves ago has learnt, for experiments (6.6)", low=0, high=64
    )
    depth: int = setting(1, "plies of alpha-beta over what was learnt (7.5); 1: none", low=1, high=MAX_DEPTH)
    alphabeta_share: float = setting(
        0.5, "part of the time of a move, where there is one, for alpha-beta (7.5)", low=0, high=1
    )
    decay: float | None = setting(
        None,
        "each move takes decay/(points of the board) of the clock's time left (7.5); none: dealt out evenly",
        low=DECAYS[0],
        high=DECAYS[1],
    )
    threads: int = setting(1, "threads that share the memory", low=1, high=256)
    ponder: bool = setting(False, "think on while the opponent does (in GTP and in the terminal; with keep)")
    resign: float = setting(0.0, "resign when the value of the best move is less than this", low=0, high=1)
    resign_turns: int = setting(3, "on so many turns in a row before it resigns", low=1, high=1000)
    seed: int | None = setting(None, "random seed; none takes a new one each time", low=0)

    def of_search(self) -> TDSettings:
        """Those of the search."""
        return TDSettings(**{name: getattr(self, name) for name in names(TDSettings)})


class TDSearchPlayer(Player):
    """Searches by temporal differences and plays the move of best value."""

    settings: TDSearchSettings

    def __init__(self, name: str, settings: TDSearchSettings, policy: Any) -> None:
        self.name, self.settings, self.clock, self.policy = name, settings, Clock(), policy
        self._resignation = Resignation(settings.resign, settings.resign_turns)
        self._stopped = threading.Event()
        self._pondering = Pondering()
        self._search = self.new_search()
        self._last: Moment | None = None  # where the last search was
        self._analysed: tuple[TDSearch, Moment] | None = None  # an analysis since then
        self._older: list[tuple[int, np.ndarray]] = []  # weights of searches before, by the moves of the game

    @abstractmethod
    def memory(self) -> Memory:
        """What is learnt into."""

    def new_search(self) -> TDSearch:
        s = self.settings
        return TDSearch(self.memory(), self.policy, s.of_search(), threads=s.threads, seed=s.seed)

    def new_game(self) -> None:
        self._pondering.end()
        self._search.clear()
        self._last = self._analysed = None
        self._older.clear()
        self._resignation.new_game()

    def close(self) -> None:
        self._pondering.end()
        self._search.close()

    def stop(self) -> None:
        self._stopped.set()
        self._pondering.end()

    def ponder(self, position: Position) -> None:
        """Learn on from games against itself that begin where the opponent is to move (section 7.5)."""
        self._pondering.end()
        if self.settings.ponder and self.settings.keep and self._last is not None:
            self._pondering.begin(position, lambda there, go_on: self.prepare(there).run(UNBOUNDED, go_on))

    def prepare(self, position: Position) -> TDSearch:
        """The search at a position; what it has learnt in the same game is kept."""
        goes_on = self._goes_on(position)
        if not goes_on:
            self._older.clear()
        if not goes_on or not self.settings.keep:
            self._search.clear()
        self._last, self._analysed = (position.origin, list(position.moves)), None
        self._search.start(position.simulation_root())
        return self._search

    def look(self, position: Position) -> TDSearch:
        """A search of its own at a position, which begins with a copy of what was learnt in the same game.

        It finds what the player would find there, and changes nothing that the player knows. Close it.
        """
        kept = self.settings.keep and self._goes_on(position)
        return self._copy_at(position, self._search if kept else None)

    def recall(self, position: Position) -> TDSearch | None:
        """A copy of what the last search of the same game has learnt, be it for a move or for an analysis."""
        if self._analysed is not None and self._goes_on(position, self._analysed[1]):
            return self._copy_at(position, self._analysed[0])
        return self._copy_at(position, self._search) if self._goes_on(position) else None

    def _copy_at(self, position: Position, learnt: TDSearch | None) -> TDSearch:
        search = self.new_search()
        if learnt is not None:
            search.take_over(learnt)
        search.start(position.simulation_root())
        return search

    def think(self, position: Position, search: TDSearch) -> list[tuple[int, float]]:
        """Let a search go on for as long as a move gets; what it then thinks of the moves (`ranked`)."""
        return self._search_until(position, search, self._begin(position), None)

    def _goes_on(self, position: Position, last: Moment | None = None) -> bool:
        """Whether a position is of the game that was searched last: further on, or some moves taken back."""
        last = last or self._last
        if last is None:
            return False
        origin, moves = last
        kept = max(0, len(moves) - TAKEN_BACK)
        return origin == position.origin and moves[:kept] == position.moves[:kept]

    def choose_action(self, position: Position) -> int:
        until = self._begin(position)
        ending = ending_of(position, self.policy, checks_until(until))
        if (action := ending.at_once()) is not None:
            return action
        search = self.prepare(position)
        look = self._looking(position, search, self.onlooker is not None and self.onlooker.ownership)
        ranked = self._search_until(position, search, until, look)
        if self.onlooker is not None:
            self.onlooker.tell(look(0).putting_first(ranked[0][0]))
        if self._resignation.is_due(position, ranked[0][1]):
            return RESIGN
        return ending.decide(ranked[:2], ranked[0][1])

    def value(self, position: Position) -> float:
        """V after the best move, for player 1."""
        best = self.think(position, self.prepare(position))[0][1]
        return best if position.to_play == 1 else 1.0 - best

    def _begin(self, position: Position) -> float | None:
        """Get ready to search for a move; the moment at which it must be there, if there is one."""
        s = self.settings
        until = deadline(self.name, s.sims, s.seconds, self.clock, position, s.decay)
        self._pondering.end()
        self._stopped.clear()
        return until

    def _search_until(
        self, position: Position, search: TDSearch, until: float | None, look: Look | None
    ) -> list[tuple[int, float]]:
        """Both searches, one after the other: the moves as `ranked` has them. look: for who looks on.

        Where there is a time, alpha-beta has its share of it, and what simulations leave. When it reaches
        its depth sooner, the rest of the time is for simulations, but for what alpha-beta needs to search
        once more by what they have taught.
        """
        s, sims = self.settings, self.settings.sims or UNBOUNDED
        simulated_until = until
        if until is not None and s.depth > 1:
            simulated_until = until - s.alphabeta_share * (until - time.monotonic())
        made = self._simulate(search, sims, Limit(s.sims, simulated_until, self._stopped), look)
        began = time.monotonic()
        ranked = self.ranked(position, search, until)
        if until is None or s.depth == 1 or made >= sims or self._stopped.is_set():
            return ranked
        now = time.monotonic()
        simulated_until = until - SPARE * (now - began)
        if now < simulated_until:
            self._simulate(search, sims - made, Limit(s.sims, simulated_until, self._stopped), look)
            ranked = self.ranked(position, search, until)
        return ranked

    def _simulate(self, search: TDSearch, simulations: int, limit: Limit, look: Look | None) -> int:
        """Make simulations, and tell who looks on; how many were made."""
        onlooker = self.onlooker
        if onlooker is None or look is None:
            return search.run(simulations, limit)

        def go_on(done: int) -> bool:
            onlooker.glance(lambda: look(done))
            return limit(done)

        return search.run(simulations, go_on)

    def ranked(self, position: Position, search: TDSearch, until: float | None) -> list[tuple[int, float]]:
        """The moves with their values for the mover, the best first; that of alpha-beta before all others."""
        moves = position.candidates()
        weights = self._lagging(search, len(position.moves))
        values = search.values(moves, weights)
        own = values if position.to_play == 1 else 1.0 - values
        order = np.argsort(-own, kind="stable")
        ranked = [(moves[k], float(own[k])) for k in order]
        if self.settings.depth > 1:
            enhancements = Enhancements(table=True, killers=True, null_move=False)
            alphabeta = AlphaBeta(*search.reading(weights), enhancements)
            root, depth = position.simulation_root(), self.settings.depth
            found = deepen(alphabeta, root, [move for move, _ in ranked], depth, until, self._stopped)
            share = share_of(found.value)
            best = (found.action, share if position.to_play == 1 else 1.0 - share)
            ranked = [best, *(pair for pair in ranked if pair[0] != found.action)]
        return ranked

    def _lagging(self, search: TDSearch, moves: int) -> np.ndarray | None:
        """The weights of the search that was made `lag` moves ago or just before; None: those of now.

        Early in a game they are those of its first search.
        """
        if self.settings.lag == 0 or search is not self._search:
            return None
        self._older = [pair for pair in self._older if pair[0] < moves]  # others were taken back
        self._older.append((moves, search.weights.copy()))
        while len(self._older) > 1 and self._older[1][0] <= moves - self.settings.lag:
            del self._older[0]
        return self._older[0][1]

    def warm_up(self, position: Position) -> None:
        self._pondering.end()
        under_way = self._last is not None  # what was learnt in a game is left alone
        search = self.new_search() if under_way else self._search
        if not position.is_over:
            search.start(position.simulation_root())
            search.run(2)
            self.ranked(position, search, time.monotonic())
        ending_of(position, self.policy, QUICK).warm_up()
        if under_way:
            search.close()
        else:
            self.new_game()

    def analyse(self, position: Position) -> Iterator[Analysis]:
        self._pondering.end()
        search = self.look(position)  # looking on between moves changes nothing
        self._analysed = search, (position.origin, list(position.moves))
        look = self._looking(position, search, ownership=True)
        try:
            while True:
                search.run(ROUND)
                yield look(0)
        finally:
            search.close()

    def _looking(self, position: Position, search: TDSearch, ownership: bool) -> Look:
        """What tells what a search has found so far, with so many simulations under way beside its own."""
        outlook = None
        if ownership:
            policies, rng = Copies(self.policy).at(position.record)[0], new_rng(self.settings.seed)
            outlook = Outlook(position, policies, rng)

        def look(under_way: int) -> Analysis:
            owners = None if outlook is None else outlook.look(32)
            return _found(position, search, search.simulations + under_way, owners)

        return look


def _found(position: Position, search: TDSearch, simulations: int, owners: np.ndarray | None) -> Analysis:
    """What a search has found. All simulations teach about all moves; they are shared out by value."""
    moves = position.candidates()
    values = search.values(moves)
    own = values if position.to_play == 1 else 1.0 - values
    share = np.exp(own - own.max())
    share /= share.sum()
    visits = np.maximum(1, np.round(share * simulations))
    return Analysis(
        to_play=position.to_play,
        moves=tuple(
            MoveInfo(moves[k], int(visits[k]), float(own[k]), float(own[k]), float(share[k]), (moves[k],))
            for k in np.argsort(-own, kind="stable")
        ),
        ownership=owners,
    )
