"""The rules of Go, slowly: a board is a dict from (row, column) to 'X' (Black), 'O' (White) or '.' (empty).

Row 0 is the top row. Nothing is kept between moves but the board, whose turn it is, the ko point and
the positions already seen: chains and liberties are found anew by flood fill whenever they are asked for.
"""

from functools import cache

BLACK, WHITE, EMPTY = "X", "O", "."
PASS = None

Point = tuple[int, int]
Board = dict[Point, str]


def opponent(player: str) -> str:
    """The other player."""
    return WHITE if player == BLACK else BLACK


@cache
def all_points(side: int) -> tuple[Point, ...]:
    """Every point of a board, row by row."""
    return tuple((row, column) for row in range(side) for column in range(side))


@cache
def near(point: Point, steps: tuple[Point, ...], side: int) -> tuple[Point, ...]:
    """The points a step away that are on the board."""
    row, column = point
    places = ((row + down, column + right) for down, right in steps)
    return tuple((r, c) for r, c in places if 0 <= r < side and 0 <= c < side)


@cache
def all_near(steps: tuple[Point, ...], side: int) -> dict[Point, tuple[Point, ...]]:
    """The same of every point."""
    return {point: near(point, steps, side) for point in all_points(side)}


class Go:
    """A game of Go.

    suicide: whether a move that leaves its own chain without liberties is legal.
    ko: 'simple' (no immediate retake of a single stone), 'positional' (no whole board position may come
    back) or 'situational' (none with the same player to move).
    """

    STRAIGHT = ((-1, 0), (0, -1), (0, 1), (1, 0))
    DIAGONAL = ((-1, -1), (-1, 1), (1, -1), (1, 1))

    def __init__(self, side: int, suicide: bool = False, ko: str = "simple") -> None:
        self.side = side
        self.suicide = suicide
        self.ko_rule = ko
        self.board: Board = dict.fromkeys(all_points(side), EMPTY)
        self.to_play = BLACK
        self.ko: Point | None = None  # where a single stone was just taken by what is now in atari there
        self.passes = 0
        self.captured = {BLACK: 0, WHITE: 0}  # stones each player has taken off the other
        self.seen = {self.situation(self.board, BLACK)}

    @classmethod
    def drawn(cls, text: str, to_play: str = BLACK, suicide: bool = False, ko: str = "simple") -> "Go":
        """A position from a drawing; any other letter than X and O is an empty point."""
        rows = [line.split() for line in text.split("\n") if line.strip()]
        game = cls(len(rows), suicide, ko)
        for row, column in game.board:
            mark = rows[row][column]
            game.board[row, column] = mark if mark in (BLACK, WHITE) else EMPTY
        game.to_play = to_play
        game.seen = {game.situation(game.board, to_play)}
        return game

    def copy(self) -> "Go":
        """A game that can be played on without changing this one."""
        twin = Go(self.side, self.suicide, self.ko_rule)
        twin.board, twin.to_play, twin.ko, twin.passes = self.board.copy(), self.to_play, self.ko, self.passes
        twin.captured, twin.seen = self.captured.copy(), self.seen.copy()
        return twin

    def __str__(self) -> str:
        return "\n".join(
            " ".join(self.board[row, column] for column in range(self.side)) for row in range(self.side)
        )

    def neighbours(self, point: Point) -> tuple[Point, ...]:
        """The two to four points next to a point."""
        return near(point, self.STRAIGHT, self.side)

    def diagonals(self, point: Point) -> tuple[Point, ...]:
        """The one to four points diagonally next to a point."""
        return near(point, self.DIAGONAL, self.side)

    def region(self, board: Board, start: Point) -> tuple[set[Point], set[Point]]:
        """The points of one colour connected to `start`, and the points of other colours next to them."""
        color, neighbours = board[start], all_near(self.STRAIGHT, self.side)
        inside, border, to_visit = {start}, set(), [start]
        while to_visit:
            for point in neighbours[to_visit.pop()]:
                if board[point] != color:
                    border.add(point)
                elif point not in inside:
                    inside.add(point)
                    to_visit.append(point)
        return inside, border

    def chain(self, board: Board, point: Point) -> tuple[set[Point], set[Point]]:
        """The stones connected to a stone, and their liberties."""
        stones, border = self.region(board, point)
        return stones, {liberty for liberty in border if board[liberty] == EMPTY}

    def chains(self) -> list[tuple[set[Point], set[Point]]]:
        """Every chain on the board with its liberties."""
        found: list[tuple[set[Point], set[Point]]] = []
        done: set[Point] = set()
        for point, color in self.board.items():
            if color != EMPTY and point not in done:
                found.append(self.chain(self.board, point))
                done |= found[-1][0]
        return found

    def result(self, point: Point) -> tuple[Board, set[Point], set[Point]]:
        """The board after a stone: enemy chains without liberties go first, then one's own.

        Returns the board, the enemy stones taken, and one's own stones that a suicide takes.
        """
        board = self.board.copy()
        board[point] = self.to_play
        taken: set[Point] = set()
        for neighbour in self.neighbours(point):
            if board[neighbour] == opponent(self.to_play):
                stones, liberties = self.chain(board, neighbour)
                if not liberties:
                    taken |= stones
        board.update(dict.fromkeys(taken, EMPTY))
        stones, liberties = self.chain(board, point)
        lost = set() if liberties else stones
        board.update(dict.fromkeys(lost, EMPTY))
        return board, taken, lost

    def situation(self, board: Board, to_play: str) -> tuple[str, str]:
        """What may not come back under superko."""
        return "".join(board.values()), to_play if self.ko_rule == "situational" else ""

    def is_legal(self, point: Point | None) -> bool:
        """Whether the player to move may play here; pass is always legal."""
        if point is PASS:
            return True
        if self.board[point] != EMPTY or (self.ko_rule == "simple" and point == self.ko):
            return False
        if self.ko_rule == "simple" and EMPTY in [self.board[near] for near in self.neighbours(point)]:
            return True  # the stone has a liberty
        board, _, lost = self.result(point)
        if lost and not self.suicide:
            return False
        return self.ko_rule == "simple" or self.situation(board, opponent(self.to_play)) not in self.seen

    def legal_points(self) -> list[Point]:
        """Where the player to move may play, pass left out."""
        return [point for point in self.board if self.is_legal(point)]

    def play(self, point: Point | None) -> None:
        """Make a legal move."""
        self.ko = None
        if point is PASS:
            self.passes += 1
        else:
            self.board, taken, lost = self.result(point)
            self.passes = 0
            self.captured[self.to_play] += len(taken)
            self.captured[opponent(self.to_play)] += len(lost)
            if len(taken) == 1 and self.chain(self.board, point) == ({point}, taken):
                (self.ko,) = taken
        self.to_play = opponent(self.to_play)
        self.seen.add(self.situation(self.board, self.to_play))

    def is_over(self) -> bool:
        """Two passes in a row end the game."""
        return self.passes >= 2

    def margin(self) -> int:
        """Black's stones less White's."""
        colors = list(self.board.values())
        return colors.count(BLACK) - colors.count(WHITE)

    def area_score(self) -> int:
        """Black's area less White's (Tromp-Taylor): stones, and empty regions that reach one colour only."""
        score = self.margin()
        done: set[Point] = set()
        for point, color in self.board.items():
            if color == EMPTY and point not in done:
                inside, border = self.region(self.board, point)
                done |= inside
                reached = {self.board[stone] for stone in border}
                score += len(inside) * ((reached == {BLACK}) - (reached == {WHITE}))
        return score

    def is_eye(self, point: Point, player: str) -> bool:
        """Whether an empty point is a single-point eye, as simulations see it.

        Its neighbours are the player's stones; the enemy holds at most one diagonal, and none at the edge.
        """
        if self.board[point] != EMPTY or any(self.board[near] != player for near in self.neighbours(point)):
            return False
        diagonals = self.diagonals(point)
        held = sum(self.board[diagonal] == opponent(player) for diagonal in diagonals)
        return held <= (1 if len(diagonals) == 4 else 0)

    def policy_moves(self) -> list[Point | None]:
        """What the uniform policy chooses among: legal, no suicide, no filling of an eye; else pass."""

        def may_play(point: Point) -> bool:
            if self.is_eye(point, self.to_play) or not self.is_legal(point):
                return False
            return not self.suicide or not self.result(point)[2]

        return [point for point in self.board if may_play(point)] or [PASS]
