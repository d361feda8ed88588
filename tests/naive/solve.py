"""What a game of Go is worth with best play, slowly and exactly: alpha–beta with positional superko.

Superko makes the value of a position depend on how it came about, so no value is remembered from one line
to another; only what the rules say of a position is. Enough for 2×2, and for games on 3×3 in which some
stones have been played. A board is a string, row by row, of 'X', 'O' and '.'.
"""

from functools import cache

from naive.go import BLACK, EMPTY, PASS, WHITE, Go, Point, all_points, opponent


class TooLong(Exception):
    """A position that this way of solving does not get through."""


@cache
def stand(board: str, to_play: str) -> Go:
    """A game that begins at a position."""
    side = round(len(board) ** 0.5)
    game = Go(side)
    game.board = dict(zip(all_points(side), board, strict=True))
    game.to_play = to_play
    return game


@cache
def area(board: str) -> int:
    """Black's area less White's."""
    return stand(board, BLACK).area_score()


@cache
def moves(board: str, to_play: str) -> list[tuple[Point, str]]:
    """The moves that are no suicide with the boards they make, best first by the area then."""
    game = stand(board, to_play)
    sign = 1 if to_play == BLACK else -1
    middle = (game.side - 1) / 2
    found = []
    for point, color in game.board.items():
        if color == EMPTY:
            after, _, lost = game.result(point)
            if not lost:
                found.append((point, "".join(after.values())))
    centre = {point: abs(point[0] - middle) + abs(point[1] - middle) for point, _ in found}
    return sorted(found, key=lambda move: (-sign * area(move[1]), centre[move[0]]))


Region = frozenset[Point]


def benson(game: Go, color: str) -> tuple[set[Region], set[Region]]:
    """The chains of a colour that live whatever it passes, and the regions that only they enclose."""
    chains = {frozenset(game.region(game.board, p)[0]) for p, c in game.board.items() if c == color}
    other = {p: (c if c == color else EMPTY) for p, c in game.board.items()}
    regions = {frozenset(game.region(other, p)[0]) for p, c in other.items() if c == EMPTY}

    def vital(region: Region, chain: Region) -> bool:
        """Whether every empty point of a region is a liberty of a chain."""
        return all(set(game.neighbours(p)) & chain for p in region if game.board[p] == EMPTY)

    def touches(region: Region, chain: Region) -> bool:
        return any(set(game.neighbours(p)) & chain for p in region)

    while True:
        kept = {c for c in chains if sum(vital(r, c) and touches(r, c) for r in regions) >= 2}
        left = {r for r in regions if not any(touches(r, c) for c in chains - kept)}
        if (kept, left) == (chains, regions):
            return chains, regions
        chains, regions = kept, left


def unconditionally_alive(game: Go, color: str) -> set[Point]:
    """The stones of a colour that live whatever it passes (Benson 1976)."""
    return set().union(*benson(game, color)[0])


@cache
def safe(board: str, color: str) -> int:
    """How many points a colour has for ever, whatever it passes (Benson 1976)."""
    chains, regions = benson(stand(board, color), color)
    mine = set().union(*chains)
    # Of the regions that only such chains enclose, those with too little room to live in: two eyes and what
    # joins the stones around them take six points, even in a corner.
    inside = [r for r in regions if chains and len(r) <= 5]
    return len(mine) + sum(len(r) for r in inside)


class Solver:
    """Decides whether Black wins by more than komi; gives up after `patience` positions.

    safe: whether points that are safe for ever end the search.
    """

    def __init__(self, patience: int = 10**9, safe: bool = True) -> None:
        self.patience = patience
        self.safe = safe
        self.visited = 0

    def black_wins(
        self, board: str, to_play: str, history: frozenset[str], komi: float, passed: bool = False
    ) -> bool:
        """history: the positions that may not come back, the present one among them."""
        self.visited += 1
        if self.visited > self.patience:
            raise TooLong
        black = to_play == BLACK
        if passed and (area(board) > komi) == black:
            return black
        points = len(board)
        if self.safe and 2 * safe(board, BLACK) - points > komi:
            return True
        if self.safe and points - 2 * safe(board, WHITE) < komi:
            return False
        for _, after in moves(board, to_play):
            if after not in history and (
                self.black_wins(after, opponent(to_play), history | {after}, komi) == black
            ):
                return black
        if passed:
            return not black  # the other pass would end the game, lost
        return self.black_wins(board, opponent(to_play), history, komi, True)

    def value(self, board: str, to_play: str, history: frozenset[str], passed: bool = False) -> int:
        """Black's area less White's with best play of both."""
        value = -len(board)
        while value < len(board) and self.black_wins(board, to_play, history, value + 0.5, passed):
            value += 1
        return value

    def values(self, board: str, to_play: str, history: frozenset[str]) -> dict[Point | None, int]:
        """The value of every legal move."""
        other = opponent(to_play)
        found: dict[Point | None, int] = {PASS: self.value(board, other, history, True)}
        for point, after in moves(board, to_play):
            if after not in history:
                found[point] = self.value(after, other, history | {after})
        return found

    def minimax(self, board: str, to_play: str, history: frozenset[str], passed: bool = False) -> int:
        """The same value from all games that can be played, without any cut."""
        self.visited += 1
        if self.visited > self.patience:
            raise TooLong
        other = opponent(to_play)
        values = [area(board) if passed else self.minimax(board, other, history, True)]
        for _, after in moves(board, to_play):
            if after not in history:
                values.append(self.minimax(after, other, history | {after}))
        return max(values) if to_play == BLACK else min(values)
