"""One game against oneself, learning on the way: SELFPLAY of Algorithms 3, 5 and 7 (Silver 2009).

Learning by self-play plays ε-greedily to the end of a game. Temporal-difference search begins at the
state that a player is asked about, and switches to a default policy after T moves. The updates are the
same (`memory.td`).

Two details of the pseudocode are read by the equations: the step is divided by the active features of the
position that is updated (the pseudocode has those of the later one, none at the end), and the last position
before the end is updated towards the outcome too.

Everything is generic: `games.api` for the game, `memory.api` for the features, `policy.api` for the
default policy. V is a share, 0 to 1, of what lies between a game's lowest and highest outcome; with
rewards on the way the target is r + γ V(s'), as a share, and the traces fade by γ λ. Chance moves between
a player's action and the next position that is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from playout.games.api import MAX_ACTIONS, UNLIMITED, GameError, has_rewards, is_over, outcome, share
from playout.kernel import implements, inner, record_type, uniform
from playout.memory.api import active, add_action, any_choice, begin_history, fixed_value, look, total
from playout.memory.step_sizes import new_knowledge
from playout.memory.td import (
    MONTE_CARLO,
    Learner,
    backed_up,
    cross_entropy,
    draw_towards,
    epsilon_greedy,
    faded,
    squash,
)
from playout.policy import api as policy_api
from playout.policy.api import begin, sample
from playout.search.simulation import make_chance_moves, take_turn

NEVER = UNLIMITED  # T of self-play that never switches to a default policy
NOTHING_KNOWN = new_knowledge(1, 0.0)
NO_POLICY = record_type([("no_default_policy", "u1")])


@implements(policy_api.sample, NO_POLICY)
def no_policy(policy, state, rng):
    if policy.no_default_policy == 0:
        raise GameError("there is no default policy to switch to")
    return np.uint32(0)  # for the compiler, which wants a number


@dataclass(frozen=True)
class Episode:
    """The arrays that one thread needs for a game."""

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
    known: np.ndarray  # counts and variances of weights, where step sizes adapt

    @classmethod
    def of(
        cls,
        learner: Learner,
        weights: np.ndarray,
        max_active: int,
        longest: int,
        choices: int = MAX_ACTIONS,
    ) -> Episode:
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
            NOTHING_KNOWN,
        )

    def arrays(self) -> tuple[np.ndarray, ...]:
        """As kernels take them."""
        return tuple(vars(self).values())


@inner
def update(learnt, learner, state, episode, u, t, value, experience):
    """Draw the value of position u towards that of position t, which is worth so much."""
    history, counts, values, paid, fade, _, _, trace, marks, marked, _ = episode
    j = u % np.int64(learner.plies)
    row = u % counts.size
    target = backed_up(state, paid, fade, u, t, value)
    marked[j] = draw_towards(
        learnt,
        learner,
        history[row],
        counts[row],
        values[u],
        target,
        trace[j],
        marks[j],
        marked[j],
        faded(state, fade, u, np.int64(learner.plies)),
    )
    experience.cross_entropy += cross_entropy(values[u], target)
    experience.updates += np.uint64(1)


@inner
def begin_episode(learner, episode):
    """z ← 0."""
    trace, marks, marked = episode[7], episode[8], episode[9]
    for j in range(np.int64(learner.plies)):
        for k in range(marked[j]):
            trace[j, marks[j, k], 0] = 0.0
            trace[j, marks[j, k], 1] = 0.0
        marked[j] = 0


@inner
def see_position(memory, index, weights, learnt, state, learner, t, episode, experience):
    """Look at s_t, and draw the position before it, by one ply or two, towards its value."""
    history, counts, values = episode[0], episode[1], episode[2]
    row = t % counts.size
    look(memory, index, weights, state)
    counts[row] = active(memory, index, state, history[row])
    values[t] = squash(learner, fixed_value(memory) + total(weights, history[row], counts[row]))
    u = t - np.int64(learner.plies)
    if u >= 0 and learner.rule != MONTE_CARLO:
        update(learnt, learner, state, episode, u, t, values[t], experience)


@inner
def see_end(learnt, learner, state, t, z, episode, experience):
    """The last positions before the end, all with Monte-Carlo, are drawn towards the outcome z."""
    values = episode[2]
    first = 0 if learner.rule == MONTE_CARLO else max(0, t - np.int64(learner.plies))
    for u in range(first, t):
        update(learnt, learner, state, episode, u, t, z, experience)
    for u in range(t):
        experience.squared_error += (values[u] - z) ** 2
    experience.games += np.uint64(1)
    experience.moves += np.uint64(t)
    experience.player_1_wins += z


@inner
def move_on(memory, index, weights, state, learner, policy, switch, t, episode, experience, rng):
    """The t-th move: ε-greedy before the switch, by the default policy from there on.

    Some moves before it may be the default policy's too, with probability ε′ (10.3.2), and some after it
    random: the author's program of tournaments did both.
    """
    _, _, _, paid, fade, actions, after, _, _, _, known = episode
    if t < switch:
        if learner.policy_epsilon > 0.0 and uniform(rng) < learner.policy_epsilon:
            begin(policy, state)
            action = sample(policy, state, rng)
        else:
            epsilon = learner.epsilon / (1.0 - learner.policy_epsilon)  # of the moves that are left
            action = epsilon_greedy(
                memory,
                index,
                weights,
                state,
                epsilon,
                learner.optimism,
                known,
                actions,
                after,
                experience,
                rng,
            )
    elif learner.late_epsilon > 0.0 and uniform(rng) < learner.late_epsilon:
        action = any_choice(memory, state, actions, rng)
    else:
        if t == switch or learner.late_epsilon > 0.0:  # a policy knows only what it has been asked about
            begin(policy, state)
        action = sample(policy, state, rng)
    add_action(memory, index, weights, state, action)
    reward, gamma, _ = take_turn(state, action, rng, t)
    if has_rewards(state):
        paid[t] = reward
        fade[t] = gamma


@inner
def self_play(memory, index, weights, learnt, state, learner, policy, switch, episode, experience, rng):
    """One game against oneself from a state on. switch: T, the moves before the default policy plays.

    weights: what is read. learnt: what is written, the same array on-line. episode: arrays of an `Episode`.
    """
    longest = episode[2].size - 2
    begin_episode(learner, episode)
    t = 0
    make_chance_moves(state, rng, 0)
    over = is_over(state)
    begin_history(memory, index, weights, state)
    while not over:
        if t >= longest:
            if not has_rewards(state):
                raise GameError("a game is longer than the learner was told")
            break  # a problem with rewards is cut off there
        see_position(memory, index, weights, learnt, state, learner, t, episode, experience)
        move_on(memory, index, weights, state, learner, policy, switch, t, episode, experience, rng)
        t += 1
        over = is_over(state)
    z = share(state, outcome(state) if over else 0.0)
    see_end(learnt, learner, state, t, z, episode, experience)
