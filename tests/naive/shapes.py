"""Local shape features as the paper describes them, with dictionaries (Silver 2009, 5.3 and 5.4).

A feature is (size, row, column, cells): a square region with its upper left point and what stands in it, row
by row. Two features share a weight when a symmetry of the board takes one to the other (location-dependent),
or a symmetry of the square takes the cells to the other's (location-independent); exchanged colours have the
negative weight.
"""

from collections.abc import Iterable
from functools import cache

Feature = tuple[int, int, int, str]
EXCHANGE = str.maketrans("XO", "OX")


def grids(rows: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """The eight images of a square."""
    for _ in range(2):
        for _ in range(4):
            rows = tuple("".join(row[k] for row in reversed(rows)) for k in range(len(rows)))
            yield rows
        rows = tuple(row[::-1] for row in rows)


@cache
def corners(size: int, row: int, column: int, side: int) -> list[tuple[int, int]]:
    """Where the eight images of the board take a region, in the order of `grids`."""
    board = tuple(
        "".join("#" if row <= r < row + size and column <= c < column + size else "." for c in range(side))
        for r in range(side)
    )
    found = []
    for image in grids(board):
        first = next(k for k, line in enumerate(image) if "#" in line)
        found.append((first, image[first].index("#")))
    return found


def squares(size: int, cells: str) -> tuple[str, ...]:
    """A region's cells as rows."""
    return tuple(cells[k * size : (k + 1) * size] for k in range(size))


@cache
def sharing(feature: Feature, side: int, rule: str) -> tuple[object, int]:
    """The weight of a feature, as the smallest of its class, and its sign: 0 if it is neutral."""
    size, row, column, cells = feature
    if rule == "none":
        return feature, 1
    images = ["".join(grid) for grid in grids(squares(size, cells))]
    if rule == "independent":
        plain = {(size, image) for image in images}
        exchanged = {(size, image.translate(EXCHANGE)) for image in images}
    else:
        places = corners(size, row, column, side)
        plain = {(size, *place, image) for place, image in zip(places, images, strict=True)}
        exchanged = {
            (size, *place, image.translate(EXCHANGE)) for place, image in zip(places, images, strict=True)
        }
    if plain == exchanged:
        return min(plain), 0
    return min(plain | exchanged), 1 if min(plain) < min(exchanged) else -1


def active(board: dict[tuple[int, int], str], side: int, sizes: Iterable[int]) -> list[Feature]:
    """The features of a position that are 1: one in every region."""
    return [
        (size, row, column, "".join(board[row + r, column + c] for r in range(size) for c in range(size)))
        for size in sizes
        for row in range(side - size + 1)
        for column in range(side - size + 1)
    ]


def rules_of(rule: str) -> tuple[str, ...]:
    """The kinds of weights that a sharing rule adds up."""
    return ("independent", "dependent") if rule == "both" else (rule,)


def weights(
    board: dict[tuple[int, int], str], side: int, sizes: Iterable[int], rule: str
) -> dict[object, int]:
    """φ(s) by weight: how often each occurs, with signs."""
    found: dict[object, int] = {}
    for kind in rules_of(rule):
        for feature in active(board, side, sizes):
            name, sign = sharing(feature, side, kind)
            if sign != 0:
                found[kind, name] = found.get((kind, name), 0) + sign
    return {name: count for name, count in found.items() if count}


def unique(side: int, size: int, rule: str) -> int:
    """How many weights one size of shape has, by enumeration of every feature."""
    from itertools import product

    found = set()
    for row in range(side - size + 1):
        for column in range(side - size + 1):
            for cells in product(".XO", repeat=size * size):
                name, sign = sharing((size, row, column, "".join(cells)), side, rule)
                if sign != 0:
                    found.add(name)
    return len(found)
