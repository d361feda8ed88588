"""One time-step of an agent that learns by temporal differences: see, choose, learn (Silver 2009, ch. 2).

An agent values actions, Q(s, a) = φ(s, a)·θ, or states, V(s) = φ(s)·θ. Who values actions needs no model of
the world. Who values states chooses by what actions lead to, which the rules of a game tell.

Time-steps are walked through by episodes of Sarsa(λ) (`learn.sarsa`), and one at a time by Dyna-2
(`search.dyna2`). The arrays of an episode are those of `search.self_play.Episode`.
"""

from __future__ import annotations

import numpy as np

from playout.games.api import GameError, most_actions, outcome, share, to_play
from playout.kernel import below, constant, generic, implements, inner, record_type, uniform
from playout.memory.api import active, choices, fixed_value, look, move_pair, total
from playout.memory.pairs import block_of, fixed_pair_value, pair_value, to_pair
from playout.memory.step_sizes import COUNTS, PER_FEATURE
from playout.memory.td import NONLINEAR, argbest, backed_up, epsilon_greedy, faded, squash, trace_on
from playout.policy.api import begin, sample
from playout.search.models import observed
from playout.search.self_play import NOTHING_KNOWN, update

# unknown: φ·θ of that of which nothing is known. leaves: the default policy plays in states that are new, as
# Monte-Carlo tree search does out of its tree (6.7).
BY_ACTION = record_type([("unknown_q", "f8"), ("leaves", "u1")])
BY_STATE = record_type([("unknown_v", "f8"), ("leaves", "u1")])


@constant
def values_actions(dtype):
    """Whether an agent values actions; else it values states, and must look at what actions lead to."""
    return dtype == BY_ACTION


@generic
def choose(agent, memory, index, weights, state, epsilon, features, count, actions, after, experience, rng):
    """The ε-greedy action; of equals the last. features: those of the state, which was looked at."""


@implements(choose, BY_ACTION)
def choose_by_action(
    agent, memory, index, weights, state, epsilon, features, count, actions, after, experience, rng
):
    number = choices(memory, observed(state), actions)
    if number < 1 or number > actions.size:
        raise GameError("a state has no action, or more than the game declares (choices)")
    if epsilon > 0.0 and uniform(rng) < epsilon:
        return np.uint32(actions[below(rng, number)])
    for k in range(number):
        after[k] = pair_value(memory, weights, state, features, count, actions[k])
    experience.evaluations += np.uint64(number)
    return np.uint32(actions[argbest(after, number, to_play(state) == 1)])


@implements(choose, BY_STATE)
def choose_by_state(
    agent, memory, index, weights, state, epsilon, features, count, actions, after, experience, rng
):
    chosen = epsilon_greedy(
        memory, index, weights, state, epsilon, 0.0, NOTHING_KNOWN, actions, after, experience, rng
    )
    return np.uint32(chosen)


@generic
def fix(agent, memory, weights, state, features, count, action):
    """Make the features of a state those that (s, a) is valued by; return what is added to φ·θ."""


@implements(fix, BY_ACTION)
def fix_action(agent, memory, weights, state, features, count, action):
    to_pair(memory, weights, state, features, count, action)
    return agent.unknown_q + fixed_pair_value(memory, weights, state, action)


@implements(fix, BY_STATE)
def fix_state(agent, memory, weights, state, features, count, action):
    return agent.unknown_v + fixed_value(memory)


@generic
def is_new(agent, memory, weights, state, features, count, known):
    """Whether nothing has been learnt yet of any feature of a state: in no simulation before this one."""


@implements(is_new, BY_ACTION)
def is_new_to_actions(agent, memory, weights, state, features, count, known):
    times = np.float32(0.0)
    for action in range(most_actions(state)):
        first = block_of(memory, weights, state, action)
        for k in range(count):
            times += known[COUNTS, (np.uint32(features[k]) + first) >> np.uint32(1)]
    return times == 0.0


@implements(is_new, BY_STATE)
def is_new_to_states(agent, memory, weights, state, features, count, known):
    times = np.float32(0.0)
    for k in range(count):
        times += known[COUNTS, features[k] >> np.uint32(1)]
    return times == 0.0


