"""Temporal-difference learning of a value function from self-play (Silver 2009, ch. 2, 5 and appendix A).

V(s) = σ(φ(s)·θ) is the probability that player 1 wins. After each move the value of an earlier position is
drawn towards the value now:

    Δθ = α (V(s_{t+n}) - V(s_t)) φ(s_t) / ‖φ(s_t)‖²                                      (5.3, A.12)

with n = 2 plies from one move of a player to his next, or n = 1. Beyond the end of a game V is its outcome.
The rules differ in little:

- logistic: as above; nonlinear: times the slope of σ, V (1 - V) (A.11);
- linear: V = 1/2 + φ·θ without σ (2.28); the half is there because exchanged colours have negated weights,
  so that an even position has φ·θ = 0;
- monte-carlo: the outcome in place of V(s_{t+n}), at the end of the game (A.9).

With λ > 0 a trace z keeps the credit of earlier positions (5.4–5.6). Each parity of t has its own trace with
two plies, because a player's next position is t + 2: so λ = 1 is logistic Monte-Carlo, as it should be.

Two details of Algorithm 3 are read by the equations: the step is divided by the active features of the
position that is updated (the pseudocode has those of the later one, none at the end), and the last position
before the end is updated towards the outcome too.

Everything is generic: `games.api` for the game, `memory.api` for the features. V is a share, 0 to 1, of what
lies between a game's lowest and highest outcome; with rewards on the way the target is r + γ V(s'), as a
share, and the traces fade by γ λ. Chance moves between a player's action and the next position that is looked
at.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from playout.errors import InputError, near
from playout.games.api import (
    MAX_ACTIONS,
    GameError,
    bounds,
    has_rewards,
    is_over,
    outcome,
    share,
    to_play,
)
from playout.kernel import below, inner, kernel, record_type, uniform
from playout.learn.contest import argbest
from playout.memory.api import active, add, after_values, choices, look, refresh, total
from playout.search.simulation import make_chance_moves, take_turn

LOGISTIC, NONLINEAR, LINEAR, MONTE_CARLO = 0, 1, 2, 3
RULES = {"logistic": LOGISTIC, "nonlinear": NONLINEAR, "linear": LINEAR, "monte-carlo": MONTE_CARLO}
TRACES = ("accumulating", "replacing")
FAINT = 1e-12  # a trace below this is forgotten
CLOSEST = 1e-6  # to 0 and 1 that a value comes in the cross-entropy, which is infinite there

LEARNER = record_type(
    [
        ("alpha", "f8"),  # step size α
        ("lam", "f8"),  # λ
        ("epsilon", "f8"),  # how often a move is random
        ("rule", "u1"),
        ("plies", "u1"),
        ("replacing", "u1"),
    ]
)
# What has happened so far; all are sums.
EXPERIENCE = record_type(
    [
        ("games", "u8"),
        ("moves", "u8"),
        ("evaluations", "u8"),  # after-states that were evaluated
        ("updates", "u8"),
        ("player_1_wins", "f8"),
        ("cross_entropy", "f8"),  # of the TD-errors (A.13), over the updates
        ("squared_error", "f8"),  # (V - outcome)², over the moves
    ]
)


@dataclass(frozen=True, kw_only=True)
class Learner:
    """How weights are learnt; the defaults are the paper's (section 5.7.2)."""

    rule: str = "logistic"
    alpha: float = 0.1
    epsilon: float = 0.1
    lam: float = 0.0
    traces: str = "accumulating"
    plies: int = 2

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise InputError(f"rule: {self.rule!r} is not one of them{near(str(self.rule), RULES)}")
        if self.traces not in TRACES:
            raise InputError(f"traces: {self.traces!r} is not one of them{near(str(self.traces), TRACES)}")
        if not (math.isfinite(self.alpha) and self.alpha > 0):
            raise InputError(f"alpha: {self.alpha:g} is not a step size above 0")
        if not 0 <= self.epsilon <= 1:
            raise InputError(f"epsilon: {self.epsilon:g} is not a probability from 0 to 1")
        if not 0 <= self.lam <= 1:
            raise InputError(f"lambda: {self.lam:g} is not between 0 and 1")
        if self.lam > 0 and self.rule == "monte-carlo":
            raise InputError("lambda: rule monte-carlo has no traces; leave it at 0")
        if self.plies not in (1, 2):
            raise InputError(f"plies: {self.plies} is not 1 or 2")

    def record(self) -> np.ndarray:
        """The settings as an array of one record."""
        record = np.zeros(1, LEARNER)
        record["alpha"], record["lam"], record["epsilon"] = self.alpha, self.lam, self.epsilon
        record["rule"], record["plies"] = RULES[self.rule], self.plies
        record["replacing"] = self.traces == "replacing"
        return record

    def facts(self) -> dict[str, Any]:
        """As plain values, for files."""
        return asdict(self)


