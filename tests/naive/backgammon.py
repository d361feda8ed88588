"""Backgammon's plays from the rules, in plain Python: every order of the dice, move by move.

A board is ((mine…), (theirs…)): checkers by point as each player counts, 0 off, 1 to 24, 25 the bar.
"""

from __future__ import annotations

Side = tuple[int, ...]
Board = tuple[Side, Side]


def moves_of_a_die(board: Board, die: int) -> list[tuple[int, Board]]:
    """The points that a die can be played from, each with the board after it."""
    mine, theirs = board
    found = []
    for source in range(1, 26):
        if mine[source] == 0 or (mine[25] and source != 25):
            continue  # checkers on the bar come first
        target = source - die
        if target <= 0:
            if any(mine[7:]):
                continue  # bearing off needs all at home
            if target < 0 and any(mine[source + 1 :]):
                continue  # a larger number than needed only from the highest point
            target = 0
        elif theirs[25 - target] >= 2:
            continue
        own, other = list(mine), list(theirs)
        own[source] -= 1
        own[target] += 1
        if target and other[25 - target] == 1:
            other[25 - target] = 0
            other[25] += 1
        found.append((source, (tuple(own), tuple(other))))
    return found


def plays(board: Board, dice: tuple[int, int]) -> set[Board]:
    """The boards that a roll may lead to; the same board where nothing can be played."""
    large, small = max(dice), min(dice)
    orders = [[large] * 4] if large == small else [[large, small], [small, large]]
    reached: dict[int, set[Board]] = {0: {board}}  # by how many dice were played
    by_large: set[Board] = set()  # with the larger die alone
    for order in orders:
        boards = {board}
        for played, die in enumerate(order, 1):
            boards = {after for now in boards for _, after in moves_of_a_die(now, die)}
            reached.setdefault(played, set()).update(boards)
            if order[0] == large and played == 1:
                by_large = boards
    most = max(played for played, boards in reached.items() if boards)
    return by_large if most == 1 and by_large else reached[most]


def points_won(board: Board) -> int:
    """What a game counts that the player whose checkers stand first has won."""
    theirs = board[1]
    if theirs[0]:
        return 1
    return 3 if any(theirs[19:]) else 2


class Cube:
    """What may be done with the cube, by the rules: who has it, what it shows, what was said last."""

    def __init__(self, length: int, score: tuple[int, int], crawford: bool) -> None:
        self.length, self.score, self.crawford = length, score, crawford
        self.shows, self.owner = 1, None  # None: in the middle
        self.on_roll, self.offered, self.passed = 1, False, False

    def may_double(self) -> bool:
        """Whether who is on roll has the cube, and would win more with a higher one that he needs."""
        if self.crawford or self.owner not in (None, self.on_roll) or self.shows >= 64:
            return False
        needs = self.length - self.score[self.on_roll - 1]
        return self.length == 0 or needs > self.shows

    def do(self, word: str) -> None:
        """Double, take or pass."""
        if word == "double":
            self.offered = True
        elif word == "take":
            self.shows, self.owner, self.offered = 2 * self.shows, 3 - self.on_roll, False
        elif word == "pass":
            self.offered, self.passed = False, True
