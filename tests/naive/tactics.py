"""Tactical questions about a position, slowly, over the naive rules of Go."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from naive.go import EMPTY, Go, Point, opponent

T = TypeVar("T")


def liberties_after(game: Go, point: Point, player: str) -> set[Point]:
    """The liberties of a stone put here by a player."""
    twin = game.copy()
    twin.to_play = player
    board, _, _ = twin.result(point)
    return twin.chain(board, point)[1]


def stones_after(game: Go, point: Point, player: str) -> int:
    """The size of the chain of a stone put here by a player."""
    board = {**game.board, point: player}
    return len(game.chain(board, point)[0])


def runs_free(game: Go, stone: Point) -> bool:
    """Whether a chain in atari gets away, its side to move; the hunter blocks where it would grow more."""
    prey = game.board[stone]
    game = game.copy()
    for _ in range(60):
        stones, liberties = game.chain(game.board, stone)
        game.to_play = prey
        attackers = {
            near for own in stones for near in game.neighbours(own) if game.board[near] == opponent(prey)
        }
        for attacker in attackers:
            _, escape = game.chain(game.board, attacker)
            if len(escape) == 1 and next(iter(escape)) != game.ko:
                return True
        (liberty,) = liberties
        if not game.is_legal(liberty):
            return False
        game.play(liberty)
        _, liberties = game.chain(game.board, stone)
        if len(liberties) != 2:
            return len(liberties) > 2
        if not hunt(game, stone):
            return True
    return True


def hunt(game: Go, stone: Point) -> bool:
    """Put a chain of two liberties into atari, as `runs_free` tells; False if that cannot hold it."""
    prey = game.board[stone]
    _, liberties = game.chain(game.board, stone)

    def growth(point: Point) -> int:
        """Liberties of the prey if it extends here and the hunter has the other liberty."""
        return min(3, len(liberties_after(game, point, prey) - liberties))

    first, second = order(game, stone)
    if growth(second) < growth(first):
        first, second = second, first
    game.to_play = opponent(prey)
    if growth(first) > 2 or not game.is_legal(second):
        return False
    game.play(second)
    return True


def order(game: Go, stone: Point) -> tuple[Point, Point]:
    """The two liberties of a chain; which is first matters only between equals."""
    first, second = sorted(game.chain(game.board, stone)[1], reverse=backwards)
    return first, second


backwards = False


def either_way(ask: Callable[[], T]) -> list[T]:
    """The answers with the hunter choosing one and the other of liberties that are equally good."""
    global backwards
    answers = []
    for turned in (True, False):
        backwards = turned
        answers.append(ask())
    return answers


def vital_points(game: Go, last: Point) -> set[Point]:
    """Vital points of the small eye spaces next to a move."""
    return vital_points_of(game, game.neighbours(last))


def vital_points_of(game: Go, starts: Iterable[Point]) -> set[Point]:
    """Vital points of the small eye spaces that some points lie in."""
    found = set()
    for start in starts:
        if game.board[start] != EMPTY:
            continue
        inside, border = game.region(game.board, start)
        if len({game.board[stone] for stone in border}) > 1 or not 3 <= len(inside) <= 6:
            continue
        degrees = {point: sum(near in inside for near in game.neighbours(point)) for point in inside}
        shape = sorted(degrees.values())
        if shape in (
            [1, 1, 2],  # three
            [1, 1, 1, 3],  # the T
            [1, 1, 1, 1, 4],  # the cross
            [1, 2, 2, 2, 3],  # the bulky five
            [1, 1, 2, 2, 2, 4],  # the rabbity six
        ):
            found.add(max(degrees, key=lambda point: degrees[point]))
    return found