@dataclass(frozen=True)
class Desk:
    """The arrays that one thread of learning works with."""

    history: np.ndarray  # active features of the last positions; of all of them for Monte-Carlo
    counts: np.ndarray  # how many each has
    values: np.ndarray  # V of every position of the game
    paid: np.ndarray  # by the turn after each position
    fade: np.ndarray  # γ of that turn
    actions: np.ndarray
    after: np.ndarray  # φ·θ after each action
    trace: np.ndarray  # z by parity and weight, and whether the weight is in the list of marks
    marks: np.ndarray  # the weights that have a trace, by parity
    marked: np.ndarray  # how many

    @classmethod
    def of(
        cls,
        learner: Learner,
        weights: np.ndarray,
        max_active: int,
        longest: int,
        choices: int = MAX_ACTIONS,
    ) -> Desk:
        """For games of at most `longest` moves, with so many actions in a state."""
        positions = longest + 1 if learner.rule == "monte-carlo" else learner.plies + 1
        traced = weights.size // 2 if learner.lam > 0 else 1
        return cls(
            np.zeros((positions, max_active + 2), np.uint32),
            np.zeros(positions, np.int64),
            np.zeros(longest + 3),
            np.zeros(longest + 3),
            np.ones(longest + 3),
            np.zeros(choices, np.uint16),
            np.zeros(choices, np.float32),
            np.zeros((learner.plies, traced, 2)),
            np.zeros((learner.plies, traced), np.uint32),
            np.zeros(learner.plies, np.int64),
        )


@inner
def squash(learner, x):
    """V from φ·θ."""
    if learner.rule == LINEAR:
        return 0.5 + x
    return 1.0 / (1.0 + math.exp(-x))


@inner
def choose(memory, index, weights, state, learner, actions, after, experience, rng):
    """ε-greedy: a random choice now and then, else the after-state of highest value for the mover."""
    count = choices(memory, state, actions)
    if count < 1 or count > actions.size:
        raise GameError("a state has no action, or more than the game declares (choices)")
    if learner.epsilon > 0.0 and uniform(rng) < learner.epsilon:
        return actions[below(rng, count)]
    refresh(memory, index, weights)
    after_values(memory, index, weights, state, actions, count, after)
    experience.evaluations += np.uint64(count)
    return actions[argbest(after, count, to_play(state) == 1)]


@inner
def cross_entropy(value, target):
    """The cross-entropy TD-error (A.13), positive."""
    v = min(max(value, CLOSEST), 1.0 - CLOSEST)
    t = min(max(target, 0.0), 1.0)
    return -(t * math.log(v) + (1.0 - t) * math.log(1.0 - v))


@inner
def trace_on(trace, marks, marked, features, count, learner, credit, fade):
    """z ← γ λ z + credit φ for one parity; with replacing traces z is first cleared where φ is not 0.

    marks: the weights that have a trace; returns how many there are now.
    """
    kept = 0
    for k in range(marked):
        w = marks[k]
        trace[w, 0] *= learner.lam * fade
        if abs(trace[w, 0]) < FAINT:
            trace[w, 0] = 0.0
            trace[w, 1] = 0.0
        else:
            marks[kept] = w
            kept += 1
    if learner.replacing:
        for k in range(count):
            trace[features[k] >> np.uint32(1), 0] = 0.0
    for k in range(count):
        w = features[k] >> np.uint32(1)
        if trace[w, 1] == 0.0:
            trace[w, 1] = 1.0  # is in the list
            marks[kept] = w
            kept += 1
        trace[w, 0] += credit if features[k] & np.uint32(1) == 0 else -credit
    return kept


