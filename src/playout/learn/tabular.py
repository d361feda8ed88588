"""Control by table look-up: Monte-Carlo control, Sarsa(λ) and Q-learning (Silver 2009, section 2.3).

One value Q(s, a) for each pair of a state and an action, and the number N(s, a) of its visits. Episodes are
played ε-greedily and the values are drawn towards what came of it:

- monte-carlo: towards the return R_t, after the episode;
- sarsa: towards r + γ Q(s', a'), a' being the action that is made next, with eligibility traces;
- q-learning: towards r + γ max over a' of Q(s', a'), the value of the best action, whatever is made next.

Values are player 1's. He maximises; player 2, who plays with the same table, minimises. Plain and exact: the
ground that learners with features are compared with.

Algorithm 1 of the thesis has its lines 11 and 12 the other way round: the present pair must be in the trace
when the error is paid out, as (2.13) and (2.15) say.

States are told apart by their `position_key`. The table has room for a fixed number of pairs.

>>> from playout.games.toy import tictactoe
>>> learner = TabularControl(Tabular(method="q-learning"), seed=1)
>>> learner.learn(tictactoe.start(), 1000).episodes
1000
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.api import (
    GameError,
    facts_of,
    has_rewards,
    is_over,
    legal_moves,
    outcome,
    position_key,
    to_play,
)
from playout.kernel import below, inner, is_implemented, kernel, new_rng, record_type, uniform
from playout.kernel.rng import STEP, mix
from playout.memory.blank import unknown_value
from playout.search.simulation import is_cut, make_chance_moves, take_turn
from playout.settings import convert, setting

MONTE_CARLO, SARSA, Q_LEARNING = 0, 1, 2
METHODS = {"monte-carlo": MONTE_CARLO, "sarsa": SARSA, "q-learning": Q_LEARNING}
FAINT = 1e-12  # a trace below this is forgotten
PIECE = 256  # episodes between two looks at the keyboard

CELL = record_type(
    [
        ("pair_key", "u8"),  # of the state
        ("q", "f8"),  # Q(s, a)
        ("eligibility", "f8"),  # e(s, a)
        ("n", "u4"),  # N(s, a)
        ("pair_action", "u2"),
        ("taken", "u1"),  # whether a pair is here
    ]
)
STEPS = record_type([("cell_at", "u8"), ("step_paid", "f8"), ("step_fade", "f8")])
CONTROL = record_type(
    [
        ("step_size", "f8"),  # α; 0: 1/N(s, a)
        ("random_share", "f8"),  # ε
        ("trace_decay", "f8"),  # λ
        ("initial", "f8"),  # Q of a pair that was never met
        ("method", "u1"),
        ("replacing", "u1"),
        ("room", "u8"),  # pairs that the table may hold
        ("pairs", "u8"),  # that it holds
        ("episodes", "u8"),
        ("cut", "u8"),  # episodes that were too long
        ("steps", "u8"),
        ("full", "u1"),  # there was no room for another pair
    ]
)


@dataclass(frozen=True, kw_only=True)
class Tabular:
    """How a table is learnt."""

    method: str = setting("sarsa", "what values are drawn towards", choices=tuple(METHODS))
    alpha: float | None = setting(0.1, "step size α; none: 1/N(s, a), the mean", low=1e-9, high=1.0)
    epsilon: float = setting(0.1, "how often an action is random", low=0.0, high=1.0)
    lam: float = setting(0.0, "λ of sarsa's traces", low=0.0, high=1.0)
    traces: str = setting(
        "accumulating", "what a visit does to a trace", choices=("accumulating", "replacing")
    )
    initial: float | None = setting(None, "Q of unknown pairs; none: 0 with rewards, else as good as even")
    capacity: int = setting(1 << 20, "pairs of a state and an action", low=1, high=1 << 32)
    longest: int = setting(10_000, "steps after which an episode is cut off", low=1, high=1 << 32)

    def __post_init__(self) -> None:
        hints = typing.get_type_hints(type(self))
        for field in dataclasses.fields(self):
            convert(field, hints[field.name], getattr(self, field.name))
        if self.lam > 0 and self.method != "sarsa":
            raise InputError(f"lam: {self.method} has no traces; leave it at 0, or take sarsa")


# -- the table ------------------------------------------------------------------------------------------


@inner
def find(cells, key, action):
    """The cell of a pair, or the empty one where it would be: there is always one."""
    at = mix(key + np.uint64(action + 1) * STEP) % np.uint64(cells.size)
    while cells[at].taken and not (cells[at].pair_key == key and cells[at].pair_action == action):
        at += np.uint64(1)
        if at == np.uint64(cells.size):
            at = np.uint64(0)
    return at


@inner
def claim(cells, control, key, action):
    """The cell of a pair, which gets one if it has none; without room the table is `full`."""
    at = find(cells, key, action)
    if not cells[at].taken:
        if control.pairs == control.room:
            control.full = 1
            return at
        control.pairs += np.uint64(1)
        cells[at].taken = 1
        cells[at].pair_key = key
        cells[at].pair_action = action
        cells[at].q = control.initial
    return at


@inner
def look_up(cells, control, key, action):
    """Q(s, a)."""
    at = find(cells, key, action)
    return cells[at].q if cells[at].taken else control.initial


@inner
def step_size(cell, control):
    """α."""
    return control.step_size if control.step_size > 0.0 else 1.0 / cell.n


# -- episodes -------------------------------------------------------------------------------------------


@inner
def best_of(cells, control, state, actions):
    """How many actions there are, the best one for who is to move, the first of equals, and its value."""
    count = legal_moves(state, actions)
    if count < 1 or count > actions.size:
        raise GameError("legal_moves gives no action, or more than the game declares (choices)")
    key = np.uint64(position_key(state))
    sign = 1.0 if to_play(state) == 1 else -1.0
    best = actions[0]
    highest = look_up(cells, control, key, best)
    for k in range(1, count):
        value = look_up(cells, control, key, actions[k])
        if sign * value > sign * highest:
            best, highest = actions[k], value
    return count, best, highest


@inner
def best_value(cells, control, state, actions):
    """The value of a state's best action."""
    return best_of(cells, control, state, actions)[2]