@inner
def see(memory, index, weights, state, t, episode):
    """Look at s_t: its features go into the history; return how many there are."""
    history, counts = episode[0], episode[1]
    row = t % counts.size
    look(memory, index, weights, observed(state))
    counts[row] = active(memory, index, observed(state), history[row])
    return counts[row]


@inner
def draw(learnt, learner, state, u, t, value, episode, experience):
    """Draw the value of the pair of time u towards that of time t, which is worth so much."""
    if learner.steps == PER_FEATURE:
        draw_by_counts(learnt, learner, state, u, t, value, episode, experience)
    else:
        update(learnt, learner, state, episode, u, t, value, experience)


@inner
def draw_by_counts(learnt, learner, state, u, t, value, episode, experience):
    """The same, with a step α / (1 + n/h) for a feature that had been active n times before.

    With α = h = 1 and table look-up that is 1/N (6.7), and with α = 1/h the 1/(C + N) of heuristic values
    that count for C = h − 1 visits (8.48).
    """
    history, counts, values, paid, fade, _, _, trace, marks, marked, known = episode
    plies = np.int64(learner.plies)
    row, j = u % counts.size, u % plies
    features, count = history[row], counts[row]
    credit = 1.0 / max(count, 1)
    if learner.rule == NONLINEAR:
        credit *= values[u] * (1.0 - values[u])
    error = backed_up(state, paid, fade, u, t, value) - values[u]
    for k in range(count):
        known[COUNTS, features[k] >> np.uint32(1)] += np.float32(1.0)
    if learner.lam == 0.0:
        for k in range(count):
            place = np.uint32(features[k])
            step = learner.alpha / (1.0 + (known[COUNTS, place >> np.uint32(1)] - 1.0) / learner.halving)
            move_pair(learnt, place, np.float32(step * error * credit))
    else:
        back = faded(state, fade, u, plies)
        marked[j] = trace_on(trace[j], marks[j], marked[j], features, count, learner, credit, back)
        for k in range(marked[j]):
            w = marks[j, k]
            step = learner.alpha / (1.0 + (known[COUNTS, w] - 1.0) / learner.halving)
            move_pair(learnt, np.uint32(2 * w), np.float32(step * error * trace[j, w, 0]))
    experience.updates += np.uint64(1)


@inner
def learn_pair(agent, memory, weights, learnt, state, learner, action, t, episode, experience):
    """a_t is made in s_t, which was seen: draw the pair that was `plies` before towards this one."""
    history, counts, values = episode[0], episode[1], episode[2]
    row = t % counts.size
    fixed = fix(agent, memory, weights, state, history[row], counts[row], action)
    values[t] = squash(learner, fixed + total(weights, history[row], counts[row]))
    u = t - np.int64(learner.plies)
    if u >= 0:
        draw(learnt, learner, state, u, t, values[t], episode, experience)
        if values_actions(agent):  # Algorithm 1 asks for Q(s, a) anew; Algorithms 5 and 7 keep V
            values[t] = squash(learner, fixed + total(weights, history[row], counts[row]))


@inner
def take_step(
    agent, memory, index, weights, learnt, state, learner, policy, switch, t, episode, experience, rng
):
    """Choose a_t in s_t, and learn from the two; return the action.

    An agent that values states learns first: what it chooses does not change V(s_t).
    """
    features, actions, after = episode[0][t % episode[1].size], episode[5], episode[6]
    count = see(memory, index, weights, state, t, episode)
    by_policy = t >= switch
    if agent.leaves:
        by_policy |= is_new(agent, memory, weights, state, features, count, episode[10])
    epsilon = learner.epsilon
    action = np.uint32(0)
    if by_policy:
        begin(policy, state)
        action = np.uint32(sample(policy, state, rng))
    elif values_actions(agent):
        action = choose(
            agent, memory, index, weights, state, epsilon, features, count, actions, after, experience, rng
        )
    learn_pair(agent, memory, weights, learnt, state, learner, action, t, episode, experience)
    if not by_policy and not values_actions(agent):
        action = choose(
            agent, memory, index, weights, state, epsilon, features, count, actions, after, experience, rng
        )
    return action


@inner
def end_episode(learnt, learner, state, t, episode, experience):
    """The last pairs before the end are drawn towards the outcome, which is there beyond the end."""
    z = share(state, outcome(state))
    for u in range(max(0, t - np.int64(learner.plies)), t):
        draw(learnt, learner, state, u, t, z, episode, experience)
