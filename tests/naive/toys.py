"""The games of `games/toy`, slowly: from their rules, on lists and dictionaries.

Each has `player` (None: chance moves), `legal()` (actions by number), `chances()` (probabilities by event),
`play(action)`, `happen(event)`, `over`, `outcome` and `reward`, that of the last step.
"""

import math
from functools import cache


class Toy:
    """A game for one or two, without chance and without rewards."""

    player: int | None = 1
    reward = 0.0
    outcome = 0.0

    def chances(self):
        return {}


class ConnectFour(Toy):
    """Columns as lists of players, from the bottom."""

    def __init__(self, columns=7, rows=6, line=4):
        self.columns, self.rows, self.line = [[] for _ in range(columns)], rows, line

    def legal(self):
        return [k for k, column in enumerate(self.columns) if len(column) < self.rows]

    def play(self, action):
        self.columns[action].append(self.player)
        self.player = 3 - self.player

    def has_won(self, player):
        own = {(x, y) for x, column in enumerate(self.columns) for y, p in enumerate(column) if p == player}
        return any(
            all((x + k * dx, y + k * dy) in own for k in range(1, self.line))
            for x, y in own
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
        )

    @property
    def over(self):
        return self.has_won(1) or self.has_won(2) or not self.legal()

    @property
    def outcome(self):
        return 1.0 if self.has_won(1) else 0.0 if self.has_won(2) else 0.5


@cache
def connect_four_values(columns, rows, line, moves=()):
    """Minimax: the value for player 1 after some moves, and that of each legal move."""
    game = ConnectFour(columns, rows, line)
    for move in moves:
        game.play(move)
    return _solve(tuple(map(tuple, game.columns)), rows, line, game.player)


@cache
def _solve(board, rows, line, player):
    game = ConnectFour(len(board), rows, line)
    game.columns = [list(column) for column in board]
    if game.has_won(3 - player):
        return (0.0 if player == 1 else 1.0), {}
    values = {}
    for move in game.legal():
        after = (*board[:move], (*board[move], player), *board[move + 1 :])
        values[move] = _solve(after, rows, line, 3 - player)[0]
    if not values:
        return 0.5, {}
    return (max if player == 1 else min)(values.values()), values


class Hex(Toy):
    """Stones by (row, column); a chain is found by walking through neighbours."""

    def __init__(self, side=5):
        self.side, self.stones = side, {}

    def legal(self):
        cells = [(row, column) for row in range(self.side) for column in range(self.side)]
        return [k for k, cell in enumerate(cells) if cell not in self.stones]

    def play(self, action):
        self.stones[divmod(action, self.side)] = self.player
        self.player = 3 - self.player

    def joins(self, player):
        """Whether a chain goes from row 0 to the last (player 1) or from column 0 to the last (player 2)."""
        axis = player - 1
        reached = [cell for cell, owner in self.stones.items() if owner == player and cell[axis] == 0]
        for row, column in reached:  # grows while it is gone through
            for dr, dc in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
                beside = row + dr, column + dc
                if self.stones.get(beside) == player and beside not in reached:
                    reached.append(beside)
        return any(cell[axis] == self.side - 1 for cell in reached)

    @property
    def over(self):
        return self.joins(1) or self.joins(2)

    @property
    def outcome(self):
        return float(self.joins(1))


