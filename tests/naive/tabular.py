"""Monte-Carlo control, Sarsa(λ) and Q-learning with dictionaries (Silver 2009, section 2.3)."""

from collections import defaultdict

import numpy as np

from naive.sparse import step
from playout.games import api as game
from playout.kernel import below, next_u64

Pair = tuple[int, int]


class Table:
    """Q and N of pairs, learnt from whole episodes that are written down."""

    def __init__(
        self,
        method: str,
        rng: np.ndarray,
        *,
        initial: float,
        epsilon: float,
        alpha: float | None,
        lam: float = 0.0,
        traces: str = "accumulating",
        longest: int = 10_000,
    ) -> None:
        self.method, self.rng, self.longest = method, rng, longest
        self.epsilon, self.alpha, self.lam, self.replacing = epsilon, alpha, lam, traces == "replacing"
        self.q: dict[Pair, float] = defaultdict(lambda: initial)
        self.n: dict[Pair, int] = defaultdict(int)

    def pairs(self, state: np.ndarray) -> list[Pair]:
        moves = np.zeros(512, np.uint16)
        key = int(game.position_key(state[0]))
        return [(key, int(move)) for move in moves[: int(game.legal_moves(state[0], moves))]]

    def best(self, state: np.ndarray) -> Pair:
        better = max if game.to_play(state[0]) == 1 else min
        return better(self.pairs(state), key=lambda pair: self.q.get(pair, self.q.default_factory()))

    def choose(self, state: np.ndarray) -> Pair:
        """ε-greedy."""
        if self.epsilon and (int(next_u64(self.rng[0])) >> 11) / 2**53 < self.epsilon:
            pairs = self.pairs(state)
            return pairs[int(below(self.rng[0], len(pairs)))]
        return self.best(state)

    def step_size(self, pair: Pair) -> float:
        return self.alpha or 1 / self.n[pair]

    def episode(self, state: np.ndarray) -> None:
        """Play an episode and learn from it."""
        state = state.copy()
        trace: dict[Pair, float] = {}
        way: list[tuple[Pair, float, float]] = []
        pair = self.choose(state)
        while not game.is_over(state[0]) and len(way) < self.longest:
            state, paid, fade = step(state, pair[1], self.rng)
            way.append((pair, paid, fade))
            over = bool(game.is_over(state[0]))
            last = over or (self.method == "monte-carlo" and len(way) == self.longest)
            after = pair if last else self.choose(state)
            if self.method != "monte-carlo":
                self.n[pair] += 1
                known = after if self.method == "sarsa" or over else self.best(state)
                rest = float(game.outcome(state[0])) if over else self.q[known]
                delta = paid + fade * rest - self.q[pair]  # (2.14)
                trace[pair] = 1.0 if self.replacing else trace.get(pair, 0.0) + 1.0  # (2.13, 2.16)
                for other in trace:
                    self.q[other] += self.step_size(other) * delta * trace[other]  # (2.15)
                    trace[other] *= fade * self.lam
            pair = after
        if self.method == "monte-carlo":
            z = float(game.outcome(state[0])) if game.is_over(state[0]) else 0.0
            for pair, paid, fade in reversed(way):
                z = paid + fade * z
                self.n[pair] += 1  # (2.9)
                self.q[pair] += self.step_size(pair) * (z - self.q[pair])  # (2.10)
