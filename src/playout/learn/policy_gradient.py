"""Policy gradient: REINFORCE and actor–critic over a softmax policy (Silver 2009, section 2.4).

The policy π_p is a softmax over features of pairs (`policy.pair_softmax`), and ψ = ∇_p log π_p:

- reinforce: after an episode, Δp = β (R_t − b(s_t)) ψ(s_t, a_t) for each of its times                 (2.31)
- actor-critic: at each time, Δp = β (r + γ V(s') − V(s)) ψ(s, a)                                      (2.32)

In the second r + γ V(s') stands for Q(s, a), and the baseline is V(s): the factor is the TD-error δ, by which
the critic learns V too. With ``critic="compatible"`` it learns Q_w(s, a) = V(s) + w·ψ(s, a) beside it, whose
gradient by w is ψ as the section demands: Δw = α (δ − w·ψ) ψ. The factor is then Q_w(s, a) − V(s) = w·ψ, and
the critic has to be the faster of the two: a small β. The baseline of the first is V or nothing. V is linear
in the same features, of states: V(s) = φ(s)·θ, with a step α (2.28).

The equations of the thesis have log and ∇ the other way round; log ∇π has no meaning.

Returns and values are shares of what lies between the game's bounds, so that β means the same in all. Where
there are two players both play by one policy, and each is judged by what it did for its mover.

>>> from playout.games.toy import random_walk
>>> from playout.memory.groups import Groups
>>> learner = PolicyLearner(Groups(groups="here"), PolicyGradient(method="actor-critic"), seed=1)
>>> _ = learner.learn(random_walk.start(states=5), 300)
>>> left, right = learner.probabilities(random_walk.start(states=5))
>>> bool(right > 0.8)
True
"""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import dataclass

import numpy as np

from playout.errors import InputError
from playout.games.api import GameError, bounds, facts_of, is_over, outcome, to_play
from playout.kernel import inner, kernel, new_rng
from playout.learn.sarsa import Learnt, from_share, to_share
from playout.memory.api import Memory, Parts, active, add, begin_history, choices, look, total
from playout.memory.blank import unknown_value
from playout.memory.pairs import Pairs
from playout.policy.pair_softmax import along, probability, settle
from playout.policy.softmax import draw
from playout.search.simulation import is_cut, make_chance_moves, take_turn
from playout.settings import convert, setting

METHODS = ("reinforce", "actor-critic")
BASELINES = ("value", "none")
CRITICS = ("td-error", "compatible")
AT_THE_END, BY_ERROR, COMPATIBLE = range(3)  # what a step follows
PIECE = 64  # episodes between two looks at the keyboard


@dataclass(frozen=True, kw_only=True)
class PolicyGradient:
    """How a policy is learnt."""

    method: str = setting("actor-critic", "what a step follows", choices=METHODS)
    beta: float = setting(
        0.5, "step size β of the policy, divided by the active features", low=1e-9, high=1e6
    )
    alpha: float = setting(
        0.1, "step size α of the values, divided by the active features", low=1e-9, high=1000
    )
    baseline: str = setting("value", "b(s) of reinforce", choices=BASELINES)
    critic: str = setting("td-error", "what stands for Q(s, a) − b(s) in actor-critic", choices=CRITICS)
    longest: int = setting(10_000, "actions after which an episode is cut off", low=1, high=1 << 24)

    def __post_init__(self) -> None:
        hints = typing.get_type_hints(type(self))
        for field in dataclasses.fields(self):
            convert(field, hints[field.name], getattr(self, field.name))

    @property
    def follows(self) -> int:
        """What a step follows, as a number."""
        if self.method == "reinforce":
            return AT_THE_END
        return COMPATIBLE if self.critic == "compatible" else BY_ERROR


@inner
def value_of(theta, features, count, unknown):
    """V(s) = φ(s)·θ, as a share."""
    return unknown + total(theta, features, count)


