"""Dyna-Q with dictionaries (Sutton 1990; Silver 2009, section 3.2.3)."""

from naive.sparse import step
from naive.tabular import Table
from playout.games import api as game
from playout.kernel import below, next_u64


class DynaQ(Table):
    def __init__(self, rng, planning, **settings):
        super().__init__("q-learning", rng, **settings)
        self.planning = planning
        self.memory = {}  # by pair, in the order in which they were met: what came of it, and how often

    def key(self, state):
        return int(game.position_key(state[0])), bool(game.is_over(state[0]))

    def draw(self, pair, paid, fade, after):
        self.n[pair] += 1
        rest = float(game.outcome(after[0])) if game.is_over(after[0]) else self.q[self.best(after)]
        self.q[pair] += self.step_size(pair) * (paid + fade * rest - self.q[pair])

    def episode(self, state):
        state, total, weight = state.copy(), 0.0, 1.0
        while not game.is_over(state[0]):
            pair = self.choose(state)
            after, paid, fade = step(state, pair[1], self.rng)
            self.draw(pair, paid, fade, after)
            seen = self.memory.setdefault(pair, {})
            came = (paid, fade, self.key(after))
            seen[came] = (seen.get(came, (0,))[0] + 1, after)
            for _ in range(self.planning):
                pair = list(self.memory)[int(below(self.rng[0], len(self.memory)))]
                seen = self.memory[pair]
                left = (int(next_u64(self.rng[0])) >> 11) / 2**53 * sum(times for times, _ in seen.values())
                for (p, f, _), (times, then) in seen.items():  # noqa: B007
                    if left < times:
                        break
                    left -= times
                self.draw(pair, p, f, then)
            state, total, weight = after, total + weight * paid, weight * fade
        return total