class Nim(Toy):
    """Heaps as a list; taking n stones from heap k is action 31 k + n − 1."""

    def __init__(self, heaps="3-5-7", limit=31):
        self.heaps, self.limit = [int(word) for word in heaps.split("-")], limit

    def legal(self):
        return [
            31 * k + n - 1 for k, heap in enumerate(self.heaps) for n in range(1, min(heap, self.limit) + 1)
        ]

    def play(self, action):
        self.heaps[action // 31] -= action % 31 + 1
        self.player = 3 - self.player

    @property
    def over(self):
        return not any(self.heaps)

    @property
    def outcome(self):
        return float(self.player == 2)

    def nim_sum(self):
        """Not 0: the player to move wins (Sprague–Grundy)."""
        total = 0
        for heap in self.heaps:
            total ^= heap % (self.limit + 1)
        return total


class DiceRace(Toy):
    """How far each player has come."""

    def __init__(self, squares=20, walk=4):
        self.squares, self.walk, self.gone, self.turn, self.in_the_air = squares, walk, {1: 0, 2: 0}, 1, False

    @property
    def player(self):
        return None if self.in_the_air else self.turn

    def legal(self):
        return [0, 1]

    def chances(self):
        return dict.fromkeys(range(6), 1 / 6)

    def go(self, squares, again=False):
        self.gone[self.turn] += squares
        self.turn = self.turn if again else 3 - self.turn

    def play(self, action):
        if action == 0:
            self.go(self.walk)
        else:
            self.in_the_air = True

    def happen(self, event):
        self.in_the_air = False
        self.go(event + 1, again=event == 5)

    @property
    def over(self):
        return max(self.gone.values()) >= self.squares

    @property
    def outcome(self):
        return float(self.gone[1] >= self.squares)


@cache
def dice_race_values(mine, other, walk):
    """The probability that the player to move wins, after a walk and after a throw: dynamic programming.

    mine, other: squares that he and the other have to go.
    """

    def after(squares, again):
        if mine <= squares:
            return 1.0
        if again:
            return max(dice_race_values(mine - squares, other, walk))
        return 1.0 - max(dice_race_values(other, mine - squares, walk))

    return after(walk, False), sum(after(face, face == 6) for face in range(1, 7)) / 6


class Twenty48(Toy):
    """Four rows of numbers, None where there is none."""

    def __init__(self, goal=2048):
        self.rows, self.coming, self.goal = [[None] * 4 for _ in range(4)], 2, goal

    @property
    def player(self):
        return None if self.coming else 1

    def chances(self):
        empty = [k for k in range(16) if self.rows[k // 4][k % 4] is None]
        return {2 * k + four: (0.1 if four else 0.9) / len(empty) for k in empty for four in (0, 1)}

    def happen(self, event):
        self.rows[event // 8][event // 2 % 4] = 4 if event % 2 else 2
        self.coming -= 1
        self.reward = 0.0

    def slid(self, action):
        """The rows after a slide and the points: turned until it is one to the left, and back."""
        turns = {0: 1, 1: 2, 2: 3, 3: 0}[action]  # quarter turns, counterclockwise
        rows, points = self.rows, 0.0
        for _ in range(turns):
            rows = [list(row) for row in zip(*rows, strict=True)][::-1]
        slid = []
        for row in rows:
            tiles, made = [tile for tile in row if tile], []
            while tiles:
                first = tiles.pop(0)
                if tiles and tiles[0] == first:
                    first += tiles.pop(0)
                    points += first
                made.append(first)
            slid.append(made + [None] * (4 - len(made)))
        for _ in range(-turns % 4):
            slid = [list(row) for row in zip(*slid, strict=True)][::-1]
        return slid, points

    def legal(self):
        return [action for action in range(4) if self.slid(action)[0] != self.rows]

    def play(self, action):
        self.rows, self.reward = self.slid(action)
        self.coming = 1

    @property
    def over(self):
        return any(self.goal in row for row in self.rows) or not (self.coming or self.legal())


class RandomWalk(Toy):
    """States 1 … n between two ends."""

    def __init__(self, states=19, discount=1.0):
        self.states, self.discount, self.here = states, discount, (states + 1) // 2

    def legal(self):
        return [0, 1]

    def play(self, action):
        self.here += (-1, 1)[action]
        self.reward = -1.0 if self.here == 0 else 1.0 if self.here > self.states else 0.0

    @property
    def over(self):
        return not 1 <= self.here <= self.states


MAZES = {
    "corner": ["...+", ".#.-", "S..."],
    "dyna": [".......#+", "..#....#.", "S.#....#.", "..#......", ".....#...", "........."],
}
WAYS = ((-1, 0), (0, 1), (1, 0), (0, -1))


class Gridworld(Toy):
    """A maze of which only open cells are kept, by (row, column)."""

    def __init__(self, maze="corner", slip=0.2, discount=1.0):
        rows = enumerate(MAZES[maze])
        cells = {(y, x): letter for y, row in rows for x, letter in enumerate(row)}
        self.cells = {at: letter for at, letter in cells.items() if letter != "#"}
        (self.here,) = (at for at, letter in cells.items() if letter == "S")
        self.slip, self.discount, self.wanted = slip, discount, None

    @property
    def player(self):
        return 1 if self.wanted is None else None

    def legal(self):
        return [0, 1, 2, 3]

    def chances(self):
        return {0: self.slip / 2, 1: 1 - self.slip, 2: self.slip / 2}

    def to(self, here, way):
        """Where a step leads, and what it pays."""
        there = here[0] + WAYS[way % 4][0], here[1] + WAYS[way % 4][1]
        there = there if there in self.cells else here
        return there, {"+": 1.0, "-": -1.0}.get(self.cells[there], 0.0) - 0.04

    def play(self, action):
        if self.slip:
            self.wanted, self.reward = action, 0.0
        else:
            self.here, self.reward = self.to(self.here, action)

    def happen(self, event):
        self.here, self.reward = self.to(self.here, self.wanted + event - 1)
        self.wanted = None

    @property
    def over(self):
        return self.cells[self.here] in "+-"

    def backup(self, values):
        """The value of every action in every cell where one goes on, after one more step."""
        events = [(-1, self.slip / 2), (0, 1 - self.slip), (1, self.slip / 2)]
        found = {}
        for at, letter in self.cells.items():
            if letter in "+-":
                continue
            found[at] = [
                sum(
                    p * (paid + self.discount * values.get(there, 0.0))
                    for turn, p in events
                    for there, paid in [self.to(at, way + turn)]
                )
                for way in range(4)
            ]
        return found

    def action_values(self, steps, choose=max):
        """Dynamic programming: what each action is worth with so many steps to go, in every cell.

        choose: what the values of actions make of a cell: max for the best policy, mean for the random one.
        """
        values, actions = {}, {}
        for _ in range(steps):
            actions = self.backup(values)
            values = {at: choose(found) for at, found in actions.items()}
        return actions


class MountainCar(Toy):
    """Sutton & Barto's equations."""

    reward = -1.0

    def __init__(self, position=-0.5, hold=5):
        self.x, self.v, self.hold = position, 0.0, hold

    def legal(self):
        return [0, 1, 2]

    def play(self, action):
        for _ in range(self.hold):
            if not self.over:
                self.v += 0.001 * (action - 1) - 0.0025 * math.cos(3 * self.x)
                self.v = sorted((-0.07, self.v, 0.07))[1]
                self.x = max(-1.2, self.x + self.v)
                if self.x == -1.2:
                    self.v = 0.0

    @property
    def over(self):
        return self.x >= 0.5
