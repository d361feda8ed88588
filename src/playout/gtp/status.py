"""What a finished game looks like: which stones live, and whose each empty point is."""

from __future__ import annotations

from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.state import BLACK, EMPTY, STRIDE, WHITE

STATUSES = ("alive", "dead", "seki", "black_territory", "white_territory", "dame")
_STEPS = (-STRIDE, -1, 1, STRIDE)


def groups(board: Board, status: str, dead: list[int]) -> list[list[int]]:
    """The chains, or the regions of empty points, that have a status once the dead stones are gone.

    A chain of a finished game is in seki when it lives but touches no territory of its own.
    """
    if status == "dead":
        return [chain for chain in _chains(board) if chain[0] in dead]
    owner = _owners(board, dead)
    if status in ("alive", "seki"):
        living = [chain for chain in _chains(board) if chain[0] not in dead]
        return [chain for chain in living if (board.is_over and _in_seki(chain, owner)) == (status == "seki")]
    wanted = {"black_territory": {BLACK}, "white_territory": {WHITE}}.get(status)
    empty = [p for p in coords.board_points(board.size) if board.color_at(p) == EMPTY]
    found = [p for p in empty if (owner[p] == wanted if wanted else len(owner[p]) != 1)]
    return [found] if found else []


def _chains(board: Board) -> list[list[int]]:
    """Every chain, each once."""
    found: dict[int, list[int]] = {}
    for color in (BLACK, WHITE):
        for p in board.stones(color):
            chain = board.chain(p)
            found.setdefault(chain[0], chain)
    return list(found.values())


def _owners(board: Board, dead: list[int]) -> dict[int, set[int]]:
    """For every point without a living stone, the colours that its region touches."""
    gone = set(dead)
    points = set(coords.board_points(board.size))
    free = {p for p in points if board.color_at(p) == EMPTY or p in gone}
    owner: dict[int, set[int]] = {}
    for first in free:
        if first in owner:
            continue
        colors: set[int] = set()
        owner[first] = colors
        todo = [first]
        while todo:
            p = todo.pop()
            for q in (p + step for step in _STEPS):
                if q in free and q not in owner:
                    owner[q] = colors
                    todo.append(q)
                elif q in points and q not in free:
                    colors.add(board.color_at(q))
    return owner


def _in_seki(chain: list[int], owner: dict[int, set[int]]) -> bool:
    around = [owner[q] for p in chain for q in (p + step for step in _STEPS) if q in owner]
    return all(len(colors) == 2 for colors in around)
