"""Monte-Carlo tree search with a table, ε-greedy in the tree and random beyond it (Silver 2009, 6.7, 8.11.1).

A new state begins with heuristic values that count for C visits; without heuristic all begin alike.
"""

import numpy as np

from playout.games import api as game
from playout.kernel import below, next_u64


class Tree:
    def __init__(self, rng, *, epsilon, heuristic, confidence):
        self.rng, self.epsilon, self.heuristic, self.confidence = rng, epsilon, heuristic, confidence
        self.q, self.n = {}, {}  # by key and action

    def moves(self, state):
        buffer = np.zeros(64, np.uint16)
        return buffer[: int(game.legal_moves(state[0], buffer))].tolist()

    def key(self, state):
        return state["cells"].tobytes()

    def select(self, state):
        moves = self.moves(state)
        if self.epsilon and (int(next_u64(self.rng[0])) >> 11) / 2**53 < self.epsilon:
            return moves[int(below(self.rng[0], len(moves)))]
        sign = 1 if game.to_play(state[0]) == 1 else -1
        best = moves[0]
        for move in moves[1:]:  # of equals the last
            if sign * (self.q[self.key(state), move] - self.q[self.key(state), best]) >= -1e-9:
                best = move
        return best

    def simulate(self, root):
        state, way, inside = root.copy(), [], True
        while not game.is_over(state[0]):
            new = (self.key(state), self.moves(state)[0]) not in self.q
            if inside and not new:
                action = self.select(state)
            else:
                moves = self.moves(state)
                if inside:
                    for move in moves:
                        self.q[self.key(state), move] = self.heuristic(state[0], move)
                        self.n[self.key(state), move] = self.confidence
                action = moves[int(below(self.rng[0], len(moves)))]
            if inside:
                way.append((self.key(state), action))
            inside = inside and not new
            game.play(state[0], action)
        z = float(game.outcome(state[0]))
        for pair in way:
            self.n[pair] += 1
            self.q[pair] += (z - self.q[pair]) / self.n[pair]  # 1 / (C + N) (8.48)
