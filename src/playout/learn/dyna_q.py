"""Dyna-Q: Q-learning by table look-up from real experience and from what is remembered of it (Sutton 1990;
Silver 2009, section 3.2.3).

After each real step Q learns from it, and the model (`search.learnt_model`) remembers it. Then some steps are
planned: a state and an action that were met before are drawn, what came of them is drawn from the model, and
Q learns from that as if it had happened. Unlike Dyna-2 it looks back, at all that was met, and not ahead from
the present state.

The table and its settings are those of `learn.tabular`.

>>> from playout.games.toy import gridworld
>>> learner = DynaQ(Tabular(method="q-learning", alpha=0.5), planning=20, seed=1)
>>> returns = learner.returns(gridworld.start("dyna", 0.0), 20)
>>> bool(returns[-5:].mean() > returns[:5].mean())
True
"""

from __future__ import annotations

import numpy as np

from playout.errors import InputError
from playout.games.api import is_over, outcome, position_key
from playout.kernel import below, inner, kernel, uniform
from playout.learn.tabular import (
    Learnt,
    Tabular,
    TabularControl,
    best_value,
    choose,
    claim,
    step_size,
)
from playout.search.learnt_model import NOWHERE, LearntModel, Model
from playout.search.simulation import is_cut, make_chance_moves, take_turn

MOST_PLANNING = 1_000_000


@inner
def learn_transition(cells, control, state, action, paid, fade, after, actions):
    """Q(s, a) ← Q(s, a) + α (r + γ max Q(s', ·) − Q(s, a))."""
    at = claim(cells, control, np.uint64(position_key(state)), action)
    if control.full:
        return
    cells[at].n += np.uint32(1)
    value = float(outcome(after)) if is_over(after) else best_value(cells, control, after, actions)
    delta = paid + fade * value - cells[at].q  # (2.14)
    cells[at].q += step_size(cells[at], control) * delta


@kernel
def real_step(states, before, cells, controls, actions, moves, rng):
    """One real step; return the action, what it paid, its γ and the moves so far."""
    control = controls[0]
    before[0] = states[0]
    action, _, _ = choose(cells, control, states[0], actions, rng[0])
    paid, fade, moves = take_turn(states[0], action, rng[0], moves)
    learn_transition(cells, control, before[0], action, paid, fade, states[0], actions)
    control.steps += np.uint64(1)
    return action, paid, fade, moves


@kernel
def plan(cells, controls, nodes, transitions, pairs, count, planning, actions, rng):
    """Steps drawn from the model. pairs: numbers of states and actions; count: how many there are."""
    for _ in range(planning):
        pair = below(rng[0], count)
        node, action = nodes[pairs[pair, 0]], pairs[pair, 1]
        left = uniform(rng[0]) * node.tried[action]
        at = node.first[action]
        while left >= transitions[at].happened and transitions[at].another != NOWHERE:
            left -= transitions[at].happened
            at = transitions[at].another
        now = transitions[at]
        after = nodes[now.leads_to].known[0]
        learn_transition(cells, controls[0], node.known[0], action, now.paid, now.fade, after, actions)


@kernel
def begin(states, rng):
    """Chance moves first; return what that pays, its γ and the moves."""
    return make_chance_moves(states[0], rng[0], 0)


@kernel
def is_too_long(states, moves):
    """Whether an episode ends here though its game goes on."""
    return is_cut(states[0], moves)


class DynaQ(TabularControl):
    """A table of action values that learns from real and from remembered steps.

    planning: remembered steps after each real one; 0: Q-learning.
    """

    def __init__(
        self,
        settings: Tabular | None = None,
        *,
        planning: int = 10,
        model: Model | None = None,
        seed: int | None = None,
    ) -> None:
        settings = Tabular(method="q-learning") if settings is None else settings
        if settings.method != "q-learning":
            raise InputError(f"method: Dyna-Q learns by q-learning, and not by {settings.method}")
        if not 0 <= planning <= MOST_PLANNING:
            raise InputError(f"planning: {planning} is not a number of steps from 0 to {MOST_PLANNING:,}")
        super().__init__(settings, seed)
        self.planning, self._how = planning, Model() if model is None else model
        self.model: LearntModel | None = None

    def learn(self, root: np.ndarray, episodes: int) -> Learnt:
        """Learn from episodes that begin in a state, an array of one record; all that was learnt so far."""
        self.returns(root, episodes)
        return self.learnt

    def returns(self, root: np.ndarray, episodes: int) -> np.ndarray:
        """The same; the return of each episode."""
        self._prepare(root)
        if self.model is None:
            self.model = LearntModel(root, self._how)
            self._pairs = np.zeros((self._how.transitions, 2), np.int64)
        return np.array([self._episode(root) for _ in range(episodes)])

    def _episode(self, root: np.ndarray) -> float:
        assert self.model is not None
        state, before, control = root.copy(), root.copy(), self._control
        total, weight, moves = begin(state, self._rng)
        for _ in range(self._steps.size):
            if is_over(state[0]):
                break
            if is_too_long(state, moves):
                control["cut"] += 1
                break
            action, paid, fade, moves = real_step(
                state, before, self._cells, control, self._actions, moves, self._rng
            )
            total, weight = total + weight * paid, weight * fade
            known = len(self.model.pairs)
            self.model.update(before, int(action), paid, fade, state)
            if len(self.model.pairs) > known:
                self._pairs[known] = self.model.pairs[-1]
            plan(
                self._cells,
                control,
                *self.model.reading(),
                self._pairs,
                len(self.model.pairs),
                self.planning,
                self._actions,
                self._rng,
            )
            self._check_room()
        control["episodes"] += 1
        return float(total + weight * (float(outcome(state[0])) if is_over(state[0]) else 0.0))