@inner
def see(memory, index, pairs, state, row, history, counts, options, numbers):
    """The features and the actions of s_t."""
    look(memory, index, pairs, state)
    counts[row] = active(memory, index, state, history[row])
    numbers[row] = choices(memory, state, options[row])
    if numbers[row] < 1 or numbers[row] > options.shape[1]:
        raise GameError("a state has no action, or more than the game declares (choices)")


@inner
def episode(memory, index, pairs, theta, w, state, follows, baseline, beta, alpha, unknown, rooms, rng):
    """One episode; return its return and the number of its actions, negative if it was cut off.

    w: weights of the compatible critic, like p. follows: what a step follows; actor–critic learns at each
    time. rooms: by time the features, their number, the actions,
    their number, the chosen one, who chose, what was paid and its γ; and π.
    """
    history, counts, options, numbers, chosen, players, paid, fade, found = rooms
    low, high = bounds(state)
    first_paid, first_fade, moves = make_chance_moves(state, rng, 0)
    begin_history(memory, index, pairs, state)
    t = 0
    cut = False
    over = is_over(state)
    if not over:
        see(memory, index, pairs, state, 0, history, counts, options, numbers)
    while not over:
        if t + 1 >= paid.size or is_cut(state, moves):
            cut = True
            break
        probability(memory, pairs, state, history[t], counts[t], options[t], numbers[t], found)
        chosen[t] = draw(found, numbers[t], rng)
        players[t] = to_play(state)
        reward, gamma, moves = take_turn(state, options[t][chosen[t]], rng, moves)
        paid[t], fade[t] = reward, gamma
        t += 1
        over = is_over(state)
        if not over:
            see(memory, index, pairs, state, t, history, counts, options, numbers)
        if follows != AT_THE_END:
            after = outcome(state) if over else 0.0
            after = (after - low) / (high - low) if over else value_of(theta, history[t], counts[t], unknown)
            target = (reward + (gamma - 1.0) * low) / (high - low) + gamma * after
            u = t - 1
            delta = target - value_of(theta, history[u], counts[u], unknown)  # (2.14)
            add(theta, history[u], counts[u], alpha * delta / max(counts[u], 1))  # (2.28)
            sign = 1.0 if players[u] == 1 else -1.0
            judged = delta
            if follows == COMPATIBLE:
                judged = along(
                    memory, w, state, history[u], counts[u], options[u], numbers[u], found, chosen[u]
                )
                settle(
                    memory,
                    w,
                    state,
                    history[u],
                    counts[u],
                    options[u],
                    numbers[u],
                    found,
                    chosen[u],
                    alpha * (delta - judged),
                )
            settle(
                memory,
                pairs,
                state,
                history[u],
                counts[u],
                options[u],
                numbers[u],
                found,
                chosen[u],
                sign * beta * judged,  # (2.32)
            )
    z = float(outcome(state)) if over else 0.0
    for k in range(t - 1, -1, -1):
        z = paid[k] + fade[k] * z
        paid[k] = z  # R_t
    if follows == AT_THE_END:
        for u in range(t):
            probability(memory, pairs, state, history[u], counts[u], options[u], numbers[u], found)
            share = (paid[u] - low) / (high - low)
            error = share - value_of(theta, history[u], counts[u], unknown)
            sign = 1.0 if players[u] == 1 else -1.0
            judged = error if baseline else share
            settle(
                memory,
                pairs,
                state,
                history[u],
                counts[u],
                options[u],
                numbers[u],
                found,
                chosen[u],
                sign * beta * judged,  # (2.31)
            )
            add(theta, history[u], counts[u], alpha * error / max(counts[u], 1))  # (2.22)
    return first_paid + first_fade * z, -t if cut else t


@kernel
def episodes(
    roots,
    work,
    memories,
    index,
    pairs,
    theta,
    w,
    follows,
    baseline,
    beta,
    alpha,
    unknown,
    rooms,
    rng,
    returns,
):
    """Episodes from one state, an entry of `returns` each; return how many were cut off, and all actions."""
    cuts = 0
    steps = 0
    for k in range(returns.size):
        work[0] = roots[0]
        returns[k], length = episode(
            memories[0],
            index,
            pairs,
            theta,
            w,
            work[0],
            follows,
            baseline,
            beta,
            alpha,
            unknown,
            rooms,
            rng[0],
        )
        cuts += length < 0
        steps += abs(length)
    return cuts, steps


