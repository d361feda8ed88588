"""Dyna-2: learning from what has happened and from what might (Silver 2009, Algorithms 6 and 7).

Two memories. The long-term memory learns from real experience, by Sarsa(λ) with Q(s, a) = φ(s, a)·θ (7.1).
Before each real action a search begins at the present state. Its simulations teach the short-term memory, and
choose their actions, by the sum of both, Q̄(s, a) = φ(s, a)·θ + φ̄(s, a)·θ̄ (7.2; `memory.both`). The real
action is chosen by Q̄ too. A new episode begins with an empty short-term memory.

What a search simulates with is the game itself, or a model that is learnt from the same real experience
(`search.learnt_model`).

A problem for one is valued by actions. A game for two is valued by states, as Algorithm 7 has it: V(s), the
action being chosen by what it leads to, with the logistic rule and updates two plies apart if the settings
say so; both players are real, and play by the same memories.

Special cases: without a short-term memory it is linear Sarsa; without a long-term memory, TD search; with a
table that grows by one state a simulation, λ = 1 and α = 1/N, Monte-Carlo tree search (6.7); with a long-term
memory beneath that table whose values count for C visits, heuristic Monte-Carlo tree search (8.11.1).

>>> from playout.games.toy import random_walk
>>> from playout.memory.groups import Groups
>>> from playout.memory.table import Table
>>> agent = Dyna2(Groups(groups="here"), Table(grows=0), Dyna2Settings(simulations=20), seed=1)
>>> returns = agent.learn(random_walk.start(states=5), 30)
>>> float(returns[-10:].mean()) > 0.5
True
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from playout.errors import InputError
from playout.games.api import UNLIMITED, facts_of, has_rewards, is_over, outcome
from playout.kernel import kernel, new_rng, spawn
from playout.learn.agents import choose, end_episode, learn_pair, see
from playout.learn.sarsa import Sarsa, from_share, pair_values, sarsa_episodes, state_values
from playout.memory.api import Memory, add_action, begin_history, under_rule
from playout.memory.blank import Blank
from playout.memory.both import Both
from playout.memory.pairs import Pairs
from playout.memory.td import EXPERIENCE
from playout.policy.api import Copies
from playout.policy.random import Random
from playout.search.learnt_model import LearntModel, Model
from playout.search.self_play import begin_episode
from playout.search.simulation import is_cut, make_chance_moves, take_turn
from playout.settings import check_values, setting


@dataclass(frozen=True, kw_only=True)
class Dyna2Settings:
    """How Dyna-2 learns and searches.

    by_action: whether Q(s, a) is learnt, and not V(s); None: in problems for one. learning: α, λ and ε of
    real experience. search: ᾱ, λ̄ and ε̄ of simulations; rule and initial are those of learning, because both
    memories are under one sum. model: how a model is learnt; None: the game is known.
    """

    simulations: int = setting(50, "simulations before each real action", low=0, high=1_000_000_000)
    switch: int | None = setting(
        None, "T: actions of a simulation before the default policy plays; none: never", low=0, high=100_000
    )
    leaves: bool = setting(False, "the default policy plays in new states, out of the tree")
    by_action: bool | None = None
    learning: Sarsa = field(default_factory=Sarsa)
    search: Sarsa = field(default_factory=Sarsa)
    model: Model | None = None

    def __post_init__(self) -> None:
        names = ("simulations", "switch", "leaves")
        check_values(Dyna2Settings, {name: getattr(self, name) for name in names})
        if self.leaves and self.search.steps != "per-feature":
            raise InputError("leaves: what is new is known by counts: let the search take steps per-feature")

    @property
    def searching(self) -> Sarsa:
        """Settings of the search under the rule of both memories."""
        return replace(self.search, rule=self.learning.rule, initial=self.learning.initial)


# -- real experience, a step at a time ------------------------------------------------------------------


@kernel
def start_real(memories, index, weights, states, learners, episode, rng):
    """e ← 0; chance moves until a player is to. Returns what that pays, γ of it, and the moves."""
    begin_episode(learners[0], episode)
    paid, fade, moves = make_chance_moves(states[0], rng[0], 0)
    begin_history(memories[0], index, weights, states[0])
    return paid, fade, moves


@kernel
def choose_real(agents, memories, index, weights, states, epsilon, room, experiences, rng):
    """The ε-greedy action by Q̄ (Algorithm 6, lines 9 and 14). room: arrays of an episode."""
    memory, state = memories[0], states[0]
    begin_history(memory, index, weights, state)
    count = see(memory, index, weights, state, 0, room)
    return choose(
        agents[0],
        memory,
        index,
        weights,
        state,
        epsilon,
        room[0][0],
        count,
        room[5],
        room[6],
        experiences[0],
        rng[0],
    )


@kernel
def learn_real(agents, memories, index, weights, states, learners, action, t, episode, experiences):
    """δ ← r + γ Q(s', a') − Q(s, a), e, θ (lines 15–17): by the long-term value function alone."""
    see(memories[0], index, weights, states[0], t, episode)
    learn_pair(
        agents[0],
        memories[0],
        weights,
        weights,
        states[0],
        learners[0],
        action,
        t,
        episode,
        experiences[0],
    )


@kernel
def execute(memories, index, weights, states, action, t, episode, moves, rng):
    """Make an action; return r, γ and the moves so far (line 11)."""
    state = states[0]
    add_action(memories[0], index, weights, state, action)
    paid, fade, moves = take_turn(state, action, rng[0], moves)
    if not has_rewards(state):
        paid, fade = 0.0, 1.0
    episode[3][t] = paid
    episode[4][t] = fade
    return paid, fade, moves


@kernel
def end_real(weights, states, learners, t, episode, experiences):
    """The last pairs are drawn towards what is beyond the end."""
    end_episode(weights, learners[0], states[0], t, episode, experiences[0])


@kernel
def is_to_be_cut(states, moves):
    """Whether an episode ends here though its game goes on."""
    return is_cut(states[0], moves)


class Dyna2:
    """An agent with two memories. policy: settings of the default policy, for `switch` and `leaves`; random.

    long_term, short_term: memories of states; None: none, φ = ∅.
    """

    def __init__(
        self,
        long_term: Memory | None,
        short_term: Memory | None,
        settings: Dyna2Settings = Dyna2Settings(),
        policy: Any = None,
        seed: int | None = None,
    ) -> None:
        self.settings, self._memories = settings, (long_term, short_term)
        self._policy = Copies(Random() if policy is None else policy)
        self._world = new_rng(seed)
        (self._dreams,) = spawn(seed, 1)
        self.experience, self.simulated = np.zeros(1, EXPERIENCE), np.zeros(1, EXPERIENCE)
        self.model: LearntModel | None = None
        self._dtype: np.dtype | None = None

    def _prepare(self, root: np.ndarray) -> None:
        """Make the memories for a game: θ ← 0 (line 3), and a model without experience (line 2)."""
        if self._dtype == root.dtype:
            return
        if self._dtype is not None:
            raise InputError("an agent's memories belong to one game: make another one for this")
        s = self.settings
        by_action = facts_of(root.dtype).players == 1 if s.by_action is None else s.by_action
        if s.model is not None and not by_action:
            raise InputError("a model that is learnt goes with values of actions (by_action)")
        memories: list[Any] = [Blank() if memory is None else memory for memory in self._memories]
        long_term, short_term = (Pairs(memory) if by_action else memory for memory in memories)
        self.by_action = by_action
        self._both = Both(long_term, short_term)
        self._sum = under_rule(self._both.parts_for(root), s.learning.rule == "linear")
        self._long = self._both.long_term_parts
        for memory in (self._sum.memory, self._long.memory):
            if "linear" in (memory.dtype.names or ()):  # who values states by playing must know how V is made
                memory["linear"] = s.learning.rule == "linear"
        self._learner, self._searcher = s.learning.record(), s.searching.record()
        self._agent = s.learning.agent(root, by_action)
        self._dreamer = s.learning.agent(root, by_action, s.leaves)
        self._episode = s.learning.episode(root, self._long)
        self.model = None if s.model is None else LearntModel(root, s.model)
        begin = root if self.model is None else self.model.root(root)
        self._dream = s.searching.episode(begin, self._sum)
        self._work = begin.copy()
        self._root, self._dtype = root.copy(), root.dtype

    # -- LEARN ------------------------------------------------------------------------------------------

    def learn(self, root: np.ndarray, episodes: int) -> np.ndarray:
        """LEARN: real episodes that begin in a state, an array of one record; the return of each."""
        return np.array([self.episode(root) for _ in range(episodes)])

    def episode(self, root: np.ndarray) -> float:
        """One real episode (lines 5–19); its return."""
        self._prepare(root)
        s = root.copy()
        self.clear()  # line 6
        long = (self._long.memory, self._long.index, self._long.weights)
        paid, fade, moves = start_real(*long, s, self._learner, self._episode, self._world)
        total, weight, t, cut = paid, fade, 0, False
        while not is_over(s[0]):
            a = self._step(s, t)
            cut = t + 3 >= self._episode[2].size or is_to_be_cut(s, moves)
            if cut:
                break
            before = s.copy()
            r, gamma, moves = execute(*long, s, a, t, self._episode, moves, self._world)  # line 11
            if self.model is not None:
                self.model.update(before, a, r, gamma, s)  # line 12
            total, weight, t = total + weight * r, weight * gamma, t + 1
        if not cut:
            end_real(self._long.weights, s, self._learner, t, self._episode, self.experience)
            total += weight * float(outcome(s[0]))
        self.experience["games"] += 1
        self.experience["moves"] += t
        return total

    def _step(self, s: np.ndarray, t: int) -> int:
        """Search, choose and learn in the t-th state; the action.

        V(s) does not depend on the action, so an agent that values states has learnt when it searches.
        """
        if not self.by_action:
            self._learn(s, 0, t)
        self.search(s)  # lines 8 and 13
        a = self.choose(s, self.settings.learning.epsilon)  # lines 9 and 14
        if self.by_action:
            self._learn(s, a, t)  # lines 15–17
        return a

    def _learn(self, s: np.ndarray, a: int, t: int) -> None:
        long = (self._long.memory, self._long.index, self._long.weights)
        learn_real(self._agent, *long, s, self._learner, a, t, self._episode, self.experience)

    # -- SEARCH -----------------------------------------------------------------------------------------

    def clear(self) -> None:
        """θ̄ ← 0: a new episode begins."""
        self._both.parts_for(self._root)
        self._dream[10].fill(0)  # and the counts of its features

    def search(self, state: np.ndarray, simulations: int | None = None) -> None:
        """SEARCH(s): simulations from a state teach the short-term memory (lines 22–36)."""
        self._prepare(state)
        count = self.settings.simulations if simulations is None else simulations
        if self._memories[1] is None or count == 0:
            return
        root = state if self.model is None else self.model.root(state)
        switch = self.settings.switch
        sarsa_episodes(
            root,
            self._work,
            self._sum.memory,
            self._sum.index,
            self._sum.weights,
            self._searcher,
            self._dreamer,
            self._policy.at(root)[0],
            UNLIMITED if switch is None else switch,
            self._dream,
            self.simulated,
            self._dreams,
            np.zeros(count),
        )

    def choose(self, state: np.ndarray, epsilon: float = 0.0) -> int:
        """The action that is best by Q̄, or with probability ε any."""
        self._prepare(state)
        return int(
            choose_real(
                self._agent,
                self._sum.memory,
                self._sum.index,
                self._sum.weights,
                state,
                float(epsilon),
                self._dream,
                self.experience,
                self._world,
            )
        )

    # -- what was learnt --------------------------------------------------------------------------------

    def values(self, state: np.ndarray, actions: Iterable[int], long_term: bool = False) -> np.ndarray:
        """Q̄ of a state's actions, player 1's, in the game's own units; long_term: Q, without the search."""
        self._prepare(state)
        parts, asked = (self._long if long_term else self._sum), np.array(list(actions), np.uint16)
        found, room = np.zeros(asked.size), np.zeros(parts.max_active + 2, np.uint32)
        read = pair_values if self.by_action else state_values
        reading = (parts.memory, parts.index, parts.weights, state, self._learner, self._agent)
        read(*reading, room, asked, found)
        return from_share(state, found)

    @property
    def long_term_weights(self) -> np.ndarray:
        """θ in pairs."""
        return self._long.weights

    @property
    def short_term_weights(self) -> np.ndarray:
        """θ̄ in pairs."""
        return self._sum.weights[: self._sum.weights.size - self._long.weights.size]
