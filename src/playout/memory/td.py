"""The temporal-difference update, written once (Silver 2009, ch. 2, 5 and appendix A).

V(s) = σ(φ(s)·θ) is the probability that player 1 wins. The value of an earlier position is drawn towards a
target, the value of a later one:

    Δθ = α (V(s_{t+n}) - V(s_t)) φ(s_t) / ‖φ(s_t)‖²                                (5.3, 6.3, 7.4, A.12)

The rules differ in little:

- logistic: as above; nonlinear: times the slope of σ, V (1 - V) (A.11);
- linear: V = 1/2 + φ·θ without σ (2.28); the half is there because exchanged colours have negated weights,
  so that an even position has φ·θ = 0;
- monte-carlo: the outcome in place of V(s_{t+n}), at the end of the game (A.9).

With λ > 0 a trace z keeps the credit of earlier positions (5.4–5.6). Each parity of t has its own trace with
two plies, because a player's next position is t + 2: so λ = 1 is logistic Monte-Carlo, as it should be.

What walks through games and calls this is `search.self_play`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from playout.errors import InputError, near
from playout.games.api import GameError, bounds, has_rewards, to_play
from playout.kernel import below, inner, record_type, uniform
from playout.memory.api import add, after_values, choices, look, move_pair, refresh, virtual_count
from playout.memory.step_sizes import KALMAN, PER_FEATURE, bonus, count_features, decayed, settle
from playout.settings import setting

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
        ("policy_epsilon", "f8"),  # ε′: how often it is the default policy's, before the switch to that
        ("late_epsilon", "f8"),  # how often a move after the switch is random
        ("halving", "f8"),  # simulations or occurrences after which a step is half as large
        ("optimism", "f8"),  # c of the bonus that uncertain moves have
        ("rule", "u1"),
        ("plies", "u1"),
        ("replacing", "u1"),
        ("steps", "u1"),  # rule of `step_sizes`
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

    rule: str = setting(
        "logistic", "how V is made of φ·θ, and what it is drawn towards", choices=tuple(RULES)
    )
    alpha: float = setting(0.1, "step size α, divided by the active features")
    epsilon: float = setting(0.1, "ε: how often a move is random")
    lam: float = setting(0.0, "λ: how far back an error reaches")
    traces: str = setting("accumulating", "kind of traces, with λ above 0", choices=TRACES)
    plies: int = setting(2, "moves between the two positions of an update: 1 or 2")

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


@inner
def squash(learner, x):
    """V from φ·θ (5.2, 6.2, 7.3); linear: (2.28)."""
    if learner.rule == LINEAR:
        return 0.5 + x
    return 1.0 / (1.0 + math.exp(-x))


@inner
def argbest(values, count, first):
    """The highest value if player 1 is to move, else the lowest; of equals the last."""
    best = np.uint32(0)
    for k in range(1, count):
        j = np.uint32(k)
        if (values[j] >= values[best]) if first else (values[j] <= values[best]):
            best = j
    return best


@inner
def best_action(memory, index, weights, state, actions, values):
    """The action of highest value for the mover; of equals the last."""
    look(memory, index, weights, state)
    count = choices(memory, state, actions)
    after_values(memory, index, weights, state, actions, count, values)
    return actions[argbest(values, count, to_play(state) == 1)]


@inner
def epsilon_greedy(memory, index, weights, state, epsilon, optimism, known, actions, after, experience, rng):
    """A random choice with probability ε, else the after-state of highest value for the mover."""
    count = choices(memory, state, actions)
    if count < 1 or count > actions.size:
        raise GameError("a state has no action, or more than the game declares (choices)")
    if epsilon > 0.0 and uniform(rng) < epsilon:
        return actions[below(rng, count)]
    refresh(memory, index, weights)
    after_values(memory, index, weights, state, actions, count, after)
    experience.evaluations += np.uint64(count)
    if optimism > 0.0:
        sign = 1.0 if to_play(state) == 1 else -1.0
        simulations = np.float64(experience.games)
        for k in range(count):
            j = np.uint32(k)
            seen = virtual_count(memory, index, known, state, actions[j])
            after[j] += np.float32(sign * bonus(optimism, simulations, seen))
    return actions[argbest(after, count, to_play(state) == 1)]


@inner
def cross_entropy(value, target):
    """The cross-entropy TD-error (A.13), positive."""
    v = min(max(value, CLOSEST), 1.0 - CLOSEST)
    t = min(max(target, 0.0), 1.0)
    return -(t * math.log(v) + (1.0 - t) * math.log(1.0 - v))


@inner
def trace_on(trace, marks, marked, features, count, learner, credit, fade):
    """z ← γ λ z + credit φ (5.4) for one parity; replacing traces are first cleared where φ is not 0 (5.5).

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
    if count == 0 and marked == 0:
        return marked  # an empty board: nothing to learn from, nobody to tell
    delta = target - value
    credit = 1.0 / max(count, 1)  # ‖φ‖²: the active features are 1, the others 0
    if learner.rule == NONLINEAR:
        credit *= value * (1.0 - value)  # the slope of σ (A.11)
    if learner.lam == 0.0:
        add(learnt, features, count, learner.alpha * delta * credit)  # (5.3)
        return marked
    marked = trace_on(trace, marks, marked, features, count, learner, credit, fade)
    step = learner.alpha * delta
    for k in range(marked):
        w = marks[k]
        learnt[2 * w] += np.float32(step * trace[w, 0])  # (5.6)
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
def sweep(
    learnt, known, learner, state, values, counts, paid, fade, length, z, log, logged, rooms, experience
):
    """All updates of a game at once, by the values that its positions had while it was played (λ = 0).

    A feature that was active from position f up to g gets Σ_{f ≤ u < g} α δ_u / ‖φ(s_u)‖² (6.3, 7.4),
    which is a difference of two partial sums. counts: ‖φ‖² of each position; z: the outcome, as a share.
    known: counts and variances of weights, for step sizes that adapt. rooms: four rows to compute in.
    """
    plies = np.int64(learner.plies)
    sums, errors, slopes, room = rooms[0], rooms[1], rooms[2], rooms[3]
    alpha = decayed(learner, np.float64(experience.games))
    sums[0] = 0.0
    for u in range(length):
        t = min(u + plies, length)
        target = backed_up(state, paid, fade, u, t, z if t == length else values[t])
        errors[u] = target - values[u]
        slopes[u] = values[u] * (1.0 - values[u])
        step = alpha * errors[u] / max(counts[u], 1)
        if learner.rule == NONLINEAR:
            step *= slopes[u]  # the slope of σ (A.11)
        sums[u + 1] = sums[u] + step
        experience.cross_entropy += cross_entropy(values[u], target)
    if learner.steps == PER_FEATURE or learner.steps == KALMAN:
        settle(learnt, learner, known, errors, slopes, length, log, logged, sums, room)
    else:
        for k in range(logged):
            entry = np.uint32(k)
            place = np.uint32(log[entry, 0])
            step = np.float32(sums[log[entry, 2]] - sums[log[entry, 1]])
            move_pair(learnt, place, step)
    if learner.steps == PER_FEATURE or learner.optimism > 0.0:
        count_features(known, log, logged)
    experience.updates += np.uint64(length)