@kernel
def read_policy(memories, index, pairs, theta, roots, features, actions, found, unknown):
    """Write π of a state's actions; return how many there are, and V."""
    begin_history(memories[0], index, pairs, roots[0])
    look(memories[0], index, pairs, roots[0])
    count = active(memories[0], index, roots[0], features)
    number = choices(memories[0], roots[0], actions)
    probability(memories[0], pairs, roots[0], features, count, actions, number, found)
    return number, value_of(theta, features, count, unknown)


class PolicyLearner:
    """A softmax policy over a memory of states, and its learner."""

    def __init__(
        self, memory: Memory, settings: PolicyGradient = PolicyGradient(), seed: int | None = None
    ) -> None:
        self.settings, self._memory = settings, memory
        self._rng = new_rng(seed)
        self._episodes = self._cut = self._steps = 0
        self._dtype: np.dtype | None = None

    def _prepare(self, root: np.ndarray) -> None:
        if self._dtype == root.dtype:
            return
        if self._dtype is not None:
            raise InputError("a learner's weights belong to one game: make another one for this")
        self._parts: Parts = Pairs(self._memory).parts_for(root)
        facts = facts_of(root.dtype)
        self._theta = np.zeros(self._parts.weights.size // facts.actions, np.float32)
        self._w = np.zeros(self._parts.weights.size if self.settings.follows == COMPATIBLE else 1, np.float32)
        self._unknown = to_share(root, unknown_value(root))
        times = min(facts.moves, self.settings.longest) + 1
        self._rooms = (
            np.zeros((times + 1, self._parts.max_active + 2), np.uint32),
            np.zeros(times + 1, np.int64),
            np.zeros((times + 1, facts.most_choices), np.uint16),
            np.zeros(times + 1, np.int64),
            np.zeros(times, np.int64),
            np.zeros(times, np.uint8),
            np.zeros(times),
            np.zeros(times),
            np.zeros(facts.most_choices),
        )
        self._dtype = root.dtype

    def learn(self, root: np.ndarray, count: int) -> Learnt:
        """Learn from episodes that begin in a state, an array of one record; all that was learnt so far."""
        self.returns(root, count)
        return Learnt(self._episodes, self._cut, self._steps)

    def returns(self, root: np.ndarray, count: int) -> np.ndarray:
        """The same; the return of each episode."""
        self._prepare(root)
        s, parts, work, found = self.settings, self._parts, root.copy(), np.zeros(count)
        for first in range(0, count, PIECE):
            piece = found[first : first + PIECE]
            cuts, steps = episodes(
                root,
                work,
                parts.memory,
                parts.index,
                parts.weights,
                self._theta,
                self._w,
                s.follows,
                s.baseline == "value",
                s.beta,
                s.alpha,
                self._unknown,
                self._rooms,
                self._rng,
                piece,
            )
            self._cut += cuts
            self._steps += steps
            self._episodes += piece.size
        return found

    def _read(self, root: np.ndarray) -> tuple[np.ndarray, float]:
        self._prepare(root)
        choices = facts_of(root.dtype).most_choices
        parts, actions, found = self._parts, np.zeros(choices, np.uint16), np.zeros(choices)
        room = np.zeros(parts.max_active + 2, np.uint32)
        reading = (parts.memory, parts.index, parts.weights, self._theta, root, room, actions, found)
        number, value = read_policy(*reading, self._unknown)
        return found[:number], float(value)

    def probabilities(self, root: np.ndarray) -> np.ndarray:
        """π of a state's actions, in their order."""
        return self._read(root)[0]

    def value(self, root: np.ndarray) -> float:
        """V of a state, player 1's, in the game's own units."""
        return float(from_share(root, np.array(self._read(root)[1])))

    @property
    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """p, a block for each action, and θ; both in pairs."""
        return self._parts.weights, self._theta
