"""Sarsa(λ) with features: Algorithm 1 of Silver (2009), linear and non-linear, over any memory.

    δ = r + γ Q(s', a') − Q(s, a),    e ← γ λ e + φ(s, a) / ‖φ‖²,    θ ← θ + α δ e             (2.27–2.30)

Actions are chosen ε-greedily by Q(s, a) = φ(s, a)·θ, squashed by σ or not (`memory.td`, where the update
stands). Algorithm 1 has its lines 11 and 12 the wrong way round: the trace is updated before the weights,
or the present pair would never learn from its own error.

With a model in place of the world the same episodes are linear TD search (Algorithm 4), and with a second
memory beneath the one that learns they are SEARCH of Dyna-2 (Algorithm 6; `search.dyna2`).

Values are player 1's; where there are two, both play by one memory, and `plies` says how far apart the two
pairs of an update are. They are shares of what lies between the bounds of the game, as everywhere in
`memory.td`; people see them in the game's own units. A pair of which nothing is known is worth `initial`.

>>> from playout.games.toy import random_walk
>>> from playout.memory.groups import Groups
>>> learner = SarsaControl(Groups(groups="here"), Sarsa(alpha=0.2, lam=0.5), seed=1)
>>> learner.learn(random_walk.start(states=5), 500).episodes
500
>>> left, right = learner.values(random_walk.start(states=5), [0, 1])
>>> bool(right > left)
True
"""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.api import facts_of, has_rewards, is_over, outcome
from playout.kernel import inner, kernel, new_rng
from playout.learn.agents import BY_ACTION, BY_STATE, end_episode, take_step
from playout.memory import step_sizes
from playout.memory.api import (
    Memory,
    Parts,
    active,
    add_action,
    after_values,
    begin_history,
    look,
    refresh,
    under_rule,
)
from playout.memory.blank import unknown_value
from playout.memory.pairs import Pairs, pair_value
from playout.memory.td import EXPERIENCE, TRACES, Learner, squash
from playout.search.models import observed
from playout.search.self_play import NEVER, NO_POLICY, Episode, begin_episode
from playout.search.simulation import is_cut, make_chance_moves, take_turn
from playout.settings import convert, setting

RULES = ("linear", "nonlinear", "logistic")
STEPS = ("constant", "per-feature")
PIECE = 64  # episodes between two looks at the keyboard
NEAREST = 1e-3  # to the bounds that an initial value comes, where σ squashes values