@inner
def draw_towards(learnt, learner, features, count, value, target, trace, marks, marked, fade):
    """One update: a position's value is drawn towards a target; returns how many weights have a trace.

    fade: γ of what happened since the update before.
    """
    if count == 0:
        return marked  # an empty board: nothing to learn from
    delta = target - value
    credit = 1.0 / count  # ‖φ‖²: the active features are 1, the others 0
    if learner.rule == NONLINEAR:
        credit *= value * (1.0 - value)
    if learner.lam == 0.0:
        add(learnt, features, count, learner.alpha * delta * credit)
        return marked
    marked = trace_on(trace, marks, marked, features, count, learner, credit, fade)
    step = learner.alpha * delta
    for k in range(marked):
        w = marks[k]
        learnt[2 * w] += np.float32(step * trace[w, 0])
        learnt[2 * w + 1] = -learnt[2 * w]
    return marked


@inner
def backed_up(state, paid, fade, u, t, value):
    """What position u should be worth if position t is worth this much: r + γ (r' + γ' (… V)), as shares."""
    if has_rewards(state):
        low, high = bounds(state)
        for k in range(t - 1, u - 1, -1):
            value = (paid[k] + (fade[k] - 1.0) * low) / (high - low) + fade[k] * value
    return value


@inner
def faded(state, fade, u, plies):
    """γ of the turns since the update before that of position u, for its trace."""
    total = 1.0
    if has_rewards(state):
        for k in range(max(0, u - plies), u):
            total *= fade[k]
    return total


@inner
def self_play(memory, index, weights, learnt, state, learner, desk, experience, rng):
    """One game against oneself, learning on the way (Algorithm 3).

    weights: what is read. learnt: what is written, the same array on-line.
    """
    history, counts, values, paid, fade, actions, after, trace, marks, marked = desk
    rows = counts.size
    plies: int = np.int64(learner.plies)  # type: ignore[assignment]
    monte_carlo = learner.rule == MONTE_CARLO
    for j in range(plies):
        for k in range(marked[j]):
            trace[j, marks[j, k], 0] = 0.0
            trace[j, marks[j, k], 1] = 0.0
        marked[j] = 0
    t = 0
    z = 0.0
    make_chance_moves(state, rng, 0)
    over = is_over(state)
    while not over:
        if t + 2 >= values.size:
            if not has_rewards(state):
                raise GameError("a game is longer than the learner was told")
            break  # a problem with rewards is cut off there
        look(memory, index, weights, state)
        counts[t % rows] = active(memory, index, state, history[t % rows])
        values[t] = squash(learner, total(weights, history[t % rows], counts[t % rows]))
        if t >= plies and not monte_carlo:
            u = t - plies
            j = u % plies
            target = backed_up(state, paid, fade, u, t, values[t])
            marked[j] = draw_towards(
                learnt,
                learner,
                history[u % rows],
                counts[u % rows],
                values[u],
                target,
                trace[j],
                marks[j],
                marked[j],
                faded(state, fade, u, plies),
            )
            experience.cross_entropy += cross_entropy(values[u], target)
            experience.updates += np.uint64(1)
        action = choose(memory, index, weights, state, learner, actions, after, experience, rng)
        reward, gamma, _ = take_turn(state, action, rng, t)
        if has_rewards(state):
            paid[t] = reward
            fade[t] = gamma
        t += 1
        over = is_over(state)
    z = share(state, outcome(state) if over else 0.0)
    for u in range(0 if monte_carlo else max(0, t - plies), t):
        j = u % plies
        target = backed_up(state, paid, fade, u, t, z)
        marked[j] = draw_towards(
            learnt,
            learner,
            history[u % rows],
            counts[u % rows],
            values[u],
            target,
            trace[j],
            marks[j],
            marked[j],
            faded(state, fade, u, plies),
        )
        experience.cross_entropy += cross_entropy(values[u], target)
        experience.updates += np.uint64(1)
    for u in range(t):
        experience.squared_error += (values[u] - z) ** 2
    experience.games += np.uint64(1)
    experience.moves += np.uint64(t)
    experience.player_1_wins += z


@kernel
def train(roots, work, memories, index, weights, learnt, learners, desk, experiences, rng, games):
    """Games of self-play from one state. desk: the arrays of a `Desk`, in order."""
    for _ in range(games):
        work[0] = roots[0]
        self_play(memories[0], index, weights, learnt, work[0], learners[0], desk, experiences[0], rng[0])
