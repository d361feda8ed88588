"""Values of small games by value iteration (2.6, 2.7), for players who are random now and then."""

import numpy as np

from playout.games.api import (
    chances,
    discount,
    facts_of,
    happen,
    has_chance,
    has_rewards,
    is_chance,
    is_over,
    legal_moves,
    outcome,
    play,
    reward,
    to_play,
)
from playout.kernel import clone


def after(state):
    """What a state of chance becomes, with its pay and its γ: (probability, pay, γ, state)."""
    paid, gamma = (
        (float(reward(state[0])), float(discount(state[0]))) if has_rewards(state[0]) else (0.0, 1.0)
    )
    if not has_chance(state[0]) or is_over(state[0]) or not is_chance(state[0]):
        return [(1.0, paid, gamma, state)]
    likely = np.zeros(facts_of(state.dtype).events)
    found = []
    for event in range(chances(state[0], likely)):
        later = clone(state)
        happen(later[0], event)
        for p, r, g, final in after(later):
            found.append((float(likely[event]) * p, paid + gamma * r, gamma * g, final))
    return found


def action_values(root, epsilon=0.0, rounds=300):
    """Q of every action of the root: player 1's return when both choose at random with probability ε."""
    models, mover, waiting = {}, {}, [root]
    while waiting:
        state = waiting.pop()
        name = state.tobytes()
        if name in models:
            continue
        moves = np.zeros(facts_of(root.dtype).most_choices, np.uint16)
        models[name], mover[name] = {}, int(to_play(state[0]))
        for action in moves[: legal_moves(state[0], moves)].tolist():
            made = clone(state)
            play(made[0], action)
            models[name][action] = after(made)
            waiting += [s for p, _, _, s in models[name][action] if p > 0 and not is_over(s[0])]
    values = dict.fromkeys(models, 0.0)

    def q(name, action):
        return sum(
            p * (r + g * (float(outcome(s[0])) if is_over(s[0]) else values[s.tobytes()]))
            for p, r, g, s in models[name][action]
            if p > 0
        )

    for _ in range(rounds):
        before = dict(values)
        for name, actions in models.items():
            found = [q(name, action) for action in actions]
            best = max(found) if mover[name] == 1 else min(found)
            values[name] = (1 - epsilon) * best + epsilon * sum(found) / len(found)
        if max(abs(values[name] - before[name]) for name in values) < 1e-9:
            break
    return {action: q(root.tobytes(), action) for action in models[root.tobytes()]}
