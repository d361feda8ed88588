"""Moves of games as problems to learn from: a position, and the move that was played there.

Where the players are strong their moves stand for right ones, as those of an expert (Araki et al. 2014 name
it as the next step for boards too large to solve). Of each game so many positions are drawn, evenly from its
first move to its last.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from playout.errors import InputError
from playout.games.go import sgf
from playout.games.go.problem_set import ProblemSet, Say, sgf_files, silent
from playout.games.go.state import BLACK, PASS, STATE, WHITE

WINNER, BOTH = "winner", "both"
WHOSE = (WINNER, BOTH)  # moves
WINNERS = {"B+": BLACK, "W+": WHITE}


def problems_of_games(
    games: Iterable[tuple[str, sgf.Game]],
    side: int,
    *,
    whose: str = WINNER,
    each: int = 20,
    skip: int = 0,
    seed: int = 1,
    say: Say = silent,
) -> ProblemSet:
    """The moves of games, so many of each; what is left out is named.

    whose: moves of the winner, or of both. each: how many of a game, at most. skip: so many moves that begin
    a game are left out, where they were drawn at random or come from a book.
    A game of another board size is left out, and with the winner's moves one without a winner; of a game,
    passes and moves that had no other beside them.

    >>> game = sgf.read(b"(;SZ[5]RE[B+R];B[cc];W[bc];B[cb];W[bb])")
    >>> found = problems_of_games([("one", game)], 5)
    >>> found.names, [len(right) for right in found.right]
    (('one move 1', 'one move 3'), [1, 1])
    """
    if whose not in WHOSE:
        raise InputError(f"whose: {whose[:40]!r} is not one of {', '.join(WHOSE)}")
    if each < 1 or skip < 0:
        raise InputError(f"each and skip: {each} and {skip} are not numbers of at least 1 and 0")
    dice = np.random.default_rng(seed)
    roots, right, names = [], [], []
    for name, game in games:
        reason, found = _unusable(game, side, whose), []
        if not reason:
            try:
                found = [move for move in _moves(game, whose) if move[0] > skip]
            except InputError as error:
                reason = str(error)
        if reason:
            say(f"{name} is left out: {reason}")
        step = max(1.0, len(found) / each)
        for at in np.arange(dice.random() * step, len(found), step):
            number, root, move = found[int(at)]
            roots.append(root)
            right.append((move,))
            names.append(f"{name} move {number}")
    if not roots:
        raise InputError(f"there is no {side}×{side} game with a move to learn from")
    return ProblemSet(np.concatenate(roots), tuple(right), tuple(names))


def _unusable(game: sgf.Game, side: int, whose: str) -> str:
    if game.size != side:
        return f"its board is {game.size}×{game.size} and not {side}×{side}"
    return "it has no winner" if whose == WINNER and game.result[:2] not in WINNERS else ""


def _moves(game: sgf.Game, whose: str) -> list[tuple[int, np.ndarray, int]]:
    """The number of each move that may be learnt, the position before it, and its point."""
    found = []
    number, root, choices = 0, np.zeros(0, STATE), 0
    for action, board in game.replay():
        if isinstance(action, sgf.Move):
            number += 1
            in_turn = action.color == root["to_play"][0]
            wanted = whose == BOTH or WINNERS[game.result[:2]] == action.color
            if action.point != PASS and choices > 1 and in_turn and wanted:
                found.append((number, root, action.point))
        root, choices = board.simulation_root(), len(board.legal_moves())
    return found


def load_game_problems(
    path: str | Path,
    side: int,
    *,
    whose: str = WINNER,
    each: int = 20,
    skip: int = 0,
    seed: int = 1,
    say: Say = silent,
) -> ProblemSet:
    """The moves of the games of an SGF file, a collection or a folder."""
    games = (
        (f"{file.name} {number}", sgf.load(file, number))
        for file in sgf_files(path)
        for number in range(1, max(1, sgf.count_games(file)) + 1)
    )
    return problems_of_games(games, side, whose=whose, each=each, skip=skip, seed=seed, say=say)
