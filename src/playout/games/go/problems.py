"""Problems from SGF: every game of a collection is a position with right moves, or with who is winning.

The position. Where stones are set up, it is the one before the first move; in a game that begins on an empty
board it is where the first variation branches off, or the end if none does.

The right moves are the first moves of those variations that are marked right somewhere: by the property
``TE``, or by a comment (``C``) with the word RIGHT or CORRECT in capitals, or one that begins with "correct".
If none is marked, the first variation that is not marked bad (``BM``) is right.

Who is winning stands at the position itself: ``GB`` (good for Black), ``GW`` (for White) or ``DM`` (even).

>>> [problem] = problems(b"(;SZ[5]AB[bb]AW[cc](;B[cb]C[RIGHT])(;B[dd]))")
>>> problem.board.to_play, [coords.vertex(p, 5) for p in problem.right]
(1, ['C4'])
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sgfmill import sgf_properties

from playout.errors import InputError
from playout.games.charset import decode
from playout.games.go import coords
from playout.games.go.board import Board
from playout.games.go.sgf import MAX_BYTES, MAX_NODES, game_of, read_move, read_turn
from playout.games.sgf_tree import Node, Tree, trees

_LOUD = re.compile(r"\b(?:RIGHT|CORRECT)\b|\A\s*(?i:correct)\b")
_VALUES = {"GB": 1.0, "GW": 0.0, "DM": 0.5}


@dataclass(frozen=True)
class Problem:
    """A position with its right moves, with moves that are wrong, or with Black's chance to win."""

    board: Board
    right: tuple[int, ...]
    value: float | None
    wrong: tuple[int, ...] = ()
    name: str = ""  # where it stands in its file


def problems(data: bytes, wrong: list[tuple[int, str]] | None = None) -> list[Problem]:
    """The problems of a collection, in order.

    A wrong one is refused with its number; with `wrong` it is left out, and its number and the reason are
    added there.
    """
    if len(data) > MAX_BYTES:
        raise InputError(f"the record is larger than {MAX_BYTES >> 20} MB")
    found = []
    for number, tree in enumerate(trees(decode(data)), 1):
        try:
            found.append(_problem(tree))
        except InputError as error:
            if wrong is None:
                raise InputError(f"problem {number}: {error}") from None
            wrong.append((number, str(error)))
    return found


def _problem(tree: Tree) -> Problem:
    path = [tree]
    placed = False
    while len(path[-1].then) == 1 and len(path) <= MAX_NODES:
        placed = placed or "AB" in path[-1].node or "AW" in path[-1].node
        following = path[-1].then[0]
        if placed and _color(following.node):
            break
        path.append(following)
    nodes = [step.node for step in path]
    game = game_of(nodes)
    here = path[-1]
    presenter = sgf_properties.Presenter(game.size, "UTF-8")
    answers = [(step, _color(step.node)) for step in here.then if _color(step.node)]
    board = game.board()
    if answers and not any(map(read_turn, nodes)):
        board.to_play = "BW".index(answers[0][1]) + 1
    moves = {
        read_move(presenter, step.node, color, 1).point: step
        for step, color in reversed(answers)
        if "BW".index(color) + 1 == board.to_play
    }
    right = [p for p, step in moves.items() if _is_good(step)]
    if not right:
        right = [p for p, step in reversed(moves.items()) if "BM" not in step.node][:1]
    for p in right:
        if not board.is_legal(p):
            raise InputError(f"the right move {coords.vertex(p, game.size)} is illegal")
    values = [value for name, value in _VALUES.items() if name in here.node]
    if len(values) > 1:
        raise InputError("it cannot be good for both sides (GB, GW, DM)")
    if not right and not values:
        raise InputError("there is no move that follows the position, and none of GB, GW, DM says who wins")
    return Problem(board, tuple(sorted(right)), values[0] if values else None)


def _color(node: Node) -> str:
    return next((name for name in ("B", "W") if name in node), "")


def _is_good(step: Tree) -> bool:
    """Whether a variation is marked right, anywhere in it."""
    waiting = [step]
    while waiting:
        step = waiting.pop()
        if "TE" in step.node or any(map(_LOUD.search, step.node.get("C", ()))):
            return True
        waiting += step.then
    return False
