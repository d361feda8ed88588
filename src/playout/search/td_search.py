"""Temporal-difference search: simulations from the present state teach a value function (Silver 2009, ch. 6).

SEARCH(s_0) of Algorithms 4 and 5: while there is time, SELFPLAY(s_0); then the action with the best
value. There is no tree. What generalises between states is a memory: its features, and weights that are
learnt from these simulations and, kept from move to move, from those of the searches before. With weights
that begin as those of a long-term memory it is Dyna-2 with both memories' features the same (Algorithm 7;
`dyna2`).

Algorithm 5 updates the weights in the middle of a simulation: ``online``. By default they stay as they
are while a simulation lasts, and are updated by all its positions when it has ended, as the author's
program does; that is several times as fast, because a feature needs one addition for all the positions in
which it was active.

>>> from playout.games.go.board import Board
>>> from playout.games.go.memory.short_term import ShortTerm
>>> from playout.games.go.policy import Uniform
>>> board = Board(3, komi=0.5)
>>> search = TDSearch(ShortTerm(), Uniform(), TDSettings(), seed=1)
>>> search.start(board.simulation_root())
>>> search.run(2000)
2000
>>> moves = board.candidates()[:-1]
>>> board.spell(moves[int(search.values(moves).argmax())])  # the middle wins the whole board
'B2'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from playout.errors import InputError, near
from playout.games.api import UNLIMITED, GameError, facts_of, has_rewards, is_over, outcome, share
from playout.kernel import inner, is_implemented, kernel, spawn
from playout.memory import step_sizes
from playout.memory.api import (
    Memory,
    Parts,
    after_values,
    begin_history,
    end_log,
    look,
    look_and_log,
    refresh,
    value_now,
    virtual_count,
)
from playout.memory.td import EXPERIENCE, Learner, squash, sweep
from playout.policy.api import Copies
from playout.search.self_play import Episode, move_on, self_play
from playout.search.simulation import make_chance_moves
from playout.search.workers import Workers, apart

LONGEST = 4096  # moves of a simulation of a game that declares no longest


@dataclass(frozen=True, kw_only=True)
class TDSettings:
    """How a search learns; the defaults are the paper's (section 6.8)."""

    alpha: float = 0.1
    epsilon: float = 0.1
    lam: float = 0.0
    traces: str = "accumulating"
    plies: int = 2
    switch: int | None = 6  # T: moves of a simulation before the default policy plays; None: never
    online: bool = False  # update in the middle of a simulation, as printed
    policy_epsilon: float = 0.0  # ε′: how often a move before the switch is the default policy's (10.3.2)
    late_epsilon: float = 0.0  # how often a move after it is random
    steps: str = "constant"  # rule of step sizes (10.3.1): see `memory.step_sizes`
    halving: float = 1000.0  # h: simulations or occurrences after which a step is half as large
    variance: float = 0.01  # p_0 of the Kalman filter
    optimism: float = 0.0  # c of the bonus by virtual counts (10.3.2)

    def __post_init__(self) -> None:
        self.learner()  # refuses what cannot be
        if self.switch is not None and self.switch < 0:
            raise InputError(f"switch: {self.switch} is not a number of moves from 0 on, or none")
        for name in ("policy_epsilon", "late_epsilon"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name}: {getattr(self, name):g} is not a probability from 0 to 1")
        if self.steps not in step_sizes.RULES:
            raise InputError(
                f"steps: {self.steps!r} is not one of them{near(str(self.steps), step_sizes.RULES)}"
            )
        for name in ("halving", "variance"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise InputError(f"{name}: {getattr(self, name):g} is not a number above 0")
        if not (math.isfinite(self.optimism) and self.optimism >= 0):
            raise InputError(f"optimism: {self.optimism:g} is not a number from 0 on")
        if (self.adapts or self.optimism > 0) and not self.is_swept:
            raise InputError("steps that adapt and optimism need lam=0 and online=false")
        if self.policy_epsilon > 0 and self.epsilon + self.policy_epsilon >= 1:
            raise InputError("epsilon and policy_epsilon are 1 or more together: no move is greedy then")

    def learner(self) -> Learner:
        """The same as what the update is told."""
        return Learner(
            alpha=self.alpha, epsilon=self.epsilon, lam=self.lam, traces=self.traces, plies=self.plies
        )

    def record(self) -> np.ndarray:
        """What a simulation is told, as an array of one record."""
        record = self.learner().record()
        for name in ("policy_epsilon", "late_epsilon", "halving", "optimism"):
            record[name] = getattr(self, name)
        record["steps"] = step_sizes.RULES[self.steps]
        return record

    @property
    def adapts(self) -> bool:
        """Whether step sizes change."""
        return self.steps != "constant"

    def new_knowledge(self, weights: int) -> np.ndarray:
        """Room for what is known of each weight, where something is."""
        used = self.steps in ("per-feature", "kalman") or self.optimism > 0
        return step_sizes.new_knowledge(weights if used else 1, self.variance)

    @property
    def is_swept(self) -> bool:
        """Whether the weights are updated when a simulation has ended; traces need every step."""
        return not self.online and self.lam == 0


@inner
def simulate_and_sweep(
    memory, index, weights, state, learner, policy, switch, episode, log, counts, rooms, experience, rng
):
    """One simulation with the weights as they are, and then its updates (6.2, 6.3)."""
    history, _, values, paid, fade, _, _, _, _, _, known = episode
    features = history[0]
    t = 0
    logged = 0
    make_chance_moves(state, rng, 0)
    over = is_over(state)
    begin_history(memory, index, weights, state)
    while not over:
        if t + 2 >= values.size:
            if not has_rewards(state):
                raise GameError("a game is longer than the search was told")
            break  # a problem with rewards is cut off there
        logged, count = look_and_log(memory, index, weights, state, log, logged, t, features)
        values[t] = squash(learner, value_now(memory, weights, features, count))
        counts[t] = count
        move_on(memory, index, weights, state, learner, policy, switch, t, episode, experience, rng)
        t += 1
        over = is_over(state)
    logged = end_log(memory, log, logged, t)
    z = share(state, outcome(state) if over else 0.0)
    sweep(weights, known, learner, state, values, counts, paid, fade, t, z, log, logged, rooms, experience)
    experience.games += np.uint64(1)
    experience.moves += np.uint64(t)
    experience.player_1_wins += z


@kernel
def simulations_from(
    roots,
    work,
    memories,
    index,
    weights,
    learners,
    policies,
    switch,
    swept,
    episode,
    log,
    counts,
    rooms,
    experiences,
    rng,
    simulations,
):
    """SEARCH: simulations from one state, learning from each."""
    for _ in range(simulations):
        work[0] = roots[0]
        if swept:
            simulate_and_sweep(
                memories[0],
                index,
                weights,
                work[0],
                learners[0],
                policies[0],
                switch,
                episode,
                log,
                counts,
                rooms,
                experiences[0],
                rng[0],
            )
        else:
            self_play(
                memories[0],
                index,
                weights,
                weights,
                work[0],
                learners[0],
                policies[0],
                switch,
                episode,
                experiences[0],
                rng[0],
            )


@kernel
def values_after(memories, index, weights, roots, actions, values):
    """φ·θ after each action."""
    begin_history(memories[0], index, weights, roots[0])
    look(memories[0], index, weights, roots[0])
    refresh(memories[0], index, weights)
    after_values(memories[0], index, weights, roots[0], actions, actions.size, values)


class TDSearch:
    """Learns the values around a state from simulations that begin there.

    memory: what is learnt into; its weights are kept until `clear`. policy: settings of the default
    policy, as `policy.api.Copies` takes them. Threads share the weights without locks; each has all else
    of its own.
    """

    def __init__(
        self, memory: Memory, policy: Any, settings: TDSettings, *, threads: int = 1, seed: int | None = None
    ) -> None:
        self.settings, self._memory, self._threads = settings, memory, threads
        self._policies = Copies(policy, threads, apart)
        self._rngs = [apart(rng) for rng in spawn(seed, threads)]
        self._learner = settings.record()
        if settings.steps == "decaying":
            self._learner["halving"] /= threads  # each counts its own simulations
        self._workers = Workers(threads, self._simulate, "td-search")
        self._root: np.ndarray | None = None
        self._parts: Parts | None = None
        self.simulations = 0  # since the weights were cleared or taken over
        self.before = 0  # simulations behind the weights that were taken over

    def clear(self) -> None:
        """Forget the weights: a new game begins."""
        self._parts = None
        self.simulations = self.before = 0

    def start(self, root: np.ndarray) -> None:
        """Take a state for the next simulations to begin from; weights that were learnt are kept."""
        fits = self._root is not None and self._root.dtype == root.dtype
        self._root = root.copy()
        self._policies.at(root)
        if self._parts is None or not fits:
            parts = self._memory.parts_for(root)
            if self.settings.optimism > 0 and not is_implemented(virtual_count, parts.memory.dtype):
                raise InputError(
                    "optimism needs features that are counted: groups, table or local shapes of Go; "
                    "leave it at 0"
                )
            self._parts = parts
            self.simulations = self.before = 0
            self._prepare(root, self._parts)

    def take_over(self, other: TDSearch) -> None:
        """Know a copy of what another search has learnt, and go on with the same random numbers."""
        parts = other._parts
        if parts is None or other._root is None:
            self.clear()
            return
        self._parts = replace(parts, index=parts.index.copy(), weights=parts.weights.copy())
        self._root, self.simulations, self.before = other._root, 0, other.before + other.simulations
        self._prepare(other._root, self._parts)
        self.knowledge[:] = other.knowledge
        self._experiences[0][:] = other._experiences[0]
        if self._threads == other._threads:
            self._rngs = [apart(rng) for rng in other._rngs]

    def state(self) -> dict[str, np.ndarray]:
        """All that the next simulations depend on, as arrays; `restore` goes on from them."""
        assert self._parts is not None
        memories = np.concatenate([memory.view(np.uint8) for memory in self._memories])
        return {
            "index": self._parts.index,
            "pairs": self._parts.weights,
            "knowledge": self.knowledge.view(np.uint8),
            "memories": memories,
            "rngs": np.array([[rng["word"][0], rng["ready"][0]] for rng in self._rngs], np.uint64),
        }

    def restore(self, simulations: int, state: Mapping[str, np.ndarray]) -> None:
        """Go on where another search of the same kind was; ValueError if it was of another."""
        now = self.state()
        for name, array in now.items():
            if state[name].dtype != array.dtype or state[name].shape != array.shape:
                raise ValueError(f"{name} is of another kind")
        for name in ("index", "pairs", "knowledge"):
            now[name][:] = state[name]
        size = now["memories"].size // self._threads
        for k, (memory, rng) in enumerate(zip(self._memories, self._rngs, strict=True)):
            memory.view(np.uint8)[:] = state["memories"][k * size :][:size]
            rng["word"], rng["ready"] = state["rngs"][k]
        self.simulations = simulations

    def _prepare(self, root: np.ndarray, parts: Parts) -> None:
        """Room for each thread."""
        facts, threads = facts_of(root.dtype), range(self._threads)
        longest = LONGEST if facts.moves >= UNLIMITED else facts.moves
        entries = (longest + 2) * parts.max_active if self.settings.is_swept else 1
        learner = self.settings.learner()
        self._memories = [apart(parts.memory) for _ in threads]
        self._states = [apart(root) for _ in threads]
        self._experiences = [apart(np.zeros(1, EXPERIENCE)) for _ in threads]
        known = self.knowledge = self.settings.new_knowledge(parts.weights.size // 2)
        self._episodes = [
            replace(
                Episode.of(learner, parts.weights, parts.max_active, longest, facts.most_choices), known=known
            ).arrays()
            for _ in threads
        ]
        self._logs = [np.empty((entries, 3), np.uint32) for _ in threads]
        self._counts = [np.zeros(longest + 3, np.int64) for _ in threads]
        self._rooms = [np.zeros((4, longest + 4)) for _ in threads]

    def run(self, simulations: int, go_on: Callable[[int], bool] | None = None) -> int:
        """Make simulations, shared among the threads; how many were made. go_on: see `Workers.run`."""
        if self._root is None or bool(is_over(self._root[0])):
            raise InputError("there is nothing to search: the game is over, or no state was given")
        made = self._workers.run(simulations, go_on)
        self.simulations += made
        return made

    def _simulate(self, k: int, simulations: int) -> None:
        parts, switch = self._parts, self.settings.switch
        assert parts is not None
        simulations_from(
            self._root,
            self._states[k],
            self._memories[k],
            parts.index,
            parts.weights,
            self._learner,
            self._policies.records[k],
            UNLIMITED if switch is None else switch,
            self.settings.is_swept,
            self._episodes[k],
            self._logs[k],
            self._counts[k],
            self._rooms[k],
            self._experiences[k],
            self._rngs[k],
            simulations,
        )

    def values(self, actions: Iterable[int], weights: np.ndarray | None = None) -> np.ndarray:
        """V after each action, for player 1. weights: others of the same memory, such as older ones."""
        assert self._parts is not None
        chosen = np.array(list(actions), np.uint16)
        found = np.zeros(chosen.size, np.float32)
        read = self._parts.weights if weights is None else weights
        values_after(self._memories[0], self._parts.index, read, self._root, chosen, found)
        return 1.0 / (1.0 + np.exp(-np.clip(found.astype(np.float64), -700, 700)))

    def reading(self, weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The memory with its index and its weights, or others, for a search over what was learnt."""
        assert self._parts is not None
        read = self._parts.weights if weights is None else weights
        return self._memories[0], self._parts.index, read

    @property
    def parts(self) -> Parts:
        """What is learnt into, as it is now; for `memory.saved`."""
        assert self._parts is not None
        return self._parts

    @property
    def weights(self) -> np.ndarray:
        """The weights in pairs, as they are now."""
        assert self._parts is not None
        return self._parts.weights

    def close(self) -> None:
        """End the threads; a later run starts them again."""
        self._workers.close()