@dataclass(frozen=True, kw_only=True)
class Sarsa:
    """How Sarsa(λ) learns."""

    rule: str = setting("linear", "whether σ squashes values, and whether its slope counts", choices=RULES)
    alpha: float = setting(0.1, "step size α, divided by the active features", low=1e-9, high=1000)
    epsilon: float = setting(0.1, "how often an action is random", low=0.0, high=1.0)
    lam: float = setting(0.0, "λ: how far back an error reaches", low=0.0, high=1.0)
    traces: str = setting("accumulating", "kind of traces, with λ above 0", choices=TRACES)
    plies: int = setting(1, "actions between the two pairs of an update", low=1, high=2)
    steps: str = setting("constant", "rule of step sizes (10.3.1); per-feature decays", choices=STEPS)
    halving: float = setting(
        1000.0, "h: occurrences after which a step is half as large", low=1e-9, high=1e12
    )
    initial: float | None = setting(
        None, "value of unknown pairs; none: 0 with rewards, else as good as even"
    )
    longest: int = setting(10_000, "actions after which an episode is cut off", low=1, high=1 << 32)

    def __post_init__(self) -> None:
        hints = typing.get_type_hints(type(self))
        for field in dataclasses.fields(self):
            convert(field, hints[field.name], getattr(self, field.name))

    def learner(self) -> Learner:
        """The same as what the update is told."""
        names = ("rule", "alpha", "epsilon", "lam", "traces", "plies")
        return Learner(**{name: getattr(self, name) for name in names})

    def record(self) -> np.ndarray:
        """What an episode is told, as an array of one record."""
        record = self.learner().record()
        record["steps"], record["halving"] = step_sizes.RULES[self.steps], self.halving
        return record

    def episode(self, root: np.ndarray, parts: Parts) -> tuple[np.ndarray, ...]:
        """Room for an episode."""
        facts, weights = facts_of(root.dtype), parts.weights
        known = step_sizes.new_knowledge(weights.size // 2 if self.steps == "per-feature" else 1, 0.0)
        longest = min(facts.moves, self.longest)
        made = Episode.of(self.learner(), weights, parts.max_active, longest, facts.most_choices)
        return dataclasses.replace(made, known=known).arrays()

    def agent(self, root: np.ndarray, by_action: bool = True, leaves: bool = False) -> np.ndarray:
        """How values are seen, as an array of one record.

        leaves: the default policy plays where no feature is active, out of the tree (6.7).
        """
        value = unknown_value(root) if self.initial is None else self.initial
        part = to_share(root, value)
        if self.rule != "linear":
            part = min(max(part, NEAREST), 1.0 - NEAREST)
        x = part - 0.5 if self.rule == "linear" else math.log(part / (1.0 - part))
        return np.array([(x, leaves)], BY_ACTION if by_action else BY_STATE)


def to_share(root: np.ndarray, value: float) -> float:
    """A value as a share of what lies between the bounds of a game."""
    facts = facts_of(root.dtype)
    return (value - facts.low) / (facts.high - facts.low)


def from_share(root: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Shares as values of a game."""
    facts = facts_of(root.dtype)
    return facts.low + values * (facts.high - facts.low)


# -- episodes -------------------------------------------------------------------------------------------


@inner
def sarsa(agent, memory, index, weights, learnt, state, learner, policy, switch, episode, experience, rng):
    """One episode from a state on (Algorithm 1, lines 4–14); return its return and whether it was cut off."""
    values, paid, fade = episode[2], episode[3], episode[4]
    begin_episode(learner, episode)
    first_paid, first_fade, moves = make_chance_moves(state, rng, 0)
    begin_history(memory, index, weights, observed(state))
    t = 0
    cut = False
    while not is_over(state):
        action = take_step(
            agent, memory, index, weights, learnt, state, learner, policy, switch, t, episode, experience, rng
        )
        if t + 3 >= values.size or is_cut(state, moves):
            cut = True  # what comes after has its value already
            break
        add_action(memory, index, weights, observed(state), action)
        reward, gamma, moves = take_turn(state, action, rng, moves)
        paid[t] = reward if has_rewards(state) else 0.0
        fade[t] = gamma if has_rewards(state) else 1.0
        t += 1
    if not cut:
        end_episode(learnt, learner, state, t, episode, experience)
    experience.games += np.uint64(1)
    experience.moves += np.uint64(t)
    total_paid = 0.0 if cut else float(outcome(state))
    for k in range(t - 1, -1, -1):
        total_paid = paid[k] + fade[k] * total_paid
    return first_paid + first_fade * total_paid, cut


@kernel
def sarsa_episodes(
    roots,
    work,
    memories,
    index,
    weights,
    learners,
    agents,
    policies,
    switch,
    episode,
    experiences,
    rng,
    returns,
):
    """Episodes from one state, an entry of `returns` each; return how many were cut off."""
    cuts = 0
    for k in range(returns.size):
        work[0] = roots[0]
        returns[k], cut = sarsa(
            agents[0],
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
        cuts += cut
    return cuts


@kernel
def pair_values(memories, index, weights, roots, learners, agents, features, actions, values):
    """Q(s, a) of a state's actions, as shares."""
    begin_history(memories[0], index, weights, observed(roots[0]))
    look(memories[0], index, weights, observed(roots[0]))
    count = active(memories[0], index, observed(roots[0]), features)
    for k in range(actions.size):
        x = pair_value(memories[0], weights, roots[0], features, count, actions[k])
        values[k] = squash(learners[0], agents[0].unknown_q + x)


@kernel
def state_values(memories, index, weights, roots, learners, agents, room, actions, values):
    """V of what a state's actions lead to, as shares; beyond an end about 0 or 1. room: not needed."""
    begin_history(memories[0], index, weights, roots[0])
    look(memories[0], index, weights, roots[0])
    refresh(memories[0], index, weights)
    after = np.zeros(actions.size, np.float32)
    after_values(memories[0], index, weights, roots[0], actions, actions.size, after)
    for k in range(actions.size):
        values[k] = min(max(squash(learners[0], agents[0].unknown_v + after[k]), 0.0), 1.0)


@dataclass(frozen=True)
class Learnt:
    """What weights have been learnt from."""

    episodes: int
    cut: int  # of them too long, and cut off
    steps: int


class SarsaControl:
    """Sarsa(λ) over a memory of states, whose features become those of pairs."""

    def __init__(self, memory: Memory, settings: Sarsa = Sarsa(), seed: int | None = None) -> None:
        self.settings, self._memory = settings, Pairs(memory)
        self._rng = new_rng(seed)
        self._learner = settings.record()
        self._experience = np.zeros(1, EXPERIENCE)
        self._cut = 0
        self._dtype: np.dtype | None = None

    def _prepare(self, root: np.ndarray) -> None:
        """Make room for the episodes of a game."""
        if self._dtype == root.dtype:
            return
        if self._dtype is not None:
            raise InputError("a learner's weights belong to one game: make another one for this")
        self._parts = under_rule(self._memory.parts_for(root), self.settings.rule == "linear")
        self._agent = self.settings.agent(root)
        self._episode = self.settings.episode(root, self._parts)
        self._dtype = root.dtype

    def learn(self, root: np.ndarray, episodes: int) -> Learnt:
        """Learn from episodes that begin in a state, an array of one record; all that was learnt so far."""
        self.returns(root, episodes)
        return self.learnt

    def returns(self, root: np.ndarray, episodes: int) -> np.ndarray:
        """The same; the return of each episode."""
        self._prepare(root)
        work, found, parts = root.copy(), np.zeros(episodes), self._parts
        for first in range(0, episodes, PIECE):
            self._cut += sarsa_episodes(
                root,
                work,
                parts.memory,
                parts.index,
                parts.weights,
                self._learner,
                self._agent,
                NEVER_ASKED,
                NEVER,
                self._episode,
                self._experience,
                self._rng,
                found[first : first + PIECE],
            )
        return found

    @property
    def learnt(self) -> Learnt:
        """What the weights have been learnt from."""
        e = self._experience
        return Learnt(int(e["games"][0]), self._cut, int(e["moves"][0]))

    @property
    def weights(self) -> np.ndarray:
        """The weights in pairs, a block for each action."""
        return self._parts.weights

    def values(self, root: np.ndarray, actions: Iterable[int]) -> np.ndarray:
        """Q of a state's actions, player 1's, in the game's own units."""
        self._prepare(root)
        asked = np.array(list(actions), np.uint16)
        found, parts = np.zeros(asked.size), self._parts
        room = np.zeros(parts.max_active + 2, np.uint32)
        pair_values(
            parts.memory,
            parts.index,
            parts.weights,
            root,
            self._learner,
            self._agent,
            room,
            asked,
            found,
        )
        return from_share(root, found)


NEVER_ASKED = np.zeros(1, NO_POLICY)