@inner
def choose(cells, control, state, actions, rng):
    """The ε-greedy action, its value, and the value of the best one; the first of equals."""
    count, best, value = best_of(cells, control, state, actions)
    if control.random_share > 0.0 and uniform(rng) < control.random_share:
        chosen = actions[below(rng, count)]
        return chosen, look_up(cells, control, np.uint64(position_key(state)), chosen), value
    return best, value, value


@inner
def is_too_long(state, moves, t, steps):
    """Whether an episode ends here though its game goes on."""
    return t == steps.size or is_cut(state, moves)


@inner
def pay_out(cells, control, steps, traced, at, delta, fade):
    """Draw all pairs with a trace towards the target; return how many have one after this step."""
    cell = cells[at]
    if cell.eligibility == 0.0:
        steps[traced].cell_at = at
        traced += 1
    if control.replacing:
        cell.eligibility = 1.0  # (2.16)
    else:
        cell.eligibility += 1.0  # (2.13)
    kept = 0
    for k in range(traced):
        other = cells[steps[k].cell_at]
        other.q += step_size(other, control) * delta * other.eligibility  # (2.15, 2.18)
        other.eligibility *= fade * control.trace_decay
        if other.eligibility < FAINT:
            other.eligibility = 0.0
        else:
            steps[kept].cell_at = steps[k].cell_at
            kept += 1
    return kept


@inner
def learn_by_differences(cells, control, state, steps, actions, rng):
    """An episode of Sarsa(λ) (Algorithm 1) or Q-learning."""
    _, _, moves = make_chance_moves(state, rng, 0)
    traced = 0
    t = 0
    if is_over(state):
        return
    action, _, _ = choose(cells, control, state, actions, rng)
    while True:
        at = claim(cells, control, np.uint64(position_key(state)), action)
        if control.full:
            break
        cells[at].n += np.uint32(1)
        paid, fade, moves = take_turn(state, action, rng, moves)
        t += 1
        control.steps += np.uint64(1)
        over = is_over(state)
        if over:
            after = float(outcome(state))
        else:
            action, after, best = choose(cells, control, state, actions, rng)
            if control.method == Q_LEARNING:
                after = best
        delta = paid + fade * after - cells[at].q  # (2.14)
        if control.trace_decay > 0.0:
            traced = pay_out(cells, control, steps, traced, at, delta, fade)
        else:
            cells[at].q += step_size(cells[at], control) * delta  # (2.12)
        if over:
            break
        if is_too_long(state, moves, t, steps):  # what comes after has its value already
            control.cut += np.uint64(1)
            break
    for k in range(traced):
        cells[steps[k].cell_at].eligibility = 0.0


@inner
def learn_by_returns(cells, control, state, steps, actions, rng):
    """An episode of Monte-Carlo control. One that is cut off has a return only if there are rewards."""
    _, _, moves = make_chance_moves(state, rng, 0)
    t = 0
    while not is_over(state):
        if is_too_long(state, moves, t, steps):
            control.cut += np.uint64(1)
            if not has_rewards(state):
                return
            break
        action, _, _ = choose(cells, control, state, actions, rng)
        steps[t].cell_at = claim(cells, control, np.uint64(position_key(state)), action)
        if control.full:
            return
        steps[t].step_paid, steps[t].step_fade, moves = take_turn(state, action, rng, moves)
        t += 1
        control.steps += np.uint64(1)
    z = float(outcome(state)) if is_over(state) else 0.0
    for k in range(t - 1, -1, -1):
        z = steps[k].step_paid + steps[k].step_fade * z  # R_t
        cell = cells[steps[k].cell_at]
        cell.n += np.uint32(1)  # (2.9)
        cell.q += step_size(cell, control) * (z - cell.q)  # (2.10)


@kernel
def learn_episodes(roots, work, cells, controls, steps, actions, rng, episodes):
    """Episodes from one state, until the table is full.

    roots, work, controls, rng: arrays of one record each. steps, actions: room to work in.
    """
    control = controls[0]
    for _ in range(episodes):
        work[0] = roots[0]
        if control.method == MONTE_CARLO:
            learn_by_returns(cells, control, work[0], steps, actions, rng[0])
        else:
            learn_by_differences(cells, control, work[0], steps, actions, rng[0])
        if control.full:
            return
        control.episodes += np.uint64(1)


@kernel
def read(cells, controls, roots, actions, values, visits):
    """Write Q and N of a state's actions."""
    key = np.uint64(position_key(roots[0]))
    for k in range(actions.size):
        cell = cells[find(cells, key, actions[k])]
        values[k] = cell.q if cell.taken else controls[0].initial
        visits[k] = cell.n


@dataclass(frozen=True)
class Learnt:
    """What a table has been learnt from."""

    episodes: int
    cut: int  # of them too long, and cut off
    steps: int
    pairs: int  # of a state and an action, in the table


class TabularControl:
    """A table of action values, and its learner."""

    def __init__(self, settings: Tabular = Tabular(), seed: int | None = None) -> None:
        self.settings = settings
        self._rng = new_rng(seed)
        # A third of the cells stays empty, so that a search for a pair is short and always ends.
        self._cells = np.zeros(settings.capacity + settings.capacity // 2 + 1, CELL)
        self._control = np.zeros(1, CONTROL)
        c, s = self._control, settings
        c["step_size"] = s.alpha or 0.0
        c["random_share"], c["trace_decay"], c["room"] = s.epsilon, s.lam, s.capacity
        c["method"], c["replacing"] = METHODS[s.method], s.traces == "replacing"
        self._dtype: np.dtype | None = None

    def _prepare(self, root: np.ndarray) -> None:
        """Make room for the episodes of a game."""
        if self._dtype == root.dtype:
            return
        if self._dtype is not None:
            raise InputError("a table belongs to one game: make another one for this")
        if not is_implemented(position_key, root.dtype):
            raise InputError("a table tells states apart by position_key, which this game does not have")
        facts, s = facts_of(root.dtype), self.settings
        self._control["initial"] = unknown_value(root) if s.initial is None else s.initial
        self._steps = np.zeros(min(facts.moves, s.longest), STEPS)
        self._actions = np.zeros(facts.most_choices, np.uint16)
        self._dtype = root.dtype

    def learn(self, root: np.ndarray, episodes: int) -> Learnt:
        """Learn from episodes that begin in a state, an array of one record; all that was learnt so far."""
        self._prepare(root)
        work, control = root.copy(), self._control
        for first in range(0, episodes, PIECE):
            piece = min(PIECE, episodes - first)
            learn_episodes(root, work, self._cells, control, self._steps, self._actions, self._rng, piece)
            self._check_room()
        return self.learnt

    def _check_room(self) -> None:
        """Say that the table is full, if it is."""
        if self._control["full"][0]:
            self._control["full"] = 0
            raise InputError(
                f"the table is full with {self.settings.capacity:,} pairs of a state and an action: "
                f"give it a larger capacity"
            )

    @property
    def learnt(self) -> Learnt:
        """What the table has been learnt from."""
        return Learnt(*(int(self._control[name][0]) for name in ("episodes", "cut", "steps", "pairs")))

    def _read(self, root: np.ndarray, actions: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
        self._prepare(root)
        asked = np.array(list(actions), np.uint16)
        values, visits = np.zeros(asked.size), np.zeros(asked.size, np.int64)
        read(self._cells, self._control, root, asked, values, visits)
        return values, visits

    def values(self, root: np.ndarray, actions: Iterable[int]) -> np.ndarray:
        """Q of a state's actions, player 1's."""
        return self._read(root, actions)[0]

    def visits(self, root: np.ndarray, actions: Iterable[int]) -> np.ndarray:
        """N of a state's actions."""
        return self._read(root, actions)[1]
